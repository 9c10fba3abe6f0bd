/*
 * Schedules over code against their meaning, on random programs of two threads that read and write, lock, try to lock and call
 * a function, and come to events. What happened is noted by code that is not instrumented, in memory that restoring leaves alone. For each program
 * and each of some random orderings of two events:
 *
 *	- every execution that a search comes to keeps to the ordering;
 *	- it shows every class of executions which, without the ordering, keep to it anyhow; and no class that is new;
 *	- dpor shows the same classes as dfs;
 *	- on real threads it ends well if every execution keeps to it, and does not if none can; and if it ends well, it has kept
 *	  to it, as far as that can be seen from outside: by when operations began and ended, and what was read.
 *
 *	random FIRST LAST     programs with these numbers
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sleave.h>

#define RAW __attribute__((no_sanitize("thread"), section(".text.unseen"), noinline))
#define OPS 4
#define LOG 64
#define SETS 4096

enum kind { READ, WRITE, LOCK, UNLOCK, ENTER, EXIT, MARK, TRY, KINDS };
static const char *const names[] = {"read:x", "write:x", "lock:m", "unlock:m", "enter:call", "exit:call", "mark"};

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counts[2];
static enum kind program[2][OPS];

static struct {
	struct {
		uint8_t thread, kind;
		int value;
		unsigned began, ended;
	} log[LOG];
	unsigned length, clock, began[2];
} *shared;

struct set {
	uint64_t values[SETS];
	unsigned count;
};
static struct set *all, *kept, *shown[2];

/* ---- what happened ---- */

/* clang announces atomics even here. */
RAW static unsigned
next(unsigned *counter)
{
	unsigned one = 1;

	__asm__ volatile("lock xaddl %0, %1" : "+r"(one), "+m"(*counter) : : "memory");
	return one;
}

RAW static void
note(long thread, enum kind kind, int value)
{
	unsigned at = next(&shared->length);

	if (at >= LOG)
		abort();
	shared->log[at].thread = (uint8_t)thread;
	shared->log[at].kind = (uint8_t)kind;
	shared->log[at].value = value;
	shared->log[at].began = shared->began[thread];
	shared->log[at].ended = next(&shared->clock);
}

RAW static void
starts(long thread)
{
	shared->began[thread] = next(&shared->clock);
}

RAW static void
add(struct set *set, uint64_t value)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->values[i] == value)
			return;
	if (set->count == SETS)
		abort();
	set->values[set->count++] = value;
}

/* What each thread has read and got, and in which order they wrote and locked. */
RAW static uint64_t
class_of(void)
{
	uint64_t hash = 1469598103934665603u;

	for (int part = 0; part < 4; part++)
		for (unsigned i = 0; i < shared->length; i++) {
			int kind = shared->log[i].kind, thread = shared->log[i].thread;

			if (part < 2 ? thread != part : kind != (part == 2 ? WRITE : LOCK))
				continue;
			hash = (hash ^ (unsigned)(kind * 64 + thread * 32 + part * 8 + 1)) * 1099511628211u;
			hash = (hash ^ (unsigned)shared->log[i].value) * 1099511628211u;
		}
	return hash;
}

struct ordering {
	int thread[2];
	enum kind kind[2];
	int occurrence[2];
};

/* When it happened, from 1; 0: never. */
RAW static unsigned
when(const struct ordering *o, int side)
{
	int n = 0;

	for (unsigned i = 0; i < shared->length; i++)
		if (shared->log[i].thread == o->thread[side] && shared->log[i].kind == o->kind[side] &&
		    ++n == o->occurrence[side])
			return i + 1;
	return 0;
}

/* 1: it follows the ordering, 0: it does not, -1: the event never happened */
RAW static int
keeps(const struct ordering *o)
{
	unsigned a = when(o, 0), b = when(o, 1);

	return !b ? -1 : a && a < b;
}

/* ---- the program ---- */

__attribute__((noinline)) static void
call(long thread)
{
	note(thread, ENTER, 0);
	counts[thread]++;
}

static void *
run(void *argument)
{
	long thread = (long)argument;
	int held = 0;

	for (int i = 0; i < OPS; i++) {
		int value;

		starts(thread);
		switch (program[thread][i]) {
		case READ:
			value = x;
			note(thread, READ, value);
			break;
		case WRITE:
			x = (int)thread * 16 + i + 1;
			note(thread, WRITE, (int)thread * 16 + i + 1);
			break;
		case ENTER:
		case EXIT:
			call(thread);
			note(thread, EXIT, 0); /* the function has returned, and nothing has happened since */
			break;
		case MARK:
			sleave_event("mark");
			note(thread, MARK, 0);
			break;
		case LOCK:
		case TRY:
			if (held)
				break;
			held = program[thread][i] == LOCK ? !pthread_mutex_lock(&m) : !pthread_mutex_trylock(&m);
			note(thread, held ? LOCK : TRY, 0);
			break;
		default:
			if (!held)
				break;
			pthread_mutex_unlock(&m);
			note(thread, UNLOCK, 0);
			held = 0;
		}
	}
	starts(thread);
	if (held) {
		pthread_mutex_unlock(&m);
		note(thread, UNLOCK, 0);
	}
	return NULL;
}

static const char *text;
static const struct ordering *ordering;
static struct set *into;
static unsigned *broken;

RAW static void
begin(void)
{
	shared->length = 0;
}

RAW static void
end(void)
{
	int kept_to = ordering ? keeps(ordering) : 1;

	if (kept_to > 0)
		add(into, class_of());
	*broken += ordering && kept_to == 0;
}

