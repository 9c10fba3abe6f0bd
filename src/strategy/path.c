/*
 * The path: see path.h for what it is. Two things here are more than bookkeeping.
 *
 * Claims. The worker that first extends its path beyond the split has the subtree. Another one that comes
 * there lets that execution end with default answers, and goes on beside the subtree.
 *
 * The done cache. All that is kept of the executions of a bound is one path, so the next bound would repeat
 * them all. Hence a subtree in which the bound forbade nothing is noted, and not entered under a greater one. A
 * single execution is such a subtree below its last forbidden answer, so as long as the notes last nothing is
 * repeated. They are a cache of fixed size: one that is lost costs a repetition and nothing else. Keeping the
 * forbidden answers instead, as CHESS does in a queue, would grow with the number of executions. A
 * hash that equals a noted one by accident would leave out a subtree; the chance is 2^-43 for each look.
 */
#include "strategy/path.h"

#include "base/rng.h"
#include "base/undo.h"
#include "strategy/claim.h"

#define NO_SPLIT UINT32_MAX

static uint64_t
extend(uint64_t hash, uint32_t position)
{
	return sl_mix(hash + (position + 1) * 0x9e3779b97f4a7c15u);
}

/* The notes of an earlier tree must not be found again, though its paths may look the same. */
static uint64_t
done_key(const struct sl_path *p, uint64_t hash)
{
	return sl_mix(hash ^ (p->restarts + 1) * 0x632be59bd9b4e019u) | 1;
}

static bool
is_done(const struct sl_path *p, uint64_t hash)
{
	uint64_t key = done_key(p, hash);
	const uint64_t *set = &p->done[key >> 32 & (SL_PATH_DONE - 1) & ~3u];

	return set[0] == key || set[1] == key || set[2] == key || set[3] == key;
}

static void
note_done(struct sl_path *p, uint64_t hash)
{
	uint64_t key = done_key(p, hash);
	uint64_t *set = &p->done[key >> 32 & (SL_PATH_DONE - 1) & ~3u];
	unsigned i = 0;

	while (i < 3 && set[i])
		i++;
	sl_undo_save(set, 4 * sizeof(*set));
	if (set[i]) /* full: the oldest goes */
		for (i = 0; i < 3; i++)
			set[i] = set[i + 1];
	set[i] = key;
}

static bool
bounded(const struct sl_path *p)
{
	return p->bound != SL_PATH_UNBOUNDED;
}

/* Claims of one bound are another matter than those of the next. */
static uint64_t
claim_key(const struct sl_path *p, uint64_t hash)
{
	return sl_mix(hash + p->bound * 0xd1342543de82ef95u);
}

static uint64_t
forbidden_key(const struct sl_path *p)
{
	return ~claim_key(p, p->root);
}

static unsigned
answer_at(uint32_t position, unsigned first)
{
	if (position == 0)
		return first;
	return position <= first ? position - 1 : position;
}

static bool
affordable(const struct sl_path *p, const struct sl_choice *c, unsigned answer)
{
	return !bounded(p) || p->spent + sl_choice_cost(c, answer) <= p->bound;
}

/* The first position from `from` on that the bound allows and that is not done; count: none. */
static uint32_t
next_position(const struct sl_path *p, const struct sl_choice *c, uint32_t from)
{
	unsigned first = sl_choice_default(c);

	for (; from < c->count; from++)
		if (affordable(p, c, answer_at(from, first)) &&
		    !(bounded(p) && p->bound && is_done(p, extend(p->hash, from))))
			return from;
	return c->count;
}

static bool
at_split(const struct sl_path *p)
{
	return p->spares >= SL_PATH_SPLIT || (bounded(p) && p->bound >= 2 && p->spent >= p->bound - 1);
}

/* What a branch contributes to the checksum of all of them. */
static uint64_t
weigh(const struct sl_path *p, const struct sl_branch *b)
{
	uint64_t place = (uint64_t)(b - p->branches) * 0x9e3779b97f4a7c15u;

	return sl_mix(b->hash + place + ((uint64_t)b->position << 32 | b->next)) +
	       sl_mix(~place + ((uint64_t)b->count << 32 | (uint64_t)b->spare << 16 | b->dirty));
}

