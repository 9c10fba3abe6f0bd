/*
 * `sleave impact`: what a change of a program impacts, and why.
 */
#include "cli/change/change.h"
#include "cli/command/commands.h"
#include "cli/result/results.h"
#include "report/quote.h"
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

static void
help(void)
{
	puts("usage: sleave impact [OPTION…] -- PROGRAM…\n"
	     "\n"
	     "Compares two versions of a program and prints the points of the new one that the change impacts, each with the\n"
	     "reason: changed lines, locked regions with such a line, members and variables that are accessed there, or in the\n"
	     "functions that are called from there. `sleave regress` explores these points first.\n"
	     "\n"
	     "    sleave impact -- ./test                          in a git checkout: HEAD against the working tree\n"
	     "    sleave impact --old v1.4 --new HEAD -- ./test\n"
	     "    sleave impact --old-program ./test.old -- ./test\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_IMPACT);
	puts("\nVersions are built in .sleave/versions of the checkout; nothing else in it is touched.\n"
	     "Exit status: 0 done, 2 wrong usage, 3 Sleave could not do its job.");
}

/* ---- as a table ---- */

static bool
same_reason(const struct sl_point *a, const struct sl_point *b)
{
	if (a->reason != b->reason || strcmp(a->file, b->file) != 0 || strcmp(a->function, b->function) != 0 ||
	    strcmp(a->by, b->by) != 0)
		return false;
	return a->reason == SL_POINT_CHANGED || a->reason == SL_POINT_GONE || a->from_line == b->from_line;
}

static void
print_lines(FILE *out, const struct sl_style *style, const struct sl_points *points)
{
	for (size_t i = 0, end; i < points->line_count; i = end) {
		const struct sl_point *p = &points->items[i];
		char where[512], reason[1024];
		int used;

		for (end = i + 1; end < points->line_count && same_reason(p, &points->items[end]) &&
				  points->items[end].line == points->items[end - 1].line + 1;
		     end++)
			;
		used = snprintf(where, sizeof(where), "%s:%u", p->file, p->line);
		if (end > i + 1 && used > 0 && (size_t)used < sizeof(where))
			snprintf(where + used, sizeof(where) - (size_t)used, "-%u", points->items[end - 1].line);
		sl_point_format(p, reason, sizeof(reason));
		fputs("  ", out);
		sl_text_put(out, where, strlen(where));
		fprintf(out, "%s", sl_ink(style, SL_INK_DIM));
		if (*p->function) {
			fputs(" (", out);
			sl_text_put(out, p->function, strlen(p->function));
			fputc(')', out);
		}
		fprintf(out, "%s: ", sl_ink(style, SL_INK_NONE));
		sl_text_put(out, reason, strlen(reason));
		fputc('\n', out);
	}
}

static void
print_fields(FILE *out, const struct sl_points *points)
{
	for (size_t i = points->line_count; i < points->count; i++) {
		const struct sl_point *p = &points->items[i];
		char reason[1024];

		sl_point_format(p, reason, sizeof(reason));
		fputs("  ", out);
		sl_text_put(out, p->name, strlen(p->name));
		fputs(": ", out);
		sl_text_put(out, reason, strlen(reason));
		fputc('\n', out);
	}
}

static void
print_table(FILE *out, const struct sl_style *style, const struct sl_program_change *p)
{
	const struct sl_points *points = &p->points;
	char lacks[512];

	if (!p->old) {
		fputs("the old version has no ", out);
		sl_text_put(out, p->name, strlen(p->name));
		fputs(": all of it counts as new\n", out);
	}
	if (!points->count) {
		sl_text_put(out, p->name, strlen(p->name));
		fputs(": nothing is impacted", out);
		if (points->same_code)
			fprintf(out, " (%zu line%s differ%s, in functions with the same code)", points->same_code,
				points->same_code == 1 ? "" : "s", points->same_code == 1 ? "s" : "");
		fputc('\n', out);
	} else {
		sl_text_put(out, p->name, strlen(p->name));
		fprintf(out, ": %zu line%s and %zu field%s are impacted\n", points->line_count,
			points->line_count == 1 ? "" : "s", points->field_count,
			points->field_count == 1 ? "" : "s");
		print_lines(out, style, points);
		print_fields(out, points);
	}
	if (sl_program_change_lacks(p, lacks, sizeof(lacks)))
		sl_say(out, "note: %s\n", lacks);
}

/* ---- as sources with notes ---- */

#define AROUND 2 /* lines that are shown around */

static void
print_source(FILE *out, const struct sl_style *style, const struct sl_program_change *p,
	     const struct sl_text *text, const struct sl_aligned_file *aligned)
{
	const char *line = text->bytes, *end = text->bytes + text->size;
	uint32_t shown_to = 0, number = 0, until = 0;
	bool named = false;

	/* the lines ahead decide whether a line is shown: each point shows those around it */
	for (const char *at = line; at < end; at = line) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		const struct sl_point *point;
		bool changed;

		line = stop ? stop + 1 : end;
		number++;
		for (uint32_t ahead = number; ahead <= number + AROUND; ahead++)
			if (sl_points_line(&p->points, aligned->path, ahead) ||
			    (ahead < aligned->line_count && aligned->lines[ahead].change != SL_LINE_SAME))
				until = ahead + AROUND;
		if (number > until)
			continue;
		if (!named) {
			fprintf(out, "%s", sl_ink(style, SL_INK_BOLD));
			sl_text_put(out, aligned->path, strlen(aligned->path));
			fprintf(out, "%s\n", sl_ink(style, SL_INK_NONE));
			named = true;
		} else if (number > shown_to + 1) {
			fputs("       …\n", out);
		}
		shown_to = number;
		point = sl_points_line(&p->points, aligned->path, number);
		changed = number < aligned->line_count && aligned->lines[number].change == SL_LINE_CHANGED;
		fprintf(out, "%s%c%c%5u%s  ", sl_ink(style, point ? SL_INK_YELLOW : SL_INK_DIM),
			changed ? '+' : ' ', point ? '*' : ' ', number, sl_ink(style, SL_INK_NONE));
		sl_text_put(out, at, (size_t)((stop ? stop : end) - at));
		if (point && point->reason != SL_POINT_CHANGED) {
			char reason[1024];

			sl_point_format(point, reason, sizeof(reason));
			fprintf(out, "  %s<- ", sl_ink(style, SL_INK_DIM));
			sl_text_put(out, reason, strlen(reason));
			fprintf(out, "%s", sl_ink(style, SL_INK_NONE));
		}
		fputc('\n', out);
	}
}

