#include "predict/sets.h"

#include <stdio.h>
#include <stdlib.h>

#define FEW 16 /* members of a run that are looked through */

/* ---- which set ---- */

/* What a piece of an access belongs to. */
struct piece {
	uint64_t key, like, offset, size;
	uint32_t block;
	bool declared;
	const char *name;
};

static const char *
set_name(struct sl_reading *r)
{
	const struct sl_coded *c = sl_survey_code(r->survey, r->item.pc);
	const char *container = sl_coded_container(c, r->access & SL_OP_WRITES);
	const char *object = sl_reading_object(r, r->item.object, r->size);
	char text[512];
	size_t whole = strcspn(object, ".[");

	if (!strncmp(object, "heap block", 10) || !strncmp(object, "a local", 7) || !*object)
		return *container ? sl_texts_keep(&r->survey->texts, container) : object;
	snprintf(text, sizeof(text), "%.*s", (int)whole, object);
	return sl_texts_keep(&r->survey->texts, text);
}

/* Variables that the same lock guards are one set. In the old version, if there is one: what the change took away is looked for. */
static uint64_t
guard_of(const struct sl_collection *c, uint64_t variable, const char **name)
{
	struct sl_survey *s = c->survey;
	uint64_t number = sl_index_get(&s->guards, variable);
	uint64_t lock = c->options->impact ? sl_index_get(&c->options->impact->inside->guards, variable) : 0;
	const struct sl_guard *g = number ? &s->guard[number - 1] : NULL;

	*name = "";
	for (uint32_t i = 0; g && i < g->count; i++) {
		if (lock && g->locks[i] != lock)
			continue;
		*name = g->names[i];
		return g->locks[i];
	}
	return lock;
}

/*
 * The item accesses a member of a declared type. first: where it begins. True: the bytes at the address are of a declared part; else
 * *size is how many are not.
 */
static bool
typed(struct sl_collection *c, const struct sl_thing *thing, uint64_t first, uint64_t address, uint64_t *size,
      struct piece *p)
{
	struct sl_reading *r = c->reading;
	const struct sl_coded_type *member =
		sl_coded_type(c->survey, sl_survey_code(c->survey, r->item.pc), r->access & SL_OP_WRITES);
	const struct sl_declared_type *type = member->type ? &c->options->types.types[member->type - 1] : NULL;
	uint64_t offset = member->offset + (address - first);

	if (!type)
		return false;
	if (member->offset == UINT64_MAX) { /* an element of an array in it */
		if (thing->offset + thing->left != type->size)
			return false;
		offset = thing->offset;
	}
	for (size_t i = 0; i < type->part_count; i++) {
		const struct sl_declared_part *part = &type->parts[i];

		if (part->high <= offset)
			continue;
		if (part->low > offset) {
			*size = part->low - offset < *size ? part->low - offset : *size;
			return false;
		}
		p->key = sl_join(sl_join(address - offset, p->block ? r->live.all[p->block - 1].serial : 0),
				 sl_join(member->type, sl_join(part->set, 0xdec3)));
		p->like = sl_join(sl_join(member->type, part->set), 0xdec3);
		p->offset = offset;
		p->size = part->high - offset < *size ? part->high - offset : *size;
		p->declared = true;
		p->name = part->name;
		c->declared++;
		return true;
	}
	return false;
}

/* first: where the access begins. */
static struct piece
piece_at(struct sl_collection *c, uint64_t first, uint64_t address, uint64_t size)
{
	struct sl_reading *r = c->reading;
	struct sl_thing thing = sl_reading_thing(r, address, size);
	struct piece p = {.key = thing.key, .like = thing.like, .offset = thing.offset, .block = thing.block};
	const struct sl_read_declared *d;
	const char *lock;
	char text[512];
	uint64_t guard, next;

	d = sl_reading_declared(r, address, &next);
	if (d) {
		p.key = d->key;
		p.like = d->like;
		p.offset = address - d->base;
		p.size = d->high - address < size ? d->high - address : size;
		p.declared = true;
		p.name = d->name;
		return p;
	}
	if (next - address < size)
		size = next - address;
	if (c->options->types.count && typed(c, &thing, first, address, &size, &p))
		return p;
	p.size = thing.left < size ? thing.left : size;
	if (!p.block) { /* up to the end of the access, as far as it is one variable */
		while (p.size < size) {
			struct sl_thing more = sl_reading_thing(r, address + p.size, size);

			if (more.key != thing.key || more.block)
				break;
			p.size = p.size + more.left < size ? p.size + more.left : size;
		}
	}
	guard = thing.variable ? guard_of(c, thing.variable, &lock) : 0;
	if (guard) {
		p.key = p.like = sl_join(guard, 0x9a4d);
		if (*lock) {
			snprintf(text, sizeof(text), "variables under %s", lock);
			p.name = sl_texts_keep(&r->survey->texts, text);
		} else {
			p.name = "variables under one lock";
		}
	}
	return p;
}

