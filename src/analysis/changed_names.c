#include "analysis/changed_names.h"

#include "base/room.h"

#include <string.h>

const struct sl_changed_name *
sl_changed_names_look_up(const struct sl_changed_names *names, const char *text, size_t length)
{
	for (size_t i = 0; i < names->count; i++)
		if (strncmp(names->items[i].name, text, length) == 0 && !names->items[i].name[length])
			return &names->items[i];
	return NULL;
}

bool
sl_changed_names_declared(const struct sl_lexemes *lexemes, size_t *at)
{
	for (++*at; *at < lexemes->count; ++*at) {
		const struct sl_lexeme *l = &lexemes->items[*at];

		if (l->kind == SL_LEXEME_DIRECTIVE || l->kind == SL_LEXEME_END ||
		    (l->kind == SL_LEXEME_SIGN && !sl_lexeme_is(l, "*") && !sl_lexeme_is(l, ",")))
			return false;
		if (l->kind == SL_LEXEME_NAME && !sl_lexeme_is(l - 1, "*") &&
		    !(*at + 1 < lexemes->count && sl_lexeme_is(l + 1, "(")))
			return true;
	}
	return false;
}

/* The first definition counts. */
static void
add_name(struct sl_changed_names *names, const struct sl_lexeme *word, const struct sl_changed_name *as)
{
	static const char keywords[] =
		"alignas auto bool char class const constexpr decltype double enum explicit extern float inline int long mutable namespace "
		"noexcept private protected public register restrict short signed sizeof static struct template typedef typename union unsigned "
		"using void volatile define undef";

	if (word->kind != SL_LEXEME_NAME || sl_lexeme_among(word, keywords) ||
	    sl_changed_names_look_up(names, word->text, word->length))
		return;
	names->items = sl_room_for(names->items, names->count, &names->capacity, sizeof(*names->items));
	names->items[names->count++] = (struct sl_changed_name){sl_must(strndup(word->text, word->length)),
								as->file, as->line, as->old, as->type};
}

static void
add(struct sl_changed_names *names, const struct sl_lexeme *word, const char *file, uint32_t line, bool old)
{
	add_name(names, word, &(struct sl_changed_name){NULL, file, line, old, false});
}

static bool
has_changed(const struct sl_aligned_file *file, uint32_t line)
{
	return line < file->line_count + 1 && file->lines[line].change != SL_LINE_SAME;
}

/* A line of the preprocessor: from the # up to its end. */
struct directive {
	const struct sl_lexeme *items;
	size_t count;
};

/* Finds the next one; `at` is where the search goes on. */
static bool
next_directive(const struct sl_lexemes *lexemes, size_t *at, struct directive *d)
{
	for (; *at < lexemes->count; ++*at) {
		size_t first = *at;

		if (lexemes->items[first].kind != SL_LEXEME_DIRECTIVE)
			continue;
		while (*at < lexemes->count && lexemes->items[*at].kind != SL_LEXEME_END)
			++*at;
		*d = (struct directive){&lexemes->items[first], *at - first};
		return true;
	}
	return false;
}

static bool
defines(const struct directive *d)
{
	return d->count > 2 && sl_lexeme_among(&d->items[1], "define undef");
}

static void
add_macros(struct sl_changed_names *names, const struct sl_lexemes *lexemes, const char *file, uint32_t line,
	   bool old)
{
	struct directive d;

	for (size_t at = 0; next_directive(lexemes, &at, &d);)
		if (defines(&d))
			add(names, &d.items[2], file, line ? line : d.items[0].line, old);
}

/* Returns whether the text "queue.h", with its quotes, names that file. */
static bool
is_header(const struct sl_lexeme *text, const char *path)
{
	size_t length = text->length > 2 ? text->length - 2 : 0, whole = strlen(path);

	return length && length <= whole && strncmp(path + whole - length, text->text + 1, length) == 0 &&
	       (length == whole || path[whole - length - 1] == '/');
}

static void
directives(struct sl_changed_names *names, const struct sl_names_of *v, uint32_t file,
	   const struct sl_lexemes *lexemes, bool old)
{
	const struct sl_aligned_file *aligned = &v->alignment->files[file];
	struct directive d;

	for (size_t at = 0; next_directive(lexemes, &at, &d);) {
		uint32_t line = d.items[0].line;
		bool changed = false;

		for (size_t i = 0; i < d.count && !changed; i++)
			changed = has_changed(aligned, d.items[i].line);
		if (!changed || d.count < 2)
			continue;
		if (defines(&d)) {
			add(names, &d.items[2], aligned->path, line, old);
		} else if (sl_lexeme_among(&d.items[1], "if ifdef ifndef elif else endif")) {
			add_macros(names, lexemes, aligned->path, line, old);
		} else if (sl_lexeme_is(&d.items[1], "include") && d.count > 2) {
			for (uint32_t i = 0; i < v->alignment->file_count; i++) {
				struct sl_lexemes of_header;

				if (!is_header(&d.items[2], v->alignment->files[i].path))
					continue;
				sl_lexemes_init(&of_header, v->texts[i].bytes, v->texts[i].size);
				add_macros(names, &of_header, aligned->path, line, old);
				sl_lexemes_release(&of_header);
			}
		}
	}
}

