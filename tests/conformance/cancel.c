/* Cancellation: of threads that wait, that are about to wait, that must not be cancelled; and what runs then. */
#include "conformance.h"

static sem_t hold, held, never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static char trace[32];

static void
mark(char c)
{
	size_t n = strlen(trace);

	if (n + 1 < sizeof(trace))
		trace[n] = c;
}

/* As a cleanup handler or a destructor. */
static void
note(void *c)
{
	mark((char)(intptr_t)c);
}

static void
prepare(void)
{
	memset(trace, 0, sizeof(trace));
	sem_init(&hold, 0, 0);
	sem_init(&held, 0, 0);
	sem_init(&never, 0, 0);
}

/* How a thread ended: by cancellation, or with a number. */
static void
ended(pthread_t t)
{
	void *result = NULL;

	returns(pthread_join(t, &result));
	if (result == PTHREAD_CANCELED)
		word("cancelled");
	else
		value((intptr_t)result);
}

/* ---- each function that is a cancellation point, and those that are not ---- */

static struct timespec far_real, far_monotonic;

static void do_testcancel(void) { pthread_testcancel(); }
static void do_sem_wait(void) { sem_wait(&never); }
static void do_sem_timedwait(void) { sem_timedwait(&never, &far_real); }
static void do_sem_clockwait(void) { sem_clockwait(&never, CLOCK_MONOTONIC, &far_monotonic); }
static void do_sleep(void) { sleep(1000); }
static void do_usleep(void) { usleep(900000); }
static void do_nanosleep(void) { nanosleep(&far_monotonic, NULL); }
static void do_clock_nanosleep(void) { clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &far_monotonic, NULL); }

static pthread_t never_ends;
static void do_join(void) { pthread_join(never_ends, NULL); }

static void
unlock(void *m)
{
	mark(pthread_mutex_unlock(m) == 0 ? 'u' : 'X');
}

static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

/* The mutex belongs to the thread again when its handlers run: it can unlock it. */
static void
do_cond_wait(void)
{
	pthread_mutex_lock(&checked);
	pthread_cleanup_push(unlock, &checked);
	pthread_cond_wait(&condition, &checked);
	pthread_cleanup_pop(1);
}

static void
do_cond_timedwait(void)
{
	pthread_mutex_lock(&checked);
	pthread_cleanup_push(unlock, &checked);
	pthread_cond_timedwait(&condition, &checked, &far_real);
	pthread_cleanup_pop(1);
}

static void
do_cond_clockwait(void)
{
	pthread_mutex_lock(&checked);
	pthread_cleanup_push(unlock, &checked);
	pthread_cond_clockwait(&condition, &checked, CLOCK_MONOTONIC, &far_monotonic);
	pthread_cleanup_pop(1);
}

static const struct {
	const char *name;
	void (*run)(void);
} points[] = {
	{"testcancel", do_testcancel},
	{"sem_wait", do_sem_wait},
	{"sem_timedwait", do_sem_timedwait},
	{"sem_clockwait", do_sem_clockwait},
	{"cond_wait", do_cond_wait},
	{"cond_timedwait", do_cond_timedwait},
	{"cond_clockwait", do_cond_clockwait},
	{"join", do_join},
	{"sleep", do_sleep},
	{"usleep", do_usleep},
	{"nanosleep", do_nanosleep},
	{"clock_nanosleep", do_clock_nanosleep},
};
#define POINTS (sizeof(points) / sizeof(*points))

/* Runs until it is cancelled: under control, time may always pass. */
static void *
at_point(void *run)
{
	pthread_cleanup_push(note, (void *)'h');
	sem_post(&held);
	for (;;)
		((void (*)(void))run)();
	pthread_cleanup_pop(0);
	return NULL;
}

/* The request is pending before the thread comes to the cancellation point. */
static void *
at_point_later(void *run)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_post(&held);
	sem_wait(&hold);
	mark('p');
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	mark('q'); /* enabling is not a cancellation point */
	for (;;)
		((void (*)(void))run)();
	return NULL;
}

static void *
wait_for(void *semaphore)
{
	return sem_wait(semaphore) ? semaphore : NULL;
}

