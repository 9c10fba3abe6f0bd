#include "version/align.h"

#include "base/rng.h"
#include "base/room.h"
#include "version/unchanged.h"
#include "version/unit.h"

#include <string.h>

#define NONE UINT32_MAX

/* A source file of one version, read. */
struct file {
	const struct sl_text *text;
	struct sl_lexemes lexemes;
	struct sl_units units;
	uint64_t *keys; /* by token: its key in comparisons; all local variables have the same */
	uint64_t *wholes; /* by unit: the hash of all its tokens, with numbers for local variables */
	uint32_t first; /* the first of its units, among those of the version */
};

struct version {
	struct file *files;
	uint32_t file_count;
	uint32_t unit_count;
	uint32_t *file_of; /* by unit of the version: its file */
	uint32_t *match; /* by unit: its counterpart in the other version; NONE */
	bool *whole; /* by unit: it is equal to its counterpart */
	bool *moved;
};

struct sl_aligner {
	struct version old, new;
	uint32_t **token; /* by new file and token: the old token, in the file of the unit's counterpart; NONE */
	uint32_t **forth; /* by old file and line: the new line */
	uint32_t **forth_file;
};

bool
sl_is_source(const char *path)
{
	static const char *const ends[] = {".c",   ".h",   ".cc",  ".hh", ".cpp", ".hpp", ".cxx",
					   ".hxx", ".c++", ".h++", ".C",  ".H",   ".inc", ".inl",
					   ".ipp", ".tcc", ".def", ".i",  ".ii"};
	const char *slash = strrchr(path, '/'), *end = strrchr(slash ? slash : path, '.');

	for (size_t i = 0; end && i < sizeof(ends) / sizeof(*ends); i++)
		if (strcmp(end, ends[i]) == 0)
			return true;
	return false;
}

/*
 * A header may be in either language: it is read as C++, which looks into classes, if it has words that C does not
 * have.
 */
static bool
is_cxx(const char *path, const struct sl_lexemes *lexemes)
{
	const char *end = strrchr(path, '.');

	if (end && strcmp(end, ".c") == 0)
		return false;
	if (end && (end[1] == 'C' || strchr(end, 'p') || strchr(end, 'x') || strchr(end, '+') ||
		    strcmp(end, ".cc") == 0 || strcmp(end, ".hh") == 0 || strcmp(end, ".tcc") == 0))
		return true;
	for (size_t i = 0; i < lexemes->count; i++)
		if (lexemes->items[i].kind == SL_LEXEME_NAME &&
		    sl_lexeme_among(&lexemes->items[i], "class namespace template typename"))
			return true;
	return false;
}

/* ---- what tokens are compared by ---- */

/*
 * Returns the macro that keeps a header from being included twice: `#ifndef X`, `#define X`, and an #endif as the
 * last line. Its name goes with the file's name. NULL: there is none.
 */
static const struct sl_lexeme *
guard(const struct sl_lexemes *l)
{
	const struct sl_lexeme *t = l->items;
	size_t n = l->count;

	if (n < 11 || t[0].kind != SL_LEXEME_DIRECTIVE || !sl_lexeme_is(&t[1], "ifndef") ||
	    t[3].kind != SL_LEXEME_END || t[4].kind != SL_LEXEME_DIRECTIVE || !sl_lexeme_is(&t[5], "define") ||
	    t[6].hash != t[2].hash || t[7].kind != SL_LEXEME_END || t[n - 1].kind != SL_LEXEME_END ||
	    !sl_lexeme_is(&t[n - 2], "endif"))
		return NULL;
	return &t[2];
}

/* Returns whether the path ends with the name in an #include. */
static bool
ends_with(const char *path, const struct sl_lexeme *header)
{
	const char *name = header->text + 1;
	size_t length = header->length - 2, all = strlen(path);

	while (length > 3 && memcmp(name, "../", 3) == 0) {
		name += 3;
		length -= 3;
	}
	return all >= length && memcmp(path + all - length, name, length) == 0 &&
	       (all == length || path[all - length - 1] == '/');
}

