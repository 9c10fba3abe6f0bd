/*
 * Sentences for people (and one object for programs): what was found, how it came about, what was tested.
 * The command line and sleave_explore() fill plain structs from the arena; everything here only prints them.
 * Nothing here decides anything, and every finding ends with the command that replays it.
 */
#ifndef SL_REPORT_REPORT_H
#define SL_REPORT_REPORT_H

#include "trace/name/name.h"
#include "trace/records.h"
#include "trace/replay/enabler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How the output may look. */
struct sl_style {
	bool colour;
	int width; /* columns; 0: do not cut lines */
};

/* A finding with all that its story needs. */
struct sl_story {
	const struct sl_finding *finding;
	const struct sl_trace *trace; /* may be empty: then the story is its headline */
	struct sl_names *names;
	unsigned preemptions;               /* of the schedule in the trace */
	const char *replay;                 /* file name for `sleave replay`; NULL: none was written */
	bool warning; /* reported in short: places and stacks, not the schedule */
	const struct sl_enablers *enablers; /* what would have let its stuck threads continue; NULL: not known */
	const struct sl_said *said; /* the last output of the execution; NULL: not known */
};

/*
 * Describes the finding in one sentence, without a full stop: "assertion failed: balance == 200 (main at
 * account.c:31)".
 */
void sl_headline_format(const struct sl_story *story, char *text, size_t size);

/*
 * Prints the headline, source lines, the important switches, stacks and locks, and the command that replays the
 * finding.
 */
void sl_story_print(FILE *out, const struct sl_style *style, const struct sl_story *story);

/* An ordering as the schedule language has it. */
struct sl_ordering {
	char before[160], after[160];
	unsigned cost; /* the smaller, the better it reads */
	unsigned edge; /* the same for all forms of one ordering */
	bool far; /* it is about something that no other thread has touched in this execution */
	bool extra; /* together with the others of the execution it may be too strict */
};

/*
 * Finds orderings that could lead to the execution again: candidates (report/schedule/orderings.c), the best
 * first. Returns their number, at most max.
 */
size_t sl_orderings_of(const struct sl_trace *trace, struct sl_names *names, struct sl_ordering *orderings,
		       size_t max);
/*
 * Describes what in the execution is not a matter of order, or can't be ordered: this may be why no orderings lead
 * to it.
 */
bool sl_unordered_of(const struct sl_trace *trace, struct sl_names *names, char *text, size_t room);

/* Prints every operation, one on a line. */
void sl_trace_print(FILE *out, const struct sl_style *style, const struct sl_trace *trace, struct sl_names *names);

/* A place of a finding in words, with its callers; for JSON. */
struct sl_outline_frame {
	char function[128];
	char file[256];
	uint32_t line;
};

#define SL_OUTLINE_PLACES 8
#define SL_OUTLINE_FRAMES 12

struct sl_outline_place {
	char thread[64];
	unsigned frame_count;                              /* at least 1 */
	struct sl_outline_frame frames[SL_OUTLINE_FRAMES]; /* the innermost first */
	char path[512];                                    /* of the innermost frame's file; may be empty */
};

#define SL_OUTLINE_WAITS 8

/* One of several threads that wait for each other. */
struct sl_outline_wait {
	char thread[64], by[64]; /* the thread that waits, and the next in the cycle */
	char place[160];         /* where it waits */
	char object[160]; /* what for; empty: for the end of the other thread */
	const char *
		how; /* "holds", "ends", "sets", "signals", "posts": what the other thread does to it, or would have done */
	char by_place[160]; /* … and where; empty: the other thread holds it already */
};

/* A finding as the summary has it, without its trace. It owns everything in it. */
struct sl_outline {
	const char *kind; /* sl_finding_kind_name() */
	char message[512];
	char replay[512]; /* the replay file; empty: none was written */
	/*
	 * The program's last lines of output, if it ended with the finding; empty: there was none. If both streams
	 * are one file, everything is in that of the standard output.
	 */
	char output[SL_SAID_MAX + 1], errors[SL_SAID_MAX + 1];
	unsigned preemptions;
	uint64_t delayed; /* the longest delay, in ns, and the delayed thread; 0: none */
	char delayed_thread[64];
	uint64_t execution; /* the number, among all executions, of the one that showed it; 0: not known */
	unsigned place_count;
	struct sl_outline_place places[SL_OUTLINE_PLACES];
	unsigned
		wait_count; /* 0: no cycle of flags and other things is known; the message tells a cycle of locks */
	struct sl_outline_wait waits[SL_OUTLINE_WAITS];
};

