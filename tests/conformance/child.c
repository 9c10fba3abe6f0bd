/* Children and signals: what children inherit, which signals end them, what they send, what their parent is told. */
/* schedules: 3 (an execution is more than sixty processes, and nearly all cases have one of them at a time) */
#include "conformance.h"
#include <signal.h>
#include <sys/wait.h>

static const struct {
	const char *name;
	int number;
} signals[] = {
	{"HUP", SIGHUP},   {"ILL", SIGILL},   {"TRAP", SIGTRAP}, {"ABRT", SIGABRT}, {"FPE", SIGFPE}, {"KILL", SIGKILL},
	{"USR1", SIGUSR1}, {"SEGV", SIGSEGV}, {"ALRM", SIGALRM}, {"TERM", SIGTERM}, {"RT34", 34},
};
#define SIGNALS (sizeof(signals) / sizeof(*signals))

static volatile int count, number, code, data;
static volatile pid_t from;

static void
handler(int n, siginfo_t *info, void *context)
{
	(void)context;
	count++;
	number = n;
	code = info->si_code;
	data = info->si_value.sival_int;
	from = info->si_pid;
}

static void
install(int n, int flags)
{
	struct sigaction a;

	memset(&a, 0, sizeof(a));
	a.sa_sigaction = handler;
	a.sa_flags = SA_SIGINFO | flags;
	sigemptyset(&a.sa_mask);
	sigaction(n, &a, NULL);
	count = number = code = data = 0;
	from = 0;
}

