/* Names for the items of a trace, as the trace and the earlier items give them; for the narrator. */
#include "report/trace/tape_report.h"

#include "report/words.h"

#include <inttypes.h>
#include <string.h>

struct told {
	const struct sl_tape_view *view;
	const struct sl_item *item;
	bool as_written; /* what has no name of its own is also said in the words of the source */
};

const char *
sl_tape_thread(const struct sl_tape_view *view, uint32_t thread, char *text, size_t room)
{
	const char *name = sl_tape_thread_name(view->tape, thread);
	size_t used;

	sl_thread_short(thread, text, room);
	used = strlen(text);
	if (!name)
		name = sl_scene_start(view->scene, thread);
	if (thread && name && used < room)
		snprintf(text + used, room - used, " %s", name);
	return text;
}

/* Threads have other numbers in each execution, so names of objects have paths. */
static const char *
path_of(const struct sl_tape_view *view, uint32_t thread)
{
	const char *path = sl_tape_thread_path(view->tape, thread);

	return path ? path : "an unknown thread";
}

/* "heap block #2 of 0.1 from list.c:31 (add < run), +8" */
static void
format_block(const struct sl_tape_view *view, const struct sl_scene_block *b, char *text, size_t room)
{
	const char *inner = b->caller_count ? b->callers[0] : NULL;
	struct sl_place place;
	size_t n, count = 0;
	char where[512];

	sl_tape_place(view->tape, b->pc, &place);
	if (place.line)
		n = (size_t)snprintf(where, sizeof(where), "%s:%" PRIu32 " (", place.file, place.line);
	else
		n = (size_t)snprintf(where, sizeof(where), "%s (", place.file);
	/* a function that was inlined, or is not instrumented */
	if (strcmp(place.function, "??") != 0 && (!inner || strcmp(place.function, inner) != 0) &&
	    n < sizeof(where)) {
		n += (size_t)snprintf(where + n, sizeof(where) - n, "%s", place.function);
		count++;
	}
	for (size_t i = 0; count < SL_SCENE_CALLERS && i < b->caller_count && n < sizeof(where); i++, count++)
		n += (size_t)snprintf(where + n, sizeof(where) - n, "%s%s", count ? " < " : "", b->callers[i]);
	if (n < sizeof(where))
		snprintf(where + n, sizeof(where) - n, ")");
	sl_block_format(&(struct sl_block_words){b->ordinal, path_of(view, b->thread), 0, where, b->offset}, text,
			room);
}

/* Of a condition variable's wait the second object is the mutex. */
static const struct sl_tape_site *
site_of(const struct told *told, uint64_t address)
{
	const struct sl_item *item = told->item;
	bool second = item->kind == SL_COND_RELOCK || (item->kind == SL_COND_WAIT && address == item->value) ||
		      (item->flags & (SL_OP_READS | SL_OP_WRITES)) == SL_OP_WRITES;

	if (!told->as_written || address < SL_NULL_PAGES || item->kind == SL_ALLOC || item->kind == SL_FREE)
		return NULL;
	return sl_tape_site(told->view->tape, item->pc, second);
}

/*
 * "ctx->stop (heap block #1 of 0 from web.c:12 (start), +8)": the words of the source differ from place to place, so the address keeps
 * the name that it has everywhere. A record has its type instead of "heap block".
 */
static void
format_as_written(const struct sl_tape_site *site, char *text, size_t room)
{
	static const char block[] = "heap block";
	char name[768];
	bool typed = *site->container && !strncmp(text, block, strlen(block));

	snprintf(name, sizeof(name), "%s", text);
	snprintf(text, room, "%s (%s%s)", site->text, typed ? site->container : "",
		 typed ? name + strlen(block) : name);
}

static const char *
told_memory(const void *of, uint64_t address, uint32_t size, char *text, size_t room)
{
	const struct told *told = of;
	const struct sl_tape_view *view = told->view;
	const struct sl_tape_site *site = site_of(told, address);
	struct sl_scene_block block;
	uint32_t thread;
	uint64_t depth;

	/* when the trace was written, names were asked for with the item's size */
	if (sl_tape_variable(view->tape, address, size ? told->item->size : 0, text, room))
		return text;
	if (sl_scene_block(view->scene, address, &block))
		format_block(view, &block, text, room);
	else if (sl_scene_stack(view->scene, address, &thread, &depth))
		snprintf(text, room, "a local variable of %s, -%" PRIu64, path_of(view, thread), depth);
	else
		sl_unnamed_format(NULL, 0, address, text, room);
	if (site)
		format_as_written(site, text, room);
	return text;
}

static const char *
told_thread(const void *of, uint32_t thread, char *text, size_t room)
{
	return sl_tape_thread(((const struct told *)of)->view, thread, text, room);
}

static uint64_t
told_channel(const void *of, uint64_t address)
{
	return sl_scene_channel(((const struct told *)of)->view->scene, address);
}

static const char *
told_event(const void *of, uint64_t number)
{
	return sl_tape_event(((const struct told *)of)->view->tape, number);
}

static const char *
told_kind(const void *of)
{
	const struct told *told = of;

	return sl_tape_kind(told->view->tape, told->item);
}

static uint64_t
told_bytes(const void *of)
{
	const struct told *told = of;

	return sl_scene_size(told->view->scene, told->item);
}

static const char *
told_function(const void *of)
{
	const struct told *told = of;
	uint64_t function = sl_scene_function(told->view->scene, told->item);
	const char *name = function ? sl_tape_function(told->view->tape, function) : NULL;

	return name || !function ? name : "an unknown function";
}

#define NAMER(told)                                                                                               \
	&(struct sl_namer)                                                                                        \
	{                                                                                                         \
		.of = (told), .thread = told_thread, .memory = told_memory, .channel = told_channel,              \
		.event = told_event, .kind = told_kind, .bytes = told_bytes, .function = told_function            \
	}

const char *
sl_item_tell(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room)
{
	struct sl_narrated moment = sl_item_narrated(item);

	return sl_narrated_tell(NAMER((&(struct told){view, item, true})), &moment, text, room);
}

const char *
sl_item_accessed(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room)
{
	struct sl_narrated moment = sl_item_narrated(item);

	return sl_narrated_object(NAMER((&(struct told){view, item, true})), &moment, text, room);
}

const char *
sl_item_object(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room)
{
	struct sl_narrated moment = sl_item_narrated(item);

	return sl_narrated_object(NAMER((&(struct told){view, item, false})), &moment, text, room);
}

const char *
sl_tape_lock(const struct sl_tape_view *view, uint64_t address, char *text, size_t room)
{
	return sl_item_object(view, &(struct sl_item){.kind = SL_MUTEX_LOCK, .object = address}, text, room);
}