/* Makes #include "b.h" equal to #include "a.h" where b.h is the renamed a.h. */
static uint64_t
include_key(const struct sl_lexeme *header, const struct sl_text *own, uint32_t own_count,
	    const struct sl_text *other, const uint32_t *pairs)
{
	if (header->length < 3)
		return header->hash;
	for (uint32_t i = 0; i < own_count; i++)
		if (pairs[i] != SL_NO_FILE && strcmp(own[i].path, other[pairs[i]].path) != 0 &&
		    ends_with(own[i].path, header)) {
			uint32_t a = i, b = pairs[i];

			/* the same number for both versions */
			return sl_mix((own < other ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a) + 0x1cde);
		}
	return header->hash;
}

static void
make_keys(struct file *f, const struct sl_text *own, uint32_t own_count, const struct sl_text *other,
	  const uint32_t *pairs)
{
	const struct sl_lexemes *l = &f->lexemes;
	const struct sl_lexeme *guarded = guard(l);

	f->keys = sl_room_zeroed(l->count, sizeof(*f->keys));
	f->wholes = sl_room_zeroed(f->units.count, sizeof(*f->wholes));
	for (size_t i = 0; i < l->count; i++) {
		const struct sl_lexeme *t = &l->items[i];

		f->keys[i] = f->units.local[i] ? 1 : t->hash;
		if (guarded && t->hash == guarded->hash)
			f->keys[i] = 2;
		else if (t->kind == SL_LEXEME_STRING && i >= 2 && l->items[i - 2].kind == SL_LEXEME_DIRECTIVE)
			f->keys[i] = include_key(t, own, own_count, other, pairs);
	}
	for (size_t u = 0; u < f->units.count; u++) {
		const struct sl_unit *unit = &f->units.items[u];
		uint64_t h = unit->kind;

		for (size_t i = 0; i < unit->count; i++) {
			uint32_t token = f->units.order[unit->first + i];

			h = sl_mix(h * 0x9e3779b97f4a7c15u ^ f->keys[token]) + f->units.local[token];
		}
		f->wholes[u] = h;
	}
}

static void
read_version(struct version *v, const struct sl_text *texts, uint32_t count)
{
	*v = (struct version){.files = sl_room_zeroed(count, sizeof(*v->files)), .file_count = count};
	for (uint32_t i = 0; i < count; i++) {
		struct file *f = &v->files[i];

		f->text = &texts[i];
		sl_lexemes_init(&f->lexemes, texts[i].bytes, texts[i].size);
		sl_units_init(&f->units, &f->lexemes, is_cxx(texts[i].path, &f->lexemes));
		f->first = v->unit_count;
		v->unit_count += (uint32_t)f->units.count;
	}
	v->file_of = sl_room_zeroed(v->unit_count, sizeof(*v->file_of));
	v->match = sl_room_zeroed(v->unit_count, sizeof(*v->match));
	v->whole = sl_room_zeroed(v->unit_count, sizeof(*v->whole));
	v->moved = sl_room_zeroed(v->unit_count, sizeof(*v->moved));
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < v->files[i].units.count; k++)
			v->file_of[v->files[i].first + k] = i;
	for (uint32_t i = 0; i < v->unit_count; i++)
		v->match[i] = NONE;
}

static void
release_version(struct version *v)
{
	for (uint32_t i = 0; i < v->file_count; i++) {
		struct file *f = &v->files[i];

		sl_units_release(&f->units);
		sl_lexemes_release(&f->lexemes);
		free(f->keys);
		free(f->wholes);
	}
	free(v->files);
	free(v->file_of);
	free(v->match);
	free(v->whole);
	free(v->moved);
}

/* ---- units ---- */

static const struct sl_unit *
unit_at(const struct version *v, uint32_t unit)
{
	const struct file *f = &v->files[v->file_of[unit]];

	return &f->units.items[unit - f->first];
}

