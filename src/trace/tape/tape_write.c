#include "trace/tape/tape.h"

#include "trace/tape/number_set.h"
#include "trace/tape/tape_code.h"
#include "trace/tape/tape_file.h"
#include "trace/tape/tape_format.h"
#include "trace/tape/tape_pack.h"

#include <errno.h>
#include <stdio.h>

#define BLOCK_RAW (1u << 20) /* a block of so many bytes is closed … */
#define BLOCK_ITEMS (1u << 20) /* … and one of so many items, however few bytes they need */
#define NAMED_MAX 65536 /* names of addresses in all: the writer and the reader keep them */

/* What is known of a thread; path is NULL if nothing is. */
struct known {
	char *path;
	uint32_t children;
	uint64_t stamp; /* of the block and part with its last definition */
};

struct sl_tape_writer {
	struct sl_tape_file *file;
	struct sl_packer *packer;
	uint32_t lane; /* 0: this writer has created the file, and will end it */
	struct sl_tape_namer namer;
	struct sl_tape_code *code;
	struct sl_bytes definitions, items;
	struct sl_number_set places, variables, functions, events;
	struct sl_number_set named; /* variables that were defined, in any block */
	struct sl_recent elements; /* elements of arrays, which have the names of another element */
	struct sl_extent *extents; /* the variables that this block defines, by address */
	size_t extent_count, extent_room;
	struct known *threads;
	uint32_t thread_count;
	uint64_t stamp; /* changes with each block and each part */
	uint32_t part;
	uint64_t execution;
	uint64_t number; /* of items in the part */
	/* The present block: */
	uint32_t count; /* of items */
	uint32_t first_part;
	uint64_t first, first_execution;
	uint64_t total;
};

/* ---- blocks ---- */

/* Its length is not known beforehand, so a definition is made in a buffer of its own. */
static void
define(struct sl_tape_writer *w, unsigned type, const struct sl_bytes *what)
{
	sl_bytes_number(&w->definitions, type);
	sl_bytes_number(&w->definitions, what->count);
	sl_bytes_add(&w->definitions, what->at, what->count);
}

static void
define_text(struct sl_tape_writer *w, unsigned type, const char *text)
{
	struct sl_bytes b = {0};

	sl_bytes_text(&b, text);
	define(w, type, &b);
	free(b.at);
}

static void
begin(struct sl_tape_writer *w)
{
	sl_code_reset(w->code);
	w->definitions.count = w->items.count = 0;
	w->count = 0;
	w->stamp++;
	w->first = w->number + 1;
	w->first_part = w->part;
	w->first_execution = w->execution;
	sl_seen_forget(&w->places);
	sl_seen_forget(&w->variables);
	w->elements = (struct sl_recent){0};
	w->extent_count = 0;
	sl_seen_forget(&w->functions);
	sl_seen_forget(&w->events);
}

static void
end(struct sl_tape_writer *w, uint32_t flags)
{
	struct sl_block_start start = {
		.magic = SL_BLOCK_MAGIC,
		.flags = flags | w->lane << SL_BLOCK_LANE_SHIFT,
		.items = w->count,
		.part = w->first_part,
		.first = w->first,
		.execution = w->first_execution,
	};

	sl_code_write_end(w->code, &w->items);
	sl_packer_block(w->packer, &start, &w->definitions, &w->items, w->items.count > w->count);
}

static void
flush(struct sl_tape_writer *w)
{
	if (!w->count)
		return;
	end(w, 0);
	begin(w);
}

/* ---- names ---- */

static struct known *
thread_get(struct sl_tape_writer *w, uint32_t id)
{
	if (id >= w->thread_count) {
		uint32_t count = id + 1 + id / 2;

		w->threads = sl_must(realloc(w->threads, count * sizeof(*w->threads)));
		memset(w->threads + w->thread_count, 0, (count - w->thread_count) * sizeof(*w->threads));
		w->thread_count = count;
	}
	return &w->threads[id];
}

static void
threads_forget(struct sl_tape_writer *w)
{
	for (uint32_t i = 0; i < w->thread_count; i++)
		free(w->threads[i].path);
	if (w->thread_count)
		memset(w->threads, 0, w->thread_count * sizeof(*w->threads));
	thread_get(w, 0)->path = sl_must(strdup("0"));
}

