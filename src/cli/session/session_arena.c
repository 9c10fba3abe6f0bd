/*
 * The arena of a session: creates, opens, resumes and releases it.
 */
#include "cli/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

static int
arena_map(int fd, struct sl_err *err)
{
	void *at = mmap((void *)SL_ARENA_ADDRESS, sizeof(struct sl_arena), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);

	if (at != (void *)SL_ARENA_ADDRESS)
		return sl_err_set(
			err,
			"cannot map shared memory of %zu GiB address space: %s (is there a limit, ulimit -v?)",
			sizeof(struct sl_arena) >> 30, strerror(errno));
	madvise(at, sizeof(struct sl_arena), MADV_DONTDUMP);
	madvise(at, sizeof(struct sl_arena), MADV_RANDOM); /* as in engine/boot/boot.c */
	return 0;
}

struct sl_arena *
sl_arena_open(const char *path, struct sl_err *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), result;
	struct stat info;

	if (fd < 0 || fstat(fd, &info) < 0) {
		sl_err_set(err, "cannot open the arena %s: %s", path, strerror(errno));
		return NULL;
	}
	if ((size_t)info.st_size != sizeof(struct sl_arena)) {
		close(fd);
		sl_err_set(err, "%s is not an arena of this version of Sleave", path);
		return NULL;
	}
	result = arena_map(fd, err);
	close(fd);
	if (result < 0)
		return NULL;
	if (SL_ARENA->magic != SL_ARENA_MAGIC) {
		sl_err_set(err, "%s is not an arena of this version of Sleave", path);
		return NULL;
	}
	return SL_ARENA;
}

static void
configure(struct sl_config *config, const struct sl_settings *settings)
{
	config->world = settings->world == SL_WORLD_AUTO ? SL_WORLD_MEMORY : (uint32_t)settings->world;
	config->carrier = (uint32_t)settings->carrier;
	config->races = (uint32_t)settings->races;
	config->sync_only = (uint32_t)settings->sync_only;
	if (config->sync_only) /* the few accesses that are seen (memcpy and the like) would give a false picture */
		config->races = SL_RACES_OFF;
	config->memory = (uint32_t)settings->memory;
	config->misuse = (uint32_t)settings->misuse;
	config->volatiles = (uint32_t)settings->volatiles;
	config->spurious = (uint32_t)settings->spurious;
	config->realistic_time = (uint32_t)settings->realistic_time;
	/* a finding can be suppressed only when it has a story, so the search continues */
	config->keep_going = settings->keep_going || settings->suppressions;
	config->compare = (uint32_t)settings->compare;
	config->show_output = (uint32_t)settings->show_output;
	config->workers = settings->jobs ? (uint32_t)settings->jobs : 1;
	config->seed = settings->seed;
	config->depth = (uint32_t)settings->depth;
	config->limit.preemptions =
		settings->limit.preemptions == UINT64_MAX ? 0 : (uint32_t)settings->limit.preemptions + 1;
	config->limit.executions = settings->limit.schedules;
	config->limit.nanoseconds = settings->limit.time;
	config->limit.operations = settings->limit.operations;
	config->limit.state_memory = settings->limit.state_memory;
	config->check_plan = (uint32_t)settings->check;
	if (settings->schedule)
		strncpy(config->plan, settings->schedule, sizeof(config->plan) - 1);
	if (settings->strategy)
		strncpy(config->strategy, settings->strategy, sizeof(config->strategy) - 1);
}

/* Returns whether programs can be started at the same addresses every time. Some sandboxes forbid it. */
static bool
layout_is_fixed(void)
{
	int old = personality(0xffffffff);

	if (old < 0 || personality((unsigned long)old | ADDR_NO_RANDOMIZE) < 0)
		return false;
	personality((unsigned long)old);
	return true;
}

/*
 * A page of the file cannot be allocated, not even for reading, so nothing can be reported: the command behaves as
 * if it had been killed.
 */
static void
on_bus_error(int signal, siginfo_t *info, void *context)
{
	static const char text[] =
		"sleave: no space is left for the file of the run in .sleave (is the disk full?)\n"
		"to resume when there is space: sleave run --resume\n";

	(void)context;
	if ((uintptr_t)info->si_addr - SL_ARENA_ADDRESS >= sizeof(struct sl_arena)) {
		sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		return;
	}
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(SL_EXIT_UNDECIDED);
	_exit(SL_EXIT_UNDECIDED);
}

