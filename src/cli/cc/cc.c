/*
 * `sleave cc` calls the compiler's own driver once, with a few more options. The driver decides whether it
 * preprocesses, compiles, links or only prints something, so this file guesses as little as possible.
 *
 * gcc: the options go into a specs file, which has options for each *stage*: cc1 gets -fsanitize=thread, the
 * linker gets libsleave, and the driver itself does not see the sanitizer's option and so does not link libtsan.
 * The file is a memfd: its content depends on the path of the library, no file is left behind, and lto-wrapper,
 * which calls the driver again, inherits it.
 *
 * clang: -Xclang passes -fsanitize=thread to the compiling stage only. (-fsanitize=thread with
 * -fno-sanitize-link-runtime would also do, but then -fsanitize=undefined would lose its runtime, too.) clang has
 * no way to add an option to links only, so `sleave cc` must find out whether this call links.
 *
 * For both compilers, the user's own -fsanitize=thread is removed, also from response files.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/cc/cc.h"

#include "cli/args.h"
#include "cli/cc/compiler.h"
#include "cli/cc/library.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SL_LIBDIR
#define SL_LIBDIR "/usr/local/lib"
#endif
#ifndef SL_INCLUDEDIR
#define SL_INCLUDEDIR "/usr/local/include"
#endif
#ifndef SL_TREE_INCLUDEDIR /* the header in the source tree, for a build folder elsewhere */
#define SL_TREE_INCLUDEDIR SL_INCLUDEDIR
#endif

#define BUILTINS "sleave-builtins.h" /* the header explains itself */
#define WRAPPERS "sleave-c++"        /* headers that replace libstdc++'s */
/* set for the compiler: if `sleave cc` finds it set, the "compiler" is sleave */
#define INSIDE_ENV "SLEAVE_CC_INSIDE"
#define MACROS_ENV "SLEAVE_CC_MACROS" /* read by the plugins, plugin/table.hh */

/*
 * Compilers expand memset, strcpy and the like into a few instructions, which no callback announces. As calls they
 * reach libsleave. These options do not affect explicit builtins: clang turns them into calls when it instruments,
 * and for gcc there is sleave-builtins.h. _FORTIFY_SOURCE, which uses many of them, is undefined.
 */
#define CALL(name) "-fno-builtin-" #name " "
/* clang-format off */
#define CALLS													\
	CALL(memcpy) CALL(memmove) CALL(memset) CALL(mempcpy) CALL(memcmp) CALL(memchr) CALL(memccpy)		\
	CALL(bcmp) CALL(bcopy) CALL(bzero) CALL(strlen) CALL(strnlen) CALL(strcpy) CALL(stpcpy)			\
	CALL(strncpy) CALL(stpncpy) CALL(strcat) CALL(strncat) CALL(strcmp) CALL(strncmp)			\
	CALL(strcasecmp) CALL(strncasecmp) CALL(strchr) CALL(strrchr) CALL(strstr) CALL(strspn)			\
	CALL(strcspn) CALL(strpbrk) CALL(strdup) CALL(strndup) CALL(index) CALL(rindex)				\
	CALL(sprintf) CALL(snprintf) CALL(vsprintf) CALL(vsnprintf)
/* clang-format on */

#define BRANCHES "--branches" /* not the default: code that only computes gets twice as slow */

enum { EXIT_WRONG_USAGE = 2, EXIT_UNABLE = 3 };

/* What the user's arguments ask for. */
struct wish {
	bool input;       /* there is something to compile or link */
	bool stops_early; /* before the link: -c, -S, -E, a header to be precompiled, … */
	bool relocatable;
	bool preprocesses; /* -E */
	bool bare_text;    /* -P, -undef, -traditional-cpp: with -E, the text is probably not C */
	bool debug;        /* the arguments have a -g option of their own */
	bool thread_named;
	bool thread_off; /* -fno-sanitize=thread: leave these files alone */
	bool branches;   /* --branches, an option of `sleave cc` */
	const char *refused, *reason;
	const char *static_by;
	const char *width; /* -m32, -mx32 */
};

