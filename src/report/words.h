/*
 * What the records of an execution say: threads, objects, values, operations, held locks; and colours. Private to
 * the reports. One pass over the records notes which data is shared, what a write has left and which blocks there
 * were; then the caller asks about single records. The narrator has the words.
 */
#ifndef SL_REPORT_WORDS_H
#define SL_REPORT_WORDS_H

#include "base/held.h"
#include "base/room.h"
#include "report/narrator.h"
#include "report/report.h"

struct sl_words_block;

struct sl_words {
	const struct sl_trace *trace;
	struct sl_names *names;
	struct sl_words_block *blocks; /* of the heap, by address and time */
	size_t block_count;
	uint32_t *next; /* by record: the next one with the same address and size; 0: there is none */
	unsigned char *shared; /* by record: 1 if two threads touch the same and one of them writes */
};

/* trace and names must outlive it. */
void sl_words_init(struct sl_words *words, const struct sl_trace *trace, struct sl_names *names);
void sl_words_release(struct sl_words *words);

/* NULL if the trace does not know the thread. */
const struct sl_thread_record *sl_words_find_thread(const struct sl_words *words, uint32_t thread);

/* Returns what the thread waits for; after a condition variable that is its mutex, if known. */
static inline uint64_t
sl_words_awaited(const struct sl_thread_record *t)
{
	return sl_kind_retakes_lock(t->pending.kind) && t->mutex ? t->mutex : t->pending.object;
}

/* "main", "T1 worker"; the short form: "main", "T1". Returns text. */
const char *sl_words_thread(const struct sl_words *words, uint32_t thread, char *text, size_t room);
const char *sl_thread_short(uint32_t thread, char *text, size_t room);

/* The verb of one side of a race: "writes", "initialises"; for an access it needs no object. */
const char *sl_words_conflict(const struct sl_culprit *culprit, const char *object);
bool sl_culprit_is_access(const struct sl_culprit *culprit, const char *object);
/*
 * Names what was at the address at the time of record `when`: "account.balance", "heap block from list.c:31, +8".
 * full: with the size of a block and the function that allocated it. Returns text.
 */
const char *sl_words_object(const struct sl_words *words, uint64_t address, uint32_t size, uint64_t when,
			    bool full, char *text, size_t room);

/*
 * The same for an operation: if the address has no name, what the compiler said about the place comes first,
 * "ctx->stop_flag (struct mg_context)".
 */
const char *sl_words_accessed(const struct sl_words *words, const struct sl_op *op, uint32_t size, uint64_t when,
			      bool full, char *text, size_t room);
/* Only what the compiler said, as above, or "". */
const char *sl_words_site(const struct sl_words *words, const struct sl_op *op, char *text, size_t room);
/* Returns the operation of one side of a finding. */
struct sl_op sl_culprit_op(const struct sl_finding *finding, const struct sl_culprit *culprit);

/*
 * Returns whether the access is to the arguments of std::thread, or by the C++ library on its own: no program
 * names those.
 */
bool sl_words_is_machinery(const struct sl_words *words, uint64_t record);

/* "descriptors 3 and 4 (pipe)" (io_words.c), and what a stuck thread waits for. */
uint64_t sl_words_made(const struct sl_words *words,
		       uint64_t address); /* the value of its IO_OPEN; UINT64_MAX: unknown */
const char *sl_words_channel(const struct sl_words *words, uint64_t address, char *text, size_t room);
const char *sl_words_io_wait(const struct sl_words *words, const struct sl_op *op, char *text, size_t room);

/* Names the event of the operation. */
const char *sl_words_event(const struct sl_words *words, const struct sl_op *op);

/*
 * Tells the record in the narrator's words: "reads balance (= 100)", "signals ready: no thread waits". Returns
 * text.
 */
const char *sl_words_operation(const struct sl_words *words, uint64_t record, char *text, size_t room);

/* "account.c:14", the program's own line in that stack; the function if no line is known. */
const char *sl_words_line(const struct sl_words *words, uint64_t pc, uint32_t stack, char *text, size_t room);
/* "account.c:14 (deposit)" */
const char *sl_words_place(const struct sl_words *words, uint64_t pc, uint32_t stack, char *text, size_t room);
/*
 * Finds the innermost place outside the C++ library, or the innermost place if there is none; false: nothing is
 * known.
 */
bool sl_stack_own(const struct sl_words *words, uint64_t pc, uint32_t stack, struct sl_place *place);
/* … that a block of the heap comes from: functions that only hand on what malloc() returns are not it, but who calls them. */
bool sl_stack_block(const struct sl_words *words, uint64_t pc, uint32_t stack, struct sl_place *place);
bool sl_place_is_library(const struct sl_place *place); /* in the C++ library */
bool sl_place_is_foreign(const struct sl_place *place); /* in the engine or in libc */
bool sl_stack_is_library(const struct sl_words *words, uint64_t pc, uint32_t stack); /* all of its places are */

/*
 * Stores the locks that the thread holds after everything before record `when`, with the records where it took
 * them; at most max.
 */
size_t sl_words_holds(const struct sl_words *words, uint32_t thread, uint64_t when, struct sl_hold *holds,
		      size_t max);

