#include "cli/session/session.h"

#include "cli/cc/library.h"
#include "cli/signal_set.h"
#include "search/phase.h"
#include "trace/name/main_type.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS 100000000l
#define GRACE_NS 2000000000ul /* for the running executions to end, after Ctrl-C */
#define LATE_NS 1000000000ul  /* for an execution that does not notice that the time is over */
#define LEAST_NS 1000000000ul
#define STUCK_NS 1000000000u /* less may be a busy machine */
#define IDLE_MAX 3

int
sl_session_preload(struct sl_session *session, struct sl_err *err)
{
	session->preload = true;
	return sl_library_find(session->library, sizeof(session->library), err);
}

void
sl_session_began(struct sl_session *session, uint64_t moment)
{
	struct sl_arena *a = session->arena;
	uint64_t given = a->config.limit.nanoseconds, spent = a->started - moment;
	uint64_t most = given > LEAST_NS ? given - LEAST_NS : 0;

	a->started -= spent < most ? spent : most;
}

/* ---- processes ---- */

/*
 * The name of the arena for the engine. Its length does not depend on the number of this process: the environment
 * is on the program's stack, and determines the addresses below it.
 */
static void
arena_name(const struct sl_session *session, char *text, size_t room)
{
	static const char slashes[] = "////////////";
	char process[16], number[16];
	int spare;

	snprintf(process, sizeof(process), "%ld", (long)session->owner);
	snprintf(number, sizeof(number), "%d", session->fd);
	spare = (int)(sizeof(slashes) - 1 - strlen(process) - strlen(number)); /* /proc knows no leading zeros */
	snprintf(text, room, "/proc%.*s%s/fd/%s", spare > 1 ? spare : 1, slashes, process, number);
}

/* The value of LD_PRELOAD. The engine removes itself from it: other programs that the program starts are not controlled. */
static void
preload_format(const struct sl_session *session, char *text, size_t room)
{
	const char *others = getenv("LD_PRELOAD");

	snprintf(text, room, "%.*s/" SL_LIBRARY "%s%s", PATH_MAX / 2, session->library,
		 others && *others ? ":" : "", others ? others : "");
}

static void
environment(const struct sl_session *session, unsigned worker)
{
	const char *tunables = getenv("GLIBC_TUNABLES");
	char text[4096], name[64];

	arena_name(session, name, sizeof(name));
	setenv(SL_ARENA_ENV, name, 1);
	snprintf(text, sizeof(text), "%02u", worker);
	setenv("SLEAVE_WORKER", text, 1);
	/* the kernel may write to a restartable sequence's area at any time */
	snprintf(text, sizeof(text), "%s%sglibc.pthread.rseq=0", tunables ? tunables : "",
		 tunables && *tunables ? ":" : "");
	setenv("GLIBC_TUNABLES", text, 1);
	/* the shell stores the name of the command here, which would be sleave's */
	if (getenv("_"))
		setenv("_", session->program, 1);
}

/*
 * The environment is on the stack, above arguments and frames: their addresses depend on the number and length of
 * the variables. Padding variables, which the engine removes again, give a replay elsewhere the same addresses.
 */
#define PAD_COUNT 128
#define PAD_BYTES 8192

static void
pad_environment(void)
{
	char name[32], value[PAD_BYTES];
	struct rlimit limit;
	size_t count = 0, bytes = 0, rest;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < 1 << 20)
		return; /* the stack is too small for padding */
	for (char **each = environ; *each; each++, count++)
		bytes += strlen(*each) + 1;
	rest = PAD_COUNT - (count + 1) % PAD_COUNT;
	for (size_t i = 0; i < rest; i++) {
		snprintf(name, sizeof(name), SL_PAD_ENV "%03zu", i);
		setenv(name, "", 1);
		bytes += strlen(name) + 2;
	}
	memset(value, 'x', sizeof(value));
	rest = PAD_BYTES - (bytes + sizeof(SL_PAD_ENV) + 1) % PAD_BYTES;
	value[rest < sizeof(value) ? rest : 0] = '\0';
	setenv(SL_PAD_ENV, value, 1);
}

