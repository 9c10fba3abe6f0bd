#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "version/tree.h"

#include "base/room.h"
#include "version/checkout.h"
#include "version/git.h"
#include "version/pairing.h"
#include "version/tree_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *
copy_of(const char *text)
{
	char *copy = sl_must(strdup(text));

	return copy;
}

/* Returns the rest of the path below the folder, "" for the folder itself; NULL: it is elsewhere. */
const char *
sl_path_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	if (length == 1) /* "/" */
		return *path == '/' ? path + 1 : NULL;
	if (strncmp(path, folder, length) != 0 || (path[length] && path[length] != '/'))
		return NULL;
	return path[length] ? path + length + 1 : path + length;
}

static int
check(const struct sl_version_wish *wish, struct sl_err *err)
{
	if (wish->old_revision && wish->old_tree)
		return sl_err_set(err, "--old and --old-tree both name the old version: give one of them");
	if (wish->new_revision && wish->new_tree)
		return sl_err_set(err, "--new and --new-tree both name the new version: give one of them");
	if (wish->old_program && wish->old_tree)
		return sl_err_set(err, "--old-program and --old-tree both name the old version: give one of them");
	if (wish->old_program && (wish->new_revision || wish->new_tree))
		return sl_err_set(
			err, "with --old-program the new version is the program after --, so %s has no meaning",
			wish->new_tree ? "--new-tree" : "--new");
	return 0;
}

/* ---- where versions come from ---- */

struct origin {
	const struct sl_version_wish *wish;
	git_repository *repository; /* NULL: not opened yet, or there is none */
	char *where;
};

/* libgit2 1.5 says GIT_ENOTFOUND of its own search for safe.directory, if no configuration has that. */
static bool
is_of_another_user(int result)
{
	const git_error *last = git_error_last();

	return result == GIT_EOWNER || (result == GIT_ENOTFOUND && last && last->klass == GIT_ERROR_CONFIG);
}

static int
open_repository(struct origin *o, const char *reason, struct sl_err *err)
{
	const char *given = getenv("GIT_DIR");
	int result;

	if (o->repository)
		return 0;
	sl_git_start();
	if (given && *given && !o->wish->where)
		result = git_repository_open_ext(&o->repository, NULL, GIT_REPOSITORY_OPEN_FROM_ENV, NULL);
	else
		result = git_repository_open_ext(&o->repository, o->where, 0, NULL);
	if (result == 0)
		return 0;
	o->repository = NULL;
	if (is_of_another_user(result))
		return sl_err_set(
			err,
			"the git checkout of %s belongs to another user, so it is not read: git config --global --add "
			"safe.directory FOLDER allows it, where FOLDER is its root",
			o->where);
	if (result == GIT_ENOTFOUND)
		return sl_err_set(err,
				  "%s is not in a git checkout, so %s: name both versions with --old-tree and "
				  "--new-tree, or a program that is built already with --old-program",
				  o->where, reason);
	return sl_git_err(err, "cannot read the repository of %s", o->where);
}

static int
open_revision(struct origin *o, struct sl_version *version, const char *name, struct sl_listing *listing,
	      struct sl_err *err)
{
	git_object *object = NULL, *commit = NULL, *tree = NULL;
	int result = -1;
	const char *given = version->is_new ? o->wish->new_revision : o->wish->old_revision;
	char *reason = given ? sl_line_new("there is no revision '%s'", name)
			     : sl_line_new("there is no HEAD to compare with");

