/*
 * A text in the canonical layout, with its comments. Comments inside an ordering are moved before it; comments after it on its
 * line stay there. Several empty lines become one.
 */
#include "schedule/parse.h"

#define COLUMNS 100

struct layout {
	struct sl_out *out;
	const char *text;
	const struct sl_mark *ordering; /* whose line is not ended yet */
	bool full;                      /* the line has a comment up to its end */
	uint32_t line;                  /* of the text: where the last thing ended; 0: there is none before */
	const char *indent;
};

/* The marks are in the reverse order of the text. */
static struct sl_mark *
forwards(struct sl_mark *marks)
{
	struct sl_mark *list = NULL;

	while (marks) {
		struct sl_mark *next = marks->next;

		marks->next = list;
		list = marks;
		marks = next;
	}
	return list;
}

static void
end_line(struct layout *l)
{
	if (l->ordering)
		sl_put(l->out, "\n");
	l->ordering = NULL;
	l->full = false;
}

/* On a new line. */
static void
begin(struct layout *l, uint32_t line)
{
	end_line(l);
	if (l->line && line > l->line + 1)
		sl_put(l->out, "\n");
	sl_put(l->out, l->indent);
}

static void
put_comment(struct layout *l, const struct sl_mark *mark)
{
	const char *from = l->text + mark->from.offset;
	size_t length = mark->to.offset - mark->from.offset;

	while (length && (from[length - 1] == ' ' || from[length - 1] == '\t' || from[length - 1] == '\r'))
		length--;
	/* b #2 is no comment: only after a comma it was one */
	if (l->ordering && l->ordering->last && *from == '#' && length > 1 &&
	    (from[1] == '*' || (from[1] >= '0' && from[1] <= '9'))) {
		sl_put(l->out, "# ");
		from++;
		length--;
	}
	sl_put_bytes(l->out, from, length);
}

/* Returns whether the comment belongs to the text before it on the line. */
static bool
trails(const struct layout *l, const struct sl_mark *comment)
{
	const struct sl_mark *next = comment->next;

	while (next && next->kind == SL_MARK_COMMENT)
		next = next->next;
	if (!l->ordering || l->full || comment->from.line != l->line)
		return false;
	return !next || next->kind == SL_MARK_COMMA || next->kind == SL_MARK_CLOSE ||
	       next->from.line > comment->to.line;
}

/* Comments inside an ordering are moved before it. */
static void
put_inner(struct layout *l, struct sl_mark *mark)
{
	bool first = true;

	while (mark->next && mark->next->kind == SL_MARK_COMMENT && mark->next->from.offset < mark->to.offset) {
		if (!first)
			sl_put(l->out, l->indent);
		put_comment(l, mark->next);
		sl_put(l->out, "\n");
		first = false;
		mark->next = mark->next->next;
	}
	if (!first)
		sl_put(l->out, l->indent);
}

static void
put_mark(struct layout *l, struct sl_mark *mark)
{
	char *rest;

	switch (mark->kind) {
	case SL_MARK_COMMENT:
		if (trails(l, mark)) {
			sl_put(l->out, " ");
			put_comment(l, mark);
			l->full = l->text[mark->from.offset] == '#' || l->text[mark->from.offset + 1] == '/';
		} else {
			begin(l, mark->from.line);
			put_comment(l, mark);
			sl_put(l->out, "\n");
		}
		break;
	case SL_MARK_ORDERING:
		begin(l, mark->from.line);
		put_inner(l, mark);
		rest = l->out->length < l->out->room ? l->out->to + l->out->length : NULL;
		l->out->length += sl_formula_print(mark->ordering, rest, rest ? l->out->room - l->out->length : 0);
		if (!mark->last)
			sl_put(l->out, ",");
		l->ordering = mark;
		break;
	case SL_MARK_COMMA:
		break;
	case SL_MARK_OPEN:
		begin(l, mark->from.line);
		put_inner(l, mark);
		sl_put(l->out, "schedule ");
		sl_put_quoted(l->out, mark->plan->name);
		sl_put(l->out, " {\n");
		l->indent = "    ";
		l->line = 0; /* no empty line at the beginning */
		return;
	case SL_MARK_CLOSE:
		end_line(l);
		l->indent = "";
		sl_put(l->out, "}\n");
		/* an empty line after it, always */
		l->line = mark->to.line;
		if (mark->next)
			sl_put(l->out, "\n");
		l->line = 0;
		return;
	}
	l->line = mark->to.line;
}

size_t
sl_plan_format(const char *text, size_t length, struct sl_pool *pool, char *to, size_t room,
	       struct sl_complaint *complaint)
{
	struct sl_out out = {to, room, 0};
	struct layout l = {.out = &out, .text = text, .indent = ""};
	struct sl_mark *marks = NULL;
	const struct sl_plan *plan = sl_parse(text, length, pool, &marks, complaint);
	bool comments = false;

	if (!plan)
		return 0;
	marks = forwards(marks);
	for (struct sl_mark *mark = marks; mark; mark = mark->next)
		comments |= mark->kind == SL_MARK_COMMENT;
	if (!*plan->name && !comments) {
		out.length = sl_plan_print(plan, to, room);
		sl_put(&out, "\n");
		return sl_put_end(&out);
	}
	for (struct sl_mark *mark = marks; mark; mark = mark->next)
		put_mark(&l, mark);
	end_line(&l);
	return sl_put_end(&out);
}
