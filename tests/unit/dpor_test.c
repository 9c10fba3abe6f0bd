/*
 * dpor without an engine. On the classic programs of the literature, as a few lines of arithmetic each: the
 * numbers of executions, and how good its estimate of them is. On random programs of up to five threads: exactly
 * as many executions as there are classes of equivalent ones, counted by plain recursion over all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

#include "strategy/dpor/dpor.h"

#define THREADS 16
#define VARIABLES 160
#define OPS 5
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define RANDOM_PROGRAMS 3000
#define RANDOM_EXECUTIONS 3000 /* programs with more interleavings are left out */

struct toy {
	int v[VARIABLES];
	bool over; /* the program has ended, whatever other threads could do */
	struct {
		int at, a, b; /* how far it is, and what it remembers */
		bool ended;
		uint64_t history; /* everything that it has read */
	} t[THREADS];
};

struct program {
	const char *name;
	unsigned n, threads;
	uint64_t executions; /* 0: not known */
	/* performs and notes what a thread does next; NULL for a random program, in `random` */
	void (*step)(struct toy *, unsigned thread, unsigned n, struct sl_step *step);
};

static int *
touch(struct toy *w, struct sl_step *step, unsigned variable, bool writes)
{
	step->touches[0] = (struct sl_touch){.key = 4096 + 8 * variable,
					     .bytes = 255,
					     .how = writes ? SL_TOUCH_WRITE : SL_TOUCH_READ};
	step->touches[0].seen = (uint16_t)(w->v[variable] + 1);
	step->count = 1;
	return &w->v[variable];
}

static bool
swap(struct toy *w, struct sl_step *step, unsigned variable, int old, int new)
{
	bool done = w->v[variable] == old;
	int *v = touch(w, step, variable, done);

	step->touches[0].how |= SL_TOUCH_IF_SEEN;
	step->touches[0].wanted = (uint16_t)(old + 1);
	if (done)
		*v = new;
	return done;
}

/* Two threads add two variables to each other, the third looks at both. */
static void
adders(struct toy *w, unsigned t, unsigned n, struct sl_step *step)
{
	int at = w->t[t].at++, to = t == 1;

	if (t == 2) {
		touch(w, step, (unsigned)at, false);
		w->t[t].ended = at == 1;
		return;
	}
	if (at % 3 == 0)
		w->t[t].a = *touch(w, step, to, false);
	else if (at % 3 == 1)
		w->t[t].a += *touch(w, step, !to, false);
	else
		*touch(w, step, to, true) = w->t[t].a;
	w->t[t].ended = at == 3 * (int)n - 1;
}

static void
lastzero(struct toy *w, unsigned t, unsigned n, struct sl_step *step)
{
	int at = w->t[t].at++;

	if (t == n)
		w->t[t].ended = *touch(w, step, n - (unsigned)at, false) == 0;
	else if (at == 0)
		w->t[t].a = *touch(w, step, t, false);
	else
		*touch(w, step, t + 1, true) = w->t[t].a + 1, w->t[t].ended = true;
}

static void
indexer(struct toy *w, unsigned t, unsigned n, struct sl_step *step)
{
	int m = w->t[t].at + 1, value = m * 11 + (int)t;
	unsigned h = ((unsigned)value * 7 + (unsigned)w->t[t].b) % 128;

	(void)n;
	if (!swap(w, step, h, 0, value)) {
		w->t[t].b++;
		return;
	}
	w->t[t].b = 0;
	w->t[t].ended = ++w->t[t].at == 4;
}

static void
rotation(struct toy *w, unsigned t, unsigned n, struct sl_step *step)
{
	(void)n;
	swap(w, step, 0, (int)t, (int)t + 1);
	w->t[t].ended = true;
}

static void
all_write(struct toy *w, unsigned t, unsigned n, struct sl_step *step)
{
	*touch(w, step, 0, true) = (int)t;
	w->t[t].ended = ++w->t[t].at == (int)n;
}

