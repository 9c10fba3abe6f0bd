#include "cli/session/heavy.h"

#include "base/shown.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LONG_NS 500000000u /* shorter executions are not described */

const char *
sl_heavy_count(uint64_t count, char number[32])
{
	if (count < 10000000)
		return sl_count_format(count, number);
	snprintf(number, 32, "%" PRIu64 " million", count / 1000000);
	return number;
}

void
sl_heavy_format(const struct sl_worker *worker, struct sl_names *names, char *text, size_t room)
{
	const struct sl_weight *last = &worker->weight, *heavy = &worker->heaviest;
	uint64_t all = 0, best = 0, best_line = 0;
	struct sl_place hot = {.line = 0}, place;
	char function[128] = "", at[256] = "", number[32];
	int used;

	if (last->seen - last->began > heavy->seen - heavy->began)
		heavy = last;
	if (!room || !heavy->count || heavy->seen - heavy->began < LONG_NS)
		return;
	/* the function with most samples, and its place with most samples */
	for (uint32_t i = 0; names && i < heavy->count; i++) {
		uint64_t samples = 0, line = 0;
		struct sl_place other, top;
		char name[128];

		all += heavy->places[i].samples;
		if (!sl_names_place(names, heavy->places[i].pc, &place))
			continue;
		snprintf(name, sizeof(name), "%s", place.function);
		top = place;
		for (uint32_t k = 0; k < heavy->count; k++) {
			if (!sl_names_place(names, heavy->places[k].pc, &other) ||
			    strcmp(other.function, name) != 0)
				continue;
			samples += heavy->places[k].samples;
			if (heavy->places[k].samples > line) {
				line = heavy->places[k].samples;
				top = other;
			}
		}
		if (samples > best || (samples == best && line > best_line)) {
			best = samples;
			best_line = line;
			hot = top;
			snprintf(function, sizeof(function), "%s", name);
			snprintf(at, sizeof(at), "%s:%" PRIu32, hot.file, hot.line);
		}
	}
	used = snprintf(text, room, "; one execution takes more than %.1f s and %s operations",
			(double)(heavy->seen - heavy->began) / 1e9, sl_heavy_count(heavy->operations, number));
	if (used < 0 || (size_t)used >= room)
		return;
	if (hot.line && best * 2 > all)
		used += snprintf(text + used, room - (size_t)used, ", most of them in %s() at %s", function, at);
	else if (hot.line)
		used += snprintf(text + used, room - (size_t)used, ", the largest part in %s() at %s", function,
				 at);
	if ((size_t)used < room)
		snprintf(text + used, room - (size_t)used, ": make the input smaller");
	sl_shown_in_place(text, room);
}
