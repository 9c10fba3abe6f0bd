/*
 * A trace file for people and for other programs: as text, as JSON, for the Perfetto UI, as a summary. `sleave
 * trace` passes item by item, so a trace may have any length.
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
	bool locks; /* show held locks, too */
	uint64_t size; /* bytes of the file */
	bool damaged; /* a part of the file was */
};

struct sl_tape_format {
	void *(*begin)(const struct sl_tape_view *view);
	/* Called between sl_scene_before() and sl_scene_after(). */
	void (*item)(void *state, const struct sl_tape_view *view, const struct sl_item *item);
	/* Called if a part of the file can't be read (tape->err says why); may be NULL. */
	void (*damage)(void *state, const struct sl_tape_view *view);
	void (*end)(void *state, const struct sl_tape_view *view);
};

extern const struct sl_tape_format sl_tape_text, sl_tape_json, sl_tape_perfetto, sl_tape_summary;

/* The item in the narrator's words: "locks account.lock". Returns text. */
const char *sl_item_tell(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room);
/* Its object alone, by a name that is the same at each place and in each execution. */
const char *sl_item_object(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room);
/* … as sl_item_tell() says it: what has no name of its own has the words of the source before that name. */
const char *sl_item_accessed(const struct sl_tape_view *view, const struct sl_item *item, char *text, size_t room);
/* A lock by the name that the item which takes it gives it. Returns text. */
const char *sl_tape_lock(const struct sl_tape_view *view, uint64_t address, char *text, size_t room);
/* "main", "T1 worker": the name that the program gave it, or that of its start function. Returns text. */
const char *sl_tape_thread(const struct sl_tape_view *view, uint32_t thread, char *text, size_t room);

/* Writes the program and its arguments as a user types them. */
void sl_tape_command_put(FILE *out, const struct sl_tape_head *head);
/* "exit status 0; 3 threads were not recorded". Returns text. */
const char *sl_tape_end_format(const struct sl_tape *tape, char *text, size_t room);
/* "execution 12", "finding 1": what the tape is at. Returns text. */
const char *sl_part_label(const struct sl_tape *tape, char *text, size_t room);

#endif