/* Reads and writes of three variables, as the seed says; the value read decides about the next operation. */
static void
any(struct toy *w, unsigned t, unsigned n, struct sl_step *step)
{
	uint64_t dice = sl_mix(n * 1000003ul + t * 1009 + (unsigned)w->t[t].at + (unsigned)w->t[t].a * 7919ul);
	int at = w->t[t].at++;

	if (dice % 5 < 2)
		*touch(w, step, dice / 5 % 3, true) = (int)(dice / 15 % 3);
	else
		w->t[t].a = *touch(w, step, dice / 5 % 3, false) % 2;
	w->t[t].ended = at == (t ? 4 : 5);
}

static const struct program programs[] = {
	{"adders", 3, 3, 1698, adders},
	{"adders", 4, 3, 19605, adders},
	{"adders", 5, 3, 218243, adders},
	{"lastzero", 5, 6, 64, lastzero},
	{"lastzero", 8, 9, 704, lastzero},
	{"lastzero", 10, 11, 3328, lastzero},
	{"lastzero", 12, 13, 15360, lastzero},
	{"indexer", 0, 13, 64, indexer},
	{"indexer", 0, 14, 512, indexer},
	{"indexer", 0, 15, 4096, indexer},
	{"rotation", 0, 5, 43, rotation},
	{"rotation", 0, 6, 144, rotation},
	{"rotation", 0, 7, 523, rotation},
	{"writers", 1, 7, 5040, all_write},
	{"writers", 4, 3, 34650, all_write},
	{"any", 1, 3, 0, any},
	{"any", 2, 3, 0, any},
	{"any", 3, 3, 0, any},
	{"any", 4, 3, 0, any},
	{"any", 5, 3, 0, any},
};

/* ---- random programs ---- */

enum kind {
	LOAD,
	STORE,
	SWAP,
	LOCK_IT,
	UNLOCK_IT,
	TRYLOCK,
	SEM_WAIT,
	SEM_POST,
	SEM_TRYWAIT,
	SKIP_IF,
	EXIT_IF,
	KINDS
};
enum { FREE = 1, POSITIVE = 4, MUTEX = 8, SEMAPHORE = 16 }; /* bits of `open`; variables */

static struct {
	unsigned count[THREADS];
	int semaphore;
	struct {
		enum kind kind;
		unsigned object;
		int a, b;
	} ops[THREADS][OPS];
} random_ops;

static void
random_make(uint64_t number)
{
	static const unsigned sets[] = {1 << SWAP, 1 << LOAD | 1 << STORE | 1 << SWAP,
					1 << LOCK_IT | 1 << UNLOCK_IT | 1 << TRYLOCK | 1 << STORE,
					1 << SEM_WAIT | 1 << SEM_POST | 1 << SEM_TRYWAIT, (1 << KINDS) - 1};
	struct sl_rng r = sl_rng_derive(number, 5);
	unsigned kinds = sets[sl_rng_below(&r, 5)] | (sl_rng_below(&r, 2) ? 1 << SKIP_IF : 0) |
			 (sl_rng_below(&r, 4) ? 0 : 1 << EXIT_IF);

	memset(&random_ops, 0, sizeof(random_ops));
	random_ops.semaphore = (int)sl_rng_below(&r, 3);
	for (unsigned t = 0; t < number % 4 + 2; t++) {
		random_ops.count[t] = 1 + sl_rng_below(&r, number % 4 == 0 ? OPS : number % 4 == 1 ? 3 : 2);
		for (unsigned i = 0; i < random_ops.count[t]; i++) {
			do
				random_ops.ops[t][i].kind = sl_rng_below(&r, KINDS);
			while (!(kinds >> random_ops.ops[t][i].kind & 1));
			random_ops.ops[t][i].object = sl_rng_below(&r, 4) == 0;
			random_ops.ops[t][i].a = (int)sl_rng_below(&r, 4);
			random_ops.ops[t][i].b = (int)sl_rng_below(&r, 4);
		}
	}
}

/* The thread remembers in `a` the last value, in `b` which mutexes it has. */
static void
random_settle(struct toy *w, unsigned t)
{
	for (;;) {
		unsigned at = (unsigned)w->t[t].at;
		enum kind kind = random_ops.ops[t][at].kind;
		bool has = at < random_ops.count[t] && (w->t[t].b >> random_ops.ops[t][at].object & 1);

		if (at >= random_ops.count[t]) {
			w->t[t].ended = true;
			return;
		}
		if (kind == EXIT_IF) {
			w->over |= w->t[t].a == random_ops.ops[t][at].a;
			w->t[t].at++;
		} else if (kind == SKIP_IF)
			w->t[t].at += w->t[t].a == random_ops.ops[t][at].a ? 2 : 1;
		else if ((kind == UNLOCK_IT && !has) || ((kind == LOCK_IT || kind == TRYLOCK) && has))
			w->t[t].at++;
		else
			return;
	}
}

