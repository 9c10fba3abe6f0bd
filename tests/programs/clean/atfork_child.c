/*
 * What pthread_atfork() has called in the child is out of control, like the whole child: it changes a copy, and no thread of the
 * program goes in its place. Main starts the child, waits for it and adds, the thread adds twice: 5! / (3! 2!) = 10 interleavings.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int counter;

static void *
add(void *arg)
{
	atomic_fetch_add(&counter, 1);
	atomic_fetch_add(&counter, 1);
	return arg;
}

static void
in_child(void)
{
	for (int i = 0; i < 10; i++) {
		atomic_fetch_add(&counter, 100);
		sched_yield();
	}
}

int
main(void)
{
	pthread_t thread;
	int status = -1;
	pid_t child;

	pthread_atfork(NULL, NULL, in_child);
	pthread_create(&thread, NULL, add, NULL);
	child = fork();
	if (!child)
		_exit(atomic_load(&counter) / 100);
	assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 10);
	atomic_fetch_add(&counter, 1);
	pthread_join(thread, NULL);
	assert(counter == 3);
	return 0;
}
