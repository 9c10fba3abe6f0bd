#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/version/build_key.h"

#include "base/room.h"
#include "cli/cc/compiler.h"
#include "cli/cc/library.h"
#include "version/shelf.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT 1 /* to be increased when versions are checked out in another way */

extern char **environ;

static void
print_file(FILE *to, const char *path)
{
	struct stat info;

	if (stat(path, &info) == 0)
		fprintf(to, "%s %lld %lld.%09ld\n", path, (long long)info.st_size, (long long)info.st_mtim.tv_sec,
			info.st_mtim.tv_nsec);
}

/* The words of the compiler's command, and the program that it starts. */
static void
print_compiler(FILE *to, bool cxx)
{
	static struct sl_args both[2]; /* its words are never freed */
	struct sl_args words = both[cxx];
	const char *path = getenv("PATH");

	if (!words.count) {
		sl_compiler_choose(&both[cxx], cxx);
		words = both[cxx];
	}
	for (size_t i = 0; i < words.count; i++)
		fprintf(to, "%s%c", words.items[i], i + 1 < words.count ? ' ' : '\n');
	/* with `ccache gcc` both programs count */
	for (size_t i = 0; i < words.count && words.items[i][0] != '-'; i++) {
		const char *at = strchr(words.items[i], '/') ? "" : path ? path : "/bin:/usr/bin";

		for (;; at++) {
			size_t length = strcspn(at, ":");
			char *file = sl_line_new("%.*s%s%s", (int)length, at, length ? "/" : "", words.items[i]);
			bool found = access(file, X_OK) == 0;

			if (found)
				print_file(to, file);
			free(file);
			at += length;
			if (found || !*at)
				break;
		}
	}
}

/* The variables that make, configure, the compilers and Sleave read. */
static void
print_flags(FILE *to)
{
	static const char *const names[] = {"CFLAGS",
					    "CXXFLAGS",
					    "CPPFLAGS",
					    "LDFLAGS",
					    "LDLIBS",
					    "LIBS",
					    "LIBRARY_PATH",
					    "CPATH",
					    "C_INCLUDE_PATH",
					    "CPLUS_INCLUDE_PATH",
					    "MAKEFLAGS",
					    "PKG_CONFIG_PATH",
					    "PKG_CONFIG_LIBDIR",
					    "GCC_EXEC_PREFIX"};
	struct sl_line_list own = {0};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		/* the job server of a make that has started this process differs each time */
		if (value && !(strcmp(names[i], "MAKEFLAGS") == 0 && strstr(value, "--jobserver")))
			fprintf(to, "%s=%s\n", names[i], value);
	}
	for (char **each = environ; *each; each++)
		if (strncmp(*each, "SLEAVE_", 7) == 0)
			sl_line_add(&own, "%s", *each);
	sl_line_sort(&own);
	for (size_t i = 0; i < own.count; i++)
		fprintf(to, "%s\n", own.items[i]);
	sl_line_release(&own);
}

static void
print_plugins(FILE *to, const char *folder)
{
	char *path = sl_line_new("%s/src/plugin", folder), *installed = sl_line_new("%s/sleave-plugins", folder);
	const char *const places[] = {path, installed};
	struct sl_line_list files = {0};

	for (size_t i = 0; i < 2; i++) {
		DIR *dir = opendir(places[i]);
		struct dirent *each;

		while (dir && (each = readdir(dir)))
			if (strstr(each->d_name, ".so"))
				sl_line_add(&files, "%s/%s", places[i], each->d_name);
		if (dir)
			closedir(dir);
	}
	sl_line_sort(&files);
	for (size_t i = 0; i < files.count; i++)
		print_file(to, files.items[i]);
	sl_line_release(&files);
	free(installed);
	free(path);
}

