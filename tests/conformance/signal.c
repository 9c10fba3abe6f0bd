/* Signals and threads: masks, pthread_kill, waiting for signals. */
#include "conformance.h"
#include <poll.h>
#include <signal.h>
#include <sys/select.h>

/* ---- signal masks ---- */

static int
blocks_usr1(void *unused)
{
	sigset_t now;

	(void)unused;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGUSR1);
}

CASE(signal_mask)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	returns(pthread_sigmask(SIG_BLOCK, &set, &old));
	value(sigismember(&old, SIGUSR1));
	value(blocks_usr1(NULL));
	value(other(blocks_usr1, NULL)); /* inherited */
	returns(pthread_sigmask(77, &set, NULL));
	returns(pthread_sigmask(77, NULL, &old));
	returns(pthread_sigmask(SIG_UNBLOCK, &set, &old));
	value(sigismember(&old, SIGUSR1));
	value(other(blocks_usr1, NULL));
	returns(pthread_sigmask(SIG_SETMASK, &set, NULL));
	value(blocks_usr1(NULL));
	sigemptyset(&set);
	returns(pthread_sigmask(SIG_SETMASK, &set, NULL));
	value(blocks_usr1(NULL));
}

static int
block_in_thread(void *unused)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return blocks_usr1(unused);
}

CASE(signal_mask_of_each)
{
	value(other(block_in_thread, NULL));
	value(blocks_usr1(NULL));
	value(other(blocks_usr1, NULL));
}

/* ---- pthread_kill ---- */

static sem_t hold, held;

static void *
stay(void *unused)
{
	sem_post(&held);
	while (sem_wait(&hold))
		;
	return unused;
}

static pthread_t
start_staying(void)
{
	pthread_t t;

	sem_init(&hold, 0, 0);
	sem_init(&held, 0, 0);
	returns(pthread_create(&t, NULL, stay, NULL));
	sem_wait(&held);
	return t;
}

CASE(kill_nothing)
{
	pthread_t t = start_staying();

	returns(pthread_kill(pthread_self(), 0));
	returns(pthread_kill(t, 0));
	returns(pthread_kill(pthread_self(), 1000));
	returns(pthread_kill(t, 1000));
	returns(pthread_kill(t, -1));
	sem_post(&hold);
	returns(pthread_join(t, NULL));
}

/* It has ended but not been joined. */
static void *
end_at_once(void *unused)
{
	return unused;
}

CASE(kill_ended)
{
	pthread_t t;

	returns(pthread_create(&t, NULL, end_at_once, NULL));
	returns(pthread_kill(t, 0)); /* whether it still runs or not: 0 */
	returns(pthread_join(t, NULL));
}

static volatile sig_atomic_t handled;
static pthread_t handler_thread;

static void
handler(int number)
{
	handled += number == SIGUSR1 ? 1 : 100;
	handler_thread = pthread_self();
}

static void
install(int flags)
{
	struct sigaction a;

	memset(&a, 0, sizeof(a));
	a.sa_handler = handler;
	a.sa_flags = flags;
	sigemptyset(&a.sa_mask);
	errno_of(sigaction(SIGUSR1, &a, NULL));
	handled = 0;
}

CASE(kill_self)
{
	install(0);
	returns(pthread_kill(pthread_self(), SIGUSR1));
	value(handled);
	value(pthread_equal(handler_thread, pthread_self()) != 0);
	errno_of(raise(SIGUSR1));
	value(handled);
}

static int
raise_in_thread(void *unused)
{
	(void)unused;
	pthread_kill(pthread_self(), SIGUSR1);
	return handled * 10 + (pthread_equal(handler_thread, pthread_self()) != 0);
}

CASE(kill_self_in_thread)
{
	install(0);
	value(other(raise_in_thread, NULL));
	value(pthread_equal(handler_thread, pthread_self()) != 0);
}

static void
block(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	returns(pthread_sigmask(how, &set, NULL));
}

static int
is_pending(void)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, SIGUSR1);
}

CASE(blocked_is_pending)
{
	install(0);
	block(SIG_BLOCK);
	returns(pthread_kill(pthread_self(), SIGUSR1));
	value(is_pending());
	value(handled);
	block(SIG_UNBLOCK);
	value(is_pending());
	value(handled);
}

static sem_t go;

static void *
wait_for_usr1(void *unused)
{
	sigset_t set;
	int number = 0;

	(void)unused;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	int result = sigwait(&set, &number);
	return (void *)(intptr_t)(result * 1000 + number);
}

CASE(sigwait_in_thread)
{
	pthread_t t;
	void *result;

	block(SIG_BLOCK);
	returns(pthread_create(&t, NULL, wait_for_usr1, NULL));
	returns(pthread_kill(t, SIGUSR1));
	returns(pthread_join(t, &result));
	value((intptr_t)result == SIGUSR1);
	block(SIG_UNBLOCK);
}

CASE(sigwait_pending)
{
	sigset_t set;
	int number = 0;

	block(SIG_BLOCK);
	returns(pthread_kill(pthread_self(), SIGUSR1));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	returns(sigwait(&set, &number));
	value(number == SIGUSR1);
	value(is_pending());
	block(SIG_UNBLOCK);
}

CASE(sigqueue_value)
{
	union sigval v = {.sival_int = 42};
	siginfo_t info;
	sigset_t set;

	block(SIG_BLOCK);
	returns(pthread_sigqueue(pthread_self(), SIGUSR1, v));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	memset(&info, 0, sizeof(info));
	value(sigwaitinfo(&set, &info) == SIGUSR1);
	value(info.si_value.sival_int);
	value(info.si_code == SI_QUEUE);
	returns(pthread_sigqueue(pthread_self(), 1000, v));
	block(SIG_UNBLOCK);
}

