/*
 * The replay file: everything that is needed to show a finding again. Written by `sleave run` and
 * sleave_explore(), read by `sleave replay`; a text that people read, keep in version control and send by
 * mail: one `key value` a line, then `schedule`, one item a line, then `end`:
 *
 *	sleave replay 1
 *	program /home/me/account
 *	argument ./account
 *	argument 100\x0a
 *	…
 *	environment MODE=fast
 *	unset LC_*
 *	step main creates T1 worker (account.c:20 (main))
 *	step T1 locks lock (account.c:9 (worker))
 *	path 1 2*2
 *	enabler sets 555555558040 9f3c2a 5555555551a3
 *	order 9f3c2a 5555555551a3 555555558040 4 1
 *	shared 100555555558040
 *	schedule 4
 *	main until 12
 *	T2 until 7
 *	wake T3
 *	T1 to the end
 *	end
 *
 * Text is escaped so that any bytes survive (\\ and \xHH). Lines that start with # are comments. The reader is
 * strict: what it does not know is an error with a line number, never a guess, because a schedule that was
 * half understood would show something else.
 */
#ifndef SL_TRACE_REPLAY_REPLAY_FILE_H
#define SL_TRACE_REPLAY_REPLAY_FILE_H

#include "base/chosen.h"
#include "base/err.h"
#include "base/op_order.h"
#include "trace/records.h"
#include "trace/replay/enabler.h"

#include <stddef.h>
#include <stdint.h>

#define SL_REPLAY_FORMAT 1 /* the format that is written; older ones are read as well */
#define SL_REPLAY_BYTES_MAX (64u << 20)
#define SL_REPLAY_ITEMS_MAX (1u << 22)
#define SL_REPLAY_THREADS_MAX (1u << 20)
#define SL_REPLAY_MARKS_MAX (1u << 20)
#define SL_REPLAY_VARIABLES_MAX 4096
#define SL_REPLAY_TEXTS_MAX (1u << 16)
#define SL_REPLAY_STEPS_MAX (1u << 20)

/* A variable of the environment: "NAME=VALUE", or that it was unset. */
struct sl_environment_variable {
	char *name;
	char *value;     /* NULL: unset */
	uint32_t family; /* 0 or 1: so were all others whose names begin with this */
};

/* What an execution did, as texts: each text once, and their sequence. */
struct sl_steps {
	char **texts;
	size_t text_count;
	uint32_t *path; /* numbers of texts, from 1 */
	size_t path_count;
	uint32_t cut; /* 0 or 1: the execution went on */
};

struct sl_replay {
	char *program; /* an absolute path */
	char **argv;   /* argc strings, at least one, then NULL; argv[0] is the name that the program sees */
	size_t argc;
	char *cwd;
	char *follows;     /* the user's schedule for the whole program; NULL: none */
	uint32_t checked;  /* 0 or 1: schedules were not enforced, only checked */
	char build_id[72]; /* sl_build_id() of the program */
	char strategy[32]; /* the strategy that found it; for information */
	uint64_t seed;
	uint32_t races;        /* enum sl_races */
	uint32_t spurious;     /* 0 or 1 */
	uint32_t volatiles;    /* 0 or 1: volatile accesses were atomic */
	uint32_t again;        /* 0 or 1: waiting loops made one more round before they waited */
	uint32_t world;        /* enum sl_world */
	uint32_t explore_call; /* number of the call of sleave_explore(), from 1; 0: the whole program */
	uint32_t visit[3];     /* the run of a section that the finding is in: section, schedule, line; 0: none */
	uint32_t kind;         /* enum sl_finding_kind */
	uint32_t preemptions;
	uint64_t signature;
	uint64_t operations; /* number of operations in the execution */
	uint64_t hash;       /* of the operations, to check that a replay did the same */
	char message[256];   /* of the finding */
	uint64_t *marks;     /* addresses of the data known to be shared: accesses to it are choices */
	size_t mark_count;
	struct sl_environment_variable *variables; /* trace/replay/environment.h */
	size_t variable_count;
	uint32_t variables_cut; /* 0 or 1: the program asked for more variables than there was room for */
	/* digest of the variables that are not listed; 0: not known, in a file of an older Sleave */
	uint64_t rest;
	struct sl_steps steps; /* for messages about a replay that diverges; empty: a file of an older Sleave */
	/* Operations that would have let stuck threads continue: address, thread, places and kind of each. */
	struct sl_enabler *enablers;
	size_t enabler_count;
	struct sl_op_order order; /* of a violation of atomicity: its operations; count 0: there is none */
	struct sl_schedule schedule;
	/* why the file should not be trusted; empty: it is the user's own (base/trust.h) */
	struct sl_err stranger;
};

/*
 * Writes all or nothing: a temporary file in the same directory, then a rename. An existing file is replaced.
 * A failure says which file and why, and leaves nothing behind.
 */
int sl_replay_write(const char *path, const struct sl_replay *replay, struct sl_err *err);

/* The same for a text that is already formatted. */
int sl_replay_write_text(const char *path, const char *text, size_t size, struct sl_err *err);

/* Returns the text of the file in new memory that the caller frees. A failure sets errno. */
int sl_replay_format(const struct sl_replay *replay, char **text, size_t *size);

/* Fills *replay, which needs no initialisation; release it after success. After a failure it is empty. */
int sl_replay_read(const char *path, struct sl_replay *replay, struct sl_err *err);

/* The same from memory; messages use the name. */
int sl_replay_parse(const char *name, const char *text, size_t size, struct sl_replay *replay, struct sl_err *err);

void sl_replay_release(struct sl_replay *replay);
void sl_steps_release(struct sl_steps *steps);
/* of a replay whose other parts belong to another one */
void sl_replay_release_variables(struct sl_replay *replay);

/*
 * What identifies a program file: "build-id:…" with the linker's build id in hexadecimal, or "content:…" with a
 * hash of all its bytes if it has none. text needs 72 bytes.
 */
int sl_build_id(const char *path, char *text, size_t size, struct sl_err *err);

/* "assertion", "abort", "crash", "exit", "deadlock", "race": in files and in JSON, so never changed. */
const char *sl_finding_kind_name(uint32_t kind);

#endif
