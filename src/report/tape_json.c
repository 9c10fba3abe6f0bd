/*
 * A trace as JSON: one object a line. The first says what was recorded, the last how it ended; those between them are
 * the items. Keys are only ever added.
 */
#include "report/tape.h"

#include "report/words.h"

#include <inttypes.h>
#include <string.h>

static void
put(FILE *out, const char *text)
{
	if (text)
		sl_json_put_string(out, text, strlen(text));
	else
		fputs("null", out);
}

static void *
begin(const struct sl_tape_view *view)
{
	const struct sl_tape_head *head = &view->tape->head;

	fputs("{\"program\": ", view->out);
	put(view->out, head->program);
	fputs(", \"arguments\": [", view->out);
	for (char **argument = head->argv; *argument && argument[1]; argument++) {
		fputs(argument == head->argv ? "" : ", ", view->out);
		put(view->out, argument[1]);
	}
	fputs("], \"folder\": ", view->out);
	put(view->out, head->cwd);
	fputs(", \"build_id\": ", view->out);
	put(view->out, head->build_id);
	fputs(", \"mode\": ", view->out);
	put(view->out, head->mode);
	fputs(", \"strategy\": ", view->out);
	put(view->out, *head->strategy ? head->strategy : NULL);
	fprintf(view->out, ", \"seed\": %" PRIu64 ", \"version\": %" PRIu32 "}\n", head->seed,
		view->tape->version);
	return NULL;
}

static void
item(void *state, const struct sl_tape_view *view, const struct sl_item *item)
{
	const struct sl_scene_lock *locks;
	FILE *out = view->out;
	struct sl_place place;
	char name[768];
	size_t count;

	(void)state;
	fprintf(out, "{\"number\": %" PRIu64 ", \"part\": %" PRIu32 ", \"thread\": %" PRIu32 ", \"thread_path\": ",
		view->tape->number, view->tape->part, item->thread);
	put(out, sl_tape_thread_path(view->tape, item->thread));
	if (view->tape->execution)
		fprintf(out, ", \"%s\": %" PRIu64,
			view->tape->execution & SL_PART_FINDING ? "finding" : "execution",
			view->tape->execution & (SL_PART_FINDING - 1));
	fputs(", \"kind\": ", out);
	put(out, sl_tape_kind(view->tape, item));
	sl_scene_object(view->scene, item, name, sizeof(name));
	if (*name) {
		fputs(", \"object\": ", out);
		put(out, name);
	}
	if (item->object)
		fprintf(out, ", \"address\": %" PRIu64, item->object);
	if (item->size)
		fprintf(out, ", \"size\": %u", item->size);
	if (item->value)
		fprintf(out, ", \"value\": %" PRIu64, item->value);
	if (sl_tape_place(view->tape, item->pc, &place)) {
		fputs(", \"function\": ", out);
		put(out, place.function);
		fputs(", \"file\": ", out);
		put(out, place.file);
		fprintf(out, ", \"line\": %" PRIu32 ", \"column\": %" PRIu32, place.line, place.column);
	}
	if (view->locks) {
		count = sl_scene_locks(view->scene, item->thread, &locks);
		fputs(", \"locks\": [", out);
		for (size_t i = 0; i < count; i++) {
			fputs(i ? ", " : "", out);
			put(out, sl_scene_address(view->scene, locks[i].object, 0, name, sizeof(name)));
		}
		fputs("]", out);
	}
	fputs("}\n", out);
}

static void
damage(void *state, const struct sl_tape_view *view)
{
	(void)state;
	fputs("{\"damage\": ", view->out);
	put(view->out, view->tape->err.text);
	fputs("}\n", view->out);
}

static void
end(void *state, const struct sl_tape_view *view)
{
	(void)state;
	fputs("{\"end\": ", view->out);
	put(view->out, view->tape->ended);
	fprintf(view->out, ", \"items\": %" PRIu64 ", \"whole\": %s}\n", view->tape->items,
		view->damaged ? "false" : "true");
}

const struct sl_tape_format sl_tape_json = {begin, item, damage, end};
