#include "trace/tape/scene.h"

#include "base/rng.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BITS 12
#define PAGES_MAX 64 /* pages of a block up to which it is in the list of each of its pages; a larger block is in one list */

struct thread {
	uint64_t *calls; /* the functions that the thread is in */
	size_t call_count, call_room;
	struct sl_held_book held;
	uint64_t stack_low, stack_high; /* 0, 0: unknown */
	const char *start;              /* its start function; NULL: unknown */
};

struct block {
	uint64_t address, size;
	uint64_t pc;
	uint64_t ordinal; /* its number among the blocks of its thread and calls, from 1 */
	uint32_t thread;
	uint32_t uses; /* the number of lists that have it */
	uint64_t callers[SL_SCENE_CALLERS]; /* functions, the innermost first */
};

/* A block in the list of a page. */
struct entry {
	struct block *block;
	struct entry *next;
};

/* A number by a hash, in a table that grows. */
struct counts {
	struct {
		uint64_t key, count;
	} * slots;
	size_t used, capacity;
};

struct sl_scene {
	const struct sl_tape *tape;
	struct thread *threads;
	size_t thread_count;
	struct entry **pages; /* by hash of the page */
	size_t page_room, entry_count;
	struct entry *large;
	struct counts counts;
	struct counts channels; /* by channel: the value of its IO_OPEN, plus one */
};

struct sl_scene *
sl_scene_new(const struct sl_tape *tape)
{
	struct sl_scene *s = sl_must(calloc(1, sizeof(*s)));

	s->tape = tape;
	s->page_room = 1024;
	s->pages = sl_must(calloc(s->page_room, sizeof(*s->pages)));
	return s;
}

static void
list_free(struct entry *list)
{
	for (struct entry *next; list; list = next) {
		next = list->next;
		if (!--list->block->uses)
			free(list->block);
		free(list);
	}
}

void
sl_scene_forget(struct sl_scene *s)
{
	for (size_t i = 0; i < s->thread_count; i++) {
		free(s->threads[i].calls);
		free(s->threads[i].held.holds);
	}
	free(s->threads);
	s->threads = NULL;
	s->thread_count = 0;
	for (size_t i = 0; i < s->page_room; i++) {
		list_free(s->pages[i]);
		s->pages[i] = NULL;
	}
	list_free(s->large);
	s->large = NULL;
	s->entry_count = 0;
	free(s->counts.slots);
	s->counts = (struct counts){0};
	free(s->channels.slots);
	s->channels = (struct counts){0};
}

void
sl_scene_free(struct sl_scene *s)
{
	if (!s)
		return;
	sl_scene_forget(s);
	free(s->pages);
	free(s);
}

static struct thread *
thread_get(struct sl_scene *s, uint32_t id)
{
	if (id >= s->thread_count) {
		size_t count = (size_t)id + 1 + id / 2;

		s->threads = sl_must(realloc(s->threads, count * sizeof(*s->threads)));
		memset(s->threads + s->thread_count, 0, (count - s->thread_count) * sizeof(*s->threads));
		s->thread_count = count;
	}
	return &s->threads[id];
}

/* Returns where the number of this key is; it is 0 for a new key, and the caller has to set it then. */
static uint64_t *
count_of(struct counts *c, uint64_t key)
{
	if (c->used * 2 >= c->capacity) {
		struct counts more = {.capacity = c->capacity ? 2 * c->capacity : 256};

		more.slots = sl_must(calloc(more.capacity, sizeof(*more.slots)));
		more.used = c->used;
		for (size_t i = 0; i < c->capacity; i++) {
			size_t at = c->slots[i].key & (more.capacity - 1);

			if (!c->slots[i].count)
				continue;
			while (more.slots[at].count)
				at = (at + 1) & (more.capacity - 1);
			more.slots[at] = c->slots[i];
		}
		free(c->slots);
		*c = more;
	}
	for (size_t at = key & (c->capacity - 1);; at = (at + 1) & (c->capacity - 1)) {
		if (c->slots[at].count && c->slots[at].key != key)
			continue;
		c->used += !c->slots[at].count;
		c->slots[at].key = key;
		return &c->slots[at].count;
	}
}

/* ---- blocks of the heap ---- */

static struct entry **
page_list(const struct sl_scene *s, uint64_t page)
{
	return &s->pages[sl_mix(page) & (s->page_room - 1)];
}

