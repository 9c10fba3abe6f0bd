/*
 * dpor against dfs, on random small programs: 2 to 4 threads that read, write, update, compare and swap, lock, try to
 * lock, lock for reading and writing, wait and signal, post, branch on what they read, and sometimes fail. For each of them
 *
 *	- both must show the same outcomes: final values, all that was read, where it fails and after what, where it hangs;
 *	- dpor must run exactly as many executions as dfs shows classes of equivalent ones (but with read-write locks:
 *	  it tries readers in both orders).
 *
 * dpor with a bound on preemptions must show exactly the outcomes that icb shows with the same bound.
 *
 * What is equivalent is decided here, from a log of what the threads did, and not by the code under test: two
 * executions are, if each operation comes after the same last change of what it is about. (That fixes the order of
 * every two operations of which one changes what the other sees, and no other order.)
 *
 * The log lies in shared memory, which restoring leaves alone, and is written by code that is not instrumented.
 *
 *	random FIRST LAST     programs with these numbers; random NUMBER prints one
 *	random whole NUMBER ATTEMPT   for `sleave run`: one of them, once; what was seen goes into the file `seen`, which all
 *	                      processes of a search share
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sched.h>
#include <unistd.h>
#include <sleave.h>

#define THREADS 4
#define OPS 6
#define VARIABLES 2
#define SETS (1u << 14)
#define LOG 256
#define EXECUTIONS_MAX 1000

enum kind {
	LOAD, STORE, ADD, SWAP, LOCK, UNLOCK, TRYLOCK, COND_WAIT, SIGNAL, BROADCAST, WAIT, POST, TRYWAIT, CHOOSE, SKIP, FAIL, AWAIT,
	RDLOCK, WRLOCK, TRYRDLOCK, TRYWRLOCK, RWUNLOCK, KINDS
};
static const char *const names[] = {"load", "store", "add", "swap", "lock", "unlock", "trylock", "cond_wait", "signal",
				    "broadcast", "wait", "post", "trywait", "choose", "skip", "fail", "await",
				    "rdlock", "wrlock", "tryrdlock", "trywrlock", "rwunlock"};

struct op {
	enum kind kind;
	int variable, value;
};

static struct program {
	int threads, count[THREADS], semaphore, prefer_writers;
	struct op ops[THREADS][OPS];
} p;

#define ALONE __attribute__((aligned(64)))
static int variable[VARIABLES][16] ALONE;
static int reg[THREADS][OPS];
static pthread_mutex_t mutex ALONE = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition ALONE = PTHREAD_COND_INITIALIZER;
static sem_t semaphore ALONE;
static pthread_rwlock_t rwlock ALONE;

/* ---- the log ---- */

/* The condition variable is only used with the mutex held, so the order of its operations is that of the mutex. */
enum object { MUTEX = VARIABLES, SEMAPHORE, RWLOCK, NOTHING, OBJECTS };

struct entry {
	uint8_t thread, op, object, writes;
	int value; /* read or answered */
};

struct set {
	uint64_t values[SETS];
	unsigned count;
};

static struct shared {
	struct entry log[LOG];
	unsigned length;
	unsigned waiting;   /* in cond_wait, not yet back */
	unsigned ambiguous; /* a signal had several waiters to choose from: which one it woke is not in the log */
	unsigned running;   /* an execution has begun */
	struct set outcomes, classes;
} *shared;

static struct set *seen; /* of `whole`: outcomes, classes */

#define RAW __attribute__((no_sanitize("thread"), section(".text.unseen"), noinline))

RAW static void
note(int thread, int op, int object, int writes, int value)
{
	volatile struct shared *s = shared;

	if (s->length == LOG)
		return;
	volatile struct entry *e = &s->log[s->length++];

	e->thread = (uint8_t)thread;
	e->op = (uint8_t)op;
	e->object = (uint8_t)object;
	e->writes = (uint8_t)writes;
	e->value = value;
}

RAW static void
note_wait(void)
{
	((volatile struct shared *)shared)->waiting++;
}

