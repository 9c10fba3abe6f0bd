/*
 * Text to plan: by recursive descent, one function for each strength of the connectives.
 */
#include "schedule/parse.h"

#include "schedule/lex.h"

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

void *
sl_parser_take(struct sl_parser *p, size_t size)
{
	void *memory = sl_pool_take(p->pool, size);

	if (!memory)
		sl_complain(p->lex.complaint, p->lex.from, "there is not enough memory for the schedule", NULL);
	return memory;
}

bool
sl_parser_append(struct sl_parser *p, struct sl_list *list, void *item)
{
	struct sl_node *node = sl_parser_take(p, sizeof(*node));

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
array_of(struct sl_parser *p, const struct sl_list *list)
{
	void **array = sl_parser_take(p, (list->count + 1) * sizeof(*array));
	uint32_t i = 0;

	for (struct sl_node *n = list->first; n && array; n = n->next)
		array[i++] = n->item;
	return array;
}

/* What an unexpected character may have meant. */
static const char *
meant(const struct sl_lexer *lexer)
{
	static const struct {
		char text[2];
		const char *hint;
	} hints[] = {
		{"&", ": \"and\" is `&&`"},
		{"|", ": \"or\" is `||`"},
		{"-", ": \"before\" is `->`"},
		{">", ": \"before\" is `->`"},
		{"=", ": \"implies\" is `=>`"},
		{";", ": orderings are separated by `,`"},
		{"'", ": quotes are `\"`"},
		{"*", ": a group of threads is `@w*`, in brackets `[@w*]`"},
		{"?", ": a group of threads is `@w?`, in brackets `[@w?]`"},
	};

	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]) && lexer->token == SL_TOKEN_OTHER; i++)
		if (sl_lex_is(lexer, hints[i].text))
			return hints[i].hint;
	return "";
}

void *
sl_parser_expected(struct sl_parser *p, const char *what)
{
	char found[48];
	struct sl_out out = {found, sizeof(found), 0};
	const char *text = p->lex.text + p->lex.from.offset;
	uint32_t length = p->lex.to.offset - p->lex.from.offset, shown = length < 40 ? length : 40;

	if (p->lex.token == SL_TOKEN_WRONG)
		return NULL;
	while (shown && shown < length && (text[shown] & 0xc0) == 0x80)
		shown--;
	sl_put(&out, "`");
	sl_put_bytes(&out, text, shown);
	sl_put(&out, shown < length ? "…`" : "`");
	sl_put_end(&out);
	if (p->lex.token == SL_TOKEN_END)
		sl_complain(p->lex.complaint, p->lex.from, "expected ", what, ", found the end of the text", NULL);
	else if ((unsigned char)*text < ' ' || *text == 0x7f)
		sl_complain(p->lex.complaint, p->lex.from, "expected ", what, ", found a control character", NULL);
	else
		sl_complain(p->lex.complaint, p->lex.from, "expected ", what, ", found ", found, meant(&p->lex),
			    NULL);
	return NULL;
}

char *
sl_parser_text(struct sl_parser *p)
{
	uint32_t from = p->lex.from.offset, to = p->lex.to.offset, n = 0;
	char *copy;

	if (p->lex.token == SL_TOKEN_STRING) {
		from++;
		to--;
	}
	copy = sl_parser_take(p, to - from + 1);
	for (uint32_t i = from; i < to && copy; i++) {
		if (p->lex.token == SL_TOKEN_STRING && p->lex.text[i] == '\\')
			i++;
		copy[n++] = p->lex.text[i];
	}
	return copy;
}

void
sl_parser_next(struct sl_parser *p)
{
	p->end = p->lex.to;
	sl_lex_next(&p->lex);
}

static struct sl_formula *
formula_new(struct sl_parser *p, enum sl_formula_kind kind, struct sl_spot from)
{
	struct sl_formula *f = sl_parser_take(p, sizeof(*f));

	if (f) {
		f->kind = kind;
		f->from = from;
		f->to = p->end;
	}
	return f;
}

static struct sl_formula *
nested(struct sl_parser *p)
{
	sl_complain(p->lex.complaint, p->lex.from, "more than 100 levels of parentheses", NULL);
	return NULL;
}

/* Until a formula gets its number, this member is its height. */
static struct sl_formula *
join(struct sl_parser *p, struct sl_formula *f, struct sl_formula *left, struct sl_formula *right)
{
	if (!f || !left)
		return NULL;
	f->left = left;
	f->right = right;
	f->to = p->end;
	f->number = 1 + (right && right->number > left->number ? right->number : left->number);
	if (f->number <= SL_HEIGHT_MAX)
		return f;
	sl_complain(p->lex.complaint, f->from, "more than 200 levels in one ordering", NULL);
	return NULL;
}

/* ---- formulas ---- */

static struct sl_formula *parse_formula(struct sl_parser *p);

