/*
 * The files of a working tree, and of a folder without git.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "version/listing_parts.h"

#include "base/room.h"
#include "version/git.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_FOLDER ".sleave"
#define OWN_SUFFIX ".sleave" /* replay files */
#define HEAD_BYTES 20

static bool
looks_made(const char *path)
{
	unsigned char head[HEAD_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t size = fd < 0 ? 0 : pread(fd, head, sizeof(head), 0);

	if (fd >= 0)
		close(fd);
	return size > 0 && sl_listed_is_made(head, (size_t)size);
}

static bool
is_own(const char *path)
{
	size_t length = strlen(path), suffix = strlen(OWN_SUFFIX);

	return length > suffix && strcmp(path + length - suffix, OWN_SUFFIX) == 0;
}

static uint32_t
mode_of(const struct stat *info)
{
	if (S_ISLNK(info->st_mode))
		return SL_MODE_LINK;
	return info->st_mode & S_IXUSR ? SL_MODE_PROGRAM : SL_MODE_FILE;
}

static int
hash_link(struct sl_listed *file, struct sl_err *err)
{
	char *target;
	size_t size;

	if (sl_listed_read(file, &target, &size, err) < 0)
		return -1;
	if (git_odb_hash(&file->id, target, size, GIT_OBJECT_BLOB) < 0) {
		free(target);
		return sl_git_err(err, "cannot read %s", file->path);
	}
	free(target);
	return 0;
}

/*
 * Hashes the content as git would store it. Its time is checked again after that: a file may change at any moment.
 */
static int
hash_file(struct sl_listed *file, git_repository *checkout, struct sl_err *err)
{
	struct stat now;

	if (file->mode == SL_MODE_LINK)
		return hash_link(file, err);
	if (access(file->file, R_OK) != 0)
		return sl_err_set(err, "cannot read %s: %s", file->file, strerror(errno));
	/* conversions that would lose something are errors if the user has configured that */
	if ((!checkout ||
	     git_repository_hashfile(&file->id, checkout, file->file, GIT_OBJECT_BLOB, file->inner) < 0) &&
	    git_odb_hashfile(&file->id, file->file, GIT_OBJECT_BLOB) < 0)
		return sl_git_err(err, "cannot read %s", file->file);
	if (lstat(file->file, &now) < 0 || !sl_listed_is_same(file, &now))
		return sl_err_set(err, "%s was changed just now: start again", file->file);
	return 0;
}

/* ---- a working tree ---- */

struct working {
	struct sl_listing *listing;
	git_repository *checkout;
	const char *workdir, *prefix;
	bool modes; /* core.fileMode: modes on disk count */
	time_t index_moment;
	struct sl_err *err;
	int result;
};

static int list_working(struct sl_listing *listing, git_repository *checkout, const char *prefix,
			struct sl_err *err);

/*
 * Returns whether the index has seen this very file, so that its content need not be read. A file that was changed
 * in the second of the index may look the same.
 */
static bool
is_as_in_index(const struct working *w, const git_index_entry *entry, const struct stat *info)
{
	return !(entry->flags & GIT_INDEX_ENTRY_VALID) &&
	       !(entry->flags_extended & GIT_INDEX_ENTRY_INTENT_TO_ADD) && entry->file_size &&
	       entry->file_size == (uint32_t)info->st_size && entry->ino == (uint32_t)info->st_ino &&
	       (uint32_t)entry->mtime.seconds == (uint32_t)info->st_mtim.tv_sec &&
	       (!entry->mtime.nanoseconds || entry->mtime.nanoseconds == (uint32_t)info->st_mtim.tv_nsec) &&
	       (uint32_t)entry->ctime.seconds == (uint32_t)info->st_ctim.tv_sec &&
	       entry->mtime.seconds < w->index_moment &&
	       (entry->mode == SL_MODE_LINK) == (S_ISLNK(info->st_mode) != 0);
}

static int
add_file(struct working *w, const char *path, const struct stat *info, const git_index_entry *entry)
{
	struct sl_listed *file;

	if (sl_listing_add(w->listing, w->prefix, path, &file, w->err) < 0)
		return -1;
	file->file = sl_line_new("%s%s", w->workdir, path);
	file->found = *info;
	file->mode = mode_of(info);
	if (entry && !w->modes && file->mode != SL_MODE_LINK && entry->mode != SL_MODE_LINK)
		file->mode = entry->mode & 0111 ? SL_MODE_PROGRAM : SL_MODE_FILE;
	file->made = file->mode != SL_MODE_LINK && looks_made(file->file);
	if (entry && is_as_in_index(w, entry, info)) {
		file->id = entry->id;
		return 0;
	}
	return hash_file(file, w->checkout, w->err);
}

/* A sparse checkout leaves out files that the build may need. */
static int
add_sparse(struct working *w, const git_index_entry *entry)
{
	struct sl_listed *file;

	if (sl_listing_add(w->listing, w->prefix, entry->path, &file, w->err) < 0)
		return -1;
	file->mode = entry->mode;
	file->id = entry->id;
	file->repository = w->checkout;
	return 0;
}

static int
add_repository(struct working *w, const char *path, const git_index_entry *entry)
{
	char *folder = sl_line_new("%s%s", w->workdir, path), *below, recorded[41], now[41] = "";
	git_repository *inner = NULL;
	git_oid head;
	int result = 0;

	if (git_repository_open_ext(&inner, folder, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) < 0) {
		sl_line_add(w->listing->details, "the submodule %s%s is not here: its folder is empty", w->prefix,
			    path);
		free(folder);
		return 0;
	}
	sl_listing_keep(w->listing, inner);
	if (!entry) {
		sl_line_add(w->listing->notes,
			    "%s%s is a repository of its own and no submodule: its files are part of %s",
			    w->prefix, path, w->listing->label);
	} else {
		if (sl_submodule_dirt(w->checkout, path))
			sl_line_add(
				w->listing->notes,
				"the submodule %s%s is dirty: %s has its files as they are, with what is not committed",
				w->prefix, path, w->listing->label);
		if (git_reference_name_to_id(&head, inner, "HEAD") == 0 && !git_oid_equal(&head, &entry->id)) {
			git_oid_tostr(now, sizeof(now), &head);
			git_oid_tostr(recorded, sizeof(recorded), &entry->id);
			sl_line_add(
				w->listing->notes,
				"the submodule %s%s is at %.*s and not at %.*s, which is recorded: %s has what is there",
				w->prefix, path, SL_SHORT_ID, now, SL_SHORT_ID, recorded, w->listing->label);
		}
	}
	below = sl_line_new("%s%s%s", w->prefix, path, path[strlen(path) - 1] == '/' ? "" : "/");
	result = list_working(w->listing, inner, below, w->err);
	free(below);
	free(folder);
	return result;
}

static int
add_tracked(struct working *w, git_index *index)
{
	const char *before = "";

	for (size_t i = 0; i < git_index_entrycount(index); i++) {
		const git_index_entry *entry = git_index_get_byindex(index, i);
		struct stat info;
		char *path;
		int found;

		if (strcmp(entry->path, before) == 0) /* a conflict has several entries for a path */
			continue;
		before = entry->path;
		if (entry->mode == SL_MODE_SUBMODULE) {
			if (add_repository(w, entry->path, entry) < 0)
				return -1;
			continue;
		}
		path = sl_line_new("%s%s", w->workdir, entry->path);
		found = lstat(path, &info);
		free(path);
		if (found == 0 && (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode))) {
			if (add_file(w, entry->path, &info, entry) < 0)
				return -1;
		} else if (found < 0 && entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) {
			if (add_sparse(w, entry) < 0)
				return -1;
		}
	}
	return 0;
}