/* Fills in the headline, and the places that the story points at. */
void sl_outline_init(struct sl_outline *outline, const struct sl_story *story);

/* A call that was let through although it could matter. */
struct sl_escaped {
	const char *name;
	uint64_t count;
	char place[160]; /* sl_place_format(); may be empty */
};

/* Code that ran without being seen. */
struct sl_not_seen {
	enum {
		SL_NOT_SEEN_ASSEMBLY,
		SL_NOT_SEEN_OUTSIDE,
		SL_NOT_SEEN_LIBRARY,
		SL_NOT_SEEN_THREAD,
		SL_NOT_SEEN_OBJECT,
		SL_NOT_SEEN_TOUCHES
	} what; /* as enum sl_unseen_kind */
	uint64_t count;
	char place[160]; /* sl_place_format(), or for OUTSIDE and LIBRARY the program or library; may be empty */
};

enum sl_verdict { SL_VERDICT_CLEAN, SL_VERDICT_FINDING, SL_VERDICT_UNDECIDED };

/* The result of a run. */
/* Of a search through states: */
struct sl_state_counts {
	bool counted;
	uint64_t fresh, visited, ends; /* new states, steps to earlier ones, new states that were ends */
	uint64_t loops; /* steps by which threads can repeat a loop for ever, although each gets its turn */
	uint64_t opaque; /* new states that may be equal to earlier ones: not all of their state is in memory */
	uint64_t bytes; /* the most memory that saved states took */
	uint64_t evicted, restored; /* … dropped for lack of memory, and returned to */
};

/* Of a schedule that the user wrote: */
struct sl_followed {
	const char *name, *file; /* may be empty */
	uint32_t line;
	bool infeasible; /* the test fails if an execution follows it */
	uint64_t kept, dropped; /* executions that followed it, and that did not */
	const char *unknown; /* a name in it that does not exist, in words; may be empty */
};

/* What is known of a finding in the old version: */
enum sl_since { SL_SINCE_UNKNOWN, SL_SINCE_CHANGE, SL_SINCE_BEFORE };

/* A replay file of an earlier version, whose schedule was tried: */
struct sl_earlier_told {
	const char *path;
	bool fails;
	char lost[512]; /* an operation of the schedule that this version does not have; empty: it has all */
};

/* Of a search after a change of the program: */
struct sl_change_told {
	const char *old, *new; /* the versions, in words */
	size_t lines, fields; /* the numbers of impacted ones */
	size_t reached; /* how many of both this search has reached */
	size_t with_code; /* how many of both have code */
	char **missed; /* -v: the points that it has not reached */
	size_t missed_count;
	bool unreached; /* the search ended because it reached none: the change does not concern this program */
	bool blind; /* impacted points may run without being noticed, so `unreached` can't be said */
	bool identical; /* no file differs */
	bool all_new;          /* the old version does not have the program */
	const char *lacks; /* what the analysis could not see; NULL: nothing is missing */
	const char *others; /* the files that differ and are no sources; NULL: none */
	const struct sl_earlier_told *earlier;
	size_t earlier_count;
	size_t predicted, tried; /* violations of atomicity that the change made possible */
	const char *unpredicted; /* why none could be predicted; NULL: they could, or were not asked for */
	/* for each finding: since which version it is there, and how that was found out */
	const enum sl_since *since;
	char (*why)[512];
};

/* Of a search for paths: */
struct sl_paths_told {
	uint64_t combinations; /* of paths that executions have taken */
	uint64_t executions;   /* of the search */
	uint64_t states;       /* of what the threads were seen to do, in the last pass */
	bool complete;         /* there are no other combinations */
	const char *const *lacks; /* why that can't be said: each a sentence */
	size_t lack_count;
	const char *const *loops; /* places of loops that are endless as far as is known */
	size_t loop_count;
	void (*branches)(FILE *out, const void *data); /* puts them as JSON; NULL: they were not collected */
	const void *data;
};

