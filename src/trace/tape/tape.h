/*
 * A tape is a trace file: what the threads of one execution did, or of several (the parts of an exploration), as items
 * (trace/lane/item.h), with names for all that an item mentions. The recorder's drainer writes tapes; `sleave trace`,
 * coverage and analyses read them. Never inside the program under test.
 *
 * The file is a header (magic, version, length, checksum; the words of all kinds, the program and its arguments)
 * and blocks. A block has a header of its own (magic, lengths, number of its first item, two checksums) and a body,
 * compressed with zstd: definitions, then items. Blocks do not need each other: each defines all places, variables,
 * threads and events that its items mention, and what is predicted (tape_code.h) is forgotten between blocks. So a file that is
 * truncated or damaged gives all whole blocks, before and after. The last block says how the recording ended;
 * a file without it is not whole.
 *
 * Several processes may be recorded at the same time, those of a search with `-j`: each has a lane, which is blocks of its own
 * among those of the others, with parts that are counted for themselves. The reader gives back one lane after the other, so
 * every execution is in one piece.
 *
 * All numbers in the header and in the headers of blocks are little-endian; in bodies they are varints.
 */
#ifndef SL_TRACE_TAPE_TAPE_H
#define SL_TRACE_TAPE_TAPE_H

#include "base/err.h"
#include "trace/lane/item.h"
#include "trace/lane/reel.h"
#include "trace/name/name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_TAPE_VERSION 4
#define SL_TAPE_LANES_MAX 64
#define SL_TAPE_KIND_UNKNOWN                                                                                      \
	255 /* a kind that the file has and this version does not know; sl_tape_kind() returns its word */

/* What was recorded. A writer may leave strings NULL; a reader never does. */
struct sl_tape_head {
	const char *program, *cwd, *build_id;
	const char *mode; /* "free": on real threads; "controlled" */
	const char *strategy;
	uint64_t seed;
	char **argv;    /* ends with NULL */
	uint32_t lanes; /* 0, when it is written, counts as one */
};

/* ---- words of kinds (tape_words.c) ---- */

/* "MUTEX_LOCK", "CALL"; NULL: there is no such kind. */
const char *sl_kind_word(uint8_t kind);
/* -1: there is none. */
int sl_kind_find(const char *word);

/* ---- writing ---- */

/* Gives the names; it is asked once for each in a block. A function that is NULL knows no names. */
struct sl_tape_namer {
	void *data;
	bool (*place)(void *data, uint64_t pc, struct sl_place *place);
	const struct sl_site *(*site)(void *data, uint64_t pc, bool writes); /* as sl_names_site() */
	/* Returns whether a variable may be between the two addresses. Asked for every item. */
	bool (*covers)(void *data, uint64_t first, uint64_t last);
	/* From *low to before *high there is none for now, so covers() need not be asked. */
	void (*bare)(void *data, uint64_t *low, uint64_t *high);
	bool (*variable)(void *data, uint64_t address, uint32_t size, struct sl_data *variable);
	bool (*extent)(void *data, uint64_t address, struct sl_extent *extent); /* finds the whole variable */
	const char *(*function)(void *data, uint64_t address);
	const char *(*event)(void *data, uint64_t number);
	const char *(*thread)(void *data, uint32_t thread); /* the name that the program gave it */
};

struct sl_tape_writer;

/* NULL and a sentence if the file can't be made. The namer must live as long as the writer. */
struct sl_tape_writer *sl_tape_writer_new(const char *path, const struct sl_tape_head *head,
					  const struct sl_tape_namer *namer, struct sl_err *err);

/*
 * A second writer into the file of the first, for another lane (from 1, below SL_TAPE_LANES_MAX); another thread
 * may use it at the same time. It must be freed before the first.
 */
struct sl_tape_writer *sl_tape_writer_beside(const struct sl_tape_writer *first, uint32_t lane,
					     const struct sl_tape_namer *namer);
void sl_tape_writer_leave(struct sl_tape_writer *writer);

/* Negative if something could not be written (sl_tape_writer_free() says what); further items are ignored then. */
int sl_tape_write(struct sl_tape_writer *writer, const struct sl_item *item);

/*
 * The same for items of one thread as they are in a lane (trace/lane/reel.h), up to the first that mentions
 * something new. Returns the number of their words, with tickets up to the limit. The next item has to be written
 * by sl_tape_write().
 */
uint64_t sl_tape_write_words(struct sl_tape_writer *writer, uint32_t thread, const uint64_t *words, uint64_t count,
			     uint64_t limit);
