/*
 * Every interleaving that differs: of executions that differ only in the order of commuting steps, one is run. See
 * dpor.h for the algorithm and its terms.
 *
 * The state is the stack of choices of the current execution, as in strategy/path.h. An execution follows the
 * stack, then what a wake-up tree asks for, then the default. At its end the reversible races among its steps are
 * inserted, with everything that has to come along, into the trees of the nodes where the reversed sequence would
 * begin; then the deepest node that has a tree left takes it. A node also knows the steps that were tried from it
 * (its sleep set): a sequence that begins with one of them, or is equivalent to one that does, need not be run
 * again. With wake-up trees no execution is begun in vain: each class of executions is run once, and none is
 * started that turns out to be known.
 *
 * Choices of values (which waiter a signal wakes, sleave_choose()) are nodes of their own: every value is tried.
 *
 * With prioritisation (prioritise.h) the search runs in rounds, each with a bound on the postponed answers of an
 * execution: 0, 1, 2, 4, and so on. What is beyond the bound is left out. A round that has left something out is followed
 * by one with a greater bound, which starts anew: nothing that is known about the order of steps is true of executions
 * that were not run. The last round leaves nothing out, so it is the search without prioritisation, and as sound.
 */
#include "strategy/dpor/dpor.h"
#include "base/rng.h"
#include "base/undo.h"

#include <string.h>

#define ESTIMATE_EACH 64 /* executions: an estimate takes as long as a few steps */

/* ---- nodes ---- */

static void
pop(struct sl_dpor *s)
{
	struct sl_dpor_node *n = &s->nodes[s->length];

	if (n->shared)
		sl_dpor_share_leave(s, s->length);
	s->length--;
	sl_dpor_node_done(s, n);
	sl_dpor_step_drop(s, n->step);
	sl_dpor_step_drop(s, n->united);
	for (uint32_t i = 0; i < n->sleep_count; i++)
		sl_dpor_step_drop(s, s->sleeps[n->sleep + i] & ~SL_DPOR_VAIN);
	sl_dpor_tree_free(s, n->list);
	sl_dpor_tree_free(s, n->subtree);
}

/* A node for a new choice; NULL: there is no room. */
static struct sl_dpor_node *
push(struct sl_dpor *s)
{
	const struct sl_dpor_node *above = &s->nodes[s->length];

	if (s->length + 1 == SL_DPOR_NODES) {
		s->partial = s->off = true;
		return NULL;
	}
	struct sl_dpor_node *n = &s->nodes[++s->length];

	*n = (struct sl_dpor_node){.value = SL_DPOR_NO_VALUE,
				   .list = s->carry,
				   .only = SL_DPOR_NO_THREAD,
				   .postponed = s->first.spent};
	n->sleep = s->length > 1 ? above->sleep + above->sleep_count : 0;
	s->carry = SL_DPOR_NONE;
	return n;
}

/* Steps that were tried before the last one, and commute with it, have been tried after it as well. */
static void
inherit_sleep(struct sl_dpor *s, struct sl_dpor_node *n)
{
	const struct sl_dpor_node *above = &s->nodes[s->at];

	for (uint32_t i = 0; s->at && !s->bound.set && i < above->sleep_count; i++) {
		uint32_t entry = s->sleeps[above->sleep + i], step = entry & ~SL_DPOR_VAIN;

		if (!sl_dpor_commute(s, step, above->step))
			continue;
		if (n->sleep + n->sleep_count + 1 >= sizeof(s->sleeps) / sizeof(s->sleeps[0])) {
			s->partial = true;
			return;
		}
		s->sleeps[n->sleep + n->sleep_count++] = sl_dpor_step_keep(s, step) | (entry & SL_DPOR_VAIN);
	}
}

static bool
is_asleep(const struct sl_dpor *s, const struct sl_dpor_node *n, uint32_t thread)
{
	for (uint32_t i = 0; i < n->sleep_count; i++)
		if (s->steps[s->sleeps[n->sleep + i] & ~SL_DPOR_VAIN].step.thread == thread)
			return true;
	return false;
}