static struct sl_atomic_set *
set_get(struct sl_collection *c, const struct piece *p)
{
	uint64_t *at = sl_index_at(&c->set_by, p->key);
	struct sl_atomic_set *set;

	if (*at)
		return c->sets[*at - 1];
	set = sl_room_zeroed(1, sizeof(*set));
	set->key = p->key;
	set->like = p->like;
	set->name = p->name ? p->name : set_name(c->reading);
	c->sets = sl_room_for(c->sets, c->set_count, &c->set_room, sizeof(struct sl_atomic_set *));
	c->sets[c->set_count++] = set;
	*at = c->set_count;
	if (p->block) {
		struct sl_block_of *b = &c->reading->live.all[p->block - 1];

		set->next = b->things;
		b->things = c->set_count;
	}
	return set;
}

static struct sl_party *
party_get(struct sl_atomic_set *set, uint32_t thread)
{
	for (size_t i = 0; i < set->party_count; i++)
		if (set->parties[i].thread == thread)
			return &set->parties[i];
	if (set->party_count == set->party_room) {
		set->party_room = set->party_room ? 2 * set->party_room : 2;
		set->parties = sl_must(realloc(set->parties, set->party_room * sizeof(*set->parties)));
	}
	set->parties[set->party_count] = (struct sl_party){.thread = thread};
	return &set->parties[set->party_count++];
}

static void
run_release(struct sl_run *run)
{
	free(run->members);
	sl_index_release(&run->by_class);
}

static void
set_free(struct sl_atomic_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->party_count; i++) {
		struct sl_party *p = &set->parties[i];

		for (size_t n = 0; n < p->run_count; n++)
			run_release(&p->runs[n]);
		free(p->runs);
		for (size_t n = 0; n < p->stretch_count; n++) {
			free(p->stretches[n].ones);
			free(p->stretches[n].twos);
		}
		free(p->stretches);
		free(p->every.ones);
		free(p->every.twos);
		sl_index_release(&p->every_one);
		sl_index_release(&p->done);
	}
	free(set->parties);
	free(set);
}

/* No access to the set comes any more. */
static void
set_complete(struct sl_collection *c, size_t number)
{
	struct sl_atomic_set *set = c->sets[number];

	if (!set)
		return;
	c->complete(c->data, c, set);
	*sl_index_at(&c->set_by, set->key) = 0;
	set_free(set);
	c->sets[number] = NULL;
}

/* ---- units of work ---- */

static bool
run_has(struct sl_run *run, uint32_t class)
{
	if (run->count > FEW)
		return sl_index_find(&run->by_class, class);
	for (size_t i = 0; i < run->count; i++)
		if (run->members[i].class == class)
			return true;
	return false;
}

static void *
small_room(void *items, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return items;
	*room = *room ? 2 * *room : 2;
	items = sl_must(realloc(items, *room * size));
	return items;
}

/* How many of the class came before the thread's last cut. */
static uint64_t
before_cut(struct sl_one *one, uint64_t cut)
{
	if (one->cut != cut) { /* all that there are */
		one->cut = cut;
		one->before_cut = one->count;
	}
	return one->before_cut;
}

/* cut: the thread's. */
static void
run_count(struct sl_run *run, struct sl_one one, uint64_t cut)
{
	for (size_t i = 0; i < run->count; i++) {
		struct sl_one *m = &run->members[i];

		if (m->class != one.class)
			continue;
		before_cut(m, cut);
		m->before_cut += before_cut(&one, cut);
		m->count += one.count;
	}
}