struct place {
	char library[PATH_MAX]; /* folder of libsleave.so */
	char include[PATH_MAX]; /* folder of sleave.h */
	char plugins[PATH_MAX]; /* folder of the plugins that are built from src/plugin */
	/* the plugin for this compiler; empty: none, and `sleave run` reports what it does not see */
	char plugin[PATH_MAX];
};

static bool
starts(const char *word, const char *prefix)
{
	return strncmp(word, prefix, strlen(prefix)) == 0;
}

static bool
ends(const char *word, const char *suffix)
{
	return strlen(word) >= strlen(suffix) && strcmp(word + strlen(word) - strlen(suffix), suffix) == 0;
}

/* Returns whether the item is in a list like "thread,undefined". */
static bool
listed(const char *list, const char *item)
{
	size_t length = strlen(item);

	while (list) {
		if (starts(list, item) && (list[length] == ',' || !list[length]))
			return true;
		list = strchr(list, ',');
		list += list != NULL;
	}
	return false;
}

/* Options whose value is the next argument, which is therefore not an input file. */
static const char with_value[] =
	"-o,-x,-I,-L,-l,-D,-U,-A,-B,-F,-G,-T,-V,-b,-e,-h,-u,-z,-MF,-MT,-MQ,-MJ,-Xlinker,-Xassembler,"
	"-Xpreprocessor,-Xclang,-mllvm,-include,-imacros,-idirafter,-iprefix,-iquote,-isystem,-isysroot,"
	"-iwithprefix,-iwithprefixbefore,-imultilib,-include-pch,-ivfsoverlay,-aux-info,-dumpbase,-dumpbase-ext,"
	"-dumpdir,-wrapper,-target,-arch,-rpath,-working-directory,--param,--sysroot,--output,--config,"
	"--language,--include-directory,--define-macro,--library-directory";

/* Options that make the driver stop before it links. */
static const char early[] =
	"-c,-S,-E,-M,-MM,-fsyntax-only,--compile,--assemble,--preprocess,--dependencies,--user-dependencies,"
	"--precompile,--analyze,-emit-ast";

static const struct {
	const char *name, *reason;
} refused_sanitizers[] = {
	{"address", "it keeps its own shadow of the memory that Sleave saves and restores"},
	{"kernel-address", "it is for kernels"},
	{"hwaddress", "it keeps its own shadow of the memory that Sleave saves and restores"},
	{"kernel-hwaddress", "it is for kernels"},
	{"memory", "it keeps its own shadow of the memory that Sleave saves and restores"},
	{"leak", "it replaces the allocator and stops all threads by itself"},
	{"dataflow", "it keeps its own shadow of the memory that Sleave saves and restores"},
};

/* Evaluates -fsanitize= and -fno-sanitize= in the given order: a later one overrides an earlier one. */
static void
wish_sanitize(struct wish *wish, const char *list, bool on)
{
	if (on && listed(list, "thread")) {
		wish->thread_named = true;
		wish->thread_off = false;
	} else if (!on && (listed(list, "thread") || listed(list, "all"))) {
		wish->thread_off = true;
	}
	if (!on && (listed(list, "all") || (wish->refused && listed(list, wish->refused))))
		wish->refused = NULL;
	if (!on)
		return;
	for (size_t i = 0; i < sizeof(refused_sanitizers) / sizeof(*refused_sanitizers); i++)
		if (listed(list, refused_sanitizers[i].name)) {
			wish->refused = refused_sanitizers[i].name;
			wish->reason = refused_sanitizers[i].reason;
		}
}

static bool
relocates(const char *linker_options)
{
	return listed(linker_options, "-r") || listed(linker_options, "--relocatable");
}

