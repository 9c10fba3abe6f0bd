/* Every signal: handled, blocked, ignored, waited for; and its numbers and flags. */
#include "conformance.h"
#include <signal.h>

static const struct {
	const char *name;
	int number;
} signals[] = {
	{"HUP", SIGHUP},   {"INT", SIGINT},	  {"QUIT", SIGQUIT},   {"ILL", SIGILL},	  {"TRAP", SIGTRAP},   {"ABRT", SIGABRT},
	{"BUS", SIGBUS},   {"FPE", SIGFPE},	  {"USR1", SIGUSR1},   {"SEGV", SIGSEGV}, {"USR2", SIGUSR2},   {"PIPE", SIGPIPE},
	{"ALRM", SIGALRM}, {"TERM", SIGTERM},	  {"STKFLT", SIGSTKFLT}, {"CHLD", SIGCHLD}, {"CONT", SIGCONT},	 {"TSTP", SIGTSTP},
	{"TTIN", SIGTTIN}, {"TTOU", SIGTTOU},	  {"URG", SIGURG},     {"XCPU", SIGXCPU}, {"XFSZ", SIGXFSZ},   {"VTALRM", SIGVTALRM},
	{"PROF", SIGPROF}, {"WINCH", SIGWINCH}, {"IO", SIGIO},     {"PWR", SIGPWR},	  {"SYS", SIGSYS},     {"RT34", 34},
	{"RT35", 35},      {"RT64", 64},
};
#define SIGNALS (sizeof(signals) / sizeof(*signals))

static volatile int count, number, code, data, blocked;

static void
handler(int n, siginfo_t *info, void *context)
{
	sigset_t now;

	(void)context;
	count++;
	number = n;
	code = info->si_code;
	data = info->si_value.sival_int;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	blocked = sigismember(&now, n) + 2 * sigismember(&now, SIGUSR2);
}

static void
install(int n, int flags)
{
	struct sigaction a;

	memset(&a, 0, sizeof(a));
	a.sa_sigaction = handler;
	a.sa_flags = SA_SIGINFO | flags;
	sigemptyset(&a.sa_mask);
	sigaddset(&a.sa_mask, SIGUSR2);
	errno_of(sigaction(n, &a, NULL));
	count = number = code = data = blocked = 0;
}

static void
leave(int n)
{
	signal(n, SIG_DFL);
}

static sigset_t
only(int n)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, n);
	return set;
}

CASE(handled)
{
	for (unsigned i = 0; i < SIGNALS; i++) {
		begin("handled.%s", signals[i].name);
		install(signals[i].number, 0);
		errno_of(raise(signals[i].number));
		value(count);
		value(number == signals[i].number);
		value(code == SI_TKILL);
		value(blocked);
		install(signals[i].number, SA_NODEFER | SA_RESETHAND);
		errno_of(kill(getpid(), signals[i].number));
		value(count);
		value(code == SI_USER);
		value(blocked);
		struct sigaction a;
		sigaction(signals[i].number, NULL, &a);
		value(a.sa_handler == SIG_DFL);
		leave(signals[i].number);
	}
}