static void
run_add(struct sl_run *run, struct sl_one one, uint64_t cut)
{
	if (run_has(run, one.class)) {
		if (one.count)
			run_count(run, one, cut);
		return;
	}
	run->members = small_room(run->members, run->count, &run->room, sizeof(*run->members));
	run->members[run->count++] = one;
	run->hash += sl_mix(one.class + 1ul);
	if (run->count <= FEW)
		return;
	for (size_t i = run->count == FEW + 1 ? 0 : run->count - 1; i < run->count; i++)
		*sl_index_at(&run->by_class, run->members[i].class) = i + 1;
}

/* How many of the calls and locks of the thread began before the item: what a later one tells apart. */
static size_t
limits_before(const struct sl_read_thread *t, uint64_t number)
{
	size_t units = t->unit_count, holds = t->hold_count;

	while (units && t->units[units - 1].since > number)
		units--;
	while (holds && t->holds[holds - 1].taken > number)
		holds--;
	return units + holds;
}

/* Calls that have returned, and locks that were released, tell no accesses apart any more. */
static void
runs_merge(struct sl_party *p, const struct sl_read_thread *t)
{
	size_t kept = 0;

	if (p->run_count && p->last < t->floor) { /* the unit is over */
		for (size_t i = 0; i < p->run_count; i++)
			run_release(&p->runs[i]);
		p->run_count = 0;
		return;
	}
	for (size_t i = 0; i < p->run_count; i++) {
		struct sl_run *run = &p->runs[i], *before = kept ? &p->runs[kept - 1] : NULL;

		if (!before || before->epoch != run->epoch ||
		    limits_before(t, before->last) != limits_before(t, run->first)) {
			p->runs[kept++] = *run;
			continue;
		}
		for (size_t n = 0; n < run->count; n++)
			run_add(before, run->members[n], t->cut);
		before->last = run->last;
		run_release(run);
	}
	p->run_count = kept;
}

static struct sl_stretch *
stretch_get(struct sl_party *p, uint32_t from, uint32_t to)
{
	size_t i = p->stretch_count;
	struct sl_stretch *s;

	for (; i; i--) {
		s = &p->stretches[i - 1];
		if (s->from == from && s->to == to)
			return s;
		if (s->to < to || (s->to == to && s->from < from))
			break;
	}
	p->stretches = small_room(p->stretches, p->stretch_count, &p->stretch_room, sizeof(*p->stretches));
	memmove(p->stretches + i + 1, p->stretches + i, (p->stretch_count - i) * sizeof(*p->stretches));
	p->stretch_count++;
	p->stretches[i] = (struct sl_stretch){.from = from, .to = to};
	return &p->stretches[i];
}

/* The item that took the first of the locks that the thread has taken since, and holds at the access. */
static uint64_t
gate_since(const struct sl_read_thread *t, uint64_t number, uint64_t since)
{
	for (size_t i = 0; i < t->hold_count; i++)
		if (t->holds[i].taken > since)
			return t->holds[i].taken;
	return number;
}

/* Where it is in every, plus one; next: where it will be if it is new. */
static uint64_t
every_at(struct sl_party *p, uint64_t class, unsigned what, size_t next)
{
	uint64_t *at = sl_index_at(&p->every_one, sl_join(class, what));

	if (!*at)
		*at = next + 1;
	return *at;
}

static void
count_twos(struct sl_party *p, uint32_t class, bool impacted, uint64_t count)
{
	struct sl_stretch *s = &p->every;
	uint64_t at = every_at(p, class, 2u + impacted, s->two_count) - 1;

	if (at == s->two_count) {
		s->twos = small_room(s->twos, s->two_count, &s->two_room, sizeof(*s->twos));
		s->twos[s->two_count++] = (struct sl_two){.class = class, .impacted = impacted};
	}
	s->twos[at].count += count;
}

static void
count_ones(struct sl_party *p, uint32_t class)
{
	struct sl_stretch *s = &p->every;
	uint64_t at = every_at(p, class, 1, s->one_count) - 1;

	if (at == s->one_count) {
		s->ones = small_room(s->ones, s->one_count, &s->one_room, sizeof(*s->ones));
		s->ones[s->one_count++] = (struct sl_one){.class = class};
	}
	s->ones[at].count++;
}

