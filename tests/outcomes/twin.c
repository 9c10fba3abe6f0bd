/*
 * The brute-force twin: random small programs (2 or 3 threads, up to 4 operations each, on 2
 * variables, a mutex and a semaphore) are run through all their interleavings by a few lines of
 * C below, and on real threads under sleave_explore(). The sets of outcomes must be equal:
 * final values, everything read, and whether it can hang. The number of executions must be
 * equal too where the points of choice are the same: see points(). Unlocking is no point there,
 * unless a thread may look without blocking. Each build of this file has other programs.
 */
#include "outcome.h"

#define THREADS 3
#define OPS 4
#define SETS 4096
#define EXECUTIONS_MAX 3000
#define PROGRAMS 300

#ifdef __clang__
#define COMPILER 2
#else
#define COMPILER 0
#endif
#ifdef __OPTIMIZE__
#define BUILD (COMPILER + 1)
#else
#define BUILD COMPILER
#endif

/* The twin's own accesses need not be seen. */
#define TWIN __attribute__((no_sanitize("thread"), section(".text.unseen")))

enum kind { LOAD, STORE, ADD, LOCK, UNLOCK, TRYLOCK, WAIT, POST, TRYWAIT, KINDS };
static const char *const names[] = {"load", "store", "add", "lock", "unlock", "trylock", "wait", "post", "trywait"};

struct op {
	enum kind kind;
	int variable, value;
};
struct program {
	int threads, count[THREADS], initial; /* of the semaphore */
	int atomic;                           /* variables are accessed by atomic operations */
	struct op ops[THREADS][OPS];
};
static struct program p;

/* ---- the twin ---- */

struct state {
	int at[THREADS], variable[2], owner, value, reg[THREADS][OPS];
	int half[THREADS]; /* a plain ADD that has read: its value, else -1 */
	int held[THREADS]; /* got the mutex by its last trylock or lock */
};
static uint64_t sets[SETS];
static unsigned set_count;
static int hangs;
static uint64_t twin_executions;

TWIN static uint64_t outcome_of(const int *variable, int (*reg)[OPS])
{
	uint64_t h = (uint64_t)variable[0] * 31 + (uint64_t)variable[1] + 1;

	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < OPS; i++)
			h = h * 1000003 + (uint64_t)reg[t][i] + 7;
	return h;
}

TWIN static int find(const uint64_t *set, unsigned count, uint64_t v)
{
	for (unsigned i = 0; i < count; i++)
		if (set[i] == v)
			return 1;
	return 0;
}

TWIN static int can_go(const struct state *s, int t)
{
	if (s->at[t] == p.count[t])
		return 0;
	const struct op *o = &p.ops[t][s->at[t]];

	return o->kind == LOCK ? s->owner < 0 : o->kind == WAIT ? s->value > 0 : 1;
}

TWIN static void step(struct state *s, int t)
{
	const struct op *o = &p.ops[t][s->at[t]];
	int *reg = &s->reg[t][s->at[t]];

	switch (o->kind) {
	case LOAD:
		*reg = s->variable[o->variable];
		break;
	case STORE:
		s->variable[o->variable] = o->value;
		break;
	case ADD:
		if (p.atomic) {
			s->variable[o->variable] += o->value;
		} else if (s->half[t] < 0) {
			s->half[t] = s->variable[o->variable];
			return;
		} else {
			s->variable[o->variable] = s->half[t] + o->value;
			s->half[t] = -1;
		}
		break;
	case LOCK:
		s->owner = t;
		s->held[t] = 1;
		break;
	case TRYLOCK:
		*reg = s->owner < 0;
		if (*reg)
			s->owner = t, s->held[t] = 1;
		break;
	case UNLOCK:
		if (s->held[t])
			s->owner = -1, s->held[t] = 0;
		break;
	case WAIT:
		s->value--;
		break;
	case POST:
		s->value++;
		break;
	default:
		*reg = s->value > 0;
		s->value -= *reg;
	}
	s->at[t]++;
}

/* ---- which operations are points of choice for Sleave ---- */

static int users(int (*uses)(const struct op *))
{
	int n = 0;

	for (int t = 0; t < p.threads; t++)
		for (int i = 0; i < p.count[t]; i++)
			if (uses(&p.ops[t][i])) {
				n++;
				break;
			}
	return n;
}
static int uses_0(const struct op *o) { return o->kind <= ADD && o->variable == 0; }
static int uses_1(const struct op *o) { return o->kind <= ADD && o->variable == 1; }
static int writes_0(const struct op *o) { return uses_0(o) && o->kind != LOAD; }
static int writes_1(const struct op *o) { return uses_1(o) && o->kind != LOAD; }
static int uses_mutex(const struct op *o) { return o->kind >= LOCK && o->kind <= TRYLOCK; }
static int uses_semaphore(const struct op *o) { return o->kind >= WAIT; }
static int tries_mutex(const struct op *o) { return o->kind == TRYLOCK; }
static int synchronises(const struct op *o) { return o->kind >= LOCK; }