RAW static void
note_signal(int all)
{
	volatile struct shared *s = shared;

	if (s->waiting > 1 && !all)
		s->ambiguous = 1;
	s->waiting = all || !s->waiting ? 0 : s->waiting - 1;
}

RAW static void
add(volatile struct set *set, uint64_t value)
{
	unsigned at = (unsigned)(value >> 20) % SETS;

	for (unsigned tries = 0; tries < SETS; tries++, at = (at + 1) % SETS) {
		uint64_t there = 0;

		if (__atomic_compare_exchange_n(&set->values[at], &there, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_fetch_add(&set->count, 1, __ATOMIC_RELAXED);
			return;
		}
		if (there == value)
			return;
	}
}

RAW static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (x ^ x >> 31) | 1;
}

/* The result of the execution before; then its log is empty. */
RAW static void
classify(void)
{
	volatile struct shared *s = shared;
	unsigned last[OBJECTS] = {0};
	uint64_t class = 1;

	if (!s->running)
		return;
	for (unsigned i = 0; i < s->length; i++) {
		volatile struct entry *e = &s->log[i];
		unsigned name = 1 + e->thread * OPS + e->op;

		class += mix(name * 1000003ul + e->object * 10007ul + last[e->object] * 101ul + (unsigned)e->value * 7919ul);
		if (e->writes)
			last[e->object] = name;
	}
	add(seen ? &seen[1] : &s->classes, mix(class));
	s->length = 0;
	s->waiting = 0;
}

RAW static void
begin(void)
{
	classify();
	((volatile struct shared *)shared)->running = 1;
}

RAW static void
outcome(uint64_t value)
{
	add(seen ? &seen[0] : &((volatile struct shared *)shared)->outcomes, mix(value));
}

/* It fails: where, and what it had read. (What others have done that it can't know of does not matter.) */
RAW static void
failed(int thread, int op)
{
	uint64_t done = 3 + mix((unsigned)(thread * OPS + op));

	for (int i = 0; i < OPS; i++)
		done = done * 1000003 + (unsigned)((volatile int *)reg[thread])[i] + 7;
	add(&((volatile struct shared *)shared)->outcomes, mix(done));
}

/* ---- running a program ---- */

