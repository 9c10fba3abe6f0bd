/*
 * Writes the files of a version into a folder. Nothing outside of the folder is written, whatever links the
 * version has: each folder on the path is opened without following links, and each file must be new.
 *
 * Times: a file from git gets the time of its commit, one from disk keeps its own. Files that a compiler has made
 * are older than all others, so that make does not take an object that was built without Sleave for up to date.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "version/checkout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MADE_MOMENT 86400 /* make takes a file with the time 0 for missing */
#define BLOCK 65536

struct checkout {
	const char *folder;
	int root;
	int below; /* the folder of the last file that was written */
	char *path;
};

static int
fail(const struct checkout *c, const char *path, struct sl_err *err)
{
	if (errno == ENOSPC || errno == EDQUOT)
		return sl_err_set(err, "the disk of %s is full: %s could not be written", c->folder, path);
	return sl_err_set(err, "cannot write %s/%s: %s", c->folder, path, strerror(errno));
}

/* Opens the folder of the path, and makes it if it does not exist. */
static int
enter(struct checkout *c, const char *path, bool whole, struct sl_err *err)
{
	const char *slash = whole ? path + strlen(path) : strrchr(path, '/');
	char *folder = strndup(path, slash ? (size_t)(slash - path) : 0), *save, *name;
	int fd;

	if (!folder)
		abort();
	if (c->below >= 0 && strcmp(c->path, folder) == 0) {
		free(folder);
		return 0;
	}
	if (c->below >= 0)
		close(c->below);
	free(c->path);
	c->path = strdup(folder);
	c->below = fcntl(c->root, F_DUPFD_CLOEXEC, 0);
	for (name = strtok_r(folder, "/", &save); name && c->below >= 0; name = strtok_r(NULL, "/", &save)) {
		if (mkdirat(c->below, name, 0777) < 0 && errno != EEXIST)
			fd = -1;
		else
			fd = openat(c->below, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int error = errno;

		close(c->below);
		errno = error;
		c->below = fd;
	}
	free(folder);
	return c->below < 0 ? fail(c, path, err) : 0;
}

static int
write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t count = write(fd, bytes, size);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return -1;
		bytes += count;
		size -= (size_t)count;
	}
	return 0;
}

/* Returns 1 if the source has changed since it was listed. */
static int
copy(const struct sl_listed *file, int to)
{
	int from = open(file->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), result = -1, error;
	static char block[BLOCK];
	struct stat now;
	ssize_t count;

	if (from < 0)
		return 1;
	if (fstat(from, &now) < 0 || !sl_listed_is_same(file, &now)) {
		close(from);
		return 1;
	}
	while ((count = read(from, block, sizeof(block))) > 0)
		if (write_all(to, block, (size_t)count) < 0)
			goto out;
	if (count == 0)
		result = fstat(from, &now) == 0 && sl_listed_is_same(file, &now) ? 0 : 1;
out:
	error = errno;
	close(from);
	errno = error;
	return result;
}

static int
write_file(struct checkout *c, const struct sl_listed *file, const char *name, time_t moment, struct sl_err *err)
{
	mode_t mode = file->mode == SL_MODE_PROGRAM ? 0777 : 0666;
	struct timespec times[2] = {{.tv_sec = moment}, {.tv_sec = moment}};
	char *bytes = NULL;
	size_t size = 0;
	int fd, result = 0;

	if (file->repository && sl_listed_read(file, &bytes, &size, err) < 0)
		return -1;
	fd = openat(c->below, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0) {
		free(bytes);
		return fail(c, file->path, err);
	}
	if (file->repository)
		result = write_all(fd, bytes, size);
	else
		result = copy(file, fd);
	if (result < 0)
		fail(c, file->path, err);
	else if (result > 0)
		result = sl_err_set(err, "%s was changed just now: start again", file->file);
	if (!file->repository && !file->stored) {
		times[1] = file->found.st_mtim;
		if (result == 0 && fchmod(fd, file->found.st_mode & 0777) < 0)
			result = fail(c, file->path, err);
	}
	if (file->made)
		times[1].tv_sec = MADE_MOMENT;
	if (result == 0)
		futimens(fd, times);
	if (close(fd) < 0 && result == 0)
		result = fail(c, file->path, err);
	free(bytes);
	return result;
}

static int
write_link(struct checkout *c, const struct sl_listed *file, const char *name, struct sl_err *err)
{
	char *target;
	size_t size;
	int result;

	if (sl_listed_read(file, &target, &size, err) < 0)
		return -1;
	result = symlinkat(target, c->below, name);
	free(target);
	return result < 0 ? fail(c, file->path, err) : 0;
}

int
sl_listing_write(const struct sl_listing *listing, const char *folder, struct sl_err *err)
{
	struct checkout c = {.folder = folder, .below = -1};
	time_t now = time(NULL), moment = listing->moment && listing->moment < now ? listing->moment : now;
	int result = 0;

	c.root = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (c.root < 0)
		return sl_err_set(err, "cannot open %s: %s", folder, strerror(errno));
	for (size_t i = 0; i < listing->count && result == 0; i++) {
		const struct sl_listed *file = &listing->files[i];
		const char *slash = strrchr(file->path, '/'), *name = slash ? slash + 1 : file->path;

		result = enter(&c, file->path, file->mode == SL_MODE_FOLDER, err);
		if (result < 0 || file->mode == SL_MODE_FOLDER)
			continue;
		result = file->mode == SL_MODE_LINK ? write_link(&c, file, name, err)
						    : write_file(&c, file, name, moment, err);
	}
	if (c.below >= 0)
		close(c.below);
	close(c.root);
	free(c.path);
	return result;
}
