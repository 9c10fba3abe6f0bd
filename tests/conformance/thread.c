/* Threads: creating, joining, detaching, exiting, names, identity, scheduling. */
#include "conformance.h"

static void *
echo(void *v)
{
	return v;
}

static void *
leave(void *v)
{
	pthread_exit(v);
}

static int one = 1;

static void
result_of(void *(*start)(void *), void *argument)
{
	pthread_t t;
	void *result = &t;

	returns(pthread_create(&t, NULL, start, argument));
	returns(pthread_join(t, &result));
	value(result == argument);
}

CASE(returns_value) { result_of(echo, &one); }
CASE(returns_null) { result_of(echo, NULL); }
CASE(returns_minus_one) { result_of(echo, (void *)-1); }
CASE(exits_with_value) { result_of(leave, &one); }
CASE(exits_with_null) { result_of(leave, NULL); }

static __attribute__((noinline)) int
leave_deep(void *v, int depth)
{
	if (depth < 0)
		return 1;
	if (!depth)
		pthread_exit(v);
	return leave_deep(v, depth - 1) + leave_deep(v, -1); /* so many frames */
}

static void *
leave_from_deep(void *v)
{
	return leave_deep(v, 20) ? NULL : v;
}

CASE(exits_from_deep) { result_of(leave_from_deep, &one); }

CASE(join_without_result)
{
	pthread_t t;

	returns(pthread_create(&t, NULL, echo, &one));
	returns(pthread_join(t, NULL));
}

CASE(joins_itself)
{
	returns(pthread_join(pthread_self(), NULL));
}

static int
join_self(void *unused)
{
	(void)unused;
	return pthread_join(pthread_self(), NULL);
}

CASE(join_self_in_thread)
{
	returns(other(join_self, NULL));
}

static int
join_it(void *t)
{
	return pthread_join(*(pthread_t *)t, NULL);
}

CASE(join_by_other)
{
	pthread_t t;

	returns(pthread_create(&t, NULL, echo, NULL));
	returns(other(join_it, &t));
}

/* ---- detaching ---- */

static sem_t hold, held;

static void *
stay(void *unused)
{
	sem_post(&held);
	sem_wait(&hold);
	sem_post(&held);
	return unused;
}

static void
hold_init(void)
{
	sem_init(&hold, 0, 0);
	sem_init(&held, 0, 0);
}

static void
let_go(void)
{
	sem_post(&hold);
	sem_wait(&held);
}

CASE(detach_twice)
{
	pthread_t t;

	hold_init();
	returns(pthread_create(&t, NULL, stay, NULL));
	sem_wait(&held);
	returns(pthread_detach(t));
	returns(pthread_detach(t));
	let_go();
}

CASE(join_detached)
{
	pthread_t t;

	hold_init();
	returns(pthread_create(&t, NULL, stay, NULL));
	sem_wait(&held);
	returns(pthread_detach(t));
	returns(pthread_join(t, NULL));
	let_go();
}

