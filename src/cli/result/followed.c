#include "cli/result/followed.h"

#include "cli/signal_set.h"
#include "engine/realtime/rt_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE 2 /* seconds to report where each thread is */

struct followed {
	const struct sl_replay *replay;
	const struct sl_target *target;
	int input;
	struct sl_follow *follow;
	int fd;
	uint64_t until; /* 0: no limit but SL_FOLLOWED_SECONDS and SL_FOLLOWED_ENOUGH */
};

/* The time limit of the next run in seconds; 0: there is no time for one. */
static time_t
seconds_left(const struct followed *f)
{
	uint64_t now = sl_nanoseconds(), left;

	if (!f->until)
		return SL_FOLLOWED_SECONDS;
	left = f->until > now ? (f->until - now) / 1000000000u : 0;
	return left < SL_FOLLOWED_SECONDS ? (time_t)left : SL_FOLLOWED_SECONDS;
}

/* ---- one run ---- */

static _Noreturn void
become(const struct followed *f, pid_t owner)
{
	static const char *const ours[] = {SL_ARENA_ENV,    "SLEAVE_MODE",    "SLEAVE_LOG",  "SLEAVE_EXPLORE",
					   "SLEAVE_FILTER", "SLEAVE_RESULTS", "SLEAVE_TRACE"};
	struct rlimit limit;
	char text[64] = "/dev/null";
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != owner)
		_exit(125);
	setpgid(0, 0);
	sl_signals_reset();
	if (getrlimit(RLIMIT_CORE, &limit) == 0) { /* the run is expected to fail: no core file */
		limit.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &limit);
	}
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		unsetenv(ours[i]);
	if (f->input >= 0) /* opened anew, so that it is read from the beginning */
		snprintf(text, sizeof(text), "/proc/self/fd/%d", f->input);
	fd = open(text, O_RDONLY);
	if (fd != STDIN_FILENO)
		dup2(fd, STDIN_FILENO);
	fd = open("/dev/null", O_WRONLY);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	snprintf(text, sizeof(text), "/proc/%ld/fd/%d", (long)owner, f->fd);
	setenv(SL_FOLLOW_ENV, text, 1);
	if (chdir(f->replay->cwd) == 0)
		execv(f->target->path, f->replay->argv);
	_exit(125);
}

/* Returns false if the run has not ended after this number of seconds. */
static bool
ends_within(pid_t pid, int *status, const sigset_t *child, time_t seconds)
{
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	while (waitpid(pid, status, WNOHANG) != pid) {
		struct timespec left;

		clock_gettime(CLOCK_MONOTONIC, &now);
		left.tv_sec = end.tv_sec - now.tv_sec;
		left.tv_nsec = end.tv_nsec - now.tv_nsec;
		if (left.tv_nsec < 0) {
			left.tv_nsec += 1000000000;
			left.tv_sec--;
		}
		if (left.tv_sec < 0)
			return false;
		sigtimedwait(child, NULL, &left);
	}
	return true;
}

