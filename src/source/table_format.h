/*
 * How the table of sites is laid out in the section TABLE_SECTION of an object or program: written by the compiler
 * plugins (src/plugin), read by src/source. This file alone says what both must agree on; it is C and C++.
 *
 * The section is not loaded. Each compiled file contributes one contribution, the linker puts them one behind the other:
 *
 *     4 bytes  TABLE_MAGIC
 *     u32      size of the whole contribution, with these fields
 *     u8       TABLE_VERSION
 *     u8       enum table_join: how a place of the running program leads to a site
 *     u16      0
 *     u32      TABLE_BY_LINE: where the unit is in .debug_info; else 0
 *     u32      size of the body as it is here
 *     u32      size of the body when it is unpacked; the same: it is not packed; else it is a zstd frame
 *     body     parts
 *     runs     TABLE_BY_PC: up to the end of the contribution
 *
 * Fixed numbers are little-endian and need not be aligned. All others are ULEB128 (U), or SLEB128 (S). A part is
 *
 *     U  enum table_part
 *     U  size of what follows
 *     U  how many records
 *     records
 *
 * Parts that a reader does not know are skipped. A "string" is the number of a string in TABLE_STRINGS; 0 is "". A
 * "function", "object" or "site" is the number of a record, from 0.
 */
#ifndef SL_SOURCE_TABLE_FORMAT_H
#define SL_SOURCE_TABLE_FORMAT_H

/* The linkers take sections whose names begin like this for debugging information: code that was discarded may be referred to. */
#define TABLE_SECTION ".debug_sleave"
#define TABLE_MAGIC "SLTS"
#define TABLE_VERSION 1
#define TABLE_HEADER 24

enum table_join {
	/*
	 * By the return address of the call that announces the site. A run is a u64, the address of the first, then
	 * U how many, and of each U how far it is behind the one before, S how much its site's number is more than
	 * that of the one before (the first: than 0). A run that begins at address 0 is of code that was discarded.
	 */
	TABLE_BY_PC = 1,
	/* By the discriminator of the line that the call is on: the site's number plus one. */
	TABLE_BY_LINE,
};

enum table_part {
	TABLE_STRINGS = 1, /* bytes, each string with a zero at its end */
	TABLE_FUNCTIONS,   /* see the writer, plugin/table.hh, for the order of fields in these */
	TABLE_FRAMES,      /* a function, or a place where it was inlined */
	TABLE_OBJECTS,
	TABLE_SITES,
	TABLE_UNIT, /* one record: strings for the file that was compiled, its directory, the compiler */
};

enum table_flag {
	TABLE_READS = 1,
	TABLE_WRITES = 2,
	TABLE_ATOMIC = 4,
	TABLE_CALL = 8,  /* a call that is given the address of the object: pthread_mutex_lock(&x->lock) */
	TABLE_FILE = 16, /* the site is in another file than its function begins in */
	TABLE_PAIR = 32, /* the statement reads; the next site is what it writes */
};

enum table_object_kind {
	TABLE_UNKNOWN,
	TABLE_POINTED, /* reached through a pointer */
	TABLE_GLOBAL,
	TABLE_STATIC,       /* of a file */
	TABLE_STATIC_LOCAL, /* of a function */
	TABLE_PARAMETER,
	TABLE_LOCAL,
	TABLE_OBJECT_KINDS
};

#define TABLE_THREAD_LOCAL 8 /* added to the kind */

#endif
