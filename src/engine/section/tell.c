/*
 * Reports the results of schedules to `sleave test`, which gives a file for them: one line for each. A test
 * program may be several processes, so each line is appended by a single write. If writing fails the process ends:
 * a result that is not reported would pass.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"

struct line {
	char text[4096];
	size_t used;
};

/* Long fields are cut, so that all fit. */
static void
put(struct line *line, const char *text)
{
	for (size_t i = 0; text && text[i] && i < 500; i++)
		line->text[line->used++] = text[i] == '\t' || text[i] == '\n' ? ' ' : text[i];
	line->text[line->used++] = '\t';
}

static void
put_number(struct line *line, uint64_t number)
{
	char text[24] = "";
	size_t used = 0;

	sl_text_add_number(text, sizeof(text), &used, number);
	put(line, text);
}

static _Noreturn void
give_up(void)
{
	static const char why[] = "sleave: the outcome of a schedule can't be reported to `sleave test`\n";

	sl_raw(SYS_write, 2, why, sizeof(why) - 1);
	for (;;)
		sl_raw(SYS_exit_group, 125);
}

void
sl_section_tell(const struct sleave_section *section, const char *name, const char *how,
		const struct sleave_result *result, uint64_t took)
{
	static const struct sleave_result none;
	const char *path = getenv("SLEAVE_RESULTS");
	struct line line;
	long fd;

	if (!path || !*path)
		return;
	if (!result)
		result = &none;
	line.used = 0;
	put(&line, how);
	put(&line, section->file);
	put_number(&line, (uint64_t)section->line);
	put(&line, section->function);
	put(&line, name);
	put_number(&line, (uint64_t)result->verdict);
	put_number(&line, (uint64_t)result->complete);
	put_number(&line, result->executions);
	put(&line, result->message);
	put(&line, result->replay_file);
	put_number(&line, took);
	line.text[line.used - 1] = '\n';
	fd = sl_raw(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || sl_raw(SYS_write, fd, line.text, line.used) != (long)line.used)
		give_up();
	sl_raw(SYS_close, fd);
}
