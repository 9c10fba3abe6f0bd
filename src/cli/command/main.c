/*
 * sleave: finds the command and runs it.
 */
#include "cli/cc/cc.h"
#include "cli/command/commands.h"
#include "cli/session/options.h"
#include "report/quote.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#define STACK_LEAST (512u << 10)
#define STACK_USUAL (8u << 20)

#ifndef SL_VERSION
#define SL_VERSION "unknown"
#endif

static int
command_cc(int argc, char **argv)
{
	return sl_command_cc(argc, argv, false);
}

static int
command_cxx(int argc, char **argv)
{
	return sl_command_cc(argc, argv, true);
}

static int command_help(int argc, char **argv);

static const struct {
	const char *name;
	int (*call)(int argc, char **argv);
	const char *summary; /* NULL: for Sleave itself */
} commands[] = {
	{"cc", command_cc, "compile and link C for Sleave, with gcc or clang"},
	{"c++", command_cxx, "the same for C++"},
	{"run", sl_command_run, "explore the interleavings of a program"},
	{"regress", sl_command_regress, "after a change: explore first what it can have broken"},
	{"paths", sl_command_paths, "one execution for each way the schedule can steer the branches"},
	{"predict", sl_command_predict, "try what one execution shows to be possible: violations of atomicity"},
	{"impact", sl_command_impact, "print what a change impacts, and why"},
	{"cover", sl_command_cover, "measure which synchronisation is exercised, and steer towards the rest"},
	{"replay", sl_command_replay, "replay a finding, or print it as a schedule"},
	{"record", sl_command_record, "record what the threads of a program do in one execution"},
	{"trace", sl_command_trace, "show a recorded trace as text, as JSON, or for Perfetto"},
	{"test", sl_command_test, "run test programs, each schedule of each test"},
	{"schedule", sl_command_schedule, "check and format schedules"},
	{"help", command_help, "explain a command"},
	{"report", sl_command_report, NULL},
	{"bind", sl_command_bind, NULL},
	{"scripts", sl_command_scripts, NULL},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void
print_help(FILE *out)
{
	fputs("usage: sleave COMMAND …\n"
	      "\n"
	      "Controls the thread schedule of pthreads programs and explores their interleavings.\n"
	      "\n"
	      "    sleave cc -o account account.c     or: CC=\"sleave cc\" make\n"
	      "    sleave run ./account               reports a finding and writes a replay file\n"
	      "    sleave replay account-1.sleave     the same failure, every time\n"
	      "\n"
	      "commands:\n",
	      out);
	for (size_t i = 0; i < COMMANDS; i++)
		if (commands[i].summary)
			fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("\n"
	      "`sleave help COMMAND` or `sleave COMMAND --help` explains a command; `sleave --version` prints the version.\n"
	      "Exit status: 0 nothing found, 1 a finding, 2 wrong usage, 3 Sleave could not do its job.\n",
	      out);
}

static int
unknown(const char *name)
{
	const char *names[COMMANDS + 1] = {0}, *near;
	size_t count = 0;

	for (size_t i = 0; i < COMMANDS; i++)
		if (commands[i].summary)
			names[count++] = commands[i].name;
	near = sl_nearest(name, names, count);
	if (near)
		sl_say(stderr, "sleave: there is no command '%s'; did you mean '%s'? (sleave --help)\n", name,
		       near);
	else
		sl_say(stderr, "sleave: there is no command '%s' (sleave --help)\n", name);
	return SL_EXIT_USAGE;
}

static int
dispatch(int argc, char **argv)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(argv[0], commands[i].name) == 0)
			return commands[i].call(argc, argv);
	return unknown(argv[0]);
}

static int
command_help(int argc, char **argv)
{
	char *question[] = {NULL, "--help", NULL};

	if (argc < 2 || strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return SL_EXIT_CLEAN;
	}
	question[0] = argv[1];
	return dispatch(2, question);
}

/* sleave-cc and sleave-c++ are links to sleave, for build tools that need a compiler's name of one word. */
static int
run(int argc, char **argv)
{
	const char *slash = argv[0] ? strrchr(argv[0], '/') : NULL, *name = slash ? slash + 1 : argv[0];

	if (name && (strcmp(name, "sleave-cc") == 0 || strcmp(name, "sleave-c++") == 0)) {
		argv[0] += name - argv[0] + (ptrdiff_t)strlen("sleave-");
		return dispatch(argc, argv);
	}
	if (argc < 2) {
		print_help(stderr);
		return SL_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return SL_EXIT_CLEAN;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("sleave " SL_VERSION);
		return SL_EXIT_CLEAN;
	}
	if (argv[1][0] == '-') {
		sl_say(stderr, "sleave: there is no option %s before the command (sleave --help)\n", argv[1]);
		return SL_EXIT_USAGE;
	}
	return dispatch(argc - 1, argv + 1);
}

/*
 * If standard input, output or error is closed, the next opened file would take its place: the arena would be copied
 * as the program's input, and messages would go into files. The started programs get /dev/null, too.
 */
static bool
fill_descriptors(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) != fd)
			return false;
	return true;
}

/*
 * The parent process may have ignored or blocked signals, as in some CI systems. A command needs the signals for
 * the end of a program and for its own end. The user decides whether others are ignored: SIGHUP by nohup(1),
 * SIGINT by a shell that starts the command in the background.
 */
static void
set_signals(void)
{
	static const int needed[] = {SIGCHLD, SIGTERM, SIGALRM, SIGBUS, SIGSEGV, SIGABRT};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		signal(needed[i], SIG_DFL);
	signal(SIGXFSZ, SIG_IGN); /* exceeding the limit on file sizes is then an error of write() */
}

/* If the stack is too small the command would crash without a message. */
static bool
stack_is_enough(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= STACK_LEAST)
		return true;
	fprintf(stderr, "sleave: the stack is limited to %lu KiB, and a command needs %u: ulimit -s %u\n",
		(unsigned long)limit.rlim_cur >> 10, STACK_LEAST >> 10, STACK_USUAL >> 10);
	return false;
}

int
main(int argc, char **argv)
{
	int status;
	bool failed;

	if (!fill_descriptors()) {
		fputs("sleave: standard input, output or error is closed, and /dev/null can't be opened\n",
		      stderr);
		return SL_EXIT_UNDECIDED;
	}
	if (!stack_is_enough())
		return SL_EXIT_UNDECIDED;
	set_signals();
	status = run(argc, argv);
	/* output that could not be written is lost; errno says why only if fflush() has just failed */
	failed = fflush(stdout) != 0;
	if (failed || ferror(stdout)) {
		fprintf(stderr, "sleave: cannot write to standard output%s%s\n", failed ? ": " : "",
			failed ? strerror(errno) : "");
		return status == SL_EXIT_CLEAN ? SL_EXIT_UNDECIDED : status;
	}
	return status;
}
