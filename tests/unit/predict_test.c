/*
 * The predictive analysis. Random small programs are run by a scheduler that is a few lines of this file; what is predicted from the
 * items of that one execution is compared with all that could be, found by trying all orders of its operations. The twin shares no
 * code with the analysis: it knows no classes, locksets or clocks, but states of the whole program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/index.h"
#include "predict/predict.h"

#ifndef RANDOM_PROGRAMS
#define RANDOM_PROGRAMS 1500
#endif
#define SAMPLED_PROGRAMS 100
#define THREADS 4
#define EVENTS_MAX 96
#define ITEMS_MAX 20000

/* ---- an execution in memory ---- */

struct execution {
	struct sl_item items[ITEMS_MAX];
	size_t count, at;
};

static int
memory_rewind(void *data, struct sl_err *err)
{
	(void)err;
	((struct execution *)data)->at = 0;
	return 0;
}

static int
memory_next(void *data, struct sl_item *item, struct sl_err *err)
{
	struct execution *e = data;

	(void)err;
	if (e->at == e->count)
		return 0;
	*item = e->items[e->at++];
	return 1;
}

/* The place number n is line n. */
static bool
memory_place(void *data, uint64_t pc, struct sl_place *place)
{
	(void)data;
	*place = (struct sl_place){.function = "f",
				   .file = "a.c",
				   .path = "/a.c",
				   .stable = "a.c",
				   .module = "a",
				   .line = (uint32_t)pc};
	return true;
}

/* At 0x1000 there is a struct s, whose members are 8 bytes each; at 0x3000 there are locks; at 0x4000 numbers. */
static const char *
memory_variable(void *data, uint64_t address, uint32_t size, char *text, size_t room)
{
	(void)data;
	(void)size;
	if (address - 0x1000 < 0x100)
		snprintf(text, room, "s.m%u", (unsigned)(address - 0x1000) / 8);
	else if (address - 0x3000 < 0x100)
		snprintf(text, room, "lock%u", (unsigned)(address - 0x3000) / 8);
	else if (address - 0x4000 < 0x100)
		snprintf(text, room, "n%u", (unsigned)(address - 0x4000) / 8);
	else
		return NULL;
	return text;
}

static const char *
memory_function(void *data, uint64_t address)
{
	static char names[8][24];
	static unsigned next;
	char *name = names[next++ % 8];

	(void)data;
	snprintf(name, sizeof(names[0]), "f%llu", (unsigned long long)address);
	return name;
}

static struct sl_observed
observed(struct execution *e)
{
	return (struct sl_observed){.data = e,
				    .rewind = memory_rewind,
				    .next = memory_next,
				    .place = memory_place,
				    .variable = memory_variable,
				    .function = memory_function};
}

static void
item(struct execution *e, unsigned thread, unsigned kind, uint64_t object, uint64_t pc, uint64_t value)
{
	assert_true(e->count < ITEMS_MAX);
	e->items[e->count++] = (struct sl_item){.kind = (uint8_t)kind,
						.size = 8,
						.thread = thread,
						.object = object,
						.pc = pc,
						.value = value};
}

/* ---- random programs ---- */

enum what { READ, WRITE, UPDATE, LOCK, UNLOCK, SHARED_LOCK, CALL, RETURN, CREATE, JOIN, BARRIER };

struct event {
	enum what what;
	unsigned which; /* variable, lock, function, thread */
	uint64_t pc;
};

struct program {
	struct event events[THREADS][EVENTS_MAX];
	unsigned counts[THREADS], threads;
	unsigned at_barrier; /* threads that wait at the barrier, each as often */
};

static void
event(struct program *p, unsigned thread, enum what what, unsigned which)
{
	assert_true(p->counts[thread] < EVENTS_MAX);
	p->events[thread][p->counts[thread]] =
		(struct event){what, which, 1000ul * (thread + 1) + p->counts[thread]};
	p->counts[thread]++;
}

/* Accesses with and without locks; at the end all locks that it has taken are released. */
static void
random_stretch(struct program *p, unsigned thread, struct sl_rng *rng, unsigned length, unsigned locks)
{
	unsigned held[4] = {0}, held_count = 0;
	bool shared[4] = {false};

	for (unsigned i = 0; i < length; i++) {
		unsigned dice = sl_rng_below(rng, 10);
		unsigned lock = sl_rng_below(rng, locks);
		bool has = false;

		for (unsigned n = 0; n < held_count; n++)
			has |= held[n] >= lock;
		if (dice < 6) {
			event(p, thread, dice < 3 ? READ : dice < 5 ? WRITE : UPDATE, sl_rng_below(rng, 3));
		} else if (dice < 8 && !has) { /* in one order, so there are no deadlocks */
			shared[held_count] = sl_rng_below(rng, 4) == 0;
			event(p, thread, shared[held_count] ? SHARED_LOCK : LOCK, lock);
			held[held_count++] = lock;
		} else if (dice >= 8 && held_count) {
			unsigned n = sl_rng_below(rng, held_count);

			event(p, thread, UNLOCK, held[n]);
			held_count--;
			memmove(held + n, held + n + 1, (held_count - n) * sizeof(*held));
			memmove(shared + n, shared + n + 1, (held_count - n) * sizeof(*shared));
		}
	}
	while (held_count)
		event(p, thread, UNLOCK, held[--held_count]);
}

static void
random_unit(struct program *p, unsigned thread, struct sl_rng *rng, unsigned length)
{
	bool called = sl_rng_below(rng, 3) != 0;

	if (called)
		event(p, thread, CALL, 10 + sl_rng_below(rng, 3));
	random_stretch(p, thread, rng, length, 2);
	if (called)
		event(p, thread, RETURN, 0);
}

