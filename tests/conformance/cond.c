/* Condition variables. */
#include "conformance.h"

ANY(pthread_mutex_trylock, pthread_mutex_t)

static int
try_and_unlock(void *m)
{
	int result = pthread_mutex_trylock(m);

	return result ? result : pthread_mutex_unlock(m);
}

CASE(nobody_waits)
{
	pthread_cond_t c;

	returns(pthread_cond_init(&c, NULL));
	returns(pthread_cond_signal(&c));
	returns(pthread_cond_broadcast(&c));
	returns(pthread_cond_destroy(&c));
}

CASE(static_initialiser)
{
	static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	returns(pthread_cond_signal(&c));
	returns(pthread_cond_broadcast(&c));
	returns(pthread_cond_destroy(&c));
}

CASE(reuse_after_destroy)
{
	pthread_cond_t c;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&m);
	for (int i = 0; i < 3; i++) {
		returns(pthread_cond_init(&c, NULL));
		returns(pthread_cond_timedwait(&c, &m, &limits[0].time));
		returns(pthread_cond_signal(&c));
		returns(pthread_cond_destroy(&c));
	}
	pthread_mutex_unlock(&m);
}

/* A signal without a waiter is not kept. */
CASE(signal_is_lost)
{
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&m);
	returns(pthread_cond_signal(&c));
	returns(pthread_cond_broadcast(&c));
	returns(pthread_cond_timedwait(&c, &m, &limits[0].time));
	returns(pthread_mutex_unlock(&m));
}

/* ---- time limits: the attribute's clock, the mutex's kind, the limit ---- */

static const struct {
	const char *name;
	int type;
} types[] = {
	{"normal", PTHREAD_MUTEX_NORMAL},
	{"recursive", PTHREAD_MUTEX_RECURSIVE},
	{"errorcheck", PTHREAD_MUTEX_ERRORCHECK},
};

CASE(timedwait_limits)
{
	for (unsigned k = 0; k < 3; k++) {
		for (unsigned c = 0; c < 2; c++) {
			for (unsigned i = 0; i < LIMITS; i++) {
				pthread_mutexattr_t ma;
				pthread_condattr_t ca;
				pthread_mutex_t m;
				pthread_cond_t v;

				begin("timedwait.%s.%s.%s", types[k].name, clocks[c].name, limits[i].name);
				pthread_mutexattr_init(&ma);
				pthread_mutexattr_settype(&ma, types[k].type);
				pthread_condattr_init(&ca);
				returns(pthread_condattr_setclock(&ca, clocks[c].clock));
				pthread_mutex_init(&m, &ma);
				returns(pthread_cond_init(&v, &ca));
				pthread_mutex_lock(&m);
				returns(pthread_cond_timedwait(&v, &m, &limits[i].time));
				returns(other(try_and_unlock, &m)); /* the mutex is ours again */
				returns(pthread_mutex_unlock(&m));
				returns(other(try_and_unlock, &m));
				returns(pthread_cond_destroy(&v));
				pthread_mutex_destroy(&m);
			}
		}
	}
}

CASE(clockwait_limits)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t v = PTHREAD_COND_INITIALIZER;

	for (unsigned c = 0; c < CLOCKS; c++) {
		for (unsigned i = 0; i < LIMITS; i++) {
			begin("clockwait.%s.%s", clocks[c].name, limits[i].name);
			pthread_mutex_lock(&m);
			returns(pthread_cond_clockwait(&v, &m, clocks[c].clock, &limits[i].time));
			returns(other(try_and_unlock, &m));
			returns(pthread_mutex_unlock(&m));
		}
	}
	returns(pthread_cond_destroy(&v));
}

/* A limit a little in the future passes too. */
CASE(timedwait_short)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t v = PTHREAD_COND_INITIALIZER;
	struct timespec t, now;

	pthread_mutex_lock(&m);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 2000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	int result;
	do
		result = pthread_cond_timedwait(&v, &m, &t);
	while (!result);
	returns(result);
	clock_gettime(CLOCK_REALTIME, &now);
	value(now.tv_sec > t.tv_sec || (now.tv_sec == t.tv_sec && now.tv_nsec >= t.tv_nsec));
	pthread_mutex_unlock(&m);
}

/* ---- the mutex ---- */

CASE(mutex_not_held_errorcheck)
{
	pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	returns(pthread_cond_wait(&c, &m));
	returns(pthread_cond_timedwait(&c, &m, &limits[0].time));
	returns(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &limits[0].time));
	returns(pthread_mutex_unlock(&m));
	returns(pthread_cond_destroy(&c));
}

CASE(mutex_not_held_recursive)
{
	pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	returns(pthread_cond_wait(&c, &m));
	returns(pthread_cond_timedwait(&c, &m, &limits[0].time));
	returns(pthread_mutex_unlock(&m));
}

struct pair {
	pthread_cond_t c;
	pthread_mutex_t m;
};

static int
wait_without(void *argument)
{
	struct pair *p = argument;

	return pthread_cond_wait(&p->c, &p->m);
}