CASE(every_point)
{
	static sem_t end;

	far_real = far_away(CLOCK_REALTIME);
	far_monotonic = far_away(CLOCK_MONOTONIC);
	sem_init(&end, 0, 0);
	pthread_create(&never_ends, NULL, wait_for, &end);
	for (unsigned i = 0; i < POINTS; i++) {
		pthread_t t;

		begin("at.%s", points[i].name);
		prepare();
		returns(pthread_create(&t, NULL, at_point, (void *)points[i].run));
		sem_wait(&held);
		returns(pthread_cancel(t));
		ended(t);
		word(points[i].run == do_cond_wait || points[i].run == do_cond_timedwait ||
				     points[i].run == do_cond_clockwait
			     ? trace + strlen(trace) - 2 /* it may have looped before */
			     : trace);
		begin("pending.%s", points[i].name);
		prepare();
		returns(pthread_create(&t, NULL, at_point_later, (void *)points[i].run));
		sem_wait(&held);
		returns(pthread_cancel(t));
		sem_post(&hold);
		ended(t);
		word(trace);
		begin("mutex_after.%s", points[i].name);
		returns(pthread_mutex_trylock(&checked));
		returns(pthread_mutex_unlock(&checked));
	}
	sem_post(&end);
	pthread_join(never_ends, NULL);
}

/* ---- functions that are no cancellation points ---- */

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once;
static pthread_key_t key;

static void nothing(void) {}
static void do_mutex_lock(void) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); }
static void do_mutex_trylock(void) { pthread_mutex_trylock(&mutex); pthread_mutex_unlock(&mutex); }
static void do_mutex_timedlock(void) { pthread_mutex_timedlock(&mutex, &far_real); pthread_mutex_unlock(&mutex); }
static void do_rdlock(void) { pthread_rwlock_rdlock(&lock); pthread_rwlock_unlock(&lock); }
static void do_wrlock(void) { pthread_rwlock_wrlock(&lock); pthread_rwlock_unlock(&lock); }
static void do_spin_lock(void) { pthread_spin_lock(&spin); pthread_spin_unlock(&spin); }
static void do_barrier(void) { pthread_barrier_wait(&barrier); }
static void do_once(void) { pthread_once(&once, nothing); }
static void do_sem_post(void) { sem_post(&never); }
static void do_sem_trywait(void) { sem_trywait(&never); }
static void do_signal(void) { pthread_cond_signal(&condition); pthread_cond_broadcast(&condition); }
static void do_yield(void) { sched_yield(); }
static void do_key(void) { pthread_setspecific(key, NULL); pthread_getspecific(key); }
static void do_self(void) { key += pthread_equal(pthread_self(), pthread_self()) ? 0 : 1; }
static void do_clock(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); }

static void *
echo(void *v)
{
	return v;
}

static void
do_create(void)
{
	pthread_t t;

	pthread_create(&t, NULL, echo, NULL);
	pthread_detach(t);
}

static const struct {
	const char *name;
	void (*run)(void);
} others[] = {
	{"mutex_lock", do_mutex_lock},
	{"mutex_trylock", do_mutex_trylock},
	{"mutex_timedlock", do_mutex_timedlock},
	{"rwlock_rdlock", do_rdlock},
	{"rwlock_wrlock", do_wrlock},
	{"spin_lock", do_spin_lock},
	{"barrier_wait", do_barrier},
	{"once", do_once},
	{"sem_post", do_sem_post},
	{"sem_trywait", do_sem_trywait},
	{"cond_signal", do_signal},
	{"sched_yield", do_yield},
	{"setspecific", do_key},
	{"self", do_self},
	{"clock_gettime", do_clock},
	{"create", do_create},
};

static void *
past_it(void *run)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_post(&held);
	sem_wait(&hold);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	((void (*)(void))run)();
	mark('p');
	pthread_testcancel();
	mark('X');
	return NULL;
}

CASE(no_points)
{
	far_real = far_away(CLOCK_REALTIME);
	pthread_spin_init(&spin, 0);
	pthread_barrier_init(&barrier, NULL, 1);
	pthread_key_create(&key, NULL);
	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++) {
		pthread_t t;

		begin("not_at.%s", others[i].name);
		prepare();
		returns(pthread_create(&t, NULL, past_it, (void *)others[i].run));
		sem_wait(&held);
		returns(pthread_cancel(t));
		sem_post(&hold);
		ended(t);
		word(trace);
	}
	pthread_key_delete(key);
}

/* ---- a thread cancels itself ---- */

static void *
cancel_self(void *unused)
{
	intptr_t result = pthread_cancel(pthread_self());

	(void)unused;
	mark(result ? 'X' : 'a');
	pthread_testcancel();
	mark('X');
	return NULL;
}

static void *
cancel_self_disabled(void *unused)
{
	int old = -1;

	(void)unused;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	mark('a');
	sem_post(&hold);
	sem_wait(&hold);
	mark('b');
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	mark(old == PTHREAD_CANCEL_DISABLE ? 'c' : 'X');
	pthread_testcancel();
	mark('X');
	return NULL;
}

static void *
never_enabled(void *unused)
{
	(void)unused;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	return (void *)7;
}

