/*
 * A toy program for testing strategies: a few threads with short lists
 * of steps, and no real thread. The world can be copied, so
 * model_brute() enumerates all executions by plain recursion; it shares
 * no code with any strategy and is the twin that they are compared with.
 */
#ifndef MODEL_H
#define MODEL_H

#include "base/rng.h"
#include "strategy/strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MODEL_THREADS 8
#define MODEL_STEPS 16
#define MODEL_OBJECTS 8
#define MODEL_ITEMS 512

enum act {
	STOP, /* the thread ends (also what a zeroed list means) */
	GET,  /* register = variable */
	PUT,  /* variable = register + arg */
	SET,  /* variable = arg */
	LOCK,
	UNLOCK,
	NAP,    /* a late operation */
	YIELD,  /* the next operation has SL_OP_YIELDED */
	PICK,   /* register = a choice of arg values */
	WAIT,   /* until signalled; no mutex, so a signal can be lost */
	SIGNAL, /* wakes one, if any */
	SKIP,   /* not an operation: leaves out arg steps if the register is 0 */
	CHECK,  /* not an operation: a finding, which ends the execution, if the register is not arg */
};

struct step {
	enum act act;
	unsigned object;
	int arg;
};

struct model {
	unsigned threads;
	unsigned hidden; /* a set of objects whose operations are no points of choice (yet) */
	uint64_t cut_at; /* 0, or stop after so many operations */
	uint64_t
		impacted; /* a set of places: the step `at` of thread t is number t * MODEL_STEPS + at, modulo 64 */
	uint64_t bad;     /* 0, or this digest of the final variables is a finding */
	struct step steps[MODEL_THREADS][MODEL_STEPS];
};

struct world {
	const struct model *model;
	bool every_operation, counts; /* as in struct sl_strategy_traits */
	bool done, finding, cut;
	int vars[MODEL_OBJECTS], owner[MODEL_OBJECTS]; /* owner: thread + 1 */
	struct {
		unsigned at;
		int reg;
		uint64_t index; /* of the announced operation */
		int waits;      /* for object waits - 1 */
		bool woken, yielded;
	} t[MODEL_THREADS];
	int last; /* the thread that went last; -1 at first */
	enum sl_choice_kind pending;
	unsigned values;                /* of a pending SL_CHOOSE_VALUE */
	unsigned object;                /* of a pending SL_CHOOSE_WAITER */
	uint64_t steps, choices, trace; /* trace: a digest of everything that was done */
	unsigned preemptions;
	struct sl_op ops[MODEL_THREADS];
	const struct sl_op *op_ptrs[MODEL_THREADS];
	struct sl_choice choice;
	uint32_t changed[MODEL_THREADS], places[MODEL_THREADS];
	struct sl_kin kin[MODEL_THREADS];
	uint64_t told[MODEL_THREADS]; /* index of the operation that was in the last choice of a thread, or 0 */
	struct sl_pick items[MODEL_ITEMS];
	unsigned item_count;
	int run_item; /* the last run; -1: none */
};

/* What one execution was. */
struct outcome {
	uint64_t trace, vars;
	unsigned preemptions;
	bool finding, cut;
	uint64_t steps, choices;
	struct sl_pick items[MODEL_ITEMS];
	struct sl_schedule schedule;
};

static inline const struct step *
model_step(const struct world *w, unsigned t)
{
	return &w->model->steps[t][w->t[t].at];
}

/* Passes what is not an operation. */
static inline void
model_settle(struct world *w, unsigned t)
{
	for (;; w->t[t].at++) {
		const struct step *s = model_step(w, t);

		if (s->act == SKIP) {
			if (w->t[t].reg == 0)
				w->t[t].at += (unsigned)s->arg;
		} else if (s->act == CHECK) {
			if (w->t[t].reg != s->arg)
				w->done = w->finding = true;
		} else if (s->act == YIELD) {
			w->t[t].yielded = true;
		} else {
			return;
		}
	}
}

