#include "report/words.h"

#include "base/rng.h"
#include "base/shown.h"
#include "trace/lane/wordlist.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Local variables have no symbols. The engine puts stacks here (engine/under/layout.h); the kernel puts the first
 * one at the top.
 */
#define STACKS_LOW 0x630000000000u
#define STACKS_HIGH 0x680000000000u
#define FIRST_STACK_LOW 0x7ffff8000000u /* without address randomisation; mappings, of files too, lie below */

/* bytes of a range that are looked at: a memset of a gigabyte is not worth the memory */
#define RANGE_MAX 16384u

/* A block of the heap: an ALLOC record. */
struct sl_words_block {
	uint64_t address, size, pc;
	uint64_t record;
	uint32_t stack;
	uint32_t ordinal; /* its number among the blocks from its place, from 1 */
	uint32_t last;    /* the number of all blocks from there */
};

/* Maps an address to a number, by open addressing; for the two questions below. */
struct slot {
	uint64_t key; /* the address plus one */
	uint32_t value;
	unsigned char many, written;
};

struct table {
	struct slot *slots;
	size_t count, capacity;
};

static struct slot *
slot_for(struct table *t, uint64_t key)
{
	if (t->count * 2 >= t->capacity) {
		struct table bigger = {NULL, 0, t->capacity ? t->capacity * 2 : 1024};

		bigger.slots = sl_must(calloc(bigger.capacity, sizeof(*bigger.slots)));
		for (size_t i = 0; i < t->capacity; i++)
			if (t->slots[i].key)
				*slot_for(&bigger, t->slots[i].key - 1) = t->slots[i];
		free(t->slots);
		*t = bigger;
	}
	size_t i = (key * 0x9e3779b97f4a7c15u >> 20) & (t->capacity - 1);

	while (t->slots[i].key && t->slots[i].key != key + 1)
		i = (i + 1) & (t->capacity - 1);
	if (!t->slots[i].key) {
		t->slots[i].key = key + 1;
		t->count++;
	}
	return &t->slots[i];
}

static bool
is_access(unsigned kind)
{
	return sl_kind_is((uint8_t)kind, SL_KIND_ACCESS);
}

static uint64_t
bytes_of(const struct sl_record *r)
{
	if (r->op.kind == SL_FREE || (r->op.flags & SL_OP_RANGE))
		return r->value < RANGE_MAX ? r->value + !r->value : RANGE_MAX;
	return r->op.size ? r->op.size : 1;
}

/* Returns whether the operation touches data or an object, which other threads may touch, too. */
static bool
touches(const struct sl_record *r)
{
	return r->op.object && r->op.kind != SL_ALLOC && (r->op.flags & (SL_OP_READS | SL_OP_WRITES));
}

/*
 * By words of 4 bytes: neighbours in one word count as the same. That shows a line too many now and then, and
 * takes a quarter of the memory.
 */
static void
find_shared(struct sl_words *w)
{
	const struct sl_trace *trace = w->trace;
	struct table t = {0};

	/* a pending operation touches, too: in a deadlock these matter most */
	for (uint32_t i = 0; i < trace->thread_count; i++) {
		const struct sl_op *op = &trace->threads[i].pending;

		if (trace->threads[i].state != SL_THREAD_ENDED && op->object && !(op->flags & SL_OP_SILENT)) {
			struct slot *s = slot_for(&t, op->object >> 2);

			s->many |= s->value && s->value != trace->threads[i].id + 1;
			s->value = trace->threads[i].id + 1;
			s->written |= (op->flags & SL_OP_WRITES) != 0;
		}
	}

	for (int pass = 0; pass < 2; pass++) {
		for (uint64_t i = 0; i < trace->count; i++) {
			const struct sl_record *r = &trace->records[i];

			if (!touches(r))
				continue;
			uint64_t last = (r->op.object + bytes_of(r) - 1) >> 2;

			for (uint64_t word = r->op.object >> 2; word <= last; word++) {
				struct slot *s = slot_for(&t, word);

				if (pass) {
					w->shared[i] |= s->many && s->written;
				} else {
					s->many |= s->value && s->value != r->op.thread + 1;
					s->value = r->op.thread + 1;
					s->written |= (r->op.flags & SL_OP_WRITES) != 0;
				}
			}
		}
	}
	free(t.slots);
}