static void
wish_parse(struct wish *wish, const struct sl_args *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->items[i];

		if (word[0] != '-' || !word[1] || (starts(word, "-l") && word[2])) {
			wish->input = true;
			wish->stops_early |= ends(word, ".h") || ends(word, ".hh") || ends(word, ".hpp");
		} else if (listed(with_value, word)) {
			const char *value = words->items[i + 1];

			if (!value)
				return;
			i++;
			wish->relocatable |= strcmp(word, "-Xlinker") == 0 && relocates(value);
			wish->input |= strcmp(word, "-l") == 0;
			wish->stops_early |= strcmp(word, "-x") == 0 && ends(value, "-header");
		} else if (listed(early, word)) {
			wish->stops_early = true;
			wish->preprocesses |= strcmp(word, "-E") == 0 || strcmp(word, "--preprocess") == 0;
		} else if (listed("-P,-undef,-traditional-cpp,--no-line-commands", word)) {
			wish->bare_text = true;
		} else if (strcmp(word, "-r") == 0 || (starts(word, "-Wl,") && relocates(word + 4))) {
			wish->relocatable = true;
		} else if (strcmp(word, "-static") == 0 || strcmp(word, "--static") == 0 ||
			   strcmp(word, "-static-pie") == 0) {
			wish->static_by = word;
		} else if (strcmp(word, "-m32") == 0 || strcmp(word, "-mx32") == 0) {
			wish->width = word;
		} else if (strcmp(word, "-m64") == 0) {
			wish->width = NULL;
		} else if (strcmp(word, BRANCHES) == 0) {
			wish->branches = true;
		} else if (starts(word, "-fsanitize=")) {
			wish_sanitize(wish, strchr(word, '=') + 1, true);
		} else if (starts(word, "-fno-sanitize=")) {
			wish_sanitize(wish, strchr(word, '=') + 1, false);
		} else if (starts(word, "-g") && !starts(word, "-gz")) {
			wish->debug = true;
		}
	}
}

/* Returns whether this call produces a program or a shared library. */
static bool
links(const struct wish *wish)
{
	return wish->input && !wish->stops_early && !wish->relocatable;
}

/*
 * Returns the same option without `thread`; NULL if nothing is left of it, or if it is an option of `sleave cc`.
 */
static const char *
without_thread(const char *word)
{
	if (strcmp(word, BRANCHES) == 0)
		return NULL;
	if (!starts(word, "-fsanitize=") || !listed(strchr(word, '=') + 1, "thread"))
		return word;

	char *copy = sl_args_must(strdup(strchr(word, '=') + 1));
	char *rest = NULL, *save = NULL;

	for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save))
		if (strcmp(item, "thread") != 0)
			rest = rest ? sl_args_text("%s,%s", rest, item) : sl_args_text("-fsanitize=%s", item);
	free(copy);
	return rest;
}

/*
 * Adds the user's argument. A response file is replaced by its content if that has `thread` or an option of
 * `sleave cc`.
 */
static int
add_without_thread(struct sl_args *args, const char *word, struct sl_err *err)
{
	struct sl_args inner = {0}, kept = {0};
	struct wish wish = {0};

	if (word[0] != '@') {
		if ((word = without_thread(word)))
			sl_args_add(args, word);
		return 0;
	}
	if (sl_args_expand(&inner, word, err))
		return -1;
	wish_parse(&wish, &inner);
	if (wish.thread_named || wish.branches) {
		for (size_t i = 0; i < inner.count; i++) {
			const char *rest = without_thread(inner.items[i]);

			if (rest)
				sl_args_add(&kept, rest);
		}
		word = sl_args_write(&kept);
	}
	sl_args_add(args, word);
	free(inner.items);
	free(kept.items);
	return 0;
}

/* Escapes % and blanks, which have a meaning in specs. */
static void
specs_quote(FILE *out, const char *path)
{
	for (; *path; path++) {
		if (*path == '%')
			fputc('%', out);
		else if (!isalnum((unsigned char)*path) && !strchr("/._-+", *path))
			fputc('\\', out);
		fputc(*path, out);
	}
}

/*
 * cpp_options applies if the compiler only preprocesses (-E, -save-temps), so that __SANITIZE_THREAD__ is defined
 * there, too. -Wtsan warns that fences are not supported; Sleave supports them.
 * The library precedes the user's libraries, because it has to be first in the order of symbol lookup. It is given
 * by its path, so that neither -Bstatic nor another -L can hide it.
 */
