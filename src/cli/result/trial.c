#include "cli/result/trial.h"

#include "cli/result/visit.h"
#include "cli/signal_set.h"
#include "report/words.h"
#include "search/arena.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARENA_DESCRIPTOR 900 /* the arena of a process that explores in place (engine/run/explore.c) */
#define DEPTH_MAX 8          /* levels of child processes */

static const char *const mode_names[] = {"auto", "free", "check", "explore"};

void
sl_trial_init(struct sl_trial *trial, const struct sl_candidate *candidate, const struct sl_settings *settings)
{
	memset(trial, 0, sizeof(*trial));
	trial->candidate = candidate;
	trial->results = trial->output.fd = -1;
	trial->mode = (enum sl_trial_mode)settings->test.mode;
	if (trial->mode == SL_MODE_AUTO)
		trial->mode = candidate->instrumented ? SL_MODE_EXPLORE : SL_MODE_FREE;
	trial->tested.program = candidate->name;
	trial->tested.path = candidate->path;
	trial->tested.mode = mode_names[trial->mode];
}

/* ---- starting ---- */

/* The variables that sections read (engine/section/inplace.c, engine/realtime/rt.c). */
static void
environment(const struct sl_trial *trial, const struct sl_settings *settings, const char *output, pid_t owner)
{
	char text[128];

	unsetenv(SL_ARENA_ENV);
	unsetenv("SLEAVE_MODE");
	unsetenv("SLEAVE_EXPLORE");
	unsetenv("SLEAVE_FILTER");
	setenv("SLEAVE_PROGRAM", trial->candidate->name, 1);
	if (settings->test.filter)
		setenv("SLEAVE_FILTER", settings->test.filter, 1);
	if (trial->mode != SL_MODE_FREE)
		setenv("SLEAVE_MODE", mode_names[trial->mode], 1);
	if (trial->mode == SL_MODE_EXPLORE) {
		snprintf(text, sizeof(text), "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64, settings->strategy,
			 settings->seed, settings->limit.schedules, (settings->limit.time + 999999) / 1000000);
		setenv("SLEAVE_EXPLORE", text, 1);
	}
	snprintf(text, sizeof(text), "/proc/%ld/fd/%d", (long)owner, trial->results);
	setenv("SLEAVE_RESULTS", text, 1);
	setenv("SLEAVE_OUTPUT", output, 1);
	if (settings->tape)
		setenv("SLEAVE_TRACE", settings->tape, 1);
	else
		unsetenv("SLEAVE_TRACE");
}

/* The program ends with `sleave test`, does not get Ctrl-C, and its output is kept. */
static void
prepare(const struct sl_trial *trial, pid_t owner)
{
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != owner)
		_exit(3);
	setpgid(0, 0);
	sl_signals_reset();
	dup2(trial->output.fd, STDOUT_FILENO);
	dup2(trial->output.fd, STDERR_FILENO);
	fd = open("/dev/null", O_RDONLY);
	if (fd != STDIN_FILENO) {
		dup2(fd, STDIN_FILENO);
		close(fd);
	}
}

