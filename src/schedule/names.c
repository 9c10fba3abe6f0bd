/*
 * Similar names, and names that match a pattern.
 */
#include "base/text.h"
#include "schedule/lex.h"
#include "schedule/schedule.h"

#include "base/utf8.h"

/* The edit distance of short names, with transpositions (Damerau and Levenshtein). */
static unsigned
distance(const char *a, const char *b)
{
	unsigned rows[3][64];
	size_t length = sl_text_length(b);

	if (length >= 63 || sl_text_length(a) >= 63)
		return 64;
	for (unsigned j = 0; j <= length; j++)
		rows[0][j] = j;
	for (size_t i = 0; a[i]; i++) {
		const unsigned *above = rows[i % 3], *before = rows[(i + 2) % 3];
		unsigned *row = rows[(i + 1) % 3];

		row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < length; j++) {
			unsigned best = above[j] + (a[i] != b[j]);

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (above[j + 1] + 1 < best)
				best = above[j + 1] + 1;
			if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j] && before[j - 1] + 1 < best)
				best = before[j - 1] + 1;
			row[j + 1] = best;
		}
	}
	return rows[sl_text_length(a) % 3][length];
}

const char *
sl_nearest(const char *name, const char *const *names, size_t count)
{
	const char *best = NULL;
	unsigned least = 64;
	size_t length;

	for (size_t i = 0; i < count; i++) {
		unsigned d = distance(name, names[i]);

		/* the beginning of a name is as near as one wrong letter */
		if (*name && sl_text_begins(names[i], name) && d > 1)
			d = 1;
		if (d < least) {
			least = d;
			best = names[i];
		}
	}
	if (!best)
		return NULL;
	length = sl_text_length(name);
	if (sl_text_length(best) > length)
		length = sl_text_length(best);
	return least <= 1 + sl_text_length(name) / 3 && least * 2 < length ? best : NULL;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sl_text_same(names[i], name))
			return true;
	return false;
}

/* In alphabetical order: the order in which they were found is random. */
static bool
comes_before(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b))
		a++, b++;
	return (unsigned char)lower(*a) < (unsigned char)lower(*b);
}

static void
insert(const char **names, size_t count, const char *name)
{
	for (; count && comes_before(name, names[count - 1]); count--)
		names[count] = names[count - 1];
	names[count] = name;
}

void
sl_hint(const char *name, const char *const *names, size_t count, char hint[SL_HINT])
{
	const char *near = sl_nearest(name, names, count), *few[SL_HINT_FEW];
	struct sl_out out = {hint, SL_HINT, 0};
	size_t n = 0;

	hint[0] = '\0';
	if (near) {
		sl_put(&out, "; did you mean `");
		sl_put(&out, near);
		sl_put(&out, "`?");
		sl_put_end(&out);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (is_among(names[i], few, n))
			continue;
		if (n == SL_HINT_FEW)
			return;
		insert(few, n++, names[i]);
	}
	for (size_t i = 0; i < n; i++) {
		sl_put(&out, i ? i + 1 < n ? ", `" : " and `" : n > 1 ? "; there are `" : "; there is `");
		sl_put(&out, few[i]);
		sl_put(&out, "`");
	}
	if (sl_put_end(&out) >= SL_HINT) /* half a name does not help */
		hint[0] = '\0';
}

static size_t
character(const char *text)
{
	size_t bytes = sl_utf8_length(text, sl_text_length(text));

	return bytes ? bytes : 1;
}

/* Back to the last star only: what an earlier one could take, the last one can take too. */
bool
sl_glob(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		const char *literal = *pattern == '\\' && pattern[1] ? pattern + 1 : pattern;

		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (*pattern == '?') {
			pattern++;
			text += character(text);
		} else if (*literal == *text) {
			pattern = literal + 1;
			text++;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
