/*
 * `sleave impact`: what a change of a program impacts, and why.
 */
#include "base/room.h"
#include "cli/change/change.h"
#include "cli/command/commands.h"
#include "cli/predict/forecast.h"
#include "cli/predict/impact_told.h"
#include "cli/result/results.h"
#include "report/quote.h"
#include "report/words.h"

#include <inttypes.h>
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
	     "    sleave impact --dynamic -- ./test ARGUMENT…       runs both versions: what they do otherwise than before\n"
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
print_lines(FILE *out, const struct sl_style *style, const struct sl_points *points, const char *folder)
{
	for (size_t i = 0, end; i < points->line_count; i = end) {
		const struct sl_point *p = &points->items[i];
		char where[512], reason[1024];
		int used;

		for (end = i + 1; end < points->line_count && same_reason(p, &points->items[end]) &&
				  points->items[end].line == points->items[end - 1].line + 1;
		     end++)
			;
		used = snprintf(where, sizeof(where), "%s:%u", sl_point_path(p->file, folder), p->line);
		if (end > i + 1 && used > 0 && (size_t)used < sizeof(where))
			snprintf(where + used, sizeof(where) - (size_t)used, "-%u", points->items[end - 1].line);
		sl_point_format(p, folder, reason, sizeof(reason));
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
print_fields(FILE *out, const struct sl_points *points, const char *folder)
{
	for (size_t i = points->line_count; i < points->count; i++) {
		const struct sl_point *p = &points->items[i];
		char reason[1024];

		sl_point_format(p, folder, reason, sizeof(reason));
		fputs("  ", out);
		sl_text_put(out, p->name, strlen(p->name));
		fputs(": ", out);
		sl_text_put(out, reason, strlen(reason));
		fputc('\n', out);
	}
}

static void
print_table(FILE *out, const struct sl_style *style, const struct sl_program_change *p,
	    const struct sl_change *change)
{
	const struct sl_points *points = &p->points;
	char lacks[512];

	if (p->strange)
		sl_say(out,
		       "note: %s and %s have no file and no function but main() in common: are they versions of one program?\n",
		       sl_point_path(p->old, p->cwd), p->name);
	if (!p->old) {
		fputs("the old version has no ", out);
		sl_text_put(out, p->name, strlen(p->name));
		fputs(": all of it counts as new\n", out);
	}
	if (!points->count) {
		sl_text_put(out, p->name, strlen(p->name));
		fputs(change->versions->identical && change->versions->old.kind != SL_VERSION_PROGRAM
			      ? ": nothing is impacted, nothing differs"
			      : ": nothing is impacted",
		      out);
		if (points->same_code)
			fprintf(out, " (%zu line%s differ%s, in functions with the same code)", points->same_code,
				points->same_code == 1 ? "" : "s", points->same_code == 1 ? "s" : "");
		fputc('\n', out);
		if (sl_change_others(change, lacks, sizeof(lacks)))
			sl_say(out, "note: %s\n", lacks);
	} else {
		sl_text_put(out, p->name, strlen(p->name));
		fprintf(out, ": %zu line%s and %zu field%s are impacted\n", points->line_count,
			points->line_count == 1 ? "" : "s", points->field_count,
			points->field_count == 1 ? "" : "s");
		print_lines(out, style, points, p->cwd);
		print_fields(out, points, p->cwd);
	}
	if (sl_program_change_lacks(p, lacks, sizeof(lacks)))
		sl_say(out, "note: %s\n", lacks);
}

/* ---- as sources with notes ---- */

#define AROUND 2 /* lines that are shown around */

/* A line of a source: tabs are blanks, since a column stands in front of it. */
static void
put_source(FILE *out, const char *text, size_t size)
{
	int column = 0;

	while (size) {
		const char *tab = memchr(text, '\t', size);
		size_t run = tab ? (size_t)(tab - text) : size;

		sl_text_put(out, text, run);
		for (size_t i = 0; i < run; i++)
			column += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (tab) {
			fprintf(out, "%*s", 8 - column % 8, "");
			column += 8 - column % 8;
			run++;
		}
		text += run;
		size -= run;
	}
}

/* The sources of one program while they are printed. */
struct annotated {
	FILE *out;
	const struct sl_style *style;
	const struct sl_program_change *change;
	const struct sl_text *old_texts;
	bool **gone; /* by old file and line: it has been printed, or the new version has it; NULL: of no line */
	char reason[1024]; /* of the line before */
};

/*
 * Returns whether a line of the old version is not in the new one, as that is printed. The two directions of an alignment need not agree: of
 * neighbouring statements that have changed places, each may take others for those that have moved.
 */
static bool
is_gone(const struct annotated *a, uint32_t file, uint32_t line)
{
	const struct sl_aligned_file *old = &a->change->back->files[file], *new;
	const struct sl_aligned_line *at;

	if (!line || line >= old->line_count || (a->gone[file] && a->gone[file][line]))
		return false;
	at = &old->lines[line];
	if (at->change == SL_LINE_CHANGED)
		return true;
	new = at->file == SL_NO_FILE || at->empty ? NULL : &a->change->forth->files[at->file];
	return new && at->line < new->line_count &&new->lines[at->line].change == SL_LINE_CHANGED;
}

/* The lines that are gone, up to the one before `end`. */
static uint32_t
first_gone(const struct annotated *a, uint32_t file, uint32_t end)
{
	const struct sl_aligned_file *old = &a->change->back->files[file];
	uint32_t first = end, at = end;

	while (at > 1 && (is_gone(a, file, at - 1) || old->lines[at - 1].empty))
		if (is_gone(a, file, --at))
			first = at;
	return first;
}

/*
 * What the old version had in front of a line and has no counterpart: the range of old lines. A changed line comes behind all that is gone up
 * to the next line that is the same.
 */
static bool
find_gone(const struct annotated *a, const struct sl_aligned_file *aligned, uint32_t number, uint32_t *file,
	  uint32_t *first, uint32_t *end)
{
	const struct sl_aligned_line *line = &aligned->lines[number];

	while (number + 1 < aligned->line_count && line->change == SL_LINE_CHANGED && line->file == SL_NO_FILE)
		line = &aligned->lines[++number];
	if (line->file == SL_NO_FILE)
		return false;
	*file = line->file;
	*end = line->line + (line->change == SL_LINE_CHANGED && is_gone(a, line->file, line->line));
	*first = first_gone(a, *file, *end);
	return *first < *end;
}

static void
mark(struct annotated *a, uint32_t file, uint32_t line)
{
	if (!a->gone[file])
		a->gone[file] = sl_room_zeroed(a->change->back->files[file].line_count, sizeof(bool));
	a->gone[file][line] = true;
}

/* The line without what it begins and ends with: white space. */
static const char *
line_of(const struct sl_text *text, uint32_t number, size_t *size)
{
	const char *at = text->bytes, *end = text->bytes + text->size, *next;

	while (--number && at < end)
		at = (next = memchr(at, '\n', (size_t)(end - at))) ? next + 1 : end;
	if ((next = memchr(at, '\n', (size_t)(end - at))))
		end = next;
	while (at < end && strchr(" \t\r", *at))
		at++;
	while (at < end && strchr(" \t\r", end[-1]))
		end--;
	*size = (size_t)(end - at);
	return at;
}

/* Lines that the new version has. */
static void
mark_kept(struct annotated *a, const struct sl_text *text, const struct sl_aligned_file *aligned)
{
	for (uint32_t number = 1; number < aligned->line_count; number++) {
		const struct sl_aligned_line *line = &aligned->lines[number];
		const char *old, *new;
		size_t old_size, new_size;

		if (line->file == SL_NO_FILE || line->change == SL_LINE_CHANGED)
			continue;
		if (line->change == SL_LINE_BESIDE) {
			old = line_of(&a->old_texts[line->file], line->line, &old_size);
			new = line_of(text, number, &new_size);
			if (old_size != new_size || memcmp(old, new, new_size) != 0)
				continue;
		}
		if (line->line < a->change->back->files[line->file].line_count)
			mark(a, line->file, line->line);
	}
}

static void
print_gone(struct annotated *a, uint32_t file, uint32_t first, uint32_t end)
{
	const struct sl_text *text = &a->old_texts[file];
	const char *at = text->bytes, *stop = text->bytes + text->size;

	for (uint32_t number = 1; number < end && at < stop; number++) {
		const char *next = memchr(at, '\n', (size_t)(stop - at));

		if (number >= first) {
			fprintf(a->out, "%s- %5u  ", sl_ink(a->style, SL_INK_DIM), number);
			put_source(a->out, at, (size_t)((next ? next : stop) - at));
			fprintf(a->out, "%s\n", sl_ink(a->style, SL_INK_NONE));
			mark(a, file, number);
		}
		at = next ? next + 1 : stop;
	}
}

static void
print_line(struct annotated *a, const struct sl_aligned_file *aligned, uint32_t number, const char *text,
	   size_t size)
{
	const struct sl_point *point = sl_points_line(&a->change->points, aligned->path, number);
	bool changed = number < aligned->line_count && aligned->lines[number].change == SL_LINE_CHANGED;
	char reason[sizeof(a->reason)];

	fprintf(a->out, "%s%c%c%5u%s  ", sl_ink(a->style, point ? SL_INK_YELLOW : SL_INK_DIM), changed ? '+' : ' ',
		point ? '*' : ' ', number, sl_ink(a->style, SL_INK_NONE));
	put_source(a->out, text, size);
	*reason = '\0';
	if (point && point->reason != SL_POINT_CHANGED)
		sl_point_format(point, a->change->cwd, reason, sizeof(reason));
	if (*reason && strcmp(reason, a->reason) != 0) {
		fprintf(a->out, "  %s<- ", sl_ink(a->style, SL_INK_DIM));
		sl_text_put(a->out, reason, strlen(reason));
		fprintf(a->out, "%s", sl_ink(a->style, SL_INK_NONE));
	}
	memcpy(a->reason, reason, sizeof(reason));
	fputc('\n', a->out);
}

static void
print_source(struct annotated *a, const struct sl_text *text, const struct sl_aligned_file *aligned)
{
	const char *line = text->bytes, *end = text->bytes + text->size,
		   *path = sl_point_path(aligned->path, a->change->cwd);
	uint32_t shown_to = 0, number = 0, until = 0, file, first, stop;
	bool named = false;

	/* the lines ahead decide whether a line is shown: each point shows those around it */
	for (const char *at = line; at < end; at = line) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		bool gone;

		line = newline ? newline + 1 : end;
		number++;
		for (uint32_t ahead = number; ahead <= number + AROUND; ahead++)
			if (sl_points_line(&a->change->points, aligned->path, ahead) ||
			    (ahead < aligned->line_count && (aligned->lines[ahead].change != SL_LINE_SAME ||
							     find_gone(a, aligned, ahead, &file, &first, &stop))))
				until = ahead + AROUND;
		if (number > until)
			continue;
		if (number > shown_to + 1)
			*a->reason = '\0';
		if (!named) {
			fprintf(a->out, "%s", sl_ink(a->style, SL_INK_BOLD));
			sl_text_put(a->out, path, strlen(path));
			fprintf(a->out, "%s\n", sl_ink(a->style, SL_INK_NONE));
			named = true;
		} else if (number > shown_to + 1) {
			fputs("       …\n", a->out);
		}
		shown_to = number;
		gone = number < aligned->line_count && find_gone(a, aligned, number, &file, &first, &stop);
		if (gone)
			print_gone(a, file, first, stop);
		print_line(a, aligned, number, at, (size_t)((newline ? newline : end) - at));
	}
}

static void
print_annotated(FILE *out, const struct sl_style *style, const struct sl_program_change *p,
		const struct sl_change *change)
{
	const struct sl_versions *versions = change->versions;
	struct annotated a = {.out = out, .style = style, .change = p, .old_texts = versions->old.texts};

	if (!p->points.count) {
		print_table(out, style, p, change);
		return;
	}
	a.gone = sl_room_zeroed(p->back->file_count, sizeof(*a.gone));
	for (uint32_t i = 0; i < p->forth->file_count; i++)
		mark_kept(&a, &versions->new.texts[i], &p->forth->files[i]);
	for (uint32_t i = 0; i < p->forth->file_count; i++)
		print_source(&a, &versions->new.texts[i], &p->forth->files[i]);
	for (uint32_t i = 0; i < p->back->file_count; i++)
		free(a.gone[i]);
	free(a.gone);
	if (p->points.field_count)
		fputs("fields\n", out);
	print_fields(out, &p->points, p->cwd);
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
	fprintf(out, ", \"in_old\": %s, \"complete\": %s, \"same_code\": %zu, \"others\": %zu, \"points\": [",
		p->old ? "true" : "false", *p->points.without_sites ? "false" : "true", p->points.same_code,
		change->versions->others.count);
	for (size_t i = 0; i < p->points.count; i++) {
		static const char *const reasons[SL_POINT_COUNT] = {
			[SL_POINT_CHANGED] = "changed",
			[SL_POINT_GONE] = "gone",
			[SL_POINT_CODE] = "code",
			[SL_POINT_NEW] = "new",
			[SL_POINT_USES] = "uses",
			[SL_POINT_OLD_USES] = "old_uses",
			[SL_POINT_REGION] = "region",
			[SL_POINT_OLD_REGION] = "old_region",
			[SL_POINT_ACCESS] = "access",
			[SL_POINT_OLD_ACCESS] = "old_access",
			[SL_POINT_CALLED] = "called",
			[SL_POINT_OLD_CALLED] = "old_called",
			[SL_POINT_DECLARED] = "declared",
			[SL_POINT_CALLER] = "caller",
			[SL_POINT_OLD_CALLER] = "old_caller",
		};
		const struct sl_point *q = &p->points.items[i];
		char reason[1024];

		sl_point_format(q, p->cwd, reason, sizeof(reason));
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

/* ---- what both versions do ---- */

static int
tell_dynamic(const struct sl_change *change, const struct sl_settings *settings, char **words, size_t number,
	     const struct sl_program_change *p, struct sl_err *err)
{
	const struct sl_forecast_wish wish = {.only_impact = true};
	char *alone[] = {change->built->new.names[number], NULL};
	struct sl_tried_program program = {.settings = settings,
					   .self = "impact",
					   .argv = change->arguments ? words : alone,
					   .path = p->new,
					   .directory = p->cwd};
	const char *noted[3][2] = {{"", ""}, {"the old version failed: ", ""}, {"the program failed: ", ""}};
	struct sl_forecast f;
	int status = sl_forecast_find(&f, &program, p, &wish, err) < 0 ? -1 : SL_EXIT_CLEAN;

	noted[0][1] = f.old_note;
	noted[1][1] = f.old_failed;
	noted[2][1] = f.failed;
	if (status == SL_EXIT_CLEAN && settings->json) {
		fputc('{', stdout);
		put_string(stdout, "program", p->name);
		fputs(", ", stdout);
		put_string(stdout, "old", change->versions->old.label);
		fputs(", ", stdout);
		put_string(stdout, "new", change->versions->new.label);
		printf(", \"in_old\": %s, ", p->old ? "true" : "false");
		put_string(stdout, "old_failed", f.old_failed);
		fputs(", ", stdout);
		put_string(stdout, "failed", f.failed);
		fputs(", ", stdout);
		put_string(stdout, "lacking", f.lacking);
		printf(", \"executions\": %" PRIu64 ", ", program.executions);
		sl_impact_told_json(stdout, &f.impact);
		fputs("}\n", stdout);
	} else if (status == SL_EXIT_CLEAN) {
		if (!p->old)
			sl_say(stdout, "the old version has no %s: all of it counts as new\n", p->name);
		sl_say(stdout, "%s: %" PRIu64 " of %" PRIu64 " accesses to shared memory %s impacted\n", p->name,
		       f.impact.impacted, f.impact.accesses, f.impact.impacted == 1 ? "is" : "are");
		sl_impact_told_lines(stdout, &f.impact);
		fflush(stdout);
	}
	for (size_t i = 0; i < 3; i++)
		if (*noted[i][1] && !settings->quiet)
			sl_say(stderr, "note: %s%s\n", noted[i][0], noted[i][1]);
	if (status == SL_EXIT_CLEAN && *f.lacking) {
		sl_say(stderr, "sleave impact: not all of the recorded execution is known: %s\n", f.lacking);
		status = SL_EXIT_UNDECIDED;
	}
	free(program.marks);
	sl_forecast_release(&f);
	return status;
}

/* Options about executions need executions. */
static int
check_dynamic(const struct sl_settings *settings, struct sl_err *err)
{
	static const char *const of_runs[] = {"executions", "k",     "seed",    "volatile", "spurious",
					      "operations", "world", "carrier", "watchdog", "show-output"};

	if (settings->predict.dynamic && settings->change.diff)
		return sl_err_set(err, "--dynamic prints no sources: leave --diff out");
	for (size_t i = 0; !settings->predict.dynamic && i < sizeof(of_runs) / sizeof(*of_runs); i++)
		if (sl_options_given(settings, SL_FOR_IMPACT, of_runs[i]))
			return sl_err_set(err, "--%s is for --dynamic: otherwise nothing is run", of_runs[i]);
	return 0;
}

/* ---- the command ---- */

static int
tell(const struct sl_change *change, const struct sl_settings *settings, char **words, struct sl_err *err)
{
	int status = SL_EXIT_CLEAN, told;
	struct sl_style style = sl_style_for(stdout, settings->colour);

	if (!settings->json && !settings->quiet) {
		char text[512];

		sl_change_format(change, text, sizeof(text));
		sl_say(stdout, "change: %s\n", text);
		fflush(stdout);
	}
	for (size_t i = 0; i < change->built->new.program_count; i++) {
		struct sl_program_change p;

		if (sl_program_change_find(&p, change, i, err) < 0)
			return -1;
		if (settings->predict.dynamic) {
			told = tell_dynamic(change, settings, words, i, &p, err);
			status = told ? told : status;
		} else if (settings->json)
			print_json(stdout, change, &p);
		else if (settings->change.diff)
			print_annotated(stdout, &style, &p, change);
		else
			print_table(stdout, &style, &p, change);
		sl_program_change_release(&p);
		if (status < 0)
			break;
	}
	return status;
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
		first = sl_change_check(&settings, &err) < 0 || check_dynamic(&settings, &err) < 0 ? -1 : first;
	if (first < 0) {
		fprintf(stderr, "sleave impact: %s (sleave impact --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	status = sl_change_open(&change, "impact", &settings, argv + first, &err);
	if (status)
		return status;
	status = tell(&change, &settings, argv + first, &err);
	if (status < 0) {
		sl_say(stderr, "sleave impact: %s\n", err.text);
		status = SL_EXIT_UNDECIDED;
	}
	sl_change_release(&change);
	return status;
}
