#include "report/cover/cover.h"

#include "base/shown.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOT_YET_SHOWN 50
#define NEVER_SHOWN 20
#define SPARKS 40
#define NAME 8192 /* bytes for a place as it is shown */

double
sl_cover_share(const struct sl_cover_report *r)
{
	return r->estimated ? 100.0 * (double)r->covered / (double)r->estimated : 100.0;
}

double
sl_cover_told(double share)
{
	return share > 99.9 && share < 100 ? 99.9 : share;
}

/* The number of covered pairs after this execution. */
static double
covered_after(const struct sl_cover_report *r, double execution)
{
	double covered = 0;

	for (size_t i = 0; i < r->growth_count && (double)r->growth[i].execution <= execution; i++)
		covered = r->growth[i].covered;
	return covered;
}

void
sl_cover_sparkline(const struct sl_cover_report *r, unsigned width, char *text)
{
	static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	size_t most = r->estimates ? r->estimated : r->covered;

	for (unsigned i = 0; i < width; i++) {
		double y = covered_after(r, (double)r->executions * (i + 1) / width);
		int level = most ? (int)(8 * y / (double)most + 0.5) : 0;

		text = stpcpy(text, blocks[level > 8 ? 8 : level ? level : y > 0]);
	}
	*text = '\0';
}

/* "queue.c:31:9 (push): queue->lock" */
static void
print_place(FILE *out, const char *before, const char *place, const char *object)
{
	char text[NAME];

	fprintf(out, "%s%s", before, sl_shown(text, sizeof(text), place));
	if (object)
		fprintf(out, ": %s", sl_shown(text, sizeof(text), object));
	fputc('\n', out);
}

static void
print_pair(FILE *out, const struct sl_cover_report *r, const struct sl_cover_pair *p)
{
	char thread[32], first[NAME];

	print_place(out, "  ", p->first, p->first_object);
	print_place(out, "    -> ", p->second, p->second_object);
	if (p->state == SL_COVERED_YES)
		fprintf(out, "       in execution %" PRIu64 "\n", p->execution);
	else if (p->state == SL_COVERED_NEVER)
		fprintf(out, "       %s\n", sl_shown(first, sizeof(first), p->reason));
	else if (p->near)
		fprintf(out, "       nearest: in execution %" PRIu64 ", but for %s%s by %s between them\n",
			p->near_execution, p->near > 1 ? "others, the last of them " : "",
			sl_shown(first, sizeof(first), p->near_last),
			sl_thread_short(p->near_thread, thread, sizeof(thread)));
	else if (r->nearness)
		fputs("       never near it\n", out);
}

static void
print_all(FILE *out, const struct sl_cover_report *r, enum sl_covered state, size_t count, size_t most,
	  const char *title)
{
	size_t shown = 0;

	if (!count)
		return;
	fprintf(out, "\n%s\n", title);
	for (size_t i = 0; i < r->count && shown < most; i++)
		if (r->pairs[i].state == state) {
			print_pair(out, r, &r->pairs[i]);
			shown++;
		}
	if (shown < count)
		fprintf(out, "  … and %zu more (--all)\n", count - shown);
}

void
sl_cover_print(FILE *out, const struct sl_style *style, const struct sl_cover_report *r, bool all)
{
	char sparks[3 * SPARKS + 1], title[256];
	uint64_t rules = r->rules[1] + r->rules[2] + r->rules[3];

	(void)style;
	snprintf(title, sizeof(title), "covered: the first place %s, the second %s", r->first, r->second);
	if (all)
		print_all(out, r, SL_COVERED_YES, r->covered, r->covered, title);
	snprintf(title, sizeof(title), "not covered: the first place %s, the second %s", r->first, r->second);
	print_all(out, r, SL_COVERED_NOT_YET, r->estimated - r->covered, all ? SIZE_MAX : NOT_YET_SHOWN, title);
	print_all(out, r, SL_COVERED_NEVER, r->never, all ? SIZE_MAX : NEVER_SHOWN, "ruled out:");
	if (r->covered || r->estimated || r->never)
		fputc('\n', out);
	if (r->estimates && !r->estimated)
		fprintf(out, "coverage: there are no %s to cover, %zu ruled out\n", r->what, r->never);
	else if (r->estimates)
		fprintf(out, "coverage: %zu of %zu %s (%.1f%%), %zu ruled out\n", r->covered, r->estimated,
			r->what, sl_cover_told(sl_cover_share(r)), r->never);
	else
		fprintf(out, "coverage: %zu %s; how many there could be is not estimated\n", r->covered, r->what);
	sl_cover_sparkline(r, SPARKS, sparks);
	fprintf(out, "  %s  %" PRIu64 " execution%s in %.2f s by %s", sparks, r->executions,
		r->executions == 1 ? "" : "s", r->seconds, r->strategy);
	fputs(r->complete ? ", all interleavings\n" : r->saturated ? ", saturated\n" : ", not saturated\n", out);
	if (r->estimates && r->unforeseen)
		fprintf(out,
			"  %zu of those covered were not foreseen from the first execution, which foresaw %zu; %" PRIu64
			" executions were estimated from\n",
			r->unforeseen, r->first_estimate, r->estimates_made);
	if (rules)
		fprintf(out, "  rules of tsa: 1 in %.1f%%, 2 in %.1f%%, %s in %.1f%% of %" PRIu64 " cases\n",
			100.0 * (double)r->rules[1] / (double)rules, 100.0 * (double)r->rules[2] / (double)rules,
			strstr(r->strategy, "--no-estimate-rule") ? "none of them" : "3",
			100.0 * (double)r->rules[3] / (double)rules, rules);
	if (r->lost)
		fprintf(out,
			"warning: there was no room for something %" PRIu64
			" times (places, locks, pairs): the numbers are too low\n",
			r->lost);
	if (r->unsure)
		fprintf(out,
			"warning: libraries came and went at the same address: %" PRIu64
			" %s may be several, and the numbers too low\n",
			r->unsure, r->unsure == 1 ? "place" : "places");
}

