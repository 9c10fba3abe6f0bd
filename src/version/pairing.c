#include "version/pairing.h"

#include "base/room.h"
#include "version/git.h"

#include <git2/sys/mempack.h>
#include <git2/sys/odb_backend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RENAMES_MOST 4000 /* files on each side; with more, only files of equal content are found */

static bool *
taken_of(const struct sl_text_set *old, const struct sl_text_set *new, const uint32_t *pairs)
{
	bool *taken = sl_room_zeroed(old->count, sizeof(*taken));

	for (uint32_t i = 0; i < new->count; i++)
		if (pairs[i] != SL_NO_FILE)
			taken[pairs[i]] = true;
	return taken;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct sl_text *)a)->path, ((const struct sl_text *)b)->path);
}

void
sl_pair_equal(const struct sl_text_set *old, const struct sl_text_set *new, uint32_t *pairs)
{
	for (uint32_t i = 0; i < new->count; i++) {
		const struct sl_text *found =
			old->count ? bsearch(&new->items[i], old->items, old->count, sizeof(*found), by_path)
				   : NULL;

		if (found && pairs[i] == SL_NO_FILE)
			pairs[i] = (uint32_t)(found - old->items);
	}
}

/* Returns the number of components that both paths end with. */
static uint32_t
ending(const char *a, const char *b)
{
	const char *at = a + strlen(a), *bt = b + strlen(b);
	uint32_t count = 0;

	while (at > a && bt > b && at[-1] == bt[-1]) {
		at--, bt--;
		count += *at == '/';
	}
	return count + ((at == a || at[-1] == '/') && (bt == b || bt[-1] == '/') && *at != '/');
}

struct candidate {
	uint32_t old, new, score;
};

static int
by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	if (x->new != y->new)
		return x->new < y->new ? -1 : 1;
	return x->old < y->old ? -1 : x->old > y->old;
}

void
sl_pair_endings(const struct sl_text_set *old, const struct sl_text_set *new, uint32_t *pairs)
{
	bool *taken = taken_of(old, new, pairs);
	struct candidate *all = NULL;
	size_t count = 0, capacity = 0;

	for (uint32_t i = 0; i < new->count; i++)
		for (uint32_t k = 0; k < old->count && pairs[i] == SL_NO_FILE; k++) {
			uint32_t score = taken[k] ? 0 : ending(old->items[k].path, new->items[i].path);

			if (!score)
				continue;
			all = sl_room_for(all, count, &capacity, sizeof(*all));
			all[count++] = (struct candidate){.old = k, .new = i, .score = score};
		}
	if (count)
		qsort(all, count, sizeof(*all), by_score);
	for (size_t i = 0; i < count; i++)
		if (pairs[all[i].new] == SL_NO_FILE && !taken[all[i].old]) {
			pairs[all[i].new] = all[i].old;
			taken[all[i].old] = true;
		}
	free(all);
	free(taken);
}

/* ---- renames ---- */

/* The index has the text's number as its name: git does not allow all names. */
static int
add(git_index *index, git_odb *odb, const struct sl_text *text, uint32_t number)
{
	git_index_entry entry = {.mode = 0100644};
	char name[16];

	snprintf(name, sizeof(name), "%010u", number);
	entry.path = name;
	if (git_odb_write(&entry.id, odb, text->bytes, text->size, GIT_OBJECT_BLOB) < 0)
		return -1;
	return git_index_add(index, &entry);
}

static int
find(git_repository *repository, git_index *before, git_index *after, uint32_t offset, uint32_t *pairs)
{
	git_diff_find_options options;
	git_diff *diff = NULL;

	git_diff_find_options_init(&options, GIT_DIFF_FIND_OPTIONS_VERSION);
	options.flags = GIT_DIFF_FIND_RENAMES | GIT_DIFF_FIND_IGNORE_WHITESPACE;
	options.rename_limit = RENAMES_MOST;
	if (git_diff_index_to_index(&diff, repository, before, after, NULL) < 0 ||
	    git_diff_find_similar(diff, &options) < 0) {
		git_diff_free(diff);
		return -1;
	}
	for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
		const git_diff_delta *delta = git_diff_get_delta(diff, i);

		if (delta->status == GIT_DELTA_RENAMED)
			pairs[strtoul(delta->new_file.path, NULL, 10) - offset] =
				(uint32_t)strtoul(delta->old_file.path, NULL, 10);
	}
	git_diff_free(diff);
	return 0;
}

int
sl_pair_renamed(const struct sl_text_set *old, const struct sl_text_set *new, uint32_t *pairs, struct sl_err *err)
{
	bool *taken = taken_of(old, new, pairs);
	git_odb_backend *memory = NULL;
	git_repository *repository = NULL;
	git_index *before = NULL, *after = NULL;
	git_odb *odb = NULL;
	int result = -1;

	sl_git_start();
	if (git_odb_new(&odb) < 0 || git_mempack_new(&memory) < 0 || git_odb_add_backend(odb, memory, 1) < 0 ||
	    git_repository_wrap_odb(&repository, odb) < 0 || git_index_new(&before) < 0 ||
	    git_index_new(&after) < 0)
		goto out;
	for (uint32_t i = 0; i < old->count; i++)
		if (!taken[i] && add(before, odb, &old->items[i], i) < 0)
			goto out;
	for (uint32_t i = 0; i < new->count; i++)
		if (pairs[i] == SL_NO_FILE && add(after, odb, &new->items[i], old->count + i) < 0)
			goto out;
	if (git_index_entrycount(before) && git_index_entrycount(after))
		result = find(repository, before, after, old->count, pairs);
	else
		result = 0;
out:
	if (result < 0)
		sl_git_err(err, "cannot compare the files of the two versions");
	git_index_free(after);
	git_index_free(before);
	git_repository_free(repository);
	git_odb_free(odb);
	free(taken);
	return result;
}
