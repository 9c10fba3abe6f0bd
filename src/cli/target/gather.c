#include "cli/target/gather.h"

#include "base/room.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *
join(const char *folder, const char *name)
{
	size_t length = strlen(folder);
	char *path;

	if (asprintf(&path, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", name) < 0)
		path = sl_must(NULL);
	return path;
}

static void
skip(struct sl_gathering *g, const char *path)
{
	g->skipped = sl_must(realloc(g->skipped, (g->skipped_count + 1) * sizeof(*g->skipped)));
	g->skipped[g->skipped_count++] = sl_must(strdup(path));
}

/* Accepts a program that links libsleave; else negative, and the sentence says what the file is. */
static int
add_program(struct sl_gathering *g, const char *path, struct sl_err *err)
{
	struct sl_candidate candidate = {0};
	struct sl_target target;
	struct stat info;

	if (sl_target_check(path, true, &target, err) < 0 && !target.linked)
		return -1;
	if (!target.linked)
		return sl_err_set(
			err,
			"%s is not a test for Sleave: it does not link libsleave.so itself (link it with sleave cc, or "
			"with pkg-config --libs sleave)",
			path);
	if (stat(path, &info) < 0)
		return sl_err_set(err, "cannot access %s: %s", path, strerror(errno));
	for (size_t i = 0; i < g->count; i++) /* a file with two names is run once */
		if (g->candidates[i].device == info.st_dev && g->candidates[i].inode == info.st_ino)
			return 0;
	candidate.device = info.st_dev;
	candidate.inode = info.st_ino;
	candidate.path = sl_must(strdup(path));
	candidate.instrumented = target.instrumented;
	sl_target_check(path, false, &target, &candidate.refusal);
	g->candidates = sl_must(realloc(g->candidates, (g->count + 1) * sizeof(*g->candidates)));
	g->candidates[g->count++] = candidate;
	return 0;
}

static int
not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int
add_folder(struct sl_gathering *g, const char *folder, struct sl_err *err)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, not_hidden, alphasort);
	struct sl_err why;

	if (count < 0)
		return sl_err_set(err, "cannot read %s: %s", folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		char *path = join(folder, entries[i]->d_name);
		struct stat info;

		if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0 &&
		    add_program(g, path, &why) < 0)
			skip(g, path);
		free(path);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

int
sl_gathering_add(struct sl_gathering *gathering, const char *path, struct sl_err *err)
{
	struct stat info;
	char *local;
	int result;

	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		return add_folder(gathering, path, err);
	if (strchr(path, '/'))
		return add_program(gathering, path, err);
	local = join(".", path); /* a path, not a name to search in PATH */
	result = add_program(gathering, local, err);
	free(local);
	return result;
}

static const char *
base(const char *path)
{
	return strrchr(path, '/') + 1;
}

void
sl_gathering_name(struct sl_gathering *gathering)
{
	for (size_t i = 0; i < gathering->count; i++) {
		struct sl_candidate *c = &gathering->candidates[i];
		bool same = false;

		for (size_t k = 0; k < gathering->count && !same; k++)
			same = k != i && strcmp(base(c->path), base(gathering->candidates[k].path)) == 0;
		c->name = sl_must(strdup(same ? c->path : base(c->path)));
	}
}

void
sl_gathering_release(struct sl_gathering *gathering)
{
	for (size_t i = 0; i < gathering->count; i++) {
		free(gathering->candidates[i].path);
		free(gathering->candidates[i].name);
	}
	for (size_t i = 0; i < gathering->skipped_count; i++)
		free(gathering->skipped[i]);
	free(gathering->candidates);
	free(gathering->skipped);
	memset(gathering, 0, sizeof(*gathering));
}