/* ---- JSON ---- */

static void
put_pair(FILE *out, const struct sl_cover_pair *p)
{
	static const char *const states[] = {"covered", "uncovered", "infeasible"};

	fputc('{', out);
	sl_json_put_field(out, "first", p->first);
	fputs(", ", out);
	sl_json_put_field(out, "second", p->second);
	fputs(", ", out);
	if (p->first_object) {
		sl_json_put_field(out, "first_object", p->first_object);
		fputs(", ", out);
	}
	if (p->second_object) {
		sl_json_put_field(out, "second_object", p->second_object);
		fputs(", ", out);
	}
	sl_json_put_field(out, "state", states[p->state]);
	fprintf(out, ", \"foreseen\": %s", p->foreseen ? "true" : "false");
	if (p->state == SL_COVERED_YES)
		fprintf(out, ", \"execution\": %" PRIu64 ", \"seconds\": %.6f", p->execution, p->seconds);
	if (p->state == SL_COVERED_NEVER) {
		fputs(", ", out);
		sl_json_put_field(out, "reason", p->reason);
	}
	if (p->state == SL_COVERED_NOT_YET && p->near) {
		fprintf(out,
			", \"nearest\": {\"execution\": %" PRIu64 ", \"between\": %u, \"thread\": %" PRIu32 ", ",
			p->near_execution, p->near, p->near_thread);
		sl_json_put_field(out, "last", p->near_last);
		fputc('}', out);
	}
	fputc('}', out);
}

void
sl_cover_json(FILE *out, const struct sl_cover_report *r, const struct sl_summary *run)
{
	fputc('{', out);
	sl_json_put_field(out, "program", r->program);
	fputs(", ", out);
	sl_json_put_field(out, "criterion", r->criterion);
	fputs(", ", out);
	sl_json_put_field(out, "strategy", r->strategy);
	fprintf(out,
		", \"seed\": %" PRIu64 ", \"executions\": %" PRIu64
		", \"seconds\": %.6f, \"covered\": %zu, \"estimated\": %zu, \"infeasible\": %zu, \"percent\": ",
		r->seed, r->executions, r->seconds, r->covered, r->estimated, r->never);
	if (r->estimated)
		fprintf(out, "%.3f", sl_cover_share(r));
	else
		fputs("null", out); /* of nothing */
	fprintf(out, ", \"first_estimate\": %zu, \"unforeseen\": %zu, \"saturated\": ", r->first_estimate,
		r->unforeseen);
	if (r->saturated)
		fprintf(out, "%" PRIu64, r->saturated);
	else
		fputs("null", out);
	fprintf(out,
		", \"rules\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "], \"lost\": %" PRIu64 ", \"unsure\": %" PRIu64
		", \"growth\": [",
		r->rules[1], r->rules[2], r->rules[3], r->lost, r->unsure);
	for (size_t i = 0; i < r->growth_count; i++)
		fprintf(out, "%s[%" PRIu64 ", %.6f, %" PRIu32 ", %" PRIu32 "]", i ? ", " : "",
			r->growth[i].execution, r->growth[i].seconds, r->growth[i].covered,
			r->growth[i].estimated);
	fputs("], \"pairs\": [", out);
	for (size_t i = 0; i < r->count; i++) {
		if (i)
			fputs(", ", out);
		put_pair(out, &r->pairs[i]);
	}
	fputs("], \"run\": ", out);
	if (run) {
		char *text = NULL;
		size_t size = 0;
		FILE *memory = open_memstream(&text, &size);

		sl_json_print(memory, run);
		fclose(memory);
		while (size && text[size - 1] == '\n')
			size--;
		fwrite(text, 1, size, out);
		free(text);
	} else {
		fputs("null", out);
	}
	fputs("}\n", out);
}
