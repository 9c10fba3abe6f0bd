/*
 * `sleave trace`: shows a trace that `sleave record` has written.
 */
#include "cli/command/commands.h"
#include "cli/session/options.h"
#include "report/quote.h"
#include "report/report.h"
#include "report/trace/tape_report.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct trace {
	struct sl_settings settings;
	struct sl_tape_view view;
	const struct sl_tape_format *format;
	bool kinds[256];                /* the kinds to show */
	bool any, any_part, any_thread; /* some item was shown, was in the part, belonged to the thread */
};

static void
help(void)
{
	puts("usage: sleave trace [OPTION…] FILE\n"
	     "\n"
	     "Shows a trace that `sleave record` or `sleave run --trace` has written, one item a line: its number, the\n"
	     "thread, what the thread did, the object and the place in the source.\n"
	     "\n"
	     "options:");
	sl_options_print(stdout, SL_FOR_TRACE);
	puts("\nExit status: 0 the whole trace was shown, 2 wrong usage, 3 the file is damaged (the items that can be read\n"
	     "are shown) or is not a trace.");
}

/* Parses a list like "MUTEX_LOCK,atomic_*". */
static int
parse_kinds(struct trace *t, const char *text, struct sl_err *err)
{
	char *copy = strdup(text), *rest = copy;
	int result = 0;

	for (char *word; copy && !result && (word = strsep(&rest, ","));) {
		bool any = false;

		for (unsigned i = 0; i < 256; i++)
			if (sl_kind_word((uint8_t)i) && fnmatch(word, sl_kind_word((uint8_t)i), FNM_CASEFOLD) == 0)
				t->kinds[i] = any = true;
		if (!any)
			result = sl_err_set(
				err,
				"there is no kind '%s' (sleave trace --summary FILE lists the kinds in a trace)",
				word);
	}
	free(copy);
	return result;
}

static bool
is_thread(const struct trace *t, uint32_t thread)
{
	const char *wanted = t->settings.trace.thread, *name = sl_tape_thread_name(t->view.tape, thread),
		   *path = sl_tape_thread_path(t->view.tape, thread);
	char number[16], named[24];

	snprintf(number, sizeof(number), "%" PRIu32, thread);
	snprintf(named, sizeof(named), "T%" PRIu32, thread);
	return !strcmp(wanted, number) || !strcasecmp(wanted, named) || (!thread && !strcmp(wanted, "main")) ||
	       (name && !strcmp(wanted, name)) || (path && !strcmp(wanted, path));
}

static bool
is_wanted(struct trace *t, const struct sl_item *item)
{
	const struct sl_settings *s = &t->settings;
	char object[768];

	if (s->trace.part && t->view.tape->part != s->trace.part)
		return false;
	t->any_part = true;
	if (s->trace.thread && !is_thread(t, item->thread))
		return false;
	t->any_thread = true;
	if (s->trace.kind && !t->kinds[item->kind])
		return false;
	return !s->trace.object ||
	       fnmatch(s->trace.object, sl_item_object(&t->view, item, object, sizeof(object)), 0) == 0 ||
	       fnmatch(s->trace.object, sl_item_accessed(&t->view, item, object, sizeof(object)), 0) == 0;
}

/* Explains an empty list: the part or thread may not exist. */
static int
say_nothing(const struct trace *t)
{
	const struct sl_settings *s = &t->settings;

	if (!t->view.tape->items)
		return SL_EXIT_CLEAN;
	fflush(t->view.out);
	if (!t->any_part)
		fprintf(stderr, "sleave trace: the trace has no part %" PRIu64 ", the last one is %" PRIu32 "\n",
			s->trace.part, t->view.tape->part);
	else if (!t->any_thread)
		sl_say(stderr,
		       "sleave trace: the trace has no thread '%s' (sleave trace --summary lists the threads)\n",
		       s->trace.thread);
	else
		fprintf(stderr, "note: no item matches\n");
	return t->any_part && t->any_thread ? SL_EXIT_CLEAN : SL_EXIT_USAGE;
}

