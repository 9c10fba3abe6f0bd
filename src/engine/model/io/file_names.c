/*
 * Names of files: creating, removing, renaming and looking them up. Programs use names as locks and flags between
 * threads, so each call is an operation on one object that all of them (and open()) share.
 */
#undef _FILE_OFFSET_BITS /* it would rename stat and so on; both are defined here */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

static struct sl_object *
announce(uint64_t pc)
{
	sl_announce(SL_IO_CONTROL, SL_CHANNEL_ADDRESS, pc);
	return sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL);
}

void
sl_path_announce(uint64_t pc)
{
	sl_point_unless_alone(announce(pc));
	sl_note(0);
	sl_changed(true);
}

static void
touch_paths(const char *const *paths, uint64_t pc)
{
	for (; *paths; paths++)
		sl_touch_string(*paths, pc);
}

#define CHANGE(name, parameters, arguments, ...)                                                                  \
	SL_DEFINE(int, name, parameters, arguments)                                                               \
	{                                                                                                         \
		int result;                                                                                       \
                                                                                                                  \
		touch_paths((const char *[]){__VA_ARGS__ __VA_OPT__(, ) NULL}, pc);                               \
		sl_point_unless_alone(announce(pc));                                                              \
		result = SL_CALL(name) arguments;                                                                 \
		sl_note((uint64_t)(result < 0 ? -errno : result));                                                \
		sl_changed(result >= 0);                                                                          \
		return result;                                                                                    \
	}

static bool
find(int at, const char *path, struct stat *info)
{
	return sl_raw(SYS_newfstatat, at, path, info, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool
is_another(int at, const char *path, const struct stat *info)
{
	struct stat now = {0};

	return !find(at, path, &now) || now.st_ino != info->st_ino || now.st_dev != info->st_dev;
}

/*
 * Calls that may remove a file's last name. The kernel may give its inode number to a new file of any process, so
 * the number does not identify the file any more.
 */
#define REMOVE(name, parameters, arguments, at, path, ...)                                                        \
	SL_DEFINE(int, name, parameters, arguments)                                                               \
	{                                                                                                         \
		struct stat info = {0};                                                                           \
		bool last;                                                                                        \
		int result;                                                                                       \
                                                                                                                  \
		touch_paths((const char *[]){__VA_ARGS__, NULL}, pc);                                             \
		sl_point_unless_alone(announce(pc));                                                              \
		last = find(at, path, &info) && info.st_nlink == 1;                                               \
		result = SL_CALL(name) arguments;                                                                 \
		if (last && result >= 0 && is_another(at, path, &info))                                           \
			sl_file_forget(&info);                                                                    \
		sl_note((uint64_t)(result < 0 ? -errno : result));                                                \
		sl_changed(result >= 0);                                                                          \
		return result;                                                                                    \
	}

/* A loop may wait until a name exists, or does not. */
#define LOOK(name, parameters, arguments) LOOK_INTO(name, parameters, arguments, NULL, 0)
#define STAT(name, parameters, arguments) LOOK_INTO(name, parameters, arguments, info, sizeof(*info))
#define LOOK_INTO(name, parameters, arguments, to, size)                                                          \
	SL_DEFINE_LOOKING(int, name, parameters, arguments)                                                       \
	{                                                                                                         \
		struct sl_object *o;                                                                              \
		int result;                                                                                       \
                                                                                                                  \
		sl_proc_refuse(path, pc);                                                                         \
		touch_paths((const char *[]){path, NULL}, pc);                                                    \
		sl_touch_intend(to, size, pc);                                                                    \
		o = announce(pc);                                                                                 \
		sl_spin_visit(pc);                                                                                \
		sl_point_unless_alone(o);                                                                         \
		result = SL_CALL(name) arguments;                                                                 \
		sl_note((uint64_t)(result < 0 ? -errno : result));                                                \
		if (!result)                                                                                      \
			sl_touch_written(to, size, pc);                                                           \
		return result;                                                                                    \
	}

/* clang-format off */
REMOVE(unlink, (const char *path), (path), AT_FDCWD, path, path)
REMOVE(unlinkat, (int at, const char *path, int flags), (at, path, flags), at, path, path)
REMOVE(remove, (const char *path), (path), AT_FDCWD, path, path)
REMOVE(rename, (const char *from, const char *to), (from, to), AT_FDCWD, to, from, to)
REMOVE(renameat, (int from_at, const char *from, int to_at, const char *to), (from_at, from, to_at, to), to_at, to, from, to)
REMOVE(renameat2, (int from_at, const char *from, int to_at, const char *to, unsigned flags), (from_at, from, to_at, to, flags), to_at, flags & RENAME_EXCHANGE ? "" : to, from, to)
CHANGE(link, (const char *from, const char *to), (from, to), from, to)
CHANGE(linkat, (int from_at, const char *from, int to_at, const char *to, int flags), (from_at, from, to_at, to, flags), from, to)
CHANGE(symlink, (const char *target, const char *path), (target, path), target, path)
CHANGE(symlinkat, (const char *target, int at, const char *path), (target, at, path), target, path)
CHANGE(mkdir, (const char *path, mode_t mode), (path, mode), path)
CHANGE(mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), path)
CHANGE(rmdir, (const char *path), (path), path)
CHANGE(mkfifo, (const char *path, mode_t mode), (path, mode), path)
CHANGE(mkfifoat, (int at, const char *path, mode_t mode), (at, path, mode), path)
CHANGE(truncate, (const char *path, off_t size), (path, size), path)
CHANGE(chmod, (const char *path, mode_t mode), (path, mode), path)
CHANGE(fchmod, (int fd, mode_t mode), (fd, mode))
CHANGE(fchmodat, (int at, const char *path, mode_t mode, int flags), (at, path, mode, flags), path)
CHANGE(chown, (const char *path, uid_t owner, gid_t group), (path, owner, group), path)
CHANGE(lchown, (const char *path, uid_t owner, gid_t group), (path, owner, group), path)
CHANGE(fchown, (int fd, uid_t owner, gid_t group), (fd, owner, group))
CHANGE(fchownat, (int at, const char *path, uid_t owner, gid_t group, int flags), (at, path, owner, group, flags), path)
CHANGE(utimensat, (int at, const char *path, const struct timespec times[2], int flags), (at, path, times, flags), path)
CHANGE(futimens, (int fd, const struct timespec times[2]), (fd, times))
CHANGE(utimes, (const char *path, const struct timeval times[2]), (path, times), path)
CHANGE(mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device), path)
CHANGE(mknodat, (int at, const char *path, mode_t mode, dev_t device), (at, path, mode, device), path)
CHANGE(truncate64, (const char *path, off_t size), (path, size), path)
LOOK(access, (const char *path, int mode), (path, mode))
LOOK(faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags))
STAT(stat, (const char *path, struct stat *info), (path, info))
STAT(stat64, (const char *path, struct stat64 *info), (path, info))
STAT(lstat, (const char *path, struct stat *info), (path, info))
STAT(lstat64, (const char *path, struct stat64 *info), (path, info))
STAT(fstatat, (int at, const char *path, struct stat *info, int flags), (at, path, info, flags))
STAT(fstatat64, (int at, const char *path, struct stat64 *info, int flags), (at, path, info, flags))
STAT(__xstat, (int version, const char *path, struct stat *info), (version, path, info))
STAT(__xstat64, (int version, const char *path, struct stat64 *info), (version, path, info))
STAT(__lxstat, (int version, const char *path, struct stat *info), (version, path, info))
STAT(__lxstat64, (int version, const char *path, struct stat64 *info), (version, path, info))
/* clang-format on */