/* What it is about to touch; false: it has to wait. */
static bool
random_announce(struct toy *w, unsigned t, struct sl_step *step)
{
	unsigned at = (unsigned)w->t[t].at, object = random_ops.ops[t][at].object;
	enum kind kind = random_ops.ops[t][at].kind;

	if (kind <= SWAP) {
		touch(w, step, object, kind != LOAD);
		return true;
	}
	object = kind <= TRYLOCK ? MUTEX + object : SEMAPHORE;
	touch(w, step, object, true);
	step->touches[0].seen = 0;
	step->touches[0].open = object == SEMAPHORE ? (w->v[object] ? POSITIVE : 0) : w->v[object] ? 0 : FREE;
	step->touches[0].needs = kind == LOCK_IT ? FREE : kind == SEM_WAIT ? POSITIVE : 0;
	return (step->touches[0].open & step->touches[0].needs) == step->touches[0].needs;
}

static void
random_attempt(struct sl_step *step, unsigned wanted)
{
	bool done = (step->touches[0].open & wanted) == wanted;

	step->touches[0].how = SL_TOUCH_IF_OPEN | (done ? SL_TOUCH_WRITE : SL_TOUCH_READ);
	step->touches[0].wanted = (uint16_t)wanted;
}

static void
random_step(struct toy *w, unsigned t, struct sl_step *step)
{
	unsigned at = (unsigned)w->t[t].at, object = random_ops.ops[t][at].object;
	int a = random_ops.ops[t][at].a, b = random_ops.ops[t][at].b;

	random_announce(w, t, step);
	w->t[t].at++;
	switch (random_ops.ops[t][at].kind) {
	case LOAD:
		w->t[t].a = w->v[object];
		break;
	case STORE:
		w->v[object] = a;
		break;
	case SWAP:
		w->t[t].a = swap(w, step, object, a, b);
		break;
	case TRYLOCK:
		random_attempt(step, FREE);
		w->t[t].a = !w->v[MUTEX + object];
		if (!w->t[t].a)
			break;
		/* fallthrough */
	case LOCK_IT:
		w->v[MUTEX + object] = 1;
		w->t[t].b |= 1 << object;
		break;
	case UNLOCK_IT:
		w->v[MUTEX + object] = 0;
		w->t[t].b &= ~(1 << object);
		break;
	case SEM_TRYWAIT:
		random_attempt(step, POSITIVE);
		w->t[t].a = w->v[SEMAPHORE] > 0;
		w->v[SEMAPHORE] -= w->t[t].a;
		break;
	case SEM_WAIT:
		w->v[SEMAPHORE]--;
		break;
	case SEM_POST:
		w->v[SEMAPHORE]++;
		break;
	default:
		break;
	}
	w->t[t].history = sl_mix(w->t[t].history + at * 1000003ul + (unsigned)w->t[t].a);
	random_settle(w, t);
}

/* ---- classes ---- */

struct log {
	unsigned length;
	bool over;
	struct {
		unsigned name, object, value;
		bool writes;
	} entry[THREADS * OPS];
};

/* Two executions are equivalent if each operation comes after the same last change of its object. */
static uint64_t
class_of(const struct log *log)
{
	unsigned last[VARIABLES] = {0};
	uint64_t class = 1;

	for (unsigned i = 0; i < log->length; i++) {
		class += sl_mix(log->entry[i].name * 1000003ul + last[log->entry[i].object] * 1009ul +
				log->entry[i].value * 7919ul);
		if (log->entry[i].writes)
			last[log->entry[i].object] = log->entry[i].name;
	}
	return sl_mix(class);
}

static uint64_t run_class; /* of the execution that was run last */

