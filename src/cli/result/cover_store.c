/*
 * sleave cover: storing runs, --show and --diff.
 */
#include "cli/result/cover_store.h"

#include "report/quote.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int
sl_cover_save(struct sl_store *store, struct sl_store_run *run, const struct sl_store_requirement *requirements,
	      size_t count, const struct sl_store_growth *growth, size_t growth_count, struct sl_err *err)
{
	struct sl_store_run saved = *run; /* the id is valid only after the commit */
	int result;

	if (sl_store_begin(store, err) < 0)
		return -1;
	result = sl_store_put_run(store, &saved, err);
	for (size_t i = 0; result >= 0 && i < count; i++)
		result = sl_store_put_requirement(store, saved.id, &requirements[i], err);
	for (size_t i = 0; result >= 0 && i < growth_count; i++)
		result = sl_store_put_growth(store, saved.id, &growth[i], err);
	if (result < 0) {
		sl_store_rollback(store);
		return -1;
	}
	if (sl_store_commit(store, err) < 0)
		return -1;
	run->id = saved.id;
	return 0;
}

double
sl_cover_percent(const struct sl_cover_total *total)
{
	return total->estimated ? 100.0 * (double)total->covered / (double)total->estimated : 100.0;
}

/* ---- a state in memory ---- */

struct kept {
	char *first, *second, *object, *reason;
	enum sl_store_state state;
	uint64_t execution;
	int64_t run;
};

struct state {
	struct kept *items; /* in the order of their names */
	size_t count, room;
	bool failed;
};

static void
keep(void *context, const struct sl_store_requirement *r)
{
	struct state *state = context;
	struct kept *item;

	if (state->count == state->room) {
		size_t room = state->room ? 2 * state->room : 256;

		item = realloc(state->items, room * sizeof(*item));
		if (!item) {
			state->failed = true;
			return;
		}
		state->items = item;
		state->room = room;
	}
	item = &state->items[state->count++];
	*item = (struct kept){.first = strdup(r->first),
			      .second = strdup(r->second),
			      .object = strdup(r->object),
			      .reason = strdup(r->reason),
			      .state = r->state,
			      .execution = r->execution,
			      .run = r->run};
	state->failed |= !item->first || !item->second || !item->object || !item->reason;
}

static void
state_release(struct state *state)
{
	for (size_t i = 0; i < state->count; i++) {
		free(state->items[i].first);
		free(state->items[i].second);
		free(state->items[i].object);
		free(state->items[i].reason);
	}
	free(state->items);
}

static struct sl_store_scope
scope(const struct sl_cover_query *query, int64_t last)
{
	return (struct sl_store_scope){last, query->program, query->arguments, query->criterion};
}

static int
state_read(struct state *state, struct sl_store *store, int64_t last, const struct sl_cover_query *query,
	   struct sl_err *err)
{
	struct sl_store_scope runs = scope(query, last);

	if (sl_store_state(store, &runs, keep, state, err) < 0)
		return -1;
	return state->failed ? sl_err_set(err, "out of memory") : 0;
}

static void
add_up(const struct state *state, struct sl_cover_total *total)
{
	for (size_t i = 0; i < state->count; i++) {
		total->covered += state->items[i].state == SL_STORE_COVERED;
		total->estimated += state->items[i].state >= SL_STORE_ESTIMATED;
		total->infeasible += state->items[i].state == SL_STORE_INFEASIBLE;
	}
}

/* ---- text ---- */

static const char *
date(int64_t seconds, char *text, size_t size)
{
	time_t when = (time_t)seconds;
	struct tm tm;

	if (!localtime_r(&when, &tm) || !strftime(text, size, "%Y-%m-%d %H:%M", &tm))
		snprintf(text, size, "?");
	return text;
}

/* Prints no percentage if there is nothing to cover. */
static void
print_share(FILE *out, const struct sl_cover_total *total, const char *covered)
{
	if (total->estimated)
		fprintf(out, "%" PRIu64 " of %" PRIu64 "%s (%.1f%%)", total->covered, total->estimated, covered,
			sl_cover_told(sl_cover_percent(total)));
	else
		fputs("nothing to cover", out);
}

