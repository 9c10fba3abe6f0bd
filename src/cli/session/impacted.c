/*
 * Code that a change of the program impacts, for a search.
 */
#include "cli/session/impacted.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
sl_impacted_add(struct sl_impact *impact, const char *path, const struct sl_impacted_range *ranges, size_t count,
		struct sl_err *err)
{
	struct sl_impact_file *file = &impact->files[impact->file_count];
	uint64_t low = UINT64_MAX, high = 0, first = 0;

	for (size_t i = 0; i < count; i++) {
		low = ranges[i].low < low ? ranges[i].low : low;
		high = ranges[i].high > high ? ranges[i].high : high;
	}
	if (low >= high)
		return 0;
	if (impact->file_count)
		first = file[-1].first + file[-1].size;
	if (impact->file_count == SL_IMPACT_FILES)
		return sl_err_set(err, "the change impacts more than %d files that are loaded", SL_IMPACT_FILES);
	if (high - low > SL_IMPACT_CODE - first)
		return sl_err_set(err, "the change impacts code over more than %u MiB", SL_IMPACT_CODE >> 20);
	if (strlen(path) >= sizeof(file->path))
		return sl_err_set(err, "the path is too long: %s", path);
	strcpy(file->path, path);
	file->low = low;
	file->size = high - low;
	file->first = first;
	for (size_t i = 0; i < count; i++)
		for (uint64_t at = ranges[i].low; at < ranges[i].high; at++)
			impact->code[first + at - low] |= ranges[i].kinds;
	impact->file_count++;
	return 0;
}

bool
sl_impacted_add_place(struct sl_impact *impact, uint64_t at, uint64_t of)
{
	if (impact->place_count == SL_IMPACT_PLACES)
		return false;
	impact->places[impact->place_count++] =
		(struct sl_impact_place){impact->file_count - 1, (uint32_t)(of - at), at};
	return true;
}

bool
sl_impacted_is_reached(const struct sl_impact *impact, const char *path, uint64_t low, uint64_t high)
{
	for (uint32_t i = 0; i < impact->file_count; i++) {
		const struct sl_impact_file *file = &impact->files[i];

		if (strcmp(file->path, path) != 0)
			continue;
		for (uint64_t at = low; at < high; at++)
			if (at - file->low < file->size &&
			    impact->code[file->first + at - file->low] & SL_IMPACT_REACHED)
				return true;
	}
	return false;
}

static int
parse(const char *line, struct sl_impacted_range *range)
{
	static const char letters[] = "CMLF";
	char *end;

	range->low = strtoull(line, &end, 16);
	if (end == line || *end != '-')
		return -1;
	line = end + 1;
	range->high = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || range->high <= range->low)
		return -1;
	range->kinds = 0;
	for (end++; *end && *end != '\n' && *end != ' '; end++) {
		const char *letter = strchr(letters, *end);

		if (!letter)
			return -1;
		range->kinds |= (uint8_t)(1u << (letter - letters));
	}
	return range->kinds ? 0 : -1;
}

int
sl_impacted_read(struct sl_impact *impact, const char *path, const char *program, struct sl_err *err)
{
	struct sl_impacted_range *ranges = NULL, *more;
	size_t count = 0, room = 0, size = 0, number = 0;
	FILE *file = fopen(path, "re");
	char *line = NULL;
	int result = 0;

	if (!file)
		return sl_err_set(err, "cannot open %s: %s", path, strerror(errno));
	while (result == 0 && getline(&line, &size, file) > 0) {
		number++;
		if (*line == '#' || *line == '\n')
			continue;
		if (count == room) {
			room = room ? 2 * room : 64;
			more = realloc(ranges, room * sizeof(*ranges));
			if (!more) {
				result = sl_err_set(err, "there is no memory for %s", path);
				break;
			}
			ranges = more;
		}
		if (parse(line, &ranges[count++]) < 0)
			result = sl_err_set(err, "%s, line %zu: a range is LOW-HIGH KINDS, like 401130-40114c CML",
					    path, number);
	}
	if (result == 0 && ferror(file))
		result = sl_err_set(err, "cannot read %s: %s", path, strerror(errno));
	if (result == 0)
		result = sl_impacted_add(impact, program, ranges, count, err);
	free(line);
	free(ranges);
	fclose(file);
	return result;
}

void
sl_impacted_prioritise(struct sl_impact *impact, const struct sl_settings *settings)
{
	static const struct {
		enum sl_prioritise prioritise;
		uint16_t flags;
	} heuristics[SL_HEURISTIC_COUNT] = {
#define SL_HEURISTIC(name, prioritisation, match)                                                                 \
	[SL_HEURISTIC_##name] = {SL_PRIORITISE_##prioritisation, SL_OP_IMPACTED_##match},
#include "cli/session/heuristic.def"
	};

	impact->prioritise = heuristics[settings->change.prioritise].prioritise;
	impact->flags = heuristics[settings->change.prioritise].flags;
	impact->iterations = (uint32_t)settings->change.iterations;
	impact->shuffled = sl_options_given(settings, SL_FOR_RUN, "prioritise") &&
			   sl_options_given(settings, SL_FOR_RUN, "seed");
}