static void
log_step(struct log *log, const struct toy *w, unsigned t, unsigned at, const struct sl_step *step)
{
	unsigned i = log->length;

	if (i == THREADS * OPS)
		return;
	log->entry[i].name = 1 + t * OPS + at;
	log->entry[i].object = (unsigned)(step->touches[0].key - 4096) / 8;
	log->entry[i].writes = step->touches[0].how & SL_TOUCH_WRITE;
	log->entry[i].value = (unsigned)w->t[t].a;
	log->length++;
}

/* ---- running one ---- */

/* The ways in which a program ends early: by which thread, where, and after having read
 * what. What other threads had done by then that it could not know of does not matter. */
static struct ends {
	uint64_t value[64];
	unsigned count;
} no_ends, *ends = &no_ends;

static void
note_end(const struct toy *w, unsigned t)
{
	uint64_t value = w->t[t].history + t;
	unsigned i = 0;

	while (i < ends->count && ends->value[i] != value)
		i++;
	assert_true(i < COUNT(ends->value));
	ends->value[i] = value;
	ends->count += i == ends->count;
}

static void
toy_init(struct toy *w, const struct program *p)
{
	*w = (struct toy){0};
	if (p->step)
		return;
	w->v[SEMAPHORE] = random_ops.semaphore;
	for (unsigned t = 0; t < p->threads; t++)
		random_settle(w, t);
}

static bool
toy_enabled(struct toy *w, const struct program *p, unsigned t)
{
	struct sl_step step = {0};

	return !w->over && !w->t[t].ended && (p->step || random_announce(w, t, &step));
}

static void
toy_step(struct toy *w, const struct program *p, unsigned t, struct sl_step *step)
{
	if (p->step)
		p->step(w, t, p->n, step);
	else
		random_step(w, t, step);
	if (w->over)
		note_end(w, t);
	for (unsigned i = 0; w->over && i < p->threads; i++) {
		struct toy others = *w;

		others.over = false;
		step->everything = step->ends = true;
		step->last |= i != t && toy_enabled(&others, p, i);
	}
}

/* Prioritisation of the executions that are run, and the seed of what is impacted. */
static struct {
	enum sl_prioritise mode;
	uint64_t seed;
	unsigned postponed; /* answers of the last execution */
} impact;

/* True: it ran to its end, and was not ended by one thread. */
static bool
run(const struct program *p, const struct sl_strategy *s, void *state)
{
	bool watched = !s->steps->watches || s->steps->watches(state);
	struct toy w;
	struct sl_op ops[THREADS];
	const struct sl_op *list[THREADS];
	uint32_t places[THREADS], everybody[THREADS];
	struct log log = {0};
	unsigned last = THREADS;
	uint64_t steps = 0;
	bool abandoned = false, over;

	toy_init(&w, p);
	impact.postponed = 0;
	for (;;) {
		struct sl_choice c = {.kind = SL_CHOOSE_THREAD,
				      .step = steps,
				      .ops = list,
				      .places = places,
				      .changed = everybody,
				      .changed_count = p->threads};

		for (unsigned t = 0; t < p->threads; t++) {
			everybody[t] = t;
			places[t] = UINT32_MAX;
			if (!toy_enabled(&w, p, t))
				continue;
			ops[t] = (struct sl_op){.kind = SL_ATOMIC_UPDATE,
						.thread = t,
						.index = (uint64_t)w.t[t].at + 1};
			if (impact.mode && sl_mix(impact.seed + t * 1000 + ops[t].index) % 3 == 0)
				ops[t].flags = SL_OP_IMPACTED_LINE;
			places[t] = c.count;
			list[c.count++] = &ops[t];
		}
		if (!c.count)
			break;
		c.prompt = c.count;
		c.current = last < THREADS && places[last] < c.count ? places[last] : c.count;
		unsigned answer = c.count > 1 || watched ? s->choose(state, &c) : 0;

		abandoned = answer == SL_CHOICE_ABANDON;
		if (abandoned)
			break;
		assert_true(answer < c.count);
		last = list[answer]->thread;
		if (impact.mode) {
			unsigned only = sl_prioritised(impact.mode, SL_OP_IMPACTED_LINE, &c, UINT32_MAX);

			impact.postponed += only < c.count && only != answer;
		}
		struct sl_step step = {.thread = last};
		unsigned at = (unsigned)w.t[last].at;

		toy_step(&w, p, last, &step);
		log_step(&log, &w, last, at, &step);
		if (watched)
			s->steps->stepped(state, &step);
		steps++;
	}
	over = w.over;
	w.over = false;
	for (unsigned t = 0; t < p->threads && watched && !abandoned; t++) {
		struct sl_step step = {.thread = t, .stuck = true};

		if (w.t[t].ended)
			continue;
		random_announce(&w, t, &step);
		if (step.touches[0].needs)
			s->steps->stepped(state, &step);
	}
	run_class = class_of(&log);
	s->end(state, &(struct sl_execution){.steps = steps, .threads = p->threads, .abandoned = abandoned});
	return !abandoned && !over;
}

