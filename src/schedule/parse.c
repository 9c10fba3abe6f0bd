/*
 * Text to plan: by recursive descent, one function for each strength of the connectives.
 */
#include "schedule/parse.h"

#include "schedule/lex.h"

const char *const sl_kind_words[SL_EVENT_KINDS] = {
	[SL_EVENT_START] = "start",     [SL_EVENT_END] = "end",       [SL_EVENT_BLOCK] = "block",
	[SL_EVENT_UNBLOCK] = "unblock", [SL_EVENT_ENTER] = "enter",   [SL_EVENT_EXIT] = "exit",
	[SL_EVENT_LOCK] = "lock",       [SL_EVENT_UNLOCK] = "unlock", [SL_EVENT_WAIT] = "wait",
	[SL_EVENT_SIGNAL] = "signal",   [SL_EVENT_WRITE] = "write",   [SL_EVENT_READ] = "read",
};

struct node {
	struct node *next;
	void *item;
};

struct list {
	struct node *first, **last;
	uint32_t count;
};

struct parser {
	struct sl_lexer lex;
	struct sl_pool *pool;
	struct sl_plan *plan;
	struct list atoms, orderings;
	struct sl_spot end; /* of the last token that was taken */
	unsigned depth;
};

void *
sl_pool_take(struct sl_pool *pool, size_t size)
{
	uintptr_t at = ((uintptr_t)pool->at + 15) & ~(uintptr_t)15;
	char *start = pool->at + (at - (uintptr_t)pool->at);

	if (start > pool->end || (size_t)(pool->end - start) < size)
		return NULL;
	pool->at = start + size;
	for (size_t i = 0; i < size; i++)
		start[i] = 0;
	return start;
}

static void *
take(struct parser *p, size_t size)
{
	void *memory = sl_pool_take(p->pool, size);

	if (!memory)
		sl_complain(p->lex.complaint, p->lex.from, "the schedule is too long for the memory that there is",
			    NULL);
	return memory;
}

static bool
append(struct parser *p, struct list *list, void *item)
{
	struct node *node = take(p, sizeof(*node));

	if (!node)
		return false;
	node->item = item;
	if (!list->first)
		list->last = &list->first;
	*list->last = node;
	list->last = &node->next;
	list->count++;
	return true;
}

static void *
array_of(struct parser *p, const struct list *list)
{
	void **array = take(p, (list->count + 1) * sizeof(*array));
	uint32_t i = 0;

	for (struct node *n = list->first; n && array; n = n->next)
		array[i++] = n->item;
	return array;
}

/* What is there instead of what was expected. */
static void *
expected(struct parser *p, const char *what)
{
	char found[48];
	struct sl_out out = {found, sizeof(found), 0};
	uint32_t length = p->lex.to.offset - p->lex.from.offset;

	if (p->lex.token == SL_TOKEN_WRONG)
		return NULL;
	if (p->lex.token == SL_TOKEN_END) {
		sl_complain(p->lex.complaint, p->lex.from, "expected ", what, ", found the end of the text", NULL);
		return NULL;
	}
	if (length > 40)
		length = 40;
	while (length && length < p->lex.to.offset - p->lex.from.offset &&
	       (p->lex.text[p->lex.from.offset + length] & 0xc0) == 0x80)
		length--;
	sl_put_bytes(&out, p->lex.text + p->lex.from.offset, length);
	sl_put_end(&out);
	sl_complain(p->lex.complaint, p->lex.from, "expected ", what, ", found `", found, "`", NULL);
	return NULL;
}

/* The text of the current token, without quotes. */
static char *
text_of(struct parser *p)
{
	uint32_t from = p->lex.from.offset, to = p->lex.to.offset, n = 0;
	char *copy;

	if (p->lex.token == SL_TOKEN_STRING) {
		from++;
		to--;
	}
	copy = take(p, to - from + 1);
	for (uint32_t i = from; i < to && copy; i++) {
		if (p->lex.token == SL_TOKEN_STRING && p->lex.text[i] == '\\')
			i++;
		copy[n++] = p->lex.text[i];
	}
	return copy;
}