static _Noreturn void
become(const struct sl_trial *trial, const struct sl_settings *settings, const char *output, pid_t owner)
{
	char *argv[] = {trial->candidate->path, NULL};
	struct rlimit limit;

	prepare(trial, owner);
	/* no core file of an explored program: it would contain all the shared memory */
	if (trial->mode == SL_MODE_EXPLORE && getrlimit(RLIMIT_CORE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max ? 1 : 0;
		setrlimit(RLIMIT_CORE, &limit);
	}
	environment(trial, settings, output, owner);
	execv(trial->candidate->path, argv);
	dprintf(STDERR_FILENO, "sleave: cannot run %s: %s\n", trial->candidate->path, strerror(errno));
	_exit(125);
}

static void
finish(struct sl_trial *trial, const char *message, bool undecided)
{
	trial->over = true;
	trial->tested.nanoseconds = trial->started ? sl_nanoseconds() - trial->started : 0;
	sl_tested_end(&trial->tested, message, undecided);
}

void
sl_trial_start(struct sl_trial *trial, const struct sl_settings *settings, const char *output)
{
	pid_t owner = getpid();
	char message[256];

	if (trial->mode == SL_MODE_EXPLORE && trial->candidate->refusal.text[0]) {
		finish(trial, trial->candidate->refusal.text, true);
		return;
	}
	trial->started = trial->moved_at = sl_nanoseconds();
	trial->results = memfd_create("results", MFD_CLOEXEC);
	if (trial->results >= 0 && sl_capture_open(&trial->output, "output of a test") == 0) {
		fflush(NULL);
		trial->pid = fork();
		if (trial->pid == 0)
			become(trial, settings, output, owner);
		if (trial->pid > 0) {
			setpgid(trial->pid, trial->pid);
			trial->tested.process = trial->pid;
			return;
		}
	}
	trial->pid = 0;
	snprintf(message, sizeof(message), "the program cannot be started: %s", strerror(errno));
	finish(trial, message, true);
}

/* ---- watching ---- */

static void
process_kill(const struct sl_trial *trial, int signal)
{
	if (trial->pid && kill(-trial->pid, signal) < 0)
		kill(trial->pid, signal);
}

/* Returns the progress of a search inside the process, as for `sleave run`. */
static uint64_t
search_movement(pid_t pid)
{
	const off_t at = offsetof(struct sl_arena, workers);
	uint64_t magic = 0, beat = 0, counts[2] = {0};
	uint32_t phase = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)pid, ARENA_DESCRIPTOR);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == SL_ARENA_MAGIC &&
	    (pread(fd, &beat, sizeof(beat), at + (off_t)offsetof(struct sl_worker, beat)) < 0 ||
	     pread(fd, &phase, sizeof(phase), at + (off_t)offsetof(struct sl_worker, phase)) < 0 ||
	     pread(fd, &counts[0], sizeof(counts[0]),
		   at + (off_t)offsetof(struct sl_worker, counters.executions)) < 0 ||
	     pread(fd, &counts[1], sizeof(counts[1]), at + (off_t)offsetof(struct sl_worker, counters.helpers)) <
		     0))
		beat = 0;
	close(fd);
	return beat + phase + counts[0] + counts[1];
}

/* Frameworks may run tests in child processes. */
static uint64_t
processes_movement(pid_t pid, int depth)
{
	uint64_t moved = search_movement(pid);
	char path[64 + NAME_MAX];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	tasks = depth < DEPTH_MAX ? opendir(path) : NULL;
	while (tasks && (entry = readdir(tasks))) {
		FILE *f;
		int child;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%ld/task/%s/children", (long)pid, entry->d_name);
		f = fopen(path, "re");
		while (f && fscanf(f, "%d", &child) == 1)
			moved += processes_movement(child, depth + 1);
		if (f)
			fclose(f);
	}
	if (tasks)
		closedir(tasks);
	return moved;
}

static off_t
size_of(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 ? info.st_size : 0;
}

/* Any output or result is progress; the progress of a search is checked only when it may matter. */
static void
watch(struct sl_trial *trial, uint64_t limit, uint64_t now)
{
	uint64_t visible = (uint64_t)size_of(trial->output.fd) + (uint64_t)size_of(trial->results), searched;

	if (visible != trial->visible) {
		trial->visible = visible;
		trial->moved_at = now;
		trial->looked = false;
	} else if (now - trial->moved_at > limit / 2) {
		searched = processes_movement(trial->pid, 0);
		if (trial->looked && searched != trial->searched) {
			trial->moved_at = now;
		} else if (now - trial->moved_at > limit && !trial->hanged) {
			trial->hanged = true;
			process_kill(trial, SIGKILL);
		}
		trial->searched = searched;
		trial->looked = true;
	}
}

/* ---- ending ---- */

static void
take_results(struct sl_trial *trial)
{
	off_t size = size_of(trial->results);
	size_t left = (size_t)(size - trial->taken), got = 0;
	char *text = sl_must(malloc(left + 1));
	ssize_t n;

	while (got < left && (n = pread(trial->results, text + got, left - got, trial->taken + (off_t)got)) > 0)
		got += (size_t)n;
	trial->taken += (off_t)sl_tested_take(&trial->tested, text, got);
	free(text);
}