static inline void
model_init(struct world *w, const struct model *m, bool every_operation)
{
	memset(w, 0, sizeof(*w));
	w->model = m;
	w->every_operation = every_operation;
	w->last = w->run_item = -1;
	for (unsigned t = 0; t < m->threads; t++) {
		w->t[t].index = 1;
		model_settle(w, t);
	}
}

static inline bool
model_enabled(const struct world *w, unsigned t)
{
	const struct step *s = model_step(w, t);

	if (s->act == STOP || (w->t[t].waits && !w->t[t].woken))
		return false;
	return s->act != LOCK || !w->owner[s->object];
}

static inline void
model_describe(const struct world *w, unsigned t, struct sl_op *op)
{
	static const struct {
		enum act act;
		enum sl_op_kind kind;
		unsigned flags;
	} kinds[] = {
		{GET, SL_ATOMIC_LOAD, SL_OP_READS},
		{PUT, SL_ATOMIC_STORE, SL_OP_WRITES},
		{SET, SL_ATOMIC_STORE, SL_OP_WRITES},
		{LOCK, SL_MUTEX_LOCK, SL_OP_WRITES},
		{UNLOCK, SL_MUTEX_UNLOCK, SL_OP_WRITES},
		{NAP, SL_SLEEP, SL_OP_LATE},
		{PICK, SL_CHOOSE, 0},
		{WAIT, SL_COND_WAIT, SL_OP_WRITES},
		{SIGNAL, SL_COND_SIGNAL, SL_OP_WRITES},
	};
	const struct step *s = model_step(w, t);

	*op = (struct sl_op){.thread = t, .index = w->t[t].index, .pc = 1 + t * MODEL_STEPS + w->t[t].at};
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].act == s->act) {
			op->kind = (uint8_t)kinds[i].kind;
			op->flags = (uint16_t)kinds[i].flags;
		}
	if (s->act != NAP && s->act != PICK)
		op->object = 4096 * (s->act == LOCK || s->act == UNLOCK ? 2 : 1) + 64 * s->object;
	if (w->t[t].yielded)
		op->flags |= SL_OP_YIELDED;
	if (w->model->impacted >> (op->pc - 1) % 64 & 1)
		op->flags |= SL_OP_IMPACTED_LINE;
}

static inline void
model_note(struct world *w, unsigned kind, unsigned who)
{
	w->trace = sl_mix(w->trace + (kind * 64 + who + 1) * 0x9e3779b97f4a7c15u);
}

static inline void
model_item(struct world *w, unsigned kind, unsigned who, uint64_t until)
{
	if (w->item_count == MODEL_ITEMS)
		abort();
	w->items[w->item_count++] = (struct sl_pick){kind, who, until};
}

static inline void
model_wake(struct world *w, unsigned t)
{
	w->t[t].woken = true;
	model_note(w, 2, t);
}

static inline void
model_perform(struct world *w, unsigned t)
{
	const struct step *s = model_step(w, t);

	model_note(w, 1, t);
	if (w->run_item < 0 || w->items[w->run_item].who != t) {
		w->run_item = (int)w->item_count;
		model_item(w, SL_PICK_RUN, t, 0);
	}
	w->items[w->run_item].until = ++w->t[t].index;
	w->last = (int)t;
	w->steps++;
	w->t[t].yielded = false;
	switch (s->act) {
	case GET:
		w->t[t].reg = w->vars[s->object];
		break;
	case PUT:
		w->vars[s->object] = w->t[t].reg + s->arg;
		break;
	case SET:
		w->vars[s->object] = s->arg;
		break;
	case LOCK:
		w->owner[s->object] = (int)t + 1;
		break;
	case UNLOCK:
		w->owner[s->object] = 0;
		break;
	case PICK:
		w->pending = SL_CHOOSE_VALUE;
		w->values = (unsigned)s->arg;
		return; /* goes on with the answer */
	case WAIT:
		if (!w->t[t].waits) {
			w->t[t].waits = (int)s->object + 1;
			return; /* the same step once more, when woken */
		}
		w->t[t].waits = 0;
		w->t[t].woken = false;
		break;
	case SIGNAL: {
		unsigned waiting = 0, one = 0;

		for (unsigned i = 0; i < w->model->threads; i++)
			if (w->t[i].waits == (int)s->object + 1 && !w->t[i].woken) {
				waiting++;
				one = i;
			}
		if (waiting == 1)
			model_wake(w, one);
		if (waiting > 1) {
			w->pending = SL_CHOOSE_WAITER;
			w->object = s->object;
		}
		break;
	}
	default:
		break;
	}
	w->t[t].at++;
	model_settle(w, t);
}

