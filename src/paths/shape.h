/*
 * What the table of sites says of a function as it runs: its own code and that of the functions that were inlined into it, each with
 * its points and slices; and which of the points feed a branch. Made once for each function that is entered.
 *
 * A function without a table has a shape without instances.
 */
#ifndef SL_PATHS_SHAPE_H
#define SL_PATHS_SHAPE_H

#include "trace/name/name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_NO_POINT UINT32_MAX
#define SL_PARAMETERS 24 /* of a function that are told apart */

/* A function of the table, with its slices in reach. */
struct sl_sliced {
	const struct sl_site_function *function;
	const struct sl_sites *sites;
	uint32_t *write;    /* by point: the slice of what it writes, plus one */
	uint32_t *argument; /* by point: the first slice of what the call is given, plus one; the others follow */
	uint32_t result;    /* the slice, plus one */
	uint32_t branches;  /* the first slices are those of branches */
};

/* A function's code in another's, or the function itself. */
struct sl_instance {
	const struct sl_sliced
		*code;  /* NULL: it is a function without a body in the table, as those of system headers */
	uint32_t outer; /* SL_NO_POINT: it is the function itself */
	const char *name, *file; /* file, line, column: where it was inlined */
	uint32_t line, column;
	uint32_t base, point_count; /* its points among those of the shape; without code there is one */
	uint32_t call_count;
	uint32_t calls[4]; /* the points of the outer instance that can be this call */
	bool sited;        /* an operation of it is announced; else it was made to look for what was not */
	bool live;         /* it may run with the function */
};

struct sl_shape {
	const struct sl_site_function *function; /* NULL: it has no table */
	const struct sl_sites *sites;
	const char *name;
	struct sl_instance *instances;
	uint32_t instance_count, instance_room;
	uint32_t size; /* points of all instances */
	/* By point: */
	struct sl_shape_point {
		uint32_t instance;
		bool sited;   /* an operation is announced there */
		bool feeds;   /* a branch depends on it */
		bool called;  /* the code has a call there: what is called was not inlined */
		bool entered; /* … and it announces itself: the reader has seen it */
		bool looked;
		uint64_t round;            /* the reader's: when it was last looked into */
		uint32_t like, like_count; /* in likes: points that access the same object, as far as is known */
	} * points;
	uint32_t point_room;
	uint32_t *likes;
	size_t like_count, like_room;
	struct sl_code_part {
		uint64_t start, end;
	} * parts; /* of its code, whose calls are known */
	uint32_t part_count;
	/* Branches that are at the end of no basic block, as far as is known. */
	struct sl_blind {
		const struct sl_site_slice *slice;
		uint32_t instance;
	} * blind;
	size_t blind_count, blind_room;
	bool blocks_known;
	uint64_t fed;     /* parameters that a branch depends on */
	bool locals_feed; /* … and what is read of local variables in memory */
	bool all_feed;    /* … and all that there is: what a branch depends on is not fully known */
	bool fed_of;      /* the above is of the instances that there are now */
};

struct sl_shapes {
	struct sl_names *names;
	struct sl_shape **all;
	size_t count, room;
	struct sl_sliced **codes;
	size_t code_count, code_room;
	uint32_t **readings;
	size_t readings_count, readings_room;
	struct sl_unit_sites **units; /* the sites of a unit by function */
	size_t unit_count, unit_room;
};

void sl_shapes_release(struct sl_shapes *shapes);
/* The function that begins at, or contains, the address behind this call. */
struct sl_shape *sl_shape_at(struct sl_shapes *shapes, uint64_t pc);

/* Where a call returns to: in which function, inlined into which, at which point. */
struct sl_spot_place {
	struct sl_shape *shape; /* NULL: not known */
	uint32_t instance;
	uint32_t read, write;         /* points of the shape: SL_NO_POINT: none */
	bool local_read, local_write; /* of a local variable, which is no point */
	bool pair;    /* a statement that reads one object and writes another: which it announces first, is open */
	bool pointed; /* it writes through a pointer */
	bool moves;   /* … or to an element of an array: where it writes to is computed */
	uint32_t call_count, reading_count;
	uint32_t calls[4]; /* points that are calls there, if no access is known */
	const uint32_t
		*readings; /* … points that may read the same, if the compiler has moved or merged their reads */
};
void sl_shape_place(struct sl_shapes *shapes, uint64_t pc, struct sl_spot_place *place);
/*
 * The branch at the end of the basic block that begins before pc, the return address of the call that announces the block; with the instance that
 * it is in. NULL: it has none, as far as is known. shape: of the function.
 */
const struct sl_site_slice *sl_shape_branch(struct sl_shapes *shapes, struct sl_shape *shape, uint64_t pc,
					    uint32_t *instance);

/* Finds the branches for which no block is known; pc is of one of the function's blocks. */
void sl_shape_blocks(struct sl_shapes *shapes, struct sl_shape *shape, uint64_t pc);

/* The points of calls at that place that can call this function; name may be NULL: any. Returns how many. */
uint32_t sl_shape_calls(struct sl_shapes *shapes, const struct sl_shape *shape, uint32_t instance, uint64_t pc,
			const char *name, uint32_t *calls, uint32_t room);

static inline const struct sl_site_point *
sl_shape_point(const struct sl_shape *shape, uint32_t point)
{
	const struct sl_instance *i = &shape->instances[shape->points[point].instance];

	return i->code ? &i->code->function->points[point - i->base] : NULL;
}

/* May the instance run with the function? Not if what is called there announces itself. */
static inline bool
sl_shape_runs(const struct sl_shape *shape, uint32_t instance)
{
	const struct sl_instance *i = &shape->instances[instance];

	return i->sited || (i->live && !shape->points[i->calls[0]].entered);
}

/* What the point writes. NULL: nothing, or what depends on nothing. */
static inline const struct sl_site_slice *
sl_shape_write(const struct sl_shape *shape, uint32_t point)
{
	const struct sl_instance *i = &shape->instances[shape->points[point].instance];
	uint32_t number = i->code ? i->code->write[point - i->base] : 0;

	return number ? &i->code->function->slices[number - 1] : NULL;
}

/* Points of the same shape that may access what this one does, itself left out. */
uint32_t sl_shape_likes(struct sl_shape *shape, uint32_t point, const uint32_t **likes);
/* Finds what feeds branches. */
void sl_shape_feed(struct sl_shapes *shapes, struct sl_shape *shape);
/*
 * The instances that the call may be, that was not seen to run: one is made if the table has the body. Returns how many; SL_NOT_RUN if it is
 * certain that it did not run.
 */
#define SL_NOT_RUN UINT32_MAX
uint32_t sl_shape_callees(struct sl_shapes *shapes, struct sl_shape *shape, uint32_t call, uint32_t *instances,
			  uint32_t room);
bool sl_sliced_names(const struct sl_site_function *function, const char *name);

#endif