int
sl_toolchain_find(struct sl_toolchain *toolchain, const char *sleave, struct sl_err *err)
{
	char *self = realpath(sleave ? sleave : "/proc/self/exe", NULL), *folder, library[PATH_MAX];
	size_t size;
	FILE *to;

	*toolchain = (struct sl_toolchain){0};
	if (!self)
		return sl_err_set(err, "cannot find the command sleave itself");
	if (strpbrk(self, " \t'\"\\$")) {
		sl_err_set(
			err,
			"the command sleave is in %s: no build system takes a compiler from a folder with blanks or "
			"quotes in its name",
			self);
		free(self);
		return -1;
	}
	toolchain->cc = sl_line_new("%s cc", self);
	toolchain->cxx = sl_line_new("%s c++", self);
	folder = sl_line_new("%.*s", (int)(strrchr(self, '/') - self), self);
	to = sl_must(open_memstream(&toolchain->text, &size));
	print_file(to, self);
	if (sl_library_find(library, sizeof(library), err) == 0)
		snprintf(library + strlen(library), sizeof(library) - strlen(library), "/" SL_LIBRARY);
	else /* a test program is in another folder */
		snprintf(library, sizeof(library), "%s/" SL_LIBRARY, folder);
	print_file(to, library);
	*strrchr(library, '/') = '\0';
	print_plugins(to, library);
	print_compiler(to, false);
	print_compiler(to, true);
	print_flags(to);
	fclose(to);
	free(folder);
	free(self);
	return 0;
}

void
sl_toolchain_release(struct sl_toolchain *toolchain)
{
	free(toolchain->cc);
	free(toolchain->cxx);
	free(toolchain->text);
	*toolchain = (struct sl_toolchain){0};
}

void
sl_build_key(const struct sl_toolchain *toolchain, const struct sl_version *version,
	     const struct sl_build_command *command, char *key)
{
	char *text = sl_line_new("version %d\nfiles %s\nfolder %s\ncommand %s\n%s", FORMAT, version->id,
				 command->folder, command->text, toolchain->text);

	sl_shelf_key(text, key);
	free(text);
}

char **
sl_build_environment(const struct sl_toolchain *toolchain, const char *place, const char *folder)
{
	/* git sets its variables while a hook runs; they would lead to the user's checkout */
	static const char *const left[] = {"CC",
					   "CXX",
					   "MAKEFLAGS",
					   "MFLAGS",
					   "MAKELEVEL",
					   "PWD",
					   "OLDPWD",
					   "LC_ALL",
					   "LC_MESSAGES",
					   "LANGUAGE",
					   "GIT_CEILING_DIRECTORIES",
					   "GIT_DIR",
					   "GIT_WORK_TREE",
					   "GIT_PREFIX",
					   "GIT_INDEX_FILE",
					   "GIT_COMMON_DIR",
					   "GIT_OBJECT_DIRECTORY",
					   "GIT_NAMESPACE"};
	const char *language = getenv("LC_ALL");
	char *flags = sl_make_flags(getenv("MAKEFLAGS"), toolchain->cc, toolchain->cxx);
	struct sl_line_list all = {0};
	size_t bytes = 0;
	char **result, *at;

	for (char **each = environ; *each; each++) {
		bool kept = true;

		if (language && *language &&
		    (strncmp(*each, "LANG=", 5) == 0 || strncmp(*each, "LC_CTYPE=", 9) == 0))
			continue;
		for (size_t i = 0; i < sizeof(left) / sizeof(*left) && kept; i++)
			kept = strncmp(*each, left[i], strlen(left[i])) != 0 || (*each)[strlen(left[i])] != '=';
		if (kept)
			sl_line_add(&all, "%s", *each);
	}
	sl_line_add(&all, "CC=%s", toolchain->cc);
	sl_line_add(&all, "CXX=%s", toolchain->cxx);
	sl_line_add(&all, "MAKEFLAGS=%s", flags);
	sl_line_add(&all, "PWD=%s", folder);
	sl_line_add(&all, "GIT_CEILING_DIRECTORIES=%s", place);
	/* errors are found by their English words; all else stays in the user's language */
	if (language && *language) {
		sl_line_add(&all, "LANG=%s", language);
		sl_line_add(&all, "LC_CTYPE=%s", language);
	}
	sl_line_add(&all, "LC_MESSAGES=C");
	for (size_t i = 0; i < all.count; i++)
		bytes += strlen(all.items[i]) + 1;
	/* one block: the array, then the texts */
	result = sl_room_zeroed((all.count + 1) * sizeof(*result) + bytes, 1);
	at = (char *)(result + all.count + 1);
	for (size_t i = 0; i < all.count; i++) {
		result[i] = at;
		at = stpcpy(at, all.items[i]) + 1;
	}
	sl_line_release(&all);
	free(flags);
	return result;
}