static struct program
random_program(uint64_t seed)
{
	struct sl_rng rng = sl_rng_derive(19, seed);
	struct program p = {.threads = 2 + sl_rng_below(&rng, 2)};
	unsigned barriers = sl_rng_below(&rng, 3) == 0 ? 1 : 0;
	/* thread 0 is main(), which creates the others, and may do something itself */
	unsigned length = p.threads == 2 ? 7 : 5;

	event(&p, 0, CALL, 1);
	random_stretch(&p, 0, &rng, sl_rng_below(&rng, 3), 2);
	for (unsigned t = 1; t <= p.threads; t++) {
		event(&p, 0, CREATE, t);
		if (sl_rng_below(&rng, 3) == 0)
			random_stretch(&p, 0, &rng, 2, 2);
	}
	if (sl_rng_below(&rng, 2))
		random_unit(&p, 0, &rng, 2);
	for (unsigned t = 1; t <= p.threads; t++) {
		event(&p, 0, JOIN, t);
		if (sl_rng_below(&rng, 3) == 0)
			random_stretch(&p, 0, &rng, 2, 2);
	}
	event(&p, 0, RETURN, 0);
	p.at_barrier = barriers ? p.threads : 0;
	for (unsigned t = 1; t <= p.threads; t++) {
		event(&p, t, CALL, 2);
		random_unit(&p, t, &rng, sl_rng_below(&rng, length + 1));
		if (barriers) {
			if (sl_rng_below(&rng, 2)) {
				event(&p, t, CALL, 5);
				random_stretch(&p, t, &rng, 2, 2);
			}
			event(&p, t, BARRIER, 0);
			random_stretch(&p, t, &rng, 3, 2);
		}
		random_unit(&p, t, &rng, length);
		event(&p, t, RETURN, 0);
	}
	return p;
}

/* ---- what may happen: the twin ---- */

struct state {
	unsigned char at[THREADS];
};

/* What follows from how far each thread is. */
static bool
can_go(const struct program *p, const struct state *s, unsigned thread)
{
	const struct event *e = &p->events[thread][s->at[thread]];
	unsigned arrived = 0, created = 0, mine = 0;

	if (s->at[thread] == p->counts[thread])
		return false;
	for (unsigned i = 0; thread && i < s->at[0]; i++)
		created |= p->events[0][i].what == CREATE && p->events[0][i].which == thread;
	if (thread && !created)
		return false;
	/* it has arrived at the barrier: the others have to, too */
	for (unsigned i = 0; i < s->at[thread]; i++)
		mine += p->events[thread][i].what == BARRIER;
	for (unsigned t = 1; mine && t <= p->threads; t++) {
		unsigned theirs = 0;

		for (unsigned i = 0; i < s->at[t]; i++)
			theirs += p->events[t][i].what == BARRIER;
		arrived += theirs >= mine;
	}
	if (mine && arrived < p->at_barrier)
		return false;
	if (e->what == JOIN)
		return s->at[e->which] == p->counts[e->which];
	if (e->what != LOCK && e->what != SHARED_LOCK)
		return true;
	for (unsigned t = 0; t <= p->threads; t++) {
		int held = -1;

		for (unsigned i = 0; i < s->at[t]; i++) {
			const struct event *o = &p->events[t][i];

			if ((o->what == LOCK || o->what == SHARED_LOCK) && o->which == e->which)
				held = o->what;
			else if (o->what == UNLOCK && o->which == e->which)
				held = -1;
		}
		if (held == LOCK || (held == SHARED_LOCK && e->what == LOCK))
			return false;
	}
	return true;
}

/* Which write an event has read in the execution that was run: what is unique for each event; 0: none. */
static unsigned read_by[THREADS][EVENTS_MAX];

static unsigned
event_id(unsigned thread, unsigned at)
{
	return thread * EVENTS_MAX + at + 1;
}

/* One execution, by a random scheduler. */
static void
run_program(const struct program *p, struct execution *e, uint64_t seed)
{
	static const unsigned kinds[] =
		{[READ] = SL_READ,      [WRITE] = SL_WRITE,           [UPDATE] = SL_UPDATE,
		 [LOCK] = SL_RW_WRLOCK, [SHARED_LOCK] = SL_RW_RDLOCK, [UNLOCK] = SL_RW_UNLOCK,
		 [CALL] = SL_ITEM_CALL, [RETURN] = SL_ITEM_RETURN,    [CREATE] = SL_CREATE,
		 [JOIN] = SL_JOIN,      [BARRIER] = SL_BARRIER_WAIT};
	struct sl_rng rng = sl_rng_derive(23, seed);
	struct state s = {{0}};
	bool waits[THREADS] = {false};
	unsigned arrived = 0, written[3] = {0};

	e->count = 0;
	item(e, 0, SL_START, 0, 1, 0);
	for (;;) {
		unsigned t = sl_rng_below(&rng, p->threads + 1), tried = 0;
		const struct event *v;

		while (tried <= p->threads && !can_go(p, &s, t)) {
			t = t == p->threads ? 0 : t + 1;
			tried++;
		}
		if (tried > p->threads)
			break;
		v = &p->events[t][s.at[t]];
		if (v->what == READ || v->what == UPDATE)
			read_by[t][s.at[t]] = written[v->which];
		if (v->what == WRITE || v->what == UPDATE)
			written[v->which] = event_id(t, s.at[t]);
		s.at[t]++;
		if (s.at[t] == 1 && t)
			item(e, t, SL_START, 0, 2, 0);
		if (waits[t])
			item(e, t, SL_BARRIER_LEAVE, 0x5000, v->pc, 0);
		waits[t] = v->what == BARRIER && ++arrived < p->at_barrier; /* the last one goes on at once */
		item(e, t, kinds[v->what],
		     v->what == READ || v->what == WRITE || v->what == UPDATE         ? 0x1000 + 8 * v->which
		     : v->what == LOCK || v->what == SHARED_LOCK || v->what == UNLOCK ? 0x3000 + 8 * v->which
		     : v->what == CALL                                                ? v->which
		     : v->what == BARRIER                                             ? 0x5000
										      : 0,
		     v->pc, v->what == CREATE || v->what == JOIN ? v->which : 0);
		if (s.at[t] == p->counts[t])
			item(e, t, SL_END, 0, 3, 0);
	}
	for (unsigned t = 0; t <= p->threads; t++)
		assert_int_equal(s.at[t], p->counts[t]);
}

/* Events of a program in the order in which they have to happen. */
struct wanted {
	enum sl_pattern pattern;
	unsigned count;
	struct {
		unsigned thread, at;
	} steps[4];
};