/* Runs to the next choice; false: the execution is over. */
static inline bool
model_advance(struct world *w)
{
	struct sl_choice *c = &w->choice;

	if (w->pending) {
		*c = (struct sl_choice){.kind = w->pending, .step = w->steps};
		if (w->pending == SL_CHOOSE_VALUE) {
			c->count = c->prompt = c->current = w->values;
			return true;
		}
		for (unsigned t = 0; t < w->model->threads; t++)
			if (w->t[t].waits == (int)w->object + 1 && !w->t[t].woken) {
				model_describe(w, t, &w->ops[c->count]);
				w->op_ptrs[c->count] = &w->ops[c->count];
				c->count++;
			}
		c->prompt = c->current = c->count;
		c->ops = w->op_ptrs;
		return true;
	}
	while (!w->done && !w->pending) {
		*c = (struct sl_choice){.kind = SL_CHOOSE_THREAD, .step = w->steps, .ops = w->op_ptrs};
		if (w->model->cut_at && w->steps >= w->model->cut_at) {
			w->cut = w->done = true;
			break;
		}
		int current = -1;

		for (unsigned late = 0; late < 2; late++) {
			for (unsigned t = 0; t < w->model->threads; t++) {
				if (!model_enabled(w, t) || (model_step(w, t)->act == NAP) != late)
					continue;
				if ((int)t == w->last)
					current = (int)c->count;
				model_describe(w, t, &w->ops[c->count]);
				w->op_ptrs[c->count] = &w->ops[c->count];
				c->count++;
			}
			if (!late)
				c->prompt = c->count;
		}
		c->current = current < 0 ? c->count : (unsigned)current;
		if (c->count == 0) {
			w->done = true;
			for (unsigned t = 0; t < w->model->threads; t++)
				w->finding |= model_step(w, t)->act != STOP && !w->model->bad; /* deadlock */
			break;
		}
		const struct step *s = c->current < c->count ? model_step(w, (unsigned)w->last) : NULL;
		bool hidden = s && !w->every_operation && s->act != NAP && (w->model->hidden >> s->object & 1);

		if ((c->count > 1 || w->counts) && !hidden)
			return true;
		model_perform(w, hidden ? (unsigned)w->last : w->ops[0].thread);
	}
	return w->pending ? model_advance(w) : false;
}

static inline uint64_t
model_path(unsigned t)
{
	return sl_mix(t + 1);
}

/* Compares the choice with the last one, as the engine keeps track of it. */
static inline void
model_tell(struct world *w)
{
	struct sl_choice *c = &w->choice;

	for (unsigned t = 0; t < w->model->threads; t++)
		w->places[t] = UINT32_MAX;
	for (unsigned i = 0; i < c->count; i++)
		w->places[c->ops[i]->thread] = i;
	for (unsigned t = 0; t < w->model->threads; t++) {
		uint64_t now = w->places[t] < c->count ? c->ops[w->places[t]]->index : 0;

		if (now != w->told[t] || (int)t == w->last)
			w->changed[c->changed_count++] = t;
		w->told[t] = now;
	}
	c->changed = w->changed;
	c->places = w->places;
	for (unsigned t = 0; t < w->model->threads; t++)
		w->kin[t].path = model_path(t);
	c->kin = w->kin;
}

