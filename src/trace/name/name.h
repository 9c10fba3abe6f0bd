/*
 * Names for addresses: functions, lines, variables and their members, from symbols and DWARF (elfutils' libdw).
 * Used by reports, and by comparisons of two versions of a program. Never inside the program under test.
 *
 * A module whose file is gone or has no debug information is not an error: its addresses get the best name
 * available (function and offset, or file and offset). Every returned string lives as long as the names do.
 * Answers are cached: a trace asks for the same addresses again and again.
 */
#ifndef SL_TRACE_NAME_NAME_H
#define SL_TRACE_NAME_NAME_H

#include "base/err.h"
#include "source/sites.h"
#include "trace/records.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_names;

/* The place of a piece of code in the source. */
struct sl_place {
	const char *function; /* the innermost, even if it was inlined; "??" if unknown */
	const char *file;     /* short, for messages; the module's name if there are no lines; never NULL */
	const char *path;     /* for opening the file; NULL if there are no lines */
	const char *stable;   /* the file, by a name that does not depend on the working directory; never NULL */
	const char *module;   /* short name of the loaded file; "" if the address is in none */
	uint32_t line;        /* 0 if unknown */
	uint32_t column;      /* 0 if unknown */
	uint64_t
		/* into the innermost function that is not inlined, or into the module if that is unknown */
		offset;
};

/* How the bytes of a variable are to be read. */
enum sl_value_kind {
	SL_VALUE_UNKNOWN,
	SL_VALUE_SIGNED,
	SL_VALUE_UNSIGNED,
	SL_VALUE_FLOAT,
	SL_VALUE_BOOL,
	SL_VALUE_CHAR,
	SL_VALUE_POINTER,
};

/* The contents of a data address. */
struct sl_data {
	const char *name; /* "account.balance", "table[3].count"; "symbol+12" without types */
	uint32_t value;   /* enum sl_value_kind */
	uint32_t size;    /* of the named member or element; 0 if unknown */
};

/* Fails only if libdw fails to start. The modules may be freed afterwards. */
struct sl_names *sl_names_new(const struct sl_module *modules, uint32_t count, struct sl_err *err);

/* NULL is fine. */
void sl_names_free(struct sl_names *names);

/*
 * The place of the call that returns to pc. False, with everything in `place` set to "unknown", if pc is in
 * no module.
 */
bool sl_names_place(struct sl_names *names, uint64_t pc, struct sl_place *place);
/* … but for an inlined function of a system header (std::mutex::lock): the place that uses it. */
bool sl_names_use(struct sl_names *names, uint64_t pc, struct sl_place *place);

/*
 * How many libraries were loaded at this address, one after the other? Unless it is one, it can't be told which
 * the place belongs to.
 */
unsigned sl_names_modules_at(const struct sl_names *names, uint64_t pc);

/*
 * The same, with the callers that the compiler has inlined it into, innermost first. Returns the number stored, at
 * least 1 and at most max.
 */
size_t sl_names_places(struct sl_names *names, uint64_t pc, struct sl_place *places, size_t max);

/* The function that starts at (or contains) the address, which is not a return address; NULL if unknown. */
const char *sl_names_function(struct sl_names *names, uint64_t address);

/*
 * The global or static variable at the address, with the path to the member of `size` bytes there; size 0 asks for
 * the synchronisation object there. False if there is no variable: heap, stacks, device registers.
 */
bool sl_names_data(struct sl_names *names, uint64_t address, uint32_t size, struct sl_data *data);

/*
 * What the compiler said about the access, or call, that returns to pc (source/sites.h): of a statement that reads one object and
 * writes another, `writes` asks for the latter. NULL: it said nothing, or no plugin was there to ask it.
 */
const struct sl_site *sl_names_site(struct sl_names *names, uint64_t pc, bool writes);

/* The table of sites of the file that has the code before pc. NULL: it has none. */
const struct sl_sites *sl_names_sites(struct sl_names *names, uint64_t pc);

/*
 * The calls in the code of the function, or part of one, around pc: what looks like one in the instructions of x86-64, in their order. Bytes
 * of another instruction that look so are rare, and there is no function at their target. Writes up to `room`, returns how many there are;
 * *start and *end are where the code begins and ends. *end is 0: the code is not known.
 */
struct sl_code_call {
	uint64_t pc;     /* the return address */
	uint64_t target; /* 0: it is read from memory */
};
size_t sl_names_calls(struct sl_names *names, uint64_t pc, uint64_t *start, uint64_t *end, struct sl_code_call *calls,
		      size_t room);

/* The instructions at the address, as the file has them. NULL: it has not so many bytes there. */
const unsigned char *sl_names_code(struct sl_names *names, uint64_t address, uint64_t size);

/*
 * Where in the code from `low` to before `high` another line or column begins, with the line that `low` is in; in their order. Writes up to
 * `room`, returns how many there are.
 */
size_t sl_names_rows(struct sl_names *names, uint64_t low, uint64_t high, uint64_t *addresses, size_t room);

/*
 * Does the function of the place, which has the call that returns to pc, only hand on what that call returns? That is so for what wraps
 * malloc(): it returns bytes of no type (`void *`, `char *`), and by the table of sites its result comes from the call. false: not known, too.
 */
bool sl_names_hands_on(struct sl_names *names, uint64_t pc, const struct sl_place *place);

/* A whole variable or symbol. */
struct sl_extent {
	uint64_t start, size;
	uint64_t stride; /* of an array: distance between elements; else 0 */
	char name[128];
};

/* The number of extents, sorted by address, that start at or before the address. */
static inline size_t
sl_extents_before(const struct sl_extent *extents, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (extents[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The variable that contains the address. Not cached. False if there is none. */
bool sl_names_extent(struct sl_names *names, uint64_t address, struct sl_extent *extent);

/* An address in a loaded file, by the file: "libx.so+0x4040". False: it is not in this one. */
bool sl_module_format(const struct sl_module *module, uint64_t address, char *text, size_t room);

/* "account.c:14 (deposit)", "deposit+0x1c (libbank.so)", "libbank.so+0x41c": as printf, cut at size. */
void sl_place_format(const struct sl_place *place, char *text, size_t size);
/* "account.c:14". Both functions keep the end of a path that is too long. */
void sl_line_format(const struct sl_place *place, char *text, size_t size);

#endif