/* Sets the same layout and limits wherever the program is started. */
static void
surroundings(void)
{
	struct rlimit limit;

	personality(ADDR_NO_RANDOMIZE);
	/*
	 * no core file: it would contain all the shared memory; a limit of 1 also applies to handlers to which the
	 * kernel pipes core files
	 */
	if (getrlimit(RLIMIT_CORE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max ? 1 : 0;
		setrlimit(RLIMIT_CORE, &limit);
	}
	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) {
		limit.rlim_cur = 8 << 20; /* otherwise mappings would grow upwards */
		setrlimit(RLIMIT_STACK, &limit);
	}
}

/* ---- random bytes of each process ---- */

/*
 * Every new process has sixteen random bytes on its stack (AT_RANDOM). libc derives the guards of return addresses
 * and stored pointers from them. These are all over a program's memory, so that equal states would differ between
 * processes. Only ptrace() can change them before the program's first instruction: the process stops after
 * execve(), the bytes are written, and the tracer detaches. If that is not allowed (some containers), the bytes
 * stay as they are.
 */
static bool
can_trace(void)
{
	static int can = -1;
	int status = 1;
	pid_t child;

	if (can >= 0)
		return can;
	child = fork();
	if (child == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	can = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	return can;
}

static void
write_random(pid_t pid)
{
	static const unsigned long words[] = {0x7c59d0a6e8b14300ul, 0x2f8b6d1ec094a735ul};
	Elf64_auxv_t entry = {0};
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/auxv", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && read(fd, &entry, sizeof(entry)) == sizeof(entry) && entry.a_type != AT_RANDOM)
		;
	for (size_t i = 0; entry.a_type == AT_RANDOM && i < sizeof(words) / sizeof(words[0]); i++)
		ptrace(PTRACE_POKEDATA, pid, (void *)(entry.a_un.a_val + i * sizeof(words[0])), (void *)words[i]);
	if (fd >= 0)
		close(fd);
}

/* Waits until the process executes the program, or has ended; its end is left for the caller to collect. */
static void
make_steady(pid_t pid)
{
	siginfo_t info = {0};
	int status;

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT) < 0)
		if (errno != EINTR)
			return;
	while (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) {
		if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
			return;
		if (WSTOPSIG(status) == SIGTRAP) {
			write_random(pid);
			ptrace(PTRACE_DETACH, pid, NULL, NULL);
			return;
		}
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)WSTOPSIG(status)); /* a signal that arrived earlier */
		while (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT) < 0)
			if (errno != EINTR)
				return;
	}
}

static _Noreturn void
become(const struct sl_session *session, unsigned worker)
{
	const struct sl_process *p = &session->processes[worker];
	char input[32] = "/dev/null";
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != session->owner)
		_exit(3);
	setpgid(0, 0); /* Ctrl-C reaches the command alone */
	sl_signals_reset();
	surroundings();
	if (session->environment)
		environ = session->environment;
	environment(session, worker);
	if (session->preload) {
		char text[2 * PATH_MAX];

		preload_format(session, text, sizeof(text));
		setenv("LD_PRELOAD", text, 1);
		setenv("LD_BIND_NOW", "1", 1); /* otherwise symbols would be looked up again in every execution */
	}
	pad_environment();
	dup2(p->errors.fd, STDERR_FILENO);
	if (session->input >= 0)
		snprintf(input, sizeof(input), "/proc/self/fd/%d", session->input);
	fd = open(input, O_RDONLY);
	if (fd != STDIN_FILENO) {
		dup2(fd, STDIN_FILENO);
		close(fd);
	}
	if (session->show_output) {
		dup2(p->output.fd, STDOUT_FILENO);
	} else {
		fd = open("/dev/null", O_WRONLY);
		dup2(fd, STDOUT_FILENO);
		close(fd);
	}
	if (session->directory && chdir(session->directory) < 0) {
		dprintf(STDERR_FILENO, "sleave: cannot go to the folder %s: %s\n", session->directory,
			strerror(errno));
		_exit(3);
	}
	if (can_trace())
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execv(session->program, session->argv);
	dprintf(STDERR_FILENO, "sleave: cannot run %s: %s\n", session->program, strerror(errno));
	_exit(3);
}