static void
told(int status)
{
	value(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	value(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static int
await(pid_t child)
{
	int status = 0;
	pid_t found;

	while ((found = waitpid(child, &status, 0)) < 0 && errno == EINTR)
		;
	value(found == child);
	return status;
}

static void
no_core(void)
{
	alarm(0);
	if (chdir("/nonexistent"))
		return;
}

/* ---- signals that end children ---- */

CASE(dies)
{
	for (unsigned i = 0; i < SIGNALS; i++) {
		pid_t child;

		begin("dies.%s", signals[i].name);
		child = fork();
		if (!child) {
			no_core();
			raise(signals[i].number);
			_exit(77);
		}
		told(await(child));
	}
}

CASE(killed)
{
	for (unsigned i = 0; i < SIGNALS; i++) {
		pid_t child;

		begin("killed.%s", signals[i].name);
		child = fork();
		if (!child)
			for (;;)
				pause();
		errno_of(kill(child, 0));
		errno_of(kill(child, signals[i].number));
		told(await(child));
		errno_of(kill(child, 0));
	}
}

/* ---- signals that children send ---- */

CASE(sends)
{
	for (unsigned i = 0; i < SIGNALS; i++) {
		pid_t child;

		if (signals[i].number == SIGKILL)
			continue;
		begin("sends.%s", signals[i].name);
		install(signals[i].number, SA_RESTART);
		child = fork();
		if (!child) {
			sigqueue(getppid(), signals[i].number, (union sigval){31});
			_exit(3);
		}
		told(await(child));
		value(count);
		value(number == signals[i].number);
		value(code == SI_QUEUE);
		value(data);
		value(from == child);
		signal(signals[i].number, SIG_DFL);
	}
}

CASE(sends_blocked)
{
	sigset_t set, pending;
	siginfo_t info;
	pid_t child;

	install(SIGUSR1, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (!child) {
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	told(await(child));
	value(count);
	sigpending(&pending);
	value(sigismember(&pending, SIGUSR1));
	value(sigwaitinfo(&set, &info) == SIGUSR1);
	value(info.si_pid == child);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

CASE(sends_ignored)
{
	pid_t child;

	signal(SIGTERM, SIG_IGN);
	child = fork();
	if (!child) {
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	told(await(child));
	signal(SIGTERM, SIG_DFL);
}

/* Sent while the parent waits for it, back and forth. */
CASE(back_and_forth)
{
	sigset_t set;
	pid_t child;
	int n;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (!child) {
		for (int i = 0; i < 5; i++) {
			sigwait(&set, &n);
			kill(getppid(), n == SIGUSR1 ? SIGUSR2 : SIGUSR1);
		}
		_exit(5);
	}
	for (int i = 0; i < 5; i++) {
		errno_of(kill(child, i % 2 ? SIGUSR1 : SIGUSR2));
		returns(sigwait(&set, &n));
		value(n == (i % 2 ? SIGUSR2 : SIGUSR1));
	}
	told(await(child));
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* ---- relatives that are further away ---- */

/* A descendant sends to the program, `depth` processes above, and has ended when the signal is handled. */
static int
descend(int depth, pid_t to)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(depth ? descend(depth - 1, to) : kill(to, SIGUSR1) ? errno : 3);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 77;
	return WEXITSTATUS(status);
}

CASE(descendant_sends)
{
	for (int depth = 0; depth < 3; depth++) {
		pid_t top = getpid(), child;

		begin("descendant_sends.%d", depth);
		install(SIGUSR1, SA_RESTART);
		child = fork();
		if (!child)
			_exit(descend(depth, top));
		told(await(child));
		value(count);
		value(number == SIGUSR1);
		signal(SIGUSR1, SIG_DFL);
	}
}

/* … and to its parent, which has a number that the program knows. */
CASE(grandchild_to_child)
{
	pid_t child;

	install(SIGUSR1, SA_RESTART);
	child = fork();
	if (!child) {
		pid_t self = getpid(), grandchild = fork();
		int status;

		if (!grandchild)
			_exit(getppid() != self ? 70 : kill(self, 0) ? 71 : kill(getppid(), SIGUSR1) ? 72 : 0);
		if (waitpid(grandchild, &status, 0) != grandchild)
			_exit(73);
		_exit(WEXITSTATUS(status) ? WEXITSTATUS(status) : count);
	}
	told(await(child));
	value(count);
	signal(SIGUSR1, SIG_DFL);
}

/* A child ends another child, which was started before it. */
CASE(ends_the_elder)
{
	pid_t elder = fork(), younger;

	if (!elder)
		for (;;)
			pause();
	younger = fork();
	if (!younger)
		_exit(kill(elder, SIGTERM) ? errno : 0);
	told(await(elder));
	told(await(younger));
}

/* ---- inheritance ---- */

static int
in_child(int (*function)(void))
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(function());
	status = await(child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int
is_blocked(void)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGUSR1) + 2 * sigismember(&now, SIGUSR2);
}
static int
is_pending(void)
{
	sigset_t now;

	sigpending(&now);
	return sigismember(&now, SIGUSR1);
}
static int
handles(void)
{
	raise(SIGTERM);
	return count;
}
static int
ignores(void)
{
	struct sigaction a;

	sigaction(SIGHUP, NULL, &a);
	raise(SIGHUP);
	return a.sa_handler == SIG_IGN;
}
static int
has_alarm(void)
{
	return alarm(0) != 0;
}
static int
other_stack(void)
{
	stack_t s;

	sigaltstack(NULL, &s);
	return s.ss_flags == SS_DISABLE ? 0 : (int)(s.ss_size / 1024);
}

CASE(inherits)
{
	static char room[65536];
	stack_t stack = {room, 0, sizeof(room)}, none = {NULL, SS_DISABLE, 0};
	sigset_t set;

	value(in_child(is_blocked));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	value(in_child(is_blocked));
	raise(SIGUSR1);
	value(is_pending());
	value(in_child(is_pending)); /* none */
	signal(SIGUSR1, SIG_IGN);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGUSR1, SIG_DFL);
	install(SIGTERM, 0);
	value(in_child(handles));
	value(count);
	signal(SIGTERM, SIG_DFL);
	value(in_child(handles));
	value(in_child(ignores));
	signal(SIGHUP, SIG_IGN);
	value(in_child(ignores));
	signal(SIGHUP, SIG_DFL);
	alarm(100);
	value(in_child(has_alarm)); /* none */
	value(alarm(0) > 0);
	sigaltstack(&none, NULL);
	value(in_child(other_stack));
	sigaltstack(&stack, NULL);
	value(in_child(other_stack));
	sigaltstack(&none, NULL);
}

/* ---- what the parent is told ---- */

CASE(sigchld)
{
	pid_t child;

	install(SIGCHLD, SA_RESTART);
	child = fork();
	if (!child)
		_exit(9);
	while (!count)
		usleep(1000);
	value(count);
	value(code == CLD_EXITED);
	value(from == child);
	told(await(child));
	install(SIGCHLD, SA_RESTART);
	child = fork();
	if (!child) {
		raise(SIGUSR1);
		_exit(1);
	}
	while (!count)
		usleep(1000);
	value(code == CLD_KILLED);
	value(from == child);
	told(await(child));
	signal(SIGCHLD, SIG_DFL);
}

CASE(wait_info)
{
	siginfo_t info;
	pid_t child = fork();

	if (!child)
		_exit(44);
	errno_of(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
	value(info.si_pid == child);
	value(info.si_code == CLD_EXITED);
	value(info.si_status);
	value(info.si_signo == SIGCHLD);
	told(await(child));
	errno_of(waitid(P_PID, (id_t)child, &info, WEXITED));
	child = fork();
	if (!child) {
		raise(SIGTERM);
		_exit(1);
	}
	errno_of(waitid(P_ALL, 0, &info, WEXITED));
	value(info.si_pid == child);
	value(info.si_code == CLD_KILLED);
	value(info.si_status == SIGTERM);
	errno_of(wait(NULL));
}

/* If SIGCHLD is ignored there is nothing to wait for, but a wait lasts until there is no child left. */
CASE(sigchld_ignored)
{
	pid_t child;
	int status = 77;

	signal(SIGCHLD, SIG_IGN);
	child = fork();
	if (!child)
		_exit(1);
	errno_of(waitpid(child, &status, 0));
	value(status);
	signal(SIGCHLD, SIG_DFL);
	errno_of(wait(NULL));
}

CASE(no_zombies)
{
	struct sigaction a;
	pid_t child;

	memset(&a, 0, sizeof(a));
	a.sa_handler = SIG_DFL;
	a.sa_flags = SA_NOCLDWAIT;
	sigaction(SIGCHLD, &a, NULL);
	child = fork();
	if (!child)
		_exit(1);
	errno_of(wait(NULL));
	value(child > 0);
	signal(SIGCHLD, SIG_DFL);
}

CASE(several)
{
	pid_t children[5];
	int sum = 0, status;

	for (int i = 0; i < 5; i++) {
		children[i] = fork();
		if (!children[i])
			_exit(i + 1);
	}
	for (int i = 4; i >= 0; i--) {
		value(waitpid(children[i], &status, 0) == children[i]);
		sum += WEXITSTATUS(status);
	}
	value(sum);
	errno_of(waitpid(-1, NULL, WNOHANG));
}

/* One thread starts a child, and another one waits for it. */
static int
start(void *unused)
{
	pid_t child = fork();

	(void)unused;
	if (!child)
		_exit(6);
	return (int)child;
}

CASE(of_another_thread)
{
	told(await(other(start, NULL)));
}