CASE(created_detached)
{
	pthread_attr_t a;
	pthread_t t;

	hold_init();
	pthread_attr_init(&a);
	returns(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
	returns(pthread_create(&t, &a, stay, NULL));
	sem_wait(&held);
	returns(pthread_join(t, NULL));
	returns(pthread_detach(t));
	let_go();
	pthread_attr_destroy(&a);
}

static void *
detach_self(void *argument)
{
	intptr_t *results = argument;

	results[0] = pthread_detach(pthread_self());
	results[1] = pthread_detach(pthread_self());
	results[2] = pthread_join(pthread_self(), NULL);
	sem_post(&held);
	return NULL;
}

CASE(detaches_itself)
{
	static intptr_t results[3];
	pthread_t t;

	hold_init();
	returns(pthread_create(&t, NULL, detach_self, results));
	sem_wait(&held);
	for (int i = 0; i < 3; i++)
		returns((int)results[i]);
}

static void *
detach_main(void *t)
{
	return (void *)(intptr_t)pthread_detach(*(pthread_t *)t);
}

/* A thread that has ended but was not joined may still be detached. */
static void *
post_and_end(void *unused)
{
	sem_post(&held);
	return unused;
}

CASE(detach_after_end)
{
	pthread_t t;

	hold_init();
	returns(pthread_create(&t, NULL, post_and_end, NULL));
	sem_wait(&held);
	returns(pthread_detach(t));
}

CASE(detach_by_other)
{
	pthread_t t, d;
	void *result;

	hold_init();
	returns(pthread_create(&t, NULL, stay, NULL));
	sem_wait(&held);
	returns(pthread_create(&d, NULL, detach_main, &t));
	returns(pthread_join(d, &result));
	returns((int)(intptr_t)result);
	returns(pthread_join(t, NULL));
	let_go();
}

/* ---- identity ---- */

static pthread_t seen;

static void *
who_am_i(void *unused)
{
	seen = pthread_self();
	return unused;
}

CASE(identity)
{
	pthread_t t, me = pthread_self();

	value(pthread_equal(me, pthread_self()) != 0);
	returns(pthread_create(&t, NULL, who_am_i, NULL));
	returns(pthread_join(t, NULL));
	value(pthread_equal(t, seen) != 0);
	value(pthread_equal(t, me) != 0);
}

static int
own_tid(void *unused)
{
	(void)unused;
	return gettid();
}

CASE(kernel_identity)
{
	int me = gettid();

	value(gettid() == me);
	value(other(own_tid, NULL) == me);
	value(getpid() == getppid());
}

static __thread int local = 5;

static int
change_local(void *unused)
{
	(void)unused;
	int before = local;
	local = 9;
	return before * 10 + local;
}

CASE(thread_local_storage)
{
	local = 7;
	value(other(change_local, NULL));
	value(other(change_local, NULL));
	value(local);
}

static int
change_errno(void *unused)
{
	(void)unused;
	int before = errno;
	errno = ERANGE;
	return before;
}

CASE(errno_of_each)
{
	errno = EDOM;
	int theirs = other(change_errno, NULL);
	int mine = errno;
	value(theirs);
	value(mine == EDOM);
}

/* ---- many ---- */

CASE(hundred_one_after_another)
{
	int failed = 0;

	for (int i = 0; i < 100; i++) {
		pthread_t t;
		void *result;

		failed |= pthread_create(&t, NULL, echo, &one) || pthread_join(t, &result) || result != &one;
	}
	value(failed);
}

CASE(thirty_at_once)
{
	pthread_t t[30];
	void *result;
	int failed = 0;

	for (intptr_t i = 0; i < 30; i++)
		failed |= pthread_create(&t[i], NULL, echo, (void *)i);
	for (intptr_t i = 29; i >= 0; i--)
		failed |= pthread_join(t[i], &result) || result != (void *)i;
	value(failed);
}

static void *
tree(void *depth)
{
	intptr_t d = (intptr_t)depth, sum = 1;
	pthread_t t[2];
	void *result;

	if (!d)
		return (void *)sum;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, tree, (void *)(d - 1));
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], &result);
		sum += (intptr_t)result;
	}
	return (void *)sum;
}

CASE(threads_make_threads)
{
	value((intptr_t)tree((void *)4));
}

/* ---- names ---- */

static void
name_of(pthread_t t, size_t size)
{
	char name[64] = "-";

	returns(pthread_getname_np(t, name, size));
	word(name);
}

CASE(name_default)
{
	name_of(pthread_self(), 64);
}

CASE(name_set)
{
	returns(pthread_setname_np(pthread_self(), "short"));
	name_of(pthread_self(), 64);
	returns(pthread_setname_np(pthread_self(), "fifteen.letters"));
	name_of(pthread_self(), 64);
	returns(pthread_setname_np(pthread_self(), "sixteen..letters"));
	name_of(pthread_self(), 64);
	returns(pthread_setname_np(pthread_self(), "a name that is much too long for any kernel"));
	name_of(pthread_self(), 64);
	returns(pthread_setname_np(pthread_self(), "thread"));
}