static void
print_annotated(FILE *out, const struct sl_style *style, const struct sl_program_change *p,
		const struct sl_versions *versions)
{
	if (!p->points.count) {
		print_table(out, style, p);
		return;
	}
	for (uint32_t i = 0; i < p->forth->file_count; i++)
		print_source(out, style, p, &versions->new.texts[i], &p->forth->files[i]);
	if (p->points.field_count)
		fputs("fields\n", out);
	print_fields(out, &p->points);
}

/* ---- as JSON ---- */

static void
put_string(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\"%s\": ", key);
	sl_json_put_string(out, text, strlen(text));
}

static void
print_json(FILE *out, const struct sl_change *change, const struct sl_program_change *p)
{
	fputc('{', out);
	put_string(out, "program", p->name);
	fputs(", ", out);
	put_string(out, "old", change->versions->old.label);
	fputs(", ", out);
	put_string(out, "new", change->versions->new.label);
	fprintf(out, ", \"in_old\": %s, \"complete\": %s, \"same_code\": %zu, \"points\": [",
		p->old ? "true" : "false", p->points.without_sites ? "false" : "true", p->points.same_code);
	for (size_t i = 0; i < p->points.count; i++) {
		static const char *const reasons[SL_POINT_COUNT] = {
			[SL_POINT_CHANGED] = "changed",   [SL_POINT_GONE] = "gone",
			[SL_POINT_CODE] = "code",         [SL_POINT_NEW] = "new",
			[SL_POINT_REGION] = "region",     [SL_POINT_OLD_REGION] = "old_region",
			[SL_POINT_ACCESS] = "access",     [SL_POINT_OLD_ACCESS] = "old_access",
			[SL_POINT_CALLED] = "called",     [SL_POINT_OLD_CALLED] = "old_called",
			[SL_POINT_DECLARED] = "declared",
		};
		const struct sl_point *q = &p->points.items[i];
		char reason[1024];

		sl_point_format(q, reason, sizeof(reason));
		fputs(i ? ", {" : "{", out);
		put_string(out, "class", q->class_name);
		if (q->field) {
			fputs(", ", out);
			put_string(out, "field", q->name);
		} else {
			fputs(", ", out);
			put_string(out, "function", q->function);
			fputs(", ", out);
			put_string(out, "file", q->file);
			fprintf(out, ", \"line\": %u", q->line);
		}
		fputs(", ", out);
		put_string(out, "reason", reasons[q->reason]);
		fputs(", ", out);
		put_string(out, "from_file", q->from_file);
		fprintf(out, ", \"from_line\": %u, ", q->from_line);
		put_string(out, "by", q->by);
		fputs(", ", out);
		put_string(out, "text", reason);
		fputc('}', out);
	}
	fputs("]}\n", out);
}

/* ---- the command ---- */

static int
tell(const struct sl_change *change, const struct sl_settings *settings, struct sl_err *err)
{
	struct sl_style style = sl_style_for(stdout, settings->colour);

	if (!settings->json && !settings->quiet) {
		char text[512];

		sl_change_format(change, text, sizeof(text));
		sl_say(stdout, "change: %s\n", text);
	}
	for (size_t i = 0; i < change->built->new.program_count; i++) {
		struct sl_program_change p;

		if (sl_program_change_find(&p, change, i, err) < 0)
			return -1;
		if (settings->json)
			print_json(stdout, change, &p);
		else if (settings->change.diff)
			print_annotated(stdout, &style, &p, change->versions);
		else
			print_table(stdout, &style, &p);
		sl_program_change_release(&p);
	}
	return 0;
}

int
sl_command_impact(int argc, char **argv)
{
	static struct sl_settings settings;
	struct sl_change change;
	struct sl_err err = {""};
	int first = sl_options_parse(&settings, SL_FOR_IMPACT, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	if (first > 0 && settings.change.clean)
		return sl_change_clean("impact", &settings);
	if (first > 0 && first == argc)
		first = sl_err_set(&err, "no program is given");
	if (first > 0)
		first = sl_change_check(&settings, &err) < 0 ? -1 : first;
	if (first < 0) {
		fprintf(stderr, "sleave impact: %s (sleave impact --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	status = sl_change_open(&change, "impact", &settings, argv + first);
	if (status)
		return status;
	if (tell(&change, &settings, &err) < 0) {
		sl_say(stderr, "sleave impact: %s\n", err.text);
		status = SL_EXIT_UNDECIDED;
	}
	sl_change_release(&change);
	return status;
}
