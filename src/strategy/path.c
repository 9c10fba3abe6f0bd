/*
 * The path of an exhaustive search: see path.h. Two parts of it need an explanation.
 *
 * Claims. The worker that first extends its path beyond the split owns the subtree. Another worker that comes
 * there ends its execution with default answers, and continues beside the subtree.
 *
 * The done cache. All that is kept of the executions of a bound is one path, so the next bound would repeat them
 * all. Hence a subtree in which the bound forbade nothing is recorded, and not entered under a larger bound. A
 * single execution is such a subtree below its last forbidden answer, so nothing is repeated as long as the
 * records last. The cache has a fixed size: a lost record costs a repetition and nothing else. A queue of the
 * forbidden answers, as in CHESS, would grow with the number of executions. If a hash equals a recorded one by
 * accident, a subtree is left out; the probability is 2^-43 for each look-up.
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

/* Records of an earlier tree must not be found again, even if its paths look the same. */
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
	if (set[i]) /* full: the oldest record is dropped */
		for (i = 0; i < 3; i++)
			set[i] = set[i + 1];
	set[i] = key;
}

static bool
bounded(const struct sl_path *p)
{
	return p->bound != SL_PATH_UNBOUNDED || p->prioritise;
}

/* Claims of one bound are independent of those of the next. */
static uint64_t
claim_key(const struct sl_path *p, uint64_t hash)
{
	return sl_mix(hash + p->bound * 0xd1342543de82ef95u + p->iteration * 0x8cb92ba72f3d8dd7u);
}

static uint64_t
forbidden_key(const struct sl_path *p, enum sl_path_why why)
{
	return ~claim_key(p, why >= SL_PATH_FOR_EVER ? sl_mix(p->root + why) : p->root + why);
}

/* A choice, and what can be said of it before anything is answered. */
struct view {
	const struct sl_choice *choice;
	unsigned first; /* the default answer */
	unsigned only;  /* the answer that is not postponed; the count: none is */
};

static struct view
view(struct sl_path *p, const struct sl_choice *c)
{
	struct view v = {.choice = c, .first = sl_choice_default(c)};

	v.only = sl_prioritised(p->prioritise, p->impacted, c, p->bound_most - p->spent);

	if (p->shuffled && c->count <= SL_STRATEGY_THREADS) {
		struct sl_rng rng = sl_rng_derive(p->seed, p->hash);

		for (unsigned i = 0; i < c->count; i++) {
			unsigned at = sl_rng_below(&rng, i + 1);

			p->order[i] = p->order[at];
			p->order[at] = (uint16_t)i;
		}
	}
	return v;
}

static unsigned
answer_at(const struct sl_path *p, const struct view *v, uint32_t position)
{
	if (p->shuffled && v->choice->count <= SL_STRATEGY_THREADS)
		return p->order[position];
	if (position == 0)
		return v->first;
	return position <= v->first ? position - 1 : position;
}

static bool
postpones(const struct view *v, unsigned answer)
{
	return v->only < v->choice->count && answer != v->only;
}

enum permit { NOW, LATER, NEVER };

static enum permit
permit(struct sl_path *p, const struct view *v, unsigned answer)
{
	uint32_t spent, postponed;

	if (!bounded(p))
		return NOW;
	spent = p->spent + sl_choice_cost(v->choice, answer);
	postponed = p->postponed + postpones(v, answer);
	if (spent > p->bound_most) {
		p->forbidden[SL_PATH_FOR_EVER] = true;
		return NEVER;
	}
	if (postponed > p->iteration_most) {
		p->forbidden[SL_PATH_NOT_SELECTED] = true;
		return NEVER;
	}
	if (postponed > p->iteration) {
		p->forbidden[SL_PATH_BY_ITERATION] = true;
		return LATER;
	}
	if (spent > p->bound) {
		p->forbidden[SL_PATH_BY_BOUND] = true;
		return LATER;
	}
	return NOW;
}

/* The first position from `from` on that is allowed and not done; count: none. */
static uint32_t
next_position(struct sl_path *p, const struct view *v, uint32_t from, bool again)
{
	for (; from < v->choice->count; from++)
		if (permit(p, v, answer_at(p, v, from)) == NOW &&
		    !(bounded(p) && p->raised && !again && is_done(p, extend(p->hash, from))))
			return from;
	return v->choice->count;
}