/* Each access of the run is one of a pair with this access; pair: as far as it is the same for all. */
static void
count_pairs(struct sl_collection *c, struct sl_party *p, struct sl_run *run, struct sl_pair_class pair,
	    uint32_t class)
{
	struct sl_reading *r = c->reading;
	uint64_t cut = r->threads[p->thread].cut;

	for (size_t i = 0; i < run->count; i++) {
		struct sl_one *m = &run->members[i];
		uint64_t before = before_cut(m, cut);
		bool impacted;
		uint32_t number;

		if (m->number == r->number)
			continue; /* another piece of the same access */
		pair.first = m->class;
		impacted = sl_impact_in(c->classes.accesses[pair.first].impacted, pair.depth) ||
			   sl_impact_in(c->classes.accesses[class].impacted, pair.depth);
		pair.impacted = impacted || m->number < cut;
		number = sl_classes_pair(&c->classes, &pair);
		if (before)
			count_twos(p, number, true, before);
		if (m->count > before)
			count_twos(p, number, impacted, m->count - before);
	}
}

/* The access makes a pair with each member of the run. */
static void
pair_up(struct sl_collection *c, struct sl_atomic_set *set, struct sl_party *p, struct sl_run *run, uint32_t class)
{
	struct sl_reading *r = c->reading;
	const struct sl_read_thread *t = &r->threads[p->thread];
	struct sl_pair_class pair = {.second = class};
	struct sl_stretch *s;
	size_t held = t->hold_count;
	uint64_t *done;
	bool divided;

	while (held && t->holds[held - 1].taken > run->first)
		held--;
	pair.unit = sl_reading_unit(t, run->first, &pair.root, &pair.depth);
	pair.locks = sl_classes_locks(&c->classes, r, set->key, held);
	divided = run->first < t->cut;
	if (c->options->unmerged)
		count_pairs(c, p, run, pair, class);
	done = sl_index_at(&p->done, sl_join(sl_join(sl_join(run->hash, class), sl_join(run->epoch, t->epoch)),
					     sl_join(sl_join(pair.unit + pair.root, pair.depth), (uint64_t)pair.locks << 1 | divided)));
	if (*done)
		return;
	*done = 1;
	s = stretch_get(p, run->epoch, t->epoch);
	for (size_t i = 0; i < run->count; i++) {
		uint32_t number;

		if (run->members[i].number == r->number)
			continue; /* another piece of the same access */
		pair.first = run->members[i].class;
		pair.impacted = sl_impact_in(c->classes.accesses[pair.first].impacted, pair.depth) ||
				sl_impact_in(c->classes.accesses[class].impacted, pair.depth) ||
				run->members[i].number < t->cut;
		number = sl_classes_pair(&c->classes, &pair);
		s->impacted_twos |= pair.impacted;
		done = sl_index_at(&p->done, sl_join(sl_join(number, 2), sl_join(run->epoch, t->epoch)));
		if (*done)
			continue;
		*done = 1;
		s->twos = small_room(s->twos, s->two_count, &s->two_room, sizeof(*s->twos));
		s->twos[s->two_count++] =
			(struct sl_two){.class = number,
					.first = run->members[i].number,
					.second = r->number,
					.first_gate = run->members[i].gate,
					.second_gate = gate_since(t, r->number, run->members[i].number)};
		s->twos_hash += sl_mix(2ul * number + c->classes.pairs[number].impacted + 1);
	}
}

