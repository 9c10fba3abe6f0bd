/*
 * Text to atom: `add{queue}#2@worker`, `lock:q->m`, `queue.c:123`, `exit:queue.c:123`.
 */
#include "schedule/parse.h"

const char *const sl_kind_words[SL_EVENT_KINDS] = {
	[SL_EVENT_START] = "start",     [SL_EVENT_END] = "end",       [SL_EVENT_BLOCK] = "block",
	[SL_EVENT_UNBLOCK] = "unblock", [SL_EVENT_ENTER] = "enter",   [SL_EVENT_EXIT] = "exit",
	[SL_EVENT_LOCK] = "lock",       [SL_EVENT_UNLOCK] = "unlock", [SL_EVENT_WAIT] = "wait",
	[SL_EVENT_SIGNAL] = "signal",   [SL_EVENT_WRITE] = "write",   [SL_EVENT_READ] = "read",
};

static bool
same_atom(const struct sl_atom *a, const struct sl_atom *b)
{
	return a->kind == b->kind && a->line == b->line && a->occurrence == b->occurrence &&
	       sl_text_same(a->name, b->name) && sl_text_same(a->object, b->object) &&
	       sl_text_same(a->thread, b->thread);
}

static struct sl_atom *
atom_known(struct sl_parser *p, const struct sl_atom *atom)
{
	struct sl_atom *copy;

	for (struct sl_node *n = p->atoms.first; n; n = n->next)
		if (same_atom(n->item, atom))
			return n->item;
	if (p->atoms.count == SL_ATOMS_MAX) {
		sl_complain(p->lex.complaint, atom->place, "a schedule has at most 512 different events", NULL);
		return NULL;
	}
	copy = sl_parser_take(p, sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *atom;
	copy->number = p->atoms.count;
	p->plan->kinds |= 1u << copy->kind;
	return sl_parser_append(p, &p->atoms, copy) ? copy : NULL;
}

bool
sl_parser_thread(struct sl_parser *p, const char **thread)
{
	sl_lex_thread(&p->lex);
	if (p->lex.token != SL_TOKEN_THREAD && p->lex.token != SL_TOKEN_STRING)
		return sl_parser_expected(p, "a thread's name after `@`");
	*thread = sl_parser_text(p);
	sl_parser_next(p);
	return *thread && p->lex.token != SL_TOKEN_WRONG;
}

static bool
parse_object(struct sl_parser *p, struct sl_atom *atom)
{
	if (atom->kind != SL_EVENT_NAMED)
		return sl_complain(p->lex.complaint, p->lex.from,
				   "`{`: only an event that the program names has an object", NULL);
	sl_lex_target(&p->lex);
	if (p->lex.token != SL_TOKEN_TARGET && p->lex.token != SL_TOKEN_STRING)
		return sl_parser_expected(p, "an object's name after `{`");
	atom->object = sl_parser_text(p);
	if (!atom->object)
		return false;
	sl_parser_next(p);
	if (p->lex.token != SL_TOKEN_CLOSE_BRACE)
		return sl_parser_expected(p, "`}`");
	sl_parser_next(p);
	return true;
}

static bool
parse_occurrence(struct sl_parser *p, struct sl_atom *atom)
{
	struct sl_spot hash = p->lex.from;

	if (atom->occurrence)
		return sl_complain(p->lex.complaint, hash, "`#` twice: an event has one occurrence, or `#*`",
				   NULL);
	sl_lex_occurrence(&p->lex);
	if (p->lex.token == SL_TOKEN_EVERY)
		atom->occurrence = SL_EVERY;
	else if (p->lex.token == SL_TOKEN_NUMBER)
		atom->occurrence = p->lex.number;
	else
		return sl_parser_expected(p, "a number or `*` after `#` (a comment needs a blank before it)");
	if (!atom->occurrence)
		return sl_complain(p->lex.complaint, p->lex.from,
				   "occurrences are counted from 1: expected `#1` or more, found `#0`", NULL);
	sl_parser_next(p);
	return p->lex.token != SL_TOKEN_WRONG;
}

/* Of file:line; the current token is the colon. */
static bool
parse_line(struct sl_parser *p, struct sl_atom *atom)
{
	sl_parser_next(p);
	if (p->lex.token != SL_TOKEN_NUMBER)
		return sl_parser_expected(p, "a line number after the file's name and `:`");
	if (!p->lex.number)
		return sl_complain(p->lex.complaint, p->lex.from, "lines are counted from 1, found line 0", NULL);
	atom->line = p->lex.number;
	sl_parser_next(p);
	return p->lex.token != SL_TOKEN_WRONG;
}

/* The name of a file without quotes has one of these characters, and no colon. */
static bool
looks_like_file(const char *name)
{
	bool file = false;

	for (; *name && *name != ':'; name++)
		file |= *name == '.' || *name == '/';
	return file && !*name;
}

/* Returns whether a file, whose line is left, comes after `exit:`, rather than a function. */
static bool
is_line_next(const struct sl_parser *p)
{
	struct sl_complaint complaint;
	struct sl_lexer lex = p->lex;
	bool file;

	lex.complaint = &complaint;
	lex.comment = NULL;
	sl_lex_next(&lex);
	file = lex.token == SL_TOKEN_NAME || lex.token == SL_TOKEN_STRING;
	sl_lex_next(&lex);
	return file && lex.token == SL_TOKEN_COLON;
}

/* exit:file:line; the current token is the first colon. */
static bool
parse_line_left(struct sl_parser *p, struct sl_atom *atom)
{
	struct sl_spot from;
	bool quoted;

	sl_parser_next(p);
	from = p->lex.from;
	quoted = p->lex.token == SL_TOKEN_STRING;
	atom->kind = SL_EVENT_EXIT;
	atom->name = sl_parser_text(p);
	if (!atom->name)
		return false;
	if (!quoted && !looks_like_file(atom->name))
		return sl_complain(p->lex.complaint, from, "`", atom->name,
				   "` is not a file: expected a function's name, or FILE:LINE", NULL);
	sl_parser_next(p);
	return parse_line(p, atom);
}

/* kind:target, or file:line; the current token is the colon. */
static bool
parse_colon(struct sl_parser *p, struct sl_atom *atom, struct sl_spot from, bool quoted)
{
	const char *name = atom->name;

	for (enum sl_event_kind kind = SL_EVENT_ENTER; kind < SL_EVENT_KINDS && !quoted; kind++) {
		if (!sl_kind_has_target(kind) || !sl_text_same(name, sl_kind_words[kind]))
			continue;
		if (kind == SL_EVENT_EXIT && is_line_next(p))
			return parse_line_left(p, atom);
		sl_lex_target(&p->lex);
		if (p->lex.token != SL_TOKEN_TARGET && p->lex.token != SL_TOKEN_STRING)
			return sl_parser_expected(p, kind == SL_EVENT_ENTER || kind == SL_EVENT_EXIT
							     ? "a function's name after `:`"
							     : "an object's name after `:`");
		atom->kind = kind;
		atom->name = sl_parser_text(p);
		sl_parser_next(p);
		return atom->name && p->lex.token != SL_TOKEN_WRONG;
	}
	for (size_t i = 0; name[i]; i++)
		if (name[i] == ':' && !quoted)
			return sl_complain(p->lex.complaint, from, "`", name,
					   "` is not a file: expected FILE:LINE, or a name without `:`", NULL);
	if (!quoted && !looks_like_file(name)) {
		const char *near, *words[SL_EVENT_KINDS];
		size_t count = 0;

		for (enum sl_event_kind kind = SL_EVENT_ENTER; kind < SL_EVENT_KINDS; kind++)
			if (sl_kind_has_target(kind))
				words[count++] = sl_kind_words[kind];
		near = sl_nearest(name, words, count);
		return sl_complain(p->lex.complaint, from, "there is no kind of event `", name, ":`",
				   near ? "; did you mean `" : "", near ? near : "", near ? ":`?" : "",
				   near ? ""
					: "; expected enter, exit, lock, unlock, wait, signal, write, read, "
					  "or FILE:LINE",
				   NULL);
	}
	atom->kind = SL_EVENT_LINE;
	return parse_line(p, atom);
}

struct sl_atom *
sl_parser_atom(struct sl_parser *p)
{
	struct sl_atom atom = {.place = p->lex.from};
	bool quoted = p->lex.token == SL_TOKEN_STRING;

	if (p->lex.token != SL_TOKEN_NAME && p->lex.token != SL_TOKEN_STRING)
		return sl_parser_expected(p, "an event");
	atom.name = sl_parser_text(p);
	if (!atom.name)
		return NULL;
	sl_parser_next(p);
	if (p->lex.token == SL_TOKEN_COLON && !parse_colon(p, &atom, atom.place, quoted))
		return NULL;
	for (size_t i = 0; atom.kind == SL_EVENT_NAMED && atom.name[i] && !quoted; i++)
		if (atom.name[i] == '/')
			return sl_parser_expected(p, "`:` and a line number after the name of a file");
	for (enum sl_event_kind kind = SL_EVENT_START; kind <= SL_EVENT_UNBLOCK && !quoted; kind++)
		if (atom.kind == SL_EVENT_NAMED && sl_text_same(atom.name, sl_kind_words[kind])) {
			atom.kind = kind;
			atom.name = NULL;
			break;
		}
	if (p->lex.token == SL_TOKEN_BRACE && !parse_object(p, &atom))
		return NULL;
	while (p->lex.token == SL_TOKEN_AT || p->lex.token == SL_TOKEN_HASH) {
		if (p->lex.token == SL_TOKEN_HASH) {
			if (!parse_occurrence(p, &atom))
				return NULL;
			continue;
		}
		if (atom.thread) {
			sl_complain(p->lex.complaint, p->lex.from, "`@` twice: an event belongs to one thread",
				    NULL);
			return NULL;
		}
		if (!sl_parser_thread(p, &atom.thread))
			return NULL;
	}
	if (p->lex.token == SL_TOKEN_WRONG)
		return NULL;
	if (sl_kind_is_thread(atom.kind) && !atom.thread) {
		sl_complain(p->lex.complaint, atom.place, "`", sl_kind_words[atom.kind],
			    "` needs a thread: expected `", sl_kind_words[atom.kind],
			    "@name` (an event of that name is written in quotes)", NULL);
		return NULL;
	}
	return atom_known(p, &atom);
}
