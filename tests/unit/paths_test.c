/*
 * The search for paths against a brute-force twin: on random small programs it comes to exactly the combinations of paths that
 * all interleavings have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/index.h"
#include "paths/path_search.h"

#define THREADS 22 /* the first one creates the others, and joins them */
#define LENGTH 14
#define VARIABLES 3
#define LOCKS 2
#define REGISTERS 3
#ifdef RANDOM_PROGRAMS
#define PROGRAMS RANDOM_PROGRAMS
#else
#define PROGRAMS 2000
#endif

enum code { READ, WRITE, ADD, LOCK, UNLOCK, TRY, IF, FAIL_IF, POST, WAIT, SLEEP, SIGNAL, BROADCAST, CODES };

struct instruction {
	enum code code;
	unsigned a, b, c; /* variable, lock; register; number, instructions to skip */
};

struct program {
	struct instruction code[THREADS][LENGTH];
	unsigned length[THREADS];
	unsigned threads;
	unsigned semaphore; /* its first value */
	bool matters[THREADS][LENGTH];
	unsigned same[THREADS]; /* the thread whose code it runs, plus one; 0: it has its own */
};

struct machine {
	const struct program *program;
	struct {
		unsigned at, index; /* instruction; operations performed */
		uint64_t registers[REGISTERS];
		uint64_t path;
		bool started, over;
		unsigned asleep; /* 1: waits for a signal; 2: was woken, and has to lock again */
		unsigned lock;
	} threads[THREADS];
	uint64_t variables[VARIABLES];
	int holders[LOCKS]; /* -1: free */
	unsigned semaphore;
	unsigned created, joined; /* by the first thread */
	int failed;               /* the thread that has; -1: none */
	bool exited;
};

typedef void hear(void *data, const struct sl_path_event *event);

static void
start(struct machine *m, const struct program *p)
{
	memset(m, 0, sizeof(*m)); /* gaps, too: states are compared by their bytes */
	m->program = p;
	m->failed = -1;
	m->semaphore = p->semaphore;
	m->threads[0].started = true;
	for (unsigned i = 0; i < LOCKS; i++)
		m->holders[i] = -1;
}

static uint64_t
origin(unsigned thread)
{
	return thread + 1;
}

/* Branches are not operations: the thread goes on to its next operation. */
static void
settle(struct machine *m, unsigned t)
{
	const struct program *p = m->program;

	while (m->threads[t].at < p->length[t]) {
		const struct instruction *i = &p->code[t][m->threads[t].at];
		bool yes;

		if (i->code != IF && i->code != FAIL_IF)
			return;
		yes = m->threads[t].registers[i->b] == i->c % 3;
		m->threads[t].path = sl_join(m->threads[t].path, m->threads[t].at * 2 + yes);
		if (i->code == FAIL_IF && yes) {
			m->failed = (int)t;
			return;
		}
		m->threads[t].at += 1 + (i->code == IF && yes ? i->a % 3 : 0);
	}
}

static void
settle_all(struct machine *m)
{
	for (unsigned i = 0; i < m->program->threads && m->failed < 0; i++)
		if (m->threads[i].started)
			settle(m, i);
}

/* The way that a thread has come, of its own code. */
static uint64_t
way(const struct machine *m, unsigned t)
{
	return sl_join(m->program->same[t] ? m->program->same[t] - 1 : t, m->threads[t].path);
}

