#include "predict/classes.h"

#include <stdlib.h>

void
sl_classes_init(struct sl_classes *c)
{
	*c = (struct sl_classes){.lockset_count = 1};
	c->locksets = sl_room_for(NULL, 0, &c->lockset_room, sizeof(*c->locksets));
	c->locksets[0] = (struct sl_lockset){.count = 0};
}

void
sl_classes_release(struct sl_classes *c)
{
	for (size_t i = 0; i < c->lockset_count; i++)
		free(c->locksets[i].locks);
	free(c->locksets);
	free(c->accesses);
	free(c->pairs);
	sl_index_release(&c->lockset_by);
	sl_index_release(&c->access_by);
	sl_index_release(&c->pair_by);
}

static uint64_t
lock_code(const struct sl_reading *r, const struct sl_read_hold *hold, uint64_t thing)
{
	const struct sl_read_lock *l = &r->locks[hold->lock];

	return l->thing.key == thing ? sl_join(l->thing.offset, 0x5e1f) : hold->lock + 1ul;
}

uint32_t
sl_classes_locks(struct sl_classes *c, const struct sl_reading *r, uint64_t thing, size_t count)
{
	const struct sl_read_thread *t = &r->threads[r->item.thread];
	struct sl_lockset *set;
	uint64_t hash = count, *at;

	if (!count)
		return 0;
	/* a sum: the order in which the locks were taken does not matter */
	for (size_t i = 0; i < count; i++)
		hash += sl_mix(lock_code(r, &t->holds[i], thing) * 2 + t->holds[i].shared);
	at = sl_index_at(&c->lockset_by, hash);
	if (*at)
		return (uint32_t)*at - 1;
	c->locksets = sl_room_for(c->locksets, c->lockset_count, &c->lockset_room, sizeof(*c->locksets));
	set = &c->locksets[c->lockset_count++];
	*at = c->lockset_count;
	*set = (struct sl_lockset){.locks = sl_room_zeroed(count, sizeof(*set->locks)), .count = count};
	for (size_t i = 0; i < count; i++) {
		const struct sl_read_lock *l = &r->locks[t->holds[i].lock];

		set->locks[i] =
			(struct sl_lock_code){lock_code(r, &t->holds[i], thing), t->holds[i].shared, l->name};
		set->plain += sl_mix(l->plain * 2 + t->holds[i].shared);
	}
	return (uint32_t)c->lockset_count - 1;
}

uint32_t
sl_classes_access(struct sl_classes *c, const struct sl_access_class *access)
{
	uint64_t key = sl_join(sl_join(access->pc, access->like), sl_join(access->offset, access->size)), *at;

	key = sl_join(sl_join(key, access->impacted), (uint64_t)access->locks << 8 | access->access);
	at = sl_index_at(&c->access_by, key);
	if (*at)
		return (uint32_t)*at - 1;
	c->accesses = sl_room_for(c->accesses, c->access_count, &c->access_room, sizeof(*c->accesses));
	c->accesses[c->access_count++] = *access;
	*at = c->access_count;
	return (uint32_t)c->access_count - 1;
}

uint32_t
sl_classes_pair(struct sl_classes *c, const struct sl_pair_class *pair)
{
	uint64_t key = sl_join((uint64_t)pair->first << 32 | pair->second,
			       ((uint64_t)pair->locks << 16 | pair->depth) << 1 | pair->root);
	uint64_t *at = sl_index_at(&c->pair_by, sl_join(key, pair->unit));

	if (*at) {
		c->pairs[*at - 1].impacted |= pair->impacted;
		return (uint32_t)*at - 1;
	}
	c->pairs = sl_room_for(c->pairs, c->pair_count, &c->pair_room, sizeof(*c->pairs));
	c->pairs[c->pair_count++] = *pair;
	*at = c->pair_count;
	return (uint32_t)c->pair_count - 1;
}

const struct sl_lock_code *
sl_lockset_conflict(const struct sl_classes *c, uint32_t a, uint32_t b)
{
	const struct sl_lockset *x = &c->locksets[a], *y = &c->locksets[b];

	for (size_t i = 0; i < x->count; i++)
		for (size_t n = 0; n < y->count; n++)
			if (x->locks[i].code == y->locks[n].code && !(x->locks[i].shared && y->locks[n].shared))
				return &x->locks[i];
	return NULL;
}
