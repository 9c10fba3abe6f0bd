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

/*
 * Two views of one compiled file:
 *
 * - sites, as the program runs: each announced access and synchronising call of the final code, with the chain of inlining;
 * - code, as the program was written: for each function with a body what its own statements do, before anything is inlined or
 *   optimised away (struct sl_site_point), its locked regions and its hash. Both compilers, at every level of optimisation,
 *   say the same here as far as docs/limits.md does not name a difference.
 */
struct sl_site_unit {
	const char *file, *directory, *compiler; /* that was compiled, where, by what */
	const char *macros;                      /* equal if the compiler's options defined the same ones */
	struct sl_site_function *functions;
	struct sl_site_frame *frames;
	struct sl_site_object *objects;
	struct sl_site *sites;
	struct sl_site_point *points;
	struct sl_site_region *regions;
	struct sl_site_lines *lines; /* of the regions */
	uint32_t *numbers;           /* … and their points */
	struct sl_site_slice *slices;
	struct sl_site_source *sources;
	char **texts; /* of sites and regions */
	size_t function_count, frame_count, object_count, site_count;
	size_t point_count, region_count, lines_count, number_count, slice_count, source_count, text_count;
	enum table_join join;
	uint32_t offset; /* TABLE_BY_LINE: of the unit in .debug_info */
	uint64_t die;    /* … and of its first entry; 0: not known */
	char *strings;
};

/* A function that the file has the body of (TABLE_DEFINED), or only calls. */
struct sl_site_function {
	const struct sl_site_unit *unit;
	const char *name,
		*linkage; /* linkage is "" if it is the name; constructors and destructors: of the "C4", "D4" that stands for all variants */
	const char *file;         /* of the declaration if there is no body: "" if that is not known */
	uint32_t line, last_line; /* of the body; last_line is 0 if there is none */
	uint32_t flags;           /* enum table_function_flag */
	/*
	 * "i32(ctx*,u64)": the canonical type, without `this`; for sl_site_type_fits(). Numbers are i, u or f with their bits, qualifiers
	 * and typedefs are left out, records have their name, "?" none. "" if it is not known.
	 */
	const char *type;
	const char *class_name; /* C++: "ns::Queue", that it is a member of; else "" */
	/*
	 * Of its code without positions and local names (TABLE_DEFINED; 0: not known). `hash` has the code of what it may inline in it, too:
	 * two versions with the same hash do the same. `own_hash` has not. Only hashes of the same compiler with the same options compare.
	 */
	uint64_t hash, own_hash;
	const struct sl_site_point *points; /* in the order of the code; unit->points + something */
	const struct sl_site_region *regions;
	const struct sl_site_slice
		*slices; /* branches in the order of the code, then writes, arguments, the result */
	uint32_t point_count, region_count, slice_count;
};

/* An access or a call that a function's own code has. */
struct sl_site_point {
	const struct sl_site_function *function;
	const char *file;
	uint32_t line, column;
	uint32_t flags; /* enum table_flag, without TABLE_FILE and TABLE_PAIR */
	uint32_t call;  /* enum table_call_flag; 0: it is an access */
	/* what is read or written; of a call that synchronises what it is given the address of; of a method of std:: what it is for; else NULL */
	const struct sl_site_object *object;
	/* that is called; TABLE_CALL_VIRTUAL: the method that the source names; NULL: by a pointer, or not known */
	const struct sl_site_function *callee;
	const char *
		type; /* that the called function has, for calls by a pointer: as of a function; "": not known, fits all; else "" */
};

/* A range of lines, both inclusive. */
struct sl_site_lines {
	const char *file;
	uint32_t first, last;
};

/*
 * What a function does while it may hold a lock: everything that can be reached from where it takes the lock, up to where it gives
 * the same lock back. One for each call that takes a lock; and for each that gives back a lock that the function did not take.
 */
struct sl_site_region {
	const struct sl_site_function *function;
	const struct sl_site_object *object; /* the lock */
	const char *text;                    /* "queue->lock", "" if it can't be said */
	uint32_t flags;                      /* enum table_region_flag */
	const struct sl_site_lines
		*lines; /* ascending; from the line that takes the lock to those that give it back */
	const uint32_t
		*points; /* numbers among those of the function, ascending, with the calls that take and give */
	uint32_t line_count, point_count;
};

/* A parameter of the function (0: the first one, or `this`), or what is read at a point, or what a call has returned or written. */
struct sl_site_source {
	const struct sl_site_point *point; /* NULL: a parameter */
	uint32_t parameter;
};

/*
 * What a value depends on within its function, backwards up to what is read, passed in or returned by a call; what decides which of several
 * values it is counts, too, and so do addresses: of `queue->first` the read of first and the parameter queue. A local variable in
 * memory (an array, a struct, one whose address is taken) counts as a whole, and has all that is ever stored in it. A value that has no
 * slice depends on nothing of that kind.
 */
struct sl_site_slice {
	const struct sl_site_function *function;
	enum table_slice_kind kind;
	uint32_t flags;   /* enum table_slice_flag, without TABLE_SLICE_FILE */
	const char *file; /* of a branch; else NULL */
	uint32_t line, column;
	const struct sl_site_point *point;    /* that writes, or the call that is given an argument; else NULL */
	uint32_t argument;                    /* 0: the first one, or `this` */
	const struct sl_site_source *sources; /* points in the order of the code, between them parameters */
	uint32_t source_count;
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
	const struct sl_site_point *point; /* that says the same; NULL: none does */
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

/*
 * The function that has the body of this one: itself, or the one of that linkage in another file that is linked beside it. NULL: no
 * file with a table has it.
 */
const struct sl_site_function *sl_sites_definition(const struct sl_sites *sites,
						   const struct sl_site_function *function);

/* The definitions of a name ("push", "queue::push", a linkage name), in the order of units; returns how many there are, writes up to `room`. */
size_t sl_sites_functions_named(const struct sl_sites *sites, const char *name,
				const struct sl_site_function **functions, size_t room);

/* Can a function of that type be called as one of the other? Both canonical. */
bool sl_site_type_fits(const char *called, const char *type);

/*
 * Which functions with a body may that call reach? The callee; by a pointer: each whose address is taken and whose type fits; a virtual one: the
 * virtual methods of that name and type in all classes. Returns how many there are, writes up to `room`.
 */
size_t sl_sites_targets(const struct sl_sites *sites, const struct sl_site_point *call,
			const struct sl_site_function **functions, size_t room);

/*
 * The file of a unit as a path: `file` if it is absolute, else behind the unit's directory, with "." and ".." resolved in the text. false: it does
 * not fit into `size` bytes.
 */
bool sl_sites_path(const struct sl_site_unit *unit, const char *file, char *path, size_t size);

/*
 * What there is at a line of a file, over all units; `file` is a path as sl_sites_path() makes them. Each returns how many there are,
 * and writes up to `room`. The same inline function in several units is found several times.
 */
size_t sl_sites_functions_at(const struct sl_sites *sites, const char *file, uint32_t line,
			     const struct sl_site_function **functions, size_t room);
size_t sl_sites_points_at(const struct sl_sites *sites, const char *file, uint32_t line,
			  const struct sl_site_point **points, size_t room);
size_t sl_sites_regions_at(const struct sl_sites *sites, const char *file, uint32_t line,
			   const struct sl_site_region **regions, size_t room);

/* The point that the site is a copy of, with TABLE_PAIR the half that it is. NULL: none has its place and object. */
const struct sl_site_point *sl_sites_point_of(const struct sl_site_unit *unit, const struct sl_site *site);

#endif