/* What the thread would do next; false: nothing, it has ended or was not created. */
static bool
next_event(const struct machine *m, unsigned t, struct sl_path_event *e)
{
	const struct program *p = m->program;
	const struct instruction *i;
	unsigned at = m->threads[t].at;

	*e = (struct sl_path_event){.thread = origin(t),
				    .index = m->threads[t].index + 1,
				    .pc = (p->same[t] ? p->same[t] - 1 : t) * 100 + at + 1,
				    .path = way(m, t)};
	if (!m->threads[t].started || m->threads[t].over)
		return false;
	if (t == 0 && m->created + 1 < p->threads) {
		e->kind = SL_CREATE;
		e->value = origin(m->created + 1);
		e->pc = 1000 + m->created;
		return true;
	}
	if (at >= p->length[t]) {
		e->pc = 2000;
		if (t == 0 && m->joined + 1 < p->threads) {
			e->kind = SL_JOIN;
			e->value = origin(m->joined + 1);
			e->pc = 3000 + m->joined;
		} else {
			e->kind = t ? SL_END : SL_EXIT;
		}
		return true;
	}
	i = &p->code[t][at];
	e->object = 0x1000 + 8 * (i->a % VARIABLES);
	e->extent = 8;
	switch (i->code) {
	case READ:
		e->kind = SL_READ;
		break;
	case WRITE:
	case ADD:
		e->kind = SL_WRITE;
		break;
	case POST:
		e->kind = SL_SEM_POST;
		e->object = 0x3000;
		e->written = m->semaphore;
		e->has_written = true;
		break;
	case WAIT:
		e->kind = SL_SEM_WAIT;
		e->object = 0x3000;
		e->written = m->semaphore;
		e->has_written = true;
		break;
	case SLEEP:
		e->kind = m->threads[t].asleep ? SL_COND_RELOCK : SL_COND_WAIT;
		break;
	case SIGNAL:
		e->kind = SL_COND_SIGNAL;
		break;
	case BROADCAST:
		e->kind = SL_COND_BROADCAST;
		break;
	case LOCK:
		e->kind = SL_MUTEX_LOCK;
		break;
	case UNLOCK:
		e->kind = SL_MUTEX_UNLOCK;
		break;
	case TRY:
		e->kind = SL_MUTEX_TRYLOCK;
		break;
	default:
		fail();
	}
	if (i->code == LOCK || i->code == UNLOCK || i->code == TRY || i->code == SLEEP)
		e->object = 0x2000 + 64 * (i->a % LOCKS);
	if (i->code == SLEEP && !m->threads[t].asleep)
		e->value = e->object;
	if ((i->code == SLEEP && !m->threads[t].asleep) || i->code == SIGNAL || i->code == BROADCAST)
		e->object = 0x4000;
	return true;
}

static bool
goes(const struct machine *m, unsigned t)
{
	struct sl_path_event e;
	unsigned lock;

	if (m->exited || m->failed >= 0 || !next_event(m, t, &e))
		return false;
	lock = m->threads[t].at < m->program->length[t] ? m->program->code[t][m->threads[t].at].a % LOCKS : 0;
	switch (e.kind) {
	case SL_MUTEX_LOCK:
		return m->holders[lock] < 0;
	case SL_COND_RELOCK:
		return m->threads[t].asleep == 2 && m->holders[lock] < 0;
	case SL_SEM_WAIT:
		return m->semaphore > 0;
	case SL_JOIN:
		return m->threads[m->joined + 1].over;
	default:
		return true;
	}
}