	if (open_repository(o, reason, err) < 0) {
		free(reason);
		return -1;
	}
	free(reason);
	if (strcmp(name, "HEAD") == 0 && git_repository_head_unborn(o->repository) == 1) {
		sl_err_set(err,
			   "there is no commit yet, so HEAD is no version: commit first, or name the %s version "
			   "with --%s-tree",
			   version->is_new ? "new" : "old", version->is_new ? "new" : "old");
		return -1;
	}
	result = git_revparse_single(&object, o->repository, name);
	if (result < 0) {
		const char *where = git_repository_workdir(o->repository) ? git_repository_workdir(o->repository)
									  : git_repository_path(o->repository);
		int size = (int)strlen(where) - (strlen(where) > 1);

		return result == GIT_ENOTFOUND ? sl_err_set(err, "there is no revision '%s' in %.*s (--%s)", name,
							    size, where, version->is_new ? "new" : "old")
					       : sl_git_err(err, "'%s' is no revision in %.*s (--%s)", name, size,
							    where, version->is_new ? "new" : "old");
	}
	result = -1;
	if (git_object_peel(&tree, object, GIT_OBJECT_TREE) < 0) {
		sl_err_set(err, "'%s' is neither a commit nor a tree (--%s)", name,
			   version->is_new ? "new" : "old");
		goto out;
	}
	if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT) == 0) {
		git_oid_tostr(version->commit, sizeof(version->commit), git_object_id(commit));
		listing->moment = git_commit_time((const git_commit *)commit);
	} else {
		git_oid_tostr(version->commit, sizeof(version->commit), git_object_id(tree));
	}
	if (strncmp(version->commit, name, strlen(name)) == 0)
		version->label = sl_line_new("%.*s", SL_SHORT_ID, version->commit);
	else
		version->label = sl_line_new("%s (%.*s)", name, SL_SHORT_ID, version->commit);
	listing->label = version->label;
	result = sl_listing_revision(listing, o->repository, (const git_tree *)tree, err);
out:
	git_object_free(tree);
	git_object_free(commit);
	git_object_free(object);
	return result;
}

static int
open_folder(struct origin *o, struct sl_version *version, const char *folder, struct sl_listing *listing,
	    struct sl_err *err)
{
	char *path = *folder == '/' ? copy_of(folder) : sl_line_new("%s/%s", o->where, folder), *real;
	struct stat info;
	int result = -1;

	real = realpath(path, NULL);
	if (!real || stat(real, &info) < 0) {
		sl_err_set(err, "there is no folder %s (--%s-tree): %s", folder, version->is_new ? "new" : "old",
			   strerror(errno));
	} else if (!S_ISDIR(info.st_mode)) {
		sl_err_set(err, "%s is not a folder (--%s-tree)", folder, version->is_new ? "new" : "old");
	} else {
		version->label = copy_of(folder);
		listing->label = version->label;
		result = sl_listing_folder(listing, real, err);
	}
	free(version->folder);
	version->folder = real;
	free(path);
	return result;
}

static int
open_program(struct origin *o, struct sl_version *version, const char *program, struct sl_err *err)
{
	const char *rest;
	char *path;
	struct stat info;
	int result = 0;

	if (!program)
		return sl_err_set(err, "--old-program needs the new program after --");
	for (rest = program; strncmp(rest, "./", 2) == 0; rest += 2 + strspn(rest + 2, "/"))
		;
	path = *rest == '/' ? copy_of(rest) : sl_line_new("%s/%s", o->where, rest);
	if (stat(path, &info) < 0)
		result = sl_err_set(err, "cannot access %s: %s", program, strerror(errno));
	else if (!S_ISREG(info.st_mode))
		result = sl_err_set(err, "%s is not a program", program);
	version->label = copy_of(program);
	version->folder = path;
	return result;
}

static int
open_version(struct sl_versions *v, struct origin *o, bool is_new, struct sl_err *err)
{
	struct sl_version *version = is_new ? &v->new : &v->old;
	const struct sl_version_wish *w = o->wish;
	const char *revision = is_new ? w->new_revision : w->old_revision,
		   *folder = is_new ? w->new_tree : w->old_tree;
	int result;

	version->is_new = is_new;
	version->kind = w->old_program ? SL_VERSION_PROGRAM
			: folder       ? SL_VERSION_FOLDER
			: revision     ? SL_VERSION_REVISION
			: is_new       ? SL_VERSION_WORKING_TREE
				       : SL_VERSION_REVISION;
	if (version->kind == SL_VERSION_PROGRAM) {
		result = open_program(o, version, is_new ? w->new_program : w->old_program, err);
		if (result < 0 || is_new || !revision)
			return result;
		free(version->label); /* the text comes from the revision */
		version->label = NULL;
	}
	version->listing = sl_listing_new(&v->notes, &v->details, "");
	if (version->kind == SL_VERSION_FOLDER) {
		result = open_folder(o, version, folder, version->listing, err);
	} else if (version->kind == SL_VERSION_WORKING_TREE) {
		version->label = copy_of("the working tree");
		version->listing->label = version->label;
		result = open_repository(o, "there is no working tree to compare", err);
		if (result == 0)
			result = sl_listing_working_tree(version->listing, o->repository, err);
	} else {
		result = open_revision(o, version, revision ? revision : "HEAD", version->listing, err);
	}
	if (version->kind == SL_VERSION_PROGRAM && version->label) {
		char *label = sl_line_new("%s, from %s", w->old_program, version->label);

		free(version->label);
		version->label = label;
		version->listing->label = label;
	} else if (result == 0) {
		sl_listing_id(version->listing, version->id);
	}
	return result;
}

