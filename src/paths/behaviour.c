#include "paths/behaviour.h"

#include "base/index.h"

#include "base/op_words.h"

#include <stdarg.h>
#include <stdio.h>

#define EVENTS_MAX (8ul << 20) /* of all executions together */

struct thread {
	uint64_t origin; /* its path */
	uint32_t root;
	/* of the execution that is added */
	uint32_t at; /* node of the next operation */
	uint64_t path;
	uint64_t observed, seen_at, seen; /* what it has observed, and what and where at last */
	uint64_t result;
	size_t passed; /* its last event, plus one, if that has no part in the tree */
	bool ended;
};

struct execution {
	size_t first, count; /* events */
	enum sl_path_end how;
	uint32_t last; /* thread */
	uint64_t path; /* … and the way that it has come */
	uint64_t combination;
};

/* Eight bytes of memory. */
struct place {
	uint32_t first;             /* a thread that accesses it, plus one */
	bool shared, written, read; /* by several threads; by any; by a read that matters */
	uint32_t modelled;          /* its number among those that the trees have, plus one */
	uint64_t initial;           /* what they were before anything was written … */
	uint8_t known;              /* … as far as it was read */
};

struct content {
	uint64_t bits;
	uint32_t
		base; /* CONCRETE: `mask` is complete; 0: the initial bytes; else another content, which is a hash */
	uint8_t mask; /* bytes that were written on top of the base */
	bool hashed;  /* bits are a hash of what was written by a larger access */
};
#define CONCRETE UINT32_MAX

struct sl_behaviour {
	bool (*matters)(void *data, uint64_t pc);
	void *data;
	struct {
		struct sl_path_event *items;
		size_t count, capacity;
	} events; /* of all executions */
	struct {
		struct execution *items;
		size_t count, capacity;
	} executions;
	struct thread *threads;
	size_t thread_count, thread_capacity;
	struct sl_index thread_of;
	struct place *places;
	size_t place_count, place_capacity;
	struct sl_index place_of;
	uint32_t *modelled; /* numbers of places */
	size_t modelled_count, modelled_capacity;
	struct sl_path_node *nodes;
	size_t node_count, node_capacity;
	struct sl_path_part *parts;
	size_t part_count, part_capacity;
	struct sl_index object_of;
	struct object {
		uint32_t first; /* a thread that uses it, plus one */
		bool shared;    /* several do */
		bool heard;     /* what it is used for can be observed: not only written to */
		bool examined;  /* without waiting */
		bool gathers;   /* it is a barrier */
		bool known;
		uint64_t initial; /* semaphore: its value; barrier: how many threads it waits for */
		uint32_t arrived; /* at a barrier, while an execution is added */
	} * objects;
	size_t object_count, object_capacity;
	struct {
		struct content *items;
		size_t count, capacity;
		struct sl_index by_value;
	} contents;
	struct read {
		uint64_t pc;
		bool matters;
	} * reads; /* places in the code */
	size_t read_count, read_capacity;
	struct sl_index read_of;
	struct sl_texts lacking;
	uint64_t grown, built;
	bool coarse;
	uint32_t *memory; /* contents by place, while an execution is added */
};

/* ---- tables ---- */

static uint32_t
thread_number(struct sl_behaviour *b, uint64_t origin)
{
	uint64_t *at = sl_index_at(&b->thread_of, origin);

	if (!*at) {
		b->threads = sl_room_for(b->threads, b->thread_count, &b->thread_capacity, sizeof(*b->threads));
		b->threads[b->thread_count++] = (struct thread){.origin = origin};
		*at = b->thread_count;
	}
	return (uint32_t)*at - 1;
}

static uint32_t
place_number(struct sl_behaviour *b, uint64_t granule)
{
	uint64_t *at = sl_index_at(&b->place_of, granule);

	if (!*at) {
		b->places = sl_room_for(b->places, b->place_count, &b->place_capacity, sizeof(*b->places));
		b->places[b->place_count++] = (struct place){0};
		*at = b->place_count;
	}
	return (uint32_t)*at - 1;
}

static uint32_t
object_number(struct sl_behaviour *b, uint64_t address)
{
	uint64_t *at = sl_index_at(&b->object_of, address);

	if (!*at) {
		b->objects = sl_room_for(b->objects, b->object_count, &b->object_capacity, sizeof(*b->objects));
		b->objects[b->object_count++] = (struct object){0};
		*at = b->object_count;
	}
	return (uint32_t)*at - 1;
}

