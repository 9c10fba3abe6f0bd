/*
 * `sleave scripts FILE [OPTION…] PROGRAM [ARGUMENT…]`: runs an execution for each script of a file, and prints what a scout is shown of it.
 * For Sleave's own tests and measurements, so it is in no help. The options are those of `sleave run`.
 *
 * A line is a script. Its words: 0.1:7 (the thread 0.1 runs until its operation 7 is done), wake=0.2, value=1. `repeat 1000` before them: so
 * many executions, of which nothing is printed.
 */
#include "base/room.h"
#include "cli/command/commands.h"
#include "cli/predict/tried.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct scripts {
	FILE *file;
	uint64_t repeats; /* of the last line, that are left */
	bool told;        /* the running execution is printed */
	bool broken;
	uint64_t items;
	struct name {
		char text[64];
		uint32_t children;
	} *names; /* by thread */
	size_t count, capacity;
	uint64_t number;
	struct sl_script *script;
};

/* ---- what is shown ---- */

static void
begin(void *data)
{
	struct scripts *s = data;

	s->count = 0;
	s->number++;
	if (s->told)
		printf("execution %" PRIu64 "\n", s->number);
}

static void
thread_begins(struct scripts *s, const struct sl_item *item)
{
	struct name name = {"0", 0};

	if (item->thread) {
		struct name *parent = &s->names[item->object];

		snprintf(name.text, sizeof(name.text), "%.50s.%" PRIu32, parent->text, ++parent->children);
	}
	s->names = sl_room_for(s->names, s->count, &s->capacity, sizeof(*s->names));
	s->names[s->count++] = name;
}

static const char *
word_of(uint8_t kind)
{
	static const char *const words[] = {
#define SL_OP(name, verb, flags, traits, event) [SL_##name] = #name,
#include "base/op.def"
#undef SL_OP
	};

	switch (kind) {
	case SL_ITEM_CALL:
		return "CALL";
	case SL_ITEM_RETURN:
		return "RETURN";
	case SL_ITEM_BRANCH:
		return "BRANCH";
	case SL_ITEM_REQUEST:
		return "REQUEST";
	case SL_ITEM_VALUE:
		return "value";
	case SL_ITEM_WRITTEN:
		return "written";
	case SL_ITEM_KIN:
		return "kin";
	case SL_ITEM_ASKED:
		return "asked";
	}
	return kind < SL_OP_KIND_COUNT ? words[kind] : "?";
}

static void
item(void *data, const struct sl_item *item)
{
	struct scripts *s = data;

	s->items++;
	if (!s->told)
		return;
	if (item->kind == SL_ITEM_KIN)
		thread_begins(s, item);
	printf("%s %s size=%u flags=%u object=%" PRIx64 " pc=%" PRIx64 " value=%" PRIu64 "\n",
	       s->names[item->thread].text, word_of(item->kind), item->size, item->flags, item->object, item->pc,
	       item->value);
}

static void
end(void *data, const struct sl_scouted *how)
{
	struct scripts *s = data;

	if (s->told)
		printf("end reached=%" PRIu32 "/%" PRIu32 "%s%s%s%s\n", how->reached, s->script->count,
		       how->strayed ? " strayed" : "", how->found ? " found" : "", how->cut ? " cut" : "",
		       how->grown ? " grown" : "");
}

/* ---- what is run ---- */

static bool
step_parse(const char *word, struct sl_script_step *step)
{
	char thread[64], end;

	*step = (struct sl_script_step){0};
	if (sscanf(word, "wake=%63[0-9.]%c", thread, &end) == 1) {
		step->kind = SL_SCRIPT_WAKE;
		step->thread = sl_tried_thread(thread);
		return true;
	}
	if (sscanf(word, "value=%" SCNu64 "%c", &step->index, &end) == 1) {
		step->kind = SL_SCRIPT_VALUE;
		return true;
	}
	if (sscanf(word, "%63[0-9.]:%" SCNu64 "%c", thread, &step->index, &end) != 2)
		return false;
	step->thread = sl_tried_thread(thread);
	return true;
}

static bool
line_parse(struct scripts *s, char *line, struct sl_script *script)
{
	char *rest, *word = strtok_r(line, " \n", &rest);

	script->count = 0;
	s->repeats = 0;
	s->told = true;
	if (word && strcmp(word, "repeat") == 0) {
		word = strtok_r(NULL, " \n", &rest);
		s->repeats = word ? strtoull(word, NULL, 10) : 0;
		if (!s->repeats)
			return false;
		s->repeats--;
		s->told = false;
		word = strtok_r(NULL, " \n", &rest);
	}
	for (; word; word = strtok_r(NULL, " \n", &rest))
		if (script->count == SL_SCRIPT_STEPS || !step_parse(word, &script->steps[script->count++]))
			return false;
	return true;
}

static bool
next(void *data, struct sl_script *script)
{
	struct scripts *s = data;
	char *line = NULL;
	size_t room = 0;
	bool there;

	s->script = script;
	if (s->repeats) {
		s->repeats--;
		return true;
	}
	there = getline(&line, &room, s->file) > 0;
	if (there && !line_parse(s, line, script)) {
		s->broken = true;
		there = false;
	}
	free(line);
	return there;
}

/* A search that starts over in another world runs all of the scripts again. */
static void
open_again(void *data, const struct sl_arena *arena)
{
	struct scripts *s = data;

	s->script = (struct sl_script *)&arena->script;
	rewind(s->file);
	s->number = s->repeats = 0;
	s->told = true;
}

static int
finish(struct sl_exploration *e, struct scripts *s)
{
	struct sl_summary summary;
	uint64_t took = sl_nanoseconds() - e->session.arena->started;

	sl_exploration_judge(e, &summary);
	sl_verdict_print(e->out, &e->results.style, &summary);
	printf("executions %" PRIu64 " items %" PRIu64 " seconds %.3f waited %" PRIu64 "\n", s->number, s->items,
	       (double)took / 1e9, e->session.arena->script.waited);
	sl_exploration_release(e);
	return s->broken ? SL_EXIT_USAGE : sl_verdict_status(summary.verdict);
}

int
sl_command_scripts(int argc, char **argv)
{
	static struct scripts s;
	static struct sl_scout scout = {
		.open = open_again, .begin = begin, .item = item, .end = end, .next = next, .data = &s};
	static struct sl_exploration e = {.self = "run", .file = {.fd = -1}, .scout = &scout};
	struct sl_err err = {""};
	int first = argc < 3 ? -1 : sl_options_parse(&e.settings, SL_FOR_RUN, argc - 1, argv + 1, &err);
	int status;

	if (first <= 0 || first >= argc - 1) {
		fprintf(stderr, "usage: sleave scripts FILE [OPTION…] PROGRAM [ARGUMENT…]\n%s\n", err.text);
		return SL_EXIT_USAGE;
	}
	s.file = fopen(argv[1], "re");
	if (!s.file) {
		fprintf(stderr, "sleave scripts: %s can't be read\n", argv[1]);
		return SL_EXIT_USAGE;
	}
	e.settings.strategy = sl_strategy_script.name;
	e.argv = argv + 1 + first;
	e.out = stderr;
	status = sl_exploration_find(&e, &err) < 0 || sl_exploration_run(&e, &err) < 0 ? -1 : finish(&e, &s);
	fclose(s.file);
	free(s.names);
	if (status < 0) {
		fprintf(stderr, "sleave scripts: %s\n", err.text);
		return SL_EXIT_UNDECIDED;
	}
	return status;
}