/* ---- generated names: the same in every execution, unless they exist already ---- */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define ATTEMPTS 10000

/* Returns the six letters of the pattern, or NULL. */
static char *
place_of(char *pattern, int suffix)
{
	size_t length = sl_strlen(pattern);
	char *at;

	if (suffix < 0 || length < (size_t)suffix + 6)
		return NULL;
	at = pattern + length - (size_t)suffix - 6;
	for (int i = 0; i < 6; i++)
		if (at[i] != 'X')
			return NULL;
	return at;
}

static void
make_up(char *at)
{
	unsigned char numbers[6];

	sl_random_fill(numbers, sizeof(numbers));
	for (int i = 0; i < 6; i++)
		at[i] = LETTERS[numbers[i] % (sizeof(LETTERS) - 1)];
}

static int
make_file(char *pattern, int suffix, int flags, uint64_t pc)
{
	char *at = place_of(pattern, suffix);
	int fd = -1;

	if (!at)
		return (int)sl_io_return(-EINVAL);
	for (int i = 0; i < ATTEMPTS && fd < 0 && (!i || errno == EEXIST); i++) {
		make_up(at);
		fd = sl_open(pattern, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600, pc);
	}
	return fd;
}

#define TEMPORARY(name, parameters, arguments, suffix, flags)                                                     \
	SL_EXPORT int name##64 parameters;                                                                        \
	SL_DEFINE(int, name, parameters, arguments)                                                               \
	{                                                                                                         \
		return make_file(pattern, suffix, flags, pc);                                                     \
	}                                                                                                         \
	int name##64 parameters                                                                                   \
	{                                                                                                         \
		return E.control ? make_file(pattern, suffix, flags, SL_PC) : SL_CALL(name) arguments;            \
	}

TEMPORARY(mkstemp, (char *pattern), (pattern), 0, 0)
TEMPORARY(mkostemp, (char *pattern, int flags), (pattern, flags), 0, flags)
TEMPORARY(mkstemps, (char *pattern, int suffix), (pattern, suffix), suffix, 0)
TEMPORARY(mkostemps, (char *pattern, int suffix, int flags), (pattern, suffix, flags), suffix, flags)

SL_DEFINE(char *, mkdtemp, (char *pattern), (pattern))
{
	char *at = place_of(pattern, 0);
	int result = -1;

	if (!at) {
		errno = EINVAL;
		return NULL;
	}
	for (int i = 0; i < ATTEMPTS && result < 0 && (!i || errno == EEXIST); i++) {
		make_up(at);
		result = sl_at_mkdir(pattern, 0700, pc);
	}
	return result < 0 ? NULL : pattern;
}