static uint32_t
node_new(struct sl_behaviour *b, uint32_t thread, uint32_t parent, uint64_t seen)
{
	struct sl_path_node *n;

	b->nodes = sl_room_for(b->nodes, b->node_count, &b->node_capacity, sizeof(*b->nodes));
	n = &b->nodes[b->node_count];
	*n = (struct sl_path_node){.thread = thread, .parent = parent, .seen = seen};
	if (parent) {
		n->sibling = b->nodes[parent].child;
		b->nodes[parent].child = (uint32_t)b->node_count;
	}
	b->grown++;
	return (uint32_t)b->node_count++;
}

static void __attribute__((format(printf, 2, 3))) lacks(struct sl_behaviour *b, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sl_texts_keep(&b->lacking, text);
}

/* ---- contents ---- */

static uint32_t
content_number(struct sl_behaviour *b, struct content c)
{
	uint64_t key = sl_join(sl_join(c.bits, c.base), c.mask | (uint64_t)c.hashed << 8), *at;

	for (;; key++) {
		const struct content *o;

		at = sl_index_at(&b->contents.by_value, key);
		if (!*at)
			break;
		o = &b->contents.items[*at - 1];
		if (o->bits == c.bits && o->base == c.base && o->mask == c.mask && o->hashed == c.hashed)
			return (uint32_t)*at - 1;
	}
	b->contents.items = sl_room_for(b->contents.items, b->contents.count, &b->contents.capacity,
					sizeof(*b->contents.items));
	b->contents.items[b->contents.count++] = c;
	*at = b->contents.count;
	return (uint32_t)*at - 1;
}

static uint64_t
spread(uint8_t mask)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < 8; i++)
		if (mask >> i & 1)
			bits |= 255ul << 8 * i;
	return bits;
}

uint32_t
sl_behaviour_write(struct sl_behaviour *b, uint32_t content, uint8_t mask, uint64_t bits, bool opaque)
{
	struct content c = b->contents.items[content];

	if (opaque)
		return content_number(b, (struct content){sl_join(bits, mask), mask == 255 ? CONCRETE : content,
							  mask, true});
	if (c.hashed) /* concrete bytes on top of a hash */
		c = (struct content){0, content, 0, false};
	c.bits = (c.bits & ~spread(mask)) | (bits & spread(mask));
	c.mask |= mask;
	if (c.mask == 255)
		c.base = CONCRETE;
	return content_number(b, c);
}

uint64_t
sl_behaviour_share(const struct sl_path_part *parts, uint32_t number, uint64_t value, bool opaque)
{
	unsigned before = 0;

	if (opaque)
		return sl_join(value, number);
	for (uint32_t i = 0; i < number; i++)
		before += (unsigned)__builtin_popcount(parts[i].mask);
	return (before < 8 ? value >> 8 * before : 0) << 8 * (unsigned)__builtin_ctz(parts[number].mask);
}

bool
sl_behaviour_observe(const struct sl_behaviour *b, const struct sl_path_node *n, const uint32_t *contents,
		     uint64_t *seen)
{
	uint64_t hash = 1;

	for (uint32_t i = 0; i < n->part_count; i++) {
		const struct sl_path_part *part = &b->parts[n->parts + i];
		uint32_t number = contents[part->place];
		const struct content *c = &b->contents.items[number];
		const struct place *place = &b->places[b->modelled[part->place]];
		uint64_t bits = c->bits;

		if (c->hashed || (c->base != CONCRETE && c->base != SL_CONTENT_INITIAL && part->mask & ~c->mask)) {
			hash = sl_join(hash, number + (1ul << 40));
			continue;
		}
		if (part->mask & ~c->mask) {
			if (part->mask & ~c->mask & ~place->known)
				return false;
			bits |= place->initial & ~spread(c->mask);
		}
		hash = sl_join(hash, bits & spread(part->mask));
	}
	*seen = hash;
	return true;
}

/* ---- what an operation is ---- */

static enum sl_act
access_act(uint8_t kind)
{
	unsigned how = sl_kind_access(kind);

	return how == SL_OP_READS ? SL_ACT_READ : how == SL_OP_WRITES ? SL_ACT_WRITE : SL_ACT_UPDATE;
}