/* A sum of all counters that grow with the progress of a worker. */
static uint64_t
movement(const struct sl_worker *w)
{
	return __atomic_load_n(&w->beat, __ATOMIC_RELAXED) + w->counters.executions + w->counters.helpers +
	       w->phase;
}

static int
process_start(struct sl_session *session, unsigned worker, struct sl_err *err)
{
	struct sl_process *p = &session->processes[worker];
	struct sl_worker *w = &session->arena->workers[worker];

	p->moved = p->before = movement(w);
	p->moved_at = sl_nanoseconds();
	can_trace(); /* checked once, in the parent */
	p->pid = fork();
	if (p->pid == 0)
		become(session, worker);
	if (p->pid < 0) {
		p->pid = 0;
		return sl_err_set(err, "cannot start a process: %s%s", strerror(errno),
				  errno == EAGAIN ? " (is there a limit on processes, ulimit -u?)" : "");
	}
	setpgid(p->pid, p->pid);
	if (can_trace())
		make_steady(p->pid);
	return 0;
}

static void
process_kill(struct sl_process *p)
{
	if (p->pid && kill(-p->pid, SIGKILL) < 0)
		kill(p->pid, SIGKILL);
}

/* Handles the end of a worker's process. Returns true if it must be started again. */
static bool
process_ended(struct sl_session *session, unsigned worker, int status)
{
	struct sl_arena *a = session->arena;
	struct sl_worker *w = &a->workers[worker];
	struct sl_process *p = &session->processes[worker];
	bool died = w->running, lost;
	char detail[128];

	p->pid = 0;
	lost = WIFEXITED(status) && WEXITSTATUS(status) == SL_ARENA_LOST_STATUS &&
	       sl_capture_find(&p->errors, "sleave: ", session->said, sizeof(session->said));
	/* a report must not see half of a change */
	if ((lost || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) && !w->trouble.kind)
		sl_take_back(a, worker);
	if (session->killed || p->given_up) {
		w->running = 0;
		return false;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0 &&
	    (!a->program.has_control || WEXITSTATUS(status) == 125 || WEXITSTATUS(status) == 3) &&
	    (sl_capture_find(&p->errors, "sleave: ", session->said, sizeof(session->said)) ||
	     (!a->program.has_control && sl_capture_find(&p->errors, "", session->said, sizeof(session->said))))) {
		w->running = 0;
		sl_trouble_set(w, SL_TROUBLE_DIED, 0, session->said);
		return false;
	}
	if (lost || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) { /* ended from outside */
		w->running = 0;
		sl_trouble_set(w, SL_TROUBLE_KILLED, w->last_pc,
			       lost ? session->said : "it was killed (SIGKILL: out of memory?)");
		return false;
	}
	if (!a->program.has_control)
		return false;
	if (died)
		sl_died(a, worker, status);
	if (w->trouble.kind || w->phase == SL_PHASE_DONE)
		return false;
	if (died) {
		a->config.world = SL_WORLD_FORK; /* where a child may end like this */
		return true;
	}
	if (WIFSIGNALED(status)) {
		snprintf(detail, sizeof(detail), "it was ended by signal %d (%s) outside an execution",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
		sl_trouble_set(w, SL_TROUBLE_DIED, w->last_pc, detail);
		return false;
	}
	if (w->renew) {
		w->renew = 0;
		return true;
	}
	if (a->stop && sl_phase_of(w)->stops)
		return false;
	p->idle = movement(w) == p->before ? p->idle + 1 : 0;
	if (a->config.world == SL_WORLD_EXEC && p->idle < IDLE_MAX)
		return true;
	if (a->config.explore_call)
		snprintf(detail, sizeof(detail), "it ended before its call %u of sleave_explore()",
			 a->config.explore_call);
	else
		snprintf(detail, sizeof(detail), "it ended with status %d before the search was over",
			 WEXITSTATUS(status));
	sl_trouble_set(w, SL_TROUBLE_DIED, 0, detail);
	return false;
}

/*
 * Returns whether an execution must be ended from outside: the engine gives up an execution when its time is over,
 * except in code that is not instrumented, or in the kernel.
 */
static bool
is_overdue(const struct sl_arena *a, const struct sl_worker *w, uint64_t now)
{
	uint64_t deadline = a->config.limit.in_time ? sl_worker_deadline(a, w) : UINT64_MAX;

	return deadline < now && now - deadline > LATE_NS;
}

static bool
is_searching(const struct sl_worker *w)
{
	return sl_phase_of(w)->counts;
}

static void
watch(struct sl_session *session, unsigned worker, uint64_t now)
{
	struct sl_process *p = &session->processes[worker];
	struct sl_worker *w = &session->arena->workers[worker];
	uint64_t moved = movement(w);

	if (!p->pid)
		return;
	if (is_overdue(session->arena, w, now)) {
		session->given_up += !p->given_up && is_searching(w);
		if (moved == p->moved && now - p->moved_at > STUCK_NS)
			session->stuck_pc = w->last_pc;
		p->given_up = session->late = true;
		process_kill(p);
		return;
	}
	if (moved != p->moved) {
		p->moved = moved;
		p->moved_at = now;
	} else if (session->watchdog && now - p->moved_at > session->watchdog) {
		char detail[32];

		snprintf(detail, sizeof(detail), "%.3g s", (double)session->watchdog / 1e9);
		sl_trouble_set(w, SL_TROUBLE_HANG, w->last_pc, detail);
		w->running = 0;
		process_kill(p);
	}
}

static void
kill_all(struct sl_session *session)
{
	session->killed = true;
	for (unsigned i = 0; i < session->arena->config.workers; i++)
		process_kill(&session->processes[i]);
}

/* Returns the number of remaining processes. */
static unsigned
collect(struct sl_session *session, struct sl_err *err)
{
	struct sl_arena *a = session->arena;
	unsigned alive = 0;

	for (unsigned i = 0; i < a->config.workers; i++) {
		struct sl_process *p = &session->processes[i];
		int status;

		while (p->pid && waitpid(p->pid, &status, WNOHANG) == p->pid) {
			kill(-p->pid, SIGKILL); /* its children, too */
			if (process_ended(session, i, status) && process_start(session, i, err) < 0)
				sl_trouble_set(&a->workers[i], SL_TROUBLE_SYSTEM, 0, err->text);
			if (a->workers[i].trouble.kind)
				__atomic_store_n(&a->stop, 1, __ATOMIC_RELAXED);
		}
		alive += p->pid != 0;
	}
	return alive;
}

static void
drain(struct sl_session *session)
{
	for (unsigned i = 0; i < session->arena->config.workers; i++) {
		sl_capture_drain(&session->processes[i].output, session->show_output ? STDOUT_FILENO : -1);
		sl_capture_drain(&session->processes[i].errors, session->show_output ? STDERR_FILENO : -1);
	}
}

static bool was_interrupted; /* this process, in this session or an earlier one */

static bool
is_interrupt(int signal)
{
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

static void
interrupt(struct sl_session *session, uint64_t now)
{
	was_interrupted = true;
	session->interrupts++;
	__atomic_store_n(&session->arena->hurry, now, __ATOMIC_RELAXED);
	__atomic_store_n(&session->arena->stop, 1, __ATOMIC_RELAXED);
}

static void
loop(struct sl_session *session, const sigset_t *signals, struct sl_err *err)
{
	uint64_t next = 0, interrupted = session->interrupts ? sl_nanoseconds() : 0;

	while (collect(session, err)) {
		uint64_t now = sl_nanoseconds();
		struct timespec pause = {.tv_nsec = now < next ? (long)(next - now) : 0};
		int signal;

		signal = sigtimedwait(signals, NULL, &pause);
		if (is_interrupt(signal)) {
			interrupted = now;
			interrupt(session, now);
			if (session->interrupts > 1)
				kill_all(session);
		}
		now = sl_nanoseconds();
		if (now < next)
			continue;
		next = now + TICK_NS;
		session->arena->origin.seen = now - session->arena->started;
		for (unsigned i = 0; i < session->arena->config.workers; i++)
			watch(session, i, now);
		if (interrupted && now - interrupted > GRACE_NS)
			kill_all(session);
		drain(session);
		if (session->tick && !session->tick(session->data))
			kill_all(session);
	}
	drain(session);
}

/* Sets up the signals that the loop waits for; *before gets their earlier state. */
static sigset_t
signals_take(sigset_t *before)
{
	sigset_t set = sl_signals_taken();

	sigprocmask(SIG_BLOCK, &set, before);
	return set;
}

int
sl_session_run(struct sl_session *session, struct sl_err *err)
{
	struct sl_arena *a = session->arena;
	sigset_t before, signals = signals_take(&before);
	int result = 0;

	a->config.void_main = sl_main_returns_nothing(session->program);
	fflush(NULL);
	if (was_interrupted)
		interrupt(session, sl_nanoseconds());
	for (unsigned i = 0; i < a->config.workers && !result; i++) {
		struct sl_process *p = &session->processes[i];

		p->output.fd = p->errors.fd = -1;
		if (sl_capture_open(&p->output, "standard output") < 0 ||
		    sl_capture_open(&p->errors, "standard error") < 0)
			result = sl_err_set(err, "cannot make a file in memory: %s", strerror(errno));
		else
			result = process_start(session, i, err);
	}
	if (result)
		kill_all(session);
	loop(session, &signals, err);
	for (unsigned i = 0; i < a->config.workers; i++) {
		if (session->processes[i].output.fd > 0)
			close(session->processes[i].output.fd);
		if (session->processes[i].errors.fd > 0)
			close(session->processes[i].errors.fd);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return result;
}

bool
sl_session_was_interrupted(void)
{
	return was_interrupted;
}

void
sl_session_wait(pid_t child)
{
	const struct timespec pause = {.tv_nsec = TICK_NS};
	sigset_t before, signals = signals_take(&before);

	while (waitpid(child, NULL, WNOHANG) == 0) {
		int signal = sigtimedwait(&signals, NULL, &pause);

		if (is_interrupt(signal)) {
			was_interrupted = true;
			kill(child, signal);
		}
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int
sl_session_debug_prepare(struct sl_session *session, char *wrapper, size_t room, struct sl_err *err)
{
	struct sl_process *p = &session->processes[0];
	char input[64] = "/dev/null", preload[2 * PATH_MAX + 64] = "", text[2 * PATH_MAX];
	int fd = (int)getpid();

	if (sl_capture_open(&p->output, "standard output") < 0 ||
	    sl_capture_open(&p->errors, "standard error") < 0)
		return sl_err_set(err, "cannot make a file in memory: %s", strerror(errno));
	if (session->input >= 0)
		snprintf(input, sizeof(input), "/proc/%d/fd/%d", fd, session->input);
	if (session->preload) {
		preload_format(session, text, sizeof(text));
		snprintf(preload, sizeof(preload), "LD_PRELOAD=\"%s\" LD_BIND_NOW=1 ", text);
	}
	snprintf(wrapper, room,
		 "env -u LINES -u COLUMNS sh -c '%sexec \"$@\" <%s >>/proc/%d/fd/%d 2>>/proc/%d/fd/%d' sh",
		 preload, input, fd, p->output.fd, fd, p->errors.fd);
	return 0;
}

int
sl_session_debug(struct sl_session *session, char *const *argv, struct sl_err *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct timespec pause = {.tv_nsec = TICK_NS};
	pid_t child;
	int status = 0;

	session->arena->config.void_main = sl_main_returns_nothing(session->program);
	fflush(NULL);
	child = fork();
	if (child < 0)
		return sl_err_set(err, "cannot start a process: %s", strerror(errno));
	if (child == 0) {
		char **ours = environ, **theirs;

		if (session->environment)
			environ = session->environment;
		environment(session, 0);
		theirs = environ;
		environ = ours; /* the debugger is searched for in the user's environment */
		if (session->directory && chdir(session->directory) < 0) {
			fprintf(stderr, "sleave: cannot go to the folder %s: %s\n", session->directory,
				strerror(errno));
			_exit(3);
		}
		execvpe(argv[0], argv, theirs);
		fprintf(stderr, "sleave: cannot run %s: %s\n", argv[0], strerror(errno));
		_exit(3);
	}
	sigaction(SIGINT, &ignore, &before); /* Ctrl-C is for the debugger */
	while (waitpid(child, &status, WNOHANG) == 0) {
		drain(session);
		nanosleep(&pause, NULL);
	}
	drain(session);
	sigaction(SIGINT, &before, NULL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
