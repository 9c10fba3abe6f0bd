/*
 * Runs `sleave run …` and samples its arena from outside, once a millisecond: when each of the given
 * numbers of executions was reached, and the cost so far. So start-up and warm-up are excluded from a
 * measurement, and the search is not disturbed. At the last number the search is interrupted, as by Ctrl-C.
 *
 * Prints one JSON object per line for each number, then what the command prints.
 *
 * usage: watch NUMBER… -- sleave run …
 */
#include "search/arena.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 1000000

static const struct sl_arena *arena;
static int arena_fd = -1;

static uint64_t
clock_read(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The arena is a descriptor of the command; it is ready once its first word is set. */
static void
arena_find(pid_t pid)
{
	char folder[64], link[512], target[4096];
	struct dirent *entry;
	DIR *descriptors;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)pid);
	descriptors = opendir(folder);
	while (descriptors && !arena && (entry = readdir(descriptors))) {
		struct stat info;
		ssize_t length;

		snprintf(link, sizeof(link), "%s/%s", folder, entry->d_name);
		length = readlink(link, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		if (strncmp(target, "/memfd:sleave arena", 19) != 0 &&
		    (length < 4 || strcmp(target + length - 4, ".run") != 0))
			continue;
		arena_fd = open(link, O_RDONLY | O_CLOEXEC);
		if (fstat(arena_fd, &info) == 0 && info.st_size == sizeof(*arena))
			arena = mmap(NULL, sizeof(*arena), PROT_READ, MAP_SHARED | MAP_NORESERVE, arena_fd, 0);
		if (arena == MAP_FAILED)
			arena = NULL;
		if (arena && arena->magic != SL_ARENA_MAGIC) {
			munmap((void *)arena, sizeof(*arena));
			arena = NULL;
		}
		if (!arena)
			close(arena_fd);
	}
	if (descriptors)
		closedir(descriptors);
}

/* Of all workers, without executions that another worker has done, or would do. */
static uint64_t
executions(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < arena->config.workers; i++)
		sum += arena->workers[i].counters.executions - arena->workers[i].progress.skipped;
	return sum;
}

/* Processor time in ms, of the process and of the children that it has waited for; in ticks of 10 ms. */
static long
spent(pid_t pid)
{
	char path[64], text[1024];
	unsigned long times[4] = {0};
	FILE *file;
	const char *after = NULL;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file && fgets(text, sizeof(text), file))
		after = strrchr(text, ')');
	if (after)
		sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &times[0],
		       &times[1], &times[2], &times[3]);
	if (file)
		fclose(file);
	return (long)(times[0] + times[1] + times[2] + times[3]) * 1000 / sysconf(_SC_CLK_TCK);
}

/* In KiB, of the first worker; includes the part of the arena that it has touched. */
static long
resident(void)
{
	char path[64], line[256];
	FILE *file;
	long kib = 0;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)arena->workers[0].pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Rss: %ld kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

static void
sample(pid_t pid, uint64_t count)
{
	long tree = spent(pid);
	uint64_t wall = clock_read(CLOCK_MONOTONIC), cpu = 0, operations = 0;
	struct stat info = {0};

	for (uint32_t i = 0; i < arena->config.workers; i++) {
		const struct sl_worker *w = &arena->workers[i];
		clockid_t clock;

		operations += w->counters.operations;
		tree += spent(w->pid);
		if (w->pid && clock_getcpuclockid(w->pid, &clock) == 0)
			cpu += clock_read(clock);
	}
	fstat(arena_fd, &info);
	printf("{\"executions\": %" PRIu64 ", \"operations\": %" PRIu64 ", \"wall\": %" PRIu64
	       ", \"cpu\": %" PRIu64 ", \"tree_ms\": %ld, \"resident_kib\": %ld, \"arena_kib\": %ld}\n",
	       count, operations, wall, cpu, tree, resident(), (long)info.st_blocks / 2);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct timespec period = {.tv_nsec = PERIOD_NS};
	int next = 1, command = 1, status;
	pid_t pid;

	while (command < argc && strcmp(argv[command], "--") != 0)
		command++;
	if (command + 1 >= argc) {
		fputs("usage: watch NUMBER… -- sleave run …\n", stderr);
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGINT);
		execvp(argv[command + 1], argv + command + 1);
		perror(argv[command + 1]);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
		if (!arena)
			arena_find(pid);
		for (uint64_t count;
		     arena && next < command && (count = executions()) >= strtoull(argv[next], NULL, 10);) {
			sample(pid, count);
			if (++next == command)
				kill(pid, SIGINT);
		}
		nanosleep(&period, NULL);
	}
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