/*
 * The same by several workers: which of them continues next, with a whole execution or with the search for one, is drawn at random.
 * The classes of all executions that ran to their end are in `ran`, if there is room. How many were run, none counted twice?
 */
#define WORKERS 4
static uint64_t ran[4 * RANDOM_EXECUTIONS], ran_count;

static uint64_t
run_shared(const struct program *p, unsigned workers, uint64_t seed)
{
	struct sl_rng dice = sl_rng_derive(seed, 6);
	void *states[WORKERS], *shared = mmap(NULL, SL_SHARED_BYTES, PROT_READ | PROT_WRITE,
					      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool begun[WORKERS] = {false}, done[WORKERS] = {false};
	uint64_t count = 0, estimate = 0, again = 0;
	unsigned left = workers;

	ran_count = 0;
	assert_ptr_not_equal(shared, MAP_FAILED);
	for (unsigned i = 0; i < workers; i++)
		states[i] = state_start(&sl_strategy_dpor, &(struct sl_strategy_options){.worker = i,
											 .workers = workers,
											 .shared = shared});
	while (left) {
		unsigned i = sl_rng_below(&dice, workers);

		if (done[i])
			continue;
		if (begun[i]) {
			if (run(p, &sl_strategy_dpor, states[i]) && ran_count < COUNT(ran))
				ran[ran_count++] = run_class;
			count++;
			begun[i] = false;
		} else {
			begun[i] = sl_strategy_dpor.begin(states[i]);
			done[i] = !begun[i] && !sl_strategy_dpor.search->waits(states[i]);
			left -= done[i];
		}
	}
	for (unsigned i = 0; i < workers; i++) {
		assert_true(progress_of(&sl_strategy_dpor, states[i]).complete);
		again += progress_of(&sl_strategy_dpor, states[i]).skipped;
		estimate += progress_of(&sl_strategy_dpor, states[i]).estimate;
		state_free(&sl_strategy_dpor, states[i]);
	}
	assert_int_equal(estimate, count - again);
	munmap(shared, SL_SHARED_BYTES);
	return estimate;
}

/* The number of executions that ran to their end. */
static uint64_t
run_all(const struct program *p)
{
	void *state = state_simple(&sl_strategy_dpor);
	uint64_t count = 0, begun = 0;
	struct sl_progress progress;

	for (; sl_strategy_dpor.begin(state); begun++)
		count += run(p, &sl_strategy_dpor, state);
	progress = progress_of(&sl_strategy_dpor, state);
	assert_true(progress.complete);
	assert_int_equal(progress.estimate + progress.skipped, begun);
	if (!ends->count)
		assert_int_equal(progress.skipped, 0); /* none was begun in vain */
	state_free(&sl_strategy_dpor, state);
	return count;
}

/* ---- the twin ---- */

static uint64_t classes[RANDOM_EXECUTIONS];
static unsigned class_count, brute_count, rounds;

static void
brute(const struct toy *from, const struct program *p, const struct log *log)
{
	bool more = false;

	for (unsigned t = 0; t < p->threads && brute_count < RANDOM_EXECUTIONS; t++) {
		struct toy w = *from;
		struct log longer = *log;
		struct sl_step step = {.thread = t};

		if (!toy_enabled(&w, p, t))
			continue;
		more = true;
		unsigned at = (unsigned)w.t[t].at;

		toy_step(&w, p, t, &step);
		log_step(&longer, &w, t, at, &step);
		longer.over = w.over;
		brute(&w, p, &longer);
	}
	if (more || brute_count == RANDOM_EXECUTIONS)
		return;
	if (log->over) {
		brute_count++;
		return;
	}
	uint64_t class = class_of(log);
	unsigned i = 0;

	brute_count++;
	while (i < class_count && classes[i] != class)
		i++;
	if (i == class_count)
		classes[class_count++] = class;
}

/*
 * Rounds: no execution has more postponed answers than the round allows, and the last round, which is the first that leaves nothing
 * out, runs each class once. Returns the number of executions of the last round that ran to their end.
 */
static uint64_t
run_rounds(const struct program *p, enum sl_prioritise mode, uint64_t seed)
{
	struct sl_dpor *s;
	uint64_t count = 0, begun = 0;
	uint32_t bound = 0;
	struct sl_progress progress;

	impact.mode = mode;
	impact.seed = seed;
	s = state_start(&sl_strategy_dpor, &(struct sl_strategy_options){.workers = 1,
									 .prioritise = mode,
									 .impacted = SL_OP_IMPACTED_LINE,
									 .shuffled = seed % 2,
									 .seed = seed});
	ran_count = 0;
	assert_int_equal(s->first.bound, 0);
	for (; sl_strategy_dpor.begin(s); begun++) {
		bool whole;

		if (s->first.bound != bound) {
			assert_true(s->first.bound > bound);
			bound = s->first.bound;
			count = ran_count = 0;
			ends->count = 0;
		}
		whole = run(p, &sl_strategy_dpor, s);
		assert_true(impact.postponed <= bound);
		if (whole && ran_count < COUNT(ran))
			ran[ran_count++] = run_class;
		count += whole;
	}
	progress = progress_of(&sl_strategy_dpor, s);
	assert_true(progress.complete);
	assert_int_equal(progress.estimate + progress.skipped, begun);
	state_free(&sl_strategy_dpor, s);
	impact.mode = SL_PRIORITISE_NOTHING;
	rounds += bound > 0;
	return count;
}

static void
classes_are_among_those_run(void)
{
	for (unsigned k = 0; k < class_count; k++) {
		bool found = false;

		for (unsigned m = 0; m < ran_count; m++)
			found |= ran[m] == classes[k];
		assert_true(found);
	}
}

static void
one_execution_for_each_class(void **unused)
{
	static const unsigned hard[] = {11467, 32207, 38711, 41443, 53055}; /* one of 11,000 showed an error */
	unsigned compared = 0;
	uint64_t interleavings = 0, executions = 0, ending = 0;
	struct ends all_ends, seen_ends;

	(void)unused;
	for (unsigned i = 1; i <= RANDOM_PROGRAMS + COUNT(hard); i++) {
		uint64_t number = i <= RANDOM_PROGRAMS ? i : hard[i - RANDOM_PROGRAMS - 1];
		struct program p = {.name = "random", .threads = number % 4 + 2};
		struct toy w;

		random_make(number);
		toy_init(&w, &p);
		class_count = brute_count = 0;
		ends = &all_ends;
		ends->count = 0;
		brute(&w, &p, &(struct log){0});
		if (brute_count == RANDOM_EXECUTIONS || w.over)
			continue;
		ends = &seen_ends;
		ends->count = 0;
		uint64_t count = run_all(&p);

		ending += all_ends.count;
		assert_int_equal(seen_ends.count,
				 all_ends.count); /* every outcome seen is possible, so the sets are the same */

		if (count != class_count)
			print_message("program %lu: %lu executions, %u classes\n", (unsigned long)number,
				      (unsigned long)count, class_count);
		assert_int_equal(count, class_count);
		/* and by several workers: the same classes, each counted once */
		ends->count = 0;
		count = run_shared(&p, 2 + number % 3, number);
		assert_int_equal(seen_ends.count, all_ends.count);
		if (!all_ends.count)
			assert_int_equal(count, class_count);
		count = class_count;
		classes_are_among_those_run();
		/* and what is impacted first: the same classes in the last round */
		for (enum sl_prioritise mode = SL_PRIORITISE_ALL; mode <= SL_PRIORITISE_SOME; mode++) {
			ends->count = 0;
			assert_int_equal(run_rounds(&p, mode, number), class_count);
			assert_int_equal(seen_ends.count, all_ends.count);
			classes_are_among_those_run();
		}
		compared++;
		interleavings += brute_count;
		executions += count;
	}
	print_message("%u programs, %lu interleavings, %lu executions, %lu early ends\n", compared,
		      (unsigned long)interleavings, (unsigned long)executions, (unsigned long)ending);
	assert_true(compared > RANDOM_PROGRAMS / 2);
	print_message("%u of %u searches with prioritisation had more than one round\n", rounds, 2 * compared);
	assert_true(rounds > compared / 4);
}

static void
counts_are_exact(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < COUNT(programs); i++)
		if (programs[i].executions && programs[i].executions < 100000)
			assert_int_equal(run_all(&programs[i]), programs[i].executions);
}

