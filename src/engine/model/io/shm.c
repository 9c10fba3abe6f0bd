/*
 * Named shared memory (shm_open). The kernel has it as a file, so that children and other processes see it;
 * opening and unlinking it are modelled like those of a file. A name that an execution has made, and not unlinked,
 * is removed at its end, like named semaphores and message queues: the next execution must not find it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/under/poison.h"

#define FOLDER "/dev/shm/"
#define MADE_MAX 256
#define ROOM (sizeof(FOLDER) + NAME_MAX + 4) /* as in glibc, which uses one buffer for these and for semaphores */

int sl_at_unlink(const char *path, uint64_t pc);

static char made[MADE_MAX][ROOM]; /* names that this execution has made; empty: unlinked */
static uint32_t made_count;

/* Returns false if it can't be a name. */
static bool
path_of(const char *name, char path[ROOM])
{
	size_t n;

	while (*name == '/')
		name++;
	n = sl_strlen(name);
	for (size_t i = 0; i < n; i++)
		if (name[i] == '/')
			return false;
	if (!n || sizeof(FOLDER) + n > ROOM)
		return false;
	sl_memcpy(path, FOLDER, sizeof(FOLDER) - 1);
	sl_memcpy(path + sizeof(FOLDER) - 1, name, n + 1);
	return true;
}

static char *
find(const char *path)
{
	for (uint32_t i = 0; i < made_count; i++) {
		size_t k = 0;

		while (path[k] && made[i][k] == path[k])
			k++;
		if (made[i][k] == path[k])
			return made[i];
	}
	return NULL;
}

static bool
is_there(const char *path)
{
	struct stat info;

	return sl_raw(SYS_newfstatat, AT_FDCWD, path, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

static void
note_made(const char *path, uint64_t pc)
{
	if (find(path))
		return;
	if (made_count == MADE_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "names of shared memory");
	sl_memcpy(made[made_count++], path, sl_strlen(path) + 1);
}

SL_DEFINE(int, shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode))
{
	char path[ROOM];
	bool ours;
	int fd;

	if (!path_of(name, path))
		return (int)sl_io_return(-EINVAL);
	/* the list has the changes that other threads have made before the choice */
	ours = !is_there(path) || find(path);
	fd = sl_open_uncancelled(path, flags | O_NOFOLLOW | O_CLOEXEC, mode, pc);
	if (fd >= 0 && (flags & O_CREAT) && ours)
		note_made(path, pc);
	if (fd < 0 && errno == EISDIR)
		errno = EINVAL;
	return fd;
}

SL_DEFINE(int, shm_unlink, (const char *name), (name))
{
	char path[ROOM], *known;
	int result;

	if (!path_of(name, path))
		return (int)sl_io_return(-ENOENT);
	result = sl_at_unlink(path, pc);
	known = find(path);
	if (result == 0 && known)
		known[0] = 0;
	if (result < 0 && errno == EPERM)
		errno = EACCES;
	return result;
}

/* The execution is over: removes its names. */
void
sl_shm_end(void)
{
	for (uint32_t i = 0; i < made_count; i++)
		if (made[i][0])
			sl_raw(SYS_unlink, made[i]);
	made_count = 0;
}