/* Is there an order of the program's events in which these come so? By all reachable states. */
static bool
is_feasible(const struct program *p, const struct wanted *w, unsigned char *visited)
{
	static struct reached {
		struct state s;
		unsigned char passed;
	} stack[400000];
	size_t count = 1, size = 5;

	for (unsigned t = 0; t <= p->threads; t++)
		size *= p->counts[t] + 1ul;
	assert_true(size < 40000000);
	memset(visited, 0, size);
	stack[0] = (struct reached){.passed = 0};
	while (count) {
		struct reached now = stack[--count];

		for (unsigned t = 0; t <= p->threads; t++) {
			struct reached next = now;
			size_t key = 0;
			bool out_of_turn = false;

			if (!can_go(p, &now.s, t))
				continue;
			for (unsigned i = 0; i < w->count; i++) {
				if (w->steps[i].thread != t || w->steps[i].at != now.s.at[t])
					continue;
				out_of_turn |= i != now.passed;
				next.passed++;
			}
			if (out_of_turn)
				continue;
			if (next.passed == w->count)
				return true;
			next.s.at[t]++;
			for (unsigned n = 0; n <= p->threads; n++)
				key = key * (p->counts[n] + 1ul) + next.s.at[n];
			key = key * 5 + next.passed;
			if (visited[key])
				continue;
			visited[key] = 1;
			assert_true(count < sizeof(stack) / sizeof(*stack));
			stack[count++] = next;
		}
	}
	return false;
}

/*
 * … in which each event reads what it has read in the execution that was run? So it is possible whatever the program makes of the
 * values. Only the last of these events of each thread may read another one, and then the thread does nothing after it.
 */
static bool
is_certain(const struct program *p, const struct wanted *w)
{
	static struct reached {
		struct state s;
		unsigned written[3];
		unsigned char passed, frozen;
	} stack[400000];
	struct sl_index visited = {0};
	size_t count = 1;
	bool found = false;

	stack[0] = (struct reached){.passed = 0};
	while (count && !found) {
		struct reached now = stack[--count];

		for (unsigned t = 0; t <= p->threads && !found; t++) {
			const struct event *v = &p->events[t][now.s.at[t]];
			unsigned id = event_id(t, now.s.at[t]);
			struct reached next = now;
			bool out_of_turn = false, may_change = false;
			uint64_t key = 0, *at;

			if (now.frozen == t + 1 || !can_go(p, &now.s, t))
				continue;
			for (unsigned i = 0; i < w->count; i++) {
				if (w->steps[i].thread != t || w->steps[i].at != now.s.at[t])
					continue;
				out_of_turn |= i != now.passed;
				may_change = i + 2 >= w->count;
				next.passed++;
			}
			if ((v->what == READ || v->what == UPDATE) &&
			    now.written[v->which] != read_by[t][now.s.at[t]]) {
				out_of_turn |= !may_change;
				next.frozen = (unsigned char)(t + 1);
			}
			if (out_of_turn)
				continue;
			found = next.passed == w->count;
			if (v->what == WRITE || v->what == UPDATE)
				next.written[v->which] = id;
			next.s.at[t]++;
			for (unsigned n = 0; n <= p->threads; n++)
				key = sl_join(key, next.s.at[n]);
			for (unsigned n = 0; n < 3; n++)
				key = sl_join(key, next.written[n]);
			at = sl_index_at(&visited, sl_join(key, next.passed * 8u + next.frozen));
			if (*at)
				continue;
			*at = 1;
			assert_true(count < sizeof(stack) / sizeof(*stack));
			stack[count++] = next;
		}
	}
	sl_index_release(&visited);
	return found;
}

static bool
reads(const struct event *e)
{
	return e->what == READ || e->what == UPDATE;
}

static bool
writes(const struct event *e)
{
	return e->what == WRITE || e->what == UPDATE;
}

static bool
accesses(const struct event *e)
{
	return reads(e) || writes(e);
}

/* No event between the two, of one thread, ends a unit. */
static bool
in_one_unit(const struct program *p, unsigned thread, unsigned first, unsigned second)
{
	for (unsigned i = first; i <= second; i++)
		if (p->events[thread][i].what == JOIN || p->events[thread][i].what == BARRIER)
			return false;
	return true;
}

/* The patterns once more, as strings: upper case is the unit that is disturbed, then what, then where. */
static const struct {
	enum sl_pattern pattern;
	const char *steps;
} patterns[] = {
	{SL_PATTERN_RWW, "Rx wx Wx"},
	{SL_PATTERN_RWR, "Rx wx Rx"},
	{SL_PATTERN_WRW, "Wx rx Wx"},
	{SL_PATTERN_WWR, "Wx wx Rx"},
	{SL_PATTERN_WWW, "Wx wx Wx"},
	{SL_PATTERN_WWWW, "Wx wx wy Wy"},
	{SL_PATTERN_WWWW_CROSSED, "Wx wy wx Wy"},
	{SL_PATTERN_WRRW, "Wx rx ry Wy"},
	{SL_PATTERN_WRRW_CROSSED, "Wx ry rx Wy"},
	{SL_PATTERN_RWWR, "Rx wx wy Ry"},
	{SL_PATTERN_RWWR_CROSSED, "Rx wy wx Ry"},
};

static bool
fits(const struct event *e, const char *step)
{
	return step[0] == 'R' || step[0] == 'r' ? reads(e) : writes(e);
}

typedef void tell(const struct program *p, const struct wanted *w, void *data);

/* All violations, feasible or not: every choice of events is tried. */
static void
each_violation(const struct program *p, tell *told, void *data)
{
	for (unsigned n = 0; n < sizeof(patterns) / sizeof(*patterns); n++) {
		const char *s = patterns[n].steps;
		bool four = strlen(s) > 8;

		for (unsigned t = 0; t <= p->threads; t++)
			for (unsigned u = 0; u <= p->threads; u++)
				for (unsigned a = 0; t != u && a < p->counts[t]; a++)
					for (unsigned b = a + 1; accesses(&p->events[t][a]) && b < p->counts[t];
					     b++) {
						const struct event *x = &p->events[t][a], *y = &p->events[t][b];

						if (!accesses(y) || !fits(x, s) || !fits(y, s + (four ? 9 : 6)) ||
						    (four ? x->which == y->which : x->which != y->which) ||
						    !in_one_unit(p, t, a, b))
							continue;
						for (unsigned c = 0; c < p->counts[u]; c++) {
							const struct event *i = &p->events[u][c];

							if (!accesses(i) || !fits(i, s + 3) ||
							    i->which != (s[4] == 'x' ? x : y)->which)
								continue;
							if (!four) {
								told(p,
								     &(struct wanted){patterns[n].pattern,
										      3,
										      {{t, a}, {u, c}, {t, b}}},
								     data);
								continue;
							}
							for (unsigned d = c + 1; d < p->counts[u]; d++) {
								const struct event *j = &p->events[u][d];

								if (accesses(j) && fits(j, s + 6) &&
								    j->which == (s[7] == 'x' ? x : y)->which &&
								    in_one_unit(p, u, c, d))
									told(p,
									     &(struct wanted){patterns[n].pattern,
											      4,
											      {{t, a},
											       {u, c},
											       {u, d},
											       {t, b}}},
									     data);
							}
						}
					}
	}
}