CASE(blocked_ones)
{
	for (unsigned i = 0; i < SIGNALS; i++) {
		sigset_t set = only(signals[i].number), pending;

		begin("blocked.%s", signals[i].name);
		install(signals[i].number, 0);
		returns(pthread_sigmask(SIG_BLOCK, &set, NULL));
		errno_of(raise(signals[i].number));
		errno_of(raise(signals[i].number));
		errno_of(kill(getpid(), signals[i].number)); /* of the process: another one */
		value(count);
		sigpending(&pending);
		value(sigismember(&pending, signals[i].number));
		returns(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
		value(count);
		sigpending(&pending);
		value(sigismember(&pending, signals[i].number));
		leave(signals[i].number);
	}
}

CASE(ignored_ones)
{
	for (unsigned i = 0; i < SIGNALS; i++) {
		sigset_t set = only(signals[i].number), pending;

		begin("ignored.%s", signals[i].name);
		install(signals[i].number, 0);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		raise(signals[i].number);
		value(signal(signals[i].number, SIG_IGN) != SIG_ERR); /* that discards it */
		sigpending(&pending);
		value(sigismember(&pending, signals[i].number));
		errno_of(raise(signals[i].number));
		sigpending(&pending);
		value(sigismember(&pending, signals[i].number)); /* ignored, but blocked */
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		errno_of(raise(signals[i].number));
		value(count);
		leave(signals[i].number);
	}
}

CASE(waited_for)
{
	for (unsigned i = 0; i < SIGNALS; i++) {
		sigset_t set = only(signals[i].number);
		struct timespec none = {0, 0};
		siginfo_t info;
		int n = 0;

		begin("waited_for.%s", signals[i].name);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		errno_of(sigqueue(getpid(), signals[i].number, (union sigval){42}));
		value(sigwaitinfo(&set, &info) == signals[i].number);
		value(info.si_code == SI_QUEUE);
		value(info.si_value.sival_int);
		value(info.si_pid == getpid());
		errno_of(sigtimedwait(&set, &info, &none));
		raise(signals[i].number);
		returns(sigwait(&set, &n));
		value(n == signals[i].number);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
}

CASE(wrong_numbers)
{
	static const int wrong[] = {-1, 0, 32, 33, 65, 1000, SIGKILL, SIGSTOP};
	struct sigaction a;
	sigset_t set;

	memset(&a, 0, sizeof(a));
	a.sa_handler = SIG_IGN;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		begin("wrong.%d", wrong[i]);
		errno_of(sigaction(wrong[i], &a, NULL));
		value(signal(wrong[i], SIG_IGN) == SIG_ERR);
		returns(errno);
		sigemptyset(&set);
		errno_of(sigaddset(&set, wrong[i]));
		if (wrong[i] != SIGKILL && wrong[i] != SIGSTOP && wrong[i] != 32 && wrong[i] != 33) {
			errno_of(raise(wrong[i]));
			errno_of(kill(getpid(), wrong[i]));
			returns(pthread_kill(pthread_self(), wrong[i]));
		}
	}
}

/* KILL and STOP can't be blocked. */
CASE(not_blockable)
{
	sigset_t set, now;

	sigfillset(&set);
	returns(pthread_sigmask(SIG_SETMASK, &set, NULL));
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	value(sigismember(&now, SIGKILL));
	value(sigismember(&now, SIGSTOP));
	value(sigismember(&now, SIGTERM));
	sigemptyset(&set);
	returns(pthread_sigmask(SIG_SETMASK, &set, NULL));
}

/* Several at once: the lowest number first; each handler's mask holds the other signals back. */
static char order[16];

static void
notes(int n)
{
	size_t length = strlen(order);

	if (length < sizeof(order) - 1)
		order[length] = n == SIGUSR1 ? 'a' : n == SIGUSR2 ? 'b' : n == SIGTERM ? 'c' : 'd';
}

CASE(order_of_queued)
{
	sigset_t set;
	union sigval v;
	siginfo_t info;

	sigemptyset(&set);
	sigaddset(&set, 40);
	sigaddset(&set, 41);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 3; i++) {
		v.sival_int = i;
		sigqueue(getpid(), 41, v);
		sigqueue(getpid(), 40, v);
	}
	for (int i = 0; i < 6; i++) {
		value(sigwaitinfo(&set, &info));
		value(info.si_value.sival_int);
	}
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

CASE(order_of_handlers)
{
	struct sigaction a;
	sigset_t set;

	memset(&a, 0, sizeof(a));
	a.sa_handler = notes;
	sigfillset(&a.sa_mask);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGTERM);
	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGUSR2, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	raise(SIGTERM);
	raise(SIGUSR2);
	raise(SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	word(order);
}

/* What a mask blocks belongs to the thread, and sigsuspend() restores it, also with a pending signal. */
CASE(suspend_gives_back)
{
	sigset_t both, rest, now;

	install(SIGUSR1, 0);
	install(SIGTERM, 0);
	sigemptyset(&both);
	sigaddset(&both, SIGUSR1);
	sigaddset(&both, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &both, NULL);
	raise(SIGUSR1);
	raise(SIGTERM);
	rest = only(SIGTERM);
	errno_of(sigsuspend(&rest));
	value(count);
	value(number == SIGUSR1);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	value(sigismember(&now, SIGUSR1));
	value(sigismember(&now, SIGTERM));
	pthread_sigmask(SIG_UNBLOCK, &both, NULL);
	value(count);
	value(number == SIGTERM);
}

/* A thread has its own mask, and what is pending for it. */
static int
pending_in_thread(void *unused)
{
	sigset_t set = only(SIGUSR1), pending;

	(void)unused;
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	sigpending(&pending);
	return sigismember(&pending, SIGUSR1);
}

CASE(pending_of_thread)
{
	sigset_t pending;

	install(SIGUSR1, 0);
	value(other(pending_in_thread, NULL));
	sigpending(&pending);
	value(sigismember(&pending, SIGUSR1));
	value(count);
}
