#include "cli/result/as_schedule_print.h"
#include "report/quote.h"
#include "report/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool
sl_replay_chooses(const struct sl_replay *replay, enum sl_pick_kind kind)
{
	for (uint64_t i = 0; i < replay->schedule.count; i++)
		if (replay->schedule.items[i].kind == kind)
			return true;
	return false;
}

static void
print_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void
print_setting(FILE *out, const struct sl_setting *setting)
{
	sl_say(out, "# in the section at %s:%u (%s)", base_name(setting->file), setting->line, setting->function);
	if (setting->name[0])
		sl_say(out, ", in addition to its schedule \"%s\"", setting->name);
	fputc('\n', out);
}

static void
print_needless(FILE *out, const struct sl_setting *setting)
{
	fprintf(out, "# no schedule is needed: %u of %u executions ", SL_AS_SCHEDULE_RUNS, SL_AS_SCHEDULE_RUNS);
	if (setting)
		sl_say(out, "that follow the section's%s%s%s ", setting->name[0] ? " \"" : "", setting->name,
		       setting->name[0] ? "\"" : "");
	fputs("show this, in whatever order\n", out);
}

static void
print_both(FILE *out, const char *first, const char *second)
{
	char *both;

	if (asprintf(&both, "%s, %s", first, second) < 0)
		both = sl_must(NULL);
	print_quoted(out, both);
	free(both);
}

/* Prints how real threads behave with the schedule. */
static void
print_real(FILE *out, const struct sl_real_runs *real)
{
	fputs("# on real threads ", out);
	if (!real->runs)
		sl_say(out, "it was not tried: %s\n", real->otherwise);
	else if (real->shown == real->runs)
		fprintf(out, "it fails, too: %u of %u run%s\n", real->shown, real->runs,
			real->runs == 1 ? "" : "s");
	else if (real->shown)
		sl_say(out, "it fails in %u of %u runs only: %s\n", real->shown, real->runs, real->otherwise);
	else
		sl_say(out, "it does not fail like this: %s\n", real->otherwise);
	for (const char *line = real->said; *line;) {
		size_t length = strcspn(line, "\n");

		fprintf(out, "# %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
}

/* Returns whether the text names a line. */
static bool
has_line(const char *text)
{
	for (; *text; text++)
		if (text[0] == ':' && isdigit((unsigned char)text[1]))
			return true;
	return false;
}

static void
print_code(FILE *out, const struct sl_found *f)
{
	const char *lines = has_line(f->text) ? "; lines as they are now" : "";
	bool always = f->real->runs && f->real->shown == f->real->runs;

	if (f->setting)
		fprintf(out,
			"/* one more schedule of the section at %s:%u, in a program that is built with `sleave cc`%s: */\n",
			base_name(f->setting->file), f->setting->line, lines);
	else
		fprintf(out,
			"/* in a test that is built with `sleave cc`, around the code that starts the threads%s: */\n",
			lines);
	fputs(f->setting && !f->setting->infeasible ? "SLEAVE_SCHEDULES(…, " : "SLEAVE_SCHEDULES(", out);
	print_quoted(out, sl_finding_kind_name(f->replay->kind));
	fputs(", ", out);
	if (f->setting)
		print_both(out, f->setting->text, f->text);
	else
		print_quoted(out, f->text);
	fputs(") {\n\t…\n}\n", out);
	if (!always)
		fputs("/* on real threads this does not fail every time (see above); `sleave test` explores the section, and fails "
		      "every time */\n",
		      out);
	if (!f->setting)
		fprintf(out,
			"/* when this order has become impossible, use SLEAVE_INFEASIBLE instead, to keep it so%s */\n",
			always ? "" : ", explored");
}

void
sl_as_schedule_print(FILE *out, const struct sl_found *f)
{
	size_t count = 0, done = 0;

	for (size_t i = 0; i < f->count; i++)
		count += f->used[i];
	if (!count) {
		print_needless(out, f->setting);
		return;
	}
	sl_say(out, "# %s\n", f->replay->message);
	if (f->setting)
		print_setting(out, f->setting);
	fprintf(out, "# %u of %u executions that follow it show this\n", SL_AS_SCHEDULE_RUNS, SL_AS_SCHEDULE_RUNS);
	if (f->loose)
		fprintf(out, "# %u of %u do not follow it, and do not count%s\n", f->left, f->left + f->followed,
			sl_replay_chooses(f->replay, SL_PICK_WAITER)  ? ": they wake another waiter, for one"
			: sl_replay_chooses(f->replay, SL_PICK_VALUE) ? ": they choose another value, for one"
								      : "");
	print_real(out, f->real);
	fputs("schedule ", out);
	print_quoted(out, sl_finding_kind_name(f->replay->kind));
	fputs(" {\n", out);
	if (f->setting)
		sl_say(out, "    %s,\n", f->setting->text);
	for (size_t i = 0; i < f->count; i++)
		if (f->used[i])
			sl_say(out, "    %s -> %s%s\n", f->orderings[i].before, f->orderings[i].after,
			       ++done < count ? "," : "");
	fputs("}\n\n", out);
	print_code(out, f);
}