static void *
asynchronous_self(void *unused)
{
	(void)unused;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	mark('a');
	pthread_cancel(pthread_self());
	mark('X');
	return NULL;
}

/* A request is pending: becoming asynchronous is enough. */
static void *
becomes_asynchronous(void *unused)
{
	(void)unused;
	pthread_cancel(pthread_self());
	mark('a');
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	mark('X');
	return NULL;
}

static void *
not_cancelled(void *unused)
{
	(void)unused;
	pthread_testcancel();
	mark('a');
	pthread_testcancel();
	return (void *)5;
}

static void *
cancels_twice(void *unused)
{
	intptr_t result;

	(void)unused;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	result = pthread_cancel(pthread_self());
	result |= pthread_cancel(pthread_self());
	mark(result ? 'X' : 'a');
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_testcancel();
	return NULL;
}

static void *
exits_though_cancelled(void *unused)
{
	(void)unused;
	pthread_cancel(pthread_self());
	pthread_exit((void *)9);
}

static void *
returns_though_cancelled(void *unused)
{
	(void)unused;
	pthread_cancel(pthread_self());
	return (void *)9;
}

static void
run(void *(*start)(void *))
{
	pthread_t t;

	prepare();
	returns(pthread_create(&t, NULL, start, NULL));
	ended(t);
	word(*trace ? trace : "-");
}

CASE(self) { run(cancel_self); }
CASE(self_disabled) { run(cancel_self_disabled); }
CASE(self_never_enabled) { run(never_enabled); }
CASE(self_asynchronous) { run(asynchronous_self); }
CASE(self_becomes_asynchronous) { run(becomes_asynchronous); }
CASE(nobody_cancels) { run(not_cancelled); }
CASE(twice) { run(cancels_twice); }
CASE(exit_wins) { run(exits_though_cancelled); }
CASE(return_wins) { run(returns_though_cancelled); }

/* ---- asynchronous, from outside ---- */

static volatile int spinning;

static void *
spins(void *unused)
{
	(void)unused;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	sem_post(&held);
	for (;;) {
		__atomic_fetch_add(&spinning, 1, __ATOMIC_RELAXED);
		sched_yield(); /* not a cancellation point, but seen also when the loop itself is not */
	}
	return NULL;
}

CASE(asynchronous_loop)
{
	pthread_t t;

	prepare();
	returns(pthread_create(&t, NULL, spins, NULL));
	sem_wait(&held);
	returns(pthread_cancel(t));
	ended(t);
}

/* ---- handlers and destructors ---- */

static void *
three_handlers(void *unused)
{
	pthread_cleanup_push(note, (void *)'a');
	pthread_cleanup_push(note, (void *)'b');
	pthread_cleanup_push(note, (void *)'c');
	pthread_cancel(pthread_self());
	pthread_testcancel();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return unused;
}

static void *
popped_handlers(void *unused)
{
	pthread_cleanup_push(note, (void *)'a');
	pthread_cleanup_push(note, (void *)'b');
	pthread_cleanup_pop(0);
	pthread_cleanup_push(note, (void *)'c');
	pthread_cleanup_pop(1);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return unused;
}

static __attribute__((noinline)) void
inner_handler(void)
{
	pthread_cleanup_push(note, (void *)'i');
	pthread_testcancel();
	pthread_cleanup_pop(0);
}

static void *
handlers_in_frames(void *unused)
{
	pthread_cleanup_push(note, (void *)'o');
	pthread_cancel(pthread_self());
	inner_handler();
	pthread_cleanup_pop(0);
	return unused;
}

static pthread_key_t dtor_key;

static void *
handler_and_destructor(void *unused)
{
	pthread_setspecific(dtor_key, (void *)'d');
	pthread_cleanup_push(note, (void *)'h');
	pthread_cancel(pthread_self());
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return unused;
}

/* A thread in a cleanup handler is not cancelled again. */
static void
handler_with_point(void *unused)
{
	(void)unused;
	pthread_testcancel();
	mark('h');
	pthread_cancel(pthread_self());
	pthread_testcancel();
	usleep(1);
	mark('i');
}

static void *
point_in_handler(void *unused)
{
	pthread_cleanup_push(handler_with_point, NULL);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return unused;
}

static void *
deferred_handlers(void *unused)
{
	pthread_cleanup_push_defer_np(note, (void *)'a');
	pthread_cancel(pthread_self());
	pthread_testcancel();
	pthread_cleanup_pop_restore_np(0);
	return unused;
}

CASE(handlers_in_reverse) { run(three_handlers); }
CASE(handlers_popped) { run(popped_handlers); }
CASE(handlers_of_frames) { run(handlers_in_frames); }
CASE(handlers_with_points) { run(point_in_handler); }
CASE(handlers_deferred) { run(deferred_handlers); }

