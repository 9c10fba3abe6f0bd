/*
 * Files in /proc about the program's own threads. The kernel shows the engine's kernel threads; so the program
 * reads a copy of the file with the program's number of threads and its first thread's name. Folders of threads
 * can't be copied, and are refused by name.
 *
 * Values that vary (memory in use, page faults, context switches, processor time, load) are constant in the copy:
 * otherwise a program that reads them, as servers do, would behave differently with the same schedule.
 */
#undef _FILE_OFFSET_BITS /* it would rename scandir; both are defined here */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/under/poison.h"

#define TEXT_MAX 8192
#define MEMORY_KIB 65536ul /* the memory that the program seems to use */

enum what { NOTHING, TASKS, STATUS, STAT, COMM, STATM, LOAD, UPTIME, MEMORY };

/* The kernel's names of the files that are copied. */
static const char *const files[] = {
	[STATUS] = "/proc/self/status", [STAT] = "/proc/self/stat", [COMM] = "/proc/self/comm",
	[STATM] = "/proc/self/statm",   [LOAD] = "/proc/loadavg",   [UPTIME] = "/proc/uptime",
	[MEMORY] = "/proc/meminfo",
};

/* Returns the rest of the text after a prefix; NULL: it has another prefix. */
static const char *
after(const char *text, const char *beginning)
{
	while (*beginning)
		if (*text++ != *beginning++)
			return NULL;
	return text;
}

static enum what
what_is(const char *path)
{
	const char *at = after(path, "/proc/"), *rest;
	long number = 0;

	if (likely(!at))
		return NOTHING;
	if (after(at, "thread-self"))
		return TASKS;
	for (enum what what = LOAD; what <= MEMORY; what++)
		if (sl_text_same(path, files[what]))
			return what;
	rest = after(at, "self");
	if (!rest) {
		for (rest = at; *rest >= '0' && *rest <= '9' && number < INT32_MAX; rest++)
			number = number * 10 + (*rest - '0');
		if (!number || sl_process_of((pid_t)number) != (pid_t)sl_raw(SYS_getpid))
			return NOTHING;
	}
	at = after(rest, "/task");
	if (at && (!*at || *at == '/'))
		return TASKS;
	at = after(rest, "/stat");
	return sl_text_same(rest, "/status")  ? STATUS
	       : at && !*at                   ? STAT
	       : sl_text_same(rest, "/comm")  ? COMM
	       : sl_text_same(rest, "/statm") ? STATM
					      : NOTHING;
}

void
sl_proc_refuse(const char *path, uint64_t pc)
{
	if (unlikely(path && what_is(path) == TASKS))
		sl_unsupported("/proc/self/task (threads as the kernel has them)", pc);
}

/* ---- copies ---- */

struct text {
	char data[TEXT_MAX];
	size_t size;
};

static void
put(struct text *to, const char *from, size_t size)
{
	for (size_t i = 0; i < size && to->size < TEXT_MAX; i++)
		to->data[to->size++] = from[i];
}

static void
put_number(struct text *to, uint64_t number)
{
	char digits[24] = {0};
	size_t used = 0;

	sl_text_add_number(digits, sizeof(digits), &used, number);
	put(to, digits, used);
}

static uint64_t
threads(void)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < E.thread_count; i++)
		count += E.threads[i].alive && !E.threads[i].born.agent;
	return count;
}

/* Copies the name, cut like in the kernel. */
static void
put_name(struct text *to)
{
	size_t size = sl_strlen(E.threads[0].called.name);

	put(to, E.threads[0].called.name, size < SL_KERNEL_NAME ? size : SL_KERNEL_NAME - 1);
}