static bool
at_split(const struct sl_path *p)
{
	return p->spares >= SL_PATH_SPLIT ||
	       (p->bound != SL_PATH_UNBOUNDED && p->bound >= 2 && p->spent >= p->bound - 1);
}

/* Contribution of a branch to the checksum of all branches. */
static uint64_t
weigh(const struct sl_path *p, const struct sl_branch *b)
{
	uint64_t place = (uint64_t)(b - p->branches) * 0x9e3779b97f4a7c15u;

	return sl_mix(b->hash + place + ((uint64_t)b->position << 32 | b->next)) +
	       sl_mix(~place + ((uint64_t)b->count << 32 | (uint64_t)b->spare << 16 | b->dirty));
}

/* Appends a choice that the path did not have; false: there is no room, or the subtree is another worker's. */
static bool
append(struct sl_path *p, const struct view *v)
{
	const struct sl_choice *c = v->choice;

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
	unsigned frees = 0, later = 0;

	for (unsigned i = 0; i < c->count; i++) {
		later += permit(p, v, i) == LATER;
		frees += p->bound == SL_PATH_UNBOUNDED || !sl_choice_cost(c, i);
	}
	*b = (struct sl_branch){.hash = p->hash, .count = c->count, .spare = frees > 1, .dirty = later > 0};
	b->position = next_position(p, v, 0, false);
	if (b->position == c->count) /* the note of the branch above is lost: repeat one */
		b->position = next_position(p, v, 0, true);
	if (b->position == c->count) {
		p->dead = true;
		p->dead_later = later > 0;
		return false;
	}
	p->length++;
	return true;
}

int
sl_path_start(struct sl_path *p, const struct sl_strategy_options *o, uint32_t bound, uint32_t most,
	      struct sl_err *err)
{
	if (o->workers > SL_CLAIM_WORKERS)
		return sl_err_set(err, "%u workers are too many to share a search: at most %u can", o->workers,
				  SL_CLAIM_WORKERS);
	if (o->workers > 1 && o->worker >= o->workers)
		return sl_err_set(err, "there is no worker %u of %u", o->worker, o->workers);
	p->claims = o->workers > 1 ? o->claims : NULL;
	p->worker = o->worker;
	p->generation = o->generation;
	p->bound_most = most;
	p->prioritise = o->prioritise;
	p->impacted = o->impacted;
	p->iteration_most = o->prioritise && o->iterations ? o->iterations - 1 : SL_PATH_UNBOUNDED;
	p->shuffled = o->shuffled;
	p->seed = o->seed;
	sl_path_restart(p, bound);
	return 0;
}

/* Saves everything but the tables. Branches beyond the length are not in use. */
static void
save(struct sl_path *p)
{
	sl_undo_save(p, offsetof(struct sl_path, done));
}

static void
from_the_beginning(struct sl_path *p, uint32_t iteration, uint32_t bound)
{
	p->iteration = iteration;
	p->bound = bound;
	p->length = 0;
	p->sum = 0;
	p->fresh = 0;
	p->split = NO_SPLIT;
	p->forbidden[SL_PATH_BY_BOUND] = p->forbidden[SL_PATH_BY_ITERATION] = false;
}

bool
sl_path_raise(struct sl_path *p, uint32_t bound)
{
	if (sl_path_forbidden(p, SL_PATH_BY_BOUND))
		from_the_beginning(p, p->iteration, p->bound + 1);
	else if (sl_path_forbidden(p, SL_PATH_BY_ITERATION))
		from_the_beginning(p, p->iteration + 1, bound);
	else
		return false;
	p->raised = true;
	return true;
}

void
sl_path_restart(struct sl_path *p, uint32_t bound)
{
	save(p);
	from_the_beginning(p, 0, bound);
	p->raised = p->forbidden[SL_PATH_FOR_EVER] = p->forbidden[SL_PATH_NOT_SELECTED] = false;
	p->restarts++;
	p->partial = false;
	p->executions = 0;
	p->skipped_before = p->skipped;
	/* Latched: if the generation changed in the middle of a tree, the same answers would be tried twice. */
	p->root = sl_mix(p->generation ? *p->generation : p->restarts);
}