static void
find_next(struct sl_words *w)
{
	struct table t = {0};

	for (uint64_t i = w->trace->count; i-- > 0;) {
		const struct sl_record *r = &w->trace->records[i];

		if (!is_access(r->op.kind) || (r->op.flags & SL_OP_RANGE))
			continue;
		struct slot *s = slot_for(&t, r->op.object);

		if (s->value && w->trace->records[s->value].op.size == r->op.size)
			w->next[i] = s->value;
		s->value = (uint32_t)i;
	}
	free(t.slots);
}

static int
by_address(const void *a, const void *b)
{
	const struct sl_words_block *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

/* Formats where a block comes from. */
static const char *
format_origin(const struct sl_words *w, const struct sl_words_block *b, bool full, char *text, size_t room)
{
	struct sl_place place;

	if (!sl_stack_block(w, b->pc, b->stack, &place))
		snprintf(text, room, b->pc ? "0x%" PRIx64 : "an unknown place", b->pc);
	else if (full || !place.line)
		sl_place_format(&place, text, room);
	else
		sl_line_format(&place, text, room);
	sl_shown_in_place(text, room);
	return text;
}

/* The same for all blocks that are shown with the same place. */
static uint64_t
place_key(const struct sl_words *w, const struct sl_words_block *b)
{
	char text[256];
	uint64_t key = 0;

	format_origin(w, b, false, text, sizeof(text));
	for (const char *c = text; *c; c++)
		key = sl_mix(key + (unsigned char)*c);
	return key;
}

static void
find_blocks(struct sl_words *w)
{
	struct table places = {0};
	size_t room = 0;

	for (uint64_t i = 0; i < w->trace->count; i++) {
		const struct sl_record *r = &w->trace->records[i];

		if (r->op.kind != SL_ALLOC || !r->op.object)
			continue;
		if (w->block_count == room) {
			room = room ? room * 2 : 64;
			w->blocks = sl_must(realloc(w->blocks, room * sizeof(*w->blocks)));
		}
		struct sl_words_block *b = &w->blocks[w->block_count++];

		*b = (struct sl_words_block){.address = r->op.object,
					     .size = r->value,
					     .pc = r->op.pc,
					     .record = i,
					     .stack = r->stack};
		b->ordinal = ++slot_for(&places, place_key(w, b))->value;
	}
	for (size_t i = 0; i < w->block_count; i++)
		w->blocks[i].last = slot_for(&places, place_key(w, &w->blocks[i]))->value;
	if (w->block_count)
		qsort(w->blocks, w->block_count, sizeof(*w->blocks), by_address);
	free(places.slots);
}

void
sl_words_init(struct sl_words *words, const struct sl_trace *trace, struct sl_names *names)
{
	*words = (struct sl_words){.trace = trace, .names = names};
	words->next = sl_must(calloc(trace->count + 1, sizeof(*words->next)));
	words->shared = sl_must(calloc(trace->count + 1, 1));
	find_shared(words);
	find_next(words);
	find_blocks(words);
}

void
sl_words_release(struct sl_words *words)
{
	free(words->next);
	free(words->shared);
	free(words->blocks);
	*words = (struct sl_words){0};
}

const struct sl_thread_record *
sl_words_find_thread(const struct sl_words *words, uint32_t thread)
{
	const struct sl_trace *t = words->trace;

	if (thread < t->thread_count && t->threads[thread].id == thread)
		return &t->threads[thread];
	for (uint32_t i = 0; i < t->thread_count; i++)
		if (t->threads[i].id == thread)
			return &t->threads[i];
	return NULL;
}

const char *
sl_thread_short(uint32_t thread, char *text, size_t room)
{
	if (thread)
		snprintf(text, room, "T%" PRIu32, thread);
	else
		snprintf(text, room, "main");
	return text;
}

const char *
sl_words_thread(const struct sl_words *words, uint32_t thread, char *text, size_t room)
{
	const struct sl_thread_record *t = sl_words_find_thread(words, thread);
	const char *function = t && t->start && words->names ? sl_names_function(words->names, t->start) : NULL;

	/* the first thread has the program's name, which says nothing */
	if (!thread)
		return sl_thread_short(thread, text, room);
	if (t && t->name[0])
		snprintf(text, room, "T%" PRIu32 " %.*s", thread, (int)sizeof(t->name), t->name);
	else if (function)
		snprintf(text, room, "T%" PRIu32 " %s", thread, function);
	else
		sl_thread_short(thread, text, room);
	sl_shown_in_place(text, room);
	return text;
}

const char *
sl_words_line(const struct sl_words *words, uint64_t pc, uint32_t stack, char *text, size_t room)
{
	struct sl_place place;

	if (!sl_stack_own(words, pc, stack, &place))
		snprintf(text, room, pc ? "0x%" PRIx64 : "?", pc);
	else if (place.line)
		sl_line_format(&place, text, room);
	else
		sl_place_format(&place, text, room);
	sl_shown_in_place(text, room);
	return text;
}

const char *
sl_words_place(const struct sl_words *words, uint64_t pc, uint32_t stack, char *text, size_t room)
{
	struct sl_place place;

	if (sl_stack_own(words, pc, stack, &place))
		sl_place_format(&place, text, room);
	else
		snprintf(text, room, pc ? "0x%" PRIx64 : "an unknown place", pc);
	return text;
}

/* Returns the block that contained the address at that time. */
static const struct sl_words_block *
find_block(const struct sl_words *w, uint64_t address, uint64_t when)
{
	const struct sl_words_block *best = NULL;
	size_t low = 0, high = w->block_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->blocks[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/*
	 * memory is reused for blocks of other sizes, so the nearest block is not always the one; far blocks never
	 * are
	 */
	for (size_t tries = 0; low-- > 0 && tries < 256; tries++) {
		const struct sl_words_block *b = &w->blocks[low];

		if (address - b->address < (b->size ? b->size : 1) && b->record <= when &&
		    (!best || b->record > best->record))
			best = b;
	}
	return best;
}

bool
sl_words_is_machinery(const struct sl_words *words, uint64_t record)
{
	const struct sl_record *r = &words->trace->records[record];
	const struct sl_words_block *b = find_block(words, r->op.object, record);
	struct sl_place place;

	if (r->op.kind != SL_FREE && !sl_kind_is_plain(r->op.kind))
		return false;
	return (b && words->names && sl_names_place(words->names, b->pc, &place) &&
		strstr(place.file, "std_thread.h")) ||
	       sl_stack_is_library(words, r->op.pc, r->stack);
}

/*
 * Returns what the compiler said about the operation's object; NULL: it said nothing, or the address itself has a
 * name.
 */
static const struct sl_site *
site_of(const struct sl_words *w, const struct sl_op *op)
{
	bool second = op->kind == SL_COND_RELOCK || (op->flags & (SL_OP_READS | SL_OP_WRITES)) == SL_OP_WRITES;
	const struct sl_site *site;

	if (!w->names || op->object < SL_NULL_PAGES || sl_words_is_channel(op->object) ||
	    sl_words_is_team(op->object) || op->kind == SL_FREE || op->kind == SL_ALLOC)
		return NULL;
	site = sl_names_site(w->names, op->pc, second);
	return site && *site->text ? site : NULL;
}

/* Is the call stack, or one of its callers, that one? */
static bool
is_within(const struct sl_trace *trace, uint32_t stack, uint32_t wanted)
{
	while (stack && stack < trace->frame_count && stack != wanted)
		stack = trace->frames[stack].parent;
	return stack == wanted;
}

#define LOOK_BACK 100000u /* operations that are looked at for a name */

/* At `when`, was the function still running that performed the operation? */
static bool
is_running(const struct sl_words *w, uint64_t record, uint64_t when)
{
	const struct sl_record *r = &w->trace->records[record];
	uint64_t least = when > LOOK_BACK ? when - LOOK_BACK : 0;

	for (uint64_t i = when + 1; i-- > least;)
		if (w->trace->records[i].op.thread == r->op.thread)
			return r->stack && is_within(w->trace, w->trace->records[i].stack, r->stack);
	return false;
}

/* Does the operation access a variable that only its thread, or function, knows by a name? */
static const struct sl_site *
names_own(const struct sl_words *w, uint64_t record, uint64_t address)
{
	const struct sl_record *r = &w->trace->records[record];
	const struct sl_site *site = r->op.object == address ? site_of(w, &r->op) : NULL;
	const struct sl_site_object *o = site ? site->object : NULL;

	return o && *o->variable && (o->per_thread || o->kind == TABLE_LOCAL || o->kind == TABLE_PARAMETER) ? site
													    : NULL;
}

/*
 * A variable without a symbol, on a stack or thread-local, has a name if another operation accesses it by that. false: none does, or its
 * function may have ended in between.
 */
static bool
format_own(const struct sl_words *w, uint64_t address, uint64_t when, char *text, size_t room)
{
	const struct sl_trace *t = w->trace;
	uint64_t last = t->count ? t->count - 1 : 0, now = when < last ? when : last;
	char thread[SL_THREAD_NAME + 32];

	if (!t->count)
		return false;
	for (uint64_t distance = 0; distance < LOOK_BACK && (distance <= now || now + distance <= last);
	     distance++)
		for (unsigned later = 0; later < 2; later++) {
			uint64_t i = later ? now + distance : now - distance;
			const struct sl_site *site =
				i <= last && (later || distance <= now) ? names_own(w, i, address) : NULL;

			if (!site)
				continue;
			if (site->object->per_thread)
				snprintf(text, room, "%s, thread-local of %s", site->text,
					 sl_words_thread(w, t->records[i].op.thread, thread, sizeof(thread)));
			else if (is_running(w, i, now))
				snprintf(text, room, "%s, a local variable of %s", site->text,
					 site->object->scope);
			else
				continue;
			return true;
		}
	return false;
}

static bool
format_mapped(const struct sl_trace *t, uint64_t address, uint64_t when, char *text, size_t room)
{
	for (uint32_t i = t->mapped_count; i-- > 0;) {
		const struct sl_mapped_file *m = &t->mapped[i];

		if (address < m->low || address >= m->high ||
		    (m->from > t->dropped && m->from - t->dropped > when))
			continue;
		snprintf(text, room, "%s+0x%" PRIx64, m->name, address - m->low + m->offset);
		return true;
	}
	return false;
}

const char *
sl_words_object(const struct sl_words *words, uint64_t address, uint32_t size, uint64_t when, bool full,
		char *text, size_t room)
{
	const struct sl_words_block *b = find_block(words, address, when);
	struct sl_data data;
	char place[160];

	if (sl_words_is_channel(address)) {
		sl_words_channel(words, address, text, room);
	} else if (sl_words_is_team(address)) {
		snprintf(text, room, "%s", sl_words_team(address, SL_MUTEX_LOCK));
	} else if (!b && words->names && sl_names_data(words->names, address, size, &data)) {
		snprintf(text, room, "%s", data.name);
		sl_words_trim_lock(text);
	} else if (b) {
		struct sl_block_words block = {.ordinal = b->last > 1 ? b->ordinal : 0,
					       .bytes = full ? b->size : 0,
					       .place = place,
					       .offset = address - b->address};

		format_origin(words, b, full, place, sizeof(place));
		sl_block_format(&block, text, room);
	} else if (address >= SL_NULL_PAGES && (format_mapped(words->trace, address, when, text, room) ||
						format_own(words, address, when, text, room))) {
		/* it has a name */
	} else if ((address >= STACKS_LOW && address < STACKS_HIGH) || address >= FIRST_STACK_LOW) {
		snprintf(text, room, "a local variable at 0x%" PRIx64, address);
	} else {
		sl_unnamed_format(words->trace->modules, words->trace->module_count, address, text, room);
	}
	sl_shown_in_place(text, room);
	return text;
}

/* The block's number tells how many blocks its place has made. */
static void
format_site(const struct sl_site *site, const struct sl_words_block *b, char *text, size_t room)
{
	const struct sl_site_object *o = site->object;
	char number[16] = "";

	if (b && b->last > 1)
		snprintf(number, sizeof(number), " #%" PRIu32, b->ordinal);
	if (o->per_thread)
		snprintf(text, room, "%s (thread-local)", site->text);
	else if (o->kind == TABLE_LOCAL || o->kind == TABLE_PARAMETER)
		snprintf(text, room, "%s (a local variable of %s)", site->text, o->scope);
	else if (o->kind == TABLE_POINTED && *o->container)
		snprintf(text, room, "%s (%s%s)", site->text, o->container, number);
	else
		snprintf(text, room, "%s", site->text);
}

const char *
sl_words_site(const struct sl_words *words, const struct sl_op *op, char *text, size_t room)
{
	const struct sl_site *site = site_of(words, op);

	*text = '\0';
	if (site)
		format_site(site, NULL, text, room);
	sl_shown_in_place(text, room);
	return text;
}

const char *
sl_words_accessed(const struct sl_words *words, const struct sl_op *op, uint32_t size, uint64_t when, bool full,
		  char *text, size_t room)
{
	const struct sl_words_block *b = find_block(words, op->object, when);
	const struct sl_site *site = site_of(words, op);
	struct sl_data data;
	char place[256];
	size_t used;

	sl_words_object(words, op->object, size, when, full, text, room);
	if (!site || (!b && sl_names_data(words->names, op->object, size, &data)))
		return text;
	snprintf(place, sizeof(place), "%s", text);
	format_site(site, b, text, room);
	used = strlen(text);
	/* "m (a local variable of main)": it is not said twice */
	if (!strncmp(place, site->text, strlen(site->text)) && !strncmp(place + strlen(site->text), ", ", 2))
		memmove(place, place + strlen(site->text) + 2, strlen(place + strlen(site->text) + 2) + 1);
	/* the name of a member or variable is enough; an element needs its block */
	if (b && full && *site->object->container)
		snprintf(text + used, room - used, ", +%" PRIu64 " in %s", op->object - b->address,
			 sl_words_object(words, b->address, 0, when, true, place, sizeof(place)));
	else if (site->object->kind == TABLE_POINTED && !*site->object->container)
		snprintf(text + used, room - used, b ? " in %s" : " (%s)", place);
	sl_shown_in_place(text, room);
	return text;
}

struct sl_op
sl_culprit_op(const struct sl_finding *finding, const struct sl_culprit *culprit)
{
	return (struct sl_op){.object = finding->object,
			      .pc = culprit->pc,
			      .index = culprit->index,
			      .thread = culprit->thread,
			      .kind = culprit->kind,
			      .size = culprit->size,
			      .flags = culprit->flags};
}

/* Formats the bytes as the variable's type says. */
static void
format_value(const struct sl_words *w, const struct sl_op *op, uint64_t bits, char *text, size_t room)
{
	struct sl_data data = {.value = SL_VALUE_UNKNOWN};
	unsigned shift = op->size && op->size < 8 ? 64 - 8u * op->size : 0;
	uint64_t u = bits << shift >> shift;
	int64_t s = (int64_t)(bits << shift) >> shift;
	enum sl_value_kind kind = SL_VALUE_UNKNOWN;
	float f;
	double d;

	if (w->names && sl_names_data(w->names, op->object, op->size, &data) && data.size == op->size)
		kind = data.value;
	if (kind == SL_VALUE_FLOAT && op->size == 4) {
		memcpy(&f, &bits, 4);
		snprintf(text, room, "%g", (double)f);
	} else if (kind == SL_VALUE_FLOAT && op->size == 8) {
		memcpy(&d, &bits, 8);
		snprintf(text, room, "%g", d);
	} else if (kind == SL_VALUE_BOOL && u < 2) {
		snprintf(text, room, "%s", u ? "true" : "false");
	} else if (kind == SL_VALUE_CHAR && u >= 0x20 && u < 0x7f) {
		snprintf(text, room, "'%c'", (char)u);
	} else if (kind == SL_VALUE_POINTER && !u) {
		snprintf(text, room, "NULL");
	} else if (kind == SL_VALUE_POINTER && sl_names_data(w->names, u, 0, &data)) {
		snprintf(text, room, "&%s", data.name);
	} else if (kind == SL_VALUE_UNSIGNED) {
		snprintf(text, room, "%" PRIu64, u);
	} else if (kind == SL_VALUE_SIGNED || kind == SL_VALUE_CHAR ||
		   (kind != SL_VALUE_POINTER && s > -1000000 && s < 1000000)) {
		snprintf(text, room, "%" PRId64, s);
	} else {
		snprintf(text, room, "0x%" PRIx64, u);
	}
}

/* Formats what is known about an access: what it has read, replaced, stored. */
static void
format_change(const struct sl_words *w, uint64_t record, char *text, size_t room)
{
	const struct sl_record *r = &w->trace->records[record];
	uint32_t next = w->next[record];
	char before[64], after[64];

	text[0] = '\0';
	if (!r->op.size || r->op.size > 8 || r->op.object < SL_NULL_PAGES) /* nothing was read there */
		return;
	format_value(w, &r->op, r->value, before, sizeof(before));
	if (!(r->op.flags & SL_OP_WRITES)) {
		snprintf(text, room, " (= %s)", before);
	} else if (next) {
		format_value(w, &r->op, w->trace->records[next].value, after, sizeof(after));
		snprintf(text, room, " (%s -> %s)", before, after);
	} else {
		snprintf(text, room, " (was %s)", before);
	}
}

const char *
sl_words_event(const struct sl_words *words, const struct sl_op *op)
{
	if (sl_nameless(op->object))
		return sl_nameless(op->object);
	if (!words->trace->events || !op->object || op->object > words->trace->event_count)
		return "an event";
	return words->trace->events[op->object - 1];
}

#define DESCRIPTOR "file descriptor "

static bool
is_descriptor(const char *object)
{
	return !strncmp(object, DESCRIPTOR, strlen(DESCRIPTOR));
}

/* Races on other memory are between accesses, by whatever call. */
bool
sl_culprit_is_access(const struct sl_culprit *c, const char *object)
{
	return !is_descriptor(object) && c->kind != SL_FREE && !sl_kind_is(c->kind, SL_KIND_SYNC | SL_KIND_RENEWS);
}

const char *
sl_words_conflict(const struct sl_culprit *c, const char *object)
{
	if (is_descriptor(object))
		return c->flags & SL_OP_WRITES ? "changes" : "uses";
	if (sl_culprit_is_access(c, object))
		return c->flags & SL_OP_WRITES ? "writes" : "reads";
	return sl_kind_verb(c->kind);
}

/* A record as the narrator gets it. */
struct told {
	const struct sl_words *words;
	uint64_t record;
};

static const char *
told_thread(const void *of, uint32_t thread, char *text, size_t room)
{
	return sl_words_thread(((const struct told *)of)->words, thread, text, room);
}

static const char *
told_memory(const void *of, uint64_t address, uint32_t size, char *text, size_t room)
{
	const struct told *told = of;
	const struct sl_op *op = &told->words->trace->records[told->record].op;

	if (address == op->object)
		return sl_words_accessed(told->words, op, size, told->record, false, text, room);
	return sl_words_object(told->words, address, size, told->record, false, text, room);
}

static uint64_t
told_channel(const void *of, uint64_t address)
{
	return sl_words_made(((const struct told *)of)->words, address);
}

static const char *
told_event(const void *of, uint64_t number)
{
	return sl_words_event(((const struct told *)of)->words, &(struct sl_op){.object = number});
}

static const char *
told_kind(const void *of)
{
	(void)of;
	return sl_kind_verb(SL_ITEM_KIND_END);
}

static const char *
told_change(const void *of, char *text, size_t room)
{
	const struct told *told = of;

	format_change(told->words, told->record, text, room);
	return text;
}

const char *
sl_words_operation(const struct sl_words *words, uint64_t record, char *text, size_t room)
{
	struct told told = {words, record};
	struct sl_namer namer = {.of = &told,
				 .thread = told_thread,
				 .memory = told_memory,
				 .channel = told_channel,
				 .event = told_event,
				 .kind = told_kind,
				 .change = told_change};
	struct sl_narrated moment = sl_record_narrated(&words->trace->records[record]);

	sl_narrated_tell(&namer, &moment, text, room);
	sl_shown_in_place(text, room);
	return text;
}

size_t
sl_words_holds(const struct sl_words *words, uint32_t thread, uint64_t when, struct sl_hold *holds, size_t max)
{
	struct sl_held_book book = {holds, 0, (uint32_t)max};

	for (uint64_t i = 0; i < when && i < words->trace->count; i++) {
		const struct sl_record *r = &words->trace->records[i];

		if (r->op.thread == thread)
			sl_held_perform(&book, r->op.kind, r->op.object, r->value, i);
	}
	return book.count;
}

uint64_t
sl_words_find_record(const struct sl_words *words, uint32_t thread, uint64_t index)
{
	uint64_t best = UINT64_MAX;

	for (uint64_t i = 0; i < words->trace->count; i++) {
		const struct sl_record *r = &words->trace->records[i];

		if (r->op.thread == thread && r->op.index <= index)
			best = i;
	}
	return best;
}
