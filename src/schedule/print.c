/*
 * Plan to text, in the canonical layout; the text parses back to the same plan.
 */
#include "schedule/lex.h"
#include "schedule/parse.h"

#define COLUMNS 100

static const char *const signs[] = {
	[SL_FORMULA_AND] = " && ",  [SL_FORMULA_OR] = " || ",     [SL_FORMULA_IMPLIES] = " => ",
	[SL_FORMULA_IFF] = " <=> ", [SL_FORMULA_BEFORE] = " -> ",
};

static bool
has(const char *text, char c)
{
	for (; *text; text++)
		if (*text == c)
			return true;
	return false;
}

/* An event's name, or a file's. */
static void
put_name(struct sl_out *out, const struct sl_atom *atom)
{
	bool plain = sl_lex_whole(atom->name, SL_TOKEN_NAME);

	if (atom->line)
		plain &= (has(atom->name, '.') || has(atom->name, '/')) && !has(atom->name, ':');
	else
		plain &= !has(atom->name, '/') && !(atom->object && sl_text_same(atom->name, "schedule"));
	for (enum sl_event_kind kind = SL_EVENT_START; kind <= SL_EVENT_UNBLOCK; kind++)
		plain &= !sl_text_same(atom->name, sl_kind_words[kind]);
	if (plain)
		sl_put(out, atom->name);
	else
		sl_put_quoted(out, atom->name);
}

static void
put_as(struct sl_out *out, const char *name, enum sl_token token)
{
	if (sl_lex_whole(name, token))
		sl_put(out, name);
	else
		sl_put_quoted(out, name);
}

static void
put_atom(struct sl_out *out, const struct sl_atom *atom)
{
	if (sl_kind_words[atom->kind])
		sl_put(out, sl_kind_words[atom->kind]);
	if (atom->kind == SL_EVENT_EXIT && atom->line)
		sl_put(out, ":");
	if (atom->kind == SL_EVENT_NAMED || atom->line)
		put_name(out, atom);
	if (atom->line) {
		sl_put(out, ":");
		sl_put_number(out, atom->line);
	} else if (sl_kind_has_target(atom->kind)) {
		sl_put(out, ":");
		put_as(out, atom->name, SL_TOKEN_TARGET);
	}
	if (atom->object) {
		sl_put(out, "{");
		put_as(out, atom->object, SL_TOKEN_TARGET);
		sl_put(out, "}");
	}
	if (atom->occurrence == SL_EVERY) {
		sl_put(out, "#*");
	} else if (atom->occurrence) {
		sl_put(out, "#");
		sl_put_number(out, atom->occurrence);
	}
	if (atom->thread) {
		sl_put(out, "@");
		put_as(out, atom->thread, SL_TOKEN_THREAD);
	}
}

static void put_formula(struct sl_out *out, const struct sl_formula *f);

/* In parentheses, unless it is simple or has the same connective; more than needed, because readers do not know the precedences. */
static void
put_side(struct sl_out *out, const struct sl_formula *f, const struct sl_formula *side)
{
	bool left = side == f->left;
	bool alone = !side->right || (side->kind == f->kind && (f->kind == SL_FORMULA_IMPLIES ? !left : left) &&
				      f->kind != SL_FORMULA_BEFORE);

	if (!alone)
		sl_put(out, "(");
	put_formula(out, side);
	if (!alone)
		sl_put(out, ")");
}

static void
put_formula(struct sl_out *out, const struct sl_formula *f)
{
	switch (f->kind) {
	case SL_FORMULA_ATOM:
		put_atom(out, f->atom);
		break;
	case SL_FORMULA_BLOCKED_EVENT:
		sl_put(out, "[");
		put_atom(out, f->atom);
		sl_put(out, "]");
		break;
	case SL_FORMULA_BLOCKED_THREAD:
		sl_put(out, "[@");
		put_as(out, f->thread, SL_TOKEN_THREAD);
		sl_put(out, "]");
		break;
	case SL_FORMULA_NOT:
		sl_put(out, "!");
		put_side(out, f, f->left);
		break;
	default:
		if (!f->left || !f->right)
			break; /* there are both */
		put_side(out, f, f->left);
		sl_put(out, signs[f->kind]);
		put_side(out, f, f->right);
		break;
	}
}

static size_t
put_list(struct sl_out *out, const struct sl_plan *plan, const char *indent, const char *between)
{
	size_t start = out->length;

	for (uint32_t i = 0; i < plan->ordering_count; i++) {
		sl_put(out, indent);
		put_formula(out, plan->orderings[i]);
		if (i + 1 < plan->ordering_count)
			sl_put(out, between);
	}
	return out->length - start;
}

size_t
sl_atom_print(const struct sl_atom *atom, char *to, size_t room)
{
	struct sl_out out = {to, room, 0};

	put_atom(&out, atom);
	return sl_put_end(&out);
}

size_t
sl_formula_print(const struct sl_formula *formula, char *to, size_t room)
{
	struct sl_out out = {to, room, 0};

	put_formula(&out, formula);
	return sl_put_end(&out);
}

size_t
sl_plan_print(const struct sl_plan *plan, char *to, size_t room)
{
	struct sl_out out = {to, room, 0};

	if (!*plan->name) {
		struct sl_out measure = {NULL, 0, 0};

		put_list(&out, plan, "", put_list(&measure, plan, "", ", ") <= COLUMNS ? ", " : ",\n");
		return sl_put_end(&out);
	}
	sl_put(&out, "schedule ");
	sl_put_quoted(&out, plan->name);
	sl_put(&out, " {\n");
	put_list(&out, plan, "    ", ",\n");
	sl_put(&out, "\n}\n");
	return sl_put_end(&out);
}
