/*
 * The records of a compiled file, as its contribution to the table of sites has them (table_format.h), and the one description of their
 * form: sl_records_code() goes through them and writes each number, or reads it. Used by the compiler plugins, which fill the
 * records in, and by the reader, which makes of them what sites.h promises.
 *
 * Records refer to each other by number. What is read without an error has numbers that are in range.
 */
#ifndef SL_SOURCE_TABLE_RECORDS_H
#define SL_SOURCE_TABLE_RECORDS_H

#include "source/table_coder.h"
#include "source/table_format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `text`s and names are numbers of strings; 0 is "". */

struct sl_record_function {
	uint32_t name, linkage, file, line, taken;
};

struct sl_record_frame {
	uint32_t function;
	uint32_t outer; /* number plus one; 0: none, and it is nowhere */
	uint32_t file, line, column;
};

struct sl_record_object {
	uint32_t kind;
	uint32_t texts[TABLE_TEXTS]; /* enum table_text */
};

/* A function with a body. Its points, regions and slices are behind those of the one before. */
struct sl_record_code {
	uint32_t function, flags;
	uint32_t lines; /* that it has behind its first one */
	uint32_t type, class_name;
	uint64_t hash, own_hash;
	uint32_t point_count, region_count, slice_count;
	uint32_t set_count; /* … and sets of slices */
};

struct sl_record_point {
	uint32_t flags, call, file, line, column;
	uint32_t callee, object; /* number plus one; 0: none */
	uint32_t type;
	/* Made when it is coded: how many of the function's points before it have an object, write, call. */
	uint32_t before[3];
};

struct sl_record_region {
	uint32_t flags, object;
	uint32_t text, ending; /* ending: which text of the object follows (enum table_ending) */
	uint32_t line_count, point_count;
};

struct sl_record_lines {
	uint32_t file, first, last;
};

struct sl_record_slice {
	uint32_t kind; /* with its flags */
	uint32_t file, line, column;
	uint32_t point; /* among those of its function */
	uint32_t argument;
	uint32_t set; /* among those of its function, which are in the order of their first use */
};

struct sl_record_site {
	uint32_t flags, frame;
	uint32_t
		point; /* TABLE_AS_POINT: among those of the function; it says the file, line, column, object and access */
	uint32_t file, line, column, object;
	uint32_t size, text, ending;
};

/* An array that grows. */
struct sl_record_list {
	void *items;
	size_t count, room;
};

struct sl_records {
	uint32_t file, directory, compiler, macros; /* of the unit */
	struct sl_record_list characters;           /* of strings, each with a zero at its end */
	struct sl_record_list strings;              /* uint32_t: where each begins */
	struct sl_record_list functions, frames, objects, codes, points, regions;
	struct sl_record_list lines;         /* of regions */
	struct sl_record_list region_points; /* uint32_t */
	struct sl_record_list slices;
	struct sl_record_list sets; /* uint32_t: how many sources each has */
	struct sl_record_list
		sources; /* uint32_t: twice the number of a point; or twice that of a parameter, plus one; ascending */
	struct sl_record_list sites;
	struct sl_record_list runs;      /* uint32_t: how many sites each has; TABLE_BY_PC */
	struct sl_record_list run_sites; /* uint32_t */
};

/* Adds an item, all zero. NULL: there is no memory. */
void *sl_records_add(struct sl_record_list *list, size_t size);
void sl_records_release(struct sl_records *r);

/*
 * Writes the records with this coder, or reads them into empty ones; then c->bad says whether they make sense. All else is as it was, but
 * for the points' `before`.
 */
void sl_records_code(struct sl_records *r, struct sl_coder *c);

#ifdef __cplusplus
}
#endif

#endif