void
sl_path_begin(struct sl_path *p)
{
	save(p);
	p->cursor = 0;
	p->spent = 0;
	p->postponed = 0;
	p->spares = 0;
	p->hash = p->root;
	p->off = p->foreign = p->dead = false;
}

unsigned
sl_path_choose(struct sl_path *p, const struct sl_choice *c)
{
	if (p->off)
		return sl_choice_default(c);
	struct view v = view(p, c);
	bool is_new = p->cursor == p->length;

	if (is_new && !append(p, &v)) {
		p->off = true;
		return v.first;
	}
	struct sl_branch *b = &p->branches[p->cursor];

	if (b->count != c->count) {
		p->off = p->diverged = true;
		return v.first;
	}
	if (p->cursor >= p->fresh) {
		if (!is_new) {
			SL_SAVE(b->next); /* computed again, but until then the checksum covers this value */
			p->sum -= weigh(p, b);
		}
		b->next = next_position(p, &v, b->position + 1, false);
		p->sum += weigh(p, b);
	}
	unsigned answer = answer_at(p, &v, b->position);

	p->spent += sl_choice_cost(c, answer);
	p->postponed += postpones(&v, answer);
	p->spares += b->spare;
	p->hash = extend(p->hash, b->position);
	p->cursor++;
	return answer;
}

/*
 * Everything below the position of a branch is finished: clean or dirty. Positions are recorded only in a dirty
 * branch, since a clean one will be recorded as a whole, further up.
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

/* Moves to the deepest answer that is left. */
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
	bool lost = p->off && !p->foreign && !p->dead, fresh = !p->foreign && !p->dead;

	if (!p->off && p->cursor < p->length && execution->cut)
		for (; p->length > p->cursor; p->length--) /* the limit has become smaller meanwhile */
			p->sum -= weigh(p, &p->branches[p->length - 1]);
	else if (!p->off && p->cursor < p->length)
		lost = p->diverged = true;
	if (execution->cut && !p->foreign && !p->dead)
		p->partial = true;
	/* An execution that ends before its split is a subtree by itself. */
	if (p->claims && !p->off && p->split == NO_SPLIT)
		fresh = sl_claim_take(p->claims, claim_key(p, p->hash), p->worker);
	if (p->bound != SL_PATH_UNBOUNDED && p->spent < p->bound)
		fresh = false; /* a smaller bound had it */
	if (p->prioritise && p->postponed < p->iteration)
		fresh = false; /* an earlier iteration had it */
	p->executions++;
	p->skipped += !fresh;
	for (enum sl_path_why why = 0; p->claims && why < SL_PATH_WHYS; why++)
		if (p->forbidden[why])
			sl_claim_take(p->claims, forbidden_key(p, why), p->worker);
	return backtrack(p, lost || p->foreign || (p->dead && p->dead_later));
}

uint64_t
sl_path_sum(const struct sl_path *p, bool whole)
{
	uint64_t sum = p->sum, rest = 0;
	const uint64_t words[] = {(uint64_t)p->bound << 32 | p->length,
				  (uint64_t)p->fresh << 32 | p->split,
				  p->root,
				  p->executions,
				  p->skipped,
				  p->skipped_before,
				  (uint64_t)p->restarts << 32 | p->worker,
				  p->diverged | p->partial << 1 | p->raised << 2,
				  (uint64_t)p->iteration << 32 | p->forbidden[0] | p->forbidden[1] << 1 |
					  p->forbidden[2] << 2 | p->forbidden[3] << 3};

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
sl_path_forbidden(const struct sl_path *p, enum sl_path_why why)
{
	return p->forbidden[why] || (p->claims && sl_claim_find(p->claims, forbidden_key(p, why)));
}

/*
 * Knuth's estimate, weighted: if each answer of a choice had an equal share of what is below it, the path would
 * tell which share of the tree is done. With a hundred choices of two answers the number exceeds any counter.
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