static struct sl_formula *
parse_bracket(struct sl_parser *p)
{
	struct sl_spot from = p->lex.from;
	struct sl_formula *f;

	sl_parser_next(p);
	f = formula_new(p, SL_FORMULA_BLOCKED_EVENT, from);
	if (!f)
		return NULL;
	if (p->lex.token == SL_TOKEN_AT) {
		f->kind = SL_FORMULA_BLOCKED_THREAD;
		if (!sl_parser_thread(p, &f->thread))
			return NULL;
	} else {
		if (p->lex.token != SL_TOKEN_NAME && p->lex.token != SL_TOKEN_STRING)
			return sl_parser_expected(p, "an event or `@thread` after `[`");
		f->atom = sl_parser_atom(p);
		if (!f->atom)
			return NULL;
	}
	if (p->lex.token != SL_TOKEN_CLOSE_BRACKET)
		return sl_parser_expected(p, "`]`");
	sl_parser_next(p);
	f->to = p->end;
	p->plan->blocks = true;
	return f;
}

static struct sl_formula *
parse_primary(struct sl_parser *p)
{
	struct sl_spot from = p->lex.from;
	struct sl_formula *f;

	if (p->lex.token == SL_TOKEN_BRACKET)
		return parse_bracket(p);
	if (p->lex.token == SL_TOKEN_OPEN) {
		sl_parser_next(p);
		f = parse_formula(p);
		if (!f)
			return NULL;
		if (p->lex.token != SL_TOKEN_CLOSE)
			return sl_parser_expected(p, "`)`");
		sl_parser_next(p);
		return f;
	}
	if (p->lex.token != SL_TOKEN_NAME && p->lex.token != SL_TOKEN_STRING)
		return sl_parser_expected(p, "an event, `[`, `(` or `!`");
	f = formula_new(p, SL_FORMULA_ATOM, from);
	if (!f)
		return NULL;
	f->atom = sl_parser_atom(p);
	f->to = p->end;
	return f->atom ? f : NULL;
}