/* A thread's path is that of its creator and its number among the creator's children. */
static void
thread_created(struct sl_tape_writer *w, uint32_t by, uint64_t id)
{
	struct known *child, *parent;
	char text[512];

	if (id >= SL_TAPE_THREADS_MAX)
		return;
	thread_get(w, (uint32_t)id);
	parent = thread_get(w, by); /* this may move all records */
	child = &w->threads[id];
	parent->children++;
	if (child->path || !parent->path || strlen(parent->path) > sizeof(text) - 16)
		return;
	snprintf(text, sizeof(text), "%s.%u", parent->path, parent->children);
	child->path = sl_must(strdup(text));
}

static void
define_thread(struct sl_tape_writer *w, uint32_t id)
{
	struct known *t = thread_get(w, id);
	struct sl_bytes b = {0};

	if (t->stamp == w->stamp)
		return;
	t->stamp = w->stamp;
	sl_bytes_number(&b, w->part);
	sl_bytes_number(&b, id);
	sl_bytes_text(&b, t->path);
	sl_bytes_text(&b, w->namer.thread ? w->namer.thread(w->namer.data, id) : NULL);
	define(w, SL_DEFINE_THREAD, &b);
	free(b.at);
}

static void
define_place(struct sl_tape_writer *w, uint64_t pc)
{
	struct sl_bytes b = {0};
	struct sl_place place;

	if (!w->namer.place || !w->namer.place(w->namer.data, pc, &place))
		return;
	sl_bytes_number(&b, pc);
	sl_bytes_text(&b, place.function);
	sl_bytes_text(&b, place.stable ? place.stable : place.file);
	sl_bytes_text(&b, place.path);
	sl_bytes_text(&b, place.module);
	sl_bytes_number(&b, place.line);
	sl_bytes_number(&b, place.column);
	sl_bytes_number(&b, place.offset);
	define(w, SL_DEFINE_PLACE, &b);
	free(b.at);
}

static void
define_site(struct sl_tape_writer *w, uint64_t pc, bool writes, const struct sl_site *site)
{
	const struct sl_site_object *object = site->object;
	struct sl_bytes b = {0};

	if (!*site->text)
		return;
	sl_bytes_number(&b, pc);
	sl_bytes_number(&b, writes);
	sl_bytes_text(&b, site->text);
	sl_bytes_text(&b, object && object->kind == TABLE_POINTED ? object->container : NULL);
	define(w, SL_DEFINE_SITE, &b);
	free(b.at);
}

/* The second site is defined only where a statement reads one object and writes another. */
static void
define_sites(struct sl_tape_writer *w, uint64_t pc)
{
	const struct sl_site *read, *written;

	if (!w->namer.site)
		return;
	read = w->namer.site(w->namer.data, pc, false);
	written = w->namer.site(w->namer.data, pc, true);
	if (read)
		define_site(w, pc, false, read);
	if (written && written != read)
		define_site(w, pc, true, written);
}

static void
define_variable(struct sl_tape_writer *w, uint64_t address, uint32_t size)
{
	struct sl_bytes b = {0};
	struct sl_data data;

	if (!w->namer.variable(w->namer.data, address, size, &data))
		return;
	sl_bytes_number(&b, address);
	sl_bytes_number(&b, size);
	sl_bytes_text(&b, data.name);
	define(w, SL_DEFINE_VARIABLE, &b);
	free(b.at);
}

static void
define_named(struct sl_tape_writer *w, unsigned type, uint64_t number, const char *name)
{
	struct sl_bytes b = {0};

	if (!name)
		return;
	sl_bytes_number(&b, number);
	sl_bytes_text(&b, name);
	define(w, type, &b);
	free(b.at);
}

static void
define_extent(struct sl_tape_writer *w, size_t at, const struct sl_extent *extent)
{
	struct sl_bytes b = {0};

	if (w->extent_count == w->extent_room) {
		w->extent_room = w->extent_room ? 2 * w->extent_room : 64;
		w->extents = sl_must(realloc(w->extents, w->extent_room * sizeof(*w->extents)));
	}
	memmove(&w->extents[at + 1], &w->extents[at], (w->extent_count++ - at) * sizeof(*w->extents));
	w->extents[at] = *extent;
	sl_bytes_number(&b, extent->start);
	sl_bytes_number(&b, extent->size);
	sl_bytes_number(&b, extent->stride);
	sl_bytes_text(&b, extent->name);
	define(w, SL_DEFINE_EXTENT, &b);
	free(b.at);
}

/* Returns the variable that contains the address, after defining it; NULL: there is none. */
static const struct sl_extent *
extent_get(struct sl_tape_writer *w, uint64_t address)
{
	size_t at = sl_extents_before(w->extents, w->extent_count, address);
	struct sl_extent extent;

	if (at && address - w->extents[at - 1].start < w->extents[at - 1].size)
		return &w->extents[at - 1];
	if (!w->namer.extent || !w->namer.extent(w->namer.data, address, &extent))
		return NULL;
	define_extent(w, at, &extent);
	return &w->extents[at];
}