static char *
specs_make(const struct wish *wish, const struct place *place)
{
	char *data = NULL, *file;
	size_t size = 0;
	FILE *out = sl_args_must(open_memstream(&data, &size));

	/* -fno-ipa-reference: gcc assumes that the callbacks do not change a file's static variables, and would
	 * keep them in registers while other threads run. The next three options keep code that is written twice
	 * at two places. */
	if (!wish->thread_off) {
		fputs("*cpp_options:\n+ -fsanitize=thread\n\n"
		      "*cc1_options:\n+ -fsanitize=thread --param tsan-distinguish-volatile=1 -Wno-tsan "
		      "-fno-ipa-reference -fno-ipa-icf -fno-tree-tail-merge -fno-crossjumping " CALLS,
		      out);
		if (wish->branches)
			fputs("-fsanitize-coverage=trace-pc ", out);
		if (place->plugin[0]) {
			fputs("-fplugin=", out);
			specs_quote(out, place->plugin);
		}
		fputs(" \n\n", out); /* with the blank: the driver appends the next option directly */
	}
	if (!wish->relocatable) {
		/* -z now: symbols that were looked up lazily would be looked up again in every execution */
		fputs("*link:\n+ %{!r:-z now -rpath ", out);
		specs_quote(out, place->library);
		fputs(" --push-state --no-as-needed ", out);
		specs_quote(out, place->library);
		fputs("/" SL_LIBRARY, out);
		/*
		 * without --no-as-needed: the program defines the same functions, so the linker would drop the
		 * library
		 */
		fputs(" %{fopenmp|fopenacc:-lgomp} --pop-state}\n\n", out);
	}
	if (fclose(out))
		sl_args_must(NULL);
	file = sl_args_memory_file("sleave.specs", data, size);
	free(data);
	return sl_args_text("-specs=%s", file);
}

static void
options_gcc(struct sl_args *line, const struct wish *wish, const struct place *place)
{
	sl_args_add_each(line, specs_make(wish, place), "-idirafter", place->include, wish->debug ? NULL : "-g",
			 NULL);
	/* This header is included first, so that headers that the user includes in this way are compiled with it.
	 * Not if the output may be a linker script or the like, which must not have declarations. */
	if (!wish->thread_off)
		sl_args_add_each(line, "-isystem", sl_args_text("%s/" WRAPPERS, place->include), NULL);
	if (!wish->thread_off && !(wish->preprocesses && wish->bare_text))
		sl_args_add_each(line, "-include", sl_args_text("%s/" BUILTINS, place->include), NULL);
}

static void
options_clang(struct sl_args *line, const struct wish *wish, const struct place *place)
{
	/* Warnings about the user's own unused arguments stay on. */
	sl_args_add(line, "--start-no-unused-arguments");
	/* clang expects a library to describe its own classes, and without the library's debug information the members of a
	 * std::condition_variable would be unknown */
	sl_args_add_each(line, "-idirafter", place->include, "-fstandalone-debug", wish->debug ? NULL : "-g",
			 NULL);
	if (!wish->thread_off) {
		static char calls[] = CALLS;

		sl_args_add_each(line, "-isystem", sl_args_text("%s/" WRAPPERS, place->include), NULL);
		for (char *word = strtok(calls, " "); word; word = strtok(NULL, " "))
			sl_args_add(line, word);
		/* By default clang omits the callback of a read that is followed by a write to the same place
		 * (x++): no thread could be scheduled between them. */
		sl_args_add_each(line, "-Xclang", "-fsanitize=thread", "-Xclang", "-mllvm", "-Xclang",
				 "-tsan-distinguish-volatile=1", "-Xclang", "-mllvm", "-Xclang",
				 "-tsan-instrument-read-before-write=1", NULL);
		/* the driver's option would link a runtime */
		if (wish->branches)
			sl_args_add_each(line, "-Xclang", "-fsanitize-coverage-type=3", "-Xclang",
					 "-fsanitize-coverage-trace-pc", "-Xclang", "-fsanitize-coverage-no-prune", NULL);
		if (place->plugin[0])
			sl_args_add(line, sl_args_text("-fpass-plugin=%s", place->plugin));
	}
	if (links(wish)) {
		/* -Xlinker instead of -Wl, because a path may have commas. */
		sl_args_add_each(line, "-Xlinker", "-z", "-Xlinker", "now", NULL);
		sl_args_add_each(line, "-Xlinker", "-rpath", "-Xlinker", place->library, NULL);
		sl_args_add_each(line, "-Xlinker", "--push-state", "-Xlinker", "--no-as-needed", NULL);
		sl_args_add_each(line, "-Xlinker", sl_args_text("%s/" SL_LIBRARY, place->library), NULL);
		sl_args_add_each(line, "-Xlinker", "--pop-state", NULL);
	}
	sl_args_add(line, "--end-no-unused-arguments");
}