/* ---- the comparison ---- */

static struct sl_violations
predict(struct execution *e, bool infeasible)
{
	struct sl_predict_options options = {.infeasible = infeasible, .unmerged = true};
	struct sl_observed of = observed(e);
	struct sl_violations v;
	struct sl_err err;

	assert_int_equal(sl_predict(&v, &of, &options, &err), 0);
	return v;
}

struct comparison {
	const struct sl_violations *predicted;
	bool *seen;
	unsigned char *visited;
	size_t all, feasible, rejected, accepted, sampled, certain, sampled_accepted;
	bool sample;                            /* look for all that is certain: that takes longer */
	size_t by_pattern[SL_PATTERN_COUNT][2]; /* feasible, accepted */
};

static void
compare(const struct program *p, const struct wanted *w, void *data)
{
	struct comparison *c = data;
	size_t found = SIZE_MAX;
	bool feasible, accepted, certain;

	for (size_t i = 0; i < c->predicted->count && found == SIZE_MAX; i++) {
		const struct sl_violation *v = &c->predicted->items[i];
		bool same = v->pattern == w->pattern && v->step_count == w->count;

		for (unsigned s = 0; same && s < w->count; s++)
			same = v->steps[s].pc == p->events[w->steps[s].thread][w->steps[s].at].pc;
		if (same)
			found = i;
	}
	if (found == SIZE_MAX)
		fail_msg("%s is not predicted: %u:%u %u:%u %u:%u", sl_pattern_words[w->pattern].shape,
			 w->steps[0].thread, w->steps[0].at, w->steps[1].thread, w->steps[1].at,
			 w->steps[2].thread, w->steps[2].at);
	c->seen[found] = true;
	c->all++;
	feasible = is_feasible(p, w, c->visited);
	c->feasible += feasible;
	if (c->predicted->items[found].verdict == SL_PREDICTED_INFEASIBLE) {
		c->rejected++;
		if (feasible)
			fail_msg("%s is feasible, and was ruled out: %s", sl_pattern_words[w->pattern].shape,
				 c->predicted->items[found].reason);
		assert_true(*c->predicted->items[found].reason);
	}
	c->by_pattern[w->pattern][0] += feasible;
	accepted = c->predicted->items[found].verdict == SL_PREDICTED_CERTAIN;
	certain = (accepted || c->sample) && feasible && is_certain(p, w);
	if (c->sample) {
		c->sampled += feasible;
		c->certain += certain;
		c->sampled_accepted += accepted;
	}
	if (!accepted)
		return;
	c->accepted++;
	c->by_pattern[w->pattern][1]++;
	if (!certain)
		fail_msg("%s is not certain to be feasible, and was accepted: %u:%u %u:%u %u:%u",
			 sl_pattern_words[w->pattern].shape, w->steps[0].thread, w->steps[0].at,
			 w->steps[1].thread, w->steps[1].at, w->steps[2].thread, w->steps[2].at);
}

static void
predicts_what_all_orders_show(void **test_state)
{
	static struct execution e;
	struct comparison c = {.visited = malloc(40000000)};

	(void)test_state;
	assert_non_null(c.visited);
	for (uint64_t seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct program p = random_program(seed);
		struct sl_violations v;
		size_t possible = 0, known;

		run_program(&p, &e, seed);
		v = predict(&e, true);
		c.predicted = &v;
		c.sample = seed < SAMPLED_PROGRAMS;
		c.seen = calloc(v.count + 1, sizeof(*c.seen));
		assert_non_null(c.seen);
		known = c.all;
		each_violation(&p, compare, &c);
		assert_int_equal(v.unmerged, c.all - known);
		for (size_t i = 0; i < v.count; i++) {
			assert_true(c.seen[i]); /* and no others */
			possible += v.items[i].verdict != SL_PREDICTED_INFEASIBLE;
		}
		free(c.seen);
		sl_violations_release(&v);
		/* without the infeasible ones it is the same less those */
		v = predict(&e, false);
		assert_int_equal(v.count, possible);
		sl_violations_release(&v);
	}
	free(c.visited);
	print_message("%zu violations of %d programs: %zu are feasible, %zu of the other %zu were ruled out\n",
		      c.all, RANDOM_PROGRAMS, c.feasible, c.rejected, c.all - c.feasible);
	print_message(
		"%zu of the feasible ones were accepted; of %zu feasible ones, %zu are certain, and %zu were accepted\n",
		c.accepted, c.sampled, c.certain, c.sampled_accepted);
	for (unsigned i = 0; i < SL_PATTERN_COUNT; i++)
		print_message("%-22s %zu of %zu\n", sl_pattern_words[i].shape, c.by_pattern[i][1],
			      c.by_pattern[i][0]);
	assert_true(c.accepted > c.feasible / 2);
	assert_true(c.sampled_accepted > c.certain / 100 * 92);
	assert_true(c.feasible > c.all / 10);
	assert_true(c.rejected >= (c.all - c.feasible) / 100 * 99);
}

/* ---- merging ---- */

/* What is a violation but for the places? The best verdict of those that are alike. */
struct projected {
	enum sl_pattern pattern;
	uint64_t pcs[4];
	enum sl_predicted verdict;
};

/* Inside of functions the same operation is the same line for all threads; outside each is a line of its own. */
static uint64_t
merged_pc(const struct program *p, uint64_t pc)
{
	unsigned thread = (unsigned)(pc / 1000 - 1), at = (unsigned)(pc % 1000), function = 0;
	const struct event *e = &p->events[thread][at];

	for (unsigned i = 1; i < at; i++) {
		if (p->events[thread][i].what == CALL)
			function = p->events[thread][i].which;
		else if (p->events[thread][i].what == RETURN)
			function = 0;
	}
	if (!function || e->what == CALL || e->what == RETURN)
		return pc;
	return 100000 + function * 1000ul + e->what * 10 + e->which;
}

