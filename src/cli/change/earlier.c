#include "cli/change/earlier.h"

#include "base/room.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".sleave"
#define DESCRIPTORS 16

/* nftw() has no argument for its caller. */
static struct {
	char **paths;
	size_t count, capacity;
	bool deep;
} seen;

static int
visit(const char *path, const struct stat *info, int kind, struct FTW *at)
{
	size_t size = strlen(path);

	(void)info;
	if (kind == FTW_D && at->level > 0 &&
	    (!seen.deep || strcmp(path + at->base, ".git") == 0 || strcmp(path + at->base, ".sleave") == 0))
		return FTW_SKIP_SUBTREE;
	if (kind != FTW_F || size <= strlen(SUFFIX) || strcmp(path + size - strlen(SUFFIX), SUFFIX) != 0)
		return FTW_CONTINUE;
	seen.paths = sl_room_for(seen.paths, seen.count, &seen.capacity, sizeof(*seen.paths));
	seen.paths[seen.count] = strdup(path);
	if (!seen.paths[seen.count++])
		abort();
	return FTW_CONTINUE;
}

static int
by_path(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;

	return strverscmp(x, y); /* test-2 before test-10 */
}

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What a person would call it here. */
static char *
name_of(const char *path)
{
	char *here = getcwd(NULL, 0), *name;
	size_t size = here ? strlen(here) : 0;

	name = strdup(size && strncmp(path, here, size) == 0 && path[size] == '/' ? path + size + 1 : path);
	free(here);
	if (!name)
		abort();
	return name;
}

static bool
are_same(char *const *a, char *const *b)
{
	for (; *a && *b; a++, b++)
		if (strcmp(*a, *b) != 0)
			return false;
	return !*a && !*b;
}

void
sl_earlier_find(struct sl_earlier *earlier, const struct sl_change *change,
		const struct sl_program_change *program, char *const *argv)
{
	char build[72];
	struct sl_err err;

	*earlier = (struct sl_earlier){0};
	seen.paths = NULL;
	seen.count = seen.capacity = 0;
	seen.deep = change->versions->new.kind != SL_VERSION_PROGRAM && change->versions->repository;
	nftw(seen.deep ? change->versions->home : ".", visit, DESCRIPTORS, FTW_PHYS | FTW_ACTIONRETVAL);
	if (seen.count)
		qsort(seen.paths, seen.count, sizeof(*seen.paths), by_path);
	if (sl_build_id(program->new, build, sizeof(build), &err) < 0)
		*build = '\0';
	for (size_t i = 0; i < seen.count; i++) {
		struct sl_replay replay;

		/* one that is damaged or foreign is none of this program */
		if (sl_replay_read(seen.paths[i], &replay, &err) == 0) {
			if (strcmp(base_of(replay.program), base_of(program->new)) != 0 || replay.explore_call) {
				sl_replay_release(&replay);
			} else if (!are_same(replay.argv + 1, argv + 1)) { /* another test */
				earlier->others++;
				sl_replay_release(&replay);
			} else if (earlier->count == SL_EARLIER_MAX) {
				earlier->more = true;
				sl_replay_release(&replay);
			} else {
				earlier->to[earlier->count] = strcmp(replay.build_id, build) == 0
								      ? SL_MAPPING_TO_SAME
								      : SL_MAPPING_TO_NEW;
				earlier->paths[earlier->count] = name_of(seen.paths[i]);
				earlier->replays[earlier->count++] = replay;
			}
		}
		free(seen.paths[i]);
	}
	free(seen.paths);
}

void
sl_earlier_release(struct sl_earlier *earlier)
{
	for (size_t i = 0; i < earlier->count; i++) {
		free(earlier->paths[i]);
		sl_replay_release(&earlier->replays[i]);
	}
	*earlier = (struct sl_earlier){0};
}
