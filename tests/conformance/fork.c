/* fork and the handlers of pthread_atfork. */
#include "conformance.h"
#include <signal.h>
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

/* The result of a function in the child. */
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

CASE(wait_for_id)
{
	siginfo_t info;
	pid_t child = fork();

	if (!child)
		_exit(9);
	errno_of(waitid(P_PID, (id_t)child, &info, 0));
	errno_of(waitid(P_PID, (id_t)child, &info, WEXITED | 0x10000));
	errno_of(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
	value(info.si_pid == child && info.si_signo == SIGCHLD);
	value(info.si_code == CLD_EXITED);
	value(info.si_status);
	errno_of(waitid(P_ALL, 0, &info, WEXITED));
	errno_of(waitid(P_PID, (id_t)child, &info, WEXITED));
	errno_of(waitid(P_ALL, 0, &info, WEXITED | WNOHANG));
}

CASE(kill_and_wait)
{
	siginfo_t info;
	pid_t child = fork();
	int status = 0;

	if (!child)
		for (;;)
			pause();
	memset(&info, 0xff, sizeof(info));
	errno_of(waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG));
	value(info.si_pid);
	value(info.si_signo);
	errno_of(waitpid(child, &status, WNOHANG));
	errno_of(kill(child, 0));
	errno_of(kill(child, 1000));
	errno_of(kill(child, SIGKILL));
	value(waitpid(child, &status, 0) == child);
	value(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	errno_of(waitpid(child, &status, WNOHANG));
}

/* What a child inherits: the mask of the thread that forks, handlers, ignored signals. */
static volatile sig_atomic_t handled;
static void handler(int n) { handled = n; }

static int
inherited(void)
{
	sigset_t set;

	raise(SIGUSR2);
	sigprocmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, SIGUSR1) + 2 * (handled == SIGUSR2) + 4 * (signal(SIGPIPE, SIG_DFL) == SIG_IGN);
}

CASE(signals_are_inherited)
{
	sigset_t set;
	pid_t child;
	int status = -1;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	signal(SIGUSR2, handler);
	signal(SIGPIPE, SIG_IGN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	value(in_child(inherited));
	child = fork();
	if (!child)
		_exit(execl("/bin/sh", "sh", "-c", "kill -USR1 $$; kill -PIPE $$; exit 6", NULL));
	waitpid(child, &status, 0);
	value(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	value(WEXITSTATUS(system("kill -USR1 $$; kill -PIPE $$; exit 6")));
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	value(system("kill -USR1 $$; exit 6") == SIGUSR1);
	signal(SIGUSR2, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}

/* The signal comes with the end of a child: once the end is known, so is the signal. */
CASE(end_and_signal)
{
	sigset_t set, pending;
	pid_t child;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (!child)
		_exit(0);
	value(waitpid(child, NULL, 0) == child);
	sigpending(&pending);
	value(sigismember(&pending, SIGCHLD));
	value(sigwaitinfo(&set, NULL) == SIGCHLD);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
