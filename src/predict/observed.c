/* One execution of a trace file, to be read as often as asked. */
#include "base/index.h"
#include "predict/predict.h"
#include "trace/tape/tape.h"

#include <stdio.h>

struct observed_tape {
	char *path;
	uint64_t number;
	struct sl_names *names;
	struct sl_tape *tape;
	uint32_t part; /* the part that is the execution; 0: it has not begun */
	bool ended;    /* … and it has */
	struct sl_texts texts;
	struct sl_index places; /* by pc: number, plus one */
	struct sl_place *known;
	bool *knows; /* whether the place of that number is known */
	size_t count, capacity, knows_capacity;
};

static int
tape_rewind(void *data, struct sl_err *err)
{
	struct observed_tape *o = data;

	sl_tape_close(o->tape);
	o->part = 0;
	o->ended = false;
	o->tape = sl_tape_open(o->path, err);
	return o->tape ? 0 : -1;
}

static int
tape_next(void *data, struct sl_item *item, struct sl_err *err)
{
	struct observed_tape *o = data;

	while (!o->ended) {
		enum sl_tape_answer answer = sl_tape_next(o->tape, item);

		if (answer == SL_TAPE_DAMAGE) {
			o->ended = true;
			return sl_err_set(err, "%s: %s", o->path, o->tape->err.text);
		}
		if (answer == SL_TAPE_END)
			break;
		if (!o->part) {
			if (o->number && o->tape->execution != o->number)
				continue;
			o->part = o->tape->part;
		}
		if (o->tape->part == o->part)
			return 1;
		o->ended = true; /* the next execution has begun */
		return 0;
	}
	if (o->ended)
		return 0;
	o->ended = true;
	if (!o->part && o->number)
		return sl_err_set(err, "%s has no execution %llu", o->path, (unsigned long long)o->number);
	if (!o->tape->ended)
		return sl_err_set(err, "%s is not whole: its end is missing", o->path);
	return 0;
}

/* Names are copied: those of the tape go when it is read again. */
static bool
tape_place(void *data, uint64_t pc, struct sl_place *place)
{
	struct observed_tape *o = data;
	uint64_t *at = sl_index_at(&o->places, pc);

	if (!*at) {
		o->known = sl_room_for(o->known, o->count, &o->capacity, sizeof(*o->known));
		o->knows = sl_room_for(o->knows, o->count, &o->knows_capacity, sizeof(*o->knows));
		o->knows[o->count] = sl_tape_place(o->tape, pc, place);
		place->function = sl_texts_keep(&o->texts, place->function);
		place->file = sl_texts_keep(&o->texts, place->file);
		place->path = place->path ? sl_texts_keep(&o->texts, place->path) : NULL;
		place->stable = sl_texts_keep(&o->texts, place->stable);
		place->module = sl_texts_keep(&o->texts, place->module);
		o->known[o->count++] = *place;
		*at = o->count;
	}
	*place = o->known[*at - 1];
	return o->knows[*at - 1];
}

static const struct sl_site *
tape_site(void *data, uint64_t pc, bool writes)
{
	const struct observed_tape *o = data;

	return sl_names_site(o->names, pc, writes);
}

static const char *
tape_variable(void *data, uint64_t address, uint32_t size, char *text, size_t room)
{
	const struct observed_tape *o = data;

	return sl_tape_variable(o->tape, address, size, text, room);
}

static const char *
tape_function(void *data, uint64_t address)
{
	struct observed_tape *o = data;
	const char *name = sl_tape_function(o->tape, address);

	return name ? sl_texts_keep(&o->texts, name) : NULL;
}

static const char *
tape_thread_path(void *data, uint32_t thread)
{
	struct observed_tape *o = data;
	const char *path = sl_tape_thread_path(o->tape, thread);

	return path ? sl_texts_keep(&o->texts, path) : NULL;
}

int
sl_observed_open(struct sl_observed *execution, const char *path, uint64_t number, struct sl_names *names,
		 struct sl_err *err)
{
	struct observed_tape *o = sl_room_zeroed(1, sizeof(*o));
	size_t size = strlen(path) + 1;

	o->path = sl_room_zeroed(size, 1);
	memcpy(o->path, path, size);
	o->number = number;
	o->names = names;
	*execution = (struct sl_observed){.data = o,
					  .rewind = tape_rewind,
					  .next = tape_next,
					  .place = tape_place,
					  .site = names ? tape_site : NULL,
					  .variable = tape_variable,
					  .function = tape_function,
					  .thread_path = tape_thread_path};
	if (tape_rewind(o, err) == 0)
		return 0;
	sl_observed_close(execution);
	return -1;
}

void
sl_observed_close(struct sl_observed *execution)
{
	struct observed_tape *o = execution->data;

	if (!o)
		return;
	sl_tape_close(o->tape);
	free(o->path);
	sl_texts_release(&o->texts);
	sl_index_release(&o->places);
	free(o->known);
	free(o->knows);
	free(o);
	execution->data = NULL;
}