static void
print_total(FILE *out, const struct sl_cover_query *query, const struct sl_cover_total *total)
{
	fprintf(out, "%s: ", query->what);
	print_share(out, total, " covered");
	fprintf(out, ", %" PRIu64 " infeasible, after %" PRIu64 " %s\n", total->infeasible, total->runs,
		total->runs == 1 ? "run" : "runs");
	if (total->earlier)
		fprintf(out, "  %" PRIu64 " of the covered ones: by an earlier build only\n", total->earlier);
	if (total->lost)
		fprintf(out, "warning: %" PRIu64 " %s had no room to record everything: the numbers are too low\n",
			total->lost, total->lost == 1 ? "run" : "runs");
}

static void
print_pair(FILE *out, const char *mark, const struct kept *item)
{
	fputs(mark, out);
	sl_text_put(out, item->first, strlen(item->first));
	fputs(", then ", out);
	sl_text_put(out, item->second, strlen(item->second));
	fputs(*item->object ? " on " : "", out);
	sl_text_put(out, item->object, strlen(item->object));
}

/* The longest list without --all. */
#define SHOWN 50

static void
print_rest(FILE *out, size_t count, size_t most)
{
	if (count > most)
		fprintf(out, "  … and %zu more (--all)\n", count - most);
}

static void
print_list(FILE *out, const struct state *state, enum sl_store_state wanted, const char *title, size_t most)
{
	size_t count = 0;

	for (size_t i = 0; i < state->count; i++) {
		const struct kept *item = &state->items[i];

		if (item->state != wanted || ++count > most)
			continue;
		if (count == 1)
			fprintf(out, "\n%s:\n", title);
		print_pair(out, "  ", item);
		if (wanted == SL_STORE_COVERED)
			fprintf(out, " (run %" PRId64 ", execution %" PRIu64 ")", item->run, item->execution);
		fputc('\n', out);
		if (*item->reason) {
			fputs("      ", out);
			sl_text_put(out, item->reason, strlen(item->reason));
			fputc('\n', out);
		}
	}
	print_rest(out, count, most);
}

struct listing {
	FILE *out;
	bool json;
	uint64_t count;
};

static void
print_run(void *context, const struct sl_store_run *run, uint64_t covered, uint64_t estimated, uint64_t infeasible)
{
	struct listing *listing = context;
	FILE *out = listing->out;
	char when[32];

	(void)infeasible;
	if (!out) {
		listing->count++;
		return;
	}
	if (!listing->json) {
		if (!listing->count++)
			fprintf(out, "\n%5s  %-16s  %7s  %9s  %10s  %-8s  %s\n", "run", "begun", "covered",
				"estimated", "executions", "strategy", "test");
		fprintf(out, "%5" PRId64 "  %-16s  %7" PRIu64 "  %9" PRIu64 "  %10" PRIu64 "  ", run->id,
			date(run->started, when, sizeof(when)), covered, estimated, run->executions);
		sl_line_put(out, run->strategy, 8);
		fputs("  ", out);
		sl_word_put(out, run->program);
		fputs(*run->arguments ? " " : "", out);
		sl_text_put(out, run->arguments, strlen(run->arguments));
		fputs(run->ended ? "\n" : "  (did not end)\n", out);
		return;
	}
	fprintf(out, "%s{\"id\": %" PRId64 ", \"program\": ", listing->count++ ? ", " : "", run->id);
	sl_json_put_string(out, run->program, strlen(run->program));
	fputs(", \"arguments\": ", out);
	sl_json_put_string(out, run->arguments, strlen(run->arguments));
	fputs(", \"strategy\": ", out);
	sl_json_put_string(out, run->strategy, strlen(run->strategy));
	fprintf(out,
		", \"started\": %" PRId64 ", \"seconds\": %.3f, \"executions\": %" PRIu64
		", \"ended\": %s, \"covered\": %" PRIu64 ", \"estimated\": %" PRIu64 ", \"infeasible\": %" PRIu64
		"}",
		run->started, run->seconds, run->executions, run->ended ? "true" : "false", covered, estimated,
		infeasible);
}