static struct sl_formula *
parse_not(struct sl_parser *p)
{
	struct sl_spot from = p->lex.from;
	struct sl_formula *f, *operand;

	if (++p->depth > SL_DEPTH_MAX)
		return nested(p);
	if (p->lex.token == SL_TOKEN_NOT) {
		sl_parser_next(p);
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

/* All connectives associate to the left, except =>. */
static struct sl_formula *
parse_binary(struct sl_parser *p, unsigned strength)
{
	struct sl_spot from = p->lex.from;
	struct sl_formula *f, *right;

	if (strength == sizeof(strengths) / sizeof(strengths[0]))
		return parse_not(p);
	f = parse_binary(p, strength + 1);
	while (f && p->lex.token == strengths[strength].token) {
		bool again = strengths[strength].kind == SL_FORMULA_IMPLIES;

		sl_parser_next(p);
		if (++p->depth > SL_DEPTH_MAX)
			return nested(p);
		right = parse_binary(p, strength + !again);
		p->depth--;
		f = right ? join(p, formula_new(p, strengths[strength].kind, from), f, right) : NULL;
	}
	return f;
}

static struct sl_formula *
parse_formula(struct sl_parser *p)
{
	struct sl_spot from = p->lex.from;
	struct sl_formula *right, *left = parse_binary(p, 0);

	if (!left || p->lex.token != SL_TOKEN_ARROW)
		return left;
	sl_parser_next(p);
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

/* Inserts it into the list, by its place. */
static struct sl_mark *
mark(struct sl_parser *p, enum sl_mark_kind kind, struct sl_spot from, struct sl_spot to)
{
	struct sl_mark **at = p->marks, *new;

	if (!at)
		return NULL;
	new = sl_parser_take(p, sizeof(*new));
	if (!new) {
		p->lex.token = SL_TOKEN_WRONG; /* there is a complaint */
		return NULL;
	}
	while (*at && (*at)->from.offset > from.offset) /* the last is the first */
		at = &(*at)->next;
	new->next = *at;
	*at = new;
	new->kind = kind;
	new->from = from;
	new->to = to;
	return new;
}

static void
mark_comment(void *data, struct sl_spot from, struct sl_spot to)
{
	mark(data, SL_MARK_COMMENT, from, to);
}

static bool
begins_ordering(enum sl_token token)
{
	return token == SL_TOKEN_NAME || token == SL_TOKEN_STRING || token == SL_TOKEN_BRACKET ||
	       token == SL_TOKEN_OPEN || token == SL_TOKEN_NOT;
}

/* The tokens that may come after an ordering. */
static bool
expected_more(struct sl_parser *p, bool has_arrow, enum sl_token end)
{
	return sl_parser_expected(p, !has_arrow            ? "`->`, `&&` or `||`"
				     : end == SL_TOKEN_END ? "`,`, `&&` or `||`"
							   : "`,`, `}`, `&&` or `||`");
}

/*
 * IMUnit's grammar allows leaving out the comma between two orderings of the form `a -> b`. Where one of them has no arrow of
 * its own, a missing operator is more likely than a missing comma.
 */
static bool
parse_orderings(struct sl_parser *p, enum sl_token end)
{
	struct sl_mark *last = NULL;
	bool comma = true;

	do {
		struct sl_lexer start = p->lex;
		struct sl_spot from = p->lex.from;
		struct sl_formula *f = parse_formula(p);
		bool arrow = f && f->kind == SL_FORMULA_BEFORE &&
			     f->from.offset == from.offset; /* not in parentheses */

		if (f && !comma && !arrow) {
			p->lex = start;
			return expected_more(p, true, end);
		}
		if (f && p->orderings.count == SL_ORDERINGS_MAX)
			return sl_complain(p->lex.complaint, from, "a schedule has at most 4096 orderings", NULL);
		if (!f || !sl_parser_append(p, &p->orderings, f))
			return false;
		last = mark(p, SL_MARK_ORDERING, from, p->end);
		if (last)
			last->ordering = f;
		comma = p->lex.token == SL_TOKEN_COMMA;
		if (!comma && p->lex.token != end && !(arrow && begins_ordering(p->lex.token)))
			return expected_more(p, f->kind == SL_FORMULA_BEFORE, end);
		if (comma) {
			mark(p, SL_MARK_COMMA, p->lex.from, p->lex.to);
			sl_parser_next(p);
		}
	} while (p->lex.token != end);
	if (last)
		last->last = true;
	return true;
}

static struct sl_plan *
parse_plan(struct sl_parser *p, const char *name, const char *text, enum sl_token end)
{
	struct sl_plan *plan = sl_parser_take(p, sizeof(*plan));

	if (!plan)
		return NULL;
	p->plan = plan;
	p->atoms = p->orderings = (struct sl_list){0};
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
parse_named(struct sl_parser *p, const struct sl_plan *first, const char *text)
{
	struct sl_spot from = p->lex.from;
	struct sl_mark *open;
	struct sl_plan *plan;
	const char *name;

	if (p->lex.token != SL_TOKEN_NAME || !sl_lex_is(&p->lex, "schedule"))
		return sl_parser_expected(p, "`schedule`");
	sl_parser_next(p);
	if (p->lex.token != SL_TOKEN_STRING)
		return sl_parser_expected(p, "the schedule's name in quotes");
	name = sl_parser_text(p);
	if (!name)
		return NULL;
	for (; first; first = first->next)
		if (sl_text_same(first->name, name)) {
			sl_complain(p->lex.complaint, p->lex.from, "there is a schedule \"", name, "\" already",
				    NULL);
			return NULL;
		}
	sl_parser_next(p);
	if (p->lex.token != SL_TOKEN_BRACE)
		return sl_parser_expected(p, "`{`");
	open = mark(p, SL_MARK_OPEN, from, p->lex.to);
	sl_parser_next(p);
	plan = parse_plan(p, name, text, SL_TOKEN_CLOSE_BRACE);
	if (!plan)
		return NULL;
	if (open)
		open->plan = plan;
	mark(p, SL_MARK_CLOSE, p->lex.from, p->lex.to);
	sl_parser_next(p);
	return p->lex.token == SL_TOKEN_WRONG ? NULL : plan;
}

/* `schedule` begins a schedule only if a name and { come after it: it may be the name of an event. */
static bool
is_named(const struct sl_lexer *lexer)
{
	struct sl_lexer ahead = *lexer;
	struct sl_complaint ignored;

	ahead.complaint = &ignored;
	ahead.comment = NULL;
	if (ahead.token != SL_TOKEN_NAME || !sl_lex_is(&ahead, "schedule"))
		return false;
	sl_lex_next(&ahead);
	return ahead.token == SL_TOKEN_STRING || ahead.token == SL_TOKEN_BRACE;
}

struct sl_plan *
sl_plan_parse(const char *text, size_t length, struct sl_pool *pool, struct sl_complaint *complaint)
{
	return sl_parse(text, length, pool, NULL, complaint);
}

struct sl_plan *
sl_parse(const char *text, size_t length, struct sl_pool *pool, struct sl_mark **marks,
	 struct sl_complaint *complaint)
{
	struct sl_parser p = {.pool = pool, .marks = marks};
	struct sl_plan *first = NULL, **last = &first;
	char *copy;

	complaint->place = (struct sl_spot){0, 1, 1};
	complaint->text[0] = '\0';
	copy = length < UINT32_MAX ? sl_pool_take(pool, length + 1) : NULL;
	if (!copy) {
		sl_complain(complaint, complaint->place, "there is not enough memory for the schedule", NULL);
		return NULL;
	}
	for (size_t i = 0; i < length; i++)
		copy[i] = text[i];
	sl_lex_start(&p.lex, copy, length, complaint);
	if (marks) {
		p.lex.comment = mark_comment;
		p.lex.data = &p;
	}
	sl_parser_next(&p);
	if (!is_named(&p.lex)) {
		if (p.lex.token == SL_TOKEN_END)
			return sl_parser_expected(&p, "an ordering (`a -> b`)");
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
