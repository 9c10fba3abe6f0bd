/*
 * The reader of replay files, on any input. What it accepts is written and read again,
 * and must be the same; for what it refuses it has a sentence, and leaves nothing behind.
 */
#include "trace/replay/replay_file.h"

#include "fuzz.h"

#include <string.h>

static void
compare(const struct sl_replay *a, const struct sl_replay *b)
{
	HOLDS(strcmp(a->program, b->program) == 0 && strcmp(a->cwd, b->cwd) == 0);
	HOLDS(a->argc == b->argc && a->argc && !a->argv[a->argc]);
	for (size_t i = 0; i < a->argc; i++)
		HOLDS(strcmp(a->argv[i], b->argv[i]) == 0);
	HOLDS(strcmp(a->build_id, b->build_id) == 0 && strcmp(a->strategy, b->strategy) == 0);
	HOLDS(strcmp(a->message, b->message) == 0);
	HOLDS(a->seed == b->seed && a->races == b->races && a->spurious == b->spurious && a->again == b->again && a->world == b->world);
	HOLDS(a->explore_call == b->explore_call && a->kind == b->kind && a->preemptions == b->preemptions);
	HOLDS(a->signature == b->signature && a->operations == b->operations && a->hash == b->hash);
	HOLDS(a->rest == b->rest && a->variables_cut == b->variables_cut && a->variable_count == b->variable_count);
	for (size_t i = 0; i < a->variable_count; i++) {
		const struct sl_environment_variable *x = &a->variables[i], *y = &b->variables[i];

		HOLDS(strcmp(x->name, y->name) == 0 && x->family == y->family && !x->value == !y->value);
		HOLDS(!x->value || strcmp(x->value, y->value) == 0);
	}
	HOLDS(a->steps.text_count == b->steps.text_count && a->steps.path_count == b->steps.path_count && a->steps.cut == b->steps.cut);
	for (size_t i = 0; i < a->steps.text_count; i++)
		HOLDS(strcmp(a->steps.texts[i], b->steps.texts[i]) == 0);
	for (size_t i = 0; i < a->steps.path_count; i++)
		HOLDS(a->steps.path[i] && a->steps.path[i] <= a->steps.text_count && a->steps.path[i] == b->steps.path[i]);
	HOLDS(a->mark_count == b->mark_count);
	for (size_t i = 0; i < a->mark_count; i++)
		HOLDS(a->marks[i] == b->marks[i]);
	HOLDS(a->schedule.count == b->schedule.count && a->schedule.count <= a->schedule.capacity);
	for (uint64_t i = 0; i < a->schedule.count; i++) {
		const struct sl_pick *x = &a->schedule.items[i], *y = &b->schedule.items[i];

		HOLDS(x->kind == y->kind && x->who == y->who && x->until == y->until);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_replay first, second;
	struct sl_err err = {""};
	char *text, *again;
	size_t length, again_length;

	if (sl_replay_parse("x", (const char *)data, size, &first, &err)) {
		static const struct sl_replay empty;

		HOLDS(err.text[0] && memchr(err.text, 0, sizeof(err.text)));
		for (const char *c = err.text; *c; c++)
			HOLDS(*c >= ' ' && *c < 0x7f); /* nothing of a stranger's file goes to a terminal */
		HOLDS(memcmp(&first, &empty, sizeof(empty)) == 0);
		return 0;
	}
	HOLDS(sl_replay_format(&first, &text, &length) == 0);
	HOLDS(sl_replay_parse("y", text, length, &second, &err) == 0);
	compare(&first, &second);
	HOLDS(sl_replay_format(&second, &again, &again_length) == 0);
	HOLDS(length == again_length && memcmp(text, again, length) == 0);
	free(text);
	free(again);
	sl_replay_release(&first);
	sl_replay_release(&second);
	return 0;
}
