#include "base/own_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nothing depends on it, so it may fail. */
static void
ignore(const char *path)
{
	static const char all[] = "*\n";
	char file[PATH_MAX];
	int fd;

	snprintf(file, sizeof(file), "%s/.gitignore", path);
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	if (write(fd, all, sizeof(all) - 1) < 0)
		unlink(file);
	close(fd);
}

int
sl_own_folder_make(const char *path)
{
	if (mkdir(path, 0775) < 0)
		return -1;
	ignore(path);
	return 0;
}

static bool
has_more(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	bool more = false;

	while (folder && !more && (entry = readdir(folder)))
		more = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		       strcmp(entry->d_name, ".gitignore") != 0;
	if (folder)
		closedir(folder);
	return more;
}

void
sl_own_folder_remove(const char *path)
{
	char file[PATH_MAX];

	if (has_more(path))
		return;
	snprintf(file, sizeof(file), "%s/.gitignore", path);
	unlink(file);
	if (rmdir(path) < 0 && errno != ENOENT) /* another process has begun to use it */
		ignore(path);
}
