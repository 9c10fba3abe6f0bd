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
 *     u32      size of the body when it is unpacked; the same: it is not packed; else it is zstd frames
 *     body     parts
 *     runs     TABLE_BY_PC: up to the end of the contribution
 *
 * Fixed numbers are little-endian and need not be aligned. All others are ULEB128 (U), or SLEB128 (S). A part is
 *
 *     U  enum table_part
 *     U  size of what follows
 *     U  how many columns it has
 *     U  of each column its size
 *     columns, one behind the other
 *
 * The fields of all records stand field by field (the columns are below), because that packs better than record by record. The first
 * column of a part has how many records there are; of TABLE_STRINGS the second one has all bytes. A column that is not there is empty.
 * Parts and columns that a reader does not know are skipped. A "string" is the number of a string in TABLE_STRINGS; 0 is "". A
 * "function", "object" or "site" is the number of a record, from 0.
 */
#ifndef SL_SOURCE_TABLE_FORMAT_H
#define SL_SOURCE_TABLE_FORMAT_H

/* The linkers take sections whose names begin like this for debugging information: code that was discarded may be referred to. */
#define TABLE_SECTION ".debug_sleave"
#define TABLE_MAGIC "SLTS"
#define TABLE_VERSION 5
#define TABLE_HEADER 24
#define TABLE_HASH 5 /* bytes of a hash */

enum table_join {
	/*
	 * By the return address of the call that announces the site. A run is a u64, the address of the first, then of
	 * each of the others U how far it is behind the one before. TABLE_RUNS has how many there are, and their
	 * sites. A run that begins at address 0 is of code that was discarded.
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
	TABLE_SITES, /* behind TABLE_CODE */
	TABLE_UNIT, /* one record: strings for the file that was compiled, its directory, the compiler, and what stands for the macros of its options */
	TABLE_CODE, /* of functions with a body: what they are, their hashes, points and regions */
	TABLE_RUNS, /* TABLE_BY_PC: of each run the sites */
	TABLE_SLICES, /* of functions with a body: what their branches, writes, arguments and results depend on */
};

/* Columns, by part. TABLE_COUNT is the first one of each. */
enum table_column {
	TABLE_COUNT,

	TABLE_STRING_BYTES = 1,

	TABLE_UNIT_TEXT = 1,

	TABLE_FUNCTION_NAME = 1,
	TABLE_FUNCTION_LINKAGE,
	TABLE_FUNCTION_FILE,
	TABLE_FUNCTION_LINE, /* twice, and one more if its address is taken */

	TABLE_FRAME_FUNCTION = 1,
	TABLE_FRAME_OUTER,
	TABLE_FRAME_FILE,
	TABLE_FRAME_PLACE, /* line and column */

	TABLE_OBJECT_KIND = 1,
	TABLE_OBJECT_VARIABLE, /* and six more texts, each in its own */
	TABLE_OBJECT_TEXTS = 7,

	TABLE_CODE_FUNCTION = 1, /* function, flags, last line, type, class, number of points, of regions */
	TABLE_CODE_HASH,
	TABLE_POINT_FLAGS,
	TABLE_POINT_LINE,
	TABLE_POINT_COLUMN,
	TABLE_POINT_CALL,
	TABLE_POINT_CALLEE,
	TABLE_POINT_OBJECT,
	TABLE_POINT_REST, /* file and type */
	TABLE_REGION_FIELDS,
	TABLE_REGION_POINTS,

	TABLE_SITE_FLAGS = 1,
	TABLE_SITE_FRAME,
	TABLE_SITE_POINT,
	TABLE_SITE_PLACE, /* file, line, column, object: of a site that is no copy of a point */
	TABLE_SITE_SIZE,
	TABLE_SITE_TEXT,

	TABLE_RUN_LENGTH = 1,
	TABLE_RUN_SITE,

	TABLE_SLICED_FUNCTION = 1, /* function, number of sets, of slices */
	TABLE_SET_SIZE,
	TABLE_SET_SOURCE,
	TABLE_SLICED_KIND,
	TABLE_SLICED_PLACE, /* of a branch: file and line */
	TABLE_SLICED_COLUMN,
	TABLE_SLICED_POINT,
	TABLE_SLICED_ARGUMENT,
	TABLE_SLICED_SET,

	TABLE_COLUMNS = 16 /* no part has more */
};

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
