#include "analysis/binary.h"

#include "base/room.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
binary_release(struct sl_binary *binary)
{
	sl_sites_free(binary->sites);
	if (binary->dwarf)
		dwarf_end(binary->dwarf);
	if (binary->elf)
		elf_end(binary->elf);
	if (binary->fd >= 0)
		close(binary->fd);
	free(binary->path);
}

static int
binary_open(struct sl_binary *binary, const char *path, struct sl_err *err)
{
	*binary = (struct sl_binary){.path = strdup(path), .fd = open(path, O_RDONLY | O_CLOEXEC)};
	if (!binary->path)
		abort();
	if (binary->fd < 0)
		return sl_err_set(err, "cannot open %s: %s", path, strerror(errno));
	binary->elf = elf_begin(binary->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (!binary->elf || elf_kind(binary->elf) != ELF_K_ELF)
		return sl_err_set(err, "%s is not a program or library", path);
	binary->dwarf = dwarf_begin_elf(binary->elf, DWARF_C_READ, NULL);
	binary->sites = sl_sites_read(binary->elf, binary->dwarf, err);
	return !binary->sites && *err->text ? -1 : 0;
}

int
sl_binaries_open(struct sl_binaries *binaries, const char *const *paths, size_t count, const char *root,
		 struct sl_err *err)
{
	elf_version(EV_CURRENT);
	*binaries = (struct sl_binaries){.items = sl_room_zeroed(count, sizeof(*binaries->items)),
					 .root = strdup(root ? root : "")};
	if (!binaries->root)
		abort();
	for (size_t i = 0; i < count; i++) {
		struct sl_binary *binary = &binaries->items[binaries->count];
		struct sl_err why = {""};
		int result = binary_open(binary, paths[i], &why);

		if (result == 0 && (binary->sites || binary->dwarf)) {
			binaries->count++;
			continue;
		}
		if (result == 0)
			sl_err_set(&why,
				   "%s has neither a table of sites nor debug information: build it with "
				   "`sleave cc` and without stripping it",
				   paths[i]);
		binary_release(binary);
		if (i == 0) {
			sl_binaries_release(binaries);
			return sl_err_set(err, "%s", why.text);
		}
	}
	return 0;
}

void
sl_binaries_release(struct sl_binaries *binaries)
{
	for (size_t i = 0; i < binaries->count; i++)
		binary_release(&binaries->items[i]);
	free(binaries->items);
	free(binaries->root);
	*binaries = (struct sl_binaries){0};
}

const char *
sl_binary_folder(Dwarf_Die *compilation)
{
	Dwarf_Attribute attribute;
	const char *folder = dwarf_formstring(dwarf_attr(compilation, DW_AT_comp_dir, &attribute));

	return folder ? folder : "/";
}

static bool
is_c(Dwarf_Die *die)
{
	switch (dwarf_srclang(die)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

static bool
has_unit(const struct sl_sites *sites, const char *path)
{
	char each[4096];

	for (size_t i = 0; i < sl_sites_unit_count(sites); i++) {
		const struct sl_site_unit *unit = sl_sites_unit(sites, i);

		if (sl_sites_path(unit, unit->file, each, sizeof(each)) && strcmp(each, path) == 0)
			return true;
	}
	return false;
}

/*
 * Returns whether a function is written there. What code the compiler adds to a file (initialisers of its own, -fsanitize=thread) is
 * none: a file that has only data is in no table.
 */
static bool
has_function(Dwarf_Die *scope)
{
	Dwarf_Die child;

	if (dwarf_child(scope, &child) != 0)
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_subprogram &&
		    (dwarf_hasattr(&child, DW_AT_low_pc) || dwarf_hasattr(&child, DW_AT_ranges)))
			return true;
		if (dwarf_tag(&child) == DW_TAG_namespace && has_function(&child))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* Debug information has each file that was compiled: is one with code not in the table? */
static bool
has_file_without_sites(const struct sl_binary *binary, char *name, size_t room)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	while (binary->dwarf && dwarf_nextcu(binary->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
		struct sl_site_unit unit = {0};
		Dwarf_Die die;
		char path[4096];

		if (dwarf_offdie(binary->dwarf, offset + header, &die) && is_c(&die) && dwarf_diename(&die)) {
			unit.directory = sl_binary_folder(&die);
			if (sl_sites_path(&unit, dwarf_diename(&die), path, sizeof(path)) &&
			    !has_unit(binary->sites, path) && has_function(&die)) {
				snprintf(name, room, "%s", path);
				return true;
			}
		}
		offset = next;
	}
	return false;
}

bool
sl_binaries_lack_sites(const struct sl_binaries *binaries, char *name, size_t room)
{
	for (size_t i = 0; i < binaries->count; i++) {
		const struct sl_binary *binary = &binaries->items[i];

		if (!binary->sites || sl_sites_foreign(binary->sites)) {
			snprintf(name, room, "%s", sl_binaries_name(binaries, binary->path));
			return true;
		}
		if (has_file_without_sites(binary, name, room)) {
			const char *shown = sl_binaries_name(binaries, name);

			memmove(name, shown, strlen(shown) + 1);
			return true;
		}
	}
	return false;
}

const char *
sl_binaries_name(const struct sl_binaries *binaries, const char *path)
{
	size_t size = strlen(binaries->root);

	return size && strncmp(path, binaries->root, size) == 0 && path[size] == '/' ? path + size + 1 : path;
}

bool
sl_binaries_path(const struct sl_binaries *binaries, const char *name, char *path, size_t room)
{
	int size = *name == '/' ? snprintf(path, room, "%s", name)
				: snprintf(path, room, "%s/%s", binaries->root, name);

	return size >= 0 && (size_t)size < room;
}

/* ---- the names of all sources ---- */

struct sources {
	char **items;
	size_t count, capacity;
};

static void
add(struct sources *list, const char *path)
{
	char *copy = sl_must(strdup(path));

	list->items = sl_room_for(list->items, list->count, &list->capacity, sizeof(*list->items));
	list->items[list->count++] = copy;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
add_from_sites(struct sources *list, const struct sl_sites *sites)
{
	char path[4096];

	for (size_t i = 0; sites && i < sl_sites_unit_count(sites); i++) {
		const struct sl_site_unit *unit = sl_sites_unit(sites, i);
		const char *before = NULL;

		for (size_t k = 0; k < unit->function_count; k++) {
			const char *file = unit->functions[k].file;

			if (*file && file != before && sl_sites_path(unit, file, path, sizeof(path)))
				add(list, path);
			before = file;
		}
		if (*unit->file && sl_sites_path(unit, unit->file, path, sizeof(path)))
			add(list, path);
	}
}

static void
add_from_dwarf(struct sources *list, Dwarf *dwarf)
{
	Dwarf_Off offset = 0, next;
	size_t header, count;
	char tidy[4096];

	while (dwarf && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die die;
		Dwarf_Files *files;

		if (dwarf_offdie(dwarf, offset + header, &die) && dwarf_getsrcfiles(&die, &files, &count) == 0) {
			struct sl_site_unit unit = {.directory = sl_binary_folder(&die)};

			for (size_t i = 0; i < count; i++) {
				const char *path = dwarf_filesrc(files, i, NULL, NULL);

				if (path && sl_sites_path(&unit, path, tidy, sizeof(tidy)))
					add(list, tidy);
			}
		}
		offset = next;
	}
}

size_t
sl_binaries_sources(const struct sl_binaries *binaries, char ***paths)
{
	struct sources list = {0};
	size_t kept = 0;

	for (size_t i = 0; i < binaries->count; i++) {
		add_from_sites(&list, binaries->items[i].sites);
		add_from_dwarf(&list, binaries->items[i].dwarf);
	}
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), by_text);
	for (size_t i = 0; i < list.count; i++)
		if (kept && strcmp(list.items[kept - 1], list.items[i]) == 0)
			free(list.items[i]);
		else
			list.items[kept++] = list.items[i];
	*paths = list.items;
	return kept;
}

void
sl_binaries_free_sources(char **paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}
