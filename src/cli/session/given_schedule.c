/*
 * sleave run --schedule: reads the text or its file, and checks it before anything is started.
 */
#include "cli/session/options.h"
#include "schedule/schedule.h"
#include "search/arena.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int
sl_settings_read_schedule(struct sl_settings *settings, struct sl_err *err)
{
	static char text[sizeof(((struct sl_config *)0)->plan)], memory[1 << 20];
	struct sl_pool pool = {memory, memory + sizeof(memory)};
	struct sl_complaint complaint = {0};
	const char *given = settings->schedule, *file = NULL;
	size_t size;

	if (!given)
		return 0;
	if (given[0] == '@') {
		FILE *in = fopen(given + 1, "r");

		file = given + 1;
		if (!in)
			return sl_err_set(err, "cannot open %s: %s", file, strerror(errno));
		size = fread(text, 1, sizeof(text), in);
		fclose(in);
	} else {
		size = strnlen(given, sizeof(text));
		memcpy(text, given, size);
	}
	if (size == sizeof(text))
		return sl_err_set(err, "the schedule is longer than %zu bytes", sizeof(text) - 1);
	text[size] = '\0';
	settings->schedule = text;
	if (sl_plan_parse(text, size, &pool, &complaint))
		return 0;
	return sl_err_set(err, "%s%sline %u, column %u of the schedule: %s", file ? file : "", file ? ": " : "",
			  complaint.place.line, complaint.place.column, complaint.text);
}