static void
one_access(struct sl_collection *c, const struct piece *piece, uint64_t impacted)
{
	struct sl_reading *r = c->reading;
	const struct sl_read_thread *t = &r->threads[r->item.thread];
	struct sl_atomic_set *set = set_get(c, piece);
	struct sl_party *p = party_get(set, r->item.thread);
	struct sl_access_class access = {.pc = r->item.pc,
					 .like = piece->like,
					 .offset = piece->offset,
					 .size = piece->size,
					 .access = r->access,
					 .impacted = impacted};
	struct sl_stretch *s;
	struct sl_run *run;
	struct sl_one one;
	uint64_t *done;
	uint32_t class;

	if (p->epoch != t->epoch) {
		sl_index_clear(&p->done);
		p->epoch = t->epoch;
	}
	access.locks = sl_classes_locks(&c->classes, r, set->key, t->hold_count);
	class = sl_classes_access(&c->classes, &access);
	one = (struct sl_one){.class = class,
			      .number = r->number,
			      .gate = gate_since(t, r->number, 0),
			      .count = c->options->unmerged,
			      .cut = t->cut};
	if (one.count)
		count_ones(p, class);
	done = sl_index_at(&p->done, sl_join(sl_join(class, 1), t->epoch));
	if (!*done) {
		*done = 1;
		s = stretch_get(p, t->epoch, t->epoch);
		s->ones = small_room(s->ones, s->one_count, &s->one_room, sizeof(*s->ones));
		s->ones[s->one_count++] = one;
		s->ones_hash += sl_mix(class + 1ul);
		s->impacted_ones |= impacted & 1;
	}
	runs_merge(p, t);
	for (size_t i = 0; i < p->run_count; i++)
		pair_up(c, set, p, &p->runs[i], class);
	run = p->run_count ? &p->runs[p->run_count - 1] : NULL;
	if (!run || run->epoch != t->epoch || limits_before(t, run->last) != limits_before(t, r->number)) {
		p->runs = small_room(p->runs, p->run_count, &p->run_room, sizeof(*p->runs));
		run = &p->runs[p->run_count++];
		*run = (struct sl_run){.first = r->number, .epoch = t->epoch};
	}
	run_add(run, one, t->cut);
	run->last = p->last = r->number;
}

/* ---- the reading ---- */

/* Sets that are not things themselves, of impacted variables. */
static void
find_hot(struct sl_collection *c)
{
	const struct sl_impact_inside *inside = c->options->impact->inside;
	const char *name;

	c->hot = sl_index_copy(&inside->hot);
	for (size_t i = 0; i < inside->thing_count; i++) {
		uint64_t guard = guard_of(c, inside->things[i], &name);

		if (guard)
			*sl_index_at(&c->hot, sl_join(guard, 0x9a4d)) = 1;
	}
}

static void
collect_access(struct sl_collection *c, uint64_t impacted)
{
	struct sl_reading *r = c->reading;
	uint64_t address = r->item.object, left = r->size;

	c->shared++;
	while (left) {
		struct piece piece = piece_at(c, r->item.object, address, left);

		if (!piece.size)
			break; /* beyond the end of a block */
		if ((!c->tracker || piece.declared || sl_index_find(&c->hot, piece.key)) &&
		    sl_reading_shares(r, address, piece.size))
			one_access(c, &piece, impacted);
		address += piece.size;
		left -= piece.size;
	}
}

int
sl_collect(struct sl_collection *c, struct sl_err *err)
{
	const struct sl_impact_set *impact = c->options->impact;
	struct sl_access_context context;
	int failed;

	sl_classes_init(&c->classes);
	c->reading = sl_reading_new(c->survey, err);
	if (!c->reading)
		return -1;
	if (impact) {
		c->tracker = sl_tracker_new(c->reading, &c->history);
		find_hot(c);
	}
	while (sl_reading_next(c->reading)) {
		struct sl_reading *r = c->reading;
		uint64_t impacted = 0;
		bool shared;

		if (r->live.dying) {
			for (uint64_t at = r->live.all[r->live.dying - 1].things, next; at; at = next) {
				next = c->sets[at - 1] ? c->sets[at - 1]->next : 0;
				set_complete(c, at - 1);
			}
			r->live.all[r->live.dying - 1].things = 0;
		}
		c->accesses += r->access && r->item.object;
		if (impact) {
			shared = sl_tracker_item(c->tracker, &context);
			impacted = shared ? sl_impact_of(impact->inside, &context) : 0;
			if (impacted && context.released)
				r->threads[r->item.thread].cut = r->number;
		} else {
			shared = r->access && r->item.object && sl_reading_shares(r, r->item.object, r->size);
		}
		if (shared)
			collect_access(c, impacted);
	}
	for (size_t i = 0; i < c->set_count; i++)
		set_complete(c, i);
	failed = c->reading->failed;
	return failed;
}

void
sl_collection_release(struct sl_collection *c)
{
	for (size_t i = 0; i < c->set_count; i++)
		set_free(c->sets[i]);
	free(c->sets);
	sl_index_release(&c->set_by);
	sl_index_release(&c->hot);
	sl_classes_release(&c->classes);
	sl_tracker_free(c->tracker);
	free(c->history.all);
	sl_index_release(&c->history.next);
	sl_texts_release(&c->history.texts);
	sl_reading_free(c->reading);
}
