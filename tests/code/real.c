/*
 * What real threads do besides running: signal handlers, children, destructors, locks whose owner dies, calls that do
 * nothing else on their line. Each test is one word on the command line; its schedule can be followed on any machine.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int known, other, runs;
static int x;
static pthread_key_t key;
static pthread_mutex_t lock, a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void looks(int n)
{
	(void)n;
	other = known;
}
static void *touches(void *p)
{
	known = 1;
	runs = 1;
	return p;
}
static void *waits(void *p)
{
	for (runs = 1; !other;)
		sched_yield();
	return p;
}
static void *
yields(void *p)
{
	sched_yield();
	x = 1;
	return p;
}
static void ends(void *p)
{
	(void)p;
	x = 2;
}
static void *keeps(void *p)
{
	pthread_setspecific(key, &key);
	return p;
}
static void *dies(void *p)
{
	pthread_mutex_lock(&lock);
	x = 3;
	return p;
}
static void *inherits(void *p)
{
	if (pthread_mutex_lock(&lock) != EOWNERDEAD || x != 3)
		abort();
	pthread_mutex_consistent(&lock);
	pthread_mutex_unlock(&lock);
	return p;
}
static void *crosses(void *p)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	return p;
}
static void mark(void)
{
	other = 1;
}
/* In a child: until its parent, which has one thread, sleeps. On real threads that is where the
 * schedule holds it; a signal that came earlier would find it holding Sleave's lock, as above. */
static void await_parent(void)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)getppid());
	for (int tries = 0; tries < 10000000; tries++) {
		FILE *file = fopen(path, "r");
		const char *state = NULL;

		if (file && fgets(text, sizeof(text), file))
			state = strrchr(text, ')');
		if (file)
			fclose(file);
		if (!state || state[2] == 'S')
			return;
		sched_yield();
	}
}
static pthread_t start(void *(*function)(void *))
{
	pthread_t t;

	pthread_create(&t, NULL, function, NULL);
	return t;
}
int main(int argc, char **argv)
{
	const char *test = argc > 1 ? argv[1] : "";
	pthread_mutexattr_t robust;
	pthread_t t, u;

	pthread_key_create(&key, ends);
	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &robust);
	signal(SIGUSR1, looks);
	signal(SIGCHLD, looks);
	/* what a handler does while its thread is held */
	if (!strcmp(test, "handler"))
		SLEAVE_SCHEDULE("enter:touches -> enter:mark, read:known@T1 -> write:known@T1")
		{
			t = start(touches);
			mark();
			/* a signal that comes while its thread holds Sleave's lock is not seen: docs/limits.md */
			do
				pthread_kill(t, SIGUSR1), sched_yield();
			while (!sleave_active() && !runs);
			pthread_join(t, NULL);
		}
	/* … and while it is in the middle of something that the schedule does not mention */
	if (!strcmp(test, "busy"))
		SLEAVE_SCHEDULE("exit:looks@T1 -> enter:mark")
		{
			t = start(waits);
			while (!runs)
				sched_yield();
			pthread_kill(t, SIGUSR1);
			mark();
			pthread_join(t, NULL);
		}
	if (!strcmp(test, "child"))
		SLEAVE_SCHEDULE("read:known@main -> write:known@main")
		{
			if (fork() == 0) {
				if (!sleave_active())
					await_parent();
				_exit(0);
			}
			known = 1;
			while (waitpid(-1, NULL, 0) > 0)
				;
		}
	if (!strcmp(test, "yield"))
		SLEAVE_SCHEDULE("real.c:41@T1 -> enter:mark, exit:mark -> write:x@T1")
		{
			t = start(yields);
			mark();
			pthread_join(t, NULL);
		}
	/* a thread has not ended before its destructors have */
	if (!strcmp(test, "destructor"))
		SLEAVE_SCHEDULE("exit:keeps -> enter:mark, exit:mark -> write:x@T1, write:x@T1 -> end@T1")
		{
			t = start(keeps);
			mark();
			pthread_join(t, NULL);
		}
	if (!strcmp(test, "robust"))
		SLEAVE_SCHEDULE("lock:lock@T1 -> lock:lock@T2")
		{
			t = start(dies);
			u = start(inherits);
			pthread_join(t, NULL);
			pthread_join(u, NULL);
		}
	/* a signal handler does not help a thread that waits for a lock */
	if (!strcmp(test, "deadlock"))
		SLEAVE_SCHEDULE("lock:a@main -> lock:b@T1, lock:b@T1 -> enter:mark")
		{
			pthread_mutex_lock(&a);
			t = start(crosses);
			mark();
			pthread_mutex_lock(&b);
			pthread_join(t, NULL);
		}
	return 0;
}