/*
 * A type has the names before and behind its braces, an enumeration all that are in it, and typedefs and constants those on their
 * changed lines. How a variable begins is no code, and its name is a field.
 */
static void
declaration(struct sl_changed_names *names, const struct sl_names_of *v, const struct sl_aligned_declaration *d,
	    const struct sl_lexemes *lexemes, bool old)
{
	const struct sl_aligned_file *aligned = &v->alignment->files[d->file];
	bool type = strcmp(d->what, "type") == 0, counts = type, enumeration = false;
	unsigned depth = 0;

	for (size_t i = 0; i < lexemes->count; i++) {
		const struct sl_lexeme *l = &lexemes->items[i];

		if (l->line < d->first || l->line > d->last)
			continue;
		enumeration |= !type && sl_lexeme_is(l, "enum");
		counts |=
			enumeration ||
			sl_lexeme_among(l, "typedef using const constexpr inline template __attribute__ noexcept "
					   "_Noreturn noreturn");
	}
	for (size_t i = 0; i < lexemes->count && counts; i++) {
		const struct sl_lexeme *l = &lexemes->items[i];

		if (l->line < d->first || l->line > d->last)
			continue;
		depth += sl_lexeme_is(l, "{");
		depth -= depth && sl_lexeme_is(l, "}");
		if (type ? !depth : enumeration || has_changed(aligned, l->line))
			add_name(names, l, &(struct sl_changed_name){NULL, aligned->path, l->line, old, type});
	}
}

static void
of_version(struct sl_changed_names *names, const struct sl_names_of *v, bool old)
{
	const struct sl_alignment *a = v->alignment;

	for (uint32_t i = 0; i < a->file_count; i++) {
		struct sl_lexemes lexemes;
		bool wanted = false;

		for (uint32_t line = 1; line <= a->files[i].line_count && !wanted; line++)
			wanted = v->counts[i] && has_changed(&a->files[i], line);
		if (!wanted)
			continue;
		sl_lexemes_init(&lexemes, v->texts[i].bytes, v->texts[i].size);
		directives(names, v, i, &lexemes, old);
		for (size_t k = 0; k < a->other_count; k++)
			if (a->other[k].file == i && strcmp(a->other[k].what, "preprocessor line") != 0)
				declaration(names, v, &a->other[k], &lexemes, old);
		sl_lexemes_release(&lexemes);
	}
}

/* Adds the macros that are made with a changed name. Returns whether there were any. */
static bool
add_users(struct sl_changed_names *names, const struct sl_lexemes *lexemes)
{
	size_t before = names->count;
	struct directive d;

	for (size_t at = 0; next_directive(lexemes, &at, &d);) {
		const struct sl_changed_name *used = NULL;

		if (!defines(&d) || sl_changed_names_look_up(names, d.items[2].text, d.items[2].length))
			continue;
		for (size_t i = 3; i < d.count && !used; i++)
			if (d.items[i].kind == SL_LEXEME_NAME)
				used = sl_changed_names_look_up(names, d.items[i].text, d.items[i].length);
		if (used)
			add(names, &d.items[2], used->file, used->line, used->old);
	}
	for (size_t at = 0; at < lexemes->count; at++) {
		const struct sl_lexeme *l = &lexemes->items[at];
		const struct sl_changed_name *used =
			l->kind == SL_LEXEME_NAME ? sl_changed_names_look_up(names, l->text, l->length) : NULL;

		if (!used || !used->type)
			continue;

		struct sl_changed_name as = *used;

		as.type = at > 1 && (sl_lexeme_is(l - 1, "typedef") || sl_lexeme_is(l - 2, "typedef"));
		for (size_t next = at; sl_changed_names_declared(lexemes, &next);)
			add_name(names, &lexemes->items[next], &as);
	}
	return names->count > before;
}

void
sl_changed_names_find(struct sl_changed_names *names, const struct sl_names_of *new, const struct sl_names_of *old)
{
	uint32_t count = new->alignment->file_count;
	struct sl_lexemes *all = sl_room_zeroed(count + 1, sizeof(*all));
	bool more;

	*names = (struct sl_changed_names){0};
	of_version(names, new, false);
	of_version(names, old, true);
	for (uint32_t i = 0; i < count; i++)
		sl_lexemes_init(&all[i], new->texts[i].bytes, new->texts[i].size);
	do {
		more = false;
		for (uint32_t i = 0; i < count; i++)
			more |= new->counts[i] && add_users(names, &all[i]);
	} while (more);
	for (uint32_t i = 0; i < count; i++)
		sl_lexemes_release(&all[i]);
	free(all);
}

void
sl_changed_names_release(struct sl_changed_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i].name);
	free(names->items);
	*names = (struct sl_changed_names){0};
}
