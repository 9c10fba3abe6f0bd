/*
 * Schedules on real threads: how threads begin, end, are named, cancelled and lost by fork().
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/entry/rt_code.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

static void
retire(struct sl_runner *r)
{
	sl_rt_become(r, SL_ENDED, false);
	r->epoch = F.epoch;
	r->waits.next = NULL;
	*(F.used.last ? &F.used.last->waits.next : &F.used.first) = r;
	F.used.last = r;
	F.used.count++;
}

static pthread_key_t end_key;

/*
 * The thread's last destructor: those of thread_local objects have run, and this is the last round of those of
 * keys. Before that the thread may still do anything.
 */
static void
finish(void *runner)
{
	struct sl_runner *r = runner;

	if (++r->rounds < PTHREAD_DESTRUCTOR_ITERATIONS && !sl_true.pthread_setspecific(end_key, r))
		return;
	sl_true.pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* the thread may be held */
	sl_rt_code_done();
	sl_rt_happens(r, SL_EVENT_END);
	sl_rt_lock();
	retire(r);
	for (struct sl_runner *w = sl_rt_waiter(r); w; w = sl_rt_waiter(r))
		sl_rt_unblock(w);
	sl_runner_self = NULL;
	sl_runner_gone = true;
	sl_rt_unlock();
}

void
sl_rt_threads_begin(void)
{
	sl_check(!sl_true.pthread_key_create(&end_key, finish));
}

static void *
run(void *runner)
{
	struct sl_runner *r = runner;
	uint32_t *announce = r->created.announce;

	sl_runner_self = r;
	sl_rt_lock();
	r->handle = sl_rt_me();
	r->tid = (int)sl_raw(SYS_gettid);
	sl_rt_unlock();
	sl_check(!sl_true.pthread_setspecific(end_key, r));
	sl_true.pthread_sigmask(SIG_SETMASK, &r->mask, NULL);
	if (announce) {
		__atomic_store_n(announce, 1, __ATOMIC_RELEASE);
		sl_raw(SYS_futex, announce, FUTEX_WAKE_PRIVATE, 1); /* a superfluous wake-up is harmless */
	}
	/* the thread is not cancelled while it is held */
	sl_true.pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sl_rt_happens(r, SL_EVENT_START);
	r->created.starting = false;
	sl_true.pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	return r->created.start(r->created.argument);
}

/*
 * Returns whether this is the thread of nanomsg for Criterion's messages, which waits for the process that runs
 * the tests.
 */
static bool
is_aside(void *(*start)(void *))
{
	static const char library[] = "/libnanomsg.so.";
	Dl_info info;

	if (!dladdr((void *)start, &info) || !info.dli_fname)
		return false;
	for (const char *c = info.dli_fname; *c; c++) {
		size_t n = 0;

		while (library[n] && c[n] == library[n])
			n++;
		if (!library[n])
			return true;
	}
	return false;
}

int
sl_rt_thread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *argument,
		    uint64_t pc SL_UNUSED)
{
	int detached = PTHREAD_CREATE_JOINABLE, error;
	struct sl_runner *creator = sl_rt_self();
	bool aside = is_aside(start);
	uint32_t is_there = 0;
	sigset_t all, mask;

	if (attr)
		pthread_attr_getdetachstate(attr, &detached);
	sl_rt_lock();
	struct sl_runner *r = sl_rt_runner_new();

	r->created.start = start;
	r->created.argument = argument;
	r->detached = detached == PTHREAD_CREATE_DETACHED;
	r->created.by = creator;
	r->aside = aside;
	r->created.starting = true;
	/*
	 * under control a thread exists, and gets signals, as soon as it was created; a schedule must have the
	 * same effect here
	 */
	r->created.announce = F.monitor ? &is_there : NULL;
	sl_rt_unlock();
	/* no handler must run in the new thread before it has its record */
	sl_memset(&all, 0xff, sizeof(all));
	sl_true.pthread_sigmask(SIG_SETMASK, &all, &mask);
	r->mask = mask;
	if (attr && pthread_attr_getsigmask_np(attr, &r->mask)) /* attr has no mask */
		r->mask = mask;
	error = sl_true.pthread_create(handle, attr, run, r);
	sl_true.pthread_sigmask(SIG_SETMASK, &mask, NULL);
	while (!error && r->created.announce == &is_there && !__atomic_load_n(&is_there, __ATOMIC_ACQUIRE))
		sl_raw(SYS_futex, &is_there, FUTEX_WAIT_PRIVATE, 0, NULL);
	sl_rt_lock();
	if (error) {
		F.numbers -= F.numbers == r->number;
		retire(r);
	} else if (!r->handle) {
		r->handle = *handle;
	}
	sl_rt_unlock();
	return error;
}