CASE(name_buffer)
{
	returns(pthread_setname_np(pthread_self(), "abc"));
	name_of(pthread_self(), 0);
	name_of(pthread_self(), 3);
	name_of(pthread_self(), 4);
	name_of(pthread_self(), 15);
	name_of(pthread_self(), 16);
	returns(pthread_setname_np(pthread_self(), "thread"));
}

CASE(name_empty)
{
	char name[16] = "-";

	returns(pthread_setname_np(pthread_self(), "abc"));
	returns(pthread_setname_np(pthread_self(), ""));
	returns(pthread_getname_np(pthread_self(), name, sizeof(name)));
	value((long)strlen(name));
	returns(pthread_setname_np(pthread_self(), "thread"));
}

CASE(name_of_other)
{
	pthread_t t;

	hold_init();
	returns(pthread_create(&t, NULL, stay, NULL));
	sem_wait(&held);
	name_of(t, 64); /* inherited */
	returns(pthread_setname_np(t, "worker"));
	name_of(t, 64);
	name_of(t, 5);
	name_of(pthread_self(), 64);
	returns(pthread_setname_np(t, "sixteen..letters"));
	let_go();
	returns(pthread_join(t, NULL));
}

static char inherited[32];

static void *
own_name(void *unused)
{
	pthread_getname_np(pthread_self(), inherited, sizeof(inherited));
	return unused;
}

CASE(name_inherited)
{
	pthread_t t;

	returns(pthread_setname_np(pthread_self(), "parent"));
	returns(pthread_create(&t, NULL, own_name, NULL));
	returns(pthread_join(t, NULL));
	word(inherited);
	returns(pthread_setname_np(pthread_self(), "thread"));
}

/* ---- scheduling ---- */

CASE(schedparam_of_self)
{
	struct sched_param p = {.sched_priority = -1};
	int policy = -1;

	returns(pthread_getschedparam(pthread_self(), &policy, &p));
	value(policy);
	value(p.sched_priority);
	returns(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p));
	p.sched_priority = 5;
	returns(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p));
	p.sched_priority = 0;
	returns(pthread_setschedparam(pthread_self(), 77, &p));
	returns(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p));
	returns(pthread_setschedparam(pthread_self(), -1, &p));
}

CASE(schedprio_of_self)
{
	returns(pthread_setschedprio(pthread_self(), 0));
	returns(pthread_setschedprio(pthread_self(), 1));
	returns(pthread_setschedprio(pthread_self(), -1));
	returns(pthread_setschedprio(pthread_self(), 1000));
}

CASE(schedparam_of_other)
{
	struct sched_param p = {.sched_priority = -1};
	int policy = -1;
	pthread_t t;

	hold_init();
	returns(pthread_create(&t, NULL, stay, NULL));
	sem_wait(&held);
	returns(pthread_getschedparam(t, &policy, &p));
	value(policy);
	value(p.sched_priority);
	returns(pthread_setschedparam(t, SCHED_OTHER, &p));
	returns(pthread_setschedparam(t, 77, &p));
	returns(pthread_setschedprio(t, 0));
	returns(pthread_setschedprio(t, 1000));
	let_go();
	returns(pthread_join(t, NULL));
}

CASE(explicit_scheduling)
{
	pthread_attr_t a;
	pthread_t t;

	returns(pthread_attr_init(&a));
	returns(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED));
	returns(pthread_attr_setschedpolicy(&a, SCHED_OTHER));
	returns(pthread_create(&t, &a, echo, NULL));
	returns(pthread_join(t, NULL));
	returns(pthread_attr_destroy(&a));
}

CASE(concurrency)
{
	value(pthread_getconcurrency());
	returns(pthread_setconcurrency(5));
	value(pthread_getconcurrency());
	returns(pthread_setconcurrency(-1));
	value(pthread_getconcurrency());
	returns(pthread_setconcurrency(0));
	value(pthread_getconcurrency());
}