/* Returns whether a line of /proc/PID/status has the kernel's numbers or counts, or the engine's signals. */
static bool
left_out(const char *line)
{
	static const char *const names[] = {"voluntary_", "nonvoluntary_", "NStgid:",      "NSpid:",
					    "NSpgid:",    "NSsid:",        "SigQ:",        "SigBlk:",
					    "SigIgn:",    "SigCgt:",       "Cpus_allowed", "FDSize:"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (after(line, names[i]))
			return true;
	return false;
}

static void
copy_status(struct text *to, const char *from)
{
	while (*from) {
		const char *end = from, *value = after(from, "Threads:\t"), *name = after(from, "Name:\t"),
			   *memory = NULL;

		while (*end && *end++ != '\n')
			;
		if (after(from, "Vm") || after(from, "Rss"))
			for (memory = from; memory < end && *memory++ != '\t';)
				;
		if (value) {
			put(to, from, (size_t)(value - from));
			put_number(to, threads());
			put(to, "\n", 1);
		} else if (name && E.threads[0].called.given) {
			put(to, from, (size_t)(name - from));
			put_name(to);
			put(to, "\n", 1);
		} else if (memory) {
			put(to, from, (size_t)(memory - from));
			put_number(to, MEMORY_KIB);
			put(to, " kB\n", 4);
		} else if (after(from, "Tgid:\t") || after(from, "Pid:\t")) {
			put(to, from, *from == 'T' ? 6 : 5);
			put_number(to, (uint64_t)sl_process_number());
			put(to, "\n", 1);
		} else if (after(from, "PPid:\t")) {
			put(to, from, 6);
			put_number(to, (uint64_t)sl_process_name((pid_t)sl_raw(SYS_getppid)));
			put(to, "\n", 1);
		} else if (!left_out(from)) {
			put(to, from, (size_t)(end - from));
		}
		from = end;
	}
}

/*
 * Fields of /proc/PID/stat from the third on, which follows the name: k is unchanged, p the number of a process, s
 * of this one, t the number of threads, v and r the memory in use in bytes and pages; all others, most of which
 * are counters, are 0.
 */
static const char stat_fields[] = "kpss--k--------kkt--vrkkk-------------------------";

static void
copy_stat(struct text *to, const char *from)
{
	const char *at = from, *end;
	size_t field = 0;

	for (end = from; *end; end++)
		if (*end == ')')
			at = end + 1;
	put_number(to, (uint64_t)sl_process_number());
	for (end = from; end < at && *end != ' '; end++)
		;
	put(to, end, (size_t)(at - end));
	for (; *at == ' '; field++) {
		char kind = field < sizeof(stat_fields) - 1 ? stat_fields[field] : 'k';
		pid_t number = 0;

		for (end = ++at; *end && *end != ' ' && *end != '\n'; end++)
			number = kind == 'p' ? number * 10 + (*end - '0') : 0;
		put(to, " ", 1);
		if (kind == 'k')
			put(to, at, (size_t)(end - at));
		else
			put_number(to, kind == 't'   ? threads()
				       : kind == 'p' ? (uint64_t)sl_process_name(number)
				       : kind == 's' ? (uint64_t)sl_process_number()
				       : kind == 'v' ? MEMORY_KIB << 10
				       : kind == 'r' ? MEMORY_KIB >> 2
						     : 0);
		at = end;
	}
	put(to, at, sl_strlen(at));
}

/* Half of the memory is shown as free, and nothing else. */
static void
copy_memory(struct text *to, const char *from)
{
	uint64_t total = 0;

	for (const char *at = from; *at && *at != '\n'; at++)
		if (*at >= '0' && *at <= '9')
			total = total * 10 + (uint64_t)(*at - '0');
	while (*from) {
		const char *value = from, *end;

		while (*value && *value++ != ':')
			;
		for (end = value; *end && *end++ != '\n';)
			;
		put(to, from, (size_t)(value - from));
		put(to, " ", 1);
		put_number(to, after(from, "MemTotal")                                 ? total
			       : after(from, "MemFree") || after(from, "MemAvailable") ? total / 2
										       : 0);
		put(to, " kB\n", 4);
		from = end;
	}
}

/* Returns a descriptor of a copy that the program reads instead; -1: the file needs no copy. */
int
sl_proc_open(const char *path, int flags, uint64_t pc)
{
	enum what what = what_is(path);
	struct text copy = {.size = 0};
	char text[TEXT_MAX] = {0};
	long fd, size, n;

	if (likely(what == NOTHING || what == TASKS) || flags & O_PATH)
		return -1;
	if ((flags & O_ACCMODE) != O_RDONLY)
		sl_unsupported("writing to /proc/self/comm", pc);
	fd = sl_raw(SYS_openat, AT_FDCWD, files[what], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	for (size = 0; size < TEXT_MAX - 1 && (n = sl_raw(SYS_read, fd, text + size, TEXT_MAX - 1 - size)) > 0;)
		size += n;
	text[size] = 0;
	sl_raw(SYS_close, fd);
	switch (what) {
	case STATUS:
		copy_status(&copy, text);
		break;
	case STAT:
		copy_stat(&copy, text);
		break;
	case MEMORY:
		copy_memory(&copy, text);
		break;
	case STATM:
		put(&copy, "16384 16384 1024 64 0 8192 0\n", 29);
		break;
	case LOAD:
		put(&copy, "0.00 0.00 0.00 1/100 1\n", 23);
		break;
	case UPTIME:
		put(&copy, "100000.00 100000.00\n", 20);
		break;
	default:
		if (E.threads[0].called.given) {
			put_name(&copy);
			put(&copy, "\n", 1);
		} else {
			put(&copy, text, (size_t)size);
		}
	}
	fd = sl_raw(SYS_memfd_create, "proc", flags & O_CLOEXEC ? 1 : 0);
	if (fd < 0)
		return -1;
	sl_raw(SYS_pwrite64, fd, copy.data, copy.size, 0);
	return (int)fd;
}

/* libc's scandir() opens the folder internally. */
SL_DEFINE(int, scandir,
	  (const char *path, struct dirent ***names, int (*selects)(const struct dirent *),
	   int (*compares)(const struct dirent **, const struct dirent **)),
	  (path, names, selects, compares))
{
	sl_proc_refuse(path, pc);
	return SL_CALL(scandir)(path, names, selects, compares);
}

SL_DEFINE(int, scandir64,
	  (const char *path, struct dirent64 ***names, int (*selects)(const struct dirent64 *),
	   int (*compares)(const struct dirent64 **, const struct dirent64 **)),
	  (path, names, selects, compares))
{
	sl_proc_refuse(path, pc);
	return SL_CALL(scandir64)(path, names, selects, compares);
}
