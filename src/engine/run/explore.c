/*
 * sleave_explore(): the same engine from inside a test. The process makes its own arena; the `sleave` command,
 * which is started for that and maps the same arena, reports findings, so that only the command prints.
 *
 * Under `sleave replay` the arena comes from the command, and has the number of the call to replay; other calls
 * return at once, because an exploration has no effect on the process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/section/criterion_tests.h"
#include "engine/section/section.h"
#include "search/phase.h"
#include "sleave.h"
#include "engine/under/poison.h"

extern char **environ;

SL_EXPORT int
sleave_active(void)
{
	return E.control;
}

SL_EXPORT unsigned
sleave_choose(unsigned n)
{
	unsigned answer;

	if (!E.control || n < 2)
		return 0;
	sl_announce(SL_CHOOSE, 0, SL_PC);
	sl_no_point();
	answer = sl_ask(SL_CHOOSE_VALUE, n, NULL);
	sl_note(answer);
	return answer;
}

/* ---- what only the analysis of a trace looks at ---- */

static void
declare(enum sl_op_kind kind, uint64_t object, uint64_t size, uint64_t pc)
{
	if (E.control) {
		sl_announce(kind, object, pc);
		sl_no_point();
		sl_note(size);
	} else if (unlikely(E.recording)) {
		sl_lane_ticketed((uint8_t)kind, object, pc, size);
	}
}

SL_EXPORT void
sleave_atomic_set(const void *memory, size_t size)
{
	declare(SL_DECLARE, (uint64_t)memory, size, SL_PC);
}

SL_EXPORT void
sleave_unit_begin(void)
{
	declare(SL_UNIT_BEGIN, 0, 0, SL_PC);
}

SL_EXPORT void
sleave_unit_end(void)
{
	declare(SL_UNIT_END, 0, 0, SL_PC);
}

static enum sleave_verdict
undecided(const struct sleave_options *options, const char *why)
{
	static const char head[] = "sleave: undecided: ";

	if (options && options->result)
		sl_text_copy(options->result->message, sizeof(options->result->message), why);
	if (!options || !options->quiet) {
		sl_raw(SYS_write, 2, head, sizeof(head) - 1);
		sl_raw(SYS_write, 2, why, sl_strlen(why));
		sl_raw(SYS_write, 2, "\n", 1);
	}
	return SLEAVE_UNDECIDED;
}

/* ---- the arena of a test ---- */

static int arena_descriptor = -1;

static bool
make_arena(void)
{
	struct sl_arena *a;

	if (arena_descriptor >= 0) {
		munmap((void *)SL_ARENA_ADDRESS, sizeof(struct sl_arena));
		close(arena_descriptor);
	}
	sl_descriptors_fill();
	arena_descriptor = memfd_create("sleave", MFD_CLOEXEC);
	if (arena_descriptor < 0 || ftruncate(arena_descriptor, sizeof(struct sl_arena)) != 0)
		return false;
	/* a high number, so that the program's descriptors have their usual numbers */
	int high = fcntl(arena_descriptor, F_DUPFD_CLOEXEC, 900);

	if (high >= 0) {
		close(arena_descriptor);
		arena_descriptor = high;
	}
	E.process.descriptor = arena_descriptor;
	a = mmap((void *)SL_ARENA_ADDRESS, sizeof(struct sl_arena), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, arena_descriptor, 0);
	if (a != SL_ARENA)
		return false;
	a->magic = SL_ARENA_MAGIC;
	a->size = sizeof(*a);
	a->program.has_control = 1;
	a->result.verdict = SLEAVE_UNDECIDED; /* until `sleave report` sets it */
	a->started = sl_nanoseconds();
	E.arena = a;
	sl_asked_move();
	E.worker = &a->workers[0];
	E.worker_number = 0;
	E.worker->pid = (int32_t)sl_raw(SYS_getpid);
	return true;
}

static void
configure(struct sl_config *c, const struct sleave_options *o)
{
	static const uint32_t compare[] = {SL_COMPARE_SAMPLE, SL_COMPARE_ALL, SL_COMPARE_OFF};
	static const uint32_t races[] = {SL_RACES_ON, SL_RACES_WARN, SL_RACES_OFF};

	c->world = SL_WORLD_MEMORY;
	c->carrier = SL_CARRIER_FIBER;
	c->workers = 1;
	c->limit.operations = o && o->operations ? o->operations : 20000000;
	c->races = races[o ? o->races % 3 : 0];
	c->compare = compare[o ? o->compare % 3 : 0];
	c->memory = SL_RACES_ON;
	c->misuse = races[o ? o->misuse % 3 : 0];
	c->limit.nanoseconds = 10000000000u;
	c->limit.in_time = o && o->seconds > 0;
	c->limit.state_memory = 1ul << 30;
	sl_text_copy(c->strategy, sizeof(c->strategy), sl_strategies[0]->name);
	if (!o)
		return;
	c->seed = o->seed;
	c->limit.executions = o->schedules;
	c->limit.preemptions = o->bound;
	if (o->seconds > 0)
		c->limit.nanoseconds = (uint64_t)(o->seconds * 1e9);
	else if (o->schedules)
		c->limit.nanoseconds = 0;
	c->spurious = o->spurious != 0;
	c->keep_going = o->keep_going != 0;
	c->quiet = o->quiet != 0;
	if (o->strategy)
		sl_text_copy(c->strategy, sizeof(c->strategy), o->strategy);
}