static bool
has_no_effect(uint8_t kind)
{
	unsigned flags = sl_op_kinds[kind].flags;

	if (kind == SL_FREE || sl_kind_is(kind, SL_KIND_ASIDE))
		return true;
	return (flags & SL_OP_SILENT || sl_kind_is(kind, SL_KIND_QUIET)) &&
	       !sl_kind_is(kind, SL_KIND_WAITS | SL_KIND_WIDE | SL_KIND_ORDERS | SL_KIND_WOKEN | SL_KIND_FAILS) &&
	       kind != SL_CHOOSE;
}

/* SL_ACT_UNKNOWN: it has no part in the tree. */
static enum sl_act
act_of(const struct sl_path_event *e)
{
	uint8_t kind = e->kind;

	if (sl_kind_is(kind, SL_KIND_ACCESS))
		return access_act(kind);
	switch (kind) {
	case SL_COND_WAIT:
		return SL_ACT_COND_WAIT;
	case SL_COND_RELOCK:
		return SL_ACT_COND_RELOCK;
	case SL_COND_SIGNAL:
		return SL_ACT_SIGNAL;
	case SL_COND_BROADCAST:
		return SL_ACT_BROADCAST;
	case SL_SEM_WAIT:
		return SL_ACT_SEM_WAIT;
	case SL_SEM_TRYWAIT:
		return SL_ACT_SEM_TRY;
	case SL_SEM_POST:
		return SL_ACT_SEM_POST;
	case SL_SEM_VALUE:
		return SL_ACT_SEM_VALUE;
	case SL_BARRIER_WAIT:
		return SL_ACT_BARRIER_WAIT;
	case SL_BARRIER_LEAVE:
		return SL_ACT_BARRIER_LEAVE;
	case SL_CREATE:
		return SL_ACT_CREATE;
	case SL_JOIN:
		return SL_ACT_JOIN;
	case SL_END:
		return SL_ACT_END;
	case SL_MUTEX_TRYLOCK:
		return SL_ACT_TRY_LOCK;
	default:
		break;
	}
	if (sl_kind_is(kind, SL_KIND_ENDS))
		return SL_ACT_EXIT;
	if (sl_kind_is(kind, SL_KIND_TAKES))
		return sl_kind_is(kind, SL_KIND_SHARED) ? SL_ACT_READ_LOCK : SL_ACT_LOCK;
	if (sl_kind_is(kind, SL_KIND_GIVES))
		return SL_ACT_UNLOCK;
	if (has_no_effect(kind))
		return SL_ACT_UNKNOWN;
	return SL_ACT_OTHER;
}

/* Does it make no difference to other threads, because they have nothing to do with the object? */
static bool
is_private(struct sl_behaviour *b, const struct sl_path_event *e, enum sl_act act)
{
	uint32_t number;

	if (act != SL_ACT_LOCK && act != SL_ACT_READ_LOCK && act != SL_ACT_TRY_LOCK && act != SL_ACT_UNLOCK &&
	    act != SL_ACT_OTHER)
		return false;
	if (!e->object || (act == SL_ACT_OTHER && !sl_kind_is(e->kind, SL_KIND_IO)))
		return false;
	number = object_number(b, e->object);
	return !b->objects[number].shared || !b->objects[number].heard;
}

/* ---- places ---- */

static bool
read_matters(struct sl_behaviour *b, uint64_t pc)
{
	uint64_t *at = sl_index_at(&b->read_of, pc);

	if (!*at) {
		b->reads = sl_room_for(b->reads, b->read_count, &b->read_capacity, sizeof(*b->reads));
		b->reads[b->read_count++] = (struct read){pc, b->matters(b->data, pc)};
		*at = b->read_count;
	}
	return b->reads[*at - 1].matters;
}

/* Do reads matter that did not before? */
static bool
more_matters(struct sl_behaviour *b)
{
	bool more = false;

	for (size_t i = 0; i < b->read_count; i++)
		if (!b->reads[i].matters && b->matters(b->data, b->reads[i].pc))
			b->reads[i].matters = more = true;
	return more;
}

/* What is written there can be seen. */
static bool
is_heard(uint8_t kind)
{
	return kind != SL_IO_WRITE && kind != SL_IO_CLOSE;
}

/* The same for an object that is no memory. */
static bool
consider_object(struct sl_behaviour *b, const struct sl_path_event *e)
{
	uint32_t thread = thread_number(b, e->thread);
	uint32_t number = object_number(b, e->object);
	struct object *o = &b->objects[number];
	bool matters = o->shared && o->heard;

	o->shared = o->shared || (o->first && o->first != thread + 1);
	o->first = thread + 1;
	o->heard = o->heard || is_heard(e->kind);
	return matters != (o->shared && o->heard);
}