static size_t
project(struct projected *to, const struct sl_violations *v, const struct program *p)
{
	size_t count = 0;

	for (size_t i = 0; i < v->count; i++) {
		struct projected one = {.pattern = v->items[i].pattern, .verdict = v->items[i].verdict};
		size_t n = 0;

		for (unsigned s = 0; s < v->items[i].step_count; s++)
			one.pcs[s] = p ? merged_pc(p, v->items[i].steps[s].pc) : v->items[i].steps[s].pc;
		while (n < count &&
		       (to[n].pattern != one.pattern || memcmp(to[n].pcs, one.pcs, sizeof(one.pcs)) != 0))
			n++;
		if (n == count)
			to[count++] = one;
		else if (one.verdict < to[n].verdict)
			to[n].verdict = one.verdict;
	}
	return count;
}

static void
merging_loses_nothing(void **test_state)
{
	static struct execution e;
	static struct projected apart[20000], merged[20000];
	uint64_t classes_apart = 0, classes_merged = 0, unmerged;

	(void)test_state;
	for (uint64_t seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct program p = random_program(seed);
		struct sl_violations v;
		size_t count, of;

		run_program(&p, &e, seed);
		v = predict(&e, true);
		assert_true(v.count < 20000);
		count = project(apart, &v, &p);
		classes_apart += v.classes + v.pairs;
		unmerged = v.unmerged;
		sl_violations_release(&v);
		for (size_t i = 0; i < e.count; i++)
			if (e.items[i].pc >= 1000)
				e.items[i].pc = merged_pc(&p, e.items[i].pc);
		v = predict(&e, true);
		classes_merged += v.classes + v.pairs;
		assert_int_equal(v.unmerged, unmerged);
		of = project(merged, &v, NULL);
		sl_violations_release(&v);
		assert_int_equal(of, count);
		for (size_t i = 0; i < count; i++) {
			size_t n = 0;

			while (n < count && (apart[i].pattern != merged[n].pattern ||
					     memcmp(apart[i].pcs, merged[n].pcs, sizeof(merged[n].pcs)) != 0))
				n++;
			assert_true(n < count);
			/* what is accepted is one of those that are alike */
			assert_true(merged[n].verdict == apart[i].verdict ||
				    (merged[n].verdict == SL_PREDICTED_POSSIBLE &&
				     apart[i].verdict == SL_PREDICTED_CERTAIN));
		}
	}
	assert_true(classes_merged < classes_apart);
}

/* Two threads that deposit so many times, and a third that looks now and then; with a barrier after each round or without. */
static void
repeated(struct execution *e, unsigned rounds, bool barrier)
{
	e->count = 0;
	item(e, 0, SL_START, 0, 1, 0);
	item(e, 0, SL_ITEM_CALL, 1, 1, 0);
	for (unsigned t = 1; t <= 2; t++)
		item(e, 0, SL_CREATE, 0, 10, t);
	for (unsigned t = 1; t <= 2; t++) {
		item(e, t, SL_START, 0, 2, 0);
		item(e, t, SL_ITEM_CALL, 2, 2, 0);
	}
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned t = 1; t <= 2; t++) {
			item(e, t, SL_ITEM_CALL, 10, 20, 0);
			item(e, t, SL_MUTEX_LOCK, 0x3000, 21, 0);
			item(e, t, SL_READ, 0x1000, 22, 0);
			item(e, t, SL_MUTEX_UNLOCK, 0x3000, 23, 0);
			item(e, t, SL_MUTEX_LOCK, 0x3000, 24, 0);
			item(e, t, SL_WRITE, 0x1000, 25, 0);
			item(e, t, SL_WRITE, 0x1008, 26, 0);
			item(e, t, SL_MUTEX_UNLOCK, 0x3000, 27, 0);
			item(e, t, SL_ITEM_RETURN, 0, 0, 0);
		}
		for (unsigned t = 1; t <= 2 && barrier; t++)
			item(e, t, SL_BARRIER_WAIT, 0x5000, 30, 0);
		if (barrier)
			item(e, 1, SL_BARRIER_LEAVE, 0x5000, 30, 0);
	}
	for (unsigned t = 1; t <= 2; t++) {
		item(e, t, SL_ITEM_RETURN, 0, 0, 0);
		item(e, t, SL_END, 0, 3, 0);
	}
	for (unsigned t = 1; t <= 2; t++)
		item(e, 0, SL_JOIN, 0, 11, t);
	item(e, 0, SL_READ, 0x1000, 12, 0);
}

static void
repetition_adds_nothing(void **test_state)
{
	static struct execution e;

	(void)test_state;
	for (int barrier = 0; barrier < 2; barrier++) {
		struct sl_violations few, many;

		repeated(&e, 10, barrier);
		few = predict(&e, false);
		repeated(&e, 100, barrier);
		many = predict(&e, false);
		assert_int_equal(many.shared, 10 * few.shared - 9);
		assert_int_equal(many.classes, few.classes);
		assert_int_equal(many.pairs, few.pairs);
		assert_int_equal(many.compared, few.compared);
		assert_int_equal(many.count, few.count);
		assert_int_equal(few.count,
				 1); /* R W' W of the balance; the two writes are protected by the lock */
		for (size_t i = 0; i < few.count; i++) {
			assert_int_equal(many.items[i].pattern, few.items[i].pattern);
			for (unsigned s = 0; s < few.items[i].step_count; s++)
				assert_int_equal(many.items[i].steps[s].number, few.items[i].steps[s].number);
		}
		sl_violations_release(&few);
		sl_violations_release(&many);
	}
}

/* ---- phase I ---- */

/* The context of an event as words, by a rule for each word; the twin of src/predict/context.c. */
struct words {
	char text[4096];
};

static void
say(struct words *w, const char *what, uint64_t number)
{
	size_t used = strlen(w->text);

	snprintf(w->text + used, sizeof(w->text) - used, "%s%llu ", what, (unsigned long long)number);
}

/* Create, join and barrier up to an event of the thread; and before them those of its creator. */
static void
say_messages(struct words *w, const struct program *p, unsigned thread, unsigned upto, bool inherited)
{
	for (unsigned i = 0; thread && inherited && i < p->counts[0]; i++)
		if (p->events[0][i].what == CREATE && p->events[0][i].which == thread)
			say_messages(w, p, 0, i, true);
	for (unsigned i = 0; i < upto; i++) {
		const struct event *e = &p->events[thread][i];

		if (e->what == CREATE)
			say(w, "create", 0);
		if (e->what == BARRIER)
			say(w, "barrier", 0);
		if (e->what == JOIN) {
			say(w, "join", 0);
			say(w, "(", 0);
			say_messages(w, p, e->which, p->counts[e->which], true);
			say(w, ")", 0);
		}
	}
}