/* Moves a node to the first of its trees. */
static void
take_tree(struct sl_dpor *s, struct sl_dpor_node *n)
{
	uint32_t t = sl_dpor_tree_take(s, &n->list);

	n->thread = s->trees[t].thread;
	n->value = s->trees[t].value;
	n->subtree = s->trees[t].children;
	n->target = s->trees[t].target;
	sl_dpor_tree_give(s, t);
}

/* ---- prioritisation ---- */

/* How many answers this one would postpone: 0 or 1. */
static uint32_t
postpones(const struct sl_dpor_node *n, uint32_t thread)
{
	return n->only != SL_DPOR_NO_THREAD && n->only != thread;
}

static bool
is_later(struct sl_dpor *s, const struct sl_dpor_node *n, uint32_t thread)
{
	if (n->postponed + postpones(n, thread) <= s->first.bound)
		return false;
	s->first.later = true;
	return true;
}

/* Removes the trees that a later round has to run. */
static void
leave_to_later(struct sl_dpor *s, struct sl_dpor_node *n)
{
	uint32_t trees = n->list, *end = &n->list;

	if (n->only == SL_DPOR_NO_THREAD || !trees || n->postponed < s->first.bound)
		return;
	SL_SAVE(n->list);
	n->list = SL_DPOR_NONE;
	while (trees) {
		uint32_t t = trees;

		trees = s->trees[t].next;
		SL_SAVE(s->trees[t].next);
		s->trees[t].next = SL_DPOR_NONE;
		if (is_later(s, n, s->trees[t].thread)) {
			sl_dpor_tree_free(s, t);
			continue;
		}
		if (end != &n->list)
			SL_SAVE(*end);
		*end = t;
		end = &s->trees[t].next;
	}
}

/* The next round; false: all are done. */
static bool
next_round(struct sl_dpor *s)
{
	if (!s->first.later)
		return false;
	if (s->first.bound == s->first.most) {
		s->first.limited = true;
		return false;
	}
	s->first.bound = s->first.bound ? 2 * s->first.bound : 1;
	if (s->first.bound > s->first.most)
		s->first.bound = s->first.most;
	return true;
}

/* Hands what is to be run below the choice to the next node. */
static void
carry(struct sl_dpor *s, struct sl_dpor_node *n)
{
	s->carry = n->subtree;
	if (!n->subtree)
		return;
	SL_SAVE(n->subtree);
	n->subtree = SL_DPOR_NONE;
}

/* ---- the choice of a thread ---- */

static unsigned
give_up(struct sl_dpor *s)
{
	s->off = true;
	return SL_CHOICE_ABANDON;
}

/*
 * The step that was tried here ended the program while other threads were enabled, or took what one of them would
 * have taken: each of these has to be tried.
 */
static void
expand(struct sl_dpor *s, struct sl_dpor_node *n, const struct sl_choice *c)
{
	n->expand = false;
	n->expanded = true;
	for (unsigned i = 0; i < c->count; i++) {
		uint32_t thread = c->ops[i]->thread, t = n->list;

		if (s->bound.set && s->bound.spent + (c->count > 1 ? sl_choice_cost(c, i) : 0) > s->bound.most) {
			s->bound.forbidden = true;
			continue;
		}

		const struct sl_dpor_thread *o = &s->thread[thread];

		if (n->futile && o->execution == s->execution && s->nodes[o->last].vain)
			continue; /* it waits in a loop as well, and has just looked */
		while (t && s->trees[t].thread != thread)
			t = s->trees[t].next;
		if (!t && !is_asleep(s, n, thread))
			sl_dpor_tree_add(s, &n->list, thread, SL_DPOR_NO_VALUE, SL_DPOR_NONE, n->futile);
	}
}

/* Picks a thread that was not tried yet: with prioritisation the one that is not postponed, else the default if possible. */
static bool
pick(struct sl_dpor *s, struct sl_dpor_node *n, const struct sl_choice *c)
{
	unsigned answer = c->count > 1 ? sl_choice_default(c) : 0, from = 0;
	bool later = s->first.later;

	if (n->only != SL_DPOR_NO_THREAD)
		answer = c->places[n->only];
	else if (s->first.shuffled && c->count > 1)
		answer = from = (unsigned)(sl_mix(s->first.seed + s->counts.executions + s->length) % c->count);
	if (!n->sleep_count || !is_asleep(s, n, c->ops[answer]->thread)) {
		n->thread = c->ops[answer]->thread;
		return true;
	}
	for (unsigned i = 0; i < c->count; i++) {
		n->thread = c->ops[(from + i) % c->count]->thread;
		if (!is_asleep(s, n, n->thread) && !is_later(s, n, n->thread))
			return true;
	}
	s->counts.blocked += later == s->first.later;
	return false;
}