/* Takes note of an event; returns whether a place or an object has a part in the trees from now on. */
static bool
consider(struct sl_behaviour *b, const struct sl_path_event *e)
{
	uint64_t end = e->object + (e->extent ? e->extent : 1);
	unsigned how = sl_kind_access(e->kind);
	uint32_t thread = thread_number(b, e->thread);
	bool news = false, matters;

	if (!sl_kind_is(e->kind, SL_KIND_ACCESS))
		return e->object && consider_object(b, e);
	matters = how & SL_OP_READS && read_matters(b, e->pc);
	for (uint64_t at = e->object & ~7ul; at < end; at += 8) {
		uint32_t number = place_number(b, at);
		struct place *p = &b->places[number];

		p->shared = p->shared || (p->first && p->first != thread + 1);
		p->first = thread + 1;
		p->written = p->written || how & SL_OP_WRITES;
		p->read = p->read || matters;
		if (!p->modelled && p->shared && p->written && p->read) {
			b->modelled = sl_room_for(b->modelled, b->modelled_count, &b->modelled_capacity,
						  sizeof(*b->modelled));
			b->modelled[b->modelled_count++] = number;
			p->modelled = (uint32_t)b->modelled_count;
			news = true;
		}
	}
	return news;
}

/* ---- adding an execution to the trees ---- */

#define PARTS 64

struct access {
	struct sl_path_part parts[PARTS];
	uint32_t count;
};

/* The modelled places of an access. */
static void
parts_of(struct sl_behaviour *b, const struct sl_path_event *e, struct access *a)
{
	uint64_t end = e->object + (e->extent ? e->extent : 1);

	a->count = 0;
	for (uint64_t at = e->object & ~7ul; at < end; at += 8) {
		uint32_t number = place_number(b, at);
		uint8_t mask = 255;

		if (!b->places[number].modelled)
			continue;
		if (a->count == PARTS) {
			lacks(b, "an access has more than %u bytes that other threads access", 8 * PARTS);
			return;
		}
		if (at < e->object)
			mask &= (uint8_t)(255 << (e->object - at));
		if (end - at < 8)
			mask &= (uint8_t)(255 >> (8 - (end - at)));
		a->parts[a->count++] = (struct sl_path_part){b->places[number].modelled - 1, mask};
	}
}

static bool
is_opaque(const struct sl_path_event *e)
{
	return e->extent > 8;
}

/* What was read of bytes that no thread has written is what they were in the beginning. */
static void
learn_initial(struct sl_behaviour *b, const struct sl_path_event *e, const struct sl_path_part *parts,
	      uint32_t count)
{
	if (is_opaque(e))
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct place *p = &b->places[b->modelled[parts[i].place]];
		const struct content *c = &b->contents.items[b->memory[parts[i].place]];
		uint8_t fresh = (uint8_t)(parts[i].mask & ~c->mask);

		if (c->hashed || c->base != SL_CONTENT_INITIAL || !(fresh & ~p->known))
			continue;
		fresh &= (uint8_t)~p->known;
		p->initial |= sl_behaviour_share(parts, i, e->value, false) & spread(fresh);
		p->known |= fresh;
	}
}

/* Has the thread read what the trees say? If not, memory was written by code that is not seen. */
static void
compare(struct sl_behaviour *b, const struct sl_path_event *e, const struct sl_path_part *parts, uint32_t count)
{
	if (is_opaque(e))
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct place *p = &b->places[b->modelled[parts[i].place]];
		const struct content *c = &b->contents.items[b->memory[parts[i].place]];
		uint8_t known =
			(uint8_t)(c->mask | (c->base == SL_CONTENT_INITIAL ? p->known : 0)) & parts[i].mask;
		uint64_t bits = c->base == SL_CONTENT_INITIAL
					? (c->bits & spread(c->mask)) | (p->initial & ~spread(c->mask))
					: c->bits;

		if (c->hashed || !((bits ^ sl_behaviour_share(parts, i, e->value, false)) & spread(known)))
			continue;
		lacks(b, "memory is written by code that is not seen");
		b->memory[parts[i].place] =
			sl_behaviour_write(b, b->memory[parts[i].place], parts[i].mask,
					   sl_behaviour_share(parts, i, e->value, false), false);
	}
}