/* The state of a kernel thread. The joiner of a thread continues before the kernel has removed that. */
enum task { GONE, ENDING, RUNNING };

static enum task
task_state(const char *number)
{
	char path[64] = "/proc/self/task/", buffer[512] = "";
	size_t used = sl_strlen(path);
	unsigned long flags = 0;
	const char *at;
	long fd, n;

	sl_text_add(path, sizeof(path), &used, number);
	sl_text_add(path, sizeof(path), &used, "/stat");
	fd = sl_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return GONE;
	n = sl_raw(SYS_read, fd, buffer, sizeof(buffer) - 1);
	sl_raw(SYS_close, fd);
	if (n <= 0)
		return GONE;
	/* "PID (NAME) STATE PPID PGRP SESSION TTY TPGID FLAGS …", in which the name may have any characters */
	for (at = buffer + n; at > buffer && *at != ')';)
		at--;
	if (at + 2 < buffer + n && (at[2] == 'Z' || at[2] == 'X')) /* the first thread may stay a zombie */
		return GONE;
	for (int blanks = 0; at < buffer + n && blanks < 7; at++)
		blanks += *at == ' ';
	for (; at < buffer + n && *at >= '0' && *at <= '9'; at++)
		flags = flags * 10 + (unsigned long)(*at - '0');
	return flags & 4 /* PF_EXITING */ ? ENDING : RUNNING;
}

/*
 * Returns whether the process has threads that the engine does not know: they would run beside the exploration,
 * outside of control.
 */