static unsigned
choose_thread(struct sl_dpor *s, const struct sl_choice *c)
{
	struct sl_dpor_node *n = &s->nodes[s->cursor + 1];

	if (s->useless && !s->bound.set)
		return give_up(s);
	if (s->cursor == s->length) {
		n = push(s);
		if (!n)
			return sl_choice_default(c);
		n->enabled = c->count;
		inherit_sleep(s, n);
		if (n->list && s->trees[n->list].value != SL_DPOR_NO_VALUE) {
			/* a value was to be chosen in the step that is over, but there was no such choice */
			s->partial = true;
			sl_dpor_tree_free(s, n->list);
			n->list = SL_DPOR_NONE;
		}
		if (s->first.mode) {
			unsigned only = sl_prioritised(s->first.mode, s->first.impacted, c,
						       s->bound.set ? s->bound.most - s->bound.spent : UINT32_MAX);

			if (only < c->count)
				n->only = c->ops[only]->thread;
		}
		bool asked = n->list;

		leave_to_later(s, n);
		if (n->list)
			take_tree(s, n);
		else if (asked || !pick(s, n, c))
			return give_up(s);
	} else if (sl_dpor_is_value(n)) {
		s->diverged = s->off = true;
		return sl_choice_default(c);
	} else if (n->turn) {
		SL_SAVE(*n);
		n->turn = false;
		expand(s, n, c);
		leave_to_later(s, n);
		if (!n->list || (n->shared && !sl_dpor_share_expanded(s, n)))
			return give_up(s);
		if (!n->shared)
			take_tree(s, n);
	}
	s->cursor++;
	carry(s, n);
	sl_dpor_order_choose(s, s->cursor);
	s->first.spent = n->postponed + postpones(n, n->thread);
	if (c->places[n->thread] >= c->count)
		return SL_CHOICE_SPINNING | n->thread;
	s->bound.spent += c->count > 1 ? sl_choice_cost(c, c->places[n->thread]) : 0;
	return c->places[n->thread];
}

/* ---- the choice of a value ---- */

static unsigned
choose_value(struct sl_dpor *s, const struct sl_choice *c)
{
	struct sl_dpor_node *n = &s->nodes[s->cursor + 1];

	if (s->cursor == s->length) {
		n = push(s);
		if (!n)
			return 0;
		/* created before it was known that the step chooses values */
		uint32_t rest = sl_dpor_tree_split(s, &n->list);

		n->thread = s->at ? s->nodes[s->at].thread : 0;
		n->count = c->count;
		for (uint32_t value = 0; value < c->count; value++) {
			uint32_t t = n->list;

			while (t && s->trees[t].value != value)
				t = s->trees[t].next;
			if (!t)
				sl_dpor_tree_add(s, &n->list, n->thread, value, SL_DPOR_NONE, false);
		}
		take_tree(s, n);
		sl_dpor_tree_append(s, &n->subtree, rest);
	} else if (n->count != c->count || !sl_dpor_is_value(n)) {
		s->diverged = s->off = true;
		return 0;
	}
	s->cursor++;
	carry(s, n);
	return n->value;
}

/* ---- the strategy ---- */

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_dpor *s = state;

	if (options->unseen)
		return sl_err_set(err, "dpor can't tell what commutes: accesses to memory are not seen");
	s->bound.set = options->preemptions > 0;
	s->bound.most = options->preemptions ? options->preemptions - 1 : 0;
	if (options->workers > 1 && (s->bound.set || options->prioritise))
		return sl_err_set(err, "dpor with %s can't share its work: use -j 1",
				  s->bound.set ? "a bound on preemptions" : "prioritisation");
	s->first.mode = options->prioritise;
	s->first.impacted = options->impacted;
	s->first.shuffled = options->shuffled;
	s->first.seed = sl_mix(options->seed);
	s->first.bound = options->prioritise ? 0 : UINT32_MAX;
	s->first.most = options->iterations ? options->iterations - 1 : UINT32_MAX;
	if (options->workers > 1) {
		s->share.worker = options->worker;
		s->share.generation = options->generation;
		s->share.common = options->shared;
		sl_dpor_share_join(s, s->share.generation ? *s->share.generation : 0);
	}
	return 0;
}