uint32_t
sl_behaviour_after(const struct sl_behaviour *b, uint32_t node, uint64_t seen)
{
	uint32_t child = b->nodes[node].child;

	while (child && b->nodes[child].seen != seen)
		child = b->nodes[child].sibling;
	return child;
}

static bool
has_object(enum sl_act act)
{
	switch (act) {
	case SL_ACT_CREATE:
	case SL_ACT_JOIN:
	case SL_ACT_END:
	case SL_ACT_EXIT:
	case SL_ACT_PASS:
	case SL_ACT_BARRIER_LEAVE:
		return false;
	default:
		return true;
	}
}

/* What the thread observes there belongs to its path. */
static void
notice(struct sl_behaviour *b, uint32_t thread, uint64_t pc, uint64_t seen)
{
	struct thread *t = &b->threads[thread];

	if (t->seen_at == pc && t->seen == seen)
		return; /* a round of a loop that is as the one before */
	t->seen_at = pc;
	t->seen = seen;
	t->observed = sl_join(sl_join(t->observed, pc), seen);
}

/* The event is the next one of its thread, and has a part in the tree. Returns false if the thread has gone another way than before. */
static bool
descend(struct sl_behaviour *b, struct thread *t, const struct sl_path_event *e, enum sl_act act)
{
	uint32_t thread = (uint32_t)(t - b->threads), next;
	struct sl_path_node *n;
	struct access a = {.count = 0};
	uint64_t seen = 0;
	bool access = sl_kind_is(e->kind, SL_KIND_ACCESS) && act != SL_ACT_PASS;

	if (!t->root)
		t->root = t->at = node_new(b, thread, 0, 0);
	if (!t->at)
		t->at = t->root;
	n = &b->nodes[t->at];
	if (access)
		parts_of(b, e, &a);
	if (n->act == SL_ACT_UNKNOWN || n->act == SL_ACT_SPINS) {
		n->act = (uint8_t)act;
		n->kind = e->kind;
		n->index = e->index;
		n->pc = e->pc;
		n->path = t->path;
		n->opaque = is_opaque(e);
		b->grown++;
		if (access) {
			n->parts = (uint32_t)b->part_count;
			n->part_count = a.count;
			for (uint32_t i = 0; i < a.count; i++) {
				b->parts =
					sl_room_for(b->parts, b->part_count, &b->part_capacity, sizeof(*b->parts));
				b->parts[b->part_count++] = a.parts[i];
			}
		} else if (act == SL_ACT_CREATE || act == SL_ACT_JOIN) {
			uint32_t other = thread_number(b, e->value);

			n = &b->nodes[t->at]; /* threads may have moved, nodes have not */
			n->second = other;
		} else if (act == SL_ACT_COND_WAIT) {
			n->object = object_number(b, e->object);
			n->second = object_number(b, e->value);
		} else if (has_object(act)) {
			n->object = object_number(b, e->object);
			n->value = e->value;
			if (act == SL_ACT_COND_RELOCK) /* then its other operations are not in the tree */
				n->second = !b->objects[n->object].shared;
		}
		if (act == SL_ACT_TRY_LOCK || act == SL_ACT_SEM_TRY || act == SL_ACT_SEM_VALUE)
			b->objects[n->object].examined = true;
	} else if (n->act != act || n->kind != e->kind || n->index != e->index || n->pc != e->pc ||
		   n->path != t->path || n->part_count != a.count ||
		   (a.count && memcmp(&b->parts[n->parts], a.parts, a.count * sizeof(a.parts[0])) != 0) ||
		   (!access && has_object(act) && act != SL_ACT_COND_WAIT &&
		    n->object != object_number(b, e->object))) {
		return false;
	}
	t = &b->threads[thread];
	if (!access && has_object(act) && e->has_written && !b->objects[n->object].known) {
		b->objects[n->object].known = true;
		b->objects[n->object].initial = e->written;
	}
	if (act == SL_ACT_BARRIER_WAIT)
		b->objects[n->object].gathers = true;
	if (e->pending)
		return true;
	if (act == SL_ACT_WRITE) {
		uint64_t value = e->has_written ? e->written : sl_join(e->thread, e->index);

		if (n->child && (n->value != value || n->opaque != (is_opaque(e) || !e->has_written)))
			return false;
		n->value = value;
		n->opaque = is_opaque(e) || !e->has_written;
	}
	if (act == SL_ACT_BARRIER_WAIT) {
		struct object *o = &b->objects[n->object];

		seen = ++o->arrived == o->initial;
		if (seen)
			o->arrived = 0;
	}
	if (act == SL_ACT_READ || act == SL_ACT_UPDATE) {
		learn_initial(b, e, a.parts, a.count);
		compare(b, e, a.parts, a.count);
		sl_behaviour_observe(b, n, b->memory, &seen);
		if (is_opaque(e) && !seen)
			seen = 1;
	}
	if (act == SL_ACT_JOIN)
		seen = b->threads[n->second].result;
	if (act == SL_ACT_END) {
		if (n->child && n->value != e->value)
			return false;
		n->value = b->threads[thread].result = e->value;
	}
	if (act == SL_ACT_TRY_LOCK || act == SL_ACT_SEM_TRY || act == SL_ACT_SEM_VALUE ||
	    act == SL_ACT_COND_RELOCK)
		seen = e->value;
	if (b->coarse && seen)
		notice(b, thread, e->pc, seen);
	next = sl_behaviour_after(b, t->at, seen);
	if (!next)
		next = node_new(b, thread, t->at, seen);
	else if (act == SL_ACT_UPDATE && b->nodes[next].wrote != (e->has_written ? e->written : e->value))
		return false;
	n = &b->nodes[b->threads[thread].at];
	if (act == SL_ACT_UPDATE)
		b->nodes[next].wrote = e->has_written ? e->written : e->value;
	if (act == SL_ACT_WRITE || act == SL_ACT_UPDATE)
		for (uint32_t i = 0; i < a.count; i++) {
			uint32_t *to = &b->memory[a.parts[i].place];

			*to = sl_behaviour_write(b, *to, a.parts[i].mask,
						 sl_behaviour_share(a.parts, i,
								    act == SL_ACT_WRITE ? n->value
											: b->nodes[next].wrote,
								    n->opaque),
						 n->opaque);
		}
	b->threads[thread].at = next;
	return true;
}