static int shared_variable[2], shared_mutex, shared_semaphore, watched_mutex;

static void points(void)
{
	/* Atomics count if two threads use them, plain variables if one of those writes. */
	shared_variable[0] = users(uses_0) > 1 && (p.atomic || users(writes_0));
	shared_variable[1] = users(uses_1) > 1 && (p.atomic || users(writes_1));
	shared_mutex = users(uses_mutex) > 1;
	shared_semaphore = users(uses_semaphore) > 1;
	watched_mutex = shared_mutex && users(tries_mutex);
}

TWIN static int is_point(const struct state *s, int t)
{
	const struct op *o = &p.ops[t][s->at[t]];

	switch (o->kind) {
	case LOAD:
	case STORE:
	case ADD:
		return shared_variable[o->variable];
	case LOCK:
	case TRYLOCK:
		return shared_mutex;
	case UNLOCK: /* an unlock of a mutex that is not held is not called */
		return watched_mutex && s->held[t];
	default: /* a post too: a wait may pass before it, on another's post, and know less */
		return shared_semaphore;
	}
}

/* Runs to the next choice, or until no thread can go. */
TWIN static void advance(struct state *s, int t)
{
	while (can_go(s, t) && !is_point(s, t))
		step(s, t);
}

/* Plainly: every operation is a point, without any of the above. That is the reference set. */
TWIN static void explore_all(struct state s, int plainly)
{
	int moved = 0, over = 1;

	for (int t = 0; t < p.threads && !plainly; t++)
		advance(&s, t);
	for (int t = 0; t < p.threads; t++) {
		over &= s.at[t] == p.count[t];
		if (!can_go(&s, t))
			continue;
		struct state next = s;

		moved = 1;
		step(&next, t);
		explore_all(next, plainly);
	}
	if (moved)
		return;
	twin_executions++;
	if (!over) {
		hangs = 1;
		return;
	}
	uint64_t v = outcome_of(s.variable, s.reg);

	if (!find(sets, set_count, v) && set_count < SETS)
		sets[set_count++] = v;
}

/* ---- the same on real threads ---- */

static int variable[2][16] ALONE; /* far apart */
static int reg[THREADS][OPS];
static pthread_mutex_t mutex ALONE = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore ALONE;
static struct { uint64_t set[SETS], last[SETS], runs; unsigned count; } *real;

static void run_op(const struct op *o, int *r, int *held)
{
	int *v = &variable[o->variable][0];

	switch (o->kind) {
	case LOAD:
		*r = p.atomic ? __atomic_load_n(v, __ATOMIC_SEQ_CST) : *v;
		break;
	case STORE:
		if (p.atomic)
			__atomic_store_n(v, o->value, __ATOMIC_SEQ_CST);
		else
			*v = o->value;
		break;
	case ADD:
		if (p.atomic) {
			__atomic_fetch_add(v, o->value, __ATOMIC_SEQ_CST);
		} else {
			int old = *(volatile int *)v;

			*(volatile int *)v = old + o->value;
		}
		break;
	case LOCK:
		pthread_mutex_lock(&mutex);
		*held = 1;
		break;
	case TRYLOCK:
		*r = pthread_mutex_trylock(&mutex) == 0;
		*held |= *r;
		break;
	case UNLOCK:
		if (*held)
			pthread_mutex_unlock(&mutex);
		*held = 0;
		break;
	case WAIT:
		sem_wait(&semaphore);
		break;
	case POST:
		sem_post(&semaphore);
		break;
	default:
		*r = sem_trywait(&semaphore) == 0;
	}
}

static void *run_thread(void *argument)
{
	int t = (int)(uintptr_t)argument, held = 0;

	for (int i = 0; i < p.count[t]; i++)
		run_op(&p.ops[t][i], &reg[t][i], &held);
	return NULL;
}

__attribute__((no_sanitize("thread"), section(".text.unseen"), noinline)) static void begin_run(void) { ((volatile __typeof__(*real) *)real)->runs++; }

__attribute__((no_sanitize("thread"), section(".text.unseen"), noinline)) static void end_run(uint64_t v)
{
	volatile __typeof__(*real) *r = real;
	unsigned i = 0;

	while (i < r->count && r->set[i] != v)
		i++;
	if (i == SETS)
		return;
	r->set[i] = v;
	r->last[i] = r->runs;
	if (i == r->count)
		r->count = i + 1;
}

static void body(__attribute__((unused)) void *argument)
{
	pthread_t threads[THREADS];

	begin_run();
	for (int t = 0; t < p.threads; t++)
		pthread_create(&threads[t], NULL, run_thread, (void *)(uintptr_t)t);
	for (int t = 0; t < p.threads; t++)
		pthread_join(threads[t], NULL);
	int final[2] = {variable[0][0], variable[1][0]};

	end_run(outcome_of(final, reg));
}

/* ---- random programs ---- */