CASE(affinity_of_self)
{
	cpu_set_t set, none;

	CPU_ZERO(&set);
	CPU_ZERO(&none);
	returns(pthread_getaffinity_np(pthread_self(), sizeof(set), &set));
	value(CPU_COUNT(&set) > 0);
	returns(pthread_setaffinity_np(pthread_self(), sizeof(set), &set));
	returns(pthread_setaffinity_np(pthread_self(), sizeof(none), &none));
	returns(pthread_getaffinity_np(pthread_self(), 0, &set));
}

CASE(affinity_of_other)
{
	cpu_set_t set;
	pthread_t t;

	CPU_ZERO(&set);
	hold_init();
	returns(pthread_create(&t, NULL, stay, NULL));
	sem_wait(&held);
	returns(pthread_getaffinity_np(t, sizeof(set), &set));
	value(CPU_COUNT(&set) > 0);
	returns(pthread_setaffinity_np(t, sizeof(set), &set));
	let_go();
	returns(pthread_join(t, NULL));
}

CASE(cpu_clock_of_self)
{
	struct timespec now;
	clockid_t clock;

	returns(pthread_getcpuclockid(pthread_self(), &clock));
	errno_of(clock_gettime(clock, &now));
}

CASE(cpu_clock_of_other)
{
	struct timespec now;
	clockid_t clock;
	pthread_t t;

	hold_init();
	returns(pthread_create(&t, NULL, stay, NULL));
	sem_wait(&held);
	returns(pthread_getcpuclockid(t, &clock));
	errno_of(clock_gettime(clock, &now));
	let_go();
	returns(pthread_join(t, NULL));
}

CASE(yield)
{
	errno_of(sched_yield());
	errno_of(sched_get_priority_max(SCHED_FIFO));
	errno_of(sched_get_priority_max(77));
	errno_of(sched_get_priority_min(SCHED_OTHER));
}

/* ---- cleanup handlers without cancellation ---- */

static char trace[16];

static void
note(void *c)
{
	size_t n = strlen(trace);

	if (n + 1 < sizeof(trace))
		trace[n] = (char)(intptr_t)c;
}

static void *
cleanup_pops(void *unused)
{
	pthread_cleanup_push(note, (void *)'a');
	pthread_cleanup_push(note, (void *)'b');
	pthread_cleanup_push(note, (void *)'c');
	pthread_cleanup_pop(1);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(1);
	return unused;
}

static void *
cleanup_exits(void *unused)
{
	pthread_cleanup_push(note, (void *)'a');
	pthread_cleanup_push(note, (void *)'b');
	pthread_cleanup_push(note, (void *)'c');
	pthread_cleanup_pop(0);
	if (!unused)
		pthread_exit(NULL);
	pthread_cleanup_pop(1);
	pthread_cleanup_pop(1);
	return unused;
}

static void
cleanup(void *(*start)(void *), void *argument)
{
	pthread_t t;

	memset(trace, 0, sizeof(trace));
	returns(pthread_create(&t, NULL, start, argument));
	returns(pthread_join(t, NULL));
	word(trace);
}

CASE(cleanup_popped) { cleanup(cleanup_pops, NULL); }
CASE(cleanup_at_exit) { cleanup(cleanup_exits, NULL); }
CASE(cleanup_popped_in_order) { cleanup(cleanup_exits, &one); }

/* ---- cancellation of oneself as far as nothing is cancelled ---- */

CASE(cancel_state)
{
	int old = -1;

	returns(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	value(old == PTHREAD_CANCEL_ENABLE);
	returns(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	value(old == PTHREAD_CANCEL_DISABLE);
	returns(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	returns(pthread_setcancelstate(77, &old));
	returns(pthread_setcancelstate(-1, NULL));
}

CASE(cancel_type)
{
	int old = -1;

	returns(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	value(old == PTHREAD_CANCEL_DEFERRED);
	returns(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
	value(old == PTHREAD_CANCEL_DEFERRED);
	returns(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	value(old == PTHREAD_CANCEL_ASYNCHRONOUS);
	returns(pthread_setcanceltype(77, &old));
	returns(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL));
	pthread_testcancel();
}