/* Finds the root of the checkout, and the user's folder in it. */
static void
locate(struct sl_versions *v, struct origin *o)
{
	const char *workdir = o->repository ? git_repository_workdir(o->repository) : NULL, *below = NULL;
	char *real = workdir ? realpath(workdir, NULL) : NULL;

	v->home = real ? real : copy_of(o->where);
	if (v->new.folder && v->new.kind == SL_VERSION_FOLDER)
		below = sl_path_below(o->where, v->new.folder);
	if (!below && v->old.folder && v->old.kind == SL_VERSION_FOLDER)
		below = sl_path_below(o->where, v->old.folder);
	if (!below && real)
		below = sl_path_below(o->where, real);
	v->subfolder = copy_of(below ? below : "");
}

/* ---- what differs ---- */

static bool
is_text(const struct sl_listed *file)
{
	return (file->mode == SL_MODE_FILE || file->mode == SL_MODE_PROGRAM) && sl_is_source(file->path);
}

void
sl_version_add_text(struct sl_version *version, const char *path, char *bytes, size_t size)
{
	size_t capacity = version->text_capacity;

	version->texts = sl_room_for(version->texts, version->text_count, &capacity, sizeof(*version->texts));
	version->text_capacity = capacity;
	version->texts[version->text_count++] =
		(struct sl_text){.path = copy_of(path), .bytes = bytes, .size = size};
}

static int
read_texts(struct sl_version *version, const struct sl_listing *other, bool all, struct sl_err *err)
{
	const struct sl_listing *listing = version->listing;

	for (size_t i = 0; i < listing->count; i++) {
		const struct sl_listed *file = &listing->files[i], *twin;
		char *bytes;
		size_t size;

		if (!is_text(file))
			continue;
		twin = all ? NULL : sl_listing_find(other, file->path);
		if (twin && is_text(twin) && git_oid_equal(&twin->id, &file->id))
			continue;
		if (sl_listed_read(file, &bytes, &size, err) < 0)
			return -1;
		sl_version_add_text(version, file->path, bytes, size);
	}
	return 0;
}

/* Returns whether the file is not part of the user's sources: a build has made it, or it is an empty folder. */
static bool
is_by_the_way(const struct sl_listed *file)
{
	return file->made || file->mode == SL_MODE_FOLDER;
}

/* Walks both lists, which are sorted. */
static void
compare(struct sl_versions *v)
{
	const struct sl_listing *a = v->old.listing, *b = v->new.listing;

	v->identical = v->sources_same = true;
	for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
		const struct sl_listed *x = i < a->count ? &a->files[i] : NULL,
				       *y = k < b->count ? &b->files[k] : NULL;
		int order = !x ? 1 : !y ? -1 : strcmp(x->path, y->path);
		bool same = order == 0 && x->mode == y->mode && git_oid_equal(&x->id, &y->id);

		i += order <= 0;
		k += order >= 0;
		if (same)
			continue;
		if ((order > 0 || !is_by_the_way(x)) && (order < 0 || !is_by_the_way(y)))
			v->identical = false;
		if ((order > 0 || !(is_text(x) || is_by_the_way(x))) &&
		    (order < 0 || !(is_text(y) || is_by_the_way(y))))
			sl_line_add(&v->others, "%s", order > 0 ? y->path : x->path);
		if ((order <= 0 && is_text(x)) || (order >= 0 && is_text(y)))
			v->sources_same = v->sources_same && order == 0 && is_text(x) && is_text(y) &&
					  git_oid_equal(&x->id, &y->id);
	}
}