static uint64_t seed;
static unsigned rnd(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static void generate(void)
{
	unsigned kinds = rnd(4); /* 0: variables only; 1: mutex; 2: semaphore; 3: all */

	memset(&p, 0, sizeof(p));
	p.threads = 2 + (int)rnd(2);
	p.initial = (int)rnd(3);
	p.atomic = (int)rnd(2);
	for (int t = 0; t < p.threads; t++) {
		p.count[t] = 1 + (int)rnd(OPS);
		for (int i = 0; i < p.count[t]; i++) {
			struct op *o = &p.ops[t][i];

			do
				o->kind = rnd(KINDS);
			while ((!(kinds & 1) && uses_mutex(o)) || (!(kinds & 2) && uses_semaphore(o)));
			o->variable = (int)rnd(2);
			o->value = 1 + (int)rnd(3);
			/* nothing to unlock: the operation would not be there */
			int locks = 0;

			for (int j = 0; j < i; j++)
				locks |= p.ops[t][j].kind == LOCK || p.ops[t][j].kind == TRYLOCK;
			if (o->kind == UNLOCK && !locks)
				o->kind = LOAD;
			/* a thread that holds the mutex and locks again hangs: seldom interesting */
			for (int j = i - 1; o->kind == LOCK && j >= 0; j--)
				if (p.ops[t][j].kind == LOCK || p.ops[t][j].kind == TRYLOCK)
					o->kind = UNLOCK;
		}
	}
}

static void print_program(void)
{
	printf("  %s variables, semaphore %d\n", p.atomic ? "atomic" : "plain", p.initial);
	for (int t = 0; t < p.threads; t++) {
		printf("  T%d:", t + 1);
		for (int i = 0; i < p.count[t]; i++) {
			const struct op *o = &p.ops[t][i];

			if (o->kind <= ADD)
				printf(" %s %c%s%.0d;", names[o->kind], 'x' + o->variable, o->kind ? " " : "", o->kind ? o->value : 0);
			else
				printf(" %s;", names[o->kind]);
		}
		printf("\n");
	}
}

static unsigned counted, hung, failures;

static void try_one(uint64_t number)
{
	struct state start = {.owner = -1, .value = 0};
	struct sleave_result r;
	struct sleave_options options = {.strategy = "dfs", .races = SLEAVE_RACES_OFF, .misuse = SLEAVE_RACES_OFF /* warnings are run again at the end */, .keep_going = 1, .quiet = 1, .compare = SLEAVE_COMPARE_OFF, .seconds = 100, .result = &r};
	char name[32];
	uint64_t reduced;
	int reduced_hangs;
	unsigned reduced_count;

	seed = number * 0x9e3779b97f4a7c15u + 1;
	do {
		generate();
		points();
		set_count = 0, hangs = 0, twin_executions = 0;
		start.value = p.initial;
		for (int t = 0; t < THREADS; t++)
			start.half[t] = -1;
		explore_all(start, 0);
	} while (twin_executions > EXECUTIONS_MAX);
	reduced = twin_executions, reduced_hangs = hangs, reduced_count = set_count;
	set_count = 0, hangs = 0;
	explore_all(start, 1);
	snprintf(name, sizeof(name), "program %llu", (unsigned long long)number);
	unsigned before = failed;

	check(reduced_count == set_count && reduced_hangs == hangs, name, "the twin's own reduction loses something");
	memset(real, 0, sizeof(*real));
	sem_init(&semaphore, 0, (unsigned)p.initial); /* here, so that it is no use by the first thread */
	fflush(stdout);
	sleave_explore(body, NULL, &options);
	check(r.verdict == (hangs ? SLEAVE_FINDING : SLEAVE_CLEAN), name, "verdict %d, hangs %d: %s", r.verdict, hangs, r.message);
	check(!hangs || strstr(r.message, "deadlock"), name, "a deadlock is told as: %s", r.message);
	check(r.complete, name, "not complete");
	/* A finding adds executions of its own, so the executions of the search can be counted only without one. */
	for (unsigned i = 0; i < set_count; i++) {
		unsigned j = 0;

		while (j < real->count && real->set[j] != sets[i])
			j++;
		check(j < real->count && (hangs || real->last[j] + r.executions > real->runs), name, "an outcome is missing");
	}
	for (unsigned j = 0; j < real->count; j++)
		check(find(sets, set_count, real->set[j]), name, "an outcome is invented");
	/* If nothing can hang, every operation is seen in the first executions, and with atomics or without
	 * synchronisation so is what is shared: the points are the same from the start. */
	if (!hangs && (p.atomic || !users(synchronises))) {
		counted++;
		check(r.executions == reduced, name, "%llu executions, the twin has %llu", (unsigned long long)r.executions,
		      (unsigned long long)reduced);
	}
	hung += hangs;
	if (failed > before && failures++ < 5)
		print_program();
}

int main(int argc, char **argv)
{
	uint64_t first = BUILD * PROGRAMS + 1, only = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;

	real = mmap(NULL, sizeof(*real), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (only)
		first = only;
	for (uint64_t n = first; n < first + (only ? 1 : PROGRAMS); n++)
		try_one(n);
	printf("%d programs, %u of them counted, %u can hang\n", only ? 1 : PROGRAMS, counted, hung);
	return done();
}
