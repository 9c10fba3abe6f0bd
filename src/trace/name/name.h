/*
 * Names for addresses: functions, lines, variables and their members, from symbols and DWARF (elfutils' libdw).
 * Used by reports, and by whatever compares executions of two versions. Never inside the program under test.
 *
 * A module whose file is gone or has no debug information is no error: its addresses get the best name there
 * is (function and offset, or file and offset). Every string that comes out of here lives as long as the
 * names do. Answers are kept: a trace asks for the same addresses again and again.
 */
#ifndef SL_TRACE_NAME_NAME_H
#define SL_TRACE_NAME_NAME_H

#include "base/err.h"
#include "trace/records.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_names;

/* Where in the source a piece of code is. */
struct sl_place {
	const char *function; /* the innermost, even if it was inlined; "??" if unknown */
	const char *file;     /* short, for people; the module's name if there are no lines; never NULL */
	const char *path;     /* for opening the file; NULL if there are no lines */
	const char *stable;   /* the file, by a name that is the same wherever we are; never NULL */
	const char *module;   /* short name of the loaded file; "" if the address is in none */
	uint32_t line;        /* 0 if unknown */
	uint32_t column;      /* 0 if unknown */
	uint64_t
		offset; /* into the function (of those around, the one that was not inlined), or into the module if that is unknown */
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

/* What is at a data address. */
struct sl_data {
	const char *name; /* "account.balance", "table[3].count"; "symbol+12" without types */
	uint32_t value;   /* enum sl_value_kind */
	uint32_t size;    /* of the member or element that is named; 0 if unknown */
};

/* Fails only when libdw refuses to start. The modules may go away afterwards. */
struct sl_names *sl_names_new(const struct sl_module *modules, uint32_t count, struct sl_err *err);

/* NULL is fine. */
void sl_names_free(struct sl_names *names);

/*
 * The place of the call that returns to pc. False, with everything in `place` set to "unknown", if pc is in
 * no module.
 */
bool sl_names_place(struct sl_names *names, uint64_t pc, struct sl_place *place);
/* … but where a function of a header of the system's was inlined (std::mutex::lock): where it was used. */
bool sl_names_use(struct sl_names *names, uint64_t pc, struct sl_place *place);

/* How many libraries were loaded there, one after the other? If it is not one, nobody knows whose the place is. */
unsigned sl_names_modules_at(const struct sl_names *names, uint64_t pc);

/*
 * The same, with the callers that the compiler has inlined it into: innermost first. Returns how many were
 * stored, at most max, at least 1.
 */
size_t sl_names_places(struct sl_names *names, uint64_t pc, struct sl_place *places, size_t max);

/* The function that starts at (or contains) address, not a return address; NULL if unknown. */
const char *sl_names_function(struct sl_names *names, uint64_t address);

/*
 * The global or static variable at address, with the path to the member of `size` bytes there; size 0 asks
 * for the synchronisation object there. False if no variable is: heap, stacks, registers of devices.
 */
bool sl_names_data(struct sl_names *names, uint64_t address, uint32_t size, struct sl_data *data);

/* A variable, or symbol, as a whole. */
struct sl_extent {
	uint64_t start, size;
	uint64_t stride; /* of an array: from one element to the next; else 0 */
	char name[128];
};

/* That which the address is in. Nothing is kept. False if there is none. */
bool sl_names_extent(struct sl_names *names, uint64_t address, struct sl_extent *extent);

/* "account.c:14 (deposit)", "deposit+0x1c (libbank.so)", "libbank.so+0x41c": as printf, cut at size. */
void sl_place_format(const struct sl_place *place, char *text, size_t size);
/* "account.c:14". Of a path that is too long, by both, the end is kept. */
void sl_line_format(const struct sl_place *place, char *text, size_t size);

#endif
