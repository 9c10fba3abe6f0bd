/* The last lines that the program wrote before it ended, for the story and for JSON. */
#include "report/words.h"

#include "base/shown.h"

#include <string.h>

#define LINES_MAX 6

/* Returns whether the finding ends the program. Otherwise its last output is about something else. */
static bool
ends_the_program(const struct sl_finding *f)
{
	return f->kind == SL_FINDING_ASSERT || f->kind == SL_FINDING_ABORT || f->kind == SL_FINDING_CRASH ||
	       f->kind == SL_FINDING_EXIT;
}

void
sl_said_lines(const struct sl_story *story, int stream, char *text, size_t room)
{
	const struct sl_said *said = story->said;
	const char *from, *end;
	int lines = 0;

	text[0] = '\0';
	if (!said || !ends_the_program(story->finding) || !said->size[stream])
		return;
	from = end = said->text[stream] + said->size[stream];
	while (from > said->text[stream]) {
		lines += from[-1] == '\n' && from < end;
		if (lines == LINES_MAX)
			break;
		from--;
	}
	/* a line without its beginning is left out, unless there is no other */
	if (from == said->text[stream] && said->cut[stream]) {
		const char *next = memchr(from, '\n', (size_t)(end - from));

		if (next && next + 1 < end)
			from = next + 1;
	}
	size_t size = 0;

	for (; from < end && size + 1 < room; from++)
		if (*from) /* an empty text would not be visible */
			text[size++] = *from;
	text[size] = '\0';
}

const char *
sl_said_last(const struct sl_story *story, char *text, size_t room)
{
	char lines[SL_SAID_MAX + 1];
	char line[300];
	size_t size, begin;

	text[0] = '\0';
	sl_said_lines(story, story->said && story->said->together ? 0 : 1, lines, sizeof(lines));
	if (!lines[0]) /* some test frameworks write their complaints to the standard output */
		sl_said_lines(story, 0, lines, sizeof(lines));
	size = strlen(lines);
	while (size && lines[size - 1] == '\n')
		size--;
	for (begin = size; begin && lines[begin - 1] != '\n';)
		begin--;
	if (begin == size)
		return text;
	lines[size] = '\0';
	sl_shown(line, sizeof(line), lines + begin);
	snprintf(text, room, ": \"%s\"", line);
	return text;
}

static void
print_stream(FILE *out, const struct sl_style *style, const char *name, char *text)
{
	char shown[4 * SL_SAID_MAX + 1];

	for (char *line = text, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		fprintf(out, "  %s%s%s  ", sl_ink(style, SL_INK_DIM), name, sl_ink(style, SL_INK_NONE));
		fprintf(out, "%s\n", sl_shown(shown, sizeof(shown), line));
	}
}

void
sl_said_print(FILE *out, const struct sl_style *style, const struct sl_story *story)
{
	static const char *const names[] = {"stdout:", "stderr:"};
	char text[2][SL_SAID_MAX + 1];

	for (int i = 0; i < 2; i++)
		sl_said_lines(story, i, text[i], sizeof(text[i]));
	if (!text[0][0] && !text[1][0])
		return;
	fputs("\nThe last lines that the program wrote:\n\n", out);
	for (int i = 0; i < 2; i++)
		print_stream(out, style, story->said->together ? "output:" : names[i], text[i]);
}