static int
perform(int t, int i, int *held, int *held_rw)
{
	const struct op *o = &p.ops[t][i];
	int *v = &variable[o->variable][0], *r = &reg[t][i], old;

	switch (o->kind) {
	case LOAD:
		*r = __atomic_load_n(v, __ATOMIC_SEQ_CST);
		note(t, i, o->variable, 0, *r);
		break;
	case STORE:
		__atomic_store_n(v, o->value, __ATOMIC_SEQ_CST);
		note(t, i, o->variable, 1, 0);
		break;
	case ADD:
		*r = __atomic_fetch_add(v, o->value, __ATOMIC_SEQ_CST);
		note(t, i, o->variable, 1, *r);
		break;
	case SWAP:
		old = o->value - 1;
		*r = __atomic_compare_exchange_n(v, &old, o->value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		note(t, i, o->variable, *r, old);
		break;
	case LOCK:
		if (*held)
			break;
		pthread_mutex_lock(&mutex);
		note(t, i, MUTEX, 1, 0);
		*held = 1;
		break;
	case TRYLOCK:
		if (*held)
			break;
		*r = pthread_mutex_trylock(&mutex) == 0;
		note(t, i, MUTEX, *r, *r);
		*held = *r;
		break;
	case UNLOCK:
		if (*held)
			pthread_mutex_unlock(&mutex);
		*held = 0;
		break;
	case COND_WAIT:
		if (!*held)
			break;
		note_wait();
		pthread_cond_wait(&condition, &mutex);
		note(t, i, MUTEX, 1, 0);
		break;
	case SIGNAL:
	case BROADCAST:
		if (!*held)
			break;
		note_signal(o->kind == BROADCAST);
		if (o->kind == SIGNAL)
			pthread_cond_signal(&condition);
		else
			pthread_cond_broadcast(&condition);
		break;
	case WAIT:
		sem_wait(&semaphore);
		note(t, i, SEMAPHORE, 1, 0);
		break;
	case POST:
		sem_post(&semaphore);
		note(t, i, SEMAPHORE, 1, 0);
		break;
	case TRYWAIT:
		*r = sem_trywait(&semaphore) == 0;
		note(t, i, SEMAPHORE, *r, *r);
		break;
	case CHOOSE:
		*r = (int)sleave_choose((unsigned)o->value + 1);
		note(t, i, NOTHING, 0, *r);
		break;
	case SKIP: /* skips the next operation, if the last result was so */
		return i > 0 && reg[t][i - 1] == o->value;
	case FAIL:
		if (i > 0 && reg[t][i - 1] == o->value) {
			failed(t, i);
			abort();
		}
		break;
	case AWAIT: /* until it is so, or for ever; in several ways */
		while (__atomic_load_n(v, __ATOMIC_SEQ_CST) != o->value) {
			if (t == 1)
				sched_yield();
			else if (t == 2)
				usleep(1);
		}
		break;
	case RDLOCK:
	case WRLOCK:
		if (*held_rw)
			break;
		if (o->kind == RDLOCK)
			pthread_rwlock_rdlock(&rwlock);
		else
			pthread_rwlock_wrlock(&rwlock);
		note(t, i, RWLOCK, 1, 0);
		*held_rw = 1;
		break;
	case TRYRDLOCK:
	case TRYWRLOCK:
		if (*held_rw)
			break;
		*r = (o->kind == TRYRDLOCK ? pthread_rwlock_tryrdlock(&rwlock) : pthread_rwlock_trywrlock(&rwlock)) == 0;
		note(t, i, RWLOCK, *r, *r);
		*held_rw = *r;
		break;
	case RWUNLOCK:
		if (*held_rw)
			pthread_rwlock_unlock(&rwlock);
		*held_rw = 0;
		break;
	default:
		break;
	}
	return 0;
}

static void *
run_thread(void *argument)
{
	int t = (int)(uintptr_t)argument, held = 0, held_rw = 0;

	for (int i = 0; i < p.count[t]; i++)
		i += perform(t, i, &held, &held_rw);
	if (held)
		pthread_mutex_unlock(&mutex);
	if (held_rw)
		pthread_rwlock_unlock(&rwlock);
	return NULL;
}

static void
body(void *unused)
{
	pthread_t threads[THREADS];
	uint64_t sum = 1;

	(void)unused;
	begin();
	for (int t = 0; t < p.threads; t++)
		pthread_create(&threads[t], NULL, run_thread, (void *)(uintptr_t)t);
	for (int t = 0; t < p.threads; t++)
		pthread_join(threads[t], NULL);
	for (int i = 0; i < VARIABLES; i++)
		sum = sum * 1000003 + (unsigned)variable[i][0];
	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < OPS; i++)
			sum = sum * 1000003 + (unsigned)reg[t][i] + 7;
	outcome(sum);
}

/* ---- random programs ---- */

static uint64_t seed;

