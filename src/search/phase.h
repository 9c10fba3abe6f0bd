/*
 * The phases of a run: one block (struct sl_phase_ops) for each, with everything that is particular to it. sl_next() and
 * sl_after() (after.c) go through them, and the engine and the command ask for their properties, never for a certain phase.
 *
 *	CANARY -> WARM_UP -> EXPLORE -> (finding) -> MINIMISE -> SHORTEN -> TRACE -> EXPLORE or DONE
 *
 * The blocks are in phase_NAME.c, the table of them is in phase.c. All of it works on the arena alone (arena.h).
 */
#ifndef SL_SEARCH_PHASE_H
#define SL_SEARCH_PHASE_H

#include "search/arena.h"

/* Whether there is another execution. */
enum sl_more {
	SL_MORE_YES,
	SL_MORE_NO,    /* the phase is over */
	SL_MORE_AGAIN, /* another phase was entered, or the worker has waited for others: ask once more */
	SL_MORE_STOP,  /* not in this process */
};

/* How long an execution of the phase may run, if the time is limited (time_left.c). */
enum sl_until {
	SL_UNTIL_AFTER,     /* a second more than the search */
	SL_UNTIL_END,       /* the end of the search */
	SL_UNTIL_SHORTENED, /* the share of the time for shortening a schedule */
	SL_UNTIL_TRACED,    /* a second more than either */
};

/* A worker in its phase, with the strategy of that phase and its state. */
struct sl_turn {
	struct sl_arena *arena;
	struct sl_worker *worker;
	uint32_t number; /* of the worker */
	const struct sl_strategy *strategy;
	void *state;
};

struct sl_phase_ops {
	const char *name;
	const struct sl_strategy *strategy; /* NULL: the one that the user asked for */
	enum sl_until until;

	/* properties of its executions */
	bool own_program;  /* they run a small program of our own */
	bool explores;     /* they are those of the search itself: counted, recorded, and following schedules */
	bool observes;     /* the search learns from them: warnings, coverage, the length of executions */
	bool counts;       /* one that is given up is missing in the search */
	bool stops;        /* none begins after the search was told to stop */
	bool shortens;     /* only the subject's finding counts; its schedule is shortened */
	bool traces;       /* only the subject's finding counts; every operation is recorded */
	bool enables;      /* no finding counts: operations that would enable the subject's threads are recorded */
	bool finds_leaks;  /* lost blocks are looked for at the end */
	bool compares;     /* their operations are noted, to compare two executions */
	bool keeps_points; /* they repeat an execution of the search with exactly its points of choice */
	bool may_go_long;  /* an endless one runs on for a while, to identify its loop */

	/* how its strategy is started */
	bool alone;  /* the work is not shared among the workers */
	bool zeroes; /* the whole state must be zero, not only its beginning */
	/* Sets options besides the user's. NULL: there are none. */
	void (*options)(struct sl_turn *turn, struct sl_strategy_options *options);

	/* Called before its strategy is started, and before each execution. NULL: SL_MORE_YES. */
	enum sl_more (*before)(struct sl_turn *turn);
	/* Begins another execution (sl_turn_begin()) if there is one. */
	enum sl_more (*more)(struct sl_turn *turn);
	/* How many marks count in the execution. NULL: all marks. */
	uint64_t (*marks)(const struct sl_turn *turn);
	/* The most operations of an execution. NULL: as many as the user allows. */
	uint64_t (*limit)(const struct sl_arena *arena, const struct sl_worker *worker);
	/* Evaluates the execution. Returns true if its finding is to be handled as in the search. */
	bool (*after)(struct sl_turn *turn, const struct sl_outcome *outcome, struct sl_execution *execution);
	/* The execution was given up because the time was over. NULL: it is evaluated nevertheless. */
	void (*late)(struct sl_turn *turn);
	/* There are no more executions: enters the next phase. */
	void (*leave)(struct sl_turn *turn);
};

