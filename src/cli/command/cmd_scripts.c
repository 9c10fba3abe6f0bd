/*
 * `sleave scripts FILE [OPTION…] PROGRAM [ARGUMENT…]`: runs an execution for each script of a file, and prints what a scout is shown of it.
 * For Sleave's own tests and measurements, so it is in no help. The options are those of `sleave run`.
 *
 * A line is a script. Its words: 0.1:7 (the thread 0.1 runs until its operation 7 is done), wake=0.2, value=1. `repeat 1000` before them: so
 * many executions, of which nothing is printed. `ahead 10`, alone: from here on so many scripts are given in advance.
 */
#include "base/room.h"
#include "cli/command/commands.h"
#include "cli/predict/tried.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct scripts {
	FILE *file;
	struct sl_script line;
	uint64_t left; /* executions of the line */
	bool printed;  /* … are */
	bool told;     /* the running execution is printed */
	bool broken;
	uint64_t items;
	struct name {
		char text[64];
		uint32_t children;
	} * names; /* by thread */
	size_t count, capacity;
	uint64_t number;
	unsigned most; /* scripts ahead */
	struct {
		bool told;
		uint32_t count;
	} given[SL_SCRIPTS]; /* by the number of the script */
	uint64_t issued;
	const struct sl_arena *arena;
};

/* ---- what is shown ---- */

static void
begin(void *data)
{
	struct scripts *s = data;

	s->count = 0;
	s->number++;
	s->told = s->given[s->number % SL_SCRIPTS].told;
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
	case SL_ITEM_PENDING:
		return "pending";
	case SL_ITEM_BEYOND:
		return "beyond";
	case SL_ITEM_COUNT:
		return "count";
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
		printf("end reached=%" PRIu32 "/%" PRIu32 "%s%s%s%s\n", how->reached,
		       s->given[how->number % SL_SCRIPTS].count, how->strayed ? " strayed" : "",
		       how->found ? " found" : "", how->cut ? " cut" : "", how->grown ? " grown" : "");
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
	s->left = 1;
	s->printed = true;
	if (word && strcmp(word, "repeat") == 0) {
		word = strtok_r(NULL, " \n", &rest);
		s->left = word ? strtoull(word, NULL, 10) : 0;
		s->printed = false;
		if (!s->left)
			return false;
		word = strtok_r(NULL, " \n", &rest);
	}
	for (; word; word = strtok_r(NULL, " \n", &rest))
		if (script->count == SL_SCRIPT_STEPS || !step_parse(word, &script->steps[script->count++]))
			return false;
	return true;
}

static void
copy(struct sl_script *to, const struct sl_script *from)
{
	to->count = from->count;
	memcpy(to->steps, from->steps, from->count * sizeof(to->steps[0]));
}

/* Reads the next line if nothing is left of the last one. */
static bool
line_read(struct scripts *s)
{
	char *text = NULL;
	size_t room = 0;
	bool there;

	if (s->left)
		return true;
	while ((there = getline(&text, &room, s->file) > 0) && sscanf(text, "ahead %u", &s->most) == 1)
		;
	s->broken = there && !line_parse(s, text, &s->line);
	free(text);
	return there && !s->broken;
}

static enum sl_scout_answer
next(void *data, unsigned ahead, struct sl_script *script)
{
	struct scripts *s = data;

	if (ahead >= s->most)
		return SL_SCOUT_LATER;
	if (!line_read(s))
		return SL_SCOUT_OVER;
	s->left--;
	s->issued++;
	copy(script, &s->line);
	s->given[s->issued % SL_SCRIPTS].told = s->printed;
	s->given[s->issued % SL_SCRIPTS].count = script->count;
	return SL_SCOUT_SCRIPT;
}

/* A search that starts over in another world runs all of the scripts again. */
static void
open_again(void *data, const struct sl_arena *arena)
{
	struct scripts *s = data;

	s->arena = arena;
	rewind(s->file);
	s->number = s->left = 0;
	s->issued = s->most = 1;
	s->given[1].told = true;
}

static int
finish(struct sl_exploration *e, struct scripts *s)
{
	struct sl_summary summary;
	uint64_t took = sl_nanoseconds() - e->session.arena->started;

	sl_exploration_judge(e, &summary);
	sl_verdict_print(e->out, &e->results.style, &summary);
	printf("executions %" PRIu64 " items %" PRIu64 " seconds %.3f waited %" PRIu64 "\n", s->number, s->items,
	       (double)took / 1e9, e->session.arena->scripts.waited);
	sl_exploration_release(e);
	return s->broken ? SL_EXIT_USAGE : sl_verdict_status(summary.verdict);
}

int
sl_command_scripts(int argc, char **argv)
{
	static struct scripts s;
	static struct sl_scout scout =
		{.open = open_again, .begin = begin, .item = item, .end = end, .next = next, .data = &s};
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
