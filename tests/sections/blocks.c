/*
 * A thread that waits in a primitive is blocked, in any primitive. For each of them: a thread waits for what only
 * comes after `[waits] -> gives`; and if it has come before, that order is impossible, which is seen at once.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive, errorcheck, inherit;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once;
static sem_t semaphore;
static mtx_t mtx;
static cnd_t cnd;
static pthread_t helper;
static int pipe_ends[2], pair[2], counter, epoll;
static atomic_uint word;
static atomic_int arrived, given;
static const struct timespec far = {.tv_sec = 4000000000};

struct primitive {
	const char *name;
	void (*before)(void); /* main, before the thread is there */
	void (*wait)(void);   /* the thread */
	void (*give)(void);   /* main */
	void (*after)(void);  /* main, at the end */
};

static void nothing(void) {}

static void lock_mutex(void) { assert(pthread_mutex_lock(&mutex) == 0); }
static void unlock_mutex(void) { assert(pthread_mutex_unlock(&mutex) == 0); }
static void wait_mutex(void) { lock_mutex(), unlock_mutex(); }
static void wait_mutex_timed(void) { assert(pthread_mutex_timedlock(&mutex, &far) == 0), unlock_mutex(); }
static void wait_mutex_clock(void)
{
	assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &far) == 0), unlock_mutex();
}
static void lock_recursive(void) { assert(!pthread_mutex_lock(&recursive) && !pthread_mutex_lock(&recursive)); }
static void unlock_recursive(void) { assert(!pthread_mutex_unlock(&recursive) && !pthread_mutex_unlock(&recursive)); }
static void wait_recursive(void) { lock_recursive(), unlock_recursive(); }
static void lock_errorcheck(void)
{
	assert(!pthread_mutex_lock(&errorcheck) && pthread_mutex_lock(&errorcheck) == EDEADLK);
}
static void unlock_errorcheck(void)
{
	assert(!pthread_mutex_unlock(&errorcheck) && pthread_mutex_unlock(&errorcheck) == EPERM);
}
static void wait_errorcheck(void) { pthread_mutex_lock(&errorcheck), pthread_mutex_unlock(&errorcheck); }
static void lock_inherit(void) { assert(!pthread_mutex_lock(&inherit)); }
static void unlock_inherit(void) { assert(!pthread_mutex_unlock(&inherit)); }
static void wait_inherit(void) { lock_inherit(), unlock_inherit(); }

static void wait_cond(void)
{
	lock_mutex();
	while (!given)
		pthread_cond_wait(&cond, &mutex);
	unlock_mutex();
}
static void wait_cond_timed(void)
{
	lock_mutex();
	while (!given)
		assert(pthread_cond_timedwait(&cond, &mutex, &far) == 0);
	unlock_mutex();
}
static void signal_cond(void) { lock_mutex(), (void)(given = 1), pthread_cond_signal(&cond), unlock_mutex(); }
static void broadcast_cond(void) { lock_mutex(), (void)(given = 1), unlock_mutex(), pthread_cond_broadcast(&cond); }

static void lock_write(void) { assert(!pthread_rwlock_wrlock(&rwlock)); }
static void lock_read(void) { assert(!pthread_rwlock_rdlock(&rwlock)); }
static void unlock_rw(void) { assert(!pthread_rwlock_unlock(&rwlock)); }
static void wait_read(void) { lock_read(), unlock_rw(); }
static void wait_write(void) { lock_write(), unlock_rw(); }
static void wait_write_timed(void) { assert(!pthread_rwlock_timedwrlock(&rwlock, &far)), unlock_rw(); }

static void lock_spin(void) { assert(!pthread_spin_lock(&spin)); }
static void unlock_spin(void) { assert(!pthread_spin_unlock(&spin)); }
static void wait_spin(void) { lock_spin(), unlock_spin(); }

static void wait_sem(void) { assert(!sem_wait(&semaphore)); }
static void wait_sem_timed(void) { assert(!sem_timedwait(&semaphore, &far)); }
static void post_sem(void) { assert(!sem_post(&semaphore)); }

static void wait_barrier(void) { pthread_barrier_wait(&barrier); }

static void slow(void) { lock_mutex(), unlock_mutex(); }
static void *calls_once(void *unused)
{
	pthread_once(&once, slow);
	return unused;
}
/* The helper runs the function of pthread_once(), and gets no further than the mutex, which main holds. */
static void begin_once(void)
{
	once = PTHREAD_ONCE_INIT;
	lock_mutex();
	pthread_create(&helper, NULL, calls_once, NULL);
	while (!(*(volatile int *)&once & 1))
		sched_yield();
}
static void wait_once(void) { pthread_once(&once, slow); }
static void join_helper(void) { pthread_join(helper, NULL); }
static void end_once(void) { unlock_mutex(), join_helper(); }

static void *waits_for_sem(void *unused)
{
	wait_sem();
	return unused;
}
static void begin_join(void) { pthread_create(&helper, NULL, waits_for_sem, NULL); }

static void lock_mtx(void) { assert(mtx_lock(&mtx) == thrd_success); }
static void unlock_mtx(void) { assert(mtx_unlock(&mtx) == thrd_success); }
static void wait_mtx(void) { lock_mtx(), unlock_mtx(); }
static void wait_cnd(void)
{
	lock_mtx();
	while (!given)
		cnd_wait(&cnd, &mtx);
	unlock_mtx();
}
static void signal_cnd(void) { lock_mtx(), (void)(given = 1), cnd_signal(&cnd), unlock_mtx(); }

static void wait_futex(void)
{
	while (!word)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}
