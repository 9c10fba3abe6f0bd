/*
 * Which compiler `sleave cc` calls, and of which family it is.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/compiler.h"

#include <fcntl.h>
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

/* Lets the compiler preprocess two of its own macros: the one way that no name or version text can fool. */
static enum sl_family
family_probe(const struct sl_args *compiler)
{
	static const char question[] = "__clang__ __GNUC__\n";
	struct sl_args line = {0};
	int in[2], out[2];
	char answer[256];
	size_t length = 0;
	ssize_t count;
	int clang, gnu;
	pid_t child;

	for (size_t i = 0; i < compiler->count; i++)
		sl_args_add(&line, compiler->items[i]);
	sl_args_add_each(&line, "-E", "-P", "-x", "c", "-", NULL);

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return SL_FAMILY_OTHER;
	if (write(in[1], question, strlen(question)) < 0)
		return SL_FAMILY_OTHER;
	close(in[1]);
	child = fork();
	if (child == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
		execvp(line.items[0], line.items);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	while (child > 0 && (count = read(out[0], answer + length, sizeof(answer) - 1 - length)) > 0)
		length += (size_t)count;
	close(out[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	answer[length] = 0;

	/* An undefined macro comes back as its name, a defined one as a number. */
	if (sscanf(answer, "%d %d", &clang, &gnu) == 2)
		return SL_FAMILY_CLANG;
	if (sscanf(answer, " __clang__ %d", &gnu) == 1)
		return SL_FAMILY_GCC;
	return SL_FAMILY_OTHER;
}

enum sl_family
sl_compiler_family(const struct sl_args *compiler)
{
	/* The usual names are believed, which saves a start of the compiler for each file. */
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