int
sl_rt_thread_detach(pthread_t handle, uint64_t pc SL_UNUSED)
{
	int error = sl_true.pthread_detach(handle);

	if (!error) {
		sl_rt_lock();
		struct sl_runner *r = sl_rt_find(handle);

		if (r)
			r->detached = true;
		sl_rt_unlock();
	}
	return error;
}

/* Names a thread. The caller, which may be another thread, is held if that is too early. */
void
sl_rt_name_runner(struct sl_runner *r, const char *name)
{
	sl_rt_lock();
	sl_text_copy(r->name, sizeof(r->name), name);
	r->named = true;
	F.version++; /* cached matches of events are for the old name */
	sl_rt_renamed(r);
	sl_rt_unlock();
	sl_rt_happens(r, SL_EVENT_START);
	sl_rt_lock();
	sl_rt_grant(); /* releases threads that were held because this name was missing */
	sl_rt_unlock();
}

static int
set_name(pthread_t handle, const char *name)
{
	int error = sl_true.pthread_setname_np(handle, name);
	struct sl_runner *mine = sl_rt_self(), *r;

	if (error || !mine)
		return error;
	sl_rt_lock();
	r = sl_rt_find(handle);
	sl_rt_unlock();
	if (r)
		sl_rt_name_runner(r, name);
	return 0;
}

/* Called in a child, which has only the thread that called fork(). */
static void
alone(void)
{
	struct sl_runner *mine = sl_runner_self;

	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		if (r != mine && r->doing != SL_ENDED) {
			r->doing = SL_ENDED;
			r->waits.queued = false;
			r->handle = 0;
		}
	}
	sl_memset(F.buckets, 0, sizeof(F.buckets));
	F.lock = F.waiting = 0;
	F.woken = F.held = NULL;
	F.held_last = &F.held;
	F.moving = mine != NULL;
	sl_runner_inside = false;
	if (mine) {
		mine->tid = (int)sl_raw(SYS_gettid);
		mine->number = 0;
	}
	sl_rt_forked();
}

static pid_t
forks(void)
{
	pid_t pid;

	F.children = true;
	pid = sl_true.fork();
	if (!pid)
		alone();
	return pid;
}

static pid_t
forks_(void)
{
	pid_t pid;

	F.children = true;
	pid = sl_true._Fork();
	if (!pid)
		alone();
	return pid;
}

/*
 * Returns whether there are threads whose creation the engine has not seen, so that their operations are unknown.
 * Threads that are parked since an exploration do not count.
 */
bool
sl_rt_strangers(void)
{
	char buffer[4096] = {0};
	long fd = sl_raw(SYS_open, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
	bool found = false;

	if (fd < 0)
		return true;
	while ((n = sl_raw(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < n; at += *(uint16_t *)(buffer + at + 16)) {
			int tid = 0;
			bool known = false;

			for (const char *c = buffer + at + 19; *c >= '0' && *c <= '9'; c++)
				tid = tid * 10 + *c - '0';
			for (uint32_t i = 0; tid && i < F.runner_count && !known; i++)
				known = F.runners[i].tid == tid; /* also threads that have just ended */
			found |= tid && !known && !sl_carrier_is(tid);
		}
	sl_raw(SYS_close, fd);
	return found;
}

/* A signal or a cancellation may end the thread's wait. */
static void
stir(pthread_t handle, bool signal)
{
	struct sl_runner *r;

	if (sl_rt_inside())
		return;
	sl_rt_lock();
	r = sl_rt_find(handle);
	if (r) {
		r->stirred |= signal && r->doing != SL_RUNS;
		r->cancelled |= !signal;
		if (r->doing != SL_ENDED)
			sl_rt_become(r, r->doing, r->doing != SL_RUNS);
	}
	sl_rt_unlock();
}

int
sl_rt_thread_cancel(pthread_t handle, uint64_t pc SL_UNUSED)
{
	stir(handle, false);
	return sl_true.pthread_cancel(handle);
}

static int
kill_thread(pthread_t handle, int signal)
{
	if (signal)
		stir(handle, true);
	return sl_true.pthread_kill(handle, signal);
}

void
sl_rt_threads_install(struct sl_real *table)
{
	table->pthread_kill = kill_thread;
	table->pthread_setname_np = set_name;
	table->fork = forks;
	table->_Fork = forks_;
}
