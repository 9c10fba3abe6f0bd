/*
 * The files that a version of a program consists of: the program and its libraries, each with its table of sites and its debug
 * information. For the analyses of this room.
 */
#ifndef SL_ANALYSIS_BINARY_H
#define SL_ANALYSIS_BINARY_H

#include "base/err.h"
#include "source/sites.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct sl_binary {
	char *path;
	int fd;
	Elf *elf;
	Dwarf *dwarf;           /* NULL: there is none */
	struct sl_sites *sites; /* NULL: there is none */
};

struct sl_binaries {
	struct sl_binary *items;
	size_t count;
	char *root; /* absolute: sources below it are named relative to it; "": by their whole path */
};

/*
 * Opens the files. One without a table and without debug information is left out, unless it is the first one, the program:
 * that is an error. root may be NULL.
 */
int sl_binaries_open(struct sl_binaries *binaries, const char *const *paths, size_t count, const char *root,
		     struct sl_err *err);
void sl_binaries_release(struct sl_binaries *binaries);

/* The path of the first file without a table of sites that can be read; NULL: each has one. */
const char *sl_binaries_without_sites(const struct sl_binaries *binaries);

/* A source's path as the versions name it: relative to the root if it is below it, else as it is. */
const char *sl_binaries_name(const struct sl_binaries *binaries, const char *path);

/* The path that the table has for a source that the versions name so. False: it is too long. */
bool sl_binaries_path(const struct sl_binaries *binaries, const char *name, char *path, size_t room);

/* All sources that the files name, absolute, each once and in order. */
size_t sl_binaries_sources(const struct sl_binaries *binaries, char ***paths);
void sl_binaries_free_sources(char **paths, size_t count);

#endif
