#include "version/unchanged.h"

#include "base/room.h"
#include "version/git.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 17 /* of a line */

static char *
lines_of(const uint64_t *items, uint32_t count)
{
	static const char digits[] = "0123456789abcdef";
	char *text = sl_room_zeroed((size_t)count * WIDTH + 1, 1);

	for (uint32_t i = 0; i < count; i++) {
		char *line = text + (size_t)i * WIDTH;

		for (unsigned k = 0; k < 16; k++)
			line[k] = digits[items[i] >> (60 - 4 * k) & 15];
		line[16] = '\n';
	}
	return text;
}

static void
walk(git_patch *patch, uint32_t old_count, uint32_t new_count, uint32_t *match)
{
	uint32_t old = 0, new = 0;

	for (size_t i = 0; i < git_patch_num_hunks(patch); i++) {
		const git_diff_hunk *hunk;
		uint32_t start;

		if (git_patch_get_hunk(&hunk, NULL, patch, i) < 0)
			abort();
		/* an empty hunk has the number of the line before it */
		start = (uint32_t)hunk->new_start - (hunk->new_lines > 0);
		while (new < start)
			match[new ++] = old++;
		for (int k = 0; k < hunk->new_lines; k++)
			match[new ++] = UINT32_MAX;
		old += (uint32_t)hunk->old_lines;
	}
	while (new < new_count && old < old_count)
		match[new ++] = old++;
}

void
sl_unchanged(const uint64_t *old, uint32_t old_count, const uint64_t *new, uint32_t new_count, uint32_t *match)
{
	git_diff_options options;
	char *old_text = lines_of(old, old_count), *new_text = lines_of(new, new_count);
	git_patch *patch = NULL;

	sl_git_start();
	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	options.context_lines = 0;
	options.max_size = -1;
	options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_MINIMAL;
	/* it reads memory alone, so it can only fail for lack of memory */
	if (git_patch_from_buffers(&patch, old_text, (size_t)old_count * WIDTH, NULL, new_text,
				   (size_t)new_count * WIDTH, NULL, &options) < 0)
		abort();
	walk(patch, old_count, new_count, match);
	git_patch_free(patch);
	free(old_text);
	free(new_text);
}