static void
perform(struct machine *m, unsigned t, unsigned wakes, hear *to, void *data)
{
	struct sl_path_event e;
	const struct instruction *i = &m->program->code[t][m->threads[t].at];
	unsigned lock = i->a % LOCKS;

	assert_true(next_event(m, t, &e));
	m->threads[t].index++;
	switch (e.kind) {
	case SL_CREATE:
		m->threads[++m->created].started = true;
		break;
	case SL_JOIN:
		m->joined++;
		break;
	case SL_END:
		m->threads[t].over = true;
		break;
	case SL_EXIT:
		m->threads[t].over = m->exited = true;
		break;
	case SL_READ:
		e.value = m->threads[t].registers[i->b] = m->variables[i->a % VARIABLES];
		break;
	case SL_WRITE:
		e.value = m->variables[i->a % VARIABLES];
		m->variables[i->a % VARIABLES] =
			i->code == ADD ? (m->threads[t].registers[i->b] + 1) % 3 : i->c % 3;
		e.written = m->variables[i->a % VARIABLES];
		e.has_written = true;
		break;
	case SL_MUTEX_LOCK:
		m->holders[lock] = (int)t;
		break;
	case SL_MUTEX_UNLOCK:
		m->holders[lock] = -1;
		break;
	case SL_MUTEX_TRYLOCK:
		e.value = m->holders[lock] < 0 ? 0 : 16;
		m->threads[t].registers[i->b] = e.value ? 1 : 0;
		m->threads[t].path = sl_join(m->threads[t].path, m->threads[t].at * 2 + !e.value);
		if (!e.value)
			m->holders[lock] = (int)t;
		else
			m->threads[t].at += i->c % 3; /* some of what the lock is for */
		break;
	case SL_SEM_POST:
		m->semaphore++;
		break;
	case SL_SEM_WAIT:
		m->semaphore--;
		break;
	case SL_COND_WAIT:
		m->holders[lock] = -1;
		m->threads[t].asleep = 1;
		break;
	case SL_COND_RELOCK:
		m->holders[lock] = (int)t;
		m->threads[t].asleep = 0;
		break;
	case SL_COND_SIGNAL:
		for (unsigned k = 0; k < THREADS; k++)
			if (m->threads[k].asleep == 1 && (!wakes || wakes == k + 1)) {
				m->threads[k].asleep = 2;
				break;
			}
		break;
	case SL_COND_BROADCAST:
		for (unsigned k = 0; k < THREADS; k++)
			if (m->threads[k].asleep == 1)
				m->threads[k].asleep = 2;
		break;
	default:
		fail();
	}
	if (to)
		to(data, &e);
	if (e.kind != SL_CREATE && e.kind != SL_JOIN && e.kind != SL_END && e.kind != SL_EXIT &&
	    e.kind != SL_COND_WAIT)
		m->threads[t].at++;
	settle_all(m);
}

/* Of an execution that is over. Threads that run the same code are not told apart. */
static uint64_t
outcome(const struct machine *m)
{
	uint64_t hash = m->failed >= 0 ? 7 : m->exited ? 8 : 9;

	for (unsigned i = 0; i < m->program->threads; i++) {
		uint64_t code = m->program->same[i] ? m->program->same[i] - 1 : i;

		if (m->failed >= 0 ? (int)i != m->failed : !m->threads[i].started)
			continue;
		code = sl_join(code, m->failed >= 0 || m->threads[i].over ? m->threads[i].path : 1);
		if (m->failed < 0 && !m->threads[i].over && !m->exited)
			code = sl_join(sl_join(code, m->threads[i].path),
				       m->threads[i].index - (i ? 0 : m->joined));
		hash += sl_mix(code);
	}
	return hash;
}

/* ---- the twin: all interleavings ---- */

struct twin {
	struct sl_index outcomes;
	struct sl_index states; /* how many interleavings follow, plus one */
};