/* A choice that the path did not have; false: it can't be had. */
static bool
append(struct sl_path *p, const struct sl_choice *c)
{
	if (p->length == SL_PATH_MAX) {
		p->partial = true;
		return false;
	}
	if (p->claims && p->split == NO_SPLIT && at_split(p)) {
		if (!sl_claim_take(p->claims, claim_key(p, p->hash), p->worker)) {
			p->foreign = true;
			return false;
		}
		p->split = p->cursor;
	}
	struct sl_branch *b = &p->branches[p->length];
	unsigned frees = 0, allowed = 0;

	for (unsigned i = 0; i < c->count; i++) {
		allowed += affordable(p, c, i);
		frees += !bounded(p) || !sl_choice_cost(c, i);
	}
	*b = (struct sl_branch){.hash = p->hash,
				.count = c->count,
				.spare = frees > 1,
				.dirty = allowed < c->count};
	b->position = next_position(p, c, 0);
	if (b->position == c->count) /* the note of the branch above is lost: repeat one */
		b->position = 0;
	if (b->dirty)
		p->forbidden = true;
	p->length++;
	return true;
}

int
sl_path_start(struct sl_path *p, const struct sl_strategy_options *o, uint32_t bound, struct sl_err *err)
{
	if (o->workers > SL_CLAIM_WORKERS)
		return sl_err_set(err, "%u workers are too many to share a search: at most %u can", o->workers,
				  SL_CLAIM_WORKERS);
	if (o->workers > 1 && o->worker >= o->workers)
		return sl_err_set(err, "there is no worker %u of %u", o->worker, o->workers);
	p->claims = o->workers > 1 ? o->claims : NULL;
	p->worker = o->worker;
	p->generation = o->generation;
	sl_path_restart(p, bound);
	return 0;
}

/* All but the tables. Branches beyond the length are nobody's. */
static void
save(struct sl_path *p)
{
	sl_undo_save(p, offsetof(struct sl_path, done));
}

void
sl_path_raise(struct sl_path *p, uint32_t bound)
{
	p->bound = bound;
	p->length = 0;
	p->sum = 0;
	p->fresh = 0;
	p->split = NO_SPLIT;
	p->forbidden = false;
}

void
sl_path_restart(struct sl_path *p, uint32_t bound)
{
	save(p);
	sl_path_raise(p, bound);
	p->restarts++;
	p->partial = false;
	p->executions = 0;
	p->skipped_before = p->skipped;
	/* Latched: a generation that changed in the middle of a tree would make us ask twice for the same. */
	p->root = sl_mix(p->generation ? *p->generation : p->restarts);
}

void
sl_path_begin(struct sl_path *p)
{
	save(p);
	p->cursor = 0;
	p->spent = 0;
	p->spares = 0;
	p->hash = p->root;
	p->off = p->foreign = false;
}

unsigned
sl_path_choose(struct sl_path *p, const struct sl_choice *c)
{
	unsigned first = sl_choice_default(c);

	if (p->off)
		return first;
	bool is_new = p->cursor == p->length;

	if (is_new && !append(p, c)) {
		p->off = true;
		return first;
	}
	struct sl_branch *b = &p->branches[p->cursor];

	if (b->count != c->count) {
		p->off = p->diverged = true;
		return first;
	}
	if (p->cursor >= p->fresh) {
		if (!is_new) {
			SL_SAVE(b->next); /* it is asked for again, but until then the checksum is of this */
			p->sum -= weigh(p, b);
		}
		b->next = next_position(p, c, b->position + 1);
		p->sum += weigh(p, b);
	}
	unsigned answer = answer_at(b->position, first);

	p->spent += sl_choice_cost(c, answer);
	p->spares += b->spare;
	p->hash = extend(p->hash, b->position);
	p->cursor++;
	return answer;
}

/*
 * What is below the position of a branch is finished: clean, or dirty. Positions are noted only in a dirty
 * branch, since a clean one will be noted as a whole, further up.
 */