static inline void
model_answer(struct world *w, unsigned answer)
{
	struct sl_choice *c = &w->choice;
	enum sl_choice_kind pending = w->pending;

	if (answer >= c->count)
		abort();
	w->choices++;
	w->preemptions += sl_choice_cost(c, answer);
	w->pending = 0;
	if (pending == SL_CHOOSE_WAITER) {
		model_item(w, SL_PICK_WAITER, c->ops[answer]->thread, 0);
		model_wake(w, c->ops[answer]->thread);
	} else if (pending == SL_CHOOSE_VALUE) {
		model_item(w, SL_PICK_VALUE, answer, 0);
		model_note(w, 3, answer);
		w->t[w->last].reg = (int)answer;
		w->t[w->last].at++;
		model_settle(w, (unsigned)w->last);
	} else {
		model_perform(w, c->ops[answer]->thread);
	}
}

static inline uint64_t
model_digest(const struct world *w)
{
	uint64_t h = 1;

	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		h = sl_mix(h + (uint64_t)w->vars[i] + 0x9e3779b97f4a7c15u);
	return h | 1;
}

static inline void
model_outcome(const struct world *w, struct outcome *o)
{
	*o = (struct outcome){
		.trace = w->trace,
		.vars = model_digest(w),
		.preemptions = w->preemptions,
		.finding = w->finding,
		.cut = w->cut,
		.steps = w->steps,
		.choices = w->choices,
	};
	if (w->model->bad && o->vars == w->model->bad)
		o->finding = true;
	memcpy(o->items, w->items, sizeof(o->items));
	o->schedule = (struct sl_schedule){w->item_count, MODEL_ITEMS, o->items};
}

/* One execution as the engine would run it; false: the strategy has none left. */
static inline bool
model_run(const struct model *m, const struct sl_strategy *strategy, void *state, struct outcome *o)
{
	struct world w;

	if (!strategy->begin(state))
		return false;
	model_init(&w, m, strategy->traits.every_operation);
	w.counts = strategy->traits.counts;
	while (model_advance(&w)) {
		if (w.choice.kind == SL_CHOOSE_THREAD)
			model_tell(&w);
		model_answer(&w, strategy->choose(state, &w.choice));
	}
	model_outcome(&w, o);
	o->schedule.items = o->items;
	strategy->end(state, &(struct sl_execution){
				     .steps = o->steps,
				     .choices = o->choices,
				     .threads = m->threads,
				     .finding = o->finding,
				     .cut = o->cut,
				     .preemptions = o->preemptions,
				     .schedule = &o->schedule,
			     });
	return true;
}

/* A set of executions, by their traces. */
struct bag {
	struct bag_entry {
		uint64_t trace, vars;
		unsigned preemptions;
		bool finding;
	} * entries;
	size_t count, capacity;
};

static inline void
bag_add(struct bag *b, const struct outcome *o)
{
	if (b->count == b->capacity) {
		b->capacity = b->capacity ? 2 * b->capacity : 64;
		b->entries = realloc(b->entries, b->capacity * sizeof(*b->entries));
		if (!b->entries)
			abort();
	}
	b->entries[b->count++] = (struct bag_entry){o->trace, o->vars, o->preemptions, o->finding};
}

static inline int
bag_compare(const void *a, const void *b)
{
	const struct bag_entry *x = a, *y = b;

	return x->trace < y->trace ? -1 : x->trace > y->trace;
}

static inline void
bag_sort(struct bag *b)
{
	if (b->count)
		qsort(b->entries, b->count, sizeof(*b->entries), bag_compare);
}

/* Removes duplicates. */
static inline void
bag_once(struct bag *b)
{
	size_t kept = 0;

	bag_sort(b);
	for (size_t i = 0; i < b->count; i++)
		if (!kept || b->entries[i].trace != b->entries[kept - 1].trace)
			b->entries[kept++] = b->entries[i];
	b->count = kept;
}

/* Both are sorted here. Are the sets equal, and is no execution in them twice? */
static inline bool
bag_same(struct bag *a, struct bag *b)
{
	bag_sort(a);
	bag_sort(b);
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->entries[i].trace != b->entries[i].trace ||
		    (i && a->entries[i].trace == a->entries[i - 1].trace))
			return false;
	return true;
}

static inline void
bag_release(struct bag *b)
{
	free(b->entries);
	*b = (struct bag){0};
}