static uint64_t
hash_of(const struct machine *m)
{
	const unsigned char *bytes = (const unsigned char *)m->threads;
	uint64_t hash = sl_join(sl_join(m->created, m->joined), sl_join((uint64_t)m->failed + 1, m->exited));

	hash = sl_join(hash, m->semaphore);
	for (unsigned i = 0; i < VARIABLES; i++)
		hash = sl_join(hash, m->variables[i]);
	for (unsigned i = 0; i < LOCKS; i++)
		hash = sl_join(hash, (uint64_t)m->holders[i] + 1);
	for (size_t i = 0; i < m->program->threads * sizeof(m->threads[0]); i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u + (hash >> 47);
	return sl_mix(hash);
}

/* Returns the number of interleavings. */
static uint64_t
explore(struct twin *twin, const struct machine *m)
{
	uint64_t interleavings = 0, hash = hash_of(m), known = sl_index_get(&twin->states, hash);

	if (known)
		return known - 1;
	for (unsigned i = 0; i < m->program->threads; i++) {
		struct sl_path_event e;
		unsigned woken = 0;

		if (!goes(m, i))
			continue;
		next_event(m, i, &e);
		do {
			struct machine after;
			unsigned k = woken;

			memcpy(&after, m, sizeof(after));
			if (e.kind == SL_COND_SIGNAL) {
				while (k < THREADS && m->threads[k].asleep != 1)
					k++;
				if (k == THREADS && woken)
					break;
				woken = k + 1;
			}
			perform(&after, i, k < THREADS ? woken : 0, NULL, NULL);
			interleavings += explore(twin, &after);
		} while (e.kind == SL_COND_SIGNAL && woken <= THREADS);
	}
	if (!interleavings) {
		interleavings = 1;
		*sl_index_at(&twin->outcomes, outcome(m)) = 1;
	}
	*sl_index_at(&twin->states, hash) = interleavings + 1;
	return interleavings;
}

/* ---- the search ---- */

static void
tell(void *data, const struct sl_path_event *event)
{
	sl_behaviour_event(data, event);
}

/* As the engine does: follows the steps, then goes on with the thread that ran last, else the first that can. */
static size_t
execute(struct machine *m, const struct sl_path_step *steps, size_t count, struct sl_behaviour *b, unsigned *last)
{
	size_t followed = 0;

	*last = 0;
	settle_all(m);
	for (; followed < count; followed++) {
		unsigned t = (unsigned)steps[followed].thread - 1;

		while (m->threads[t].index < steps[followed].index && goes(m, t)) {
			perform(m, t, (unsigned)steps[followed].wakes, tell, b);
			*last = t;
		}
		if (m->threads[t].index < steps[followed].index && steps[followed].index != SL_PATH_FAR)
			break;
	}
	for (;;) {
		unsigned t = *last;

		if (!goes(m, t))
			for (t = 0; t < m->program->threads && !goes(m, t);)
				t++;
		if (t == m->program->threads)
			return followed;
		perform(m, t, 0, tell, b);
		*last = t;
	}
}

static bool
matters(void *data, uint64_t pc)
{
	const struct program *p = data;

	return p->matters[pc / 100][pc % 100 - 1];
}

/* Returns the number of executions. */
static uint64_t
search(struct program *p, struct sl_index *outcomes, struct sl_path_search_result *result)
{
	struct sl_behaviour *b = sl_behaviour_new(origin(0), matters, p);
	struct sl_path_search_options options = {0};
	struct sl_path_search *s = sl_path_search_new(b, &options);
	const struct sl_path_step *steps;
	size_t count;
	uint64_t executions = 0;

	while (sl_path_search_next(s, &steps, &count)) {
		struct machine m;
		struct sl_path_event e;
		unsigned last;
		size_t followed;

		assert_true(++executions < 100000);
		sl_behaviour_begin(b);
		start(&m, p);
		followed = execute(&m, steps, count, b, &last);
		for (unsigned i = 0; i < p->threads; i++)
			if ((int)i != m.failed && next_event(&m, i, &e)) {
				e.pending = true;
				sl_behaviour_event(b, &e);
			}
		*sl_index_at(outcomes, outcome(&m)) = 1;
		sl_path_search_learned(s,
				       sl_behaviour_end(b,
							m.failed >= 0 ? SL_PATH_FAILED
							: m.exited    ? SL_PATH_ENDED
								      : SL_PATH_STUCK,
							origin(m.failed >= 0 ? (unsigned)m.failed : last),
							m.failed >= 0 ? way(&m, (unsigned)m.failed) : 0),
				       followed, false);
	}
	sl_path_search_result(s, result);
	if (sl_behaviour_lacking(b, 0))
		print_message("lacking: %s\n", sl_behaviour_lacking(b, 0));
	sl_path_search_free(s);
	sl_behaviour_free(b);
	return executions;
}

/* ---- random programs ---- */

static void
write_thread(struct program *p, struct sl_rng *dice, unsigned t, unsigned most)
{
	unsigned n = 0, regions = 1 + sl_rng_below(dice, 3);

	for (unsigned r = 0; r < regions && n + 5 < most; r++) {
		unsigned lock = sl_rng_below(dice, LOCKS), how = sl_rng_below(dice, 5);
		unsigned first = n;

		if (how == 0)
			p->code[t][n++] = (struct instruction){LOCK, lock, 0, 0};
		for (unsigned k = 0, count = 1 + sl_rng_below(dice, 3); k < count && n + 3 < most; k++) {
			static const enum code codes[] = {READ, READ, WRITE, ADD, IF};
			enum code code = codes[sl_rng_below(dice, 5)];

			if (code == IF && sl_rng_below(dice, 4) == 0)
				code = FAIL_IF;
			p->code[t][n++] =
				(struct instruction){code, sl_rng_below(dice, VARIABLES),
						     sl_rng_below(dice, REGISTERS), sl_rng_below(dice, 3)};
			if (code == IF) /* not out of the region */
				p->code[t][n - 1].a = 0;
		}
		if (how == 0)
			p->code[t][n++] = (struct instruction){UNLOCK, lock, 0, 0};
		if (how == 1 && p->code[t][n - 1].code == IF)
			p->code[t][n - 1].a = 1;
		if (how == 1)
			p->code[t][n++] = (struct instruction){WRITE, sl_rng_below(dice, VARIABLES), 0,
							       sl_rng_below(dice, 3)};
		if (how == 2)
			p->code[t][n++] = (struct instruction){sl_rng_below(dice, 2) ? POST : WAIT, 0, 0, 0};
		if (how == 3 && sl_rng_below(dice, 2)) {
			p->code[t][n++] = (struct instruction){LOCK, lock, 0, 0};
			p->code[t][n++] = (struct instruction){SLEEP, lock, 0, 0};
			p->code[t][n++] = (struct instruction){UNLOCK, lock, 0, 0};
		} else if (how == 3) {
			p->code[t][n++] =
				(struct instruction){sl_rng_below(dice, 2) ? SIGNAL : BROADCAST, 0, 0, 0};
		}
		if (how ==
		    4) { /* the lock is given back by the next instruction, which is left out if it was not taken */
			p->code[t][n++] = (struct instruction){TRY, lock, 0, 1};
			p->code[t][n++] = (struct instruction){UNLOCK, lock, 0, 0};
		}
		(void)first;
	}
	p->length[t] = n;
}

/* A read matters if its register may decide a branch, or what is written. Registers are never overwritten but by reads. */
static void
find_what_matters(struct program *p, bool all)
{
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->length[t]; i++) {
			p->matters[t][i] = all;
			for (unsigned k = i + 1; k < p->length[t] && p->code[t][i].code == READ; k++)
				if ((p->code[t][k].code == IF || p->code[t][k].code == FAIL_IF ||
				     p->code[t][k].code == ADD) &&
				    p->code[t][k].b == p->code[t][i].b)
					p->matters[t][i] = true;
		}
}

