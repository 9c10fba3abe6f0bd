/*
 * Recording on real threads: how threads begin, end, are joined and named; child processes; the end of the
 * process.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define T sl_unrecorded
#define self (&sl_lane_self)

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

/* The function of a new thread, which runs after its creator has recorded the creation. */
struct start {
	void *(*function)(void *);
	void *argument;
	uint32_t told;
};

static void *
run(void *argument)
{
	struct start *start = argument, s;

	while (!__atomic_load_n(&start->told, __ATOMIC_ACQUIRE))
		sl_raw(SYS_futex, &start->told, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	s = *start;
	__libc_free(start);
	self->start = (uint64_t)s.function + 1; /* like a return address, which is behind the call */
	sl_lane_open();
	return s.function(s.argument);
}

int
sl_lane_thread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*function)(void *), void *argument,
		      uint64_t pc)
{
	struct start *start = __libc_malloc(sizeof(*start));
	int error;

	sl_lane_before();
	if (!start)
		return EAGAIN;
	*start = (struct start){.function = function, .argument = argument};
	sl_lane_open();
	self->quiet++;
	error = SL_LANE_UNDER(thread_create, handle, attr, run, start);
	self->quiet--;
	if (error) {
		__libc_free(start);
		return error;
	}
	/* the thread's own memory exists: the thread waits for its creator */
	struct sl_lane_self *other =
		(void *)((char *)*handle + ((char *)self - (char *)__builtin_thread_pointer()));

	other->number = __atomic_fetch_add(&sl_reel->thread_count, 1, __ATOMIC_RELAXED);
	other->numbered = other->created = true;
	sl_lane_ticketed(SL_CREATE, 0, pc, other->number);
	__atomic_store_n(&start->told, 1, __ATOMIC_RELEASE);
	sl_raw(SYS_futex, &start->told, FUTEX_WAKE_PRIVATE, 1, NULL, NULL,
	       0); /* a superfluous wake-up is harmless */
	return 0;
}

/* ---- joining ---- */

/*
 * libc frees memory that it allocated in pthread_create(), which is not recorded as the program's. A cleanup,
 * because cancellation may end the call.
 */
struct quiet {
	bool on;
};

static void
quiet_end(struct quiet *quiet)
{
	self->quiet -= quiet->on;
}

#define QUIETLY                                                                                                   \
	struct quiet quiet __attribute__((unused, cleanup(quiet_end))) = {true};                                  \
                                                                                                                  \
	self->quiet++

static int
joined(int answer, uint32_t number, uint64_t pc)
{
	if (!answer)
		sl_lane_ticketed(SL_JOIN, 0, pc, number);
	return answer;
}

int
sl_lane_thread_join(pthread_t handle, void **result, int *number, const struct timespec *limit, clockid_t clock,
		    uint64_t pc)
{
	uint32_t joins;

	QUIETLY;
	sl_lane_before();
	joins = sl_lane_number(handle);
	return joined(SL_LANE_UNDER(thread_join, handle, result, number, limit, clock), joins, pc);
}

int
sl_lane_thread_tryjoin(pthread_t handle, void **result, uint64_t pc)
{
	uint32_t joins;

	QUIETLY;
	sl_lane_before();
	joins = sl_lane_number(handle);
	return joined(SL_LANE_UNDER(thread_tryjoin, handle, result), joins, pc);
}

int
sl_lane_thread_detach(pthread_t handle, uint64_t pc)
{
	sl_lane_ticketed(SL_DETACH, 0, pc, sl_lane_number(handle));
	return SL_LANE_UNDER(thread_detach, handle);
}

int
sl_lane_thread_cancel(pthread_t handle, uint64_t pc)
{
	sl_lane_ticketed(SL_CANCEL, 0, pc, sl_lane_number(handle));
	sl_lane_cancels(handle);
	return SL_LANE_UNDER(thread_cancel, handle);
}

static int
set_name(pthread_t handle, const char *name)
{
	int error = T.pthread_setname_np(handle, name);

	if (!error && handle == (pthread_t)__builtin_thread_pointer())
		sl_lane_thread_name(name);
	return error;
}

/* ---- processes ---- */

/* Recorded before the child exists: otherwise effects of the child could precede the item. */
static void
forks(uint64_t pc)
{
	sl_lane_ticketed(SL_FORK, 0, pc, 0);
	__atomic_add_fetch(&sl_reel->forked, 1, __ATOMIC_RELAXED);
}

/* The recorded fork() has failed. */
static void
not_forked(void)
{
	__atomic_sub_fetch(&sl_reel->forked, 1, __ATOMIC_RELAXED);
}

static pid_t
fork_(void)
{
	forks(SL_PC);
	return T.fork(); /* a handler of pthread_atfork() ends recording in the child */
}

static pid_t
fork_bare(void)
{
	pid_t pid;

	forks(SL_PC);
	pid = T._Fork();
	if (!pid)
		sl_lane_forked();
	return pid;
}

/* vfork() returns twice on one stack, so this function must not have a frame: the call is a jump. */
static pid_t
fork_borrowing(void)
{
	forks(SL_PC);
	return T.vfork();
}

static int
spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
      char *const arguments[], char *const environment[])
{
	int error;

	forks(SL_PC);
	error = T.posix_spawn(pid, path, actions, attributes, arguments, environment);
	if (error)
		not_forked();
	return error;
}

static int
spawn_searching(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	int error;

	forks(SL_PC);
	error = T.posix_spawnp(pid, file, actions, attributes, arguments, environment);
	if (error)
		not_forked();
	return error;
}

static int
shell(const char *command)
{
	if (command)
		forks(SL_PC);
	return T.system(command);
}

static FILE *
shell_stream(const char *command, const char *mode)
{
	FILE *stream;

	forks(SL_PC);
	stream = T.popen(command, mode);
	if (!stream)
		not_forked();
	return stream;
}

void
sl_lane_threads_install(struct sl_real *table)
{
	table->pthread_setname_np = set_name;
	table->fork = fork_;
	table->_Fork = fork_bare;
	table->vfork = fork_borrowing;
	table->posix_spawn = spawn;
	table->posix_spawnp = spawn_searching;
	table->system = shell;
	table->popen = shell_stream;
}
