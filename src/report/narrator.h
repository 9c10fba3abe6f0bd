/*
 * The narrator: turns one performed operation into words, "locks account.lock", "signals ready: no thread waits". Stories,
 * `sleave replay --trace` and `sleave trace` tell an operation in the same words, because there is no other place that has them.
 *
 * Records (trace/records.h) and items (trace/lane/item.h) are two ways to store what a thread did. Either is told as a moment.
 * What a story and a trace know in different ways, names above all, they answer as a namer.
 */
#ifndef SL_REPORT_NARRATOR_H
#define SL_REPORT_NARRATOR_H

#include "trace/lane/item.h"
#include "trace/name/name.h"
#include "trace/records.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_NULL_PAGES 65536u /* Linux maps nothing below: a pointer there is null, or nearly so */

/* The fields mean what they mean in struct sl_record and struct sl_item; of accesses, the value is told by the namer. */
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
	/* A variable, a block, a local variable, what sl_unnamed_format() says; size 0: of a synchronisation object. */
	const char *(*memory)(const void *of, uint64_t address, uint32_t size, char *text, size_t room);
	uint64_t (*channel)(const void *of, uint64_t address); /* the value of its IO_OPEN; UINT64_MAX: unknown */
	const char *(*event)(const void *of, uint64_t number); /* its name; NULL: unknown */
	const char *(*kind)(const void *of);                   /* of one that this version does not know */
	/* The rest may be NULL. */
	uint64_t (*bytes)(const void *of);       /* that were allocated or freed; 0: unknown */
	const char *(*function)(const void *of); /* that is called or returns; NULL: unknown */
	/* What an access read and left, " (= 100)"; "" if that is not known. */
	const char *(*change)(const void *of, char *text, size_t room);
};

/* "locks account.lock", "tries to lock account.lock: already locked". Returns text. */
const char *sl_narrated_tell(const struct sl_namer *namer, const struct sl_narrated *moment, char *text,
			     size_t room);

/* Its three parts. The verb completes "T1 …": "locks". Returns text. */
const char *sl_narrated_verb(const struct sl_namer *namer, const struct sl_narrated *moment, char *text,
			     size_t room);
/* What it is done to: a variable, a block, a thread, a descriptor, a signal; "" for nothing. Returns text. */
const char *sl_narrated_object(const struct sl_namer *namer, const struct sl_narrated *moment, char *text,
			       size_t room);
/* What came of it, and what its value means: " (12 bytes)", ": already locked", "". Returns text. */
const char *sl_narrated_remark(const struct sl_namer *namer, const struct sl_narrated *moment, char *text,
			       size_t room);

/* The other thread that it is about: created, joined, woken. False: there is none, or it is not known. */
bool sl_narrated_thread(const struct sl_narrated *moment, uint32_t *thread);

/* ---- words for single things, for sentences about more than one operation ---- */

/* "writes", "locks": what a kind of operation does, if it succeeds. */
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
	const char *thread; /* among whose blocks it is counted; NULL: among all */
	uint64_t bytes;     /* 0: not worth saying */
	const char *place;
	uint64_t offset;
};
const char *sl_block_format(const struct sl_block_words *block, char *text, size_t room);
/* Memory that has no name: "NULL+8", "libx.so+0x4040", "memory at 0x1000". Returns text. */
const char *sl_unnamed_format(const struct sl_module *modules, uint32_t count, uint64_t address, char *text,
			      size_t room);

/* Is it what a descriptor refers to? (io_words.c) */
bool sl_words_is_channel(uint64_t address);
bool sl_channel_is_one(uint64_t address); /* … or has words of its own: not any of several */
/* "descriptor 3 (pipe)"; made: the value of its IO_OPEN, UINT64_MAX if that is not known. Returns text. */
const char *sl_channel_format(uint64_t address, uint64_t made, char *text, size_t room);
/* What an operation on it came to: " (12 bytes)", ": would block". Returns text. */
const char *sl_io_remark(const struct sl_narrated *moment, char *text, size_t room);

/* OpenMP: "the team", and "the barrier of the team" for a thread that waits at it. (openmp_words.c) */
bool sl_words_is_team(uint64_t address);
const char *sl_words_team(uint64_t address, enum sl_op_kind kind);
void sl_words_trim_lock(char *name); /* of members of std::mutex and its like, whose names say nothing */

/* "file_descriptor[7]", where the engine keeps account of its use, becomes "file descriptor 7". */
void sl_words_descriptor(char *object);

#endif
