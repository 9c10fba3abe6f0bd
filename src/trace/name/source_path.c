#include "trace/name/source_path.h"

#include "base/room.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *
sl_path_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *
sl_path_with_folder(const char *path)
{
	const char *file = sl_path_file(path);

	if (file <= path + 1)
		return file;
	for (file--; file > path && file[-1] != '/'; file--)
		;
	return file;
}

const char *
sl_path_in_version(const char *path)
{
	static const char aside[] = "/.sleave/versions/", tree[] = "/tree/";
	const char *at = strstr(path, aside);

	at = at ? strchr(at + strlen(aside), '/') : NULL;
	return at && strncmp(at, tree, strlen(tree)) == 0 ? at + strlen(tree) : NULL;
}

void
sl_path_tidy(char *path)
{
	char *to = path;

	for (const char *from = path; *from;) {
		size_t n = strcspn(from + 1, "/") + 1;

		if (n == 1 || (n == 2 && from[1] == '.')) {
			/* nothing to keep */
		} else if (n == 3 && from[1] == '.' && from[2] == '.') {
			while (to > path && *--to != '/')
				;
		} else {
			memmove(to, from, n);
			to += n;
		}
		from += n;
	}
	*to = '\0';
}

/* NULL: it is not near. */
static char *
relative(const char *path, const char *directory)
{
	char *from = strdup(directory ? directory : ""), *text = NULL;
	size_t same = 0, shared = 0, ups = 0;

	if (!from)
		abort();
	sl_path_tidy(from);
	for (size_t i = 1; from[i - 1] && path[i - 1] == from[i - 1]; i++)
		if (path[i] == '/' && (!from[i] || from[i] == '/')) {
			same = i;
			shared++;
		}
	bool below = from[0] && same == strlen(from);

	for (const char *up = from + same; *up; up++)
		ups += *up == '/';
	if (below || shared >= 2) {
		text = sl_must(malloc(3 * ups + strlen(path + same) + 1));
		text[0] = '\0';
		for (size_t i = 0; i < ups; i++)
			memcpy(text + 3 * i, "../", 4);
		strcpy(text + 3 * ups, path + same + 1);
	}
	free(from);
	return text;
}

static char *
copy(const char *path)
{
	char *text = sl_must(strdup(path));

	return text;
}

char *
sl_path_from(const char *path, const char *directory)
{
	char *text = relative(path, directory);

	return text ? text : copy(sl_path_with_folder(path));
}

char *
sl_path_apart(const char *path, const char *directory)
{
	char *text = relative(path, directory);

	return text ? text : copy(path);
}
