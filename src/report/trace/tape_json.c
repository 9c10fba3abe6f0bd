/*
 * A trace as JSON: one object a line. The first says what was recorded, the last how it ended; the others are the
 * items. Keys are only ever added.
 */
#include "report/trace/tape_report.h"

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
	fprintf(view->out, ", \"seed\": %" PRIu64 ", \"version\": %" PRIu32 ", \"workers\": %" PRIu32 "}\n",
		head->seed, view->tape->version, head->lanes);
	return NULL;
}

/* A thread is named by its path, because its number differs between executions. */
static void
put_object(const struct sl_tape_view *view, const struct sl_item *item)
{
	FILE *out = view->out;
	uint64_t address = item->kind == SL_ITEM_RETURN ? sl_scene_function(view->scene, item) : item->object;
	const char *path = NULL;
	uint32_t thread = 0;
	struct sl_narrated moment = sl_item_narrated(item);
	char name[768], accessed[1024];

	if (sl_narrated_thread(&moment, &thread)) {
		path = sl_tape_thread_path(view->tape, thread);
		fprintf(out, ", \"other_thread\": %" PRIu32 ", \"other_thread_path\": ", thread);
		put(out, path);
	}
	sl_item_object(view, item, name, sizeof(name));
	if (path && item->kind != SL_COND_SIGNAL && item->kind != SL_KILL)
		snprintf(name, sizeof(name), "%s", path);
	if (*name) {
		fputs(", \"object\": ", out);
		put(out, name);
		if (strcmp(sl_item_accessed(view, item, accessed, sizeof(accessed)), name) != 0 && !path) {
			fputs(", \"accessed\": ", out);
			put(out, accessed);
		}
	}
	if (address || !strcmp(name, "NULL"))
		fprintf(out, ", \"address\": %" PRIu64, address);
}

/* Writes a value that is an address or a thread as a name. */
static void
put_value(const struct sl_tape_view *view, const struct sl_item *item)
{
	uint64_t value = item->kind == SL_FREE ? sl_scene_size(view->scene, item) : item->value;
	struct sl_narrated moment = sl_item_narrated(item);
	uint32_t thread;
	char name[768];

	if (item->kind == SL_COND_WAIT) {
		fputs(", \"mutex\": ", view->out);
		put(view->out, sl_tape_lock(view, value, name, sizeof(name)));
	} else if (value && sl_kind_is(item->kind, SL_KIND_IO)) {
		fprintf(view->out, ", \"value\": %" PRId64, (int64_t)value); /* may be minus an error */
	} else if (value && value != SL_ITEM_UNKNOWN && item->kind != SL_START &&
		   (item->kind == SL_KILL || !sl_narrated_thread(&moment, &thread))) {
		fprintf(view->out, ", \"value\": %" PRIu64, value);
	}
}

static void
item(void *state, const struct sl_tape_view *view, const struct sl_item *item)
{
	const struct sl_hold *locks;
	FILE *out = view->out;
	struct sl_place place;
	char name[768];
	size_t count;

	(void)state;
	fprintf(out, "{\"number\": %" PRIu64 ", \"part\": %" PRIu32 ", \"thread\": %" PRIu32 ", \"thread_path\": ",
		view->tape->number, view->tape->part, item->thread);
	put(out, sl_tape_thread_path(view->tape, item->thread));
	if (view->tape->execution & SL_PART_CALM)
		fputs(", \"without_noise\": true", out);
	else if (view->tape->execution)
		fprintf(out, ", \"%s\": %" PRIu64,
			view->tape->execution & SL_PART_FINDING ? "finding" : "execution",
			view->tape->execution & (SL_PART_FINDING - 1));
	if (view->tape->head.lanes > 1)
		fprintf(out, ", \"worker\": %" PRIu32, view->tape->lane + 1);
	fputs(", \"kind\": ", out);
	put(out, sl_tape_kind(view->tape, item));
	put_object(view, item);
	if (item->size)
		fprintf(out, ", \"size\": %u", item->size);
	put_value(view, item);
	if (sl_tape_place(view->tape, item->pc, &place)) {
		fputs(", \"function\": ", out);
		put(out, place.function);
		fputs(", \"file\": ", out);
		put(out, place.file);
		fprintf(out, ", \"line\": %" PRIu32 ", \"column\": %" PRIu32, place.line, place.column);
		if (item->kind == SL_ITEM_BRANCH) /* two branches may be on one line */
			fprintf(out, ", \"offset\": %" PRIu64, place.offset);
	}
	if (view->locks) {
		count = sl_scene_locks(view->scene, item->thread, &locks);
		fputs(", \"locks\": [", out);
		for (size_t i = 0; i < count; i++) {
			fputs(i ? ", " : "", out);
			put(out, sl_tape_lock(view, locks[i].object, name, sizeof(name)));
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
	if (view->tape->missing) {
		fputs(", \"missing\": ", view->out);
		put(view->out, view->tape->missing);
	}
	fprintf(view->out, ", \"items\": %" PRIu64 ", \"whole\": %s}\n", view->tape->items,
		view->damaged || view->tape->missing ? "false" : "true");
}

const struct sl_tape_format sl_tape_json = {begin, item, damage, end};