CASE(sigtimedwait_expires)
{
	struct timespec none = {0, 0}, bad = {0, 1000000000};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	block(SIG_BLOCK);
	errno_of(sigtimedwait(&set, NULL, &none));
	errno_of(sigtimedwait(&set, NULL, &bad));
	returns(pthread_kill(pthread_self(), SIGUSR1));
	value(sigtimedwait(&set, NULL, &none) == SIGUSR1);
	errno_of(sigtimedwait(&set, NULL, &none));
	block(SIG_UNBLOCK);
}

/* ---- EINTR: the signal is pending until the call unblocks it ---- */

CASE(sigsuspend_interrupted)
{
	sigset_t none;

	sigemptyset(&none);
	install(0);
	block(SIG_BLOCK);
	returns(pthread_kill(pthread_self(), SIGUSR1));
	errno_of(sigsuspend(&none));
	value(handled);
	block(SIG_UNBLOCK);
}

CASE(ppoll_interrupted)
{
	sigset_t none;

	sigemptyset(&none);
	install(0);
	block(SIG_BLOCK);
	returns(pthread_kill(pthread_self(), SIGUSR1));
	errno_of(ppoll(NULL, 0, NULL, &none));
	value(handled);
	block(SIG_UNBLOCK);
}

CASE(pselect_interrupted)
{
	sigset_t none;

	sigemptyset(&none);
	install(0);
	block(SIG_BLOCK);
	returns(pthread_kill(pthread_self(), SIGUSR1));
	errno_of(pselect(0, NULL, NULL, NULL, NULL, &none));
	value(handled);
	block(SIG_UNBLOCK);
}

/* A handler that runs during a wait: a mutex goes on waiting, a semaphore is interrupted unless SA_RESTART is set.
 * Only the handler can tell that the waiter waits: either the signal came before the wait, or it interrupted the wait. */
static void *
wait_on_semaphore(void *unused)
{
	int interrupted = 0;

	(void)unused;
	sem_post(&held);
	while (sem_wait(&go))
		interrupted = errno == EINTR ? 1 : 2;
	return (void *)(intptr_t)(interrupted < 2);
}

CASE(handler_in_waiting_thread)
{
	pthread_t t;
	void *result;

	install(0);
	sem_init(&go, 0, 0);
	sem_init(&held, 0, 0);
	returns(pthread_create(&t, NULL, wait_on_semaphore, NULL));
	sem_wait(&held);
	returns(pthread_kill(t, SIGUSR1));
	sem_post(&go);
	returns(pthread_join(t, &result));
	value((intptr_t)result);
	value(handled);
	value(pthread_equal(handler_thread, t) != 0);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *
wait_on_mutex(void *unused)
{
	(void)unused;
	sem_post(&held);
	int result = pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return (void *)(intptr_t)result;
}

CASE(mutex_is_not_interrupted)
{
	pthread_t t;
	void *result;

	install(0);
	sem_init(&held, 0, 0);
	pthread_mutex_lock(&mutex);
	returns(pthread_create(&t, NULL, wait_on_mutex, NULL));
	sem_wait(&held);
	returns(pthread_kill(t, SIGUSR1));
	pthread_mutex_unlock(&mutex);
	returns(pthread_join(t, &result));
	returns((int)(intptr_t)result);
	value(handled);
}

/* ---- older functions ---- */

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static volatile sig_atomic_t old_count;
static void old_handler(int n) { old_count += n; }

static int
is_blocked(int n)
{
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, n);
}

CASE(system_v)
{
	errno_of(sighold(0));
	errno_of(sigrelse(1000));
	errno_of(sigignore(SIGKILL));
	value(sigset(1000, SIG_DFL) == SIG_ERR);
	value(sigset(SIGUSR1, old_handler) == SIG_DFL);
	raise(SIGUSR1);
	value(old_count == SIGUSR1);
	errno_of(sighold(SIGUSR1));
	value(is_blocked(SIGUSR1));
	raise(SIGUSR1);
	value(old_count == SIGUSR1);
	value(sigset(SIGUSR1, old_handler) == SIG_HOLD);
	value(old_count == 2 * SIGUSR1);
	value(is_blocked(SIGUSR1));
	value(sigset(SIGUSR1, SIG_HOLD) == old_handler);
	value(sigset(SIGUSR1, SIG_HOLD) == SIG_HOLD);
	raise(SIGUSR1);
	errno_of(sigpause(SIGUSR1));
	value(old_count == 3 * SIGUSR1);
	value(is_blocked(SIGUSR1));
	errno_of(sigrelse(SIGUSR1));
	errno_of(sigignore(SIGUSR1));
	raise(SIGUSR1);
	value(sigset(SIGUSR1, SIG_DFL) == SIG_IGN);
}

CASE(bsd)
{
	int before = siggetmask();

	signal(SIGUSR2, old_handler);
	old_count = 0;
	value(sigblock((1 << (SIGUSR2 - 1))) == before);
	value(siggetmask() == (before | (1 << (SIGUSR2 - 1))));
	raise(SIGUSR2);
	value(old_count);
	value(sigsetmask(before) == (before | (1 << (SIGUSR2 - 1))));
	value(old_count == SIGUSR2);
	value(siggetmask() == before);
	signal(SIGUSR2, SIG_DFL);
}