static uint64_t
whole_of(const struct version *v, uint32_t unit)
{
	const struct file *f = &v->files[v->file_of[unit]];

	return f->wholes[unit - f->first];
}

static void
pair_up(struct sl_aligner *a, uint32_t old, uint32_t new, bool whole, bool moved)
{
	a->old.match[old] = new;
	a->new.match[new] = old;
	a->old.whole[old] = a->new.whole[new] = whole;
	a->old.moved[old] = a->new.moved[new] = moved;
}

/* Matches the units that are equal, and in the same order, in a file and its old file. */
static void
match_in_place(struct sl_aligner *a, uint32_t old, uint32_t new)
{
	struct file *of = &a->old.files[old], *nf = &a->new.files[new];
	uint32_t *match = sl_room_zeroed(nf->units.count, sizeof(*match));

	sl_unchanged(of->wholes, (uint32_t)of->units.count, nf->wholes, (uint32_t)nf->units.count, match);
	for (uint32_t i = 0; i < nf->units.count; i++)
		if (match[i] != NONE)
			pair_up(a, of->first + match[i], nf->first + i, true, false);
	free(match);
}

/* A unit by a key that other units may share. */
struct known {
	uint64_t key;
	uint32_t unit;
};

static int
by_key(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* What two units that are matched have in common. */
enum criterion { BY_TOKENS, BY_SIGNATURE, BY_NAME };

static uint64_t
key_of(const struct version *v, uint32_t unit, enum criterion criterion)
{
	const struct sl_unit *u = unit_at(v, unit);
	uint64_t h = u->kind == SL_UNIT_RECORD ? SL_UNIT_DECLARATION : u->kind;

	if (criterion == BY_TOKENS)
		return whole_of(v, unit);
	if (u->kind == SL_UNIT_BRACKET || !u->name[0])
		return 0;
	if (criterion == BY_SIGNATURE)
		return u->signature ? sl_mix(u->signature + h) : 0;
	for (const char *c = u->name; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3u;
	return sl_mix(h) | 1;
}

/*
 * Matches units without a counterpart: those of a file and its old file (`of` and `nf`), or (NONE) those of all
 * files. Of several units with one key, the first goes with the first.
 */
static void
pair_rest(struct sl_aligner *a, enum criterion criterion, uint32_t of, uint32_t nf)
{
	uint32_t old_from = of == NONE ? 0 : a->old.files[of].first,
		 new_from = nf == NONE ? 0 : a->new.files[nf].first;
	uint32_t old_to = of == NONE ? a->old.unit_count : old_from + (uint32_t)a->old.files[of].units.count;
	uint32_t new_to = nf == NONE ? a->new.unit_count : new_from + (uint32_t)a->new.files[nf].units.count;
	struct known *known = sl_room_zeroed(old_to - old_from, sizeof(*known));
	size_t count = 0;

	for (uint32_t i = old_from; i < old_to; i++) {
		uint64_t key = a->old.match[i] == NONE ? key_of(&a->old, i, criterion) : 0;

		if (key)
			known[count++] = (struct known){key, i};
	}
	qsort(known, count, sizeof(*known), by_key);
	for (uint32_t i = new_from; i < new_to && count; i++) {
		uint64_t key = a->new.match[i] == NONE ? key_of(&a->new, i, criterion) : 0;
		size_t low = 0, high = count;

		if (!key)
			continue;
		while (low < high) {
			size_t middle = (low + high) / 2;

			if (known[middle].key < key)
				low = middle + 1;
			else
				high = middle;
		}
		while (low < count && known[low].key == key && a->old.match[known[low].unit] != NONE)
			low++;
		if (low < count && known[low].key == key)
			pair_up(a, known[low].unit, i, criterion == BY_TOKENS,
				criterion == BY_TOKENS || of == NONE);
	}
	free(known);
}

/* ---- tokens ---- */

/* The tokens of a unit, with their keys. */
struct row {
	const struct file *file;
	const uint32_t *tokens; /* of the file */
	uint32_t count;
	uint64_t *keys;
};

static struct row
row_of(const struct version *v, uint32_t unit)
{
	const struct file *f = &v->files[v->file_of[unit]];
	const struct sl_unit *u = unit_at(v, unit);
	struct row row = {f, f->units.order + u->first, (uint32_t)u->count,
			  sl_room_zeroed(u->count, sizeof(uint64_t))};

	for (uint32_t i = 0; i < row.count; i++)
		row.keys[i] = f->keys[row.tokens[i]];
	return row;
}

static uint32_t
line_of(const struct row *row, uint32_t i)
{
	return row->file->lexemes.items[row->tokens[i]].line;
}

static bool
ends_statement(const struct row *row, uint32_t i)
{
	const struct sl_lexeme *t = &row->file->lexemes.items[row->tokens[i]];

	return t->kind == SL_LEXEME_END ||
	       (t->kind == SL_LEXEME_SIGN && t->length == 1 && strchr(";{}", t->text[0]));
}

/*
 * The smaller the number, the more the run looks like a person's insertion or deletion: few lines, and from
 * statement to statement.
 */
static unsigned
oddness(const struct row *row, uint32_t from, uint32_t to)
{
	unsigned lines = 1;

	for (uint32_t i = from + 1; i < to; i++)
		lines += line_of(row, i) != line_of(row, i - 1);
	return lines * 4 + (from && line_of(row, from - 1) == line_of(row, from)) +
	       (from && !ends_statement(row, from - 1)) * 2;
}

/*
 * A run between counterparts can often be shifted: of `b(); b();` either may be the new one, and for `a(); b();`
 * after `a();` a diff may say that `; b()` is new. Shifts every such run to the position that looks best. match:
 * by token of this row, its counterpart in the other.
 */
static void
settle(const struct row *row, uint32_t *match)
{
	for (uint32_t from = 0, to; from < row->count; from = to) {
		uint32_t best, low, high, length;

		to = from + 1;
		if (match[from] != NONE)
			continue;
		while (to < row->count && match[to] == NONE)
			to++;
		if (from == 0 || to == row->count || match[from - 1] + 1 != match[to])
			continue; /* not an insertion: something was replaced */
		length = to - from;
		for (low = from;
		     low > 0 && match[low - 1] != NONE && row->keys[low - 1] == row->keys[low - 1 + length] &&
		     (low == from || match[low - 1] + 1 == match[low]);
		     low--)
			;
		for (high = from; high + length < row->count && match[high + length] != NONE &&
				  row->keys[high] == row->keys[high + length] &&
				  (high == from || match[high + length] == match[high + length - 1] + 1);
		     high++)
			;
		best = from;
		for (uint32_t i = low; i <= high; i++)
			if (oddness(row, i, i + length) < oddness(row, best, best + length))
				best = i;
		for (; from > best; from--) {
			match[from + length - 1] = match[from - 1];
			match[from - 1] = NONE;
		}
		for (; from < best; from++) {
			match[from] = match[from + length];
			match[from + length] = NONE;
		}
		if (from + length > to)
			to = from + length;
	}
}

static void
invert(const uint32_t *match, uint32_t count, uint32_t *inverse, uint32_t inverse_count)
{
	for (uint32_t i = 0; i < inverse_count; i++)
		inverse[i] = NONE;
	for (uint32_t i = 0; i < count; i++)
		if (match[i] != NONE)
			inverse[match[i]] = i;
}

/* A pair of local variables, and how often they stand at each other's places. */
struct vote {
	uint32_t old, new, count;
};

static int
by_votes(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->new != y->new)
		return x->new < y->new ? -1 : 1;
	return x->old < y->old ? -1 : x->old > y->old;
}

static int
by_pair(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	if (x->new != y->new)
		return x->new < y->new ? -1 : 1;
	return x->old < y->old ? -1 : x->old > y->old;
}

/*
 * Until now all local variables were alike. Two of them are the same if most places say so, one for one; at the
 * other places the variable has changed.
 */
static void
tell_locals_apart(const struct row *old, const struct row *new, uint32_t *match)
{
	struct vote *votes = sl_room_zeroed(new->count, sizeof(*votes));
	const uint32_t *old_local = old->file->units.local, *new_local = new->file->units.local;
	uint32_t count = 0, kept = 0, most = 0, *is = NULL, *was = NULL;

	for (uint32_t i = 0; i < new->count; i++)
		if (match[i] != NONE && new_local[new->tokens[i]]) {
			votes[count++] =
				(struct vote){old_local[old->tokens[match[i]]], new_local[new->tokens[i]], 1};
			most = votes[count - 1].old > most ? votes[count - 1].old : most;
			most = votes[count - 1].new > most ? votes[count - 1].new : most;
		}
	qsort(votes, count, sizeof(*votes), by_pair);
	for (uint32_t i = 0; i < count; i++)
		if (kept && by_pair(&votes[kept - 1], &votes[i]) == 0)
			votes[kept - 1].count++;
		else
			votes[kept++] = votes[i];
	qsort(votes, kept, sizeof(*votes), by_votes);
	was = sl_room_zeroed(most + 1, sizeof(*was));
	is = sl_room_zeroed(most + 1, sizeof(*is));
	for (uint32_t i = 0; i < kept; i++)
		if (!was[votes[i].new] && !is[votes[i].old]) {
			was[votes[i].new] = votes[i].old;
			is[votes[i].old] = votes[i].new;
		}
	for (uint32_t i = 0; i < new->count; i++)
		if (match[i] != NONE && new_local[new->tokens[i]] &&
		    was[new_local[new->tokens[i]]] != old_local[old->tokens[match[i]]])
			match[i] = NONE;
	free(votes);
	free(was);
	free(is);
}

/*
 * Returns the token beside which something is gone: the next one if a statement began with what is gone; else the
 * one before. NONE: the unit is empty.
 */
static uint32_t
neighbour(const struct row *old, uint32_t gone, const struct row *new, uint32_t before, uint32_t behind)
{
	bool statement = gone == 0 || ends_statement(old, gone - 1);

	if (behind == NONE || before == NONE)
		return behind == NONE ? before : behind;
	if (!statement)
		return before;
	return sl_lexeme_is(&new->file->lexemes.items[new->tokens[behind]], "}") &&
			       !sl_lexeme_is(&new->file->lexemes.items[new->tokens[before]], "{")
		       ? before
		       : behind;
}

/* Marks lines of the new version beside which tokens are gone that nothing has replaced. */
static void
mark_deletions(const struct row *old, const struct row *new, const uint32_t *inverse,
	       struct sl_aligned_line *lines)
{
	for (uint32_t from = 0, to; from < old->count; from = to) {
		uint32_t before, behind, token;

		to = from + 1;
		if (inverse[from] != NONE)
			continue;
		while (to < old->count && inverse[to] == NONE)
			to++;
		before = from ? inverse[from - 1] : NONE;
		behind = to < old->count ? inverse[to] : NONE;
		if ((before != NONE && behind != NONE ? before + 1 != behind
		     : before != NONE                 ? before + 1 != new->count
						      : behind != NONE &&behind != 0))
			continue; /* replaced: the new tokens show it */
		token = neighbour(old, from, new, before, behind);
		if (token != NONE && lines[line_of(new, token)].change == SL_LINE_SAME)
			lines[line_of(new, token)].change = SL_LINE_BESIDE;
	}
}

static void
align_unit(struct sl_aligner *a, struct sl_alignment *out, uint32_t unit)
{
	uint32_t nf = a->new.file_of[unit], partner = a->new.match[unit];
	struct row new = row_of(&a->new, unit), old = {0};
	uint32_t *match = sl_room_zeroed(new.count, sizeof(*match)), *inverse = NULL;
	struct sl_aligned_line *lines = out->files[nf].lines;

	for (uint32_t i = 0; i < new.count; i++)
		match[i] = a->new.whole[unit] ? i : NONE;
	if (partner != NONE && !a->new.whole[unit]) {
		old = row_of(&a->old, partner);
		inverse = sl_room_zeroed(old.count, sizeof(*inverse));
		sl_unchanged(old.keys, old.count, new.keys, new.count, match);
		settle(&new, match);
		invert(match, new.count, inverse, old.count);
		settle(&old, inverse);
		invert(inverse, old.count, match, new.count);
		tell_locals_apart(&old, &new, match);
		invert(match, new.count, inverse, old.count);
	} else if (partner != NONE) {
		old = row_of(&a->old, partner);
	}
	for (uint32_t i = 0; i < new.count; i++) {
		struct sl_aligned_line *line = &lines[line_of(&new, i)];

		if (match[i] == NONE) {
			line->change = SL_LINE_CHANGED;
			continue;
		}
		a->token[nf][new.tokens[i]] = old.tokens[match[i]];
		if (line->file == SL_NO_FILE) {
			line->file = a->old.file_of[partner];
			line->line = line_of(&old, match[i]);
		}
	}
	if (inverse)
		mark_deletions(&old, &new, inverse, lines);
	free(match);
	free(inverse);
	free(new.keys);
	free(old.keys);
}

/* ---- the result ---- */

static uint32_t
first_line(const struct version *v, uint32_t unit)
{
	const struct file *f = &v->files[v->file_of[unit]];

	return f->lexemes.items[f->units.order[unit_at(v, unit)->first]].line;
}

static uint32_t
last_line(const struct version *v, uint32_t unit)
{
	const struct file *f = &v->files[v->file_of[unit]];
	const struct sl_unit *u = unit_at(v, unit);

	return u->count ? f->lexemes.items[f->units.order[u->first + u->count - 1]].last_line : 0;
}

static bool
any_changed(const struct sl_aligned_file *file, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last && i <= file->line_count; i++)
		if (file->lines[i].change != SL_LINE_SAME)
			return true;
	return false;
}

