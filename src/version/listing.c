#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "version/listing.h"

#include "base/room.h"
#include "version/git.h"
#include "version/listing_parts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <git2/sys/repository.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LFS_HEAD "version https://git-lfs.github.com/spec/v1\noid sha256:"
#define LFS_DIGITS 64

struct sl_listing *
sl_listing_new(struct sl_line_list *notes, struct sl_line_list *details, const char *label)
{
	struct sl_listing *listing = sl_room_zeroed(1, sizeof(*listing));

	sl_git_start();
	listing->notes = notes;
	listing->details = details;
	listing->label = label;
	return listing;
}

void
sl_listing_free(struct sl_listing *listing)
{
	if (!listing)
		return;
	for (size_t i = 0; i < listing->count; i++) {
		free(listing->files[i].path);
		free(listing->files[i].file);
	}
	for (size_t i = 0; i < listing->repository_count; i++)
		git_repository_free(listing->repositories[i]);
	free(listing->files);
	free(listing->repositories);
	free(listing);
}

void
sl_listing_keep(struct sl_listing *listing, git_repository *repository)
{
	listing->repositories = sl_room_for(listing->repositories, listing->repository_count,
					    &listing->repository_capacity, sizeof(git_repository *));
	listing->repositories[listing->repository_count++] = repository;
}

/* A tree may be malicious: git does not check out these paths either. */
static bool
is_safe(const char *path)
{
	for (const char *at = path;; at += strcspn(at, "/") + 1) {
		size_t length = strcspn(at, "/");

		if (length == 0 || (length == 1 && at[0] == '.') ||
		    (length == 2 && at[0] == '.' && at[1] == '.') ||
		    (length == 4 && strncasecmp(at, ".git", 4) == 0))
			return false;
		if (!at[length])
			return true;
	}
}

int
sl_listing_add(struct sl_listing *listing, const char *prefix, const char *path, struct sl_listed **added,
	       struct sl_err *err)
{
	struct sl_listed *file;

	if (!is_safe(path))
		return sl_err_set(err, "%s has a file of the name '%s%s', which git would not check out either",
				  listing->label, prefix, path);
	listing->files = sl_room_for(listing->files, listing->count, &listing->capacity, sizeof(*file));
	file = &listing->files[listing->count++];
	*file = (struct sl_listed){.path = sl_line_new("%s%s", prefix, path)};
	file->inner = file->path + strlen(prefix);
	*added = file;
	return 0;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct sl_listed *)a)->path, ((const struct sl_listed *)b)->path);
}

int
sl_listing_sort(struct sl_listing *listing, struct sl_err *err)
{
	if (listing->count)
		qsort(listing->files, listing->count, sizeof(*listing->files), by_path);
	for (size_t i = 1; i < listing->count; i++)
		if (strcmp(listing->files[i - 1].path, listing->files[i].path) == 0)
			return sl_err_set(err, "%s has the file '%s' twice", listing->label,
					  listing->files[i].path);
	return 0;
}

const struct sl_listed *
sl_listing_find(const struct sl_listing *listing, const char *path)
{
	const struct sl_listed key = {.path = (char *)path};

	return listing->count ? bsearch(&key, listing->files, listing->count, sizeof(key), by_path) : NULL;
}

void
sl_listing_id(const struct sl_listing *listing, char *id)
{
	char *text = NULL, line[64];
	size_t size = 0;
	git_oid sum;
	FILE *all = sl_must(open_memstream(&text, &size));

	for (size_t i = 0; i < listing->count; i++) {
		const struct sl_listed *file = &listing->files[i];

		git_oid_tostr(line, sizeof(line), &file->id);
		fprintf(all, "%o %s %s%c", file->mode, line, file->path, 0);
	}
	if (fclose(all) != 0 || git_odb_hash(&sum, text, size, GIT_OBJECT_BLOB) < 0)
		abort();
	git_oid_tostr(id, 41, &sum);
	free(text);
}

bool
sl_listed_is_made(const unsigned char *head, size_t size)
{
	return (size >= 20 && memcmp(head, "\177ELF", 4) == 0) ||
	       (size >= 8 && memcmp(head, "!<arch>\n", 8) == 0) ||
	       (size >= 8 && memcmp(head, "!<thin>\n", 8) == 0) || (size >= 4 && memcmp(head, "gpch", 4) == 0) ||
	       (size >= 4 && memcmp(head, "BC\xc0\xde", 4) == 0);
}

bool
sl_listed_is_same(const struct sl_listed *file, const struct stat *now)
{
	const struct stat *then = &file->found;

	return now->st_ino == then->st_ino && now->st_size == then->st_size &&
	       now->st_mtim.tv_sec == then->st_mtim.tv_sec && now->st_mtim.tv_nsec == then->st_mtim.tv_nsec &&
	       (now->st_mode & S_IFMT) == (then->st_mode & S_IFMT);
}