bool
sl_others_run(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint32_t running, ending;

	do {
		char buffer[4096] = {0};
		long fd = sl_raw(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), n;

		if (fd < 0)
			return false;
		running = ending = 0;
		while ((n = sl_raw(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
			for (long at = 0; at < n; at += *(uint16_t *)(buffer + at + 16)) {
				enum task state = buffer[at + 19] == '.' ? GONE : task_state(buffer + at + 19);

				running += state == RUNNING;
				ending += state == ENDING;
			}
		sl_raw(SYS_close, fd);
		if (ending) /* ending threads will be removed soon */
			sl_raw(SYS_nanosleep, &pause, NULL);
	} while (ending && running <= sl_carriers_alive() + 1);
	return running > sl_carriers_alive() + 1;
}

/* ---- reporting ---- */

static bool
find_command(char *path)
{
	Dl_info self;
	size_t n;

	if (dladdr((void *)find_command, &self) && self.dli_fname) {
		sl_text_copy(path, PATH_MAX - 8, self.dli_fname);
		n = sl_strlen(path);
		while (n && path[n - 1] != '/')
			n--;
		sl_text_copy(path + n, 8, "sleave");
		if (n && access(path, X_OK) == 0)
			return true;
	}
	sl_text_copy(path, PATH_MAX, SL_BINDIR "/sleave");
	if (access(path, X_OK) == 0)
		return true;
	sl_text_copy(path, PATH_MAX, "sleave");
	return false;
}

/* The exit status of the command that reports this exploration; negative: it could not be started. */
int
sl_command_run(const char *option, const char *value)
{
	static char command[PATH_MAX];
	char arena[64] = "", pid[24] = "";
	char *arguments[] = {"sleave", "report",       "--pid",       pid, "--arena",
			     arena,    (char *)option, (char *)value, NULL};
	pid_t child = 0;
	int status;
	size_t used = 0;
	bool found = find_command(command);

	sl_text_add_number(pid, sizeof(pid), &used, (unsigned long)sl_raw(SYS_getpid));
	used = 0;
	sl_text_add(arena, sizeof(arena), &used, "/proc/");
	sl_text_add(arena, sizeof(arena), &used, pid);
	sl_text_add(arena, sizeof(arena), &used, "/fd/");
	sl_text_add_number(arena, sizeof(arena), &used, (unsigned long)arena_descriptor);
	fflush(NULL);
	if ((found ? posix_spawn : posix_spawnp)(&child, command, NULL, NULL, arguments, environ) != 0)
		return -1;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The command prints the story, writes the replay file and leaves a sentence in the arena. */
static bool
tell(void)
{
	int status = sl_command_run(NULL, NULL);

	return status >= 0 && status <= 3; /* the verdict */
}

#define EARLY_NS 100000000u /* shorter examinations are reported soon anyway */
#define EARLY_STEPS 1000000u

/*
 * Between two executions: a finding whose examination takes long is written to its replay file already, in case
 * the examination does not end. Under `sleave run` the command does that.
 */
void
sl_explore_write_early(void)
{
	struct sl_worker *w = E.worker;
	struct sl_case *c;
	uint64_t chld = 1ul << (SIGCHLD - 1), before;
	const struct timespec none = {0};

	if (arena_descriptor < 0 || (!sl_phase_of(w)->shortens && !sl_phase_of(w)->traces))
		return;
	c = &E.arena->cases[w->subject];
	if (E.arena->config.quiet || c->early || !c->version || c->warning || c->ready)
		return;
	if (c->steps < EARLY_STEPS && sl_nanoseconds() - w->shorten.from < EARLY_NS)
		return;
	/* the program must not get SIGCHLD for the command */
	sl_raw(SYS_rt_sigprocmask, SIG_BLOCK, &chld, &before, 8);
	sl_command_run("--early", NULL);
	sl_raw(SYS_rt_sigtimedwait, &chld, NULL, &none, 8);
	sl_raw(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
}

/*
 * Returns whether there is nothing to report: no finding, no trouble, the canary was found, and everything was
 * seen.
 */
static bool
nothing_to_tell(void)
{
	const struct sl_worker *w = E.worker;

	return !E.arena->case_count && !w->trouble.kind && !w->compare.diverged && !w->counters.cut &&
	       w->counters.threads > 1 && E.arena->program.instrumented && !E.arena->program.unaided &&
	       !E.arena->unseen[0].pc && w->counters.executions;
}

static void
fill(struct sleave_result *r)
{
	struct sl_arena *a = E.arena;
	struct sl_worker *w = E.worker;

	r->complete = w->progress.complete && !w->counters.cut && !w->counters.given_up && !w->compare.diverged &&
		      !w->marks.full && !a->unseen[0].pc;
	r->bound = a->unseen[0].pc ? -1 : w->progress.bound;
	r->executions = w->counters.executions ? w->counters.executions : 1;
	if (r->complete && w->progress.estimate) /* exact in that case, even if the search has started over */
		r->executions = w->progress.estimate;
	r->findings = 0;
	for (uint32_t i = 0; i < a->case_count; i++)
		r->findings += !a->cases[i].warning;
	r->preemptions = a->case_count ? a->cases[0].preemptions : 0;
	sl_text_copy(r->message, sizeof(r->message), a->result.message);
	sl_text_copy(r->replay_file, sizeof(r->replay_file), a->result.file);
}

/* Runs the body once: the outer exploration repeats it. */
static enum sleave_verdict
run_once(void (*body)(void *), void *arg, const struct sleave_options *options)
{
	body(arg);
	if (options && options->result)
		*options->result = (struct sleave_result){.verdict = SLEAVE_CLEAN, .executions = 1, .bound = -1};
	return SLEAVE_CLEAN;
}

SL_EXPORT enum sleave_verdict
sleave_explore(void (*body)(void *), void *arg, const struct sleave_options *options)
{
	static uint32_t calls;
	static struct sleave_result result;
	enum sleave_verdict verdict;
	bool replays = E.arena && arena_descriptor < 0;

	if (E.control) /* `sleave run` explores */
		return run_once(body, arg, options);
	if (E.recording) { /* `sleave record` on real threads: the exploration is missing in the recording, which it must report */
		sl_lane_explores();
		return run_once(body, arg, options);
	}
	calls++;
	if (sl_rt_follow_body(body, arg, sl_test_count(calls)))
		return SLEAVE_CLEAN;
	if (replays && E.arena->config.explore_call != sl_test_count(calls))
		return SLEAVE_CLEAN;
	if (options && options->result)
		*options->result = (struct sleave_result){.verdict = SLEAVE_UNDECIDED, .bound = -1};
	if (!replays && !make_arena())
		return undecided(options, "can't make the shared memory that an exploration needs");
	if (!replays) {
		configure(&E.arena->config, options);
		E.arena->program.explore_calls = sl_test_count(calls);
		const struct sl_strategy *strategy = sl_strategy_find(E.arena->config.strategy);

		if (!strategy)
			return undecided(options, "there is no strategy of that name");
		if (E.arena->config.limit.preemptions && !strategy->traits.bounded)
			return undecided(options,
					 "a bound on preemptions is for dpor and icb: this strategy has none");
	}
	if (sl_others_run())
		return undecided(options,
				 "other threads of the process are running: sleave_explore() needs to be alone");
	if (!replays && !sl_trace_begin(sl_test_count(calls)))
		return undecided(options, "can't begin the trace that SLEAVE_TRACE names");
	bool free = sl_rt_installed();

	if (free)
		sl_rt_uninstall();
	sl_explore(body, arg);
	if (free)
		sl_rt_install();
	if (replays)
		_exit(0); /* the command that requested this reports the rest */
	if (!sl_trace_end())
		return undecided(options, "the trace does not have all executions that were explored");
	if (nothing_to_tell() || (E.body.in_place && sl_section_was_skipped(false)))
		E.arena->result.verdict = SLEAVE_CLEAN;
	else if (!tell() && !E.arena->config.quiet)
		undecided(NULL, "can't start the `sleave` command, which reports what was found");
	result = (struct sleave_result){.bound = -1};
	fill(&result);
	verdict = (enum sleave_verdict)E.arena->result.verdict;
	if (result.findings)
		verdict = SLEAVE_FINDING;
	result.verdict = verdict;
	if (options && options->result)
		*options->result = result;
	return verdict;
}