static unsigned
rnd(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

/* Kinds come in groups; a program has some of the groups. */
static const uint32_t groups[] = {
	1 << LOAD | 1 << STORE | 1 << ADD | 1 << SWAP,
	1 << LOCK | 1 << UNLOCK,
	1 << LOCK | 1 << UNLOCK | 1 << COND_WAIT | 1 << SIGNAL | 1 << BROADCAST,
	1 << LOCK | 1 << UNLOCK | 1 << TRYLOCK,
	1 << WAIT | 1 << POST | 1 << TRYWAIT,
	1 << RDLOCK | 1 << WRLOCK | 1 << TRYRDLOCK | 1 << TRYWRLOCK | 1 << RWUNLOCK,
	1 << SKIP | 1 << CHOOSE,
	1 << FAIL,
	1 << AWAIT,
};
#define GROUPS (sizeof(groups) / sizeof(groups[0]))

static void
generate(uint64_t number, unsigned attempt)
{
	unsigned kinds = groups[0];

	seed = (number * 1000 + attempt) * 0x9e3779b97f4a7c15u + 1;
	rnd(2);
	memset(&p, 0, sizeof(p));
	for (unsigned i = 1; i < GROUPS; i++)
		if (rnd(i >= GROUPS - 2 ? 6 : 3) == 0)
			kinds |= groups[i];
	if (rnd(8) == 0) /* attempts that depend on each other */
		kinds = 1 << SWAP | 1 << LOAD;
	p.prefer_writers = (int)rnd(2);
	p.threads = 2 + (int)rnd(3);
	p.semaphore = (int)rnd(3);
	for (int t = 0; t < p.threads; t++) {
		p.count[t] = 1 + (int)rnd(p.threads == 2 ? OPS : p.threads == 3 ? 4 : 3);
		for (int i = 0; i < p.count[t]; i++) {
			struct op *o = &p.ops[t][i];

			do
				o->kind = rnd(KINDS);
			while (!(kinds >> o->kind & 1));
			o->variable = (int)rnd(VARIABLES);
			o->value = (int)rnd(3);
		}
	}
}

static void
print_program(void)
{
	for (int t = 0; t < p.threads; t++) {
		printf("  T%d:", t + 1);
		for (int i = 0; i < p.count[t]; i++)
			printf(" %s %c %d;", names[p.ops[t][i].kind], 'x' + p.ops[t][i].variable, p.ops[t][i].value);
		printf("\n");
	}
	fflush(stdout);
}

/* ---- comparing ---- */

static struct set outcomes, classes;
static unsigned counted, hung, failing, awaiting, bounded, failures;
static uint64_t executions[2];

static struct sleave_result
explore(const char *strategy, uint64_t schedules, unsigned bound)
{
	struct sleave_result r;
	pthread_rwlockattr_t kind;
	struct sleave_options options = {.strategy = strategy,
					 .races = SLEAVE_RACES_OFF,
					 .misuse = SLEAVE_RACES_OFF,
					 .keep_going = 1,
					 .quiet = 1,
					 .schedules = schedules,
					 .seconds = 60,
					 .compare = SLEAVE_COMPARE_OFF,
					 .bound = bound,
					 .result = &r};

	memset(shared, 0, sizeof(*shared));
	sem_init(&semaphore, 0, (unsigned)p.semaphore);
	pthread_rwlockattr_init(&kind);
	pthread_rwlockattr_setkind_np(&kind, p.prefer_writers ? PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP
							      : PTHREAD_RWLOCK_PREFER_READER_NP);
	pthread_rwlock_init(&rwlock, &kind);
	sleave_explore(body, NULL, &options);
	classify();
	return r;
}

static int
same_set(const struct set *a, const struct set *b)
{
	if (a->count != b->count)
		return 0;
	for (unsigned i = 0; i < SETS; i++) {
		unsigned at = (unsigned)(a->values[i] >> 20) % SETS;

		if (!a->values[i])
			continue;
		while (b->values[at] && b->values[at] != a->values[i])
			at = (at + 1) % SETS;
		if (!b->values[at])
			return 0;
	}
	return 1;
}

static void
complain(uint64_t number, const char *what, const struct sleave_result *plain, const struct sleave_result *reduced)
{
	if (failures++ < 10) {
		printf("FAILED program %llu: %s\n  dfs (icb): %llu executions, %u classes, %u outcomes, %u findings, complete %d; "
		       "dpor: %llu, %u, %u, %u, %d: %s\n",
		       (unsigned long long)number, what, (unsigned long long)plain->executions, classes.count,
		       outcomes.count, plain->findings, plain->complete, (unsigned long long)reduced->executions,
		       shared->classes.count, shared->outcomes.count, reduced->findings, reduced->complete,
		       reduced->message);
		print_program();
	}
}

static void
compare(uint64_t number)
{
	struct sleave_result plain, reduced;
	unsigned attempt = 0, ambiguous;
	int fails = 0, awaits = 0, shares = 0;

	do { /* one that dfs gets through */
		generate(number, attempt++);
		plain = explore("dfs", EXECUTIONS_MAX, 0);
	} while (!plain.complete && attempt < 50);
	outcomes = shared->outcomes;
	classes = shared->classes;
	ambiguous = shared->ambiguous;
	for (int t = 0; t < p.threads; t++)
		for (int i = 0; i < p.count[t]; i++)
			fails |= p.ops[t][i].kind == FAIL, awaits |= p.ops[t][i].kind == AWAIT,
				shares |= p.ops[t][i].kind >= RDLOCK;
	reduced = explore("dpor", 0, 0);
	executions[0] += plain.executions;
	executions[1] += reduced.executions;
	hung += plain.findings && !fails;
	failing += fails;
	if (!reduced.complete)
		complain(number, "dpor does not come to an end", &plain, &reduced);
	else if (!same_set(&outcomes, &shared->outcomes))
		complain(number, "other outcomes", &plain, &reduced);
	else if (awaits ? !plain.findings != !reduced.findings : plain.findings != reduced.findings) /* a loop hangs at any of its places */
		complain(number, "other findings", &plain, &reduced);
	else if (!fails && !awaits && !ambiguous && !shares && classes.count != reduced.executions)
		complain(number, "not one execution for each class", &plain, &reduced);
	counted += !fails && !awaits && !ambiguous && !shares;
	for (unsigned i = 0; i < 2; i++) {
		reduced = explore(i ? "stateful-bfs" : "stateful-dfs", 0, 0);
		if (!reduced.complete)
			complain(number, i ? "stateful-bfs does not come to an end" : "stateful-dfs does not come to an end", &plain,
				 &reduced);
		else if (!same_set(&outcomes, &shared->outcomes))
			complain(number, i ? "other outcomes by stateful-bfs" : "other outcomes by stateful-dfs", &plain, &reduced);
		else if (awaits ? !plain.findings != !reduced.findings : plain.findings != reduced.findings)
			complain(number, i ? "other findings by stateful-bfs" : "other findings by stateful-dfs", &plain, &reduced);
	}
	awaiting += awaits;
	for (unsigned k = 0; k <= 2 && !awaits && number % 4 == 0; k++) { /* a loop may be stopped, within the bound or not, at any of its places */
		plain = explore("icb", 0, k + 1);
		outcomes = shared->outcomes;
		classes = shared->classes;
		reduced = explore("dpor", 0, k + 1);
		if (!plain.complete && plain.bound != (int)k)
			complain(number, "icb does not come to its bound", &plain, &reduced);
		else if (!reduced.complete && reduced.bound != (int)k)
			complain(number, "dpor does not come to its bound", &plain, &reduced);
		else if (!same_set(&outcomes, &shared->outcomes))
			complain(number, "other outcomes within a bound", &plain, &reduced);
		else if (plain.findings != reduced.findings)
			complain(number, "other findings within a bound", &plain, &reduced);
		bounded++;
	}
}

/* Before main: what is mapped now is not restored. */
__attribute__((constructor)) RAW static void
map_seen(int argc, char **argv)
{
	int fd;

	if (argc < 4 || strcmp(argv[1], "whole") != 0)
		return;
	fd = open("seen", O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 2 * sizeof(struct set)) < 0)
		abort();
	seen = mmap(NULL, 2 * sizeof(struct set), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	close(fd);
	if (seen == MAP_FAILED || shared == MAP_FAILED)
		abort();
}

static int
whole(uint64_t number, unsigned attempt)
{
	generate(number, attempt);
	sem_init(&semaphore, 0, (unsigned)p.semaphore);
	body(NULL);
	classify();
	return 0;
}

int
main(int argc, char **argv)
{
	if (seen)
		return whole(strtoull(argv[2], NULL, 0), (unsigned)strtoull(argv[3], NULL, 0));

	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t last = argc > 2 ? strtoull(argv[2], NULL, 0) : first;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	for (uint64_t n = first; n <= last; n++)
		compare(n);
	if (first == last)
		print_program();
	printf("%llu programs: %u counted, %u can hang, %u may fail, %u wait in loops; %llu executions by dfs, %llu by dpor; "
	       "%u comparisons with a bound; %u failures\n",
	       (unsigned long long)(last - first + 1), counted, hung, failing, awaiting, (unsigned long long)executions[0],
	       (unsigned long long)executions[1], bounded, failures);
	return failures != 0;
}