static bool
is_large(const struct block *b)
{
	return b->size >> PAGE_BITS >= PAGES_MAX;
}

static void
enlist(struct sl_scene *s, struct entry **list, struct block *b)
{
	struct entry *e = sl_must(malloc(sizeof(*e)));

	*e = (struct entry){b, *list};
	*list = e;
	b->uses++;
	s->entry_count++;
}

static void
grow(struct sl_scene *s)
{
	struct entry **old = s->pages;
	size_t room = s->page_room;

	s->page_room *= 4;
	s->pages = sl_must(calloc(s->page_room, sizeof(*s->pages)));
	for (size_t i = 0; i < room; i++)
		for (struct entry *e = old[i], *next; e; e = next) {
			/*
			 * an entry does not say which page it stands for: it is one of the block's pages that hash
			 * to this list
			 */
			uint64_t first = e->block->address >> PAGE_BITS,
				 last = (e->block->address + e->block->size) >> PAGE_BITS;

			next = e->next;
			for (uint64_t page = first; page <= last; page++)
				if ((sl_mix(page) & (room - 1)) == i) {
					struct entry *copy = sl_must(malloc(sizeof(*copy)));
					struct entry **list = page_list(s, page);

					*copy = (struct entry){e->block, *list};
					*list = copy;
					e->block->uses++;
				}
			e->block->uses--;
			free(e);
		}
	free(old);
}

/* Returns the block that contains the address; NULL: there is none. */
static const struct block *
block_at(const struct sl_scene *s, uint64_t address)
{
	for (const struct entry *e = *page_list(s, address >> PAGE_BITS); e; e = e->next)
		if (address - e->block->address < (e->block->size ? e->block->size : 1))
			return e->block;
	for (const struct entry *e = s->large; e; e = e->next)
		if (address - e->block->address < e->block->size)
			return e->block;
	return NULL;
}

static void
list_remove(struct sl_scene *s, struct entry **list, struct block *b)
{
	for (struct entry **at = list; *at;) {
		struct entry *e = *at;

		if (e->block != b) {
			at = &e->next;
			continue;
		}
		*at = e->next;
		free(e);
		s->entry_count--;
		b->uses--;
	}
}

static void
block_remove(struct sl_scene *s, struct block *b)
{
	if (is_large(b)) {
		list_remove(s, &s->large, b);
	} else {
		for (uint64_t page = b->address >> PAGE_BITS; page <= (b->address + b->size) >> PAGE_BITS; page++)
			list_remove(s, page_list(s, page), b);
	}
	if (!b->uses)
		free(b);
}

static void
allocated(struct sl_scene *s, const struct sl_item *item)
{
	const struct block *old = block_at(s, item->object);
	const struct thread *t = thread_get(s, item->thread);
	struct block *b = sl_must(calloc(1, sizeof(*b)));
	struct sl_place place;
	uint64_t key;

	if (old && old->address == item->object) /* the free of the old block was not seen */
		block_remove(s, (struct block *)old);
	*b = (struct block){.address = item->object, .size = item->value, .pc = item->pc, .thread = item->thread};
	/* two calls on one line share a name */
	sl_tape_place(s->tape, item->pc, &place);
	key = sl_mix((uint64_t)(place.line ? place.file : place.function) ^ (uint64_t)item->thread << 48);
	key = sl_mix(key ^ (place.line ? place.line : place.offset));
	for (size_t i = 0; i < SL_SCENE_CALLERS && i < t->call_count; i++) {
		b->callers[i] = t->calls[t->call_count - 1 - i];
		key = sl_mix(key ^ b->callers[i]);
	}
	b->ordinal = ++*count_of(&s->counts, key);
	if (is_large(b)) {
		enlist(s, &s->large, b);
		return;
	}
	if (s->entry_count > 2 * s->page_room)
		grow(s);
	for (uint64_t page = b->address >> PAGE_BITS; page <= (b->address + b->size) >> PAGE_BITS; page++)
		enlist(s, page_list(s, page), b);
} /* NOLINT(clang-analyzer-unix.Malloc): there is at least one page, whose list has it now */

/* ---- calls and locks ---- */

static void
called(struct thread *t, const struct sl_item *item)
{
	if (t->call_count == t->call_room) {
		t->call_room = t->call_room ? 2 * t->call_room : 16;
		t->calls = sl_must(realloc(t->calls, t->call_room * sizeof(*t->calls)));
	}
	t->calls[t->call_count++] = item->object;
}