/* Defines the name of what is at the address, unless this block has it. Of an array only one element has names. */
static void
mention(struct sl_tape_writer *w, uint64_t address, uint32_t size)
{
	const struct sl_extent *extent;
	uint64_t key = address << 8 | (size & 255);

	if (!w->namer.covers || !w->namer.covers(w->namer.data, address, address) ||
	    sl_has_seen(&w->variables, key))
		return;
	extent = extent_get(w, address);
	if (extent && extent->stride) {
		address = extent->start + (address - extent->start) % extent->stride;
		key = address << 8 | (size & 255);
		if (sl_has_seen(&w->variables, key))
			return;
	}
	if (w->named.count >= NAMED_MAX && !sl_has_seen(&w->named, key))
		return;
	sl_see(&w->variables, key);
	sl_see(&w->named, key);
	define_variable(w, address, size);
}

/* Defines the name of an item's object. */
static void
define_object(struct sl_tape_writer *w, const struct sl_item *item)
{
	switch (item->kind) {
	case SL_ITEM_CALL:
		if (w->namer.function && sl_see(&w->functions, item->object))
			define_named(w, SL_DEFINE_FUNCTION, item->object,
				     w->namer.function(w->namer.data, item->object));
		break;
	case SL_EVENT:
		if (w->namer.event && sl_see(&w->events, item->object))
			define_named(w, SL_DEFINE_EVENT, item->object,
				     w->namer.event(w->namer.data, item->object));
		break;
	case SL_CREATE:
		thread_created(w, item->thread, item->value);
		if (item->value < SL_TAPE_THREADS_MAX)
			define_thread(w, (uint32_t)item->value);
		break;
	case SL_JOIN:
		if (item->value < SL_TAPE_THREADS_MAX)
			define_thread(w, (uint32_t)item->value);
		break;
	case SL_ITEM_RETURN:
	case SL_ITEM_BRANCH:
	case SL_ALLOC:
	case SL_FREE:
		break;
	case SL_COND_WAIT:
		mention(w, item->value, 0); /* the mutex */
		mention(w, item->object, 0);
		break;
	default:
		mention(w, item->object, sl_kind_is(item->kind, SL_KIND_ACCESS) ? item->size : 0);
	}
}

/* ---- what the header declares ---- */

static struct sl_tape_writer *
writer_new(struct sl_tape_file *file, uint32_t lane, const struct sl_tape_namer *namer)
{
	struct sl_tape_writer *w = sl_must(calloc(1, sizeof(*w)));

	w->file = file;
	w->packer = sl_packer_new(file);
	w->lane = lane;
	if (namer)
		w->namer = *namer;
	w->code = sl_code_new();
	w->part = 1;
	threads_forget(w);
	begin(w);
	return w;
}

struct sl_tape_writer *
sl_tape_writer_new(const char *path, const struct sl_tape_head *head, const struct sl_tape_namer *namer,
		   struct sl_err *err)
{
	struct sl_tape_file *file = sl_tape_file_new(path, head, err);

	return file ? writer_new(file, 0, namer) : NULL;
}

struct sl_tape_writer *
sl_tape_writer_beside(const struct sl_tape_writer *first, uint32_t lane, const struct sl_tape_namer *namer)
{
	return writer_new(first->file, lane, namer);
}

static void
written(struct sl_tape_writer *w)
{
	w->count++;
	if (w->items.count + w->definitions.count >= BLOCK_RAW || w->count == BLOCK_ITEMS)
		flush(w);
}

int
sl_tape_write(struct sl_tape_writer *w, const struct sl_item *item)
{
	if (sl_tape_file_has_failed(w->file) || item->thread >= SL_TAPE_THREADS_MAX)
		return -1;
	define_thread(w, item->thread);
	define_object(w, item);
	if (sl_code_write(w->code, &w->items, item) && sl_see(&w->places, item->pc)) {
		define_place(w, item->pc);
		define_sites(w, item->pc);
	}
	w->number++;
	w->total++;
	written(w);
	return sl_tape_file_has_failed(w->file) ? -1 : 0;
}