/* ---- a thread that goes another way ---- */

/*
 * The thread has observed what it had observed before, and does something else. So it depends on reads of which this was not known:
 * those that have read something else since. Returns whether there are any.
 */
static bool
learn(struct sl_behaviour *b, const struct execution *now, size_t until, uint32_t thread)
{
	bool learned = false;

	for (size_t k = 0; k < b->executions.count; k++) {
		const struct execution *before = &b->executions.items[k];
		size_t i = now->first, j = before->first;

		if (before == now)
			break;
		for (;; i++, j++) {
			const struct sl_path_event *x, *y;

			while (i < until && b->events.items[i].thread != b->threads[thread].origin)
				i++;
			while (j < before->first + before->count &&
			       b->events.items[j].thread != b->threads[thread].origin)
				j++;
			if (i >= until || j >= before->first + before->count)
				break;
			x = &b->events.items[i];
			y = &b->events.items[j];
			if (x->pc != y->pc || x->kind != y->kind || x->index != y->index)
				break;
			if (sl_kind_is(x->kind, SL_KIND_ACCESS) && sl_kind_access(x->kind) & SL_OP_READS &&
			    x->value != y->value) {
				bool *matters;

				read_matters(b, x->pc);
				matters = &b->reads[sl_index_get(&b->read_of, x->pc) - 1].matters;
				learned = learned || !*matters;
				*matters = true;
			}
		}
	}
	return learned;
}

uint64_t
sl_behaviour_stop(const struct sl_behaviour *b, uint32_t node)
{
	while (b->nodes[node].act == SL_ACT_JOIN && b->nodes[b->nodes[node].parent].act == SL_ACT_JOIN)
		node = b->nodes[node].parent;
	return sl_join(b->nodes[node].path, b->nodes[node].index);
}

/* ---- executions ---- */

enum added { ADDED, TO_BUILD };

/* The thread does nothing more in this execution: it ends in a node of its own. */
static void
put_end(struct sl_behaviour *b, uint32_t thread, enum sl_act act)
{
	struct thread *t = &b->threads[thread];
	struct sl_path_node *n;

	if (!t->root)
		t->root = t->at = node_new(b, thread, 0, 0);
	if (!t->at)
		t->at = t->root;
	n = &b->nodes[t->at];
	if (n->act == SL_ACT_UNKNOWN) {
		n->act = (uint8_t)act;
		n->path = t->path;
		b->grown++;
	}
}

