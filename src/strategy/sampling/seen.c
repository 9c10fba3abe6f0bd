#include "strategy/sampling/seen.h"

#include "base/rng.h"
#include "base/undo.h"

#include <stddef.h>

#define PROBES 32u

void
sl_seen_begin(struct sl_seen *s)
{
	s->execution++;
	s->class = 0;
	s->new_pairs = 0;
	SL_SAVE(s->site_count); /* entries beyond the end of a list need not be saved */
	SL_SAVE(s->pair_count);
	SL_SAVE(s->unseen_count);
	SL_SAVE(s->untried);
}

/* NULL: there is no room. */
static struct sl_seen_object *
object_of(struct sl_seen *s, uint64_t object)
{
	for (uint32_t i = 0, at = (uint32_t)sl_mix(object); i < PROBES; i++, at++) {
		struct sl_seen_object *o = &s->objects[at % SL_SEEN_OBJECTS];

		if (!o->object) {
			SL_SAVE(o->object);
			o->object = object;
		}
		if (o->object == object)
			return o;
	}
	return NULL;
}

static const struct sl_seen_object *
object_find(const struct sl_seen *s, uint64_t object)
{
	for (uint32_t i = 0, at = (uint32_t)sl_mix(object); i < PROBES; i++, at++) {
		const struct sl_seen_object *o = &s->objects[at % SL_SEEN_OBJECTS];

		if (!o->object || o->object == object)
			return o->object ? o : NULL;
	}
	return NULL;
}

/* The number of the pair; 0: there is no room. */
static uint32_t
pair_of(struct sl_seen *s, uint64_t write, uint64_t read, bool impacted)
{
	uint64_t key = sl_mix(read + sl_mix(write + 1));

	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t *slot = &s->pair_slots[(key + i) % (2 * SL_SEEN_PAIRS)];
		struct sl_seen_pair *p = &s->pairs[*slot];

		if (*slot && (p->write != write || p->read != read))
			continue;
		if (!*slot) {
			if (s->pair_count + 1 >= SL_SEEN_PAIRS)
				return 0;
			SL_SAVE(*slot);
			*slot = ++s->pair_count;
			s->pairs[*slot] = (struct sl_seen_pair){.write = write,
								.read = read,
								.unseen = s->unseen_count,
								.impacted = impacted};
			/* the slot may have belonged to another pair before this execution */
			SL_SAVE(s->unseen[s->unseen_count]);
			s->unseen[s->unseen_count++] = *slot;
			s->untried++;
		}
		return *slot;
	}
	return 0;
}

static void
pair_seen(struct sl_seen *s, uint32_t number)
{
	struct sl_seen_pair *p = &s->pairs[number];

	SL_SAVE(p->count);
	if (p->count++)
		return;

	uint32_t last = s->unseen[--s->unseen_count];

	SL_SAVE(s->unseen[p->unseen]);
	s->unseen[p->unseen] = last;
	SL_SAVE(s->pairs[last].unseen);
	s->pairs[last].unseen = p->unseen;
	s->untried -= !p->tries;
	s->new_pairs++;
}

void
sl_seen_try(struct sl_seen *s, uint32_t pair)
{
	struct sl_seen_pair *p = &s->pairs[pair];

	SL_SAVE(s->untried);
	s->untried -= !p->tries && !p->count;
	SL_SAVE(p->tries);
	p->tries++;
}

/*
 * A new site at an object, or one that does more there than before: adds the pairs of what it could read, and of
 * what could read it.
 */
static void
pairs_add(struct sl_seen *s, const struct sl_seen_object *o, const struct sl_seen_site *site)
{
	if (site->flags & SL_OP_READS)
		pair_of(s, 0, site->pc, site->impacted);
	for (uint32_t i = o->first_site; i; i = s->sites[i].next) {
		bool impacted = site->impacted || s->sites[i].impacted;

		if ((site->flags & SL_OP_READS) && (s->sites[i].flags & SL_OP_WRITES))
			pair_of(s, s->sites[i].pc, site->pc, impacted);
		if ((site->flags & SL_OP_WRITES) && (s->sites[i].flags & SL_OP_READS))
			pair_of(s, site->pc, s->sites[i].pc, impacted);
	}
}