static void
list_declaration(struct sl_aligned_declaration **items, size_t *count, size_t *capacity, const struct version *v,
		 uint32_t unit)
{
	static const char *const what[] = {
		[SL_UNIT_DIRECTIVE] = "preprocessor line",
		[SL_UNIT_FUNCTION] = "function",
		[SL_UNIT_RECORD] = "type",
		[SL_UNIT_DECLARATION] = "declaration",
	};
	const struct sl_unit *u = unit_at(v, unit);

	if (u->kind == SL_UNIT_BRACKET)
		return;
	*items = sl_room_for(*items, *count, capacity, sizeof(**items));
	(*items)[(*count)++] = (struct sl_aligned_declaration){u->name, what[u->kind], v->file_of[unit],
							       first_line(v, unit), last_line(v, unit)};
}

static void
list_functions(struct sl_aligner *a, struct sl_alignment *out)
{
	size_t capacity = 0, other_capacity = 0, gone_capacity = 0;

	for (uint32_t i = 0; i < a->new.unit_count; i++) {
		const struct sl_unit *u = unit_at(&a->new, i);
		uint32_t old = a->new.match[i], nf = a->new.file_of[i];
		struct sl_aligned_function f = {.name = u->name,
						.scope = u->scope,
						.file = nf,
						.first = first_line(&a->new, i),
						.last = last_line(&a->new, i),
						.old_file = SL_NO_FILE};

		if (u->kind != SL_UNIT_FUNCTION) {
			if (!a->new.whole[i])
				list_declaration(&out->other, &out->other_count, &other_capacity, &a->new, i);
			continue;
		}
		if (old != NONE) {
			f.old_file = a->old.file_of[old];
			f.old_first = first_line(&a->old, old);
			f.old_last = last_line(&a->old, old);
			f.moved = a->new.moved[i];
		}
		f.changed = !a->new.whole[i] && (old == NONE || any_changed(&out->files[nf], f.first, f.last));
		out->functions =
			sl_room_for(out->functions, out->function_count, &capacity, sizeof(*out->functions));
		out->functions[out->function_count++] = f;
	}
	for (uint32_t i = 0; i < a->old.unit_count; i++)
		if (a->old.match[i] == NONE)
			list_declaration(&out->gone, &out->gone_count, &gone_capacity, &a->old, i);
}

