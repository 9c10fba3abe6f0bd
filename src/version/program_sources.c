/*
 * The sources of two programs that the user has built. Their texts are where the compiler read them, unless they
 * have changed since.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "version/tree.h"

#include "base/room.h"
#include "version/listing_parts.h"
#include "version/tree_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool
is_later(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
						      : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct sl_text *)a)->path, ((const struct sl_text *)b)->path);
}

/* Takes the text from the revision that the user has named beside the old program. */
static int
from_revision(struct sl_versions *v, const char *path, bool *found, struct sl_err *err)
{
	const char *below = v->old.listing ? sl_path_below(path, v->home) : NULL;
	const struct sl_listed *file = below ? sl_listing_find(v->old.listing, below) : NULL;
	char *bytes;
	size_t size;

	*found = file && file->mode != SL_MODE_LINK;
	if (!*found)
		return 0;
	if (sl_listed_read(file, &bytes, &size, err) < 0)
		return -1;
	sl_version_add_text(&v->old, path, bytes, size);
	return 0;
}

static int
read_sources(struct sl_versions *v, struct sl_version *version, const char *const *paths, size_t count,
	     struct sl_err *err)
{
	struct stat program, info;

	if (stat(version->folder, &program) < 0)
		return sl_err_set(err, "cannot access %s: %s", version->label, strerror(errno));
	for (size_t i = 0; i < count; i++) {
		bool found = false;
		char *bytes, *real;
		size_t size;

		if (!sl_is_source(paths[i]))
			continue;
		if (!version->is_new && from_revision(v, paths[i], &found, err) < 0)
			return -1;
		if (found)
			continue;
		if (stat(paths[i], &info) < 0 || !S_ISREG(info.st_mode)) {
			sl_line_add(&v->details, "%s, a source of %s, is not there any more", paths[i],
				    version->label);
			continue;
		}
		if (is_later(&info, &program) && !version->is_new) {
			sl_line_add(&v->lost, "%s", paths[i]);
			continue;
		}
		if (is_later(&info, &program))
			sl_line_add(&v->notes, "%s was changed after %s was built: its lines may be others",
				    paths[i], version->label);
		real = realpath(paths[i], NULL);
		if (sl_file_read(real ? real : paths[i], &info, &bytes, &size, err) < 0) {
			free(real);
			return -1;
		}
		free(real);
		sl_version_add_text(version, paths[i], bytes, size);
	}
	if (version->text_count)
		qsort(version->texts, version->text_count, sizeof(*version->texts), by_path);
	return 0;
}

static bool
is_same(const struct sl_text *a, const struct sl_text *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void
drop(struct sl_version *version, bool (*unwanted)(const struct sl_text *, const void *), const void *data)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < version->text_count; i++) {
		if (unwanted(&version->texts[i], data)) {
			free((char *)version->texts[i].path);
			free((char *)version->texts[i].bytes);
		} else {
			version->texts[kept++] = version->texts[i];
		}
	}
	version->text_count = kept;
}

static bool
is_lost(const struct sl_text *text, const void *data)
{
	return sl_line_has(data, text->path);
}

static bool
is_among(const struct sl_text *text, const void *data)
{
	return sl_line_has(data, text->path);
}

/* Removes files that are the same and unchanged: they need no text. */
static void
drop_unchanged(struct sl_versions *v)
{
	struct sl_line_list same = {0};

	for (uint32_t i = 0; i < v->new.text_count; i++) {
		uint32_t old = v->pairs[i];

		if (old != SL_NO_FILE && strcmp(v->old.texts[old].path, v->new.texts[i].path) == 0 &&
		    is_same(&v->old.texts[old], &v->new.texts[i]))
			sl_line_add(&same, "%s", v->new.texts[i].path);
	}
	drop(&v->old, is_among, &same);
	drop(&v->new, is_among, &same);
	sl_line_release(&same);
}

int
sl_versions_sources(struct sl_versions *v, const char *const *old_paths, size_t old_count,
		    const char *const *new_paths, size_t new_count, struct sl_err *err)
{
	if (v->old.kind != SL_VERSION_PROGRAM)
		abort();
	if (read_sources(v, &v->old, old_paths, old_count, err) < 0 ||
	    read_sources(v, &v->new, new_paths, new_count, err) < 0)
		return -1;
	drop(&v->new, is_lost, &v->lost);
	if (sl_versions_pair(v, true, err) < 0)
		return -1;
	v->identical = v->sources_same = v->lost.count == 0 && v->old.text_count == v->new.text_count;
	for (uint32_t i = 0; i < v->new.text_count && v->identical; i++)
		v->identical = v->sources_same =
			v->pairs[i] != SL_NO_FILE && is_same(&v->old.texts[v->pairs[i]], &v->new.texts[i]);
	if (v->all_texts)
		return 0;
	drop_unchanged(v);
	return sl_versions_pair(v, true, err);
}