static void
take_output(struct sl_trial *trial)
{
	struct sl_tested *t = &trial->tested;
	off_t size = size_of(trial->output.fd);
	size_t left;
	ssize_t n;

	sl_capture_drain(&trial->output, -1);
	left = (size_t)(size - trial->output.done);
	t->output_lost = (uint64_t)trial->output.done;
	t->output = sl_must(malloc(left + 1));
	while (t->output_size < left &&
	       (n = pread(trial->output.fd, t->output + t->output_size, left - t->output_size,
			  trial->output.done + (off_t)t->output_size)) > 0)
		t->output_size += (size_t)n;
	t->output[t->output_size] = '\0';
}

static void
ended(struct sl_trial *trial, const struct sl_settings *settings, int status)
{
	char *message = trial->message, said[256];
	const size_t room = sizeof(trial->message);
	bool undecided = false;

	take_results(trial);
	sl_capture_drain(&trial->output, -1);
	if (trial->taken != size_of(trial->results))
		trial->tested.unreadable = true;
	if (trial->hanged) {
		snprintf(message, room,
			 "the program had no output and no progress for %.3g s, so it was ended (--watchdog)",
			 (double)settings->watchdog / 1e9);
		/* a search without progress is Sleave's problem, not the test's */
		undecided = trial->mode == SL_MODE_EXPLORE;
	} else if (trial->interrupted) {
		snprintf(message, room, "the program was interrupted");
		undecided = true;
	} else if (WIFSIGNALED(status)) {
		snprintf(message, room, "the program was ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	} else if (WEXITSTATUS(status) == 125 && sl_capture_find(&trial->output, "sleave: ", said, sizeof(said))) {
		snprintf(message, room, "%s", said); /* the engine's message is the reason */
		undecided = true;
	} else if (WEXITSTATUS(status)) {
		snprintf(message, room, "the program ended with status %d", WEXITSTATUS(status));
	}
	trial->undecided = undecided;
}

/* ---- sections that could not be explored in place ---- */

static bool
is_worth_it(const struct sl_trial *trial, const struct sl_visit *visit)
{
	return visit->process == trial->tested.process && visit->test->verdict == SL_TEST_PASSED &&
	       !sl_test_is_skipped(visit->test);
}

/* Returns false if nothing is left to do. */
static bool
visit_next(struct sl_trial *trial, const struct sl_settings *settings, const char *output)
{
	const struct sl_tested *t = &trial->tested;
	pid_t owner = getpid();
	char results[64];

	trial->visiting = true;
	while (trial->visited < t->visit_count && !is_worth_it(trial, &t->visits[trial->visited]))
		trial->visited++;
	if (trial->visited == t->visit_count || trial->hanged || trial->interrupted || t->unreadable)
		return false;
	snprintf(results, sizeof(results), "/proc/%ld/fd/%d", (long)owner, trial->results);
	fflush(NULL);
	trial->pid = fork();
	if (trial->pid == 0) {
		prepare(trial, owner);
		sl_visit_become(&t->visits[trial->visited], settings, trial->candidate->path, output, results);
	}
	trial->visited++;
	if (trial->pid > 0)
		setpgid(trial->pid, trial->pid);
	else
		trial->pid = 0;
	return trial->pid > 0;
}

static void
conclude(struct sl_trial *trial)
{
	take_output(trial);
	finish(trial, *trial->message ? trial->message : NULL, trial->undecided);
	close(trial->output.fd);
	close(trial->results);
	trial->output.fd = trial->results = -1;
}

void
sl_trial_look(struct sl_trial *trial, const struct sl_settings *settings, const char *output, uint64_t now)
{
	int status;

	if (!trial->pid)
		return;
	if (waitpid(trial->pid, &status, WNOHANG) == trial->pid) {
		kill(-trial->pid, SIGKILL); /* its children, too */
		trial->pid = 0;
		if (trial->visiting)
			take_results(trial);
		else
			ended(trial, settings, status);
		if (!visit_next(trial, settings, output))
			conclude(trial);
		return;
	}
	if (!trial->visiting) /* a visit has a watchdog of its own */
		watch(trial, settings->watchdog, now);
	sl_capture_drain(&trial->output, -1);
}

void
sl_trial_interrupt(struct sl_trial *trial, bool at_once)
{
	trial->interrupted = true;
	process_kill(trial, at_once ? SIGKILL : SIGINT);
}

void
sl_trial_release(struct sl_trial *trial)
{
	if (trial->output.fd >= 0)
		close(trial->output.fd);
	if (trial->results >= 0)
		close(trial->results);
	sl_tested_release(&trial->tested);
}