static int
add_untracked(const char *path, unsigned flags, void *data)
{
	struct working *w = data;
	size_t length = strlen(path);
	struct stat info;
	char *file;

	if (!(flags & GIT_STATUS_WT_NEW))
		return 0;
	if (!*w->prefix && strncmp(path, OWN_FOLDER "/", strlen(OWN_FOLDER "/")) == 0)
		return 0;
	if (path[length - 1] == '/')
		return w->result = add_repository(w, path, NULL);
	file = sl_line_new("%s%s", w->workdir, path);
	if (lstat(file, &info) < 0 || !(S_ISREG(info.st_mode) || S_ISLNK(info.st_mode))) {
		sl_line_add(w->listing->details, "%s%s is no file: it is left out", w->prefix, path);
	} else if (is_own(path)) {
		; /* replay files are no part of the program */
	} else if (S_ISREG(info.st_mode) && looks_made(file)) {
		sl_line_add(w->listing->details,
			    "%s%s was made by a compiler, and git does not know it: it is left out", w->prefix,
			    path);
	} else {
		w->result = add_file(w, path, &info, NULL);
	}
	free(file);
	return w->result;
}

static int
list_working(struct sl_listing *listing, git_repository *checkout, const char *prefix, struct sl_err *err)
{
	git_status_options options;
	struct working w = {.listing = listing,
			    .checkout = checkout,
			    .workdir = git_repository_workdir(checkout),
			    .prefix = prefix,
			    .modes = true,
			    .err = err};
	git_index *index = NULL;
	git_config *config = NULL;
	struct stat info;
	int modes = 1, result = -1;

	if (!w.workdir)
		return sl_err_set(
			err, "%s is a bare repository, which has no working tree: name the new version with --new",
			git_repository_path(checkout));
	if (git_repository_index(&index, checkout) < 0)
		return sl_git_err(
			err,
			"cannot read the index of %s (a split index: git update-index --no-split-index; a sparse "
			"one: git sparse-checkout reapply --no-sparse-index)",
			w.workdir);
	if (git_repository_config_snapshot(&config, checkout) == 0 &&
	    git_config_get_bool(&modes, config, "core.filemode") == 0)
		w.modes = modes;
	git_config_free(config);
	if (git_index_path(index) && stat(git_index_path(index), &info) == 0)
		w.index_moment = info.st_mtim.tv_sec;
	if (add_tracked(&w, index) < 0)
		goto out;
	git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
	options.show = GIT_STATUS_SHOW_WORKDIR_ONLY;
	options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS |
			GIT_STATUS_OPT_EXCLUDE_SUBMODULES;
	if (git_status_foreach_ext(checkout, &options, add_untracked, &w) < 0 && w.result == 0) {
		sl_git_err(err, "cannot read %s", w.workdir);
		goto out;
	}
	result = w.result;
out:
	git_index_free(index);
	return result;
}