static bool
is_shared(const struct program *p, unsigned variable)
{
	unsigned threads = 0;
	bool written = false;

	for (unsigned t = 0; t <= p->threads; t++) {
		bool mine = false;

		for (unsigned i = 0; i < p->counts[t]; i++) {
			const struct event *e = &p->events[t][i];

			mine |= accesses(e) && e->which == variable;
			written |= writes(e) && e->which == variable;
		}
		threads += mine;
	}
	return written && threads > 1;
}

/* The functions that the event is in, the outermost first; none of them calls itself. Returns how many. */
static unsigned
calls_of(const struct program *p, unsigned thread, unsigned at, unsigned *calls)
{
	unsigned depth = 0;

	for (unsigned i = 0; i < at; i++) {
		if (p->events[thread][i].what == CALL)
			calls[depth++] = p->events[thread][i].which;
		else if (p->events[thread][i].what == RETURN)
			depth--;
	}
	return depth;
}

/* Are two events of a thread in the same call, at that depth? */
static bool
same_call(const struct program *p, unsigned thread, unsigned first, unsigned second, unsigned at)
{
	unsigned from = first < second ? first : second, to = first < second ? second : first, calls[EVENTS_MAX];

	for (unsigned i = from; i <= to; i++)
		if (calls_of(p, thread, i, calls) <= at)
			return false;
	return true;
}

/* How the thread holds the lock at its event, negative if it does not; and whether it has released it since its access before. */
static int
holds(const struct program *p, unsigned thread, unsigned at, unsigned lock, bool *released)
{
	unsigned before = at;
	int held = -1;

	while (before &&
	       !(accesses(&p->events[thread][before - 1]) && is_shared(p, p->events[thread][before - 1].which)))
		before--;
	*released = false;
	for (unsigned i = 0; i < at; i++) {
		const struct event *e = &p->events[thread][i];

		if ((e->what == LOCK || e->what == SHARED_LOCK) && e->which == lock)
			held = e->what;
		if (e->what != UNLOCK || e->which != lock)
			continue;
		held = -1;
		*released |= i >= before;
	}
	return held;
}

static struct words
context_of(const struct program *p, unsigned thread, unsigned at)
{
	struct words w = {""};

	for (unsigned lock = 0; lock < 2; lock++) {
		bool released;
		int held = holds(p, thread, at, lock, &released);

		if (held >= 0)
			say(&w, held == LOCK ? "lock" : "shared", lock * 2 + released);
	}
	say_messages(&w, p, thread, at, true);
	return w;
}

/* Takes out a lock with its release, or a barrier of all; calls another function; or names some places anew. */
static struct program
changed_program(const struct program *old, struct sl_rng *rng, uint64_t *fresh)
{
	struct program p = *old;
	unsigned thread = sl_rng_below(rng, p.threads + 1), at = sl_rng_below(rng, p.counts[thread]), end;
	struct event *e = p.events[thread];

	*fresh = 0;
	if (e[at].what == LOCK || e[at].what == SHARED_LOCK) {
		for (end = at + 1; e[end].what != UNLOCK || e[end].which != e[at].which;)
			end++;
		memmove(e + end, e + end + 1, (p.counts[thread] - end - 1) * sizeof(*e));
		memmove(e + at, e + at + 1, (p.counts[thread] - at - 2) * sizeof(*e));
		p.counts[thread] -= 2;
	} else if (e[at].what == BARRIER) {
		for (unsigned t = 1; t <= p.threads; t++)
			for (unsigned i = 0; i < p.counts[t]; i++)
				if (p.events[t][i].what == BARRIER) {
					memmove(p.events[t] + i, p.events[t] + i + 1,
						(p.counts[t] - i - 1) * sizeof(*e));
					p.counts[t]--;
				}
		p.at_barrier = 0;
	} else if (e[at].what == CALL && e[at].which >= 10) {
		e[at].which = 13 - sl_rng_below(rng, 3);
	} else if (e[at].what == JOIN && at && accesses(&e[at - 1])) {
		struct event access = e[at - 1];

		e[at - 1] = e[at];
		e[at] = access;
	} else {
		*fresh = e[at].pc;
	}
	return p;
}

static uint64_t fresh_line;

static bool
memory_map(void *data, const struct sl_place *place, struct sl_place *old)
{
	(void)data;
	*old = *place;
	return place->line != fresh_line;
}

/* function: that it is made in; 0: in any. */
static bool
was_there(const struct program *old, uint64_t pc, const struct words *context, unsigned function)
{
	for (unsigned t = 0; t <= old->threads; t++)
		for (unsigned i = 0; i < old->counts[t]; i++) {
			unsigned calls[EVENTS_MAX], depth = calls_of(old, t, i, calls);
			bool in = !function;
			struct words was;

			if (old->events[t][i].pc != pc || !is_shared(old, old->events[t][i].which))
				continue;
			for (unsigned n = 0; n < depth; n++)
				in |= calls[n] == function;
			was = context_of(old, t, i);
			if (in && !strcmp(was.text, context->text))
				return true;
		}
	return false;
}

/* Is the event impacted in that function; 0: everywhere? */
static bool
is_impacted(const struct program *before, const struct program *after, unsigned t, unsigned i, unsigned function)
{
	struct words context = context_of(after, t, i);

	return after->events[t][i].pc == fresh_line ||
	       !was_there(before, after->events[t][i].pc, &context, function);
}

static bool
is_impacted_somewhere(const struct program *before, const struct program *after, unsigned t, unsigned i)
{
	unsigned calls[EVENTS_MAX], depth = calls_of(after, t, i, calls);
	bool impacted = is_impacted(before, after, t, i, 0);

	for (unsigned n = 0; n < depth; n++)
		impacted |= is_impacted(before, after, t, i, calls[n]);
	return impacted;
}

/* The event of the thread at this place, each place being one event's. */
static unsigned
event_at(const struct program *p, unsigned thread, uint64_t pc)
{
	for (unsigned i = 0; i < p->counts[thread]; i++)
		if (p->events[thread][i].pc == pc)
			return i;
	fail_msg("thread %u has no event at %d", thread, (int)pc);
	return 0;
}