static void
next(struct parser *p)
{
	p->end = p->lex.to;
	sl_lex_next(&p->lex);
}

static struct sl_formula *
formula_new(struct parser *p, enum sl_formula_kind kind, struct sl_spot from)
{
	struct sl_formula *f = take(p, sizeof(*f));

	if (f) {
		f->kind = kind;
		f->from = from;
		f->to = p->end;
	}
	return f;
}

static struct sl_formula *
too_deep(struct parser *p, struct sl_spot place)
{
	sl_complain(p->lex.complaint, place, "more than 200 levels in one ordering", NULL);
	return NULL;
}

/* As long as a formula has no number, it is how high it is. */
static struct sl_formula *
join(struct parser *p, struct sl_formula *f, struct sl_formula *left, struct sl_formula *right)
{
	if (!f || !left)
		return NULL;
	f->left = left;
	f->right = right;
	f->to = p->end;
	f->number = 1 + (right && right->number > left->number ? right->number : left->number);
	return f->number > SL_HEIGHT_MAX ? too_deep(p, f->from) : f;
}

/* ---- atoms ---- */

static bool
same_atom(const struct sl_atom *a, const struct sl_atom *b)
{
	return a->kind == b->kind && a->line == b->line && a->occurrence == b->occurrence &&
	       sl_text_same(a->name, b->name) && sl_text_same(a->object, b->object) &&
	       sl_text_same(a->thread, b->thread);
}

static struct sl_atom *
atom_known(struct parser *p, const struct sl_atom *atom)
{
	struct sl_atom *copy;

	for (struct node *n = p->atoms.first; n; n = n->next)
		if (same_atom(n->item, atom))
			return n->item;
	if (p->atoms.count == SL_ATOMS_MAX) {
		sl_complain(p->lex.complaint, atom->place, "a schedule has at most 512 different events", NULL);
		return NULL;
	}
	copy = take(p, sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *atom;
	copy->number = p->atoms.count;
	p->plan->kinds |= 1u << copy->kind;
	return append(p, &p->atoms, copy) ? copy : NULL;
}

static bool
parse_thread(struct parser *p, const char **thread)
{
	sl_lex_thread(&p->lex);
	if (p->lex.token != SL_TOKEN_THREAD && p->lex.token != SL_TOKEN_STRING)
		return expected(p, "a thread's name after `@`");
	*thread = text_of(p);
	next(p);
	return *thread && p->lex.token != SL_TOKEN_WRONG;
}

static bool
parse_object(struct parser *p, struct sl_atom *atom)
{
	if (atom->kind != SL_EVENT_NAMED)
		return sl_complain(p->lex.complaint, p->lex.from,
				   "`{`: only an event that the program names has an object", NULL);
	sl_lex_target(&p->lex);
	if (p->lex.token != SL_TOKEN_TARGET && p->lex.token != SL_TOKEN_STRING)
		return expected(p, "an object's name after `{`");
	atom->object = text_of(p);
	if (!atom->object)
		return false;
	next(p);
	if (p->lex.token != SL_TOKEN_CLOSE_BRACE)
		return expected(p, "`}`");
	next(p);
	return true;
}

static bool
parse_occurrence(struct parser *p, struct sl_atom *atom)
{
	struct sl_spot hash = p->lex.from;

	if (atom->occurrence)
		return sl_complain(p->lex.complaint, hash, "`#` twice: one occurrence of an event, or `#*`", NULL);
	sl_lex_occurrence(&p->lex);
	if (p->lex.token == SL_TOKEN_EVERY)
		atom->occurrence = SL_EVERY;
	else if (p->lex.token == SL_TOKEN_NUMBER)
		atom->occurrence = p->lex.number;
	else
		return expected(p, "a number or `*` after `#` (a comment needs a blank before it)");
	if (!atom->occurrence)
		return sl_complain(p->lex.complaint, p->lex.from,
				   "occurrences are counted from 1: expected `#1` or more, found `#0`", NULL);
	next(p);
	return p->lex.token != SL_TOKEN_WRONG;
}

/* kind:target, or file:line; the current token is the colon. */
static bool
parse_colon(struct parser *p, struct sl_atom *atom, struct sl_spot from, bool quoted)
{
	const char *name = atom->name;
	bool file = false;

	for (enum sl_event_kind kind = SL_EVENT_ENTER; kind < SL_EVENT_KINDS && !quoted; kind++) {
		if (!sl_kind_has_target(kind) || !sl_text_same(name, sl_kind_words[kind]))
			continue;
		sl_lex_target(&p->lex);
		if (p->lex.token != SL_TOKEN_TARGET && p->lex.token != SL_TOKEN_STRING)
			return expected(p, kind == SL_EVENT_ENTER || kind == SL_EVENT_EXIT
						   ? "a function's name after `:`"
						   : "an object's name after `:`");
		atom->kind = kind;
		atom->name = text_of(p);
		next(p);
		return atom->name && p->lex.token != SL_TOKEN_WRONG;
	}
	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '.' || name[i] == '/')
			file = true;
		if (name[i] == ':' && !quoted)
			return expected(p, "no `:` after a qualified name");
	}
	if (!file && !quoted) {
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
	next(p);
	if (p->lex.token != SL_TOKEN_NUMBER)
		return expected(p, "a line number after the file's name and `:`");
	if (!p->lex.number)
		return sl_complain(p->lex.complaint, p->lex.from, "lines are counted from 1, found line 0", NULL);
	atom->kind = SL_EVENT_LINE;
	atom->line = p->lex.number;
	next(p);
	return p->lex.token != SL_TOKEN_WRONG;
}