static void
finish(struct sl_path *p, struct sl_branch *b, bool dirty)
{
	if (dirty && !b->dirty)
		for (uint32_t i = 0; i < b->position; i++)
			note_done(p, extend(b->hash, i));
	if (!dirty && b->dirty)
		note_done(p, extend(b->hash, b->position));
	if (!dirty || b->dirty)
		return;
	SL_SAVE(b->dirty);
	p->sum -= weigh(p, b);
	b->dirty = true;
	p->sum += weigh(p, b);
}

/* To the deepest answer that is left. */
static bool
backtrack(struct sl_path *p, bool dirty)
{
	for (; p->length; p->length--) {
		struct sl_branch *b = &p->branches[p->length - 1];

		if (bounded(p))
			finish(p, b, dirty);
		if (b->next < b->count) {
			SL_SAVE(b->position);
			p->sum -= weigh(p, b);
			b->position = b->next;
			p->sum += weigh(p, b);
			p->fresh = p->length - 1;
			if (p->split != NO_SPLIT && p->split >= p->length)
				p->split = NO_SPLIT;
			return true;
		}
		dirty = b->dirty;
		p->sum -= weigh(p, b);
	}
	return false;
}

bool
sl_path_end(struct sl_path *p, const struct sl_execution *execution)
{
	bool lost = p->off && !p->foreign, fresh = !p->foreign;

	if (!p->off && p->cursor < p->length && execution->cut)
		for (; p->length > p->cursor; p->length--) /* the limit has become smaller meanwhile */
			p->sum -= weigh(p, &p->branches[p->length - 1]);
	else if (!p->off && p->cursor < p->length)
		lost = p->diverged = true;
	if (execution->cut && !p->foreign)
		p->partial = true;
	/* An execution that ends before its split is a subtree by itself. */
	if (p->claims && !p->off && p->split == NO_SPLIT)
		fresh = sl_claim_take(p->claims, claim_key(p, p->hash), p->worker);
	if (bounded(p) && p->spent < p->bound)
		fresh = false; /* a smaller bound had it */
	p->executions++;
	p->skipped += !fresh;
	if (p->forbidden && p->claims)
		sl_claim_take(p->claims, forbidden_key(p), p->worker);
	return backtrack(p, lost || p->foreign);
}

uint64_t
sl_path_sum(const struct sl_path *p, bool whole)
{
	uint64_t sum = p->sum, rest = 0;
	const uint64_t words[] = {(uint64_t)p->bound << 32 | p->length,   (uint64_t)p->fresh << 32 | p->split,
				  p->root,                                p->executions,
				  p->skipped,                             p->skipped_before,
				  (uint64_t)p->restarts << 32 | p->worker, p->forbidden | p->diverged << 1 | p->partial << 2};

	if (whole && p->length > SL_PATH_MAX)
		return 0;
	for (uint32_t i = 0; whole && i < p->length; i++)
		rest += weigh(p, &p->branches[i]);
	if (whole && rest != sum)
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		sum = sl_mix(sum + words[i]);
	return sum | 1;
}

bool
sl_path_forbidden(const struct sl_path *p)
{
	return p->forbidden || (p->claims && sl_claim_find(p->claims, forbidden_key(p)));
}

/*
 * Knuth's idea, weighted: if each answer of a choice had an equal share of what is below it, the path would
 * tell which share of the tree is behind us. A hundred choices of two answers are beyond any counting.
 */
uint64_t
sl_path_estimate(const struct sl_path *p)
{
	double share = 1, behind = 0;

	for (uint32_t i = 0; i < p->length && share > 1e-30; i++) {
		share /= p->branches[i].count;
		behind += share * p->branches[i].position;
	}
	uint64_t seen = p->executions - (p->skipped - p->skipped_before);

	if (!p->length)
		return seen;
	if (!seen || behind <= 0)
		return 0;
	double estimate = (double)seen / behind;

	return estimate < 1e18 ? (uint64_t)(estimate + 0.5) : 0;
}