int
sl_versions_pair(struct sl_versions *v, bool endings, struct sl_err *err)
{
	const struct sl_text_set old = {v->old.texts, v->old.text_count}, new = {v->new.texts, v->new.text_count};

	free(v->pairs);
	v->pairs = sl_room_zeroed(new.count, sizeof(*v->pairs));
	for (uint32_t i = 0; i < new.count; i++)
		v->pairs[i] = SL_NO_FILE;
	sl_pair_equal(&old, &new, v->pairs);
	if (endings)
		sl_pair_endings(&old, &new, v->pairs);
	return sl_pair_renamed(&old, &new, v->pairs, err);
}

int
sl_versions_open(struct sl_versions **versions, const struct sl_version_wish *wish, struct sl_err *err)
{
	struct origin o = {.wish = wish};
	struct sl_versions *v;
	int result = -1;

	*versions = NULL;
	if (check(wish, err) < 0)
		return -1;
	o.where = realpath(wish->where ? wish->where : ".", NULL);
	if (!o.where)
		return sl_err_set(err, "cannot access %s: %s", wish->where ? wish->where : "the current folder",
				  strerror(errno));
	v = sl_room_zeroed(1, sizeof(*v));
	v->all_texts = wish->all_texts;
	if (open_version(v, &o, false, err) < 0 || open_version(v, &o, true, err) < 0)
		goto out;
	locate(v, &o);
	if (!wish->old_program) {
		compare(v);
		if (read_texts(&v->old, v->new.listing, wish->all_texts, err) < 0 ||
		    read_texts(&v->new, v->old.listing, wish->all_texts, err) < 0)
			goto out;
	}
	result = sl_versions_pair(v, false, err);
out:
	free(o.where);
	/* a sparse checkout's missing files are read from it */
	v->repository = o.repository;
	if (result < 0)
		sl_versions_free(v);
	else
		*versions = v;
	return result;
}

static void
release(struct sl_version *version)
{
	for (uint32_t i = 0; i < version->text_count; i++) {
		free((char *)version->texts[i].path);
		free((char *)version->texts[i].bytes);
	}
	free(version->texts);
	free(version->label);
	free(version->folder);
	sl_listing_free(version->listing);
}

void
sl_versions_free(struct sl_versions *versions)
{
	if (!versions)
		return;
	release(&versions->old);
	release(&versions->new);
	sl_line_release(&versions->notes);
	sl_line_release(&versions->details);
	sl_line_release(&versions->lost);
	sl_line_release(&versions->others);
	git_repository_free(versions->repository);
	free(versions->pairs);
	free(versions->home);
	free(versions->subfolder);
	free(versions);
}

int
sl_version_write(const struct sl_version *version, const char *folder, struct sl_err *err)
{
	if (version->kind == SL_VERSION_PROGRAM)
		abort();
	return sl_listing_write(version->listing, folder, err);
}

bool
sl_version_has(const struct sl_version *version, const char *path)
{
	return version->listing && sl_listing_find(version->listing, path);
}

bool
sl_version_has_folder(const struct sl_version *version, const char *path)
{
	const struct sl_listing *listing = version->listing;
	size_t length = strlen(path);

	for (size_t i = 0; listing && i < listing->count; i++) {
		const char *file = listing->files[i].path;

		if (strncmp(file, path, length) == 0 &&
		    (file[length] == '/' || (!file[length] && listing->files[i].mode == SL_MODE_FOLDER)))
			return true;
	}
	return false;
}

char *
sl_checkout_home(const char *where, struct sl_err *err)
{
	struct sl_version_wish wish = {.where = where};
	struct origin o = {.wish = &wish, .where = realpath(where ? where : ".", NULL)};
	struct sl_err ignored;
	const char *workdir;
	char *home;

	if (!o.where) {
		sl_err_set(err, "cannot access %s: %s", where ? where : "the current folder", strerror(errno));
		return NULL;
	}
	if (open_repository(&o, "there is none", &ignored) < 0)
		return o.where;
	workdir = git_repository_workdir(o.repository);
	home = workdir ? realpath(workdir, NULL) : NULL;
	git_repository_free(o.repository);
	if (!home)
		return o.where;
	free(o.where);
	return home;
}

uint32_t
sl_version_text(const struct sl_version *version, const char *path)
{
	for (uint32_t i = 0; i < version->text_count; i++)
		if (strcmp(version->texts[i].path, path) == 0)
			return i;
	return SL_NO_FILE;
}