/* Returns whether everything between these addresses has the names that it needs: see mention(). */
static bool
is_named(void *data, uint64_t first, uint64_t last, uint64_t step, uint8_t size)
{
	struct sl_tape_writer *w = data;
	const struct sl_extent *extent;
	uint64_t key = first << 8 | size, *recent = sl_recent_at(&w->elements, key);
	size_t at;

	if (!w->namer.covers || !w->namer.covers(w->namer.data, first, last))
		return last - first < 1u << 30;
	if (first == last && (*recent == key || sl_has_seen(&w->variables, key)))
		return true;
	at = sl_extents_before(w->extents, w->extent_count, first);
	extent = at ? &w->extents[at - 1] : NULL;
	if (!extent || last - extent->start >= extent->size || !extent->stride ||
	    (first != last && (int64_t)step % (int64_t)extent->stride))
		return false;
	if (!sl_has_seen(&w->variables, (extent->start + (first - extent->start) % extent->stride) << 8 | size))
		return false;
	if (first == last)
		*recent = key;
	return true;
}

static void
wrote(struct sl_tape_writer *w, uint64_t items)
{
	if (!items)
		return;
	w->number += items;
	w->total += items;
	w->count += (uint32_t)items - 1;
	written(w);
}

/* Returns whether words of this thread can be written as they are. */
static bool
is_ready(const struct sl_tape_writer *w, uint32_t thread)
{
	uint64_t low = 0, high = 0;

	if (sl_tape_file_has_failed(w->file) || thread >= w->thread_count || w->threads[thread].stamp != w->stamp)
		return false;
	if (w->namer.bare)
		w->namer.bare(w->namer.data, &low, &high);
	sl_code_bare(w->code, low, high);
	return true;
}

uint64_t
sl_tape_write_words(struct sl_tape_writer *w, uint32_t thread, const uint64_t *words, uint64_t count,
		    uint64_t limit)
{
	uint64_t items = 0, taken;

	if (!is_ready(w, thread))
		return 0;
	taken = sl_code_write_words(w->code, &w->items, thread, words, count, limit, BLOCK_ITEMS - w->count,
				    is_named, w, &items);
	wrote(w, items);
	return taken;
}

uint64_t
sl_tape_write_loop(struct sl_tape_writer *w, uint32_t thread, const struct sl_reel_loop *loop, uint64_t first,
		   uint64_t count)
{
	uint64_t items;

	if (!is_ready(w, thread))
		return 0;
	if (count > BLOCK_ITEMS - w->count)
		count = BLOCK_ITEMS - w->count;
	items = sl_code_write_loop(w->code, &w->items, thread, loop, first, count, is_named, w);
	wrote(w, items);
	return items;
}

void
sl_tape_write_named(struct sl_tape_writer *w, uint32_t thread)
{
	thread_get(w, thread)->stamp = 0;
	define_thread(w, thread);
}

void
sl_tape_write_flush(struct sl_tape_writer *w)
{
	flush(w);
}

void
sl_tape_write_forget(struct sl_tape_writer *w)
{
	flush(w);
	define(w, SL_DEFINE_FORGET, &(struct sl_bytes){0});
}

/* Also in the middle of a block, since executions may be short and are much alike. */
void
sl_tape_write_part(struct sl_tape_writer *w, uint64_t execution)
{
	bool first = !w->execution && !w->total;

	threads_forget(w);
	w->execution = execution;
	w->number = 0;
	w->stamp++;
	if (first) {
		w->first_execution = execution;
		return;
	}
	w->part++;
	sl_code_write(w->code, &w->items, &(struct sl_item){.kind = SL_TAPE_PART, .value = execution});
	written(w);
}

static void
writer_free(struct sl_tape_writer *w)
{
	void *own[] = {w->threads,    w->places.keys,    w->variables.keys, w->extents,
		       w->named.keys, w->functions.keys, w->events.keys,    w->definitions.at,
		       w->items.at};

	for (uint32_t i = 0; i < w->thread_count; i++)
		free(w->threads[i].path);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		free(own[i]);
	sl_packer_free(w->packer);
	sl_code_free(w->code);
	free(w);
}

void
sl_tape_writer_leave(struct sl_tape_writer *w)
{
	flush(w);
	sl_tape_file_count(w->file, w->total);
	writer_free(w);
}

int
sl_tape_writer_free(struct sl_tape_writer *w, struct sl_tape_end *how, struct sl_err *err)
{
	struct sl_tape_file *file = w->file;

	flush(w);
	define_text(w, SL_DEFINE_ENDED, how->how);
	if (how->missing)
		define_text(w, SL_DEFINE_MISSING, how->missing);
	end(w, SL_BLOCK_LAST);
	sl_tape_file_count(file, w->total);
	writer_free(w);
	return sl_tape_file_free(file, &how->items, &how->bytes, err);
}
