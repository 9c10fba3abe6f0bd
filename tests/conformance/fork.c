/* fork and the handlers of pthread_atfork. */
#include "conformance.h"
#include <sys/wait.h>

static char trace[32];

static void
note(char c)
{
	size_t n = strlen(trace);

	if (n + 1 < sizeof(trace))
		trace[n] = c;
}

static void prepare_a(void) { note('a'); }
static void prepare_b(void) { note('b'); }
static void parent_a(void) { note('c'); }
static void parent_b(void) { note('d'); }
static void child_a(void) { note('e'); }
static void child_b(void) { note('f'); }

/* What the child's function returned. */
static int
in_child(int (*function)(void))
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(function());
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

static int seven(void) { return 7; }

CASE(status)
{
	value(in_child(seven));
	errno_of(waitpid(-1, NULL, 0));
}

static int child_trace(void) { return !strcmp(trace, "baef"); }

CASE(handlers)
{
	returns(pthread_atfork(prepare_a, parent_a, child_a));
	returns(pthread_atfork(prepare_b, parent_b, child_b));
	returns(pthread_atfork(NULL, NULL, NULL));
	value(in_child(child_trace));
	word(trace);
}

static int copy = 1;

static int
change_copy(void)
{
	copy = 2;
	return copy;
}

CASE(memory_is_copied)
{
	value(in_child(change_copy));
	value(copy);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* It was locked by the thread that forks, which the child's only thread is. */
static int unlock_in_child(void) { return pthread_mutex_unlock(&mutex) || pthread_mutex_lock(&mutex); }

CASE(lock_is_inherited)
{
	pthread_mutex_lock(&mutex);
	value(in_child(unlock_in_child));
	returns(pthread_mutex_unlock(&mutex));
}

static int
fork_in_thread(void *unused)
{
	(void)unused;
	return in_child(seven);
}

CASE(from_a_thread)
{
	value(other(fork_in_thread, NULL));
}
