#include "cli/result/visit.h"

#include "cli/args.h"
#include "cli/result/results.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE                                                                                                  \
	"SLEAVE_VISIT" /* the numbers of the section and of the schedule, the line; then the beginning of a report */
#define RESULTS "SLEAVE_VISIT_RESULTS"

static char whom[4096], results[PATH_MAX];

void
sl_visit_become(const struct sl_visit *visit, const struct sl_settings *settings, char *program,
		const char *output, const char *to)
{
	const struct sl_test *t = visit->test;
	char command[PATH_MAX], seed[32], schedules[32], time[32], text[4096], file[2 * PATH_MAX];
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
	ssize_t n = readlink("/proc/self/exe", command, sizeof(command) - 1);
	struct sl_args args = {0};

	command[n > 0 ? n : 0] = '\0';
	snprintf(text, sizeof(text), "%u %u %u %s\t%u\t%s\t%s", visit->section, visit->schedule, t->line, t->file,
		 t->line, t->function, t->schedule);
	setenv(VARIABLE, text, 1);
	setenv(RESULTS, to, 1);
	snprintf(seed, sizeof(seed), "%" PRIu64, settings->seed);
	sl_args_add_each(&args, "sleave", "run", "-q", "--strategy", settings->strategy, "--seed", seed,
			 "--output", sl_output_here(output, "."), NULL);
	if (settings->limit.schedules) {
		snprintf(schedules, sizeof(schedules), "%" PRIu64, settings->limit.schedules);
		sl_args_add_each(&args, "--schedules", schedules, NULL);
	}
	if (settings->limit.time) {
		snprintf(time, sizeof(time), "%" PRIu64 "ms", (settings->limit.time + 999999) / 1000000);
		sl_args_add_each(&args, "--time", time, NULL);
	}
	if (settings->tape) {
		snprintf(file, sizeof(file), "%s/%s-%s-%u-beside-%u-%u.trace", settings->tape, name, t->function,
			 t->line, visit->section, visit->schedule);
		sl_args_add_each(&args, "--trace", file, NULL);
	}
	sl_args_add(&args, program);
	execv(command, args.items);
	dprintf(STDERR_FILENO, "sleave: cannot run %s: %s\n", command, strerror(errno));
	_exit(125);
}

bool
sl_visit_take(struct sl_config *config)
{
	static unsigned section, schedule, line;
	const char *text = getenv(VARIABLE), *to = getenv(RESULTS);
	int used = 0;

	if (text && to && sscanf(text, "%u %u %u %n", &section, &schedule, &line, &used) == 3 && used) {
		snprintf(whom, sizeof(whom), "%s", text + used);
		snprintf(results, sizeof(results), "%s", to);
	}
	unsetenv(VARIABLE); /* the variable is not for the program */
	unsetenv(RESULTS);
	if (!section)
		return false;
	config->visit.number = section;
	config->visit.schedule = schedule;
	config->visit.line = line;
	return true;
}

static void
put(char *line, size_t room, const char *text)
{
	size_t used = strlen(line);

	for (; *text && used + 2 < room; text++)
		line[used++] = (char)(*text == '\t' || *text == '\n' ? ' ' : *text);
	line[used] = '\0';
}

void
sl_visit_report(const struct sl_summary *summary, uint64_t nanoseconds)
{
	const char *message = summary->reason ? summary->reason : "", *file = "";
	char line[16384], end[64];
	size_t size;
	int fd;

	if (!*results)
		return;
	if (summary->finding_count) {
		message = summary->findings[0].message;
		file = summary->findings[0].replay;
	}
	snprintf(line, sizeof(line), "explored\t%s\t%d\t%d\t%" PRIu64 "\t", whom,
		 (int)sl_verdict_status(summary->verdict), summary->search.complete, summary->interleavings);
	put(line, 7000, message);
	strcat(line, "\t");
	put(line, 8000, file);
	snprintf(end, sizeof(end), "\t%" PRIu64 "\n", nanoseconds);
	strcat(line, end);
	for (size_t i = 0; i < summary->schedule_count; i++)
		if (summary->schedules[i].kept && summary->schedules[i].dropped &&
		    !summary->schedules[i].infeasible) {
			snprintf(line + strlen(line), sizeof(line) - strlen(line), "partly\t%s\t0\t0\t0\t\t\t0\n",
				 whom);
			break;
		}
	size = strlen(line);
	fd = open(results, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || write(fd, line, size) != (ssize_t)size)
		fprintf(stderr, "sleave run: cannot report to `sleave test`: %s\n", strerror(errno));
	if (fd >= 0)
		close(fd);
}