/* Returns false if the run did not end, and was killed. A negative status: it could not be started. */
static bool
run(const struct followed *f, time_t seconds, int *status)
{
	sigset_t child, before;
	pid_t owner = getpid(), pid;
	bool ended = true;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become(f, owner);
	*status = -1;
	if (pid > 0) {
		setpgid(pid, pid);
		ended = ends_within(pid, status, &child, seconds);
		if (!ended) {
			kill(pid, SL_FOLLOW_SIGNAL);
			if (!ends_within(pid, status, &child, GRACE)) {
				kill(pid, SIGKILL);
				waitpid(pid, status, 0);
			}
		}
		kill(-pid, SIGKILL); /* its children, too */
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ended;
}

/* ---- results of a run ---- */

/* Returns whether the failed assertion is the finding's; if a test framework has failed, any assertion is. */
static bool
is_assertion(const struct followed *f)
{
	char place[32];
	size_t length = strlen(f->replay->message), n;

	if (!f->follow->assertion[0])
		return true;
	n = (size_t)snprintf(place, sizeof(place), ":%u", f->follow->assertion_line);
	return strstr(f->replay->message, f->follow->assertion) && length > n &&
	       strcmp(f->replay->message + length - n, place) == 0;
}

/* Returns whether the finding's place was passed: the rest of the test does not count. */
static bool
is_past(const struct followed *f)
{
	return f->follow->line && f->follow->end == SL_FOLLOWED_KEPT;
}

static bool
is_shown(const struct followed *f, int status)
{
	bool failed = !is_past(f) && (WIFSIGNALED(status) || WEXITSTATUS(status));

	if (f->follow->end > SL_FOLLOWED_LEFT || f->follow->end == SL_FOLLOWED_NEVER)
		return f->replay->kind == SL_FINDING_DEADLOCK && f->follow->end == SL_FOLLOWED_STUCK;
	switch (f->replay->kind) {
	case SL_FINDING_ASSERT:
		return failed && is_assertion(f);
	case SL_FINDING_ABORT:
		return failed && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && !f->follow->assertion[0];
	case SL_FINDING_EXIT:
		return failed && WIFEXITED(status);
	case SL_FINDING_DEADLOCK:
	case SL_FINDING_RACE:
		return false;
	default: /* a memory error may end the program in any other way */
		return failed && WIFSIGNALED(status);
	}
}

/* Findings that do not make a program fail. */
static const char *
unseen(uint32_t kind)
{
	switch (kind) {
	case SL_FINDING_RACE:
		return ": a data race is detected under control only";
	case SL_FINDING_USE_AFTER_FREE:
	case SL_FINDING_DOUBLE_FREE:
	case SL_FINDING_OUT_OF_BOUNDS:
		return ": such a memory error is detected under control only, unless the program fails by it";
	case SL_FINDING_MISUSE:
		return ": misuse is detected under control only, unless the program fails by it";
	default:
		return "";
	}
}

static void
describe(const struct followed *f, int status, char *text, size_t room)
{
	switch (f->follow->end) {
	case SL_FOLLOWED_NEVER:
		snprintf(text, room, "a run does not reach the code where the schedule applies");
		return;
	case SL_FOLLOWED_STUCK:
		snprintf(text, room, "a run ends in a deadlock");
		return;
	case SL_FOLLOWED_IMPOSSIBLE:
	case SL_FOLLOWED_UNFULFILLED:
	case SL_FOLLOWED_REFUSED: /* the engine's message begins with the result */
		snprintf(text, room, "in a run, it %.*s", (int)strcspn(f->follow->said, "\n"), f->follow->said);
		return;
	}
	if (is_past(f) || (!WIFSIGNALED(status) && !WEXITSTATUS(status)))
		snprintf(text, room, "a run follows the schedule, and nothing goes wrong%s",
			 unseen(f->replay->kind));
	else if (f->follow->assertion[0])
		snprintf(text, room, "a run fails in another way: assertion `%.200s`", f->follow->assertion);
	else if (WIFSIGNALED(status))
		snprintf(text, room, "a run fails in another way: signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, room, "a run fails in another way: exit status %d", WEXITSTATUS(status));
}

/* ---- all runs ---- */

static int
prepare(struct followed *f, const struct sl_setting *setting, const char *text)
{
	struct sl_follow *w;

	f->fd = memfd_create("sleave follow", MFD_CLOEXEC);
	if (f->fd < 0 || ftruncate(f->fd, sizeof(*w)) < 0)
		return -1;
	w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	if (w == MAP_FAILED)
		return -1;
	f->follow = w;
	w->magic = SL_FOLLOW_MAGIC;
	w->explore_call = setting ? 0 : f->replay->explore_call;
	snprintf(w->name, sizeof(w->name), "%s", sl_finding_kind_name(f->replay->kind));
	snprintf(w->text, sizeof(w->text), "%s%s%s", setting ? setting->text : "", setting ? ", " : "", text);
	if (setting) {
		w->line = setting->line;
		w->visit = f->replay->visit[0];
		snprintf(w->file, sizeof(w->file), "%s", setting->file);
		snprintf(w->schedule, sizeof(w->schedule), "%s", setting->name);
	}
	return 0;
}

static void
forget(struct sl_follow *w)
{
	w->end = SL_FOLLOWED_NEVER;
	w->assertion_line = 0;
	w->assertion[0] = w->said[0] = '\0';
}

static void
try_some(const struct followed *f, struct sl_real_runs *out)
{
	uint64_t enough = sl_nanoseconds() + SL_FOLLOWED_ENOUGH * UINT64_C(1000000000);
	bool ended = true;
	const char *said;
	time_t seconds = 0;
	int status;

	if (!seconds_left(f))
		snprintf(out->otherwise, sizeof(out->otherwise), "there was no time left (--time)");
	while (out->runs < SL_FOLLOWED_RUNS && ended && (!out->runs || sl_nanoseconds() < enough) &&
	       (seconds = seconds_left(f))) {
		forget(f->follow);
		ended = run(f, seconds, &status);
		if (status < 0 || (ended && f->follow->end == SL_FOLLOWED_NEVER && WIFEXITED(status) &&
				   WEXITSTATUS(status) == 125)) {
			snprintf(out->otherwise, sizeof(out->otherwise), "the program can't be started");
			out->runs = out->shown = 0;
			return;
		}
		out->runs++;
		if (ended && is_shown(f, status)) {
			out->shown++;
			continue;
		}
		if (out->otherwise[0])
			continue;
		if (ended)
			describe(f, status, out->otherwise, sizeof(out->otherwise));
		else
			snprintf(out->otherwise, sizeof(out->otherwise),
				 "%s does not end, and was ended after %d second%s",
				 f->follow->assertion[0] && is_assertion(f) ? "the assertion fails, but a run"
									    : "a run",
				 (int)seconds, seconds == 1 ? "" : "s");
		said = f->follow->said;
		if (ended)
			said += strcspn(said, "\n") + (strchr(said, '\n') != NULL);
		snprintf(out->said, sizeof(out->said), "%s", said);
	}
}

void
sl_followed_try(const struct sl_replay *replay, const struct sl_setting *setting, const char *text,
		const struct sl_target *target, int input, uint64_t until, struct sl_real_runs *out)
{
	struct followed f = {.replay = replay, .target = target, .input = input, .until = until};

	out->runs = out->shown = 0;
	out->otherwise[0] = out->said[0] = '\0';
	if (!target->linked || !target->instrumented)
		snprintf(out->otherwise, sizeof(out->otherwise), "the program was not built with `sleave cc`");
	else if (prepare(&f, setting, text) < 0)
		snprintf(out->otherwise, sizeof(out->otherwise), "cannot make shared memory: %s", strerror(errno));
	else
		try_some(&f, out);
	if (f.follow)
		munmap(f.follow, sizeof(*f.follow));
	if (f.fd > 0)
		close(f.fd);
}
