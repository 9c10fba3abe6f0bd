#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "version/shelf.h"

#include "base/room.h"
#include "base/trust.h"
#include "version/git.h"
#include "version/line_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MARKER "complete"
#define GONE "gone-"      /* is being removed */
#define LOG_KEPT_S 604800 /* seconds for which the log of a failed build is kept: a week */
#define DEEPEST 200
#define SIGNATURE 41

/* ---- removing ---- */

/*
 * Removes what is below the folder, without following links; with `remove` false it only counts. Returns the bytes
 * on the disk.
 */
static uint64_t
sweep(int at, const char *name, bool remove, unsigned depth)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *each;
	uint64_t bytes = 0;
	struct stat info;
	DIR *dir;

	if (fd < 0 && errno == EACCES && remove && fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(info.st_mode) && fchmodat(at, name, 0700, 0) == 0)
		fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || !(dir = fdopendir(fd))) {
		if (fd >= 0)
			close(fd);
		else if (remove)
			unlinkat(at, name, 0);
		return 0;
	}
	if (remove && fstat(fd, &info) == 0 && (info.st_mode & 0700) != 0700)
		fchmod(fd, 0700);
	while ((each = readdir(dir))) {
		if (strcmp(each->d_name, ".") == 0 || strcmp(each->d_name, "..") == 0 ||
		    fstatat(fd, each->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		bytes += (uint64_t)info.st_blocks * 512;
		if (S_ISDIR(info.st_mode)) {
			if (depth < DEEPEST)
				bytes += sweep(fd, each->d_name, remove, depth + 1);
		} else if (remove) {
			unlinkat(fd, each->d_name, 0);
		}
	}
	closedir(dir);
	if (remove)
		unlinkat(at, name, AT_REMOVEDIR);
	return bytes;
}

/* A killed build may still be writing there, so the folder is renamed first. */
static void
remove_tree(const struct sl_shelf *shelf, const char *path)
{
	char *gone = sl_line_new("%s/" GONE "%ld-%u", shelf->folder, (long)getpid(), (unsigned)rand());

	if (rename(path, gone) == 0)
		sweep(AT_FDCWD, gone, true, 0);
	else if (errno != ENOENT)
		sweep(AT_FDCWD, path, true, 0);
	free(gone);
}

/* ---- the folder ---- */

static int
make_folder(const char *path, bool make, struct sl_err *err)
{
	if (make && mkdir(path, 0755) < 0 && errno != EEXIST) {
		if (errno == ENOSPC || errno == EDQUOT)
			return sl_err_set(err, "the disk is full: %s could not be made", path);
		return sl_err_set(err, "cannot make the folder %s, in which versions are built: %s", path,
				  strerror(errno));
	}
	return sl_trust_folder(path, err);
}

int
sl_shelf_open(struct sl_shelf *shelf, const char *home, const unsigned char *secret, bool make, struct sl_err *err)
{
	char *outer = sl_line_new("%s/.sleave", home), *ignore;
	int result, fd;

	*shelf = (struct sl_shelf){.folder = sl_line_new("%s/versions", outer)};
	if (secret) {
		memcpy(shelf->secret, secret, SL_SECRET_BYTES);
		shelf->has_secret = true;
	}
	sl_git_start();
	result = make_folder(outer, make, err);
	if (result == 0)
		result = make_folder(shelf->folder, make, err);
	if (result == 0 && make) {
		ignore = sl_line_new("%s/.gitignore", shelf->folder);
		fd = open(ignore, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0 && write(fd, "*\n", 2) != 2) {
			result = sl_err_set(err, "cannot write %s: %s", ignore, strerror(errno));
			unlink(ignore);
		} else if (fd < 0 && errno != EEXIST) {
			result = sl_err_set(err, "cannot write %s: %s", ignore, strerror(errno));
		}
		if (fd >= 0)
			close(fd);
		free(ignore);
	}
	free(outer);
	if (result < 0)
		sl_shelf_release(shelf);
	return result;
}

void
sl_shelf_release(struct sl_shelf *shelf)
{
	free(shelf->folder);
	*shelf = (struct sl_shelf){0};
}

static void
hash(const void *bytes, size_t size, char *digits, size_t room)
{
	git_oid id;

	if (git_odb_hash(&id, bytes, size, GIT_OBJECT_BLOB) < 0)
		abort();
	git_oid_tostr(digits, room, &id);
}

void
sl_shelf_key(const char *text, char *key)
{
	sl_git_start();
	hash(text, strlen(text), key, SL_SHELF_KEY);
}

/* ---- the marker ---- */

/* The text is signed twice, so that nothing can be appended to it. */
static void
sign(const struct sl_shelf *shelf, const struct sl_shelf_place *place, uint64_t bytes, char *signature)
{
	char *text = sl_line_new("%s %s %" PRIu64, place->key, place->folder, bytes);
	size_t length = strlen(text);
	char *all = sl_room_zeroed(SL_SECRET_BYTES + length + SIGNATURE, 1);

	memcpy(all, shelf->secret, SL_SECRET_BYTES);
	memcpy(all + SL_SECRET_BYTES, text, length);
	hash(all, SL_SECRET_BYTES + length, signature, SIGNATURE);
	memcpy(all + SL_SECRET_BYTES, signature, SIGNATURE - 1);
	hash(all, SL_SECRET_BYTES + SIGNATURE - 1, signature, SIGNATURE);
	free(all);
	free(text);
}

static bool
marker_read(const struct sl_shelf *shelf, const struct sl_shelf_place *place, uint64_t *bytes)
{
	char *path = sl_line_new("%s/" MARKER, place->folder), text[256] = "", right[SIGNATURE],
	     said[SIGNATURE] = "";
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	free(path);
	*bytes = 0;
	if (size <= 0 || sscanf(text, "bytes %" SCNu64 "\nsigned %40s\n", bytes, said) != 2 || !shelf->has_secret)
		return false;
	sign(shelf, place, *bytes, right);
	return strcmp(said, right) == 0;
}

static void
marker_touch(const struct sl_shelf_place *place)
{
	char *path = sl_line_new("%s/" MARKER, place->folder);

	utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
	free(path);
}

/* ---- a version ---- */

static void
place_init(const struct sl_shelf *shelf, const char *key, struct sl_shelf_place *place)
{
	*place = (struct sl_shelf_place){.lock = -1};
	snprintf(place->key, sizeof(place->key), "%s", key);
	place->folder = sl_line_new("%s/%s", shelf->folder, key);
	place->tree = sl_line_new("%s/tree", place->folder);
	place->log = sl_line_new("%s/log", place->folder);
}

void
sl_shelf_release_place(struct sl_shelf_place *place)
{
	free(place->folder);
	free(place->tree);
	free(place->log);
	if (place->lock >= 0)
		close(place->lock);
	*place = (struct sl_shelf_place){.lock = -1};
}

/*
 * Opens and locks the file of the lock; -1: it cannot be opened. A file that was removed meanwhile does not count.
 */
static int
lock(const struct sl_shelf_place *place, int kind, bool *busy)
{
	char *path = sl_line_new("%s.lock", place->folder);
	struct stat ours, now;
	int fd;

	*busy = false;
	for (;;) {
		fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd < 0)
			break;
		if (flock(fd, kind | LOCK_NB) < 0) {
			*busy = errno == EWOULDBLOCK;
			close(fd);
			fd = -1;
			break;
		}
		if (fstat(fd, &ours) == 0 && lstat(path, &now) == 0 && ours.st_ino == now.st_ino)
			break;
		close(fd);
	}
	free(path);
	return fd;
}