CASE(handlers_then_destructors)
{
	pthread_key_create(&dtor_key, note);
	run(handler_and_destructor);
	pthread_key_delete(dtor_key);
}

/* ---- the target of a cancellation ---- */

CASE(ended_thread)
{
	pthread_t t;

	prepare();
	returns(pthread_create(&t, NULL, echo, (void *)3));
	returns(pthread_cancel(t)); /* running or not: 0, and not a cancellation point */
	ended(t);
}

static void *
posts_and_ends(void *v)
{
	sem_post(&held);
	return v;
}

CASE(ended_thread_later)
{
	pthread_t t;

	prepare();
	returns(pthread_create(&t, NULL, posts_and_ends, (void *)3));
	sem_wait(&held);
	returns(pthread_cancel(t));
	ended(t);
}

static int
waits_for_never(void *unused)
{
	(void)unused;
	sem_post(&held);
	return sem_wait(&never);
}

static struct other_call waiting = {waits_for_never, NULL};

CASE(one_of_many)
{
	pthread_t t[3];

	prepare();
	for (int i = 0; i < 3; i++)
		returns(pthread_create(&t[i], NULL, other_main, &waiting));
	for (int i = 0; i < 3; i++)
		sem_wait(&held);
	returns(pthread_cancel(t[1]));
	ended(t[1]);
	sem_post(&never);
	sem_post(&never);
	ended(t[0]);
	ended(t[2]);
}

/* A waiter that was cancelled takes no signal from the other waiters. */
static int waiters, woken;

static void *
waits_for_condition(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	waiters++;
	sem_post(&held);
	while (!woken)
		pthread_cond_wait(&condition, &mutex);
	woken--;
	pthread_cleanup_pop(1);
	return unused;
}

CASE(signal_after_cancelled)
{
	pthread_t t[2];

	prepare();
	waiters = woken = 0;
	for (int i = 0; i < 2; i++) {
		returns(pthread_create(&t[i], NULL, waits_for_condition, NULL));
		sem_wait(&held);
	}
	returns(pthread_cancel(t[0]));
	ended(t[0]);
	pthread_mutex_lock(&mutex);
	woken = 1;
	returns(pthread_cond_signal(&condition));
	pthread_mutex_unlock(&mutex);
	ended(t[1]);
	value(woken);
	value(waiters);
}

/* Cancelled inside pthread_once: the next thread calls the function. */
static pthread_once_t left = PTHREAD_ONCE_INIT;
static int leave, calls;

static void
cancelled_or_counts(void)
{
	if (leave) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
	calls++;
}

static void *
does_once(void *unused)
{
	pthread_once(&left, cancelled_or_counts);
	return unused;
}

CASE(inside_once)
{
	leave = 1;
	calls = 0;
	run(does_once);
	value(calls);
	leave = 0;
	run(does_once);
	value(calls);
	run(does_once);
	value(calls);
}

/* A thread that is cancelled while it joins leaves the other joinable. */
static pthread_t joined;

static void *
joins(void *unused)
{
	sem_post(&held);
	pthread_join(joined, NULL);
	return unused;
}

CASE(joiner)
{
	pthread_t t;

	prepare();
	returns(pthread_create(&joined, NULL, other_main, &waiting));
	sem_wait(&held);
	returns(pthread_create(&t, NULL, joins, NULL));
	sem_wait(&held);
	returns(pthread_cancel(t));
	ended(t);
	sem_post(&never);
	ended(joined);
}

static void
post_held(void *unused)
{
	(void)unused;
	sem_post(&held);
}

static void *
waits_and_posts(void *unused)
{
	sem_post(&held);
	pthread_cleanup_push(post_held, NULL);
	sem_wait(&never);
	pthread_cleanup_pop(0);
	return unused;
}

CASE(detached)
{
	pthread_t t;

	prepare();
	returns(pthread_create(&t, NULL, waits_and_posts, NULL));
	sem_wait(&held);
	returns(pthread_detach(t));
	returns(pthread_cancel(t));
	errno_of(sem_wait(&held));
}

/* State and type are each thread's own, and new threads have the defaults. */
static int
own_state(void *unused)
{
	int state = -1, type = -1;

	(void)unused;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	return (state == PTHREAD_CANCEL_ENABLE) * 10 + (type == PTHREAD_CANCEL_DEFERRED);
}

CASE(defaults_of_new_threads)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	value(other(own_state, NULL));
	returns(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	value(old == PTHREAD_CANCEL_ASYNCHRONOUS);
	returns(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	value(old == PTHREAD_CANCEL_DISABLE);
}