/* All executions, by recursion over copies of the world; false: more than the limit. */
static inline bool
model_brute_from(const struct world *from, struct bag *all, size_t limit)
{
	struct world w = *from;

	if (!model_advance(&w)) {
		struct outcome o;

		model_outcome(&w, &o);
		bag_add(all, &o);
		return all->count <= limit;
	}
	for (unsigned i = 0; i < w.choice.count; i++) {
		struct world next = w;

		next.choice.ops = next.op_ptrs;
		for (unsigned k = 0; k < MODEL_THREADS; k++)
			next.op_ptrs[k] = &next.ops[k];
		model_answer(&next, i);
		if (!model_brute_from(&next, all, limit))
			return false;
	}
	return true;
}

static inline bool
model_brute(const struct model *m, bool every_operation, struct bag *all, size_t limit)
{
	struct world w;

	model_init(&w, m, every_operation);
	return model_brute_from(&w, all, limit);
}

/* A small program with a bit of everything. */
static inline struct model
model_random(uint64_t seed, unsigned longest)
{
	struct sl_rng r = sl_rng_derive(seed, 77);
	struct model m = {.threads = 2 + sl_rng_below(&r, 2)};

	for (unsigned t = 0; t < m.threads; t++) {
		unsigned n = 2 + sl_rng_below(&r, longest - 1), at = 0;
		struct step *s = m.steps[t];

		while (at < n) {
			unsigned object = sl_rng_below(&r, 2);

			switch (sl_rng_below(&r, 10)) {
			case 0:
				s[at++] = (struct step){LOCK, object, 0};
				s[at++] = (struct step){GET, object, 0};
				s[at++] = (struct step){PUT, object, 1};
				s[at++] = (struct step){UNLOCK, object, 0};
				break;
			case 1:
				s[at++] = (struct step){NAP, 0, 0};
				break;
			case 2:
				s[at++] = (struct step){PICK, 0, 2};
				s[at++] = (struct step){PUT, object, 3};
				break;
			case 3:
				s[at++] = (struct step){GET, object, 0};
				s[at++] = (struct step){SKIP, 0, 1};
				s[at++] = (struct step){SET, 1 - object, 7};
				break;
			case 4:
				s[at++] = (struct step){WAIT, object, 0};
				break;
			case 5:
				s[at++] = (struct step){SIGNAL, object, 0};
				break;
			case 6:
				s[at++] = (struct step){YIELD, 0, 0};
				s[at++] = (struct step){GET, object, 0};
				break;
			case 7:
				s[at++] = (struct step){SET, object, (int)t + 1};
				break;
			default:
				s[at++] = (struct step){GET, object, 0};
				s[at++] = (struct step){PUT, object, (int)t * 4 + 1};
			}
		}
	}
	return m;
}

/* Memory as a strategy gets it: zeroed, shared, sparse. */
static inline void *
state_new(const struct sl_strategy *strategy)
{
	void *p = mmap(NULL, strategy->state_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

static inline void
state_free(const struct sl_strategy *strategy, void *state)
{
	munmap(state, strategy->state_size);
}

static inline void *
state_start(const struct sl_strategy *strategy, const struct sl_strategy_options *options)
{
	void *state = state_new(strategy);
	struct sl_err err;
	struct sl_strategy_options own = *options;

	own.unseen |= strategy == &sl_strategy_portfolio; /* model_run() tells no steps */
	if (strategy->start(state, &own, &err) < 0)
		abort();
	return state;
}

static inline void *
state_simple(const struct sl_strategy *strategy)
{
	return state_start(strategy, &(struct sl_strategy_options){.seed = 1, .workers = 1});
}

static inline struct sl_progress
progress_of(const struct sl_strategy *strategy, const void *state)
{
	struct sl_progress p;

	strategy->search->progress(state, &p);
	return p;
}

/* n threads that write the same variable k times each. */
static inline struct model
writers(unsigned n, unsigned k)
{
	struct model m = {.threads = n};

	for (unsigned t = 0; t < n; t++)
		for (unsigned i = 0; i < k; i++)
			m.steps[t][i] = (struct step){SET, 0, (int)(t * 100 + i)};
	return m;
}

#endif