static void
json_pair(FILE *out, const struct kept *item, const char *change)
{
	static const char *const states[] = {"", "infeasible", "estimated", "covered"};

	fputs("{\"first\": ", out);
	sl_json_put_string(out, item->first, strlen(item->first));
	fputs(", \"second\": ", out);
	sl_json_put_string(out, item->second, strlen(item->second));
	if (*item->object) {
		fputs(", \"object\": ", out);
		sl_json_put_string(out, item->object, strlen(item->object));
	}
	fprintf(out, ", \"state\": \"%s\", \"run\": %" PRId64, states[item->state], item->run);
	if (item->state == SL_STORE_COVERED)
		fprintf(out, ", \"execution\": %" PRIu64, item->execution);
	if (*item->reason) {
		fputs(", \"reason\": ", out);
		sl_json_put_string(out, item->reason, strlen(item->reason));
	}
	if (change)
		fprintf(out, ", \"change\": \"%s\"", change);
	fputc('}', out);
}

static void
json_total(FILE *out, const struct sl_cover_total *total)
{
	fprintf(out,
		"\"covered\": %" PRIu64 ", \"estimated\": %" PRIu64 ", \"infeasible\": %" PRIu64
		", \"earlier\": %" PRIu64 ", \"runs\": %" PRIu64 ", \"lost\": %" PRIu64,
		total->covered, total->estimated, total->infeasible, total->earlier, total->runs, total->lost);
}

static int
show_state(FILE *out, struct sl_store *store, const struct sl_cover_query *query, const struct state *now,
	   const struct sl_cover_total *total, struct sl_err *err)
{
	struct listing listing = {.out = out, .json = query->json};
	struct sl_store_scope runs = scope(query, SL_STORE_NOW);
	int result;

	if (!query->json) {
		print_total(out, query, total);
		result = sl_store_runs(store, &runs, print_run, &listing, err);
		print_list(out, now, SL_STORE_ESTIMATED, "not covered yet", query->all ? SIZE_MAX : SHOWN);
		print_list(out, now, SL_STORE_INFEASIBLE, "infeasible", query->all ? SIZE_MAX : SHOWN);
		if (query->all)
			print_list(out, now, SL_STORE_COVERED, "covered", SIZE_MAX);
		return result;
	}
	fputs("{\"criterion\": ", out);
	sl_json_put_string(out, query->criterion, strlen(query->criterion));
	fputs(", ", out);
	json_total(out, total);
	fputs(", \"history\": [", out);
	result = sl_store_runs(store, &runs, print_run, &listing, err);
	fputs("], \"requirements\": [", out);
	for (size_t i = 0; i < now->count; i++) {
		fputs(i ? ", " : "", out);
		json_pair(out, &now->items[i], NULL);
	}
	fputs("]}\n", out);
	return result;
}

/* ---- what has changed ---- */

enum change { SAME, NEWLY_COVERED, NEW, GONE, REVISED, CHANGES };

static const struct {
	const char *word, *title;
} changes[CHANGES] = {
	[NEWLY_COVERED] = {"covered", "covered since"},
	[NEW] = {"new", "new, and not covered yet"},
	[GONE] = {"gone", "gone: the program's last build does not have them"},
	[REVISED] = {"revised", "judged differently since"},
};

static int
compare(const struct kept *a, const struct kept *b)
{
	int order = strcmp(a->first, b->first);

	if (!order)
		order = strcmp(a->second, b->second);
	return order ? order : strcmp(a->object, b->object);
}

/* Merges both lists, which are sorted in the same way; *item is the newer one of a pair. */
static enum change
next_change(const struct state *before, const struct state *now, size_t *b, size_t *n, const struct kept **item)
{
	const struct kept *old = *b < before->count ? &before->items[*b] : NULL;
	const struct kept *new = *n < now->count ? &now->items[*n] : NULL;
	int order = !old ? 1 : !new ? -1 : compare(old, new);

	*b += order <= 0;
	*n += order >= 0;
	*item = order < 0 ? old : new;
	if (order < 0)
		return GONE;
	if (order > 0)
		return new->state == SL_STORE_COVERED ? NEWLY_COVERED : NEW;
	if (old->state == new->state)
		return SAME;
	return new->state == SL_STORE_COVERED ? NEWLY_COVERED : REVISED;
}

