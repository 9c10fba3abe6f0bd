#include "trace/tape/scene.h"

#include "base/rng.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BITS 12
#define PAGES_MAX 64  /* of a block that is in the lists of its pages; larger ones are in one list */
#define CALLERS_MAX 3 /* that are named */

struct thread {
	uint64_t *calls; /* functions */
	size_t call_count, call_room;
	struct sl_scene_lock *locks;
	size_t lock_count, lock_room;
	uint64_t stack_low, stack_high; /* 0, 0: unknown */
};

struct block {
	uint64_t address, size;
	uint64_t pc;
	uint64_t ordinal; /* among those of its thread and calls, from 1 */
	uint32_t thread;
	uint32_t uses;                 /* lists that it is in */
	uint64_t callers[CALLERS_MAX]; /* functions, the innermost first */
};

/* A block in the list of a page. */
struct entry {
	struct block *block;
	struct entry *next;
};

/* Number by hash; grows. */
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
	struct counts channels; /* what IO_OPEN said, plus one */
};

static void *
must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

struct sl_scene *
sl_scene_new(const struct sl_tape *tape)
{
	struct sl_scene *s = must(calloc(1, sizeof(*s)));

	s->tape = tape;
	s->page_room = 1024;
	s->pages = must(calloc(s->page_room, sizeof(*s->pages)));
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
		free(s->threads[i].locks);
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

		s->threads = must(realloc(s->threads, count * sizeof(*s->threads)));
		memset(s->threads + s->thread_count, 0, (count - s->thread_count) * sizeof(*s->threads));
		s->thread_count = count;
	}
	return &s->threads[id];
}