/* On real threads notes come late: only what ended before the other began is certain. */
RAW static int
keeps_free(const struct ordering *o)
{
	unsigned a = when(o, 0), b = when(o, 1);
	int writes = 0;

	if (!a || !b)
		return 0;
	a--, b--;
	if (shared->log[b].ended < shared->log[a].began)
		return 0;
	for (int i = 0; i < OPS; i++)
		writes += program[o->thread[1]][i] == WRITE;
	/* as seen by a thread that does not write: nothing older than that */
	if (o->kind[0] == WRITE && o->kind[1] == READ && !writes)
		return shared->log[b].value >= shared->log[a].value;
	return 1;
}

static void
threads(void)
{
	pthread_t t[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

static void
body(void *unused)
{
	(void)unused;
	begin();
	if (text) {
		SLEAVE_SCHEDULE(text)
		{
			threads();
			end();
		}
	} else {
		threads();
		end();
	}
}

/* Without the schedule: all classes, and those that follow the ordering. */
static struct set *every;
RAW static void
end_plain(void)
{
	add(every, class_of());
	if (keeps(ordering) > 0)
		add(into, class_of());
}

static void
plain(void *unused)
{
	(void)unused;
	begin();
	threads();
	end_plain();
}

/* ---- comparing ---- */

static uint64_t state;

static unsigned
pick(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static void
explore(void (*what)(void *), const char *strategy)
{
	struct sleave_result result = {0};
	struct sleave_options options = {.strategy = strategy, .quiet = 1, .keep_going = 1, .races = SLEAVE_RACES_OFF,
					 .seconds = 60, .result = &result};

	into->count = 0;
	sleave_explore(what, NULL, &options);
	if (!result.complete) {
		printf("FAILED: %s: %s is not complete: %s\n", text ? text : "", strategy, result.message);
		exit(1);
	}
}

static int
has(const struct set *set, uint64_t value)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->values[i] == value)
			return 1;
	return 0;
}

static int
is_part(const struct set *a, const struct set *b)
{
	for (unsigned i = 0; i < a->count; i++)
		if (!has(b, a->values[i]))
			return 0;
	return 1;
}

static unsigned compared, some, free_kept, free_left;

/* 1: it ended well; 0: it could not go on, or something never happened; -1: it ended well, but violated the ordering. */
static int
runs_free(void)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		int quiet = open("/dev/null", O_WRONLY);

		dup2(quiet, 2);
		alarm(20);
		begin();
		x = 0;
		SLEAVE_SCHEDULE(text)
		{
			threads();
		}
		_exit(keeps_free(ordering) ? 0 : 3);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		return WEXITSTATUS(status) ? -1 : 1;
	return WTERMSIG(status) == SIGABRT ? 0 : -2;
}

static int
compare(int number)
{
	struct ordering o;
	char words[128];
	int good;

	for (int side = 0; side < 2; side++) {
		o.thread[side] = side ? 1 - o.thread[0] : (int)pick(2);
		o.kind[side] = program[o.thread[side]][pick(OPS)] % TRY; /* mostly an operation that happens */
		if (o.kind[side] == READ && pick(3) == 0)
			o.kind[side] = LOCK;
		o.occurrence[side] = 1 + (pick(4) == 0);
	}
	snprintf(words, sizeof(words), "%s#%d@T%d -> %s#%d@T%d", names[o.kind[0]], o.occurrence[0], o.thread[0] + 1,
		 names[o.kind[1]], o.occurrence[1], o.thread[1] + 1);
	ordering = &o;
	text = NULL;
	every = all;
	all->count = 0;
	into = kept;
	explore(plain, "dfs");
	text = words;
	*broken = 0;
	for (int i = 0; i < 2; i++) {
		into = shown[i];
		explore(body, i ? "dpor" : "dfs");
	}
	good = !*broken && is_part(kept, shown[0]) && is_part(shown[0], all) && is_part(shown[0], shown[1]) &&
	       is_part(shown[1], shown[0]);
	int free_run = runs_free();

	if (free_run < 0 || (free_run && !shown[0]->count) || (!free_run && all->count == kept->count && !*broken && good)) {
		printf("FAILED: program %d, %s: on real threads %d; %u classes, %u keep to it\n", number, words, free_run, all->count,
		       kept->count);
		good = 0;
	}
	free_kept += free_run > 0;
	free_left += free_run == 0 && shown[0]->count;
	if (!good)
		printf("FAILED: program %d, %s: %u classes, %u keep to it, dfs shows %u, dpor %u; broken %u\n", number, words,
		       all->count, kept->count, shown[0]->count, shown[1]->count, *broken);
	compared++;
	some += shown[0]->count != 0;
	return good;
}

static void *
make(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

int
main(int argc, char **argv)
{
	int failed = 0;

	if (argc != 3)
		return 2;
	shared = make(sizeof(*shared));
	all = make(sizeof(*all));
	kept = make(sizeof(*kept));
	shown[0] = make(sizeof(*all));
	shown[1] = make(sizeof(*all));
	broken = make(sizeof(*broken));
	for (int number = atoi(argv[1]); number <= atoi(argv[2]); number++) {
		state = (uint64_t)number * 0x9e3779b97f4a7c15u;
		for (int t = 0; t < 2; t++)
			for (int i = 0; i < OPS; i++)
				program[t][i] = pick(KINDS + 2) % KINDS; /* more reads and writes */
		failed += !compare(number);
	}
	printf("%u compared, %u of them with executions that keep to it, %d failed; on real threads %u ended well, %u not\n",
	       compared, some, failed, free_kept, free_left);
	return failed != 0 || (compared > 20 && (some < compared / 5 || free_kept < some / 2));
}