/* Does the violation contain an access that is impacted in the unit of work that it is of, or alone? */
static bool
contains_impacted(const struct program *before, const struct program *after, const struct sl_violation *v)
{
	bool contains = false;

	for (unsigned s = 0; s < v->step_count; s++) {
		unsigned mine = event_at(after, v->steps[s].thread, v->steps[s].pc), function = 0;

		for (unsigned o = 0; o < v->step_count; o++) { /* the other access of its unit */
			unsigned a[EVENTS_MAX], b[EVENTS_MAX], n = 0, depth, depth_other;

			if (o == s || v->steps[o].other != v->steps[s].other)
				continue;
			depth = calls_of(after, v->steps[s].thread, mine, a);
			depth_other = calls_of(after, v->steps[o].thread,
					       event_at(after, v->steps[o].thread, v->steps[o].pc), b);
			/* the same call: a later one of the same function begins behind a return */
			while (n < depth && n < depth_other &&
			       same_call(after, v->steps[s].thread, mine,
					 event_at(after, v->steps[o].thread, v->steps[o].pc), n))
				n++;
			function = a[n - 1];
		}
		contains |= is_impacted(before, after, v->steps[s].thread, mine, function);
	}
	return contains;
}

static bool
is_listed(const struct sl_impact_set *impact, uint64_t pc)
{
	for (size_t n = 0; n < impact->count; n++)
		if (impact->items[n].pc == pc)
			return true;
	return false;
}

/* Does an impacted access come after the first place and not after the second, before which a lock was released that it holds? */
static bool
are_divided(const struct program *p, const struct sl_impact_set *impact, uint64_t first, uint64_t second)
{
	unsigned thread = (unsigned)(first / 1000 - 1);
	bool begun = false;

	for (unsigned i = 0; i < p->counts[thread]; i++) {
		const struct event *e = &p->events[thread][i];

		for (unsigned lock = 0; lock < 2 && begun; lock++) {
			bool released;

			if (accesses(e) && is_shared(p, e->which) && is_listed(impact, e->pc) &&
			    holds(p, thread, i, lock, &released) >= 0 && released)
				return true;
		}
		begun |= e->pc == first;
		if (e->pc == second)
			break;
	}
	return false;
}

/* Does the violation contain an impacted access, or a pair of accesses that can be divided now? */
static bool
is_seeded(const struct program *before, const struct program *p, const struct sl_impact_set *impact,
	  const struct sl_violation *v)
{
	return contains_impacted(before, p, v) ||
	       are_divided(p, impact, v->steps[0].pc, v->steps[v->step_count - 1].pc) ||
	       (v->step_count == 4 && are_divided(p, impact, v->steps[1].pc, v->steps[2].pc));
}

/* Phase I finds the accesses whose context is new, and no others; phase II what contains one of them, and nothing else. */
static void
a_change_impacts_what_its_contexts_say(void **test_state)
{
	static struct execution old, new;
	size_t impacted_all = 0, violations_all = 0, total = 0;

	(void)test_state;
	for (uint64_t seed = 0; seed < RANDOM_PROGRAMS; seed++) {
		struct sl_rng rng = sl_rng_derive(29, seed);
		struct program before = random_program(seed), after = changed_program(&before, &rng, &fresh_line);
		struct sl_observed of_old = observed(&old), of_new = observed(&new);
		struct sl_contexts *contexts = sl_contexts_new();
		struct sl_place_map map = {NULL, memory_map};
		struct sl_predict_options options = {.infeasible = true, .unmerged = true};
		struct sl_violations v, all;
		struct sl_impact_set impact;
		size_t found = 0, with = 0;
		struct sl_err err;

		run_program(&before, &old, seed);
		run_program(&after, &new, seed + 1); /* in another order */
		assert_int_equal(sl_contexts_collect(contexts, &of_old, SL_CALLS_ALL, &err), 0);
		assert_int_equal(sl_impact_find(&impact, contexts, &of_new, &map, SL_CALLS_ALL, &err), 0);
		for (unsigned t = 0; t <= after.threads; t++)
			for (unsigned i = 0; i < after.counts[t]; i++) {
				const struct event *e = &after.events[t][i];
				const struct sl_impacted *is = NULL;
				bool expected;

				if (!accesses(e) || !is_shared(&after, e->which))
					continue;
				expected = is_impacted_somewhere(&before, &after, t, i);
				for (size_t n = 0; n < impact.count; n++)
					if (impact.items[n].pc == e->pc)
						is = &impact.items[n];
				if (!is != !expected)
					fail_msg("program %d, line %d: %s", (int)seed, (int)e->pc,
						 is ? is->why : "is not impacted");
				found += expected;
			}
		assert_int_equal(impact.impacted, found);
		options.impact = &impact;
		assert_int_equal(sl_predict(&v, &of_new, &options, &err), 0);
		all = predict(&new, true);
		for (size_t i = 0; i < all.count; i++) {
			const struct sl_violation *a = &all.items[i];
			bool contains = is_seeded(&before, &after, &impact, a), given = false;

			for (size_t n = 0; n < v.count && !given; n++) {
				given = v.items[n].pattern == a->pattern && v.items[n].verdict == a->verdict;
				for (unsigned s = 0; given && s < a->step_count; s++)
					given = v.items[n].steps[s].number == a->steps[s].number;
			}
			assert_int_equal(given, contains);
			with += contains;
		}
		assert_int_equal(v.count, with);
		assert_int_equal(v.unmerged, with);
		impacted_all += found;
		violations_all += with;
		total += all.count;
		sl_violations_release(&v);
		sl_violations_release(&all);
		sl_impact_set_release(&impact);
		sl_contexts_free(contexts);
	}
	print_message("%zu accesses impacted; %zu of %zu violations contain one\n", impacted_all, violations_all,
		      total);
	assert_true(impacted_all && violations_all && violations_all < total);
}

/* Two threads use a flag, by these atomic operations, and then write. */
static void
flagged(struct execution *e, const unsigned *kinds)
{
	e->count = 0;
	item(e, 0, SL_START, 0, 1, 0);
	for (unsigned t = 1; t <= 2; t++)
		item(e, 0, SL_CREATE, 0, 10, t);
	for (unsigned t = 1; t <= 2; t++) {
		item(e, t, SL_START, 0, 2, 0);
		for (unsigned i = 0; kinds[i]; i++)
			item(e, t, kinds[i], 0x4000, 20 + i, 0);
		item(e, t, SL_WRITE, 0x1000, 30, 0);
		item(e, t, SL_END, 0, 3, 0);
	}
}

