/*
 * A search that is led from outside of the program: the scout is shown what each execution did, item by item, and writes the script of the
 * next one (base/script_steps.h). It is called by a thread of the command, one call at a time; sl_exploration runs it for
 * the strategy `script` (cli/result/exploration.h).
 *
 * The first execution has an empty script, so it is the calm one. For each execution begin, item…, end are called, in the order in which the
 * scripts were given. next is called after each end, and again after each script that it gives: a scout that can tell several
 * executions in advance saves the time in which the two processes wait for each other.
 *
 * open is called again when the search starts over in another world: what the scout has learnt may still count, but addresses can differ.
 */
#ifndef SL_CLI_SESSION_SCOUT_H
#define SL_CLI_SESSION_SCOUT_H

#include "cli/session/session.h"
#include "trace/lane/item.h"

#include <pthread.h>

/* How an execution ended. */
struct sl_scouted {
	uint64_t number;  /* of the execution and its script, from 1: that is the empty one */
	uint32_t reached; /* the first step of its script that was not done; the count of steps: all were */
	bool strayed;     /* … because that was not possible: the thread was not enabled, or nothing was to be chosen */
	/* 0, or 1 + the kind of its finding (enum sl_finding_kind), which may have ended it early; its last items may be missing if it crashed */
	uint32_t found;
	bool cut;         /* it was ended at a limit */
	bool grown;       /* before it began more data was found to be shared: from here on, new threads may stop earlier */
};

enum sl_scout_answer {
	SL_SCOUT_OVER,   /* no execution is wanted besides those that are ahead */
	SL_SCOUT_SCRIPT, /* this one */
	SL_SCOUT_LATER,  /* what the next one is depends on those that are ahead; there must be some */
};

struct sl_scout {
	/* Any of the first four may be NULL. */
	void (*open)(void *data, const struct sl_arena *arena);
	void (*begin)(void *data);
	void (*item)(void *data, const struct sl_item *item);
	void (*end)(void *data, const struct sl_scouted *how);
	/* Fills in `count` and `steps`. ahead: how many scripts were given whose executions have not ended. */
	enum sl_scout_answer (*next)(void *data, unsigned ahead, struct sl_script *script);
	void *data;
	/* Set when the search has ended without the scout (a finding, the time, Ctrl-C): next() should return soon. */
	uint32_t ending;
};

/* A scout at work. */
struct sl_scouting {
	struct sl_scout *scout; /* NULL: there is none */
	struct sl_scripts *scripts;
	struct sl_reel *reel;
	int fd; /* of the reel */
	pthread_t thread;
	bool running;
	uint32_t of;           /* the thread of the items that follow */
	uint64_t begun, ended; /* executions whose beginning and end were told */
	uint32_t grown;
	uint64_t *done;  /* by thread: the number of its last operation */
	uint64_t *paths; /* by thread */
	uint32_t room, threads;
};

/* Before the executions of the arena begin. Does nothing and returns 0 if the scout is NULL. */
int sl_scouting_begin(struct sl_scouting *scouting, struct sl_scout *scout, struct sl_arena *arena,
		      struct sl_err *err);
/* When all processes have ended: what they have left is told first. */
void sl_scouting_end(struct sl_scouting *scouting);

#endif