static void
print(const struct program *p)
{
	static const char *const names[] = {"READ",    "WRITE", "ADD",  "LOCK",  "UNLOCK", "TRY",      "IF",
					    "FAIL_IF", "POST",  "WAIT", "SLEEP", "SIGNAL", "BROADCAST"};

	print_message("semaphore %u\n", p->semaphore);
	for (unsigned t = 0; t < p->threads; t++) {
		print_message("thread %u:", t);
		for (unsigned i = 0; i < p->length[t]; i++)
			print_message(" %s%s(%u,%u,%u)", names[p->code[t][i].code], p->matters[t][i] ? "!" : "",
				      p->code[t][i].a, p->code[t][i].b, p->code[t][i].c);
		print_message("\n");
	}
}

static void
compare(struct program *p, unsigned number, uint64_t *executions, uint64_t *all)
{
	struct twin twin = {0};
	struct sl_index outcomes = {0};
	struct sl_path_search_result result;
	struct machine m;
	uint64_t interleavings;

	start(&m, p);
	settle_all(&m);
	interleavings = explore(&twin, &m);
	*executions += search(p, &outcomes, &result);
	*all += interleavings;
	if (!result.complete || result.combinations != outcomes.count || outcomes.count != twin.outcomes.count)
		print(p);
	if (!result.complete || result.combinations != outcomes.count)
		fail_msg("program %u: complete %d, unreached %lu, %lu combinations of %zu", number,
			 result.complete, (unsigned long)result.unreached, (unsigned long)result.combinations,
			 outcomes.count);
	if (outcomes.count != twin.outcomes.count)
		fail_msg("program %u: %zu outcomes instead of %zu (%lu interleavings)", number, outcomes.count,
			 twin.outcomes.count, (unsigned long)interleavings);
	for (size_t i = 0; i < outcomes.capacity; i++)
		if (outcomes.slots[i].key) {
			bool found = false;

			for (size_t k = 0; k < twin.outcomes.capacity; k++)
				found = found || twin.outcomes.slots[k].key == outcomes.slots[i].key;
			assert_true(found);
		}
	sl_index_release(&twin.outcomes);
	sl_index_release(&twin.states);
	sl_index_release(&outcomes);
}