int
sl_shelf_take(const struct sl_shelf *shelf, const char *key, struct sl_shelf_place *place, struct sl_err *err)
{
	uint64_t bytes;
	bool busy;

	place_init(shelf, key, place);
	place->lock = lock(place, LOCK_SH, &busy);
	if (place->lock >= 0 && !marker_read(shelf, place, &bytes)) {
		/* two processes that come here at the same time both fail, and try again */
		if (flock(place->lock, LOCK_EX | LOCK_NB) < 0) {
			sl_shelf_release_place(place);
			return 1;
		}
		if (!marker_read(shelf, place, &bytes))
			return 0;
		flock(place->lock, LOCK_SH);
	}
	if (place->lock < 0) {
		if (!busy)
			sl_err_set(err,
				   errno == ENOSPC ? "the disk is full: %s.lock could not be made: %s"
						   : "cannot make %s.lock: %s",
				   place->folder, strerror(errno));
		sl_shelf_release_place(place);
		return busy ? 1 : -1;
	}
	place->complete = true;
	marker_touch(place);
	return 0;
}

int
sl_shelf_begin(const struct sl_shelf *shelf, struct sl_shelf_place *place, struct sl_err *err)
{
	remove_tree(shelf, place->folder);
	if (mkdir(place->folder, 0777) == 0 && mkdir(place->tree, 0777) == 0)
		return 0;
	if (errno == ENOSPC || errno == EDQUOT)
		return sl_err_set(err, "the disk is full: %s could not be made", place->tree);
	return sl_err_set(err, "cannot make the folder %s: %s", place->tree, strerror(errno));
}