static struct sl_atom *
parse_atom(struct parser *p)
{
	struct sl_atom atom = {.place = p->lex.from};
	bool quoted = p->lex.token == SL_TOKEN_STRING;

	if (p->lex.token != SL_TOKEN_NAME && p->lex.token != SL_TOKEN_STRING)
		return expected(p, "an event");
	atom.name = text_of(p);
	if (!atom.name)
		return NULL;
	next(p);
	if (p->lex.token == SL_TOKEN_COLON && !parse_colon(p, &atom, atom.place, quoted))
		return NULL;
	for (size_t i = 0; atom.kind == SL_EVENT_NAMED && atom.name[i] && !quoted; i++)
		if (atom.name[i] == '/')
			return expected(p, "`:` and a line number after the name of a file");
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
			sl_complain(p->lex.complaint, p->lex.from, "`@` twice: an event is one thread's", NULL);
			return NULL;
		}
		if (!parse_thread(p, &atom.thread))
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

/* ---- formulas ---- */

static struct sl_formula *parse_formula(struct parser *p);

static struct sl_formula *
parse_bracket(struct parser *p)
{
	struct sl_spot from = p->lex.from;
	struct sl_formula *f;

	next(p);
	f = formula_new(p, SL_FORMULA_BLOCKED_EVENT, from);
	if (!f)
		return NULL;
	if (p->lex.token == SL_TOKEN_AT) {
		f->kind = SL_FORMULA_BLOCKED_THREAD;
		if (!parse_thread(p, &f->thread))
			return NULL;
	} else {
		if (p->lex.token != SL_TOKEN_NAME && p->lex.token != SL_TOKEN_STRING)
			return expected(p, "an event or `@thread` after `[`");
		f->atom = parse_atom(p);
		if (!f->atom)
			return NULL;
	}
	if (p->lex.token != SL_TOKEN_CLOSE_BRACKET)
		return expected(p, "`]`");
	next(p);
	f->to = p->end;
	p->plan->blocks = true;
	return f;
}

static struct sl_formula *
parse_primary(struct parser *p)
{
	struct sl_spot from = p->lex.from;
	struct sl_formula *f;

	if (p->lex.token == SL_TOKEN_BRACKET)
		return parse_bracket(p);
	if (p->lex.token == SL_TOKEN_OPEN) {
		next(p);
		f = parse_formula(p);
		if (!f)
			return NULL;
		if (p->lex.token != SL_TOKEN_CLOSE)
			return expected(p, "`)`");
		next(p);
		return f;
	}
	if (p->lex.token != SL_TOKEN_NAME && p->lex.token != SL_TOKEN_STRING)
		return expected(p, "an event, `[`, `(` or `!`");
	f = formula_new(p, SL_FORMULA_ATOM, from);
	if (!f)
		return NULL;
	f->atom = parse_atom(p);
	f->to = p->end;
	return f->atom ? f : NULL;
}

