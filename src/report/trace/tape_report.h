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

/* What the item says, in the narrator's words: "locks account.lock". Returns text. */
const char *sl_item_tell(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room);
/* … and of that the object alone, by which items are looked for. */
const char *sl_item_object(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room);
/* … as of the item that takes this lock: it has that name wherever it is spoken of. */
const char *sl_tape_lock(const struct sl_tape_view *view, uint64_t address, char *text, size_t room);
/* "main", "T1 worker": by the name that the program gave it, or by its start function. Returns text. */
const char *sl_tape_thread(const struct sl_tape_view *view, uint32_t thread, char *text, size_t room);

/* The program and its arguments, as a user types them. */
void sl_tape_command_put(FILE *out, const struct sl_tape_head *head);
/* "exit status 0; 3 threads were not recorded". Returns text. */
const char *sl_tape_end_format(const struct sl_tape *tape, char *text, size_t room);
/* "execution 12", "finding 1": what is read now. Returns text. */
const char *sl_part_label(const struct sl_tape *tape, char *text, size_t room);

#endif