static enum added
add(struct sl_behaviour *b, struct execution *x)
{
	uint64_t combination = x->how;
	uint32_t ending = UINT32_MAX;

	b->memory = sl_must(realloc(b->memory, (b->modelled_count + 1) * sizeof(*b->memory)));
	memset(b->memory, 0, (b->modelled_count + 1) * sizeof(*b->memory));
	for (size_t i = 0; i < b->object_count; i++)
		b->objects[i].arrived = 0;
	for (size_t i = 0; i < b->thread_count; i++) {
		b->threads[i].at = 0;
		b->threads[i].path = 0;
		b->threads[i].passed = 0;
		b->threads[i].observed = b->threads[i].seen_at = b->threads[i].seen = b->threads[i].result = 0;
		b->threads[i].ended = false;
	}
	for (size_t i = x->first; i < x->first + x->count; i++) {
		const struct sl_path_event *e = &b->events.items[i];
		uint32_t thread = thread_number(b, e->thread);
		enum sl_act act = act_of(e);

		b->threads[thread].path = b->coarse ? sl_join(e->path, b->threads[thread].observed) : e->path;
		if (!e->pending && e->index)
			b->threads[thread].passed = i + 1;
		if (act == SL_ACT_UNKNOWN || b->threads[thread].ended || is_private(b, e, act))
			continue;
		if (act == SL_ACT_OTHER)
			lacks(b, "what a thread does that \"%s …\" may have effects on others, which are not searched for", sl_op_verb(e->kind));
		if (sl_kind_is(e->kind, SL_KIND_ACCESS)) {
			struct access a;

			if (act == SL_ACT_READ && !read_matters(b, e->pc))
				continue;
			parts_of(b, e, &a);
			if (!a.count)
				continue;
		}
		if (!descend(b, &b->threads[thread], e, act)) {
			if (learn(b, x, i, thread))
				return TO_BUILD;
			lacks(b, "a thread went two ways although it had read the same");
			b->threads[thread].ended = true;
			continue;
		}
		b->threads[thread].passed = 0;
		if (!e->pending && act == SL_ACT_END)
			b->threads[thread].ended = true;
		if (!e->pending && act == SL_ACT_EXIT)
			ending = thread;
	}
	if (x->how == SL_PATH_FAILED) {
		size_t passed = b->threads[x->last].passed;

		if (passed && !descend(b, &b->threads[x->last], &b->events.items[passed - 1], SL_ACT_PASS))
			lacks(b, "a thread went two ways although it had read the same");
		b->threads[x->last].path = b->coarse ? sl_join(x->path, b->threads[x->last].observed) : x->path;
		put_end(b, x->last, SL_ACT_FAIL);
	}
	for (uint32_t i = 0; i < b->thread_count; i++) {
		struct thread *t = &b->threads[i];

		if (x->how == SL_PATH_CUT && t->at && !t->ended)
			put_end(b, i, SL_ACT_CUT);
		if (!t->at)
			continue;
		if (x->how == SL_PATH_FAILED) {
			if (i == x->last)
				combination = sl_path_combine(combination, t->path, SL_PATH_FAILS);
		} else if (t->ended || i == ending) {
			combination = sl_path_combine(combination, t->path, SL_PATH_OVER);
		} else {
			combination =
				sl_path_combine(combination,
						x->how == SL_PATH_STUCK ? sl_behaviour_stop(b, t->at) : 0,
						x->how == SL_PATH_STUCK ? SL_PATH_WAITS : SL_PATH_UNFINISHED);
		}
	}
	x->combination = x->how == SL_PATH_BROKEN || x->how == SL_PATH_CUT ? 0 : combination | 1;
	return ADDED;
}

static void
forget(struct sl_behaviour *b)
{
	b->node_count = 1;
	b->part_count = 0;
	for (size_t i = 0; i < b->thread_count; i++)
		b->threads[i].root = 0;
	b->built++;
	b->grown++;
}

static void
build(struct sl_behaviour *b)
{
	for (bool again = true; again;) {
		again = false;
		forget(b);
		for (size_t i = 0; i < b->events.count; i++)
			consider(b, &b->events.items[i]);
		for (size_t i = 0; i < b->executions.count && !again; i++)
			again = add(b, &b->executions.items[i]) == TO_BUILD;
	}
}

void
sl_behaviour_begin(struct sl_behaviour *b)
{
	b->executions.items = sl_room_for(b->executions.items, b->executions.count, &b->executions.capacity,
					  sizeof(*b->executions.items));
	b->executions.items[b->executions.count] = (struct execution){.first = b->events.count};
}