/* The number of those with this key; if it is 0 there are none yet, and it has to be set. */
static uint64_t *
count_of(struct counts *c, uint64_t key)
{
	if (c->used * 2 >= c->capacity) {
		struct counts more = {.capacity = c->capacity ? 2 * c->capacity : 256};

		more.slots = must(calloc(more.capacity, sizeof(*more.slots)));
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
	struct entry *e = must(malloc(sizeof(*e)));

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
	s->pages = must(calloc(s->page_room, sizeof(*s->pages)));
	for (size_t i = 0; i < room; i++)
		for (struct entry *e = old[i], *next; e; e = next) {
			/* in which of its pages' lists this was is not known; it is in that of one which hashes there */
			uint64_t first = e->block->address >> PAGE_BITS,
				 last = (e->block->address + e->block->size) >> PAGE_BITS;

			next = e->next;
			for (uint64_t page = first; page <= last; page++)
				if ((sl_mix(page) & (room - 1)) == i) {
					struct entry *copy = must(malloc(sizeof(*copy)));
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

/* The block that the address is in, or just behind. NULL: none. */
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
	struct block *b = must(calloc(1, sizeof(*b)));
	struct sl_place place;
	uint64_t key;

	if (old && old->address == item->object) /* that it was freed was not seen */
		block_remove(s, (struct block *)old);
	*b = (struct block){.address = item->object, .size = item->value, .pc = item->pc, .thread = item->thread};
	/* two calls on one line have one name */
	sl_tape_place(s->tape, item->pc, &place);
	key = sl_mix((uint64_t)(place.line ? place.file : place.function) ^ (uint64_t)item->thread << 48);
	key = sl_mix(key ^ (place.line ? place.line : place.offset));
	for (size_t i = 0; i < CALLERS_MAX && i < t->call_count; i++) {
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
		t->calls = must(realloc(t->calls, t->call_room * sizeof(*t->calls)));
	}
	t->calls[t->call_count++] = item->object;
}

static void
taken(struct thread *t, const struct sl_item *item, bool read)
{
	if (t->lock_count == t->lock_room) {
		t->lock_room = t->lock_room ? 2 * t->lock_room : 8;
		t->locks = must(realloc(t->locks, t->lock_room * sizeof(*t->locks)));
	}
	t->locks[t->lock_count++] = (struct sl_scene_lock){item->object, item->pc, read};
}

/* The last of those that it took. */
static void
given(struct thread *t, uint64_t object)
{
	for (size_t i = t->lock_count; i-- > 0;)
		if (t->locks[i].object == object) {
			memmove(&t->locks[i], &t->locks[i + 1], (--t->lock_count - i) * sizeof(*t->locks));
			return;
		}
}

bool
sl_item_acquires(const struct sl_item *item, bool *read)
{
	*read = item->kind == SL_RW_RDLOCK;
	switch (item->kind) {
	case SL_MUTEX_LOCK:
	case SL_MUTEX_TRYLOCK:
	case SL_MUTEX_TIMEDLOCK:
	case SL_RW_RDLOCK:
	case SL_RW_WRLOCK:
	case SL_SPIN_LOCK:
		return item->value == 0 || item->value == EOWNERDEAD;
	case SL_COND_RELOCK: /* its value is how the wait ended */
		return true;
	default:
		return false;
	}
}

bool
sl_item_releases(const struct sl_item *item, uint64_t *object)
{
	*object = item->kind == SL_COND_WAIT ? item->value : item->object;
	return item->kind == SL_MUTEX_UNLOCK || item->kind == SL_RW_UNLOCK || item->kind == SL_SPIN_UNLOCK ||
	       item->kind == SL_COND_WAIT;
}

void
sl_scene_before(struct sl_scene *s, const struct sl_item *item)
{
	struct thread *t;

	if (item->kind == SL_ALLOC && item->object) {
		allocated(s, item);
	} else if (item->kind == SL_START) {
		t = thread_get(s, item->thread);
		for (size_t i = 0; i < s->thread_count; i++) /* of one that has ended */
			if (item->object < s->threads[i].stack_high && s->threads[i].stack_low < item->value)
				s->threads[i].stack_low = s->threads[i].stack_high = 0;
		t->stack_low = item->object;
		t->stack_high = item->value;
	} else if (item->kind == SL_IO_OPEN && item->value < UINT64_MAX - 4095) {
		*count_of(&s->channels, sl_mix(item->object)) = item->value + 1;
	}
}

void
sl_scene_after(struct sl_scene *s, const struct sl_item *item)
{
	struct thread *t = thread_get(s, item->thread);
	const struct block *b;
	uint64_t object;
	bool read;

	if (sl_item_acquires(item, &read)) {
		taken(t, item, read);
	} else if (sl_item_releases(item, &object)) {
		given(t, object);
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
sl_scene_locks(const struct sl_scene *s, uint32_t thread, const struct sl_scene_lock **locks)
{
	if (thread >= s->thread_count)
		return 0;
	*locks = s->threads[thread].locks;
	return s->threads[thread].lock_count;
}

uint64_t
sl_scene_channel(const struct sl_scene *s, uint64_t address)
{
	uint64_t *made = count_of((struct counts *)&s->channels, sl_mix(address));

	*made += !*made; /* kept as unknown: 0 is nobody's */
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

/* ---- names ---- */

const char *
sl_scene_thread(const struct sl_scene *s, uint32_t thread, char *text, size_t room)
{
	const char *name = sl_tape_thread_name(s->tape, thread);

	if (!thread)
		snprintf(text, room, "main");
	else
		snprintf(text, room, "T%" PRIu32 "%s%s", thread, name ? " " : "", name ? name : "");
	return text;
}

/* "heap block from list.c:31 (add < run) #2 of 0.1, +8" */
static void
format_block(const struct sl_scene *s, const struct block *b, uint64_t address, char *text, size_t room)
{
	const char *path = sl_tape_thread_path(s->tape, b->thread);
	const char *inner = b->callers[0] ? sl_tape_function(s->tape, b->callers[0]) : NULL;
	struct sl_place place;
	size_t n, count = 0;

	sl_tape_place(s->tape, b->pc, &place);
	if (place.line)
		n = (size_t)snprintf(text, room, "heap block from %s:%" PRIu32 " (", place.file, place.line);
	else
		n = (size_t)snprintf(text, room, "heap block from %s (", place.file);
	/* one that was inlined, or is not instrumented */
	if (strcmp(place.function, "??") != 0 && (!inner || strcmp(place.function, inner) != 0) && n < room) {
		n += (size_t)snprintf(text + n, room - n, "%s", place.function);
		count++;
	}
	for (size_t i = 0; count < CALLERS_MAX && i < CALLERS_MAX && b->callers[i] && n < room; i++, count++) {
		const char *name = sl_tape_function(s->tape, b->callers[i]);

		n += (size_t)snprintf(text + n, room - n, "%s%s", count ? " < " : "", name ? name : "??");
	}
	if (n < room)
		n += (size_t)snprintf(text + n, room - n, ") #%" PRIu64 " of %s", b->ordinal,
				      path ? path : "an unknown thread");
	if (n < room && address != b->address)
		snprintf(text + n, room - n, ", +%" PRIu64, address - b->address);
}

const char *
sl_scene_address(const struct sl_scene *s, uint64_t address, uint32_t size, char *text, size_t room)
{
	const struct block *b;

	if (sl_tape_variable(s->tape, address, size, text, room))
		return text;
	b = block_at(s, address);
	if (b) {
		format_block(s, b, address, text, room);
		return text;
	}
	for (size_t i = 0; i < s->thread_count; i++) {
		const struct thread *t = &s->threads[i];
		const char *path = sl_tape_thread_path(s->tape, (uint32_t)i);

		if (address - t->stack_low >= t->stack_high - t->stack_low)
			continue;
		snprintf(text, room, "stack of %s, -%" PRIu64, path ? path : "an unknown thread",
			 t->stack_high - address);
		return text;
	}
	if (address < 4096)
		snprintf(text, room, "NULL+%" PRIu64, address);
	else
		snprintf(text, room, "0x%" PRIx64, address);
	return text;
}

const char *
sl_scene_object(const struct sl_scene *s, const struct sl_item *item, char *text, size_t room)
{
	uint64_t object = item->object;
	const char *name = NULL;

	*text = '\0';
	switch (item->kind) {
	case SL_ITEM_CALL:
	case SL_ITEM_RETURN:
		object = sl_scene_function(s, item);
		if (!object)
			return text;
		name = sl_tape_function(s->tape, object);
		break;
	case SL_EVENT:
		name = sl_tape_event(s->tape, object);
		break;
	default:
		if (item->object)
			sl_scene_address(s, item->object,
					 item->kind >= SL_READ && item->kind <= SL_ATOMIC_UPDATE ? item->size : 0,
					 text, room);
		return text;
	}
	if (name)
		snprintf(text, room, "%s", name);
	else
		snprintf(text, room, "0x%" PRIx64, object);
	return text;
}