/* The header and the plugins are searched for where the library was found: in the tree, below the installed
 * prefix, wherever that was moved to, or in the folders that the build configured. */
static int
place_find(struct place *place, struct sl_err *err)
{
	char parent[PATH_MAX - 256]; /* leaves room for the file names below */
	char *end;

	if (sl_library_find(place->library, sizeof(place->library), err) < 0)
		return -1;
	snprintf(parent, sizeof(parent), "%.*s", (int)sizeof(parent) - 1, place->library);
	if (ends(parent, "/" SL_LIB)) {
		snprintf(place->plugins, sizeof(place->plugins), "%s/sleave-plugins", parent);
		parent[strlen(parent) - strlen("/" SL_LIB)] = 0;
		snprintf(place->include, sizeof(place->include), "%s/" SL_INCLUDE "/" BUILTINS, parent);
		if (access(place->include, R_OK) != 0)
			snprintf(place->include, sizeof(place->include), SL_INCLUDEDIR "/" BUILTINS);
	} else {
		snprintf(place->plugins, sizeof(place->plugins), "%s/src/plugin", parent);
		if ((end = strrchr(parent, '/')))
			*end = 0;
		snprintf(place->include, sizeof(place->include), "%s/include/" BUILTINS, parent);
		if (access(place->include, R_OK) != 0)
			snprintf(place->include, sizeof(place->include), SL_TREE_INCLUDEDIR "/" BUILTINS);
	}
	*strrchr(place->include, '/') = 0;
	return 0;
}

static void
help(FILE *out, bool cxx)
{
	const char *variable = cxx ? "SLEAVE_CXX" : "SLEAVE_CC", *command = cxx ? "c++" : "cc";

	fprintf(out,
		"usage: sleave %s [--branches] [any option of the compiler] FILE…\n"
		"\n"
		"Compiles and links as %s does, so that `sleave run` can control the program's threads:\n"
		"\n"
		"    sleave %s -o account account.%s\n"
		"    %s=\"sleave %s\" make\n"
		"\n"
		"--branches lets traces (`sleave record`) show which branches were taken; the program runs slower.\n"
		"%s names the compiler (gcc or clang, with options if needed); default: %s.\n",
		command, cxx ? "g++ or clang++" : "gcc or clang", command, cxx ? "cc" : "c", cxx ? "CXX" : "CC",
		command, variable, cxx ? "g++" : "gcc");
}

static int
wish_check(const struct wish *wish, struct sl_err *err)
{
	if (wish->refused)
		return sl_err_set(err, "-fsanitize=%s cannot be combined with Sleave: %s; build without it",
				  wish->refused, wish->reason);
	if (wish->width)
		return sl_err_set(err, "%s: Sleave controls 64-bit programs only; build without this option",
				  wish->width);
	if (wish->static_by && links(wish))
		return sl_err_set(
			err,
			"%s: Sleave cannot control a statically linked program, because its calls do not reach "
			"libsleave.so; leave %s out",
			wish->static_by, wish->static_by);
	return 0;
}

/*
 * Tells the plugin, which the compiler does not, which macros the options define: the table of sites has a hash of that. So
 * `sleave impact` knows when a change of these options may have changed code.
 */
static void
tell_macros(const struct sl_args *flat)
{
	uint64_t hash = 0xcbf29ce484222325;
	char text[24] = "";
	bool any = false;

	for (size_t i = 0; i < flat->count; i++) {
		const char *word = flat->items[i], *value = "";

		if (!starts(word, "-D") && !starts(word, "-U"))
			continue;
		any = true;
		if (!word[2] && i + 1 < flat->count)
			value = flat->items[++i];
		for (const char *c = word; *c; c++)
			hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
		for (const char *c = value; *c; c++)
			hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
		hash = (hash ^ '\n') * 0x100000001b3;
	}
	if (any)
		snprintf(text, sizeof(text), "%" PRIx64, hash);
	setenv(MACROS_ENV, text, 1);
}