static bool
begin(void *state)
{
	struct sl_dpor *s = state;

	if (s->share.common && s->share.idle && !s->exhausted && !sl_dpor_share_find(s)) {
		s->exhausted = sl_dpor_share_is_over(s);
		return false;
	}
	sl_dpor_save(s);
	sl_dpor_reuse(s);
	s->kept = s->length;
	s->cursor = 0;
	s->bound.spent = s->first.spent = 0;
	s->off = s->useless = false;
	sl_dpor_order_begin(s);
	return !s->exhausted;
}

static unsigned
choose(void *state, const struct sl_choice *choice)
{
	struct sl_dpor *s = state;

	if (s->off)
		return choice->count > 1 ? sl_choice_default(choice) : 0;
	return choice->kind == SL_CHOOSE_THREAD ? choose_thread(s, choice) : choose_value(s, choice);
}

/*
 * A quick comparison: a step that was seen before is the same if it touches the same. (Field by field: the new one
 * has just been written that way, and wider loads would have to wait for the stores.)
 */
static bool
same_step(const struct sl_step *a, const volatile struct sl_step *b)
{
	return a->thread == b->thread && a->count == b->count && a->everything == b->everything &&
	       (!a->count || a->touches[0].key == b->touches[0].key);
}

/* What a thread that waits in a loop looks at: everything that its last, fruitless steps have read. */
static struct sl_step
look_of(const struct sl_dpor *s, uint32_t node)
{
	struct sl_step look = {0};

	for (; node && s->nodes[node].vain; node = s->nodes[node].previous) {
		const struct sl_step *step = &s->steps[s->nodes[node].step].step;

		look.everything |= step->everything;
		for (unsigned i = 0; i < step->count; i++) {
			unsigned k = 0;

			while (k < look.count && look.touches[k].key != step->touches[i].key)
				k++;
			if (k == SL_STEP_TOUCHES) {
				look.everything = true;
				continue;
			}
			if (k == look.count)
				look.touches[look.count++] =
					(struct sl_touch){.key = step->touches[i].key, .how = SL_TOUCH_READ};
			look.touches[k].bytes |= step->touches[i].bytes;
			look.touches[k].needs = SL_NEEDS_UNKNOWN;
		}
	}
	return look;
}

static bool
only_looks(const struct sl_step *step)
{
	for (unsigned i = 0; i < step->count; i++)
		if (step->touches[i].how & SL_TOUCH_WRITE)
			return false;
	return !step->everything;
}

/*
 * A step that was never performed could have come before the step that prevented it: it gets a node beyond the
 * end, for this execution only.
 */
static void
add_stuck(struct sl_dpor *s, const struct sl_step *step)
{
	uint32_t last = s->length + s->stuck;

	if (s->cursor < s->length || last + 1 == SL_DPOR_NODES) {
		s->partial = true;
		return;
	}
	s->stuck++;
	s->nodes[last + 1] = (struct sl_dpor_node){.thread = step->thread, .value = SL_DPOR_NO_VALUE};
	sl_dpor_order_choose(s, last + 1);
	if (step->count) {
		s->nodes[last + 1].step = sl_dpor_step_new(s, step);
	} else {
		uint32_t previous = s->nodes[last + 1].previous;
		const struct sl_step *before = &s->steps[s->nodes[previous].step].step;

		if (previous && only_looks(before)) {
			SL_SAVE(s->nodes[previous].vain);
			s->nodes[previous].vain =
				true; /* a yield or a short sleep, after which it did not look again */
		}
		struct sl_step look = look_of(s, previous);

		look.thread = step->thread;
		s->nodes[last + 1].step = sl_dpor_step_new(s, &look);
	}
}