/* ---- content ---- */

int
sl_file_read(const char *path, struct stat *info, char **bytes, size_t *size, struct sl_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	size_t done = 0, room;
	ssize_t count = 0;

	*bytes = NULL;
	if (fd < 0 || fstat(fd, info) < 0) {
		sl_err_set(err, "cannot read %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	room = (size_t)info->st_size + 1;
	*bytes = malloc(room);
	while (*bytes && (count = read(fd, *bytes + done, room - done)) > 0) {
		done += (size_t)count;
		if (done == room) { /* it has grown since */
			char *more = realloc(*bytes, room *= 2);

			if (!more)
				break;
			*bytes = more;
		}
	}
	if (!*bytes || count != 0) {
		sl_err_set(err, "cannot read %s: %s", path, strerror(*bytes && count < 0 ? errno : ENOMEM));
		free(*bytes);
		*bytes = NULL;
		close(fd);
		return -1;
	}
	close(fd);
	(*bytes)[done] = '\0';
	*size = done;
	return 0;
}

static int
link_read(const struct sl_listed *file, char **bytes, size_t *size, struct sl_err *err)
{
	size_t room = (size_t)file->found.st_size + 2;
	ssize_t length;

	*bytes = sl_room_zeroed(room, 1);
	length = readlink(file->file, *bytes, room - 1);
	if (length < 0) {
		free(*bytes);
		return sl_err_set(err, "cannot read %s: %s", file->file, strerror(errno));
	}
	*size = (size_t)length;
	return 0;
}

static int
blob_read(const struct sl_listed *file, char **bytes, size_t *size, struct sl_err *err)
{
	git_blob_filter_options options;
	git_buf filtered = {0};
	const void *from;
	git_blob *blob;

	git_blob_filter_options_init(&options, GIT_BLOB_FILTER_OPTIONS_VERSION);
	if (git_blob_lookup(&blob, file->repository, &file->id) < 0)
		return sl_git_err(err, "cannot read %s from the repository", file->path);
	from = git_blob_rawcontent(blob);
	*size = (size_t)git_blob_rawsize(blob);
	if (file->mode != SL_MODE_LINK) {
		if (git_blob_filter(&filtered, blob, file->inner, &options) < 0) {
			git_blob_free(blob);
			return sl_git_err(err, "cannot convert %s as its attributes say", file->path);
		}
		from = filtered.ptr;
		*size = filtered.size;
	}
	*bytes = sl_room_zeroed(*size + 1, 1);
	if (*size)
		memcpy(*bytes, from, *size);
	git_buf_dispose(&filtered);
	git_blob_free(blob);
	return 0;
}

int
sl_listed_read(const struct sl_listed *file, char **bytes, size_t *size, struct sl_err *err)
{
	struct stat now;

	if (file->repository)
		return blob_read(file, bytes, size, err);
	if (file->mode == SL_MODE_LINK)
		return link_read(file, bytes, size, err);
	if (sl_file_read(file->file, &now, bytes, size, err) < 0)
		return -1;
	if (sl_listed_is_same(file, &now))
		return 0;
	free(*bytes);
	return sl_err_set(err, "%s was changed just now: start again", file->file);
}

/* ---- a revision ---- */

/* Git LFS stores a pointer instead of a file's content, and the content beside git's objects. */
static void
lfs_resolve(struct sl_listing *listing, struct sl_listed *file)
{
	char digits[LFS_DIGITS + 1];
	git_blob *blob;

	if (git_blob_lookup(&blob, file->repository, &file->id) < 0)
		return;
	const char *text = git_blob_rawcontent(blob);

	if (git_blob_rawsize(blob) < (git_object_size_t)(strlen(LFS_HEAD) + LFS_DIGITS) ||
	    memcmp(text, LFS_HEAD, strlen(LFS_HEAD)) != 0) {
		git_blob_free(blob);
		return;
	}
	memcpy(digits, text + strlen(LFS_HEAD), LFS_DIGITS);
	digits[LFS_DIGITS] = '\0';
	git_blob_free(blob);
	if (strspn(digits, "0123456789abcdef") != LFS_DIGITS)
		return;
	file->file = sl_line_new("%slfs/objects/%.2s/%.2s/%s", git_repository_commondir(file->repository), digits,
				 digits + 2, digits);
	if (lstat(file->file, &file->found) == 0 && S_ISREG(file->found.st_mode)) {
		file->repository = NULL;
		file->stored = true;
		return;
	}
	free(file->file);
	file->file = NULL;
	sl_line_add(
		listing->notes,
		"%s: the content of %s is in Git LFS and was not fetched (git lfs fetch): the pointer to it is there "
		"instead",
		listing->label, file->path);
}

/* Commands that a user's configuration has for some files are not run. */
static void
filter_driver(struct sl_listing *listing, struct sl_listed *file)
{
	const char *driver = NULL;
	git_config *config;
	git_config_entry *entry;
	char *key;

	if (git_attr_get(&driver, file->repository, GIT_ATTR_CHECK_INDEX_ONLY, file->inner, "filter") < 0 ||
	    git_attr_value(driver) != GIT_ATTR_VALUE_STRING)
		return;
	if (strcmp(driver, "lfs") == 0) {
		lfs_resolve(listing, file);
		return;
	}
	if (git_repository_config_snapshot(&config, file->repository) < 0)
		return;
	key = sl_line_new("filter.%s.smudge", driver);
	if (git_config_get_entry(&entry, config, key) == 0) {
		sl_line_add(listing->notes, "%s: %s is as git stores it, because the filter %s is not run",
			    listing->label, file->path, driver);
		git_config_entry_free(entry);
	}
	free(key);
	git_config_free(config);
}

static int list_tree(struct sl_listing *listing, git_repository *checkout, const git_tree *tree,
		     const char *prefix, struct sl_err *err);

static int
list_submodule(struct sl_listing *listing, git_repository *checkout, const git_index_entry *entry,
	       const char *prefix, struct sl_err *err)
{
	git_repository *inner = sl_submodule_open(checkout, entry->path);
	git_commit *commit = NULL;
	git_tree *tree = NULL;
	char *below, id[41];
	int result = 0;

	git_oid_tostr(id, sizeof(id), &entry->id);
	if (!inner) {
		sl_line_add(
			listing->notes,
			"%s: the submodule %s%s is not here (git submodule update --init): its folder is empty",
			listing->label, prefix, entry->path);
		return 0;
	}
	if (git_commit_lookup(&commit, inner, &entry->id) < 0 || git_commit_tree(&tree, commit) < 0) {
		sl_line_add(
			listing->notes,
			"%s: the submodule %s%s does not have the commit %.*s (git submodule update): its folder is empty",
			listing->label, prefix, entry->path, SL_SHORT_ID, id);
	} else {
		if (sl_submodule_dirt(checkout, entry->path))
			sl_line_add(
				listing->notes,
				"the submodule %s%s is dirty: %s has its commit %.*s, without what is not committed",
				prefix, entry->path, listing->label, SL_SHORT_ID, id);
		below = sl_line_new("%s%s/", prefix, entry->path);
		result = list_tree(listing, inner, tree, below, err);
		free(below);
	}
	git_tree_free(tree);
	git_commit_free(commit);
	git_repository_free(inner);
	return result;
}

/*
 * The content is read by a repository without a working tree whose index is the tree: so the attributes are those
 * of the tree, not those of the user's checkout.
 */
static int
list_tree(struct sl_listing *listing, git_repository *checkout, const git_tree *tree, const char *prefix,
	  struct sl_err *err)
{
	git_repository *repository = NULL;
	git_index *index = NULL;
	int result = -1;

	if (git_repository_open_ext(&repository, git_repository_path(checkout),
				    GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_BARE, NULL) < 0)
		return sl_git_err(err, "cannot open %s", git_repository_path(checkout));
	sl_listing_keep(listing, repository);
	if (git_index_new(&index) < 0 || git_index_read_tree(index, tree) < 0 ||
	    git_repository_set_index(repository, index) < 0) {
		sl_git_err(err, "cannot read %s", listing->label);
		goto out;
	}
	for (size_t i = 0; i < git_index_entrycount(index); i++) {
		const git_index_entry *entry = git_index_get_byindex(index, i);
		struct sl_listed *file;

		if (entry->mode == SL_MODE_SUBMODULE) {
			if (!is_safe(entry->path)) {
				sl_err_set(err, "%s has a submodule of the name '%s'", listing->label,
					   entry->path);
				goto out;
			}
			if (list_submodule(listing, checkout, entry, prefix, err) < 0)
				goto out;
			continue;
		}
		if (sl_listing_add(listing, prefix, entry->path, &file, err) < 0)
			goto out;
		file->mode = entry->mode == SL_MODE_LINK ? SL_MODE_LINK
			     : entry->mode & 0111        ? SL_MODE_PROGRAM
							 : SL_MODE_FILE;
		file->id = entry->id;
		file->repository = repository;
		if (file->mode != SL_MODE_LINK)
			filter_driver(listing, file);
	}
	result = 0;
out:
	git_index_free(index);
	return result;
}

int
sl_listing_revision(struct sl_listing *listing, git_repository *checkout, const git_tree *tree, struct sl_err *err)
{
	if (list_tree(listing, checkout, tree, "", err) < 0)
		return -1;
	return sl_listing_sort(listing, err);
}