static void
make_lines(struct sl_aligner *a, struct sl_alignment *out)
{
	a->token = sl_room_zeroed(a->new.file_count, sizeof(*a->token));
	for (uint32_t i = 0; i < a->new.file_count; i++) {
		const struct file *f = &a->new.files[i];
		struct sl_aligned_file *file = &out->files[i];

		file->path = f->text->path;
		file->line_count = f->lexemes.lines;
		file->lines = sl_room_zeroed(f->lexemes.lines + 1, sizeof(*file->lines));
		for (uint32_t k = 0; k <= f->lexemes.lines; k++)
			file->lines[k] = (struct sl_aligned_line){.file = SL_NO_FILE, .empty = true};
		a->token[i] = sl_room_zeroed(f->lexemes.count, sizeof(**a->token));
		for (size_t k = 0; k < f->lexemes.count; k++) {
			a->token[i][k] = NONE;
			if (f->lexemes.items[k].kind != SL_LEXEME_END)
				file->lines[f->lexemes.items[k].line].empty = false;
		}
	}
}

static void
make_forth(struct sl_aligner *a)
{
	a->forth = sl_room_zeroed(a->old.file_count, sizeof(*a->forth));
	a->forth_file = sl_room_zeroed(a->old.file_count, sizeof(*a->forth_file));
	for (uint32_t i = 0; i < a->old.file_count; i++) {
		a->forth[i] = sl_room_zeroed(a->old.files[i].lexemes.lines + 1, sizeof(**a->forth));
		a->forth_file[i] = sl_room_zeroed(a->old.files[i].lexemes.lines + 1, sizeof(**a->forth_file));
	}
	for (uint32_t i = 0; i < a->new.file_count; i++) {
		const struct file *f = &a->new.files[i];

		for (size_t k = 0; k < f->lexemes.count; k++) {
			uint32_t token = a->token[i][k], of, line;

			if (token == NONE)
				continue;
			of = a->old.file_of[a->new.match[f->first + f->units.of[k]]];
			line = a->old.files[of].lexemes.items[token].line;
			if (!a->forth[of][line]) {
				a->forth[of][line] = f->lexemes.items[k].line;
				a->forth_file[of][line] = i;
			}
		}
	}
}

