/*
 * Sources: whatever a text is, it has tokens, units and local variables, each token is in one unit, and the text is the same as itself.
 * Behind a zero byte: another version of it; then every line's counterpart is a line of the first.
 */
#include "fuzz.h"
#include "version/align.h"
#include "version/lexeme.h"
#include "version/unit.h"

#include <string.h>

static void
check_parts(const char *text, size_t length, bool cxx)
{
	struct sl_lexemes l;
	struct sl_units u;
	size_t sum = 0;

	sl_lexemes_init(&l, text, length);
	for (size_t i = 0; i < l.count; i++) {
		HOLDS(l.items[i].line && l.items[i].line <= l.items[i].last_line &&
		      l.items[i].last_line <= l.lines);
		HOLDS(!i || l.items[i].line >= l.items[i - 1].line);
	}
	sl_units_init(&u, &l, cxx);
	for (size_t i = 0; i < u.count; i++) {
		for (size_t k = 0; k < u.items[i].count; k++) {
			HOLDS(u.of[u.order[u.items[i].first + k]] == i);
			HOLDS(!k || u.order[u.items[i].first + k] > u.order[u.items[i].first + k - 1]);
		}
		sum += u.items[i].count;
		HOLDS(u.items[i].count && u.items[i].name && u.items[i].scope);
	}
	HOLDS(sum == l.count);
	for (size_t i = 0; i < l.count; i++)
		HOLDS(!u.local[i] || l.items[i].kind == SL_LEXEME_NAME);
	sl_units_release(&u);
	sl_lexemes_release(&l);
}

static void
check_pair(const struct sl_text *old, const struct sl_text *new, bool same)
{
	uint32_t pair = 0;
	struct sl_alignment *a = sl_align(old, 1, new, 1, &pair);
	struct sl_lexemes l;

	sl_lexemes_init(&l, old->bytes, old->size);
	for (uint32_t i = 1; i <= a->files[0].line_count; i++) {
		const struct sl_aligned_line *line = &a->files[0].lines[i];
		const char *path;
		uint32_t there, back;

		HOLDS(!same || line->change == SL_LINE_SAME);
		HOLDS(line->change == SL_LINE_SAME || !line->empty || line->change == SL_LINE_CHANGED);
		if (line->file == SL_NO_FILE)
			continue;
		HOLDS(line->file == 0 && line->line && line->line <= l.lines);
		HOLDS(sl_alignment_forth(a, old->path, line->line, &path, &there));
		HOLDS(there && there <= a->files[0].line_count);
		HOLDS(sl_alignment_back(a, new->path, there, &path, &back) && back);
	}
	HOLDS(!same || (!a->changed_lines && !a->gone_count && !a->other_count));
	for (size_t i = 0; i < a->function_count; i++)
		HOLDS(!same || (!a->functions[i].changed && !a->functions[i].moved));
	sl_lexemes_release(&l);
	sl_alignment_free(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t length = zero ? (size_t)(zero - data) : size;
	struct sl_text old = {"a.c", (const char *)data, length}, new = old,
		       cxx = {"a.cc", (const char *)data, length};

	check_parts(old.bytes, old.size, false);
	check_parts(old.bytes, old.size, true);
	check_pair(&old, &old, true);
	check_pair(&cxx, &cxx, true);
	if (zero) {
		new.bytes = (const char *)zero + 1;
		new.size = size - length - 1;
		check_pair(&old, &new, false);
	}
	return 0;
}