/* An atomic update receives and sends, whether it is one operation or a loop around it; a message more is one more. */
static void
atomics_count_by_what_they_order(void **test_state)
{
	static const struct {
		unsigned before[4], after[4];
		bool impacts;
	} cases[] = {
		{{SL_ATOMIC_LOAD, SL_ATOMIC_UPDATE}, {SL_ATOMIC_UPDATE}, false},
		{{SL_ATOMIC_UPDATE, SL_ATOMIC_LOAD, SL_ATOMIC_STORE}, {SL_ATOMIC_UPDATE}, false},
		{{SL_ATOMIC_UPDATE}, {SL_ATOMIC_LOAD}, true},
		{{SL_ATOMIC_LOAD}, {SL_ATOMIC_UPDATE}, true},
		{{SL_ATOMIC_STORE}, {SL_ATOMIC_LOAD}, true},
		{{SL_ATOMIC_LOAD}, {0}, true},
	};
	static struct execution old, new;

	(void)test_state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sl_observed of_old = observed(&old), of_new = observed(&new);
		struct sl_contexts *contexts = sl_contexts_new();
		struct sl_impact_set impact;
		bool impacted = false;
		struct sl_err err;

		flagged(&old, cases[i].before);
		flagged(&new, cases[i].after);
		assert_int_equal(sl_contexts_collect(contexts, &of_old, SL_CALLS_ALL, &err), 0);
		assert_int_equal(sl_impact_find(&impact, contexts, &of_new, NULL, SL_CALLS_ALL, &err), 0);
		for (size_t n = 0; n < impact.count; n++)
			impacted |= impact.items[n].pc == 30;
		if (impacted != cases[i].impacts)
			fail_msg("case %d: %d", (int)i, impacted);
		sl_impact_set_release(&impact);
		sl_contexts_free(contexts);
	}
}

/* Two threads write under two locks of an array in a block, which have no names. */
static void
with_array_of_locks(struct execution *e, uint64_t size, const unsigned *which)
{
	e->count = 0;
	item(e, 0, SL_START, 0, 1, 0);
	item(e, 0, SL_ALLOC, 0x10000, 9, 16 + 4 * size);
	for (unsigned t = 1; t <= 2; t++)
		item(e, 0, SL_CREATE, 0, 10, t);
	for (unsigned t = 1; t <= 2; t++) {
		item(e, t, SL_START, 0, 2, 0);
		for (unsigned i = 0; i < 2; i++) {
			uint64_t lock = 0x10000 + 16 + which[2 * (t - 1) + i] * size;

			item(e, t, SL_MUTEX_LOCK, lock, 20, 0);
			item(e, t, SL_WRITE, 0x1000 + 8 * i, 21 + i, 0);
			item(e, t, SL_MUTEX_UNLOCK, lock, 23, 0);
		}
		item(e, t, SL_END, 0, 3, 0);
	}
}

/* The elements of an array have become larger: its locks are the same. Others are others. */
static void
locks_without_names_are_told_by_their_order(void **test_state)
{
	static const struct {
		uint64_t size;
		unsigned which[4];
		bool impacts;
	} cases[] = {
		{96, {0, 3, 0, 3}, false}, {104, {0, 3, 0, 3}, false}, {104, {3, 0, 3, 0}, true},
		{96, {3, 0, 3, 0}, true},  {96, {0, 3, 3, 0}, true},   {96, {0, 3, 0, 1}, true},
	};
	static const unsigned before[] = {0, 3, 0, 3};
	static struct execution old, new;

	(void)test_state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sl_observed of_old = observed(&old), of_new = observed(&new);
		struct sl_contexts *contexts = sl_contexts_new();
		struct sl_impact_set impact;
		struct sl_err err;

		with_array_of_locks(&old, 96, before);
		with_array_of_locks(&new, cases[i].size, cases[i].which);
		assert_int_equal(sl_contexts_collect(contexts, &of_old, SL_CALLS_ALL, &err), 0);
		assert_int_equal(sl_impact_find(&impact, contexts, &of_new, NULL, SL_CALLS_ALL, &err), 0);
		if ((impact.impacted > 0) != cases[i].impacts)
			fail_msg("case %d: %d are impacted", (int)i, (int)impact.impacted);
		sl_impact_set_release(&impact);
		sl_contexts_free(contexts);
	}
}

/* ---- one violation, in full ---- */

static void
a_violation_says_where(void **test_state)
{
	static struct execution e;
	struct sl_violations v;
	const struct sl_violation *one;

	(void)test_state;
	repeated(&e, 3, false);
	v = predict(&e, false);
	assert_int_equal(v.count, 1);
	one = &v.items[0];
	assert_int_equal(one->pattern, SL_PATTERN_RWW);
	assert_int_equal(one->verdict, SL_PREDICTED_POSSIBLE);
	assert_string_equal(one->set, "s");
	assert_string_equal(one->unit, "f10");
	assert_string_equal(one->other_unit, "");
	assert_string_equal(one->reason, "");
	assert_int_equal(one->steps[0].pc, 22);
	assert_int_equal(one->steps[1].pc, 25);
	assert_int_equal(one->steps[2].pc, 25);
	assert_int_equal(one->steps[0].thread, one->steps[2].thread);
	assert_int_not_equal(one->steps[0].thread, one->steps[1].thread);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(one->steps[i].address, 0x1000);
		assert_int_equal(one->steps[i].size, 8);
		assert_int_equal(one->steps[i].occurrence, 1);
		assert_int_equal(one->steps[i].at_pc, 1);
		assert_int_equal(one->steps[i].other, i == 1);
		assert_int_equal(one->steps[i].access, i ? SL_OP_WRITES : SL_OP_READS);
		assert_int_equal(one->steps[i].lock_count, 1);
		assert_string_equal(one->steps[i].locks[0].name, "lock0");
		assert_string_equal(one->steps[i].object, "s.m0");
		assert_int_equal(one->steps[i].place.line, one->steps[i].pc);
	}
	sl_violations_release(&v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(predicts_what_all_orders_show),
		cmocka_unit_test(merging_loses_nothing),
		cmocka_unit_test(repetition_adds_nothing),
		cmocka_unit_test(a_change_impacts_what_its_contexts_say),
		cmocka_unit_test(atomics_count_by_what_they_order),
		cmocka_unit_test(locks_without_names_are_told_by_their_order),
		cmocka_unit_test(a_violation_says_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