static void
workers_share_exactly(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < COUNT(programs); i++)
		for (unsigned workers = 2; workers <= WORKERS; workers++)
			if (programs[i].executions && programs[i].executions < 20000)
				assert_int_equal(run_shared(&programs[i], workers, i), programs[i].executions);
}

/* The estimate, after so many percent of all executions, must be within these bounds: multiples of the truth. */
static void
estimate_is_fair(void **unused)
{
	static const struct {
		unsigned percent;
		double least, most;
	} stages[] = {{2, 0.02, 6}, {10, 0.25, 6}, {25, 0.4, 6}, {50, 0.5, 6}, {75, 0.7, 4}, {90, 0.9, 2.5}};

	(void)unused;
	for (unsigned i = 0; i < COUNT(programs); i++) {
		const struct program *p = &programs[i];
		void *state = state_simple(&sl_strategy_dpor);
		uint64_t all, count = 0;

		if (p->executions > 100000 || (p->executions && p->executions < 100)) {
			state_free(&sl_strategy_dpor, state);
			continue;
		}
		all = run_all(p);
		for (unsigned k = 0; k < COUNT(stages); k++) {
			for (; count < all * stages[k].percent / 100; count++) {
				sl_strategy_dpor.begin(state);
				run(p, &sl_strategy_dpor, state);
			}
			double ratio = (double)progress_of(&sl_strategy_dpor, state).estimate / (double)all;

			if (ratio < stages[k].least || ratio > stages[k].most)
				fail_msg("%s, %u: after %u%% the estimate is %.2f of %lu", p->name, p->n,
					 stages[k].percent, ratio, (unsigned long)all);
		}
		state_free(&sl_strategy_dpor, state);
	}
}

