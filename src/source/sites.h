/*
 * The table of sites of a program or library: what the plugins of the compilers wrote down about each access to memory and each
 * call that synchronises (table_format.h; docs/decisions/table-of-sites.md). Used by whatever names operations. Never
 * inside the program under test.
 *
 * A table comes from a file that may be a stranger's, so nothing in it is believed: what is read without an error has numbers that
 * are in range and strings that end. Everything lives as long as the sites do.
 */
#ifndef SL_SOURCE_SITES_H
#define SL_SOURCE_SITES_H

#include "base/err.h"
#include "source/table_format.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_site_unit {
	const char *file, *directory, *compiler; /* that was compiled, where, by what */
	struct sl_site_function *functions;
	struct sl_site_frame *frames;
	struct sl_site_object *objects;
	struct sl_site *sites;
	size_t function_count, frame_count, object_count, site_count;
	enum table_join join;
	uint32_t offset; /* TABLE_BY_LINE: of the unit in .debug_info */
	uint64_t die;    /* … and of its first entry; 0: not known */
	char *strings;
};

struct sl_site_function {
	const char *name, *linkage; /* linkage is "" if it is the name */
	const char *file;
	uint32_t line;
};

struct sl_site_frame {
	const struct sl_site_function *function;
	const struct sl_site_frame *outer; /* what it was inlined into; NULL: it is the function itself */
	const char *file;                  /* … and where */
	uint32_t line, column;
};

/* What is accessed. Strings are "" if they do not apply, or are not known. */
struct sl_site_object {
	enum table_object_kind kind;
	bool per_thread;              /* thread-local */
	const char *variable, *scope; /* that is accessed or has the member; the function that it is in */
	const char *container,
		*path; /* "struct mg_context", "stats.count": from the last pointer, or the variable, on */
	const char *holder, *member; /* "struct mg_stats", "count": in the innermost type that has a name */
	const char *type;            /* of what is reached through a pointer and is no member */
};

struct sl_site {
	const struct sl_site_frame *frame; /* the innermost function, and what it was inlined into */
	const struct sl_site_object *object;
	const char *file, *text; /* text: "ctx->stop_flag", as the program would write it; "": it can't be said */
	uint32_t flags;          /* enum table_flag */
	uint32_t line, column, size;
};

struct sl_sites;

/* From the bytes of the section. NULL, and a sentence, if they make no sense. */
struct sl_sites *sl_sites_parse(const void *bytes, size_t size, struct sl_err *err);

/* From a file. NULL without a sentence (err->text is "") if it has no table. dwarf, which may be NULL, is needed for what clang has compiled. */
struct sl_sites *sl_sites_read(Elf *elf, Dwarf *dwarf, struct sl_err *err);

/* NULL is fine. */
void sl_sites_free(struct sl_sites *sites);

size_t sl_sites_unit_count(const struct sl_sites *sites);
const struct sl_site_unit *sl_sites_unit(const struct sl_sites *sites, size_t number);

/* Files that a Sleave with another form of the table has compiled. */
size_t sl_sites_foreign(const struct sl_sites *sites);

/*
 * The site of the call that returns to this address of the file; `writes`: of a statement that reads one object and writes another, the
 * latter. unit is the one that has the address, NULL if that is not known. NULL: it is none.
 */
const struct sl_site *sl_sites_find(const struct sl_sites *sites, Dwarf_Die *unit, uint64_t address, bool writes);

/* Each return address that the compilers said themselves (gcc), in their order. */
struct sl_site_call {
	uint64_t address;
	const struct sl_site_unit *unit;
	const struct sl_site *site;
};
size_t sl_sites_calls(const struct sl_sites *sites, const struct sl_site_call **calls);

#endif