static struct sl_formula *
parse_not(struct parser *p)
{
	struct sl_spot from = p->lex.from;
	struct sl_formula *f, *operand;

	if (++p->depth > SL_DEPTH_MAX)
		return too_deep(p, from);
	if (p->lex.token == SL_TOKEN_NOT) {
		next(p);
		operand = parse_not(p);
		f = operand ? join(p, formula_new(p, SL_FORMULA_NOT, from), operand, NULL) : NULL;
	} else {
		f = parse_primary(p);
	}
	p->depth--;
	return f;
}

static const struct {
	enum sl_token token;
	enum sl_formula_kind kind;
} strengths[] = {
	{SL_TOKEN_IFF, SL_FORMULA_IFF},
	{SL_TOKEN_IMPLIES, SL_FORMULA_IMPLIES},
	{SL_TOKEN_OR, SL_FORMULA_OR},
	{SL_TOKEN_AND, SL_FORMULA_AND},
};

/* To the left all but =>, which goes to the right. */
static struct sl_formula *
parse_binary(struct parser *p, unsigned strength)
{
	struct sl_spot from = p->lex.from;
	struct sl_formula *f, *right;

	if (strength == sizeof(strengths) / sizeof(strengths[0]))
		return parse_not(p);
	f = parse_binary(p, strength + 1);
	while (f && p->lex.token == strengths[strength].token) {
		bool again = strengths[strength].kind == SL_FORMULA_IMPLIES;

		next(p);
		if (++p->depth > SL_DEPTH_MAX)
			return too_deep(p, p->lex.from);
		right = parse_binary(p, strength + !again);
		p->depth--;
		f = right ? join(p, formula_new(p, strengths[strength].kind, from), f, right) : NULL;
	}
	return f;
}

static struct sl_formula *
parse_formula(struct parser *p)
{
	struct sl_spot from = p->lex.from;
	struct sl_formula *right, *left = parse_binary(p, 0);

	if (!left || p->lex.token != SL_TOKEN_ARROW)
		return left;
	next(p);
	right = parse_binary(p, 0);
	if (!right)
		return NULL;
	if (p->lex.token == SL_TOKEN_ARROW) {
		sl_complain(p->lex.complaint, p->lex.from,
			    "`->` does not chain: write `a -> b, b -> c` instead of `a -> b -> c`", NULL);
		return NULL;
	}
	return join(p, formula_new(p, SL_FORMULA_BEFORE, from), left, right);
}

/* ---- plans ---- */

static bool
is_plain_left(const struct sl_formula *f)
{
	switch (f->kind) {
	case SL_FORMULA_ATOM:
		return f->atom->kind != SL_EVENT_BLOCK && f->atom->kind != SL_EVENT_UNBLOCK;
	case SL_FORMULA_BLOCKED_EVENT:
		return true;
	case SL_FORMULA_AND:
	case SL_FORMULA_OR:
		return is_plain_left(f->left) && is_plain_left(f->right);
	default:
		return false;
	}
}

static bool
is_plain(const struct sl_formula *f)
{
	return f->kind == SL_FORMULA_BEFORE && f->right->kind == SL_FORMULA_ATOM &&
	       f->right->atom->kind != SL_EVENT_BLOCK && f->right->atom->kind != SL_EVENT_UNBLOCK &&
	       is_plain_left(f->left);
}

static void
number(struct sl_plan *plan, struct sl_formula *f)
{
	f->number = plan->formula_count++;
	if (f->left)
		number(plan, f->left);
	if (f->right)
		number(plan, f->right);
}

