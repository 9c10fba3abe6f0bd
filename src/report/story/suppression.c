#include "report/story/suppression.h"

#include "report/words.h"
#include "trace/replay/replay_file.h"

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

/*
 * `*` matches any text, the end of the template any rest, `$` at the end only the end of the name, `^` at the
 * beginning only its beginning. Where a piece between two stars matches first is as good as any later place, so only
 * the last star is ever tried again: the time is at most the product of both lengths.
 */
bool
sl_template_match(const char *template, const char *name)
{
	const char *again = NULL; /* the template after the last star, NULL: none */
	const char *from = name;  /* where in the name that was tried last */

	if (!*template || !name)
		return false;
	if (*template == '^')
		template ++;
	else
		again = template;
	for (;;) {
		if (*template == '*') {
			again = ++template;
			from = name;
		} else if (!*template || (*template == '$' && !template[1] && !*name)) {
			return true;
		} else if (*name && *template == *name && !(*template == '$' && !template[1])) {
			template ++;
			name++;
		} else if (again && *from) {
			template = again;
			name = ++from;
		} else {
			return false;
		}
	}
}

static bool
is_type(const char *type)
{
	static const char *const types[] = {"race",   "race_top",        "deadlock", "mutex",
					    "thread", "called_from_lib", "signal",   "volatile"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	for (uint32_t kind = 0; kind < SL_FINDING_KIND_COUNT; kind++)
		if (strcmp(type, sl_finding_kind_name(kind)) == 0)
			return true;
	return false;
}

/* The part of a line that a message may show, since the file can contain anything. */
static const char *
shown(char *text)
{
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return text;
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
				  number, shown(line));
	*colon = 0;
	if (!is_type(line))
		return sl_err_set(
			err,
			"%s:%u: there is no type '%s'; there are race, race_top, deadlock, mutex, thread "
			"and the kinds of findings",
			path, number, shown(line));
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
	ssize_t size;
	int result = 0;

	*out = NULL;
	if (!f)
		return sl_err_set(err, "cannot open %s: %s", path, strerror(errno));
	s = sl_must(calloc(1, sizeof(*s)));
	for (unsigned number = 1; result == 0 && (size = getline(&line, &room, f)) >= 0; number++)
		result = memchr(line, 0, (size_t)size)
				 ? sl_err_set(err, "%s:%u: this is not text: it has a zero byte", path, number)
				 : parse_line(s, line, path, number, err);
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
	if (strcmp(row->type, "race_top") == 0 || strcmp(row->type, "volatile") == 0)
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
is_volatile(const struct sl_finding *f)
{
	for (uint32_t i = 0; i < f->culprit_count && i < 2; i++)
		if (f->culprits[i].flags & SL_OP_VOLATILE)
			return true;
	return false;
}

/*
 * Returns whether the template names the race's global variable: its own name, or with the member or element
 * ("table", "table[3].count").
 */
static bool
names_variable(const struct suppression *row, const struct sl_story *story)
{
	const struct sl_finding *f = story->finding;
	struct sl_extent whole;
	struct sl_data part;

	if (f->kind != SL_FINDING_RACE)
		return false;
	return (sl_names_extent(story->names, f->object, &whole) && sl_template_match(row->template, whole.name)) ||
	       (f->culprit_count && sl_names_data(story->names, f->object, f->culprits[0].size, &part) &&
		sl_template_match(row->template, part.name));
}

static bool
matches(const struct suppression *row, const struct sl_story *story, const struct sl_program_spot *spots, size_t count)
{
	bool top = strcmp(row->type, "race_top") == 0;

	if (strcmp(row->type, "volatile") == 0 && !is_volatile(story->finding))
		return false;
	if (!top && names_variable(row, story))
		return true;
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
	struct sl_program_spot spots[SPOTS_MAX];
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
	/* the file that defines it: std::lock has no namespace in its name here */
	static const struct suppression row = {(char *)"livelock", (char *)"/c++/*/mutex$", 0};
	struct sl_program_spot spots[SPOTS_MAX];
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
