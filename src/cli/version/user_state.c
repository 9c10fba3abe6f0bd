#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/version/user_state.h"

#include "base/room.h"
#include "base/trust.h"
#include "version/line_list.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND_MOST 65536

/* Makes the folder and its parents. */
static int
make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
		int result;

		if (slash)
			*slash = '\0';
		result = mkdir(path, 0700) < 0 && errno != EEXIST && errno != EROFS ? -1 : 0;
		if (slash)
			*slash = '/';
		if (result < 0 || !slash)
			return result;
	}
}

static char *
folder_of(const char *below, struct sl_err *err)
{
	const char *given = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct passwd *user;
	char *folder, *path;

	if (given && *given == '/') {
		folder = sl_line_new("%s/sleave", given);
	} else {
		if ((!home || *home != '/') && (user = getpwuid(geteuid())))
			home = user->pw_dir;
		if (!home || *home != '/') {
			sl_err_set(err, "there is no home folder ($HOME), so nothing is remembered");
			return NULL;
		}
		folder = sl_line_new("%s/.local/state/sleave", home);
	}
	path = sl_line_new("%s%s", folder, below);
	if (make_folders(path) < 0)
		sl_err_set(err, "cannot make the folder %s: %s", path, strerror(errno));
	else if (sl_trust_folder(folder, err) == 0 && sl_trust_folder(path, err) == 0) {
		free(folder);
		return path;
	}
	free(folder);
	free(path);
	return NULL;
}

/* The file appears complete, or not at all. */
static int
write_file(const char *path, const void *bytes, size_t size, bool replace, struct sl_err *err)
{
	char *new = sl_line_new("%s.%ld", path, (long)getpid());
	int fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), result = 0;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || fsync(fd) < 0 ||
	    (replace ? rename(new, path) : link(new, path) < 0 && errno != EEXIST))
		result = sl_err_set(err, "cannot write %s: %s", path, strerror(errno));
	if (fd >= 0) {
		close(fd);
		unlink(new);
	}
	free(new);
	return result;
}

int
sl_user_secret(unsigned char secret[SL_SECRET_BYTES], struct sl_err *err)
{
	char *folder = folder_of("", err), *path;
	int fd = -1, result = -1;

	if (!folder)
		return -1;
	path = sl_line_new("%s/secret", folder);
	for (unsigned attempt = 0; attempt < 2 && fd < 0; attempt++) {
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 || attempt)
			break;
		if (getrandom(secret, SL_SECRET_BYTES, 0) != SL_SECRET_BYTES ||
		    write_file(path, secret, SL_SECRET_BYTES, false, err) < 0)
			goto out;
	}
	if (fd < 0)
		sl_err_set(err, "cannot read %s: %s", path, strerror(errno));
	else if (sl_trust_file(fd, path, err) == 0)
		result = read(fd, secret, SL_SECRET_BYTES) == SL_SECRET_BYTES
				 ? 0
				 : sl_err_set(err, "%s is damaged: remove it", path);
out:
	if (fd >= 0)
		close(fd);
	free(path);
	free(folder);
	return result;
}

/* ---- the build command ---- */

static char *
command_path(const char *home, const char *subfolder, struct sl_err *err)
{
	char *folder = folder_of("/builds", err), *what, *path, key[SL_SHELF_KEY];

	if (!folder)
		return NULL;
	what = sl_line_new("%s\n%s", home, subfolder);
	sl_shelf_key(what, key);
	path = sl_line_new("%s/%s", folder, key);
	free(what);
	free(folder);
	return path;
}

/* The text begins with what it is for; the command follows. */
static char *
head_of(const char *home, const char *subfolder)
{
	return sl_line_new("checkout %s\nfolder %s\n", home, subfolder);
}

int
sl_user_command_read(const char *home, const char *subfolder, char **command, struct sl_err *err)
{
	char *path = command_path(home, subfolder, err), *head, *text;
	int fd, result = -1;
	ssize_t size;

	*command = NULL;
	if (!path)
		return -1;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		result = errno == ENOENT ? 0 : sl_err_set(err, "cannot read %s: %s", path, strerror(errno));
	} else if (sl_trust_file(fd, path, err) == 0) {
		head = head_of(home, subfolder);
		text = sl_room_zeroed(COMMAND_MOST + 1, 1);
		size = read(fd, text, COMMAND_MOST);
		if (size > 0 && strncmp(text, head, strlen(head)) == 0 && text[strlen(head)])
			*command = sl_line_new("%s", text + strlen(head));
		free(text);
		free(head);
		result = 0;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

int
sl_user_command_write(const char *home, const char *subfolder, const char *command, struct sl_err *err)
{
	char *path = command_path(home, subfolder, err), *head, *text;
	int result;

	if (!path)
		return -1;
	head = head_of(home, subfolder);
	text = sl_line_new("%s%s", head, command);
	if (strlen(text) >= COMMAND_MOST)
		result = sl_err_set(err, "the build command is too long to be remembered");
	else
		result = write_file(path, text, strlen(text), true, err);
	free(text);
	free(head);
	free(path);
	return result;
}