static void
prepare(struct sl_session *session, const struct sl_settings *settings)
{
	memset(session, 0, sizeof(*session));
	session->owner = getpid();
	session->input = -1;
	session->file.fd = -1;
	sigaction(SIGBUS, &(struct sigaction){.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO}, NULL);
	session->watchdog = settings->watchdog;
	session->show_output = settings->show_output;
}

/* A new arena in session->fd. */
static int
init(struct sl_session *session, const struct sl_settings *settings, const struct sl_run_name *name,
     struct sl_err *err)
{
	bool fixed = layout_is_fixed();

	if (arena_map(session->fd, err) < 0) {
		sl_run_file_remove(&session->file);
		return -1;
	}
	session->arena = SL_ARENA;
	session->arena->size = sizeof(struct sl_arena);
	configure(&session->arena->config, settings);
	if (!fixed) {
		/* the workers share addresses, which would differ between them */
		session->arena->config.workers = 1;
		if (!settings->quiet)
			fputs("note: address randomisation cannot be turned off here (a sandbox?): the search runs in one "
			      "process, and a replay may not be exact\n",
			      stderr);
	}
	session->arena->started = sl_nanoseconds();
	if (session->file.fd >= 0 && (!fixed || !sl_run_file_sign(session->arena, name))) {
		unlink(session->file.path);
		session->file.path[0] = '\0';
	}
	__atomic_store_n(&session->arena->magic, SL_ARENA_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

int
sl_session_init(struct sl_session *session, const struct sl_settings *settings, struct sl_err *err)
{
	prepare(session, settings);
	session->fd = memfd_create("sleave arena", MFD_CLOEXEC);
	if (session->fd < 0 || ftruncate(session->fd, sizeof(struct sl_arena)) < 0) {
		sl_err_set(err, "cannot make shared memory: %s", strerror(errno));
		if (session->fd >= 0)
			close(session->fd);
		return -1;
	}
	if (init(session, settings, NULL, err) == 0)
		return 0;
	close(session->fd);
	return -1;
}

int
sl_session_init_lasting(struct sl_session *session, const struct sl_settings *settings,
			const struct sl_run_name *name, uint64_t *left, struct sl_err *err)
{
	const struct sl_strategy *strategy = settings->strategy ? sl_strategy_find(settings->strategy) : NULL;
	bool shares = settings->jobs > 1 && strategy && strategy->traits.shares;

	prepare(session, settings);
	if (!shares)
		sl_run_file_new(&session->file, name, left);
	if (session->file.fd < 0)
		return sl_session_init(session, settings, err);
	session->fd = session->file.fd;
	return init(session, settings, name, err);
}

int
sl_session_resume(struct sl_session *session, const struct sl_settings *settings, const struct sl_run_file *file,
		  struct sl_err *err)
{
	struct sl_config *config = &SL_ARENA->config;

	prepare(session, settings);
	if (!sl_run_file_is_sealed_well(file->fd))
		return sl_err_set(err, "%s is damaged: it has changed since the run wrote it", file->path);
	if (arena_map(file->fd, err) < 0)
		return -1;
	if (!layout_is_fixed() || !sl_resume(SL_ARENA)) {
		munmap(SL_ARENA, sizeof(struct sl_arena));
		return sl_err_set(err, "%s is damaged: the state of the run cannot be restored", file->path);
	}
	session->file = *file;
	session->fd = file->fd;
	session->arena = SL_ARENA;
	config->limit.executions = settings->limit.schedules;
	config->limit.nanoseconds = settings->limit.time;
	memset(config->reels, 0, sizeof(config->reels));
	SL_ARENA->origin.spent += SL_ARENA->origin.seen;
	SL_ARENA->origin.seen = 0;
	SL_ARENA->origin.ended = 0;
	SL_ARENA->origin.content = 0; /* the run changes the file from here on */
	SL_ARENA->started = sl_nanoseconds();
	return 0;
}

void
sl_session_release(struct sl_session *session)
{
	munmap(session->arena, sizeof(struct sl_arena));
	if (session->file.fd >= 0)
		sl_run_file_remove(&session->file);
	else
		close(session->fd);
	session->arena = NULL;
}

void
sl_session_keep(struct sl_session *session)
{
	session->arena->origin.ended = 1;
	munmap(session->arena, sizeof(struct sl_arena));
	sl_run_file_seal(session->fd);
	close(session->fd);
	session->arena = NULL;
}