int
sl_listing_working_tree(struct sl_listing *listing, git_repository *checkout, struct sl_err *err)
{
	if (list_working(listing, checkout, "", err) < 0)
		return -1;
	return sl_listing_sort(listing, err);
}

/* ---- a folder ---- */

static int
list_folder(struct sl_listing *listing, const char *folder, const char *prefix, struct sl_err *err)
{
	DIR *dir = opendir(folder);
	struct dirent *each;
	size_t before = listing->count;
	int result = 0;

	if (!dir)
		return sl_err_set(err, "cannot read the folder %s: %s", folder, strerror(errno));
	while (result == 0 && (each = readdir(dir))) {
		const char *name = each->d_name;
		struct sl_listed *file;
		struct stat info;
		char *path;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcasecmp(name, ".git") == 0 ||
		    strcmp(name, OWN_FOLDER) == 0 || is_own(name))
			continue;
		path = sl_line_new("%s/%s", folder, name);
		if (lstat(path, &info) < 0) {
			result = sl_err_set(err, "cannot access %s: %s", path, strerror(errno));
		} else if (S_ISDIR(info.st_mode)) {
			char *below = sl_line_new("%s%s/", prefix, name);

			result = list_folder(listing, path, below, err);
			free(below);
		} else if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) {
			sl_line_add(listing->details, "%s is no file: it is left out", path);
		} else if ((result = sl_listing_add(listing, prefix, name, &file, err)) == 0) {
			file->file = path;
			path = NULL;
			file->found = info;
			file->mode = mode_of(&info);
			file->made = file->mode != SL_MODE_LINK && looks_made(file->file);
			result = hash_file(file, NULL, err);
		}
		free(path);
	}
	closedir(dir);
	if (result == 0 && listing->count == before && *prefix) {
		char *name = sl_line_new("%.*s", (int)strlen(prefix) - 1, prefix);
		struct sl_listed *empty;

		result = sl_listing_add(listing, "", name, &empty, err);
		if (result == 0)
			empty->mode = SL_MODE_FOLDER;
		free(name);
	}
	return result;
}

int
sl_listing_folder(struct sl_listing *listing, const char *folder, struct sl_err *err)
{
	if (list_folder(listing, folder, "", err) < 0)
		return -1;
	return sl_listing_sort(listing, err);
}