static bool
parse_orderings(struct parser *p, enum sl_token end)
{
	do {
		struct sl_formula *f = parse_formula(p);

		if (!f || !append(p, &p->orderings, f))
			return false;
		if (p->lex.token != SL_TOKEN_COMMA && p->lex.token != end)
			return expected(p, end == SL_TOKEN_END ? "`->`, `&&`, `||` or `,`"
							       : "`->`, `&&`, `||`, `,` or `}`");
		if (p->lex.token == SL_TOKEN_COMMA)
			next(p);
	} while (p->lex.token != end);
	return true;
}

static struct sl_plan *
parse_plan(struct parser *p, const char *name, const char *text, enum sl_token end)
{
	struct sl_plan *plan = take(p, sizeof(*plan));

	if (!plan)
		return NULL;
	p->plan = plan;
	p->atoms = p->orderings = (struct list){0};
	plan->name = name;
	plan->text = text;
	if (!parse_orderings(p, end))
		return NULL;
	plan->orderings = array_of(p, &p->orderings);
	plan->atoms = array_of(p, &p->atoms);
	if (!plan->orderings || !plan->atoms)
		return NULL;
	plan->ordering_count = p->orderings.count;
	plan->atom_count = p->atoms.count;
	if (plan->kinds & (1u << SL_EVENT_BLOCK | 1u << SL_EVENT_UNBLOCK))
		plan->blocks = true;
	for (uint32_t i = 0; i < plan->ordering_count; i++) {
		plan->orderings[i]->plain = is_plain(plan->orderings[i]);
		number(plan, plan->orderings[i]);
	}
	return sl_check(plan, *p->pool, p->lex.complaint) ? plan : NULL;
}

/* schedule "name" { … } */
static struct sl_plan *
parse_named(struct parser *p, const struct sl_plan *first, const char *text)
{
	struct sl_plan *plan;
	const char *name;

	if (p->lex.token != SL_TOKEN_NAME || !sl_lex_is(&p->lex, "schedule"))
		return expected(p, "`schedule`");
	next(p);
	if (p->lex.token != SL_TOKEN_STRING)
		return expected(p, "the schedule's name, in quotes,");
	name = text_of(p);
	if (!name)
		return NULL;
	for (; first; first = first->next)
		if (sl_text_same(first->name, name)) {
			sl_complain(p->lex.complaint, p->lex.from, "there is a schedule \"", name, "\" already",
				    NULL);
			return NULL;
		}
	next(p);
	if (p->lex.token != SL_TOKEN_BRACE)
		return expected(p, "`{`");
	next(p);
	plan = parse_plan(p, name, text, SL_TOKEN_CLOSE_BRACE);
	if (plan)
		next(p);
	return plan;
}

/* `schedule` begins a schedule only where a text in quotes comes after it: an event may have that name. */
static bool
is_named(const struct sl_lexer *lexer)
{
	struct sl_lexer ahead = *lexer;
	struct sl_complaint ignored;

	ahead.complaint = &ignored;
	if (ahead.token != SL_TOKEN_NAME || !sl_lex_is(&ahead, "schedule"))
		return false;
	sl_lex_next(&ahead);
	return ahead.token == SL_TOKEN_STRING;
}

struct sl_plan *
sl_plan_parse(const char *text, size_t length, struct sl_pool *pool, struct sl_complaint *complaint)
{
	struct parser p = {.pool = pool};
	struct sl_plan *first = NULL, **last = &first;
	char *copy;

	complaint->place = (struct sl_spot){0, 1, 1};
	complaint->text[0] = '\0';
	copy = length < UINT32_MAX ? sl_pool_take(pool, length + 1) : NULL;
	if (!copy) {
		sl_complain(complaint, complaint->place, "the schedule is too long for the memory that there is",
			    NULL);
		return NULL;
	}
	for (size_t i = 0; i < length; i++)
		copy[i] = text[i];
	sl_lex_start(&p.lex, copy, length, complaint);
	next(&p);
	if (!is_named(&p.lex)) {
		if (p.lex.token == SL_TOKEN_END)
			return expected(&p, "an ordering (`a -> b`)");
		return parse_plan(&p, "", copy, SL_TOKEN_END);
	}
	do {
		*last = parse_named(&p, first, copy);
		if (!*last)
			return NULL;
		last = &(*last)->next;
	} while (p.lex.token != SL_TOKEN_END);
	return first;
}
