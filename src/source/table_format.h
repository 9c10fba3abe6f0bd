/*
 * How the table of sites is laid out in the section TABLE_SECTION of an object or program: written by the compiler
 * plugins (src/plugin), read by src/source. It is C and C++.
 *
 * The section is not loaded. Each compiled file contributes one contribution, the linker puts them one behind the other:
 *
 *     4 bytes  TABLE_MAGIC
 *     u32      size of the whole contribution, with these fields
 *     u8       TABLE_VERSION
 *     u8       enum table_join: how a place of the running program leads to a site; and TABLE_PLAIN
 *     u16      sl_coder_sum() of the body
 *     u32      TABLE_BY_LINE: where the unit is in .debug_info; else 0
 *     u32      size of the body
 *     u32      how many numbers the body has
 *     body
 *     runs     TABLE_BY_PC: up to the end of the contribution
 *
 * Fixed numbers are little-endian and need not be aligned. The body is one sequence of numbers, packed by table_coder.h; what they mean,
 * and in which order they come, is in table_records.c.
 */
#ifndef SL_SOURCE_TABLE_FORMAT_H
#define SL_SOURCE_TABLE_FORMAT_H

/* The linkers take sections whose names begin like this for debugging information: code that was discarded may be referred to. */
#define TABLE_SECTION ".debug_sleave"
#define TABLE_MAGIC "SLTS"
#define TABLE_VERSION 6
#define TABLE_HEADER 24
#define TABLE_HASH 5 /* bytes of a hash */

enum table_join {
	/*
	 * By the return address of the call that announces the site. A run is a u64, the address of the first, then of
	 * each of the others ULEB128 how far it is behind the one before. The body has how many there are, and their
	 * sites. A run that begins at address 0 is of code that was discarded.
	 */
	TABLE_BY_PC = 1,
	/* By the discriminator of the line that the call is on: the site's number plus one. */
	TABLE_BY_LINE,
};

/* In the byte of the join: the numbers of the body are ULEB128, one behind the other. Tests write this; it is ten times as large. */
#define TABLE_PLAIN 128

/* The body has at most so many numbers for each of its bytes: a larger number is not believed. The writer adds zeros if there are more. */
#define TABLE_NUMBERS_PER_BYTE 200

/* The texts of an object. */
enum table_text {
	TABLE_TEXT_VARIABLE,
	TABLE_TEXT_SCOPE,
	TABLE_TEXT_CONTAINER,
	TABLE_TEXT_PATH,
	TABLE_TEXT_HOLDER,
	TABLE_TEXT_MEMBER,
	TABLE_TEXT_TYPE,
	TABLE_TEXTS
};

/* What of its object the text of a site or region ends with. */
enum table_ending { TABLE_ENDS_AS_WRITTEN, TABLE_ENDS_WITH_PATH, TABLE_ENDS_WITH_VARIABLE, TABLE_ENDINGS };

enum table_flag {
	TABLE_READS = 1,
	TABLE_WRITES = 2,
	TABLE_ATOMIC = 4,
	TABLE_CALL = 8,       /* a call that is given the address of the object: pthread_mutex_lock(&x->lock) */
	TABLE_FILE = 16,      /* the site is in another file than its function begins in */
	TABLE_PAIR = 32,      /* the statement reads; the next site is what it writes */
	TABLE_OF_OBJECT = 64, /* of a point: an object follows */
	TABLE_AS_POINT = 128, /* of a site: place, object and access are those of a point of its function */
};

enum table_function_flag {
	/* The file has its body. */
	TABLE_DEFINED = 1,
	/* Static, or of a namespace without a name: other files may have another function of that name. */
	TABLE_LOCAL_NAME = 2,
	/* In any of the files; tables of virtual methods do not count. */
	TABLE_ADDRESS_TAKEN = 4,
	TABLE_VIRTUAL = 8,
	/* Its code is in its callers' hashes: it is from a header, inline in C++, or always inlined. */
	TABLE_INLINED = 16,
	/* Made by the compiler, without code that the source shows: a default constructor, a thunk. */
	TABLE_VARIANT = 32,
	/* In the bytes alone: the hash with what is inlined follows. */
	TABLE_TWO_HASHES = 64,
};

enum table_call_flag {
	TABLE_CALLS = 1,
	TABLE_CALL_POINTER = 2,
	TABLE_CALL_VIRTUAL = 4,
	/* A lock, at once or after waiting; with TRIES the result says whether it was taken. */
	TABLE_CALL_TAKES = 8,
	TABLE_CALL_TRIES = 16,
	TABLE_CALL_GIVES = 32,
	/* Takes or gives it as a reader. */
	TABLE_CALL_SHARED = 64,
	/* The source does not write it: a destructor at the end of a block. */
	TABLE_CALL_IMPLICIT = 128,
};

enum table_region_flag {
	TABLE_OPEN_END = 1,   /* the function can return with the lock held */
	TABLE_OPEN_START = 2, /* the lock that it gives back may have been taken before the function began */
	TABLE_SHARED = 4,     /* as a reader */
	TABLE_TRIED = 8,      /* by a call that may fail: the region begins where it has not failed */
};

enum table_slice_kind {
	TABLE_SLICE_BRANCH,   /* of a condition: where it is follows */
	TABLE_SLICE_WRITE,    /* of what a point writes, and where to */
	TABLE_SLICE_ARGUMENT, /* of what a call is given */
	TABLE_SLICE_RESULT,   /* of what the function returns */
	TABLE_SLICE_KINDS
};

/* Added to the kind. */
enum table_slice_flag {
	TABLE_SLICE_LOOP = 4,  /* the branch can leave a loop */
	TABLE_SLICE_CUT = 8,   /* there is more that it depends on */
	TABLE_SLICE_FILE = 16, /* it is in another file than its function begins in */
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