/* The place of a held lock is where it was taken. */
static void
locked_or_unlocked(struct thread *t, const struct sl_item *item)
{
	struct sl_held_book *held = &t->held;

	if (held->count == held->room) {
		held->room = held->room ? 2 * held->room : 8;
		held->holds = sl_must(realloc(held->holds, held->room * sizeof(*held->holds)));
	}
	sl_held_perform(held, item->kind, item->object, item->value, item->pc);
}

void
sl_scene_before(struct sl_scene *s, const struct sl_item *item)
{
	struct sl_place place;
	struct thread *t;

	if (item->kind == SL_ALLOC && item->object) {
		allocated(s, item);
	} else if (item->kind == SL_START) {
		t = thread_get(s, item->thread);
		for (size_t i = 0; i < s->thread_count; i++) /* its thread may have ended */
			if (item->object < s->threads[i].stack_high && s->threads[i].stack_low < item->value)
				s->threads[i].stack_low = s->threads[i].stack_high = 0;
		t->stack_low = item->object;
		t->stack_high = item->value;
		t->start = sl_tape_place(s->tape, item->pc, &place) && place.line ? place.function : NULL;
	} else if (item->kind == SL_IO_OPEN && item->value < UINT64_MAX - 4095) {
		*count_of(&s->channels, sl_mix(item->object)) = item->value + 1;
	}
}

void
sl_scene_after(struct sl_scene *s, const struct sl_item *item)
{
	struct thread *t = thread_get(s, item->thread);
	const struct block *b;

	if (sl_kind_is(item->kind, SL_KIND_SYNC)) {
		locked_or_unlocked(t, item);
	} else if (item->kind == SL_ITEM_CALL) {
		called(t, item);
	} else if (item->kind == SL_ITEM_RETURN) {
		t->call_count -= t->call_count > 0;
	} else if (item->kind == SL_FREE) {
		b = block_at(s, item->object);
		if (b && b->address == item->object)
			block_remove(s, (struct block *)b);
	}
}

size_t
sl_scene_locks(const struct sl_scene *s, uint32_t thread, const struct sl_hold **locks)
{
	if (thread >= s->thread_count)
		return 0;
	*locks = s->threads[thread].held.holds;
	return s->threads[thread].held.count;
}

uint64_t
sl_scene_channel(const struct sl_scene *s, uint64_t address)
{
	uint64_t *made = count_of((struct counts *)&s->channels, sl_mix(address));

	*made += !*made; /* 0 means a free slot, so an unknown function gets another number */
	return *made - 1 ? *made - 1 : UINT64_MAX;
}

uint64_t
sl_scene_size(const struct sl_scene *s, const struct sl_item *item)
{
	const struct block *b = item->kind == SL_FREE ? block_at(s, item->object) : NULL;

	return b && b->address == item->object ? b->size : item->value;
}

uint64_t
sl_scene_function(const struct sl_scene *s, const struct sl_item *item)
{
	const struct thread *t = item->thread < s->thread_count ? &s->threads[item->thread] : NULL;

	if (item->kind == SL_ITEM_CALL)
		return item->object;
	return item->kind == SL_ITEM_RETURN && t && t->call_count ? t->calls[t->call_count - 1] : 0;
}

/* ---- what is at an address ---- */

bool
sl_scene_block(const struct sl_scene *s, uint64_t address, struct sl_scene_block *block)
{
	const struct block *b = block_at(s, address);

	if (!b)
		return false;
	*block = (struct sl_scene_block){b->pc, b->thread, b->ordinal, address - b->address, {NULL}, 0};
	for (size_t i = 0; i < SL_SCENE_CALLERS && b->callers[i]; i++) {
		const char *name = sl_tape_function(s->tape, b->callers[i]);

		block->callers[block->caller_count++] = name ? name : "??";
	}
	return true;
}

bool
sl_scene_stack(const struct sl_scene *s, uint64_t address, uint32_t *thread, uint64_t *depth)
{
	for (size_t i = 0; i < s->thread_count; i++) {
		const struct thread *t = &s->threads[i];

		if (address - t->stack_low >= t->stack_high - t->stack_low)
			continue;
		*thread = (uint32_t)i;
		*depth = t->stack_high - address;
		return true;
	}
	return false;
}

const char *
sl_scene_start(const struct sl_scene *s, uint32_t thread)
{
	return thread < s->thread_count ? s->threads[thread].start : NULL;
}