/* Taking turns with others it is still complete, and reports that with its own count; or icb was complete first. */
static void
portfolio_ends_with_dpor(void **unused)
{
	const struct sl_strategy *s = &sl_strategy_portfolio;
	unsigned by_classes = 0;

	(void)unused;
	for (unsigned i = 0; i < COUNT(programs); i++) {
		void *state = state_new(s); /* state_start() leaves dpor out */
		uint64_t count = 0;
		struct sl_progress progress;
		struct sl_err err;

		if (!programs[i].executions || programs[i].executions > 2000)
			continue;
		assert_int_equal(s->start(state, &(struct sl_strategy_options){.seed = i}, &err), 0);
		for (; s->begin(state); count++) {
			assert_true(count < 100 + 20 * programs[i].executions);
			run(&programs[i], s, state);
		}
		progress = progress_of(s, state);
		assert_true(progress.complete);
		if (progress.classes)
			assert_int_equal(progress.estimate, programs[i].executions);
		by_classes += progress.classes;
		state_free(s, state);

		/* not where it is not known what commutes: then only icb may end the search */
		state = state_start(s, &(struct sl_strategy_options){.seed = i});
		for (count = 0; count < 300 && s->begin(state); count++) {
			assert_false(s->steps->watches(state));
			run(&programs[i], s, state);
		}
		assert_false(progress_of(s, state).classes);
		state_free(s, state);
	}
	assert_true(by_classes > 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_execution_for_each_class),
		cmocka_unit_test(counts_are_exact),
		cmocka_unit_test(workers_share_exactly),
		cmocka_unit_test(portfolio_ends_with_dpor),
		cmocka_unit_test(estimate_is_fair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
