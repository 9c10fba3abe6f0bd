#include "report/suppression.h"

#include "report/words.h"
#include "trace/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_MAX 16
#define SPOTS_MAX 64

struct suppression {
	char *type, *template;
	unsigned hits;
};

struct sl_suppressions {
	struct suppression *rows;
	size_t count;
};

/* From the beginning of the name: `*` matches any text, the end of the template any rest, `$` only the end. */
static bool
match_here(const char *template, const char *name)
{
	for (; *template; template ++, name++) {
		if (*template == '*') {
			while (*template == '*')
				template ++;
			if (!*template)
				return true;
			for (;; name++) {
				if (match_here(template, name))
					return true;
				if (!*name)
					return false;
			}
		}
		if (*template == '$' && !template[1])
			return !*name;
		if (*template != *name)
			return false;
	}
	return true;
}

bool
sl_template_match(const char *template, const char *name)
{
	if (!*template || !name)
		return false;
	if (*template == '^')
		return match_here(template + 1, name);
	for (;; name++) {
		if (match_here(template, name))
			return true;
		if (!*name)
			return false;
	}
}

static bool
is_type(const char *type)
{
	static const char *const types[] = {"race",   "race_top",        "deadlock", "mutex",
					    "thread", "called_from_lib", "signal"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	for (uint32_t kind = 0; kind < SL_FINDING_KIND_COUNT; kind++)
		if (strcmp(type, sl_finding_kind_name(kind)) == 0)
			return true;
	return false;
}

static int
parse_line(struct sl_suppressions *s, char *line, const char *path, unsigned number, struct sl_err *err)
{
	char *colon, *end = line + strlen(line);

	while (end > line && strchr(" \t\r\n", end[-1]))
		*--end = 0;
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	colon = strchr(line, ':');
	if (!colon || !colon[1])
		return sl_err_set(err, "%s:%u: expected TYPE:TEMPLATE, as in race:function, not '%s'", path,
				  number, line);
	*colon = 0;
	if (!is_type(line))
		return sl_err_set(
			err,
			"%s:%u: there is no type '%s'; there are race, race_top, deadlock, mutex, thread "
			"and the kinds of findings",
			path, number, line);
	s->rows = sl_must(realloc(s->rows, (s->count + 1) * sizeof(*s->rows)));
	s->rows[s->count++] = (struct suppression){sl_must(strdup(line)), sl_must(strdup(colon + 1)), 0};
	return 0;
}

int
sl_suppressions_read(const char *path, struct sl_suppressions **out, struct sl_err *err)
{
	FILE *f = fopen(path, "re");
	struct sl_suppressions *s;
	char *line = NULL;
	size_t room = 0;
	int result = 0;

	*out = NULL;
	if (!f)
		return sl_err_set(err, "cannot open %s: %s", path, strerror(errno));
	s = sl_must(calloc(1, sizeof(*s)));
	for (unsigned number = 1; result == 0 && getline(&line, &room, f) >= 0; number++)
		result = parse_line(s, line, path, number, err);
	if (result == 0 && ferror(f))
		result = sl_err_set(err, "cannot read %s: %s", path, strerror(errno));
	free(line);
	fclose(f);
	if (result < 0)
		sl_suppressions_free(s);
	else
		*out = s;
	return result;
}

void
sl_suppressions_free(struct sl_suppressions *s)
{
	for (size_t i = 0; s && i < s->count; i++) {
		free(s->rows[i].type);
		free(s->rows[i].template);
	}
	if (s)
		free(s->rows);
	free(s);
}

static bool
applies(const struct suppression *row, const char *kind)
{
	if (strcmp(row->type, "race_top") == 0)
		return strcmp(kind, "race") == 0;
	if (strcmp(row->type, "mutex") == 0)
		return strcmp(kind, "misuse") == 0;
	if (strcmp(row->type, "deadlock") == 0)
		return strcmp(kind, "deadlock") == 0 || strcmp(kind, "lock-order") == 0;
	if (strcmp(row->type, "thread") == 0)
		return strcmp(kind, "thread-left") == 0;
	return strcmp(row->type, kind) == 0;
}

static bool
names_it(const struct suppression *row, struct sl_names *names, uint64_t pc)
{
	struct sl_place places[PLACES_MAX];
	size_t count = sl_names_places(names, pc, places, PLACES_MAX);

	for (size_t i = 0; i < count; i++)
		if (sl_template_match(row->template, places[i].function) ||
		    sl_template_match(row->template, places[i].file) ||
		    sl_template_match(row->template, places[i].path) ||
		    sl_template_match(row->template, places[i].module))
			return true;
	return false;
}

static bool
matches(const struct suppression *row, const struct sl_story *story, const struct sl_spot *spots, size_t count)
{
	bool top = strcmp(row->type, "race_top") == 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t stack = spots[i].stack;

		if (names_it(row, story->names, spots[i].pc))
			return true;
		while (!top && stack && stack < story->trace->frame_count) {
			if (names_it(row, story->names, story->trace->frames[stack].pc))
				return true;
			stack = story->trace->frames[stack].parent;
		}
	}
	return false;
}

bool
sl_suppressions_match(struct sl_suppressions *s, const struct sl_story *story)
{
	struct sl_spot spots[SPOTS_MAX];
	size_t count = sl_story_spots(story, spots, SPOTS_MAX);
	const char *kind = sl_finding_kind_name(story->finding->kind);

	for (size_t i = 0; i < s->count; i++)
		if (applies(&s->rows[i], kind) && matches(&s->rows[i], story, spots, count)) {
			s->rows[i].hits++;
			return true;
		}
	return false;
}

bool
sl_suppressed_anyway(const struct sl_story *story)
{
	/* where it is defined: std::lock has no namespace in its name here */
	static const struct suppression row = {(char *)"livelock", (char *)"/c++/*/mutex$", 0};
	struct sl_spot spots[SPOTS_MAX];
	size_t count;

	if (story->finding->kind != SL_FINDING_LIVELOCK)
		return false;
	count = sl_story_spots(story, spots, SPOTS_MAX);
	return matches(&row, story, spots, count);
}

void
sl_suppressions_print(FILE *out, const struct sl_style *style, const struct sl_suppressions *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].hits)
			fprintf(out, "%ssuppressed%s: %u finding%s by %s:%s\n", sl_ink(style, SL_INK_YELLOW),
				sl_ink(style, SL_INK_NONE), s->rows[i].hits, s->rows[i].hits == 1 ? "" : "s",
				s->rows[i].type, s->rows[i].template);
}