/* Builds the compiler's command line; returns 0 or an exit status. */
static int
line_make(struct sl_args *line, const struct sl_args *compiler, const char *variable, char **argv,
	  struct sl_err *err)
{
	enum sl_family family;
	struct sl_args flat = {0};
	struct wish wish = {0};
	struct place place;
	size_t programs = 0;
	int result = 0;

	/* "ccache clang -m64": the options among these words count as the user's. */
	while (programs < compiler->count && compiler->items[programs][0] != '-')
		programs++;
	if (!programs) {
		sl_err_set(err, "%s has options but names no compiler: put gcc or clang first", variable);
		return EXIT_UNABLE;
	}
	for (size_t i = programs; i < compiler->count && !result; i++)
		result = sl_args_expand(&flat, compiler->items[i], err);
	for (char **arg = argv; *arg && !result; arg++)
		result = sl_args_expand(&flat, *arg, err);
	wish_parse(&wish, &flat);
	tell_macros(&flat);
	free(flat.items);
	if (result || wish_check(&wish, err))
		return EXIT_WRONG_USAGE;
	if (place_find(&place, err))
		return EXIT_UNABLE;

	for (size_t i = 0; i < programs; i++)
		sl_args_add(line, compiler->items[i]);
	family = sl_compiler_family(compiler);
	if (wish.thread_off || !wish.input ||
	    !sl_compiler_plugin(compiler, family, place.plugins, place.plugin, sizeof(place.plugin)))
		place.plugin[0] = 0;
	switch (family) {
	case SL_FAMILY_GCC:
		options_gcc(line, &wish, &place);
		break;
	case SL_FAMILY_CLANG:
		options_clang(line, &wish, &place);
		break;
	case SL_FAMILY_OTHER:
		sl_err_set(err, "%s cannot be run, or is neither gcc nor clang: set %s to one of them",
			   compiler->items[0], variable);
		return EXIT_UNABLE;
	}
	for (size_t i = programs; i < compiler->count && !result; i++)
		result = add_without_thread(line, compiler->items[i], err);
	for (char **arg = argv; *arg && !result; arg++)
		result = add_without_thread(line, *arg, err);
	if (!wish.thread_off && wish.input) { /* after the user's options */
		sl_args_add(line, family == SL_FAMILY_CLANG ? "--start-no-unused-arguments" : "-U_FORTIFY_SOURCE");
		if (family == SL_FAMILY_CLANG)
			sl_args_add_each(line, "-U_FORTIFY_SOURCE", "--end-no-unused-arguments", NULL);
	}
	return result ? EXIT_WRONG_USAGE : 0;
}

int
sl_command_cc(int argc, char **argv, bool cxx)
{
	static struct sl_args compiler, line; /* static: execvp() uses them last */
	struct sl_err err = {""};
	const char *command = cxx ? "c++" : "cc", *variable;
	int status;

	if (argc < 2) {
		help(stderr, cxx);
		return EXIT_WRONG_USAGE;
	}
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		help(stdout, cxx);
		return 0;
	}

	variable = sl_compiler_choose(&compiler, cxx);
	if (getenv(INSIDE_ENV)) {
		sl_err_set(&err, "the compiler, %s, is Sleave itself: set %s to gcc or clang", compiler.items[0],
			   variable);
		status = EXIT_UNABLE;
	} else {
		setenv(INSIDE_ENV, "1", 1);
		status = line_make(&line, &compiler, variable, argv + 1, &err);
	}
	if (!status) {
		execvp(line.items[0], line.items);
		sl_err_set(&err,
			   "cannot run the compiler %s: %s; install it, or set %s to another one (gcc or clang)",
			   line.items[0], strerror(errno), variable);
		status = EXIT_UNABLE;
	}
	fprintf(stderr, "sleave %s: %s\n", command, err.text);
	return status;
}