void
sl_behaviour_event(struct sl_behaviour *b, const struct sl_path_event *event)
{
	if (b->events.count >= EVENTS_MAX) {
		lacks(b, "the executions have more operations than the search keeps (%lu)", EVENTS_MAX);
		return;
	}
	b->events.items =
		sl_room_for(b->events.items, b->events.count, &b->events.capacity, sizeof(*b->events.items));
	b->events.items[b->events.count++] = *event;
}

uint64_t
sl_behaviour_end(struct sl_behaviour *b, enum sl_path_end how, uint64_t last, uint64_t path)
{
	struct execution *x = &b->executions.items[b->executions.count];
	bool news = false;

	x->count = b->events.count - x->first;
	x->how = how;
	x->path = path;
	x->last = thread_number(b, last);
	b->executions.count++;
	for (size_t i = x->first; i < b->events.count; i++)
		news = consider(b, &b->events.items[i]) || news;
	if (more_matters(b) || news || add(b, x) == TO_BUILD)
		build(b);
	return x->combination;
}

/* ---- what the header declares ---- */

struct sl_behaviour *
sl_behaviour_new(uint64_t first, bool (*matters)(void *data, uint64_t pc), void *data)
{
	struct sl_behaviour *b = sl_room_zeroed(1, sizeof(*b));

	b->matters = matters;
	b->data = data;
	b->nodes = sl_room_for(b->nodes, 0, &b->node_capacity, sizeof(*b->nodes));
	b->nodes[0] = (struct sl_path_node){0};
	b->node_count = 1;
	content_number(b, (struct content){0});
	thread_number(b, first);
	return b;
}

void
sl_behaviour_is_coarse(struct sl_behaviour *b, bool coarse)
{
	b->coarse = coarse;
}

void
sl_behaviour_free(struct sl_behaviour *b)
{
	if (!b)
		return;
	free(b->events.items);
	free(b->executions.items);
	free(b->threads);
	free(b->places);
	free(b->modelled);
	free(b->nodes);
	free(b->parts);
	free(b->objects);
	free(b->contents.items);
	free(b->reads);
	free(b->memory);
	sl_index_release(&b->thread_of);
	sl_index_release(&b->place_of);
	sl_index_release(&b->object_of);
	sl_index_release(&b->contents.by_value);
	sl_index_release(&b->read_of);
	sl_texts_release(&b->lacking);
	free(b);
}

uint64_t
sl_behaviour_grown(const struct sl_behaviour *b)
{
	return b->grown;
}

uint64_t
sl_behaviour_built(const struct sl_behaviour *b)
{
	return b->built;
}

const struct sl_path_node *
sl_behaviour_node(const struct sl_behaviour *b, uint32_t number)
{
	return &b->nodes[number];
}

const struct sl_path_part *
sl_behaviour_part(const struct sl_behaviour *b, uint32_t number)
{
	return &b->parts[number];
}

void
sl_behaviour_spins(struct sl_behaviour *b, uint32_t node, uint64_t seen)
{
	uint32_t child = node_new(b, b->nodes[node].thread, node, seen);

	b->nodes[child].act = SL_ACT_SPINS;
}

uint32_t
sl_behaviour_nodes(const struct sl_behaviour *b)
{
	return (uint32_t)b->node_count;
}

uint32_t
sl_behaviour_threads(const struct sl_behaviour *b)
{
	return (uint32_t)b->thread_count;
}

uint32_t
sl_behaviour_places(const struct sl_behaviour *b)
{
	return (uint32_t)b->modelled_count;
}

uint32_t
sl_behaviour_objects(const struct sl_behaviour *b)
{
	return (uint32_t)b->object_count;
}

uint32_t
sl_behaviour_root(const struct sl_behaviour *b, uint32_t thread)
{
	return b->threads[thread].root;
}

uint64_t
sl_behaviour_origin(const struct sl_behaviour *b, uint32_t thread)
{
	return b->threads[thread].origin;
}

bool
sl_behaviour_examined(const struct sl_behaviour *b, uint32_t object)
{
	return b->objects[object].examined;
}

bool
sl_behaviour_initial(const struct sl_behaviour *b, uint32_t object, uint64_t *value)
{
	*value = b->objects[object].initial;
	return b->objects[object].known;
}

bool
sl_behaviour_gathers(const struct sl_behaviour *b, uint32_t object)
{
	return b->objects[object].gathers;
}

const char *
sl_behaviour_lacking(const struct sl_behaviour *b, unsigned number)
{
	return number < b->lacking.count ? b->lacking.all[number] : NULL;
}