static void wake_futex(void) { (void)(word = 1), syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

static void open_pipe(void) { assert(!pipe(pipe_ends)); }
static void close_pipe(void) { close(pipe_ends[0]), close(pipe_ends[1]); }
static void read_pipe(void)
{
	char c;
	assert(read(pipe_ends[0], &c, 1) == 1);
}
static void write_pipe(void) { assert(write(pipe_ends[1], "x", 1) == 1); }
static void fill_pipe(void)
{
	char data[4096] = {0};
	open_pipe();
	fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK);
	while (write(pipe_ends[1], data, sizeof(data)) > 0)
		;
	fcntl(pipe_ends[1], F_SETFL, 0);
}
static void empty_pipe(void)
{
	char data[65536];
	assert(read(pipe_ends[0], data, sizeof(data)) > 0);
}
static void poll_pipe(void)
{
	struct pollfd fd = {.fd = pipe_ends[0], .events = POLLIN};
	assert(poll(&fd, 1, -1) == 1);
}
static void select_pipe(void)
{
	fd_set in;
	FD_ZERO(&in);
	FD_SET(pipe_ends[0], &in);
	assert(select(pipe_ends[0] + 1, &in, NULL, NULL, NULL) == 1);
}
static void open_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	open_pipe();
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_ends[0], &event);
}
static void close_epoll(void) { close(epoll), close_pipe(); }
static void wait_epoll(void)
{
	struct epoll_event event;
	assert(epoll_wait(epoll, &event, 1, -1) == 1);
}
static void open_pair(void) { assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)); }
static void close_pair(void) { close(pair[0]), close(pair[1]); }
static void receive(void)
{
	char c;
	assert(recv(pair[0], &c, 1, 0) == 1);
}
static void send_one(void) { assert(send(pair[1], "x", 1, 0) == 1); }
static void open_counter(void) { counter = eventfd(0, 0); }
static void close_counter(void) { close(counter); }
static void read_counter(void)
{
	uint64_t value;
	assert(read(counter, &value, sizeof(value)) == sizeof(value));
}
static void write_counter(void)
{
	uint64_t value = 1;
	assert(write(counter, &value, sizeof(value)) == sizeof(value));
}

static const struct primitive primitives[] = {
	{"mutex", lock_mutex, wait_mutex, unlock_mutex, nothing},
	{"timed mutex", lock_mutex, wait_mutex_timed, unlock_mutex, nothing},
	{"mutex by a clock", lock_mutex, wait_mutex_clock, unlock_mutex, nothing},
	{"recursive mutex", lock_recursive, wait_recursive, unlock_recursive, nothing},
	{"errorcheck mutex", lock_errorcheck, wait_errorcheck, unlock_errorcheck, nothing},
	{"mutex that inherits", lock_inherit, wait_inherit, unlock_inherit, nothing},
	{"condition", nothing, wait_cond, signal_cond, nothing},
	{"broadcast", nothing, wait_cond, broadcast_cond, nothing},
	{"timed condition", nothing, wait_cond_timed, signal_cond, nothing},
	{"read lock", lock_write, wait_read, unlock_rw, nothing},
	{"write lock", lock_read, wait_write, unlock_rw, nothing},
	{"timed write lock", lock_write, wait_write_timed, unlock_rw, nothing},
	{"spin lock", lock_spin, wait_spin, unlock_spin, nothing},
	{"semaphore", nothing, wait_sem, post_sem, nothing},
	{"timed semaphore", nothing, wait_sem_timed, post_sem, nothing},
	{"barrier", nothing, wait_barrier, wait_barrier, nothing},
	{"once", begin_once, wait_once, end_once, nothing},
	{"join", begin_join, join_helper, post_sem, nothing},
	{"C11 mutex", lock_mtx, wait_mtx, unlock_mtx, nothing},
	{"C11 condition", nothing, wait_cnd, signal_cnd, nothing},
	{"futex", nothing, wait_futex, wake_futex, nothing},
	{"read from a pipe", open_pipe, read_pipe, write_pipe, close_pipe},
	{"write to a pipe", fill_pipe, write_pipe, empty_pipe, close_pipe},
	{"poll", open_pipe, poll_pipe, write_pipe, close_pipe},
	{"select", open_pipe, select_pipe, write_pipe, close_pipe},
	{"epoll", open_epoll, wait_epoll, write_pipe, close_epoll},
	{"socket", open_pair, receive, send_one, close_pair},
	{"eventfd", open_counter, read_counter, write_counter, close_counter},
};

static void *
waiter(void *primitive)
{
	sleave_event("waits");
	arrived = 1;
	((const struct primitive *)primitive)->wait();
	sleave_event("waited");
	return NULL;
}

static void
prepare(const struct primitive *p)
{
	arrived = given = 0;
	word = 0;
	p->before();
}

int
main(void)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&errorcheck, &a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_NORMAL);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inherit, &a);
	pthread_spin_init(&spin, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&semaphore, 0, 0);
	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
	for (unsigned i = 0; i < sizeof(primitives) / sizeof(*primitives); i++) {
		const struct primitive *p = &primitives[i];
		pthread_t thread;

		SLEAVE_SCHEDULES(p->name, "[waits] -> gives, given -> waited") {
			prepare(p);
			pthread_create(&thread, NULL, waiter, (void *)p);
			sleave_event("gives");
			assert(arrived);
			p->give();
			sleave_event("given");
			pthread_join(thread, NULL);
			p->after();
		}
		if (strcmp(p->name, "barrier") == 0 || strcmp(p->name, "join") == 0)
			continue; /* no give before a wait; a thread that has ended need not be waited for */
		SLEAVE_INFEASIBLE(p->name, "given -> waits, [waits] -> goes") {
			prepare(p);
			pthread_create(&thread, NULL, waiter, (void *)p);
			p->give();
			sleave_event("given");
			sleave_event("goes");
			pthread_join(thread, NULL);
			p->after();
		}
	}
	return 0;
}