static void
print_changes(FILE *out, const struct state *before, const struct state *now, enum change wanted, size_t most)
{
	const struct kept *item;
	size_t count = 0;

	for (size_t b = 0, n = 0; b < before->count || n < now->count;) {
		if (next_change(before, now, &b, &n, &item) != wanted || ++count > most)
			continue;
		if (count == 1)
			fprintf(out, "\n%s:\n", changes[wanted].title);
		print_pair(out, "  ", item);
		if (wanted == NEWLY_COVERED)
			fprintf(out, " (run %" PRId64 ", execution %" PRIu64 ")", item->run, item->execution);
		else if (item->state == SL_STORE_INFEASIBLE)
			fputs(" (infeasible)", out);
		fputc('\n', out);
	}
	print_rest(out, count, most);
}

static void
show_changes(FILE *out, const struct sl_cover_query *query, int64_t since, const struct state *before,
	     const struct sl_cover_total *old, const struct state *now, const struct sl_cover_total *total)
{
	const struct kept *item;
	bool any = false;

	if (!query->json) {
		print_total(out, query, total);
		fprintf(out, "after run %" PRId64 ": ", since);
		print_share(out, old, "");
		fprintf(out, ", %" PRIu64 " infeasible\n", old->infeasible);
		for (enum change c = NEWLY_COVERED; c < CHANGES; c++)
			print_changes(out, before, now, c, query->all ? SIZE_MAX : SHOWN);
		return;
	}
	fputs("{\"criterion\": ", out);
	sl_json_put_string(out, query->criterion, strlen(query->criterion));
	fprintf(out, ", \"since\": %" PRId64 ", \"before\": {", since);
	json_total(out, old);
	fputs("}, \"now\": {", out);
	json_total(out, total);
	fputs("}, \"changes\": [", out);
	for (size_t b = 0, n = 0; b < before->count || n < now->count;) {
		enum change c = next_change(before, now, &b, &n, &item);

		if (c == SAME)
			continue;
		fputs(any ? ", " : "", out);
		any = true;
		json_pair(out, item, changes[c].word);
	}
	fputs("]}\n", out);
}

static int
count_runs(struct sl_store *store, int64_t last, const struct sl_cover_query *query, struct sl_cover_total *total,
	   struct sl_err *err)
{
	struct sl_store_scope runs = scope(query, last);
	struct listing listing = {0};

	if (sl_store_runs(store, &runs, print_run, &listing, err) < 0)
		return -1;
	total->runs = listing.count;
	if (sl_store_earlier(store, &runs, &total->earlier, err) < 0)
		return -1;
	return sl_store_lost(store, &runs, &total->lost, err);
}

static int
show(FILE *out, struct sl_store *store, const struct sl_cover_query *query, struct sl_cover_total *total,
     struct state *now, struct state *before, struct sl_err *err)
{
	struct sl_cover_total old = {0};
	int64_t since = 0;

	if (state_read(now, store, SL_STORE_NOW, query, err) < 0 ||
	    count_runs(store, SL_STORE_NOW, query, total, err) < 0)
		return -1;
	add_up(now, total);
	if (!total->runs && query->program)
		return sl_err_set(err, "no run of %s%s%s has been stored in %s (criterion %s)", query->program,
				  query->arguments ? " " : "", query->arguments ? query->arguments : "",
				  query->folder, query->criterion);
	if (!query->since)
		return show_state(out, store, query, now, total, err);
	if (sl_store_find_run(store, query->since, &since, err) < 0 ||
	    state_read(before, store, since, query, err) < 0 || count_runs(store, since, query, &old, err) < 0)
		return -1;
	add_up(before, &old);
	show_changes(out, query, since, before, &old, now, total);
	return 0;
}

int
sl_cover_show(FILE *out, const struct sl_cover_query *query, struct sl_cover_total *total, struct sl_err *err)
{
	struct state now = {0}, before = {0};
	struct sl_store *store;
	int result;

	*total = (struct sl_cover_total){0};
	if (sl_store_open(&store, query->folder, true, err) < 0)
		return -1;
	result = show(out, store, query, total, &now, &before, err);
	state_release(&now);
	state_release(&before);
	sl_store_close(store);
	return result;
}
