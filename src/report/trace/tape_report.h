/*
 * A trace file for people and for other programs: as text, as JSON, for the Perfetto UI, as a few sums. One file each;
 * `sleave trace` feeds them item by item, so that a trace may be of any length.
 */
#ifndef SL_REPORT_TRACE_TAPE_REPORT_H
#define SL_REPORT_TRACE_TAPE_REPORT_H

#include "trace/tape/scene.h"
#include "trace/tape/tape.h"

#include <stdbool.h>
#include <stdio.h>

struct sl_tape_view {
	FILE *out;
	struct sl_tape *tape;
	struct sl_scene *scene;
	bool locks;    /* those that are held, too */
	uint64_t size; /* of the file, bytes */
	bool damaged;  /* something was */
};

struct sl_tape_format {
	void *(*begin)(const struct sl_tape_view *view);
	/* Between sl_scene_before() and sl_scene_after(). */
	void (*item)(void *state, const struct sl_tape_view *view, const struct sl_item *item);
	/* Something can't be read, tape->err says what; may be NULL. */
	void (*damage)(void *state, const struct sl_tape_view *view);
	void (*end)(void *state, const struct sl_tape_view *view);
};

extern const struct sl_tape_format sl_tape_text, sl_tape_json, sl_tape_perfetto, sl_tape_summary;

/* Completes "T1 …": "locks". */
const char *sl_item_verb(const struct sl_tape_view *view, const struct sl_item *item);
/* What it is done to: a variable, a block, a thread, a descriptor, a signal; "" for nothing. Returns text. */
const char *sl_item_object(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room);
/* … as of the item that takes this lock: it has that name wherever it is spoken of. */
const char *sl_tape_lock(const struct sl_tape_view *view, uint64_t address, char *text, size_t room);
/* The other thread that the item is about: created, joined, woken. False: none, or it is not known. */
bool sl_item_thread(const struct sl_item *item, uint32_t *thread);
/* What a number of an item means, " (12 bytes)", ""; returns text. */
const char *sl_item_remark(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room);

/* "execution 12", "finding 1": what is read now. Returns text. */
/* The program and its arguments, as one types them. */
void sl_tape_command_put(FILE *out, const struct sl_tape_head *head);
/* "exit status 0; 3 threads were not recorded". Returns text. */
const char *sl_tape_end_format(const struct sl_tape *tape, char *text, size_t room);
const char *sl_part_label(const struct sl_tape *tape, char *text, size_t room);

#endif