static void
test_random(void **state)
{
	uint64_t executions = 0, all = 0;

	(void)state;
	for (unsigned i = 0; i < PROGRAMS; i++) {
		struct sl_rng dice = sl_rng_derive(20, i);
		struct program p = {.threads = 2 + sl_rng_below(&dice, 3)};

		p.semaphore = sl_rng_below(&dice, 2);
		for (unsigned t = 1; t < p.threads; t++)
			write_thread(&p, &dice, t, p.threads == 2 ? LENGTH : p.threads == 3 ? 10 : 7);
		for (unsigned t = 2; t < p.threads; t++)
			if (sl_rng_below(&dice, 4) == 0) { /* the same code */
				memcpy(p.code[t], p.code[1], sizeof(p.code[t]));
				p.length[t] = p.length[1];
				p.same[t] = 2;
			}
		if (p.threads == 2)
			write_thread(&p, &dice, 0, 10);
		find_what_matters(&p, i % 3 == 0);
		compare(&p, i, &executions, &all);
	}
	print_message("%lu executions for %lu interleavings\n", (unsigned long)executions, (unsigned long)all);
}

/* n threads write two variables, one reads both and branches. */
static void
test_reorder(void **state)
{
	static const unsigned counts[] = {1, 3, 5, 10, 20};

	(void)state;
	for (unsigned k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
		struct program p = {.threads = counts[k] + 2};
		struct sl_index outcomes = {0};
		struct sl_path_search_result result;
		uint64_t executions;

		for (unsigned t = 1; t <= counts[k]; t++) {
			p.code[t][0] = (struct instruction){WRITE, 0, 0, 1};
			p.code[t][1] = (struct instruction){WRITE, 1, 0, 2};
			p.length[t] = 2;
			p.same[t] = 2;
		}
		p.code[counts[k] + 1][0] = (struct instruction){READ, 0, 0, 0};
		p.code[counts[k] + 1][1] = (struct instruction){READ, 1, 1, 0};
		p.code[counts[k] + 1][2] = (struct instruction){IF, 0, 0, 0};
		p.code[counts[k] + 1][3] = (struct instruction){IF, 0, 1, 0};
		p.length[counts[k] + 1] = 4;
		find_what_matters(&p, false);
		executions = search(&p, &outcomes, &result);
		print_message("%u: %lu executions, %lu states\n", counts[k], (unsigned long)executions,
			      (unsigned long)result.states);
		assert_true(result.complete);
		assert_int_equal(outcomes.count, 4);
		assert_int_equal(executions, 4);
		sl_index_release(&outcomes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reorder),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