static int
show(struct trace *t)
{
	struct sl_tape *tape = t->view.tape;
	void *state = t->format->begin(&t->view);
	enum sl_tape_answer answer;
	struct sl_item item;
	uint32_t part = 1;

	while ((answer = sl_tape_next(tape, &item)) != SL_TAPE_END && !ferror(t->view.out)) {
		if (answer == SL_TAPE_DAMAGE) {
			t->view.damaged = true;
			fflush(t->view.out);
			fprintf(stderr, "sleave trace: %s\n", tape->err.text);
			if (t->format->damage)
				t->format->damage(state, &t->view);
			sl_scene_forget(t->view.scene);
			continue;
		}
		if (tape->part != part)
			sl_scene_forget(t->view.scene);
		part = tape->part;
		sl_scene_before(t->view.scene, &item);
		if (is_wanted(t, &item)) {
			t->any = true;
			t->format->item(state, &t->view, &item);
		}
		sl_scene_after(t->view.scene, &item);
	}
	t->format->end(state, &t->view);
	if (t->view.damaged)
		fprintf(stderr, "sleave trace: %" PRIu64 " items could be read%s\n", tape->items,
			tape->lost ? ", others are lost" : "");
	if (t->view.damaged)
		return SL_EXIT_UNDECIDED;
	return t->any || ferror(t->view.out) ? SL_EXIT_CLEAN : say_nothing(t);
}

static int
open_and_show(struct trace *t, const char *path, struct sl_err *err)
{
	struct stat info;
	int status;

	t->view.tape = sl_tape_open(path, err);
	if (!t->view.tape)
		return -1;
	t->view.size = stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
	t->view.out = t->settings.trace.perfetto ? fopen(t->settings.trace.perfetto, "w") : stdout;
	if (!t->view.out) {
		sl_tape_close(t->view.tape);
		return sl_err_set(err, "cannot write %s: %s", t->settings.trace.perfetto, strerror(errno));
	}
	t->view.scene = sl_scene_new(t->view.tape);
	status = show(t);
	if (t->settings.trace.perfetto && (ferror(t->view.out) | fclose(t->view.out)))
		status = sl_err_set(err, "cannot write %s: %s", t->settings.trace.perfetto, strerror(errno));
	sl_scene_free(t->view.scene);
	sl_tape_close(t->view.tape);
	return status;
}

int
sl_command_trace(int argc, char **argv)
{
	static struct trace t;
	struct sl_settings *s = &t.settings;
	struct sl_err err = {""};
	int first = sl_options_parse(s, SL_FOR_TRACE, argc, argv, &err), status;

	if (first == 0) {
		help();
		return SL_EXIT_CLEAN;
	}
	first = sl_options_one_file(first, argc, argv, &err);
	if (first > 0 && s->json + s->trace.summary + (s->trace.perfetto != NULL) > 1)
		first = sl_err_set(&err, "--json, --summary and --perfetto exclude each other");
	if (first > 0 && s->trace.kind && parse_kinds(&t, s->trace.kind, &err) < 0)
		first = -1;
	if (first < 0) {
		fprintf(stderr, "sleave trace: %s (sleave trace --help)\n", err.text);
		return SL_EXIT_USAGE;
	}
	t.view.locks = s->trace.locks;
	t.format = s->json             ? &sl_tape_json
		   : s->trace.summary  ? &sl_tape_summary
		   : s->trace.perfetto ? &sl_tape_perfetto
				       : &sl_tape_text;
	signal(SIGPIPE, SIG_DFL); /* the reader of the pipe has read enough */
	status = open_and_show(&t, argv[first], &err);
	if (status < 0) {
		fflush(stdout);
		fprintf(stderr, "sleave trace: %s\n", err.text);
		return SL_EXIT_UNDECIDED;
	}
	return status;
}