CASE(mutex_held_by_other_errorcheck)
{
	struct pair p = {PTHREAD_COND_INITIALIZER, PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP};

	pthread_mutex_lock(&p.m);
	returns(other(wait_without, &p));
	returns(pthread_mutex_unlock(&p.m));
}

/* A wait releases one level of a recursive mutex, and takes one back. */
CASE(recursive_depth)
{
	pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	returns(pthread_mutex_lock(&m));
	returns(pthread_mutex_lock(&m));
	returns(pthread_cond_timedwait(&c, &m, &limits[0].time));
	returns(other(try_and_unlock, &m));
	returns(pthread_mutex_unlock(&m));
	returns(other(try_and_unlock, &m));
	returns(pthread_mutex_unlock(&m));
	returns(other(try_and_unlock, &m));
	returns(pthread_mutex_unlock(&m));
}

/* ---- waiting and waking ---- */

static struct {
	pthread_mutex_t m;
	pthread_cond_t c, back;
	int ready, waiting, woken, rounds;
} s = {.m = PTHREAD_MUTEX_INITIALIZER, .c = PTHREAD_COND_INITIALIZER, .back = PTHREAD_COND_INITIALIZER};

static void *
waiter(void *how)
{
	struct timespec later = far_away(CLOCK_REALTIME), later_monotonic = far_away(CLOCK_MONOTONIC);
	int result = 0;

	pthread_mutex_lock(&s.m);
	s.waiting++;
	pthread_cond_signal(&s.back);
	while (!s.ready && !result) {
		switch ((intptr_t)how) {
		case 0:
			result = pthread_cond_wait(&s.c, &s.m);
			break;
		case 1:
			result = pthread_cond_timedwait(&s.c, &s.m, &later);
			break;
		default:
			result = pthread_cond_clockwait(&s.c, &s.m, CLOCK_MONOTONIC, &later_monotonic);
		}
		if (result == ETIMEDOUT)
			result = 0; /* under control time may always pass: then the thread waits again */
	}
	if (s.ready > 0)
		s.ready--;
	s.woken++;
	pthread_mutex_unlock(&s.m);
	return (void *)(intptr_t)result;
}

/* All wait; then `signals` of them are woken one by one, or all at once. */
static void
wake(int count, intptr_t how, int broadcast)
{
	pthread_t t[4];
	void *result;

	s.ready = s.waiting = s.woken = 0;
	for (int i = 0; i < count; i++)
		pthread_create(&t[i], NULL, waiter, (void *)how);
	pthread_mutex_lock(&s.m);
	while (s.waiting < count)
		pthread_cond_wait(&s.back, &s.m);
	value(s.woken);
	if (broadcast) {
		s.ready = count;
		returns(pthread_cond_broadcast(&s.c));
		pthread_mutex_unlock(&s.m);
	} else {
		pthread_mutex_unlock(&s.m);
		for (int i = 0; i < count; i++) {
			pthread_mutex_lock(&s.m);
			s.ready++;
			returns(pthread_cond_signal(&s.c));
			pthread_mutex_unlock(&s.m);
		}
	}
	for (int i = 0; i < count; i++) {
		returns(pthread_join(t[i], &result));
		returns((int)(intptr_t)result);
	}
	value(s.woken);
	value(s.ready);
}

CASE(waking)
{
	static const char *const hows[] = {"wait", "timedwait", "clockwait"};

	for (int how = 0; how < 3; how++) {
		for (int count = 1; count <= 3; count++) {
			begin("signal.%s.%d", hows[how], count);
			wake(count, how, 0);
			begin("broadcast.%s.%d", hows[how], count);
			wake(count, how, 1);
		}
	}
	begin("destroy_after_waking");
	returns(pthread_cond_destroy(&s.c));
	returns(pthread_cond_destroy(&s.back));
	returns(pthread_mutex_destroy(&s.m));
}

/* Two threads, each other's turn. */
static struct {
	pthread_mutex_t m;
	pthread_cond_t c;
	int turn, sum;
} p = {.m = PTHREAD_MUTEX_INITIALIZER, .c = PTHREAD_COND_INITIALIZER};

static void *
turns(void *argument)
{
	int me = (int)(intptr_t)argument;

	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&p.m);
		while (p.turn != me)
			pthread_cond_wait(&p.c, &p.m);
		p.sum = p.sum * 2 + me;
		p.turn = !me;
		pthread_cond_broadcast(&p.c);
		pthread_mutex_unlock(&p.m);
	}
	return NULL;
}

CASE(turns_of_two)
{
	pthread_t t[2];

	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, turns, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	value(p.sum);
	value(p.turn);
}

CASE(process_shared)
{
	pthread_condattr_t a;
	pthread_cond_t c;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	pthread_condattr_init(&a);
	returns(pthread_condattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	returns(pthread_cond_init(&c, &a));
	pthread_mutex_lock(&m);
	returns(pthread_cond_timedwait(&c, &m, &limits[0].time));
	returns(pthread_cond_signal(&c));
	returns(pthread_mutex_unlock(&m));
	returns(pthread_cond_destroy(&c));
}