int
sl_shelf_finish(const struct sl_shelf *shelf, struct sl_shelf_place *place, struct sl_err *err)
{
	uint64_t bytes = sweep(AT_FDCWD, place->folder, false, 0);
	char *path = sl_line_new("%s/" MARKER, place->folder), *text, signature[SIGNATURE];
	int fd, result = 0;

	sign(shelf, place, bytes, signature);
	text = sl_line_new("bytes %" PRIu64 "\nsigned %s\n", bytes, shelf->has_secret ? signature : "by none");
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || fsync(fd) < 0) {
		result = sl_err_set(err, "cannot write %s: %s", path, strerror(errno));
		unlink(path);
	} else {
		place->complete = true;
		flock(place->lock, LOCK_SH);
	}
	if (fd >= 0)
		close(fd);
	free(text);
	free(path);
	return result;
}

void
sl_shelf_fail(const struct sl_shelf *shelf, struct sl_shelf_place *place)
{
	if (place->tree && !place->complete)
		remove_tree(shelf, place->tree);
}

/* ---- all of them ---- */

struct kept {
	struct sl_shelf_place place;
	uint64_t bytes;
	struct timespec used;
	bool complete;
};

static int
by_use(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static struct kept *
list(const struct sl_shelf *shelf, size_t *count)
{
	DIR *dir = opendir(shelf->folder);
	struct kept *all = NULL;
	size_t capacity = 0;
	struct dirent *each;

	*count = 0;
	while (dir && (each = readdir(dir))) {
		const char *name = each->d_name;
		struct stat info;
		struct kept *k;
		char *marker;

		if (strncmp(name, GONE, strlen(GONE)) == 0) {
			char *path = sl_line_new("%s/%s", shelf->folder, name);

			sweep(AT_FDCWD, path, true, 0);
			free(path);
			continue;
		}
		if (strlen(name) != SL_SHELF_KEY - 1 || strspn(name, "0123456789abcdef") != SL_SHELF_KEY - 1)
			continue;
		all = sl_room_for(all, *count, &capacity, sizeof(*all));
		k = &all[(*count)++];
		*k = (struct kept){0};
		place_init(shelf, name, &k->place);
		k->complete = marker_read(shelf, &k->place, &k->bytes);
		marker = sl_line_new("%s/" MARKER, k->place.folder);
		if (lstat(k->complete ? marker : k->place.folder, &info) == 0)
			k->used = info.st_mtim;
		free(marker);
	}
	if (dir)
		closedir(dir);
	if (*count)
		qsort(all, *count, sizeof(*all), by_use);
	return all;
}

/* Removes the place, unless a process is using it, which may be this one. */
static bool
remove_place(const struct sl_shelf *shelf, struct kept *k, bool tree_only)
{
	bool busy;
	int fd = lock(&k->place, LOCK_EX, &busy);
	char *path;

	if (fd < 0)
		return false;
	remove_tree(shelf, tree_only ? k->place.tree : k->place.folder);
	if (!tree_only) {
		path = sl_line_new("%s.lock", k->place.folder);
		unlink(path);
		free(path);
	}
	close(fd);
	return true;
}

void
sl_shelf_trim(const struct sl_shelf *shelf, uint32_t keep, uint64_t bytes, uint32_t *removed)
{
	uint64_t sum = 0;
	size_t count;
	struct kept *all = list(shelf, &count);
	uint32_t complete = 0;

	*removed = 0;
	for (size_t i = 0; i < count; i++) {
		sum += all[i].complete ? all[i].bytes : 0;
		complete += all[i].complete;
	}
	for (size_t i = 0; i < count; i++) {
		if (!all[i].complete) {
			remove_place(shelf, &all[i], time(NULL) - all[i].used.tv_sec < LOG_KEPT_S);
		} else if ((complete > keep || sum > bytes) && remove_place(shelf, &all[i], false)) {
			sum -= all[i].bytes;
			complete--;
			++*removed;
		}
		sl_shelf_release_place(&all[i].place);
	}
	free(all);
}

void
sl_shelf_clean(const struct sl_shelf *shelf, uint32_t *removed, uint32_t *in_use)
{
	size_t count;
	struct kept *all = list(shelf, &count);
	uint32_t stayed = 0;

	*removed = 0;
	for (size_t i = 0; i < count; i++) {
		if (remove_place(shelf, &all[i], false))
			*removed += all[i].complete;
		else
			stayed++;
		sl_shelf_release_place(&all[i].place);
	}
	free(all);
	*in_use = stayed;
}
