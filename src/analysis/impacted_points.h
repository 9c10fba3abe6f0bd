/*
 * The points of a program that a change impacts (impacted code points of CAPP: Jagannath, Luo and Marinov, ISSTA 2011), each
 * with the reason. Used by the commands, and by impacted_code.h, which finds them in the code.
 *
 * A point is a line with the function and the class that it is in, or a field with its class. In C a field is a member of a
 * struct, or a global variable; a class is a module, a source file with its header, and in C++ the class of a member function.
 *
 * The change is the lines that differ between the versions (version/align.h), less those of functions whose code is the same in
 * both, and the functions whose code differs although their text does not. Where other lines of such a function have changed, those
 * that use a name that stands for something else now have, too; all have if the options of the compiler define other macros. The
 * analyses of the paper follow:
 *
 *	1. a line of a locked region makes all lines of the region impacted, also of a region that the old version had. A function that
 *	   is called in locked regions alone, by name, is a part of them (so are those that it alone calls, CALLS_DEEP deep);
 *	2. functions and classes are those of the lines;
 *	3. what is accessed, locked or waited for on an impacted line is impacted wherever that is done;
 *	4. so is what the functions access that are called from there, by name or by a pointer of that type.
 *
 * Lines of the old version that are gone count like changed ones.
 */
#ifndef SL_ANALYSIS_IMPACTED_POINTS_H
#define SL_ANALYSIS_IMPACTED_POINTS_H

#include "analysis/binary.h"
#include "version/align.h"

enum sl_point_reason {
	SL_POINT_CHANGED,    /* the line */
	SL_POINT_GONE,       /* something beside the line is gone */
	SL_POINT_CODE,       /* the function's code has changed, its text has not */
	SL_POINT_USES,       /* the line uses the name `by`, whose definition at `from` has changed */
	SL_POINT_OLD_USES,   /* … which the old version defined there */
	SL_POINT_NEW,        /* the function is compiled now, and was not before */
	SL_POINT_REGION,     /* the line is in a locked region with a changed line, `from` */
	SL_POINT_OLD_REGION, /* in the old version it was in such a region */
	SL_POINT_CALLER, /* it is in a region that calls the function `by`, which runs in such regions alone; `from` in it has changed */
	SL_POINT_OLD_CALLER, /* in the old version it was */
	SL_POINT_ACCESS,     /* the field is accessed on an impacted line, `from` */
	SL_POINT_OLD_ACCESS, /* … of the old version */
	SL_POINT_CALLED,     /* the function `by` accesses it, which is called there */
	SL_POINT_OLD_CALLED,
	SL_POINT_DECLARED, /* its declaration at `from` has changed */
	SL_POINT_COUNT
};

struct sl_point {
	bool field; /* a field; else a line */
	enum sl_point_reason reason;
	const char *file; /* of a line: its name in the new version */
	uint32_t line;
	const char *function;   /* of a line; "": the line is in no function */
	const char *class_name; /* "queue" of queue.c and queue.h, "ns::Queue" */
	const char *name;       /* of a field: "struct queue.count", "total" */
	const char *from_file;  /* the place of the reason */
	uint32_t from_line;
	const char *by; /* the lock of a region; the function that is called; else "" */
};

struct sl_points {
	struct sl_point *items; /* lines sorted by file and line, then fields by name */
	size_t count, line_count, field_count;
	size_t changed_lines; /* lines that are points by themselves: CHANGED and GONE */
	size_t same_code; /* changed lines that are no points, because the code of their functions is the same */
	/* the file that was compiled without Sleave's plugin, so that not all regions, fields and calls are known; "": none was */
	char without_sites[512];
	struct sl_points_inside *inside;
};

/* Two versions: their files, and the alignment of their sources in both directions. Sources are named as the binaries name them. */
struct sl_two_versions {
	const struct sl_binaries *old, *new;
	const struct sl_text *old_texts, *new_texts; /* those that were aligned */
	const struct sl_alignment *forth, *back;     /* of the new version; of the old one */
};

void sl_points_find(struct sl_points *points, const struct sl_two_versions *versions);
void sl_points_release(struct sl_points *points);

/* NULL: the line is no point. */
const struct sl_point *sl_points_line(const struct sl_points *points, const char *file, uint32_t line);

/* NULL: the object is no field, or no point. */
const struct sl_point *sl_points_field(const struct sl_points *points, const struct sl_site_object *object);

/*
 * Returns the first point of the line's function; NULL: it has none. The other function: whether its class has
 * one.
 */
const struct sl_point *sl_points_function(const struct sl_points *points, const char *file, uint32_t line);
bool sl_points_class(const struct sl_points *points, const char *file, uint32_t line);

/* Describes the reason: "under queue->lock with queue.c:12, which has changed". Files below the folder are named relative to it. */
void sl_point_format(const struct sl_point *point, const char *folder, char *text, size_t room);

/* Returns the name of a file relative to the folder, if it is below it. The folder may be NULL. */
const char *sl_point_path(const char *path, const char *folder);

#endif