extern const struct sl_phase_ops *const sl_phases[SL_PHASE_DONE + 1];
extern const struct sl_phase_ops sl_phase_canary, sl_phase_warm_up, sl_phase_explore, sl_phase_lockstep,
	sl_phase_minimise, sl_phase_shorten, sl_phase_confirm, sl_phase_endless, sl_phase_compare, sl_phase_trace,
	sl_phase_enablers, sl_phase_leaks;

static inline const struct sl_phase_ops *
sl_phase_of(const struct sl_worker *worker)
{
	return sl_phases[worker->phase];
}

/* phase.c */
struct sl_turn sl_turn_take(struct sl_arena *arena, uint32_t worker);
/* Starts the strategy of the phase. Returns false if it cannot be started; then the worker is in trouble. */
bool sl_turn_start(struct sl_turn *turn);
/* For `after`: the execution counts in sl_worker.repeats, and only its finding matters. */
bool sl_turn_repeat(struct sl_turn *turn, const struct sl_outcome *outcome, struct sl_execution *execution);
/* Begins another execution, if the strategy has one. */
enum sl_more sl_turn_begin(struct sl_turn *turn);
/* The number of marks; if an execution that was rolled back is begun again, the number that it had. */
uint64_t sl_turn_marks(const struct sl_turn *turn);
void sl_phase_enter(struct sl_turn *turn, enum sl_phase phase);
/* Returns to the search after an interlude, or begins it after a finding of the warm-up. */
void sl_phase_explore_on(struct sl_turn *turn);

/* phase_explore.c: more operations have become choices, so the strategy of the search starts over. */
void sl_phase_explore_anew(struct sl_turn *turn);

/* phase_leaks.c: there is nothing more to explore. */
void sl_search_over(struct sl_turn *turn);

static inline struct sl_case *
sl_turn_subject(const struct sl_turn *turn)
{
	return &turn->arena->cases[turn->worker->subject];
}

/* For phases that start from the schedule of the subject. */
void sl_subject_options(struct sl_turn *turn, struct sl_strategy_options *options);
uint64_t sl_subject_marks(const struct sl_turn *turn);

/* For phases that repeat an execution of the search: keeps so many items of the last execution's schedule. */
void sl_again_keep(struct sl_turn *turn, uint64_t items);
void sl_again_options(struct sl_turn *turn, struct sl_strategy_options *options);
uint64_t sl_again_marks(const struct sl_turn *turn);

/* phase_compare.c: returns whether the next execution will be run twice. */
bool sl_compare_is_next(const struct sl_arena *arena, struct sl_worker *worker);
/* Begins the comparison of the last execution. */
void sl_compare_begin(struct sl_turn *turn, const struct sl_outcome *outcome);
/* Equal schedules gave different executions. */
void sl_worker_diverge(struct sl_worker *worker);

/* phase_confirm.c: enters CONFIRM for a lock order that this worker has warned of, and that was not tried yet. Returns false if there is
 * none. */
bool sl_confirm_begin(struct sl_turn *turn);

/* phase_enablers.c: enters ENABLERS for the subject. Returns false if nothing can be found out. */
bool sl_enablers_look(struct sl_turn *turn);

/* phase_endless.c: enters ENDLESS if the last execution was so much longer than all others that it may be endless. Returns false if
 * not. */
bool sl_endless_begin(struct sl_turn *turn, const struct sl_outcome *outcome);
/* The number of operations after which an execution may be endless. */
uint64_t sl_endless_limit(const struct sl_arena *arena, const struct sl_worker *worker);
#define SL_SHOWN_MIN 16384ul

/* phase_trace.c: at the very end, runs the execution of each warning again, for stacks and a replay file. */
void sl_trace_warnings(struct sl_turn *turn);
/* Everything that can be reported of the subject is recorded. */
void sl_trace_leave(struct sl_turn *turn);

/* time_left.c: returns whether another execution of the search may begin. */
bool sl_may_go_on(struct sl_arena *arena);
/* Returns whether there is time for another execution of the worker's phase. */
bool sl_is_in_time(const struct sl_arena *arena, const struct sl_worker *worker);
/* How long the schedule of a finding of that moment may be shortened, ns. */
uint64_t sl_share_of_time(const struct sl_arena *arena, uint64_t from);

#endif
