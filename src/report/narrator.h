/*
 * The narrator turns one performed operation into words: "locks account.lock", "signals ready: no thread waits".
 * Stories, `sleave replay --trace` and `sleave trace` tell an operation in the same words, because all of them ask
 * the narrator.
 *
 * Records (trace/records.h) and items (trace/lane/item.h) are two ways to store what a thread did; both are told
 * as struct sl_narrated. What stories and traces know in different ways, names above all, a namer answers.
 */
#ifndef SL_REPORT_NARRATOR_H
#define SL_REPORT_NARRATOR_H

#include "trace/lane/item.h"
#include "trace/name/name.h"
#include "trace/records.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_NULL_PAGES 65536u /* Linux maps nothing below this address: a pointer there is null, or an offset from it */

/*
 * The fields mean what they mean in struct sl_record and struct sl_item; the namer tells the values of accesses.
 */
struct sl_narrated {
	uint8_t kind; /* enum sl_op_kind or enum sl_item_kind */
	uint8_t size;
	uint16_t flags;
	uint64_t object, value;
};

static inline struct sl_narrated
sl_record_narrated(const struct sl_record *r)
{
	return (struct sl_narrated){r->op.kind, r->op.size, r->op.flags, r->op.object, r->value};
}

static inline struct sl_narrated
sl_item_narrated(const struct sl_item *item)
{
	return (struct sl_narrated){item->kind, item->size, item->flags, item->object, item->value};
}

struct sl_namer {
	const void *of; /* the first argument of each of the functions, which return text */
	const char *(*thread)(const void *of, uint32_t thread, char *text, size_t room); /* "main", "T1 worker" */
	/*
	 * Names a variable, a block, a local variable, or as sl_unnamed_format() does; size 0: a synchronisation
	 * object.
	 */
	const char *(*memory)(const void *of, uint64_t address, uint32_t size, char *text, size_t room);
	uint64_t (*channel)(const void *of, uint64_t address); /* the value of its IO_OPEN; UINT64_MAX: unknown */
	const char *(*event)(const void *of, uint64_t number); /* its name; NULL: unknown */
	const char *(*kind)(const void *of); /* the verb of a kind that this version does not know */
	/* The functions below may be NULL. */
	uint64_t (*bytes)(const void *of); /* the size of what was allocated or freed; 0: unknown */
	const char *(*function)(const void *of); /* the function that is called or returns; NULL: unknown */
	/* what an access has read and stored: " (= 100)"; "" if that is not known */
	const char *(*change)(const void *of, char *text, size_t room);
};

/* "locks account.lock", "tries to lock account.lock: already locked". Returns text. */
const char *sl_narrated_tell(const struct sl_namer *namer, const struct sl_narrated *moment, char *text,
			     size_t room);

/* Its three parts. The verb completes "T1 …": "locks". Returns text. */
const char *sl_narrated_verb(const struct sl_namer *namer, const struct sl_narrated *moment, char *text,
			     size_t room);
/*
 * The object of the operation: a variable, a block, a thread, a descriptor, a signal; "" for none. Returns text.
 */
const char *sl_narrated_object(const struct sl_namer *namer, const struct sl_narrated *moment, char *text,
			       size_t room);
/*
 * The result of the operation, or the meaning of its value: " (12 bytes)", ": already locked", "". Returns text.
 */
const char *sl_narrated_remark(const struct sl_namer *namer, const struct sl_narrated *moment, char *text,
			       size_t room);

/*
 * The other thread of the operation: the one created, joined or woken. False: there is none, or it is not known.
 */
bool sl_narrated_thread(const struct sl_narrated *moment, uint32_t *thread);

/* ---- words for single things, for sentences about several operations ---- */

/* "writes", "locks": what an operation of the kind does if it succeeds. */
const char *sl_kind_verb(unsigned kind);
/* "waits for", "waits for tasks of": what a thread does that is stuck in an operation of the kind. */
const char *sl_kind_wait(uint8_t kind);

/* "SIGUSR1", "SIGRTMIN+2". Returns text. */
const char *sl_words_signal(uint64_t signal, char *text, size_t room);
/* "2 s", "10 µs". Returns text. */
const char *sl_words_seconds(uint64_t nanoseconds, char *text, size_t room);

/* A block of the heap: "heap block #2 of 0.1 from list.c:31 (add), +8". */
struct sl_block_words {
	uint64_t ordinal;   /* 0: it is the only one */
	const char *thread; /* the thread among whose blocks it is counted; NULL: it is counted among all */
	uint64_t bytes; /* 0: not mentioned */
	const char *place;
	uint64_t offset;
};
const char *sl_block_format(const struct sl_block_words *block, char *text, size_t room);
/* Memory that has no name: "NULL+8", "libx.so+0x4040", "memory at 0x1000". Returns text. */
const char *sl_unnamed_format(const struct sl_module *modules, uint32_t count, uint64_t address, char *text,
			      size_t room);

/* Returns whether a descriptor can refer to it. (io_words.c) */
bool sl_words_is_channel(uint64_t address);
bool sl_channel_is_one(uint64_t address); /* … or whether it has words of its own, because it stands for several */
/* "descriptor 3 (pipe)"; made: the value of its IO_OPEN, UINT64_MAX if that is not known. Returns text. */
const char *sl_channel_format(uint64_t address, uint64_t made, char *text, size_t room);
/* The result of an operation on it: " (12 bytes)", ": would block". Returns text. */
const char *sl_io_remark(const struct sl_narrated *moment, char *text, size_t room);

/* OpenMP: "the team", and "the barrier of the team" for a thread that waits at it. (openmp_words.c) */
bool sl_words_is_team(uint64_t address);
const char *sl_words_team(uint64_t address, enum sl_op_kind kind);
void sl_words_trim_lock(char *name); /* removes the members of std::mutex and the like, whose names say nothing */

/* Turns "file_descriptor[7]", the engine's name for the use of a descriptor, into "file descriptor 7". */
void sl_words_descriptor(char *object);

#endif