struct sl_summary {
	enum sl_verdict verdict;
	const struct sl_paths_told *paths;   /* NULL: paths were not what was searched for */
	const struct sl_change_told *change; /* NULL: one version was explored */
	/* How far the search came: */
	struct {
		bool complete; /* every interleaving has been run */
		bool classes; /* … or one interleaving of each class that differs only in the order of commuting steps; executions counts classes */
		int bound;    /* every one with at most this many preemptions has been run; -1: none */
		bool bounded; /* … and the user asked for no more */
		uint64_t
			iterations; /* iterations of CAPP that were explored completely; 0: none, or they were not asked for */
		bool selected;      /* no more than these were asked for */
		bool exhaustive; /* the strategy goes through all interleavings */
		bool over; /* … and has ended */
		uint64_t estimate; /* the estimated number of all interleavings; 0: unknown */
	} search;
	bool verbose; /* the verdict says what the executions were for, … */
	bool hint; /* … or how to ask for that */
	bool interrupted; /* Ctrl-C ended the search */
	bool sync_only;   /* accesses to memory were not seen */
	bool set_aside; /* the schedules of the program were replaced by one for the whole program */
	bool relaxed; /* races that exist only because an atomic is relaxed were not looked for */
	bool unaided; /* some accesses were not seen: a file was compiled without Sleave's plugin */
	const char *program;
	const char *strategy;
	const char *world;   /* "memory", "fork", "exec" */
	const char *carrier; /* "fiber", "thread" */
	const char *reason; /* if the verdict is UNDECIDED: a sentence; else NULL */
	uint64_t seed;
	uint64_t executions; /* all executions, for any purpose */
	struct {
		uint64_t search, lockstep, warm_up, compare, confirm, shorten, trace, leaks;
		uint64_t enablers; /* which threads change what stuck threads look at */
		uint64_t endless; /* whether a long execution ends */
		uint64_t given_up; /* given up because the time was over; for any purpose */
		uint64_t recorded;    /* before the search, to predict from */
		uint64_t other_world; /* before the run started over with another world */
	} spent; /* these add up to `executions` */
	uint64_t interleavings; /* the number of explored interleavings; if the search is complete, none is counted twice */
	double seconds;
	struct {
		uint64_t operations; /* synchronisation and atomics */
		uint64_t accesses;   /* plain and volatile */
		uint64_t cut;        /* executions that were stopped at the limit of operations */
		uint64_t given_up; /* … that were still running when the time was over */
		uint64_t abandoned; /* … that were ended early because they led to nothing new */
		uint64_t compared;   /* executions that were run twice and compared operation by operation */
		uint64_t different; /* … and differed */
		unsigned threads;    /* most in one execution */
	} counts;
	const char *
		stuck_at; /* the place where an execution that was given up was last seen, if it made no progress; empty or NULL: there is none */
	struct sl_state_counts states;
	const struct sl_outline *findings;
	size_t finding_count;
	const struct sl_outline *warnings; /* races with --races=warn */
	size_t warning_count;
	size_t suppressed; /* how many findings and warnings were not reported */
	const struct sl_not_seen *not_seen; /* the most frequent first */
	size_t not_seen_count;
	bool not_seen_more; /* there was no room for further places */
	const struct sl_escaped *escapes;
	size_t escape_count;
	const struct sl_followed *schedules;
	size_t schedule_count;
};

/*
 * Describes where two executions of one schedule diverge, and the likely cause. escaped: a call that was let
 * through, or NULL.
 */
void sl_difference_format(const struct sl_difference *difference, struct sl_names *names, const char *escaped,
			  char *text, size_t room);

struct sl_steps;
/*
 * Describes the operations of an execution in words that are the same in every process; of a long execution the
 * first ones. Aborts without memory. The caller frees them with sl_steps_release() (trace/replay/replay_file.h).
 */
void sl_steps_of(const struct sl_trace *trace, struct sl_names *names, struct sl_steps *steps);
/*
 * Describes where two executions diverge, as above. rebuilt: lines may have other numbers; why: the likely cause,
 * or NULL. False: at no place that can be told.
 */
bool sl_steps_differ(const struct sl_steps *first, const struct sl_steps *second, bool rebuilt, const char *why,
		     char *text, size_t room);

/* Prints the closing lines. */
void sl_verdict_print(FILE *out, const struct sl_style *style, const struct sl_summary *summary);

/* Prints the object of --json, on one line. */
void sl_json_print(FILE *out, const struct sl_summary *summary);

/* "clean", "finding", "undecided". */
const char *sl_verdict_name(enum sl_verdict verdict);

/* "1,234,567" in text, which is returned; needs 27 bytes. */
const char *sl_count_format(uint64_t count, char *text);

#endif