static void
stepped(void *state, const struct sl_step *step)
{
	struct sl_dpor *s = state;
	struct sl_dpor_node *n = &s->nodes[s->at];

	if (s->off)
		return;
	s->partial |= step->unknown;
	if (step->stuck) {
		add_stuck(s, step);
		return;
	}
	if (s->at == SL_DPOR_NONE) {
		sl_dpor_order_stepped(s);
		return;
	}
	if (n->step == SL_DPOR_NONE) {
		if (s->at <= s->kept)
			SL_SAVE(*n);
		n->step = sl_dpor_step_new(s, step);
		n->expand |= step->last && !n->expanded; /* with another value it may not be the last */
	} else if (!same_step(&s->steps[n->step].step, step)) {
		s->diverged = s->off = true;
	}
	sl_dpor_order_stepped(s);
}

/* Adds what the step of a node touches to what it touched with other values; then the step is unknown again. */
static void
forget_step(struct sl_dpor *s, struct sl_dpor_node *n)
{
	if (n->united && n->step) {
		struct sl_step both = s->steps[n->united].step;
		const struct sl_step *step = &s->steps[n->step].step;

		both.everything |= step->everything || both.count + step->count > SL_STEP_TOUCHES;
		for (unsigned i = 0; i < step->count && both.count < SL_STEP_TOUCHES; i++)
			both.touches[both.count++] = step->touches[i];
		sl_dpor_step_drop(s, n->united);
		sl_dpor_step_drop(s, n->step);
		n->united = sl_dpor_step_new(s, &both);
	} else if (n->step) {
		n->united = n->step;
	}
	n->step = SL_DPOR_NONE;
}

/* Another value is chosen in the step of a node: what follows in the same step may be different. */
static void
redo_step_of(struct sl_dpor *s, uint32_t value)
{
	uint32_t node = value - 1;

	while (node && sl_dpor_is_value(&s->nodes[node]))
		node--;
	if (!node)
		return;
	sl_dpor_order_cut(s, node);
	SL_SAVE(s->nodes[node]);
	forget_step(s, &s->nodes[node]);
}

/* Moves to the deepest choice that has something left; false: there is none. */
static bool
backtrack(struct sl_dpor *s)
{
	uint32_t futile = s->bound.set || !s->useless ? SL_DPOR_NODES : 1;

	while (futile < s->length && !(s->nodes[futile].target && s->nodes[futile].vain))
		futile++;
	for (; s->length; pop(s)) {
		struct sl_dpor_node *n = &s->nodes[s->length];
		bool vain = s->length == futile;

		sl_dpor_order_cut(s, s->length);
		leave_to_later(s, n);
		if (n->shared && !sl_dpor_is_value(n)) {
			forget_step(s, n);
			if (n->target && n->vain) { /* as below */
				sl_dpor_step_drop(s, n->united);
				n->united = SL_DPOR_NONE;
				n->expand = n->futile = true;
			}
			n->vain = n->target = false;
			sl_dpor_tree_free(s, n->subtree);
			n->subtree = SL_DPOR_NONE;
			n->tried++;
			if (sl_dpor_share_next(s, n))
				return true;
			continue;
		}
		if (s->length > futile || (!n->list && !n->expand && !(vain && !n->expanded)))
			continue;
		SL_SAVE(*n);
		if (sl_dpor_is_value(n)) {
			if (n->shared) /* the value is then chosen in another step */
				sl_dpor_share_leave(s, s->length);
			redo_step_of(s, s->length);
		} else {
			forget_step(s, n);
			/* otherwise it was never performed */
			if (n->united) {
				SL_SAVE(s->sleeps[n->sleep + n->sleep_count]); /* of a node that was removed */
				s->sleeps[n->sleep + n->sleep_count++] = n->united | (vain ? SL_DPOR_VAIN : 0);
			}
			/*
			 * nothing was tried below it, not even what it seemed to cover: each of the others is
			 * tried
			 */
			n->expand |= vain && !n->expanded;
			n->futile |= vain;
			n->united = SL_DPOR_NONE;
			/* reset what belongs to the step, but not `expanded`, which belongs to the node */
			n->vain = n->target = false;
		}
		sl_dpor_tree_free(s, n->subtree);
		n->subtree = SL_DPOR_NONE;
		n->tried++;
		n->turn = n->expand; /* not earlier: the choice that was made may have more values */
		if (!n->turn)
			take_tree(s, n);
		return true;
	}
	return false;
}

