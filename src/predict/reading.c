#include "predict/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PAGE_BITS 12
#define PAGES_MAX 64       /* a block of more pages is in the list of large ones */
#define GRANULE 3          /* memory is shared or not in pieces of eight bytes */
#define ALONE UINT64_MAX   /* the blocks of an allocation are one object each */
#define CHUNK 256          /* bytes of an array of numbers that are one object */
#define CHUNK_ELEMENTS 64  /* the same for a variable */
#define MANY (1u << 31)    /* in a sighting: more than one thread */
#define WRITTEN (1u << 30) /* … one of which wrote */
#define SIGHTED (1u << 29) /* … and it is in the survey */
#define LIKE_STACK 0x57acu
#define RECURSION 64 /* calls among which a function that calls itself is looked for */
#define THREADS 4096 /* that there may be at the beginning */
#define SIZE_MOST (1ul << 36)
#define SPARSE (1ul << 28) /* bytes of a block of which hardly all is accessed */
#define RANGE_MOST (1ul << 32)

struct sl_read_barrier {
	uint32_t number;                        /* among all, from 1 */
	uint64_t round, members, first_members; /* sums of hashes of threads */
	uint32_t *gathered, *done;
};

/* ---- the code at a place ---- */

static bool
is_library(const struct sl_place *place)
{
	return !place->line || (place->path && !strncmp(place->path, "/usr/", 5));
}

struct sl_coded *
sl_survey_code(struct sl_survey *s, uint64_t pc)
{
	uint64_t *at = sl_index_at(&s->code_of, pc);
	struct sl_place old;
	struct sl_coded *c;

	if (*at)
		return s->codes[*at - 1];
	s->codes = sl_room_for(s->codes, s->code_count, &s->code_room, sizeof(struct sl_coded *));
	c = s->codes[s->code_count++] = sl_room_zeroed(1, sizeof(*c));
	*at = s->code_count;
	c->pc = pc;
	s->of->place(s->of->data, pc, &c->place);
	c->library = is_library(&c->place);
	if (s->of->site) {
		c->read = s->of->site(s->of->data, pc, false);
		c->write = s->of->site(s->of->data, pc, true);
	}
	/* the copies of an unrolled loop are the same */
	c->source = pc;
	if (c->place.column) {
		const struct sl_site *site = c->read ? c->read : c->write;

		c->source =
			sl_join(sl_text_hash(c->place.stable), (uint64_t)c->place.line << 32 | c->place.column);
		c->source = sl_join(c->source, site ? (uint64_t)(uintptr_t)site->frame : 0);
	}
	old = c->place;
	if (!c->place.line) { /* only the name of the function is left */
		c->statement = sl_join(sl_text_hash(c->place.stable), sl_text_hash(c->place.function));
	} else if (s->map.map && !s->map.map(s->map.data, &c->place, &old)) {
		c->fresh = true;
		c->statement =
			sl_join(sl_join(sl_text_hash(c->place.stable), c->place.line), sl_text_hash("fresh"));
	} else {
		c->statement = sl_join(sl_text_hash(old.stable), old.line);
	}
	return c;
}

const char *
sl_coded_object(const struct sl_coded *code, bool writes)
{
	const struct sl_site *site = writes ? code->write : code->read;

	if (!site)
		site = writes ? code->read : code->write;
	return site ? site->text : "";
}

static const struct sl_site_object *
site_object(const struct sl_coded *code, bool writes)
{
	const struct sl_site *site = writes ? code->write : code->read;

	if (!site)
		site = writes ? code->read : code->write;
	return site ? site->object : NULL;
}

const char *
sl_coded_container(const struct sl_coded *code, bool writes)
{
	const struct sl_site_object *o = site_object(code, writes);

	return o ? o->container : "";
}

uint64_t
sl_coded_member(const struct sl_coded *code, bool writes)
{
	const struct sl_site_object *o = site_object(code, writes);

	if (!o)
		return 0;
	if (*o->path)
		return sl_join(sl_text_hash(o->container), sl_text_hash(o->path));
	if (o->kind == TABLE_GLOBAL || o->kind == TABLE_STATIC || o->kind == TABLE_STATIC_LOCAL)
		return sl_text_hash(o->variable);
	return sl_text_hash(o->type);
}

const struct sl_coded_type *
sl_coded_type(const struct sl_survey *s, struct sl_coded *code, bool writes)
{
	const struct sl_declared_types *declared = &s->options->types;
	const struct sl_site_object *o = site_object(code, writes);
	struct sl_coded_type *t = &code->types[writes];

	if (t->known)
		return t;
	*t = (struct sl_coded_type){.known = true};
	if (declared->count && o)
		t->type = declared->find(declared->data, o, &t->offset);
	return t;
}

/* ---- blocks ---- */

static bool
is_large(const struct sl_block_of *b)
{
	return b->size >> PAGE_BITS >= PAGES_MAX;
}

