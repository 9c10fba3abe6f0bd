/*
 * A trace of the executions of sleave_explore() (`sleave test --trace`). A `sleave` command beside the program
 * reads the reel, as in `sleave run --trace`, and writes the file. The request to end, and the answer, are in the
 * arena.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/listen/lane.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"

/* FOLDER/PROGRAM-FUNCTION-LINE-N.trace; FUNCTION and LINE only for a section. */
static void
name_file(char *path, size_t room, const char *folder, uint32_t number)
{
	const struct sleave_section *section =
		E.body.in_place ? (const struct sleave_section *)sl_section_frame() : NULL;
	const char *program = getenv("SLEAVE_PROGRAM");
	size_t used = 0, from;

	sl_text_add(path, room, &used, folder);
	sl_text_add(path, room, &used, "/");
	from = used;
	sl_text_add(path, room, &used, program ? program : "explored");
	if (section) {
		sl_text_add(path, room, &used, "-");
		sl_text_add(path, room, &used, section->function);
		sl_text_add(path, room, &used, "-");
		sl_text_add_number(path, room, &used, (unsigned long)section->line);
	}
	sl_text_add(path, room, &used, "-");
	sl_text_add_number(path, room, &used, number);
	sl_text_add(path, room, &used, ".trace");
	for (char *c = path + from; *c; c++)
		if (*c == '/' || *c == ' ')
			*c = '_';
}

bool
sl_trace_begin(uint32_t number)
{
	const char *folder = getenv("SLEAVE_TRACE");
	static char path[PATH_MAX];

	if (!folder || !*folder)
		return true;
	path[0] = '\0';
	name_file(path, sizeof(path), folder, number);
	return sl_command_run("--trace", path) == 0 && E.arena->config.reels[0][0];
}

bool
sl_trace_end(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	if (!E.arena->config.reels[0][0])
		return true;
	sl_reel_close();
	__atomic_store_n(&E.arena->trace.over, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&E.arena->trace.done, __ATOMIC_ACQUIRE) &&
	       sl_raw(SYS_kill, E.arena->trace.by, 0) != -ESRCH)
		sl_raw(SYS_nanosleep, &pause, NULL);
	return E.arena->trace.done == 1;
}
