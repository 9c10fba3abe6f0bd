/*
 * The files of one version of a program: the program and its libraries, each with its table of sites and its debug
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
	char *root; /* absolute: sources below it are named relative to it; "": all have their whole path */
};

/*
 * Opens the files. A file without a table and debug information is left out; for the first one, the program, it is
 * an error. root may be NULL.
 */
int sl_binaries_open(struct sl_binaries *binaries, const char *const *paths, size_t count, const char *root,
		     struct sl_err *err);
void sl_binaries_release(struct sl_binaries *binaries);

/* Returns whether a file has no table of sites that can be read, or one in which a source is missing, and its name. */
bool sl_binaries_lack_sites(const struct sl_binaries *binaries, char *name, size_t room);

/*
 * Returns the folder in which a compilation was started. Names of files in its debug information may be relative to it.
 */
const char *sl_binary_folder(Dwarf_Die *compilation);

/* Returns a source's path as the versions name it: relative to the root if it is below it. */
const char *sl_binaries_name(const struct sl_binaries *binaries, const char *path);

/* Returns the path that the table has for a source of this name. False: it is too long. */
bool sl_binaries_path(const struct sl_binaries *binaries, const char *name, char *path, size_t room);

/* Returns all sources that the files name, absolute, each once and in order. */
size_t sl_binaries_sources(const struct sl_binaries *binaries, char ***paths);
void sl_binaries_free_sources(char **paths, size_t count);

#endif