/* The first large block that ends behind the address. */
static size_t
large_from(const struct sl_reading *r, uint64_t address)
{
	size_t low = 0, high = r->live.large_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct sl_block_of *b = &r->live.all[r->live.large[middle]];

		if (b->address + b->size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
block_has(const struct sl_block_of *b, uint64_t address)
{
	return b->serial && address - b->address < (b->size ? b->size : 1);
}

uint32_t
sl_reading_block(struct sl_reading *r, uint32_t thread, uint64_t address)
{
	uint32_t *cached = &r->threads[thread].cached;
	size_t at;

	if (*cached && block_has(&r->live.all[*cached - 1], address))
		return *cached - 1;
	for (uint64_t e = sl_index_get(&r->live.pages, address >> PAGE_BITS); e; e = r->live.entries[e - 1].next)
		if (block_has(&r->live.all[r->live.entries[e - 1].block], address)) {
			*cached = r->live.entries[e - 1].block + 1;
			return r->live.entries[e - 1].block;
		}
	at = large_from(r, address);
	if (at == r->live.large_count || !block_has(&r->live.all[r->live.large[at]], address))
		return SL_NO_BLOCK;
	*cached = r->live.large[at] + 1;
	return r->live.large[at];
}

static void
block_enlist(struct sl_reading *r, uint32_t number)
{
	const struct sl_block_of *b = &r->live.all[number];

	if (is_large(b)) {
		size_t at = large_from(r, b->address);

		r->live.large = sl_room_for(r->live.large, r->live.large_count, &r->live.large_room,
					    sizeof(*r->live.large));
		memmove(r->live.large + at + 1, r->live.large + at,
			(r->live.large_count - at) * sizeof(*r->live.large));
		r->live.large[at] = number;
		r->live.large_count++;
		return;
	}
	for (uint64_t page = b->address >> PAGE_BITS; page <= (b->address + b->size) >> PAGE_BITS; page++) {
		uint64_t *first = sl_index_at(&r->live.pages, page);
		uint32_t e = r->live.entry_free;

		if (e) {
			r->live.entry_free = r->live.entries[e - 1].next;
		} else {
			r->live.entries = sl_room_for(r->live.entries, r->live.entry_count, &r->live.entry_room,
						      sizeof(*r->live.entries));
			e = (uint32_t)++r->live.entry_count;
		}
		r->live.entries[e - 1].block = number;
		r->live.entries[e - 1].next = (uint32_t)*first;
		*first = e;
	}
}

static void undeclare(struct sl_reading *r, uint64_t low, uint64_t high);

static void
block_remove(struct sl_reading *r, uint32_t number)
{
	struct sl_block_of *b = &r->live.all[number];

	if (is_large(b)) {
		for (size_t at = 0; at < r->live.large_count; at++)
			if (r->live.large[at] == number) {
				r->live.large_count--;
				memmove(r->live.large + at, r->live.large + at + 1,
					(r->live.large_count - at) * sizeof(*r->live.large));
				break;
			}
	} else {
		for (uint64_t page = b->address >> PAGE_BITS; page <= (b->address + b->size) >> PAGE_BITS;
		     page++) {
			uint64_t *first = sl_index_at(&r->live.pages, page);
			uint32_t e = (uint32_t)*first, before = 0;

			for (; e && r->live.entries[e - 1].block != number; e = r->live.entries[e - 1].next)
				before = e;
			if (!e)
				continue;
			if (before)
				r->live.entries[before - 1].next = r->live.entries[e - 1].next;
			else
				*first = r->live.entries[e - 1].next;
			r->live.entries[e - 1].next = r->live.entry_free;
			r->live.entry_free = e;
		}
	}
	if (r->declared_count)
		undeclare(r, b->address, b->address + b->size);
	free(b->seen);
	*b = (struct sl_block_of){0};
	r->live.unused =
		sl_room_for(r->live.unused, r->live.unused_count, &r->live.unused_room, sizeof(*r->live.unused));
	r->live.unused[r->live.unused_count++] = number;
}

static struct sl_block_of *
block_add(struct sl_reading *r, uint64_t address, uint64_t size)
{
	uint32_t number;

	if (r->live.unused_count) {
		number = r->live.unused[--r->live.unused_count];
	} else {
		r->live.all = sl_room_for(r->live.all, r->live.count, &r->live.room, sizeof(*r->live.all));
		number = (uint32_t)r->live.count++;
	}
	r->live.all[number] = (struct sl_block_of){.address = address, .size = size, .serial = ++r->live.serial};
	block_enlist(r, number);
	return &r->live.all[number];
}

/* ---- things ---- */

#define NO_NAME UINT64_MAX

static const struct sl_variable_name *
variable_at(struct sl_reading *r, uint64_t address, uint64_t size)
{
	struct sl_survey *s = r->survey;
	uint64_t *at = sl_index_at(&s->named, sl_join(address, size > 16 ? 17 : size));
	struct sl_variable_name *v;
	char text[512], whole[512];
	const char *name;
	char *end, *bracket;

	if (*at)
		return *at == NO_NAME ? NULL : &s->names[*at - 1];
	name = s->of->variable ? s->of->variable(s->of->data, address, (uint32_t)(size > UINT32_MAX ? 0 : size),
						 text, sizeof(text))
			       : NULL;
	if (!name || !*name) {
		*at = NO_NAME;
		return NULL;
	}
	s->names = sl_room_for(s->names, s->name_count, &s->name_room, sizeof(*s->names));
	v = &s->names[s->name_count++];
	*at = s->name_count;
	v->text = sl_texts_keep(&s->texts, name);
	snprintf(whole, sizeof(whole), "%s", name);
	/* a name may be qualified: "ns::queue.count" */
	end = strchr(whole, '.');
	v->scalar = !end && size <= 16;
	if (end)
		*end = '\0';
	bracket = strrchr(whole, '[');
	v->hash = 0;
	if (!end && bracket) { /* an array of numbers */
		v->hash = strtoul(bracket + 1, NULL, 10) / CHUNK_ELEMENTS;
		v->scalar = false;
		*bracket = '\0';
	}
	v->whole = sl_texts_keep(&s->texts, whole);
	v->hash = sl_join(sl_text_hash(whole), v->hash);
	return v;
}

struct sl_thing
sl_reading_thing(struct sl_reading *r, uint64_t address, uint64_t size)
{
	uint32_t number = sl_reading_block(r, r->item.thread, address);
	const struct sl_variable_name *v;
	const struct sl_block_of *b;
	uint64_t stride, offset;

	if (number == SL_NO_BLOCK) {
		v = variable_at(r, address, size);
		return (struct sl_thing){.key = v ? v->hash : sl_join(address >> GRANULE, 3),
					 .like = v ? v->hash : 0,
					 .offset = address,
					 .left = (1u << GRANULE) - (address & ((1u << GRANULE) - 1)),
					 .variable = v && v->scalar ? v->hash : 0};
	}
	b = &r->live.all[number];
	offset = address - b->address;
	stride = b->stack ? ALONE : sl_index_get(&r->survey->strides, b->like);
	if (!stride && b->size <= CHUNK)
		stride = ALONE;
	else if (!stride)
		stride = CHUNK;
	if (stride == ALONE)
		return (struct sl_thing){.key = sl_join(b->serial, 1),
					 .like = b->like,
					 .offset = offset,
					 .left = b->size - offset,
					 .block = number + 1};
	return (struct sl_thing){.key = sl_join(sl_join(b->serial, offset / stride), 2),
				 .like = b->like,
				 .offset = offset % stride,
				 .left = stride - offset % stride,
				 .block = number + 1};
}

bool
sl_reading_shares(struct sl_reading *r, uint64_t address, uint64_t size)
{
	uint32_t number = sl_reading_block(r, r->item.thread, address);
	uint64_t like = 0, from = 0;

	if (number != SL_NO_BLOCK) {
		like = r->live.all[number].like;
		from = r->live.all[number].address;
	}
	for (uint64_t g = (address - from) >> GRANULE; g <= (address - from + size - 1) >> GRANULE; g++)
		if (sl_index_find(&r->survey->shares, sl_join(like, g)))
			return true;
	return false;
}

const char *
sl_reading_object(struct sl_reading *r, uint64_t address, uint64_t size)
{
	uint32_t number = sl_reading_block(r, r->item.thread, address);
	const struct sl_variable_name *v;
	const struct sl_coded *c;
	char text[512];

	if (number == SL_NO_BLOCK) {
		v = variable_at(r, address, size);
		return v ? v->text : "";
	}
	if (r->live.all[number].stack)
		return "a local variable";
	c = sl_survey_code(r->survey, r->live.all[number].pc);
	if (c->place.line)
		snprintf(text, sizeof(text), "heap block from %s:%u (%s)", c->place.file, c->place.line,
			 c->place.function);
	else
		snprintf(text, sizeof(text), "heap block from %s", c->place.function);
	return sl_texts_keep(&r->survey->texts, text);
}

/* ---- declared sets ---- */

/* How many of them end at the address, or before it. */
static size_t
declared_before(const struct sl_reading *r, uint64_t address)
{
	size_t low = 0, high = r->declared_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r->declared[middle].high <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct sl_read_declared *
sl_reading_declared(const struct sl_reading *r, uint64_t address, uint64_t *next)
{
	size_t at = declared_before(r, address);

	*next = at < r->declared_count ? r->declared[at].low : UINT64_MAX;
	return *next <= address ? &r->declared[at] : NULL;
}

/* What has any of these bytes is no set any more. */
static void
undeclare(struct sl_reading *r, uint64_t low, uint64_t high)
{
	size_t at = declared_before(r, low), end = at;

	while (end < r->declared_count && r->declared[end].low < high)
		end++;
	if (end == at)
		return;
	memmove(r->declared + at, r->declared + end, (r->declared_count - end) * sizeof(*r->declared));
	r->declared_count -= end - at;
}

static void
declare(struct sl_reading *r, const struct sl_read_declared *set)
{
	size_t at;

	if (set->low >= set->high)
		return;
	undeclare(r, set->low, set->high);
	at = declared_before(r, set->low);
	r->declared = sl_room_for(r->declared, r->declared_count, &r->declared_room, sizeof(*r->declared));
	memmove(r->declared + at + 1, r->declared + at, (r->declared_count - at) * sizeof(*r->declared));
	r->declared[at] = *set;
	r->declared_count++;
}

/* sleave_atomic_set(): the same set in objects that are alike is alike. */
static void
declared(struct sl_reading *r)
{
	uint64_t low = r->item.object, size = r->item.value;
	uint32_t number = sl_reading_block(r, r->item.thread, low);
	const struct sl_block_of *b = number == SL_NO_BLOCK ? NULL : &r->live.all[number];
	struct sl_read_declared set = {.low = low, .high = low + size, .base = low};

	set.key = sl_join(sl_join(low, b ? b->serial : 0), 0xdec2);
	set.like = sl_join(b ? sl_join(b->like, low - b->address) : low, 0xdec2);
	declare(r, &set);
}

/* ---- the first reading ---- */

static uint64_t
gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* What the site says of the type there shows how large the elements of the block are. */
static void
learn_stride(struct sl_reading *r, const struct sl_block_of *b)
{
	struct sl_survey *s = r->survey;
	const struct sl_site_object *o = site_object(sl_survey_code(s, r->item.pc), r->access & SL_OP_WRITES);
	uint64_t offset = r->item.object - b->address, type, *first, *gap;

	if (!o || !*o->container || !*o->path || strchr(o->path, '['))
		return;
	type = sl_join(b->like, sl_text_hash(o->container));
	first = sl_index_at(&s->paths, sl_join(type, sl_text_hash(o->path)));
	gap = sl_index_at(&s->gaps, type);
	if (!*first)
		*first = offset + 1;
	if (!*gap) {
		*gap = ALONE;
		s->types = sl_room_for(s->types, s->type_count, &s->type_room, sizeof(*s->types));
		s->types[s->type_count++] = (struct sl_survey_type){b->like, type};
	}
	if (*first != offset + 1)
		*gap = gcd(*gap == ALONE ? 0 : *gap,
			   offset + 1 > *first ? offset + 1 - *first : *first - offset - 1);
}

static void
sight(struct sl_reading *r, uint32_t *seen, uint64_t like, uint64_t granule)
{
	uint32_t who = (r->item.thread + 1) & (SIGHTED - 1);

	if (r->access & SL_OP_WRITES)
		*seen |= WRITTEN;
	if (!(*seen & (SIGHTED - 1)))
		*seen |= who;
	else if ((*seen & (SIGHTED - 1)) != who)
		*seen |= MANY;
	if ((*seen & (MANY | WRITTEN | SIGHTED)) != (MANY | WRITTEN))
		return;
	*seen |= SIGHTED;
	*sl_index_at(&r->survey->shares, sl_join(like, granule)) = 1;
}

static void
guard_meet(struct sl_reading *r)
{
	struct sl_survey *s = r->survey;
	const struct sl_read_thread *t = &r->threads[r->item.thread];
	const struct sl_variable_name *v = variable_at(r, r->item.object, r->size);
	struct sl_guard *g;
	uint64_t *at;
	uint32_t kept = 0;

	if (!v || !v->scalar)
		return;
	at = sl_index_at(&s->guards, v->hash);
	if (!*at) {
		s->guard = sl_room_for(s->guard, s->guard_count, &s->guard_room, sizeof(*s->guard));
		s->guard[s->guard_count++] = (struct sl_guard){.variable = v->hash};
		*at = s->guard_count;
	}
	g = &s->guard[*at - 1];
	if (!g->seen) {
		for (size_t i = 0; i < t->hold_count && g->count < sizeof(g->locks) / sizeof(*g->locks); i++) {
			g->names[g->count] = r->locks[t->holds[i].lock].name;
			g->locks[g->count++] = r->locks[t->holds[i].lock].plain;
		}
		g->seen = true;
		return;
	}
	for (uint32_t n = 0; n < g->count; n++) {
		bool held = false;

		for (size_t i = 0; i < t->hold_count; i++)
			held |= r->locks[t->holds[i].lock].plain == g->locks[n];
		if (!held)
			continue;
		g->names[kept] = g->names[n];
		g->locks[kept++] = g->locks[n];
	}
	g->count = kept;
}

/* Is the function that the thread is in static? The sites in it say so. */
static void
learn_linkage(struct sl_reading *r, const struct sl_read_thread *t)
{
	const struct sl_coded *c = sl_survey_code(r->survey, r->item.pc);
	const struct sl_site *site = c->read ? c->read : c->write;
	const struct sl_site_frame *frame = site ? site->frame : NULL;
	uint64_t *linkage;
	const char *name;

	if (!frame || !t->call_count)
		return;
	linkage = sl_index_at(&r->survey->linkage, t->calls[t->call_count - 1].function);
	if (*linkage)
		return;
	while (frame->outer)
		frame = frame->outer;
	name = r->survey->of->function(r->survey->of->data, t->calls[t->call_count - 1].function);
	if (name && !strcmp(name, frame->function->name))
		*linkage = frame->function->flags & TABLE_LOCAL_NAME ? 2 : 1;
}

/* Memory of which little is accessed, or which is in no block. */
static void
sight_apart(struct sl_reading *r, uint64_t block, uint64_t like, uint64_t first, uint64_t last)
{
	for (uint64_t g = first; g <= last; g++) {
		uint64_t *at = sl_index_at(&r->sightings, block ? sl_join(block, g) : g);
		uint32_t seen = (uint32_t)*at;

		sight(r, &seen, like, g);
		*at = seen;
	}
}

static void
survey_access(struct sl_reading *r)
{
	uint32_t number = sl_reading_block(r, r->item.thread, r->item.object);
	uint64_t address = r->item.object, last = address + r->size - 1;
	struct sl_block_of *b;

	r->survey->accesses++;
	learn_linkage(r, &r->threads[r->item.thread]);
	if (number == SL_NO_BLOCK) {
		sight_apart(r, 0, 0, address >> GRANULE, last >> GRANULE);
		if (r->alive > 1)
			guard_meet(r);
		return;
	}
	b = &r->live.all[number];
	address -= b->address;
	last -= b->address;
	if (last >= b->size)
		last = b->size ? b->size - 1 : 0; /* it goes beyond the block: the program's error */
	if (b->stack || b->size > SPARSE) {
		sight_apart(r, b->serial, b->like, address >> GRANULE, last >> GRANULE);
	} else {
		if (!b->seen)
			b->seen = sl_room_zeroed((b->size >> GRANULE) + 1, sizeof(*b->seen));
		for (uint64_t g = address >> GRANULE; g <= last >> GRANULE; g++)
			sight(r, &b->seen[g], b->like, g);
	}
	if (!b->stack)
		learn_stride(r, b);
}

/* ---- threads ---- */

static uint32_t *
clock_copy(const struct sl_reading *r, const uint32_t *from)
{
	uint32_t *clock = sl_room_zeroed(r->survey->threads, sizeof(*clock));

	if (from)
		memcpy(clock, from, r->survey->threads * sizeof(*clock));
	return clock;
}

static void
clock_join(const struct sl_reading *r, uint32_t *clock, const uint32_t *with)
{
	for (uint32_t i = 0; with && i < r->survey->threads; i++)
		if (with[i] > clock[i])
			clock[i] = with[i];
}

/* The thread begins a new epoch, which comes after what the clock has, too. */
static void
epoch_begin(struct sl_reading *r, struct sl_read_thread *t, const uint32_t *with)
{
	uint32_t self = (uint32_t)(t - r->threads);
	uint32_t *clock;

	if (!r->survey->done)
		return;
	clock = clock_copy(r, t->epoch ? t->clocks[t->epoch] : NULL);
	clock[self] = t->epoch;
	clock_join(r, clock, with);
	t->epoch++;
	t->clocks = sl_room_for(t->clocks, t->epoch, &t->clock_room, sizeof(uint32_t *));
	t->causes = sl_room_for(t->causes, t->epoch, &t->cause_room, sizeof(*t->causes));
	t->clocks[t->epoch] = clock;
	t->causes[t->epoch] = (struct sl_epoch_cause){true, r->item.kind, r->item.pc};
}

/* Everything that the thread has done so far, as a clock for others; what it does next is not in it. The caller frees it. */
static uint32_t *
publish(struct sl_reading *r, struct sl_read_thread *t)
{
	uint32_t *clock;

	if (!r->survey->done)
		return NULL;
	clock = clock_copy(r, t->clocks[t->epoch]);
	clock[t - r->threads] = t->epoch;
	epoch_begin(r, t, NULL);
	return clock;
}

static struct sl_read_thread *
thread_get(struct sl_reading *r, uint32_t id)
{
	struct sl_read_thread *t;

	if (id >= r->thread_count) {
		size_t count = (size_t)id + 1 + id / 2;

		r->threads = sl_must(realloc(r->threads, count * sizeof(*r->threads)));
		memset(r->threads + r->thread_count, 0, (count - r->thread_count) * sizeof(*r->threads));
		r->thread_count = (uint32_t)count;
	}
	if (!r->survey->done && id >= r->survey->threads)
		r->survey->threads = id + 1;
	t = &r->threads[id];
	if (!t->started) {
		t->started = true;
		r->alive++;
		epoch_begin(r, t, t->birth);
	}
	return t;
}

static void
stack_known(struct sl_reading *r, uint64_t low, uint64_t high)
{
	struct sl_block_of *b;
	size_t at;

	if (low >= high || high - low > SIZE_MOST)
		return;
	while ((at = large_from(r, low)) < r->live.large_count && r->live.all[r->live.large[at]].address < high)
		block_remove(r, r->live.large[at]); /* of a thread that has ended */
	if ((high - low) >> PAGE_BITS < PAGES_MAX)
		return; /* too small to be one */
	b = block_add(r, low, high - low);
	b->stack = true;
	b->like = sl_join(LIKE_STACK, sl_index_get(&r->survey->starts, r->item.thread));
}

static void
allocated(struct sl_reading *r, struct sl_read_thread *t)
{
	uint32_t old = sl_reading_block(r, r->item.thread, r->item.object);
	const struct sl_coded *c = sl_survey_code(r->survey, r->item.pc);
	unsigned calls = r->survey->calls;
	struct sl_block_of *b;
	uint64_t like = c->statement;

	if (old != SL_NO_BLOCK && !r->live.all[old].stack) /* that it was freed was not seen */
		block_remove(r, old);
	if (calls == SL_CALLS_ALL) {
		if (t->call_count)
			like = sl_join(like, t->calls[t->call_count - 1].stack);
	} else {
		for (size_t i = t->call_count; i-- > 0 && calls--;)
			like = sl_join(like, sl_survey_code(r->survey, t->calls[i].pc)->statement);
	}
	b = block_add(r, r->item.object, r->item.value);
	b->like = like;
	b->pc = r->item.pc;
}

/* ---- calls ---- */

/* The thread goes on with another round of the loop in its outermost function: that is another unit of work. */
static void
look_for_loop(struct sl_reading *r, struct sl_read_thread *t)
{
	uint64_t *round;

	if (t->call_count != t->roots || !t->roots || !r->item.pc || t->declared)
		return;
	if (r->item.kind == SL_ITEM_RETURN || r->item.kind == SL_ITEM_BRANCH)
		return;
	round = sl_index_at(&r->loops, sl_join(sl_join(r->item.thread, r->item.kind),
					       sl_survey_code(r->survey, r->item.pc)->source));
	if (*round == t->round + 1) {
		t->round++;
		t->floor = r->number;
	}
	*round = t->round + 1;
}

static bool
is_unit(struct sl_reading *r, uint64_t function)
{
	struct sl_survey *s = r->survey;
	uint64_t *linkage;

	if (!s->done)
		return false;
	linkage = sl_index_at(&s->linkage, function);
	if (!(*linkage & 4)) {
		*linkage |= 4;
		for (size_t i = 0; s->options && i < s->options->unit_count; i++)
			if (function - s->options->units[i].low <
			    s->options->units[i].high - s->options->units[i].low)
				*linkage |= 8;
	}
	return *linkage & 8 || (*linkage & 3) != 2;
}

/* The number is of names: addresses differ between versions. */
static uint64_t
function_name(struct sl_reading *r, uint64_t function)
{
	uint64_t *at = sl_index_at(&r->survey->function_names, function);
	const char *name;

	if (!*at) {
		name = r->survey->of->function(r->survey->of->data, function);
		*at = name ? sl_text_hash(name) | 1 : 1;
	}
	return *at;
}

/* root: it is the outermost function, or what the library calls that with. */
static void
chain_add(struct sl_reading *r, const struct sl_read_thread *t, struct sl_read_call *call, bool root)
{
	const struct sl_read_call *caller = t->call_count ? &t->calls[t->call_count - 1] : NULL;

	call->chain = caller ? caller->chain : 0;
	if (!r->survey->done || (!root && (sl_index_get(&r->survey->linkage, call->function) & 3) == 2))
		return;
	for (size_t i = t->call_count; i && t->call_count - i < RECURSION; i--) {
		if (t->calls[i - 1].function != call->function)
			continue;
		call->depth = t->calls[i - 1].depth;
		return;
	}
	call->name = function_name(r, call->function);
	call->chain = sl_join(call->chain, call->name);
	for (size_t i = t->call_count; i && !call->depth; i--)
		call->depth = t->calls[i - 1].name ? t->calls[i - 1].depth : 0;
	call->depth++;
}

static void
called(struct sl_reading *r, struct sl_read_thread *t)
{
	const struct sl_coded *caller = sl_survey_code(r->survey, r->item.pc);
	uint64_t stack = t->call_count ? t->calls[t->call_count - 1].stack : 0;
	struct sl_read_call call;
	bool root;

	t->calls = sl_room_for(t->calls, t->call_count, &t->call_room, sizeof(*t->calls));
	if (t->call_count) /* what calls the start function is none of the program's statements */
		stack = sl_join(stack, caller->statement);
	call = (struct sl_read_call){.function = r->item.object,
				     .pc = r->item.pc,
				     .since = r->number,
				     .stack = stack};
	root = t->call_count == t->roots && (!t->call_count || caller->library);
	chain_add(r, t, &call, root);
	t->calls[t->call_count] = call;
	if (root) {
		t->roots++;
	} else if (is_unit(r, r->item.object)) {
		t->units = sl_room_for(t->units, t->unit_count, &t->unit_room, sizeof(*t->units));
		t->units[t->unit_count++] = (struct sl_read_unit){r->number, r->item.object, call.depth, false};
	}
	t->call_count++;
}

static void
unit_begins(struct sl_reading *r, struct sl_read_thread *t)
{
	if (!r->survey->done)
		return;
	t->units = sl_room_for(t->units, t->unit_count, &t->unit_room, sizeof(*t->units));
	t->units[t->unit_count++] = (struct sl_read_unit){r->number,
							  t->call_count ? t->calls[t->call_count - 1].function : 0,
							  .declared = true};
	t->declared++;
}

static void
unit_remove(struct sl_read_thread *t, size_t at)
{
	t->unit_count--;
	memmove(t->units + at, t->units + at + 1, (t->unit_count - at) * sizeof(*t->units));
}

/* The innermost that is declared; an end without a beginning ends nothing. */
static void
unit_ends(struct sl_read_thread *t)
{
	for (size_t i = t->unit_count; t->declared && i-- > 0;)
		if (t->units[i].declared) {
			unit_remove(t, i);
			t->declared--;
			return;
		}
}

static void
returned(struct sl_read_thread *t)
{
	if (!t->call_count)
		return;
	t->call_count--;
	/* a unit that it has declared may go on */
	for (size_t i = t->unit_count; i-- > 0 && t->units[i].since >= t->calls[t->call_count].since;)
		if (t->units[i].since == t->calls[t->call_count].since)
			unit_remove(t, i);
	if (t->roots > t->call_count)
		t->roots = t->call_count;
}

uint64_t
sl_reading_unit(const struct sl_read_thread *t, uint64_t since, bool *root, uint32_t *depth)
{
	*root = false;
	for (size_t i = t->unit_count; i-- > 0;) {
		*depth = t->units[i].depth;
		if (t->units[i].since <= since)
			return t->units[i].function;
	}
	*root = true;
	*depth = t->roots ? t->calls[t->roots - 1].depth : 0;
	return t->roots ? t->calls[t->roots - 1].function : 0;
}

/* ---- locks ---- */

static void
lock_name(struct sl_reading *r, struct sl_read_lock *l)
{
	struct sl_survey *s = r->survey;
	uint32_t number = sl_reading_block(r, r->item.thread, l->address);
	const struct sl_site_object *o;
	const struct sl_variable_name *v;
	const struct sl_block_of *b;
	char text[512];
	uint64_t *known;

	if (number == SL_NO_BLOCK) {
		v = variable_at(r, l->address, 0);
		if (!v && r->access)
			v = variable_at(r, l->address, r->size);
		if (v) {
			l->name = v->text;
			l->path = sl_text_hash(v->text + strlen(v->whole));
			l->plain = sl_text_hash(v->text);
			return;
		}
		snprintf(text, sizeof(text), "the object at 0x%llx", (unsigned long long)l->address);
		l->name = sl_texts_keep(&s->texts, text);
		l->path = l->address;
		l->plain = sl_join(l->address, 5);
		return;
	}
	b = &r->live.all[number];
	known = sl_index_at(&s->lock_names, sl_join(b->like, l->address - b->address));
	if (!*known) {
		o = site_object(sl_survey_code(s, r->item.pc), true);
		if (o && *o->path)
			snprintf(text, sizeof(text), "%s.%s", *o->container ? o->container : o->variable, o->path);
		else if (l->thing.offset)
			snprintf(text, sizeof(text), "+%llu in the %s", (unsigned long long)l->thing.offset,
				 sl_reading_object(r, l->address, 0));
		else
			snprintf(text, sizeof(text), "the %s", sl_reading_object(r, l->address, 0));
		*known = (uint64_t)(uintptr_t)sl_texts_keep(&s->texts, text);
		if (o && *o->path) {
			*sl_index_at(&s->lock_paths, sl_join(b->like, l->address - b->address)) =
				sl_text_hash(text);
		} else {
			s->unnamed =
				sl_room_for(s->unnamed, s->unnamed_count, &s->unnamed_room, sizeof(*s->unnamed));
			s->unnamed[s->unnamed_count++] =
				(struct sl_unnamed_lock){b->like, l->address - b->address};
		}
	}
	l->name = (const char *)(uintptr_t)*known;
	l->path = sl_index_get(&s->lock_paths, sl_join(b->like, l->address - b->address));
	l->plain = sl_join(b->like, l->path);
}

uint32_t
sl_reading_subject(struct sl_reading *r, uint64_t address)
{
	uint32_t block = sl_reading_block(r, r->item.thread, address);
	uint64_t serial = block == SL_NO_BLOCK ? 0 : r->live.all[block].serial;
	uint64_t *at = sl_index_at(&r->lock_at, address);
	struct sl_read_lock *l;

	if (*at && r->locks[*at - 1].serial == serial)
		return (uint32_t)*at - 1;
	r->locks = sl_room_for(r->locks, r->lock_count, &r->lock_room, sizeof(*r->locks));
	l = &r->locks[r->lock_count++];
	*at = r->lock_count;
	*l = (struct sl_read_lock){.address = address, .serial = serial};
	l->thing = sl_reading_thing(r, address, 0);
	lock_name(r, l);
	return (uint32_t)r->lock_count - 1;
}

static void
lock_act(struct sl_reading *r, struct sl_read_thread *t)
{
	uint64_t address;

	if (sl_item_lock_act(&r->item, &address) == SL_LOCK_NOTHING || !sl_kind_is(r->item.kind, SL_KIND_SYNC))
		return;
	if (t->book.count == t->book.room) {
		t->book.room = t->book.room ? 2 * t->book.room : 8;
		t->book.holds = sl_must(realloc(t->book.holds, t->book.room * sizeof(*t->book.holds)));
		t->holds = sl_must(realloc(t->holds, t->book.room * sizeof(*t->holds)));
	}
	r->act = sl_held_perform(&t->book, r->item.kind, r->item.object, r->item.value, r->number);
	if (r->act == SL_LOCK_TAKES) {
		r->lock = sl_reading_subject(r, address);
		t->holds[t->hold_count++] =
			(struct sl_read_hold){r->lock, sl_kind_is(r->item.kind, SL_KIND_SHARED), r->number,
					      r->item.pc};
	} else if (r->act == SL_LOCK_GIVES) {
		size_t i = 0;

		while (r->locks[t->holds[i].lock].address != address)
			i++;
		r->lock = t->holds[i].lock;
		t->hold_count--;
		memmove(t->holds + i, t->holds + i + 1, (t->hold_count - i) * sizeof(*t->holds));
	}
}

uint64_t
sl_reading_gate(const struct sl_reading *r, uint64_t since)
{
	const struct sl_read_thread *t = &r->threads[r->item.thread];

	for (size_t i = 0; i < t->hold_count; i++)
		if (t->holds[i].taken > since)
			return t->holds[i].pc;
	return r->item.pc;
}

/* ---- must-orders ---- */

static struct sl_read_barrier *
barrier_get(struct sl_reading *r, uint64_t address)
{
	uint64_t *at = sl_index_at(&r->barriers, address);

	if (!*at) {
		r->barrier = sl_room_for(r->barrier, r->barrier_count, &r->barrier_room, sizeof(*r->barrier));
		*at = r->barrier_count + 1;
		r->barrier[r->barrier_count++] = (struct sl_read_barrier){.number = (uint32_t)*at};
	}
	return &r->barrier[*at - 1];
}

static void
loosen(struct sl_reading *r, const struct sl_read_barrier *b)
{
	if (!r->survey->done)
		*sl_index_at(&r->survey->loose, b->number) = 1;
}

static void
barrier_arrive(struct sl_reading *r, struct sl_read_thread *t)
{
	struct sl_read_barrier *b = barrier_get(r, r->item.object);
	uint32_t *clock = publish(r, t);

	if (!b->gathered)
		b->gathered = clock;
	else if (clock) {
		clock_join(r, b->gathered, clock);
		free(clock);
	}
	b->members += sl_mix(r->item.thread + 1);
	t->barrier = b->number;
	t->barrier_round = b->round;
}

/* The first item of a thread after its arrival: it has left, or it was the last and the others may leave now. */
static void
barrier_leave(struct sl_reading *r, struct sl_read_thread *t)
{
	struct sl_read_barrier *b = &r->barrier[t->barrier - 1];

	t->barrier = 0;
	if (r->item.kind == SL_HANDLE)
		loosen(r, b); /* a signal came while it waited: it can't be told whether it still does */
	if (t->barrier_round == b->round) {
		if (!b->round)
			b->first_members = b->members;
		else if (b->first_members != b->members)
			loosen(r, b);
		b->round++;
		b->members = 0;
		free(b->done);
		b->done = b->gathered;
		b->gathered = NULL;
	} else if (b->round - t->barrier_round > 1) {
		loosen(r, b);
	}
	if (r->survey->done && !sl_index_find(&r->survey->loose, b->number))
		epoch_begin(r, t, b->done);
}

static void
once_ends(struct sl_reading *r, struct sl_read_thread *t)
{
	uint64_t at = sl_index_get(&r->onces, t->once);
	uint32_t *clock = publish(r, t);

	t->once = 0;
	if (!at || !clock) {
		free(clock);
		return;
	}
	free(r->once_clocks[at - 1]);
	r->once_clocks[at - 1] = clock;
}

static void
once_called(struct sl_reading *r, struct sl_read_thread *t)
{
	uint64_t *at = sl_index_at(&r->onces, r->item.object);

	if (!r->survey->done)
		return;
	if (r->item.value) {
		if (*at)
			epoch_begin(r, t, r->once_clocks[*at - 1]);
		return;
	}
	if (!*at) {
		r->once_clocks = sl_room_for(r->once_clocks, r->once_count, &r->once_room, sizeof(uint32_t *));
		r->once_clocks[r->once_count++] = NULL;
		*at = r->once_count;
	}
	t->once = r->item.object;
	free(r->once_clocks[*at - 1]);
	r->once_clocks[*at - 1] = publish(r, t);
	t->once_depth = 0;
	t->once_pc = r->item.pc;
}

/*
 * When is the function of pthread_once() over? When it returns, if the next item is that it is called, from a library; a guard of C++
 * is released by an atomic write beside it. If neither is seen, only what came before is known to be ordered.
 */
static void
once_goes_on(struct sl_reading *r, struct sl_read_thread *t)
{
	if (t->once_depth) {
		if (r->item.kind == SL_ITEM_RETURN && t->call_count == t->once_depth)
			once_ends(r, t);
	} else {
		t->once_depth = SIZE_MAX;
		if (r->item.kind == SL_ITEM_CALL &&
		    strcmp(sl_survey_code(r->survey, r->item.pc)->place.module,
			   sl_survey_code(r->survey, t->once_pc)->place.module) != 0)
			t->once_depth = t->call_count + 1;
	}
	if (t->once && sl_kind_access(r->item.kind) == SL_OP_WRITES && r->item.object + 1 == t->once)
		once_ends(r, t);
}

/* Orders, and what ends a unit of work. */
static void
orders(struct sl_reading *r, struct sl_read_thread *t)
{
	const struct sl_item *i = &r->item;

	if (i->kind == SL_CREATE && i->value <= UINT32_MAX) {
		uint32_t child = (uint32_t)i->value;

		if (!r->survey->done || child >= r->survey->threads) {
			if (!r->survey->done && child >= r->survey->threads)
				r->survey->threads = child + 1;
		} else if (child >= r->thread_count || !r->threads[child].started) {
			uint32_t *clock = publish(r, t);

			if (child >= r->thread_count) { /* makes room, and starts no thread */
				struct sl_read_thread *more =
					sl_must(realloc(r->threads, r->survey->threads * sizeof(*more)));

				memset(more + r->thread_count, 0,
				       (r->survey->threads - r->thread_count) * sizeof(*more));
				r->threads = more;
				r->thread_count = r->survey->threads;
			}
			free(r->threads[child].birth);
			r->threads[child].birth = clock;
		} else {
			epoch_begin(r, t, NULL);
		}
		return;
	}
	if (i->kind == SL_JOIN) {
		if (r->survey->done && i->value < r->thread_count && r->threads[i->value].ended) {
			struct sl_read_thread *other = &r->threads[i->value];
			uint32_t *clock = clock_copy(r, other->clocks[other->epoch]);

			clock[i->value] = other->epoch;
			epoch_begin(r, t, clock);
			free(clock);
		}
	} else if (i->kind == SL_BARRIER_WAIT) {
		barrier_arrive(r, t);
	} else if (i->kind == SL_ONCE) {
		once_called(r, t);
		return;
	}
	if (sl_kind_is(i->kind, SL_KIND_RENEWS)) {
		uint64_t *barrier = sl_index_find(&r->barriers, i->object);

		if (barrier)
			*barrier = 0;
	}
	/* A semaphore may be used as a lock, and a file may be written at any time: they end no unit. */
	if (sl_kind_is(i->kind, SL_KIND_WAITS) &&
	    !sl_kind_is(i->kind, SL_KIND_TAKES | SL_KIND_IO | SL_KIND_COUNTS) &&
	    !(sl_kind_is(i->kind, SL_KIND_SLEEPS) && sl_kind_is(i->kind, SL_KIND_ENABLES)))
		t->floor = r->number;
}

static void
messages(struct sl_reading *r, struct sl_read_thread *t)
{
	const struct sl_item *i = &r->item;
	uint32_t traits = sl_op_kinds[i->kind].traits;

	if (traits & SL_KIND_FAILS && !(traits & SL_KIND_TAKES) && i->value)
		return;
	if (traits & SL_KIND_SLEEPS && !(traits & SL_KIND_ORDERS)) {
		t->condition = i->object; /* the message comes when it wakes up */
		return;
	}
	if (traits & SL_KIND_WOKEN) {
		r->message = t->condition;
		r->subject = t->condition;
		t->condition = 0;
		return;
	}
	r->subject = traits & SL_KIND_THREAD ? 0 : i->object;
	r->message = traits & SL_KIND_ORDERS || (traits & SL_KIND_ACCESS && traits & SL_KIND_CALL) ||
		     (traits & SL_KIND_WAITS && !(traits & (SL_KIND_TAKES | SL_KIND_IO)));
}

/* ---- reading ---- */

struct sl_reading *
sl_reading_new(struct sl_survey *survey, struct sl_err *err)
{
	struct sl_reading *r;

	if (survey->of->rewind(survey->of->data, err) < 0)
		return NULL;
	r = sl_room_zeroed(1, sizeof(*r));
	r->survey = survey;
	r->err = err;
	for (size_t i = 0; survey->options && i < survey->options->set_count; i++) {
		const struct sl_declared_set *s = &survey->options->sets[i];
		uint64_t key = sl_join(sl_text_hash(s->name), 0xdec1);

		declare(r, &(struct sl_read_declared){s->address, s->address + s->size, key, key, 0, s->name});
	}
	return r;
}

void
sl_reading_free(struct sl_reading *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->thread_count; i++) {
		struct sl_read_thread *t = &r->threads[i];

		for (uint32_t e = 1; e <= t->epoch; e++)
			free(t->clocks[e]);
		free(t->clocks);
		free(t->causes);
		free(t->birth);
		free(t->calls);
		free(t->units);
		free(t->book.holds);
		free(t->holds);
	}
	free(r->threads);
	free(r->locks);
	sl_index_release(&r->lock_at);
	for (size_t i = 0; i < r->live.count; i++)
		free(r->live.all[i].seen);
	free(r->live.all);
	free(r->live.unused);
	sl_index_release(&r->live.pages);
	free(r->live.entries);
	free(r->live.large);
	sl_index_release(&r->sightings);
	sl_index_release(&r->barriers);
	for (size_t i = 0; i < r->barrier_count; i++) {
		free(r->barrier[i].gathered);
		free(r->barrier[i].done);
	}
	free(r->barrier);
	sl_index_release(&r->onces);
	for (size_t i = 0; i < r->once_count; i++)
		free(r->once_clocks[i]);
	free(r->once_clocks);
	sl_index_release(&r->loops);
	free(r->declared);
	free(r);
}

/* Memory is reserved for what the item says; a damaged one may say anything. */
static bool
is_plausible(struct sl_reading *r)
{
	const struct sl_item *i = &r->item;
	bool range = sl_kind_access(i->kind) && i->flags & SL_OP_RANGE;
	uint64_t size = range || i->kind == SL_ALLOC || i->kind == SL_DECLARE ? i->value : 0;
	uint64_t threads = THREADS + 64 * r->number; /* they are numbered, and each has been created */

	if (range && size >= RANGE_MOST) {
		r->failed = sl_err_set(
			r->err, "item %llu of the execution accesses 4 GB or more at once, which is not analysed",
			(unsigned long long)r->number);
		return false;
	}
	if (i->thread < threads && (i->kind != SL_CREATE || i->value < threads || i->value > UINT32_MAX) &&
	    size <= SIZE_MOST && i->object + size >= i->object)
		return true;
	r->failed = sl_err_set(r->err, "item %llu of the execution makes no sense", (unsigned long long)r->number);
	return false;
}

bool
sl_reading_next(struct sl_reading *r)
{
	struct sl_survey *s = r->survey;
	struct sl_item *i = &r->item;
	struct sl_read_thread *t;
	int got;

	if (r->live.dying) {
		block_remove(r, r->live.dying - 1);
		r->live.dying = 0;
	}
	got = s->of->next(s->of->data, i, r->err);
	if (got < 1) {
		r->failed = got;
		return false;
	}
	r->number++;
	if (!is_plausible(r))
		return false;
	r->act = SL_LOCK_NOTHING;
	r->message = false;
	r->access = sl_kind_access(i->kind);
	r->size = sl_kind_is_plain(i->kind) && i->flags & SL_OP_RANGE ? i->value : i->size;
	r->size += !r->size;
	t = thread_get(r, i->thread);
	if (t->barrier)
		barrier_leave(r, t);
	if (t->once)
		once_goes_on(r, t);
	look_for_loop(r, t);
	if (r->access) {
		messages(r, t);
		return true;
	}
	switch (i->kind) {
	case SL_ITEM_CALL:
		called(r, t);
		return true;
	case SL_ITEM_RETURN:
		returned(t);
		return true;
	case SL_ALLOC:
		if (i->object)
			allocated(r, t);
		return true;
	case SL_FREE: {
		uint32_t block = i->object ? sl_reading_block(r, i->thread, i->object) : SL_NO_BLOCK;

		if (block != SL_NO_BLOCK && r->live.all[block].address == i->object && !r->live.all[block].stack)
			r->live.dying = block + 1;
		return true;
	}
	case SL_DECLARE:
		declared(r);
		return true;
	case SL_UNIT_BEGIN:
		unit_begins(r, t);
		return true;
	case SL_UNIT_END:
		unit_ends(t);
		return true;
	default:
		break;
	}
	if (i->kind == SL_START) {
		const char *function = NULL;
		struct sl_coded *c = sl_survey_code(s, i->pc);

		if (!s->done) {
			function = c->place.function;
			*sl_index_at(&s->starts, i->thread) = sl_text_hash(function) | 1;
		}
		stack_known(r, i->object, i->value);
		return true;
	}
	if (i->kind == SL_END) {
		r->alive -= !t->ended;
		t->ended = true;
		return true;
	}
	lock_act(r, t);
	messages(r, t);
	orders(r, thread_get(r, i->thread));
	return true;
}

/*
 * An allocation whose blocks have objects of several types (structs in structs): the elements are those of the type with the
 * largest distance. A type that has one object in a block has the whole block.
 */
static void
learn_outermost(struct sl_survey *s)
{
	for (size_t i = 0; i < s->type_count; i++) {
		uint64_t gap = sl_index_get(&s->gaps, s->types[i].type),
			 *stride = sl_index_at(&s->strides, s->types[i].like);

		if (gap > *stride)
			*stride = gap;
	}
}

static int
by_offset(const void *a, const void *b)
{
	const struct sl_unnamed_lock *x = a, *y = b;

	if (x->like != y->like)
		return x->like < y->like ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Locks in a block that have no name, such as those of an array: their order outlives a change of the size of what is there. */
static void
number_unnamed_locks(struct sl_survey *s)
{
	uint64_t number = 0;

	if (s->unnamed_count)
		qsort(s->unnamed, s->unnamed_count, sizeof(*s->unnamed), by_offset);
	for (size_t i = 0; i < s->unnamed_count; i++) {
		number = i && s->unnamed[i - 1].like == s->unnamed[i].like ? number + 1 : 1;
		*sl_index_at(&s->lock_paths, sl_join(s->unnamed[i].like, s->unnamed[i].offset)) = number;
	}
}

int
sl_survey_make(struct sl_survey *s, struct sl_err *err)
{
	struct sl_reading *r = sl_reading_new(s, err);
	int failed;

	if (!r)
		return -1;
	s->threads = 1;
	while (sl_reading_next(r))
		if (r->access && r->item.object)
			survey_access(r);
	learn_outermost(s);
	number_unnamed_locks(s);
	s->items = r->number;
	failed = r->failed;
	sl_reading_free(r);
	s->done = true;
	return failed;
}

uint64_t
sl_processor_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void
sl_survey_declare(struct sl_survey *s)
{
	for (size_t i = 0; i < s->linkage.capacity; i++)
		s->linkage.slots[i].value &= 3;
	for (size_t i = 0; i < s->code_count; i++)
		s->codes[i]->types[0].known = s->codes[i]->types[1].known = false;
}

void
sl_survey_release(struct sl_survey *s)
{
	for (size_t i = 0; i < s->code_count; i++)
		free(s->codes[i]);
	free(s->codes);
	sl_index_release(&s->code_of);
	sl_index_release(&s->shares);
	sl_index_release(&s->strides);
	sl_index_release(&s->paths);
	sl_index_release(&s->gaps);
	free(s->types);
	sl_index_release(&s->linkage);
	sl_index_release(&s->function_names);
	sl_index_release(&s->starts);
	sl_index_release(&s->loose);
	sl_index_release(&s->guards);
	free(s->guard);
	sl_index_release(&s->named);
	free(s->names);
	sl_index_release(&s->lock_names);
	sl_index_release(&s->lock_paths);
	free(s->unnamed);
	sl_texts_release(&s->texts);
}