/* The number of the site; 0: there is none, or no room for it. */
static uint32_t *
site_slot(struct sl_seen *s, uint64_t object, uint64_t pc)
{
	uint64_t key = sl_mix(pc + sl_mix(object));

	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t *slot = &s->site_slots[(key + i) % (2 * SL_SEEN_SITES)];

		if (!*slot || (s->sites[*slot].object == object && s->sites[*slot].pc == pc))
			return slot;
	}
	return NULL;
}

static struct sl_seen_site *
site_of(struct sl_seen *s, struct sl_seen_object *o, const struct sl_op *op)
{
	uint32_t *slot = site_slot(s, op->object, op->pc);
	unsigned flags = op->flags & (SL_OP_READS | SL_OP_WRITES);

	if (!slot || (!*slot && s->site_count + 1 >= SL_SEEN_SITES))
		return NULL;
	if (!*slot) {
		SL_SAVE(*slot);
		*slot = ++s->site_count;
		s->sites[*slot] = (struct sl_seen_site){.object = op->object,
							.pc = op->pc,
							.impacted = op->flags & s->impacted,
							.next = o->first_site};
		SL_SAVE(o->first_site);
		o->first_site = *slot;
	}
	struct sl_seen_site *site = &s->sites[*slot];

	if ((site->flags | flags) != site->flags) {
		SL_SAVE(site->flags);
		site->flags |= (uint16_t)flags;
		pairs_add(s, o, site);
	}
	return site;
}

void
sl_seen_note(struct sl_seen *s, const struct sl_op *op)
{
	if (!op->object || !(op->flags & (SL_OP_READS | SL_OP_WRITES)))
		return;
	struct sl_seen_object *o = object_of(s, op->object);

	if (!o)
		return;
	struct sl_seen_site *site = site_of(s, o, op);
	bool written = o->execution == s->execution;
	uint64_t who = sl_mix(op->index + (uint64_t)op->thread * 0x9e3779b97f4a7c15u);

	if (op->flags & SL_OP_READS) {
		uint64_t from = written ? o->pc : 0;

		s->class += sl_mix(who + (written ? o->who : 0) * 3);
		if (site && (!site->last_pair || site->last_pc != from)) {
			SL_SAVE(*site);
			site->last_pc = from;
			site->last_pair = pair_of(s, from, op->pc, site->impacted);
		}
		if (site && site->last_pair)
			pair_seen(s, site->last_pair);
	}
	if (op->flags & SL_OP_WRITES) {
		o->execution = s->execution;
		o->pc = op->pc;
		o->who = who;
	}
}

unsigned
sl_seen_end(struct sl_seen *s)
{
	uint64_t class = s->class | 1;
	bool is_new = false;

	/* A cache of about the last million classes: a class that occurs again later counts as new. */
	for (uint32_t i = 0; i < 4; i++) {
		uint64_t *slot = &s->classes[((class >> 20) + i) % SL_SEEN_CLASSES];

		if (*slot == class)
			break;
		is_new = !*slot || i == 3;
		if (is_new) {
			SL_SAVE(*slot);
			*slot = class;
			break;
		}
	}
	return s->new_pairs ? 2 : is_new;
}

uint64_t
sl_seen_writer(const struct sl_seen *s, uint64_t object)
{
	const struct sl_seen_object *o = object_find(s, object);

	return o && o->execution == s->execution ? o->pc : 0;
}

bool
sl_seen_reads(const struct sl_seen *s, uint64_t pc, uint64_t object)
{
	uint64_t key = sl_mix(pc + sl_mix(object));

	for (uint32_t i = 0; i < PROBES; i++) {
		const struct sl_seen_site *site = &s->sites[s->site_slots[(key + i) % (2 * SL_SEEN_SITES)]];

		if (site == s->sites)
			return false;
		if (site->object == object && site->pc == pc)
			return site->flags & SL_OP_READS;
	}
	return false;
}
