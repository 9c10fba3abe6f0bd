#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
judge(const struct stat *info, const char *path, struct sl_err *err)
{
	if (info->st_uid != geteuid() && info->st_uid != 0)
		return sl_err_set(err, "%s belongs to another user (%ld)", path, (long)info->st_uid);
	if ((S_ISREG(info->st_mode) || S_ISDIR(info->st_mode)) && info->st_mode & S_IWOTH &&
	    !(info->st_mode & S_ISVTX))
		return sl_err_set(err, "every user may write %s (chmod o-w)", path);
	return 0;
}

int
sl_trust_file(int fd, const char *path, struct sl_err *err)
{
	struct stat info;

	if (fstat(fd, &info) < 0)
		return sl_err_set(err, "cannot access %s: %s", path, strerror(errno));
	return judge(&info, path, err);
}

int
sl_trust_path(const char *path, struct sl_err *err)
{
	struct stat info;

	if (stat(path, &info) < 0)
		return sl_err_set(err, "cannot access %s: %s", path, strerror(errno));
	return judge(&info, path, err);
}

int
sl_trust_folder(const char *path, struct sl_err *err)
{
	struct stat info;

	if (lstat(path, &info) < 0)
		return sl_err_set(err, "cannot access %s: %s", path, strerror(errno));
	if (!S_ISDIR(info.st_mode))
		return sl_err_set(err, "%s is not a folder, but a link or something else", path);
	return judge(&info, path, err);
}

int
sl_trust_plain(const char *path, struct sl_err *err)
{
	struct stat info;

	if (lstat(path, &info) < 0)
		return sl_err_set(err, "cannot access %s: %s", path, strerror(errno));
	if (!S_ISREG(info.st_mode))
		return sl_err_set(err, "%s is not a file, but a link or something else", path);
	return judge(&info, path, err);
}

int
sl_trust_output(const char *path, struct sl_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	struct stat info;

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno != EEXIST)
		return sl_err_set(err, "cannot write %s: %s", path, strerror(errno));
	if (lstat(path, &info) < 0)
		return sl_err_set(err, "cannot access %s: %s", path, strerror(errno));
	if (S_ISREG(info.st_mode) && info.st_uid == geteuid() && info.st_nlink == 1)
		return 0;
	return sl_err_set(err, "%s exists already, and is not a plain file of yours", path);
}