/* Returns the record of a thread's operation, or of the last one before it; UINT64_MAX: there is none. */
uint64_t sl_words_find_record(const struct sl_words *words, uint32_t thread, uint64_t index);

/* Reads a line of the file, without blanks at its ends; false if it cannot be read. */
bool sl_source_line(const char *path, uint32_t number, char *text, size_t room);

/* Colours: nothing is printed without style->colour. */
enum sl_ink { SL_INK_NONE, SL_INK_BOLD, SL_INK_DIM, SL_INK_RED, SL_INK_GREEN, SL_INK_YELLOW, SL_INK_CYAN };
const char *sl_ink(const struct sl_style *style, enum sl_ink ink);

/* Writes the text in quotation marks, as JSON has it. */
void sl_json_put_string(FILE *out, const char *text, size_t size);
/* Writes `"key": "text"`; null instead of the text for NULL. */
void sl_json_put_field(FILE *out, const char *key, const char *text);

/* The number of columns of the text (one a character). */
size_t sl_columns(const char *text);

/* The places that a finding points at: the story shows their source, the outline lists them. */
struct sl_program_spot {
	uint32_t thread;
	uint32_t stack;
	uint64_t pc;
};
size_t sl_story_spots(const struct sl_story *story, struct sl_program_spot *spots, size_t max);

/* Of a crash at or near the null pointer: the record that has read the pointer; UINT64_MAX: unknown. */
uint64_t sl_words_null_read(const struct sl_words *w, const struct sl_finding *finding);

/* Returns whether the schedule delays a runnable thread for long while time passes. A race needs no such delay. */
static inline bool
sl_story_is_delayed(const struct sl_story *story)
{
	return story->finding->delayed >= SL_DELAY_LONG && !story->warning &&
	       story->finding->kind != SL_FINDING_RACE;
}

/*
 * A stuck thread, and the thread that it waits for: a lock's holder, or a thread that would have set its flag
 * (cycle.c).
 */
struct sl_wait {
	const struct sl_thread_record *thread, *by;
	const struct sl_flag *flag; /* NULL: it waits for a lock, or for the end of the other thread */
	const struct sl_enabler *enabler;
};
/*
 * Finds a cycle that has more than locks, beginning with the lowest thread; 0: there is none, or it is longer than
 * max.
 */
size_t sl_cycle_find(const struct sl_story *story, const struct sl_words *words, struct sl_wait *waits,
		     size_t max);
void sl_wait_describe(const struct sl_words *words, const struct sl_wait *wait, struct sl_outline_wait *outline);
/* "T1 f waits at a.c:6 for b, which T2 g sets at a.c:12; T2 g waits at …"; false: there is no such cycle. */
bool sl_cycle_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room);
bool sl_awaited_any(const struct sl_story *story, const struct sl_words *words,
		    const struct sl_thread_record *thread, struct sl_wait *wait);
void sl_enablers_print(FILE *out, const struct sl_story *story, const struct sl_words *words,
		       const struct sl_thread_record *thread);

/* The parts of the story, each in a file of its own: */
/*
 * The last lines of the standard output (0) or error (1) (last_words.c); empty: there are none, or the finding
 * does not end the program.
 */
void sl_said_lines(const struct sl_story *story, int stream, char *text, size_t room);
/* `: "text"`, the last line of the standard error, for the headline; empty: there is none. Returns text. */
const char *sl_said_last(const struct sl_story *story, char *text, size_t room);
void sl_said_print(FILE *out, const struct sl_style *style, const struct sl_story *story);

void sl_steps_print(FILE *out, const struct sl_style *style, const struct sl_story *story,
		    const struct sl_words *words);
void sl_race_print(FILE *out, const struct sl_style *style, const struct sl_story *story,
		   const struct sl_words *words);
void sl_deadlock_print(FILE *out, const struct sl_style *style, const struct sl_story *story,
		       const struct sl_words *words);
/* Prints what happened earlier to a block of the heap, or to an object. */
void sl_heap_print(FILE *out, const struct sl_style *style, const struct sl_story *story,
		   const struct sl_words *words);
void sl_leak_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room);
void sl_misuse_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room);
void sl_heap_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room);
void sl_livelock_print(FILE *out, const struct sl_style *style, const struct sl_story *story,
		       const struct sl_words *words);
/*
 * Stores the place and its callers, the innermost first, as far as they belong to the program. Names live as long
 * as `places` does.
 */
size_t sl_stack_places(const struct sl_words *words, uint64_t pc, uint32_t stack, struct sl_place *places,
		       size_t max);
void sl_stack_print(FILE *out, const struct sl_style *style, const struct sl_words *words, uint64_t pc,
		    uint32_t stack);

void sl_livelock_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room);
void sl_endless_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room);
void sl_endless_print(FILE *out, const struct sl_story *story);
void sl_looks_print(FILE *out, const struct sl_story *story, const struct sl_words *words);
/* "T1 forward and T2 backward wait for each other", "T1 waits for ready, …": for the headline. */
void sl_deadlock_format(const struct sl_story *story, const struct sl_words *words, char *text, size_t room);

#endif