/*
 * Writes `count` items of a loop of a lane, from the item `first` on. Returns how many it has written; otherwise
 * as above.
 */
uint64_t sl_tape_write_loop(struct sl_tape_writer *writer, uint32_t thread, const struct sl_reel_loop *loop,
			    uint64_t first, uint64_t count);

/* The namer knows a name for the thread, or a new one. */
void sl_tape_write_named(struct sl_tape_writer *writer, uint32_t thread);

/* The items that follow belong to another execution, with this number. */
void sl_tape_write_part(struct sl_tape_writer *writer, uint64_t execution);

/* In the part that has just begun, addresses may have other names than before. */
void sl_tape_write_forget(struct sl_tape_writer *writer);

/* Writes the present items as a block: then they are in the file even if all processes are killed. */
void sl_tape_write_flush(struct sl_tape_writer *writer);

/* How a recording ended. */
struct sl_tape_end {
	const char *how;       /* "exit status 0", "SIGSEGV" */
	const char *missing;   /* what was not recorded, as in struct sl_tape; NULL: nothing */
	uint64_t items, bytes; /* set by sl_tape_writer_free(): what the file has, of all lanes */
};

/* Negative and a sentence if not all items are in the file. */
int sl_tape_writer_free(struct sl_tape_writer *writer, struct sl_tape_end *end, struct sl_err *err);

/* ---- reading ---- */

enum sl_tape_answer { SL_TAPE_END, SL_TAPE_ITEM, SL_TAPE_DAMAGE };

struct sl_tape {
	struct sl_tape_head head;
	uint32_t version;
	/* The item that was read last: */
	uint32_t lane;      /* from 0 */
	uint32_t part;      /* from 1; over all lanes, in the order in which they are read */
	uint64_t execution; /* the execution's number in the exploration (SL_PART_FINDING); 0: there is one execution */
	uint64_t number;    /* in its part, from 1 */
	/* counted so far: */
	uint64_t items;
	uint64_t bytes; /* bytes of the file that were read */
	uint64_t lost; /* items that damaged blocks are known to have had */
	const char *ended; /* how the recording ended; NULL: the end of the file was not reached, or is missing */
	const char *
		missing; /* what was not recorded: "3 threads were not recorded"; NULL: nothing is known to be missing */
	struct sl_err err; /* what the last damage was */
};

/*
 * NULL and a sentence if the file is no tape, or has an older format than can be read. Of a newer format the known
 * parts are read, after an SL_TAPE_DAMAGE.
 */
struct sl_tape *sl_tape_open(const char *path, struct sl_err *err);
void sl_tape_close(struct sl_tape *tape); /* NULL is fine */

/*
 * Reads the next item, in order. SL_TAPE_DAMAGE: a part of the file cannot be read, and tape->err says why; the
 * next call continues after it. A reader that derives something from all items (held locks, blocks of the heap)
 * must start over then, and when tape->part changes.
 */
enum sl_tape_answer sl_tape_next(struct sl_tape *tape, struct sl_item *item);

/* Names of everything that the items up to the last one mention. They live as long as the tape. */
bool sl_tape_place(const struct sl_tape *tape, uint64_t pc, struct sl_place *place);
/* What the source says is accessed: "ctx->stop_flag", in a "struct mg_context" ("": in none, or it is not known). */
struct sl_tape_site {
	const char *text, *container;
};
/* As sl_names_site(); NULL: the compiler said nothing, or the tape is older than that. */
const struct sl_tape_site *sl_tape_site(const struct sl_tape *tape, uint64_t pc, bool writes);
/* "table[3].count"; "table+12" if the tape has too many names. Returns text; NULL: no variable is known there. */
const char *sl_tape_variable(const struct sl_tape *tape, uint64_t address, uint32_t size, char *text, size_t room);
const char *sl_tape_function(const struct sl_tape *tape, uint64_t address); /* NULL: unknown */
const char *sl_tape_event(const struct sl_tape *tape, uint64_t number);     /* NULL: unknown */
/* The thread's origin: "0" is the first thread, "0.2" its second child; NULL: unknown. */
const char *sl_tape_thread_path(const struct sl_tape *tape, uint32_t thread);
const char *sl_tape_thread_name(const struct sl_tape *tape, uint32_t thread); /* the name that the program gave it; NULL: none */
/* As sl_kind_word(), also for kinds that only the file has. */
const char *sl_tape_kind(const struct sl_tape *tape, const struct sl_item *item);

#endif
