/*
 * Which compiler `sleave cc` calls, and of which family it is.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/cc/compiler.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* clang -> clang++, gcc-12 -> g++-12, x86_64-linux-gnu-gcc -> …-g++; NULL if the name is none of these. */
static char *
cxx_of(const char *cc)
{
	const char *base = strrchr(cc, '/') ? strrchr(cc, '/') + 1 : cc;
	const char *at;

	if (strstr(base, "clang++") || strstr(base, "g++"))
		return sl_args_must(strdup(cc));
	if ((at = strstr(base, "clang")))
		return sl_args_text("%.*sclang++%s", (int)(at - cc), cc, at + 5);
	if ((at = strstr(base, "gcc")))
		return sl_args_text("%.*sg++%s", (int)(at - cc), cc, at + 3);
	return NULL;
}

const char *
sl_compiler_choose(struct sl_args *compiler, bool cxx)
{
	const char *cc = getenv("SLEAVE_CC"), *own = getenv(cxx ? "SLEAVE_CXX" : "SLEAVE_CC");

	if (own)
		sl_args_parse(compiler, own, strlen(own));
	if (compiler->count)
		return cxx ? "SLEAVE_CXX" : "SLEAVE_CC";
	if (cxx && cc) {
		sl_args_parse(compiler, cc, strlen(cc));
		for (size_t i = 0; i < compiler->count && compiler->items[i][0] != '-'; i++) {
			char *name = cxx_of(compiler->items[i]);

			if (name) {
				compiler->items[i] = name;
				return "SLEAVE_CC";
			}
		}
		compiler->count = 0;
	}
	sl_args_add(compiler, cxx ? "g++" : "gcc");
	return cxx ? "SLEAVE_CXX" : "SLEAVE_CC";
}

/*
 * Stores what the compiler prints to the channel (1 or 2) when it is called with these arguments and this input;
 * empty if it cannot be run.
 */