/* What has been run so far counts as run in vain. */
static void
start_anew(struct sl_dpor *s)
{
	sl_dpor_order_cut(s, 1);
	while (s->length)
		pop(s);
	s->exhausted = s->partial = s->bound.forbidden = s->first.later = s->first.limited = false;
	s->counts.skipped = s->counts.executions;
	s->estimate.value = 0;
	memset(s->estimate.nodes, 0, sizeof(s->estimate.nodes));
	memset(s->estimate.branches, 0, sizeof(s->estimate.branches));
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct sl_dpor *s = state;

	sl_dpor_tree_free(s, s->carry);
	s->carry = SL_DPOR_NONE;
	s->counts.executions++;
	if (execution->abandoned || (s->useless && !s->bound.set))
		s->counts.skipped++;
	if (execution->cut)
		s->partial = true;
	if (!s->off && s->cursor < s->length)
		s->diverged = true;
	if (s->at && !s->stuck && !s->nodes[s->at].step && !execution->abandoned) {
		/* the process died in the middle of the step */
		struct sl_step lost = {.thread = s->nodes[s->at].thread, .everything = true, .last = true};

		SL_SAVE(s->nodes[s->at]);
		s->nodes[s->at].step = sl_dpor_step_new(s, &lost);
		s->nodes[s->at].expand = true;
	}
	if (s->share.common)
		sl_dpor_share_settle(s);
	sl_dpor_reverse_races(s);
	if (s->share.common && !execution->abandoned && !s->useless && !sl_dpor_share_is_new(s))
		s->counts.skipped++;
	for (; s->stuck; s->stuck--)
		sl_dpor_step_drop(s, s->nodes[s->length + s->stuck].step);
	if (s->share.common && (s->partial || s->diverged))
		sl_dpor_share_spoil(s);
	s->exhausted = s->diverged || !backtrack(s);
	if (s->exhausted && !s->diverged && next_round(s))
		start_anew(s);
	if (s->share.common && s->exhausted) {
		s->exhausted = s->diverged;
		sl_dpor_share_idle(s);
	} else if (s->share.common) {
		sl_dpor_share(s);
	}
	if (s->counts.executions < ESTIMATE_EACH || s->counts.executions % ESTIMATE_EACH == 0)
		s->estimate.value = sl_dpor_estimate(s);
}

static void
grown(void *state)
{
	struct sl_dpor *s = state;

	sl_dpor_save(s);
	start_anew(s);
	s->first.bound = s->first.mode ? 0 : UINT32_MAX;
	if (s->share.common)
		sl_dpor_share_join(s, s->share.generation ? *s->share.generation : 0);
}

static bool
waits(const void *state)
{
	const struct sl_dpor *s = state;

	return s->share.common && sl_dpor_share_waits(s);
}

static void
progress(const void *state, struct sl_progress *progress)
{
	const struct sl_dpor *s = state;

	*progress = (struct sl_progress){
		.complete = s->exhausted && !s->partial && !s->diverged && !s->bound.forbidden &&
			    !s->first.limited && !(s->share.common && sl_dpor_share_is_partial(s)),
		.over = s->exhausted,
		.bound = s->bound.set && s->exhausted && !s->partial && !s->diverged && !s->first.limited
				 ? (int)s->bound.most
				 : -1,
		.estimate = s->exhausted                   ? s->counts.executions - s->counts.skipped
			    : s->first.bound != UINT32_MAX ? 0
							   : s->estimate.value,
		.selected = s->first.limited,
		.skipped = s->counts.skipped,
		.classes = true,
	};
}

static const struct sl_strategy_search search = {
	.grown = grown,
	.progress = progress,
	.waits = waits,
	.recover = sl_dpor_recover,
};

static const struct sl_strategy_steps steps = {
	.stepped = stepped,
	.ordered = sl_dpor_ordered,
	.instead = sl_dpor_instead,
	.vain = sl_dpor_vain,
};

const struct sl_strategy sl_strategy_dpor = {
	.name = "dpor",
	.summary =
		"runs one interleaving of each class: its members differ only in the order of steps that commute",
	.state_size = sizeof(struct sl_dpor),
	.traits = {.exhaustive = true,
		   .bounded = true,
		   .prioritises = true,
		   .needs_accesses = true,
		   .shares = true,
		   .heeds = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.search = &search,
	.steps = &steps,
};