static int
by_place(const void *a, const void *b)
{
	const struct sl_aligned_function *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

struct sl_alignment *
sl_align(const struct sl_text *old, uint32_t old_count, const struct sl_text *new, uint32_t new_count,
	 const uint32_t *pairs)
{
	struct sl_alignment *out = sl_room_zeroed(1, sizeof(*out));
	struct sl_aligner *a = sl_room_zeroed(1, sizeof(*a));
	uint32_t *back = sl_room_zeroed(old_count, sizeof(*back));

	out->inside = a;
	read_version(&a->old, old, old_count);
	read_version(&a->new, new, new_count);
	for (uint32_t i = 0; i < old_count; i++)
		back[i] = SL_NO_FILE;
	for (uint32_t i = 0; i < new_count; i++)
		if (pairs[i] != SL_NO_FILE)
			back[pairs[i]] = i;
	for (uint32_t i = 0; i < old_count; i++)
		make_keys(&a->old.files[i], old, old_count, new, back);
	for (uint32_t i = 0; i < new_count; i++)
		make_keys(&a->new.files[i], new, new_count, old, pairs);
	free(back);

	for (uint32_t i = 0; i < new_count; i++)
		if (pairs[i] != SL_NO_FILE)
			match_in_place(a, pairs[i], i);
	for (uint32_t i = 0; i < new_count; i++)
		if (pairs[i] != SL_NO_FILE)
			pair_rest(a, BY_TOKENS, pairs[i], i);
	pair_rest(a, BY_TOKENS, NONE, NONE);
	for (enum criterion c = BY_SIGNATURE; c <= BY_NAME; c++) {
		for (uint32_t i = 0; i < new_count; i++)
			if (pairs[i] != SL_NO_FILE)
				pair_rest(a, c, pairs[i], i);
		pair_rest(a, c, NONE, NONE);
	}

	out->file_count = new_count;
	out->files = sl_room_zeroed(new_count, sizeof(*out->files));
	make_lines(a, out);
	for (uint32_t i = 0; i < new_count; i++)
		out->files[i].old = pairs[i];
	for (uint32_t i = 0; i < a->new.unit_count; i++)
		align_unit(a, out, i);
	list_functions(a, out);
	if (out->function_count)
		qsort(out->functions, out->function_count, sizeof(*out->functions), by_place);
	make_forth(a);
	for (uint32_t i = 0; i < new_count; i++)
		for (uint32_t k = 1; k <= out->files[i].line_count; k++)
			out->changed_lines += out->files[i].lines[k].change != SL_LINE_SAME;
	return out;
}

void
sl_alignment_free(struct sl_alignment *alignment)
{
	struct sl_aligner *a;

	if (!alignment)
		return;
	a = alignment->inside;
	for (uint32_t i = 0; i < alignment->file_count; i++) {
		free(alignment->files[i].lines);
		free(a->token[i]);
	}
	for (uint32_t i = 0; i < a->old.file_count; i++) {
		free(a->forth[i]);
		free(a->forth_file[i]);
	}
	free(a->token);
	free(a->forth);
	free(a->forth_file);
	release_version(&a->old);
	release_version(&a->new);
	free(a);
	free(alignment->files);
	free(alignment->functions);
	free(alignment->gone);
	free(alignment->other);
	free(alignment);
}

const struct sl_aligned_function *
sl_alignment_function(const struct sl_alignment *alignment, uint32_t file, uint32_t line)
{
	const struct sl_aligned_function *found = NULL;
	size_t low = 0, high = alignment->function_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct sl_aligned_function *f = &alignment->functions[middle];

		if (f->file < file || (f->file == file && f->first <= line)) {
			found = f;
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return found && found->file == file && line <= found->last ? found : NULL;
}

bool
sl_alignment_back(const struct sl_alignment *alignment, const char *path, uint32_t line, const char **old_path,
		  uint32_t *old_line)
{
	for (uint32_t i = 0; i < alignment->file_count; i++) {
		const struct sl_aligned_file *f = &alignment->files[i];

		if (strcmp(f->path, path) != 0)
			continue;
		if (!line || line > f->line_count || f->lines[line].file == SL_NO_FILE)
			return false;
		*old_path = alignment->inside->old.files[f->lines[line].file].text->path;
		*old_line = f->lines[line].line;
		return true;
	}
	*old_path = path;
	*old_line = line;
	return true;
}

bool
sl_alignment_forth(const struct sl_alignment *alignment, const char *old_path, uint32_t old_line,
		   const char **path, uint32_t *line)
{
	const struct sl_aligner *a = alignment->inside;

	for (uint32_t i = 0; i < a->old.file_count; i++) {
		if (strcmp(a->old.files[i].text->path, old_path) != 0)
			continue;
		if (!old_line || old_line > a->old.files[i].lexemes.lines || !a->forth[i][old_line])
			return false;
		*path = alignment->files[a->forth_file[i][old_line]].path;
		*line = a->forth[i][old_line];
		return true;
	}
	*path = old_path;
	*line = old_line;
	return true;
}