static void
ask(const struct sl_args *compiler, const struct sl_args *more, const char *input, int channel, char *answer,
    size_t room)
{
	struct sl_args line = {0};
	int in[2], out[2];
	size_t length = 0;
	ssize_t count;
	pid_t child;

	for (size_t i = 0; i < compiler->count; i++)
		sl_args_add(&line, compiler->items[i]);
	for (size_t i = 0; i < more->count; i++)
		sl_args_add(&line, more->items[i]);
	*answer = 0;
	if (!line.items || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return;
	if (write(in[1], input, strlen(input)) < 0)
		return;
	close(in[1]);
	child = fork();
	if (child == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO + STDERR_FILENO - channel);
		dup2(out[1], channel);
		execvp(line.items[0], line.items);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	while (child > 0 && (count = read(out[0], answer + length, room - 1 - length)) > 0)
		length += (size_t)count;
	close(out[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	answer[length] = 0;
	free(line.items);
}

/* Lets the compiler preprocess two of its own macros: names and version texts may mislead. */
static enum sl_family
family_probe(const struct sl_args *compiler)
{
	struct sl_args arguments = {0};
	char answer[256];
	int clang, gnu;

	sl_args_add_each(&arguments, "-E", "-P", "-x", "c", "-", NULL);
	ask(compiler, &arguments, "__clang__ __GNUC__\n", STDOUT_FILENO, answer, sizeof(answer));
	/* The output has an undefined macro as its name, a defined one as a number. */
	if (sscanf(answer, "%d %d", &clang, &gnu) == 2)
		return SL_FAMILY_CLANG;
	if (sscanf(answer, " __clang__ %d", &gnu) == 1)
		return SL_FAMILY_GCC;
	return SL_FAMILY_OTHER;
}

enum sl_family
sl_compiler_family(const struct sl_args *compiler)
{
	/* The usual names are trusted, which saves one call of the compiler for each file. */
	for (size_t i = 0; i < compiler->count && compiler->items[i][0] != '-'; i++) {
		const char *name = strrchr(compiler->items[i], '/') ? strrchr(compiler->items[i], '/') + 1
								    : compiler->items[i];

		if (strstr(name, "clang-cl"))
			return SL_FAMILY_OTHER;
		if (strstr(name, "clang"))
			return SL_FAMILY_CLANG;
		if (strstr(name, "gcc") || strstr(name, "g++"))
			return SL_FAMILY_GCC;
	}
	return family_probe(compiler);
}

/* This takes about a millisecond: the driver answers without starting a stage. */
static bool
gcc_plugin(const struct sl_args *compiler, char *name, size_t room)
{
	struct sl_args arguments = {0};
	char version[64];

	sl_args_add(&arguments, "-dumpfullversion");
	ask(compiler, &arguments, "", STDOUT_FILENO, version, sizeof(version));
	version[strcspn(version, "\n")] = 0;
	if (!version[0] || version[strspn(version, "0123456789.")])
		return false;
	snprintf(name, room, "gcc-%s.so", version);
	return true;
}

/* Returns the number in libLLVM-14.so.1 or libLLVM.so.19.1 that this program needs; 0: none. */
static unsigned
llvm_of(const char *program)
{
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	unsigned number = 0;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Dyn entry;

	elf_version(EV_CURRENT);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);

	while (elf && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;

		Elf_Data *data = elf_getdata(section, NULL);

		for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
			const char *name = entry.d_tag == DT_NEEDED
						   ? elf_strptr(elf, header.sh_link, entry.d_un.d_val)
						   : NULL;

			if (name && strncmp(name, "libLLVM", 7) == 0)
				number = (unsigned)atoi(name + strcspn(name, "0123456789"));
		}
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return number;
}

/* Finds a program as execvp() does; the result is empty if there is none. */
static void
program_find(const char *name, char *found, size_t room)
{
	const char *path = strchr(name, '/') ? "" : getenv("PATH");
	size_t length;

	for (path = path ? path : "/bin:/usr/bin"; path; path = path[length] ? path + length + 1 : NULL) {
		length = strcspn(path, ":");
		int written = snprintf(found, room, "%.*s%s%s", (int)length, path, length ? "/" : "", name);

		if (written > 0 && (size_t)written < room && access(found, X_OK) == 0)
			return;
	}
	*found = 0;
}

/*
 * The plugin works only with a clang that links the same libLLVM. Asking clang for its version takes longer than
 * some files take to compile, so the program file is examined instead; if that is something else (ccache, a
 * script), clang is asked which program it would run.
 */
static bool
clang_plugin(const struct sl_args *compiler, char *name, size_t room)
{
	char path[PATH_MAX] = "", answer[8192], *save;
	struct sl_args arguments = {0};
	unsigned number;

	for (size_t i = 0; i < compiler->count && compiler->items[i][0] != '-'; i++)
		if (strstr(compiler->items[i], "clang"))
			program_find(compiler->items[i], path, sizeof(path));
	number = path[0] ? llvm_of(path) : 0;
	if (!number) {
		sl_args_add_each(&arguments, "-###", "-E", "-x", "c", "/dev/null", NULL);
		ask(compiler, &arguments, "", STDERR_FILENO, answer, sizeof(answer));
		/* "/usr/lib/llvm-14/bin/clang" "-cc1" … */
		for (char *line = strtok_r(answer, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
			if (sscanf(line, " \"%4095[^\"]\" \"-cc1\"", path) == 1)
				number = llvm_of(path);
	}
	snprintf(name, room, "clang-%u.so", number);
	return number != 0;
}

bool
sl_compiler_plugin(const struct sl_args *compiler, enum sl_family family, const char *folder, char *path,
		   size_t room)
{
	char name[128];

	if (access(folder, R_OK | X_OK) != 0) /* no plugin was installed */
		return false;
	if (family == SL_FAMILY_GCC ? !gcc_plugin(compiler, name, sizeof(name))
				    : family != SL_FAMILY_CLANG || !clang_plugin(compiler, name, sizeof(name)))
		return false;
	return (size_t)snprintf(path, room, "%s/%s", folder, name) < room && access(path, R_OK) == 0;
}
