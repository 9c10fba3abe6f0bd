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
	const struct sl_trace *trace; /* may be empty: then the headline is all */
	struct sl_names *names;
	unsigned preemptions;               /* of the schedule in the trace */
	const char *replay;                 /* file name for `sleave replay`; NULL: none was written */
	bool warning;                       /* told shortly: places and stacks, not the schedule */
	const struct sl_enablers *enablers; /* what would have let its stuck threads go on; NULL: not known */
	const struct sl_said *said;         /* what the execution has written last; NULL: not known */
};

/* The finding in one sentence, without a full stop: "assertion failed: balance == 200 (main at account.c:31)". */
void sl_headline_format(const struct sl_story *story, char *text, size_t size);

/* Headline, source lines, the switches that matter, stacks and locks, the command that replays it. */
void sl_story_print(FILE *out, const struct sl_style *style, const struct sl_story *story);

/* An ordering as the schedule language has it. */
struct sl_ordering {
	char before[160], after[160];
	unsigned cost; /* the less, the better it reads */
	unsigned edge; /* the same for all ways to say the same */
	bool far;      /* about what no other thread has touched in this execution */
	bool extra;    /* beside the others of the execution it may be too much */
};

/* Those by which the execution could be led again: candidates, see orderings.c, best first. Returns how many, at most max. */
size_t sl_orderings_of(const struct sl_trace *trace, struct sl_names *names, struct sl_ordering *orderings,
		       size_t max);
/* What in the execution is none of order, or can't be put in order, in words: if no orderings lead to it, that may be why. */
bool sl_unordered_of(const struct sl_trace *trace, struct sl_names *names, char *text, size_t room);

/* Every operation, one line each. */
void sl_trace_print(FILE *out, const struct sl_style *style, const struct sl_trace *trace, struct sl_names *names);

/* A place of a finding, in words, and its callers; for JSON. */
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
	char object[160];        /* for what; empty: for the end of the other thread */
	const char *
		how; /* "holds", "ends", "sets", "signals", "posts": what the other thread does to it, or would have done */
	char by_place[160]; /* … and where; empty: it holds it already */
};

/* A finding as the summary knows it: no trace needed any more. Owns everything in it. */
struct sl_outline {
	const char *kind; /* sl_finding_kind_name() */
	char message[512];
	char replay[512]; /* empty: none */
	/* The last lines that the program has written, if it ended with the finding; empty: it has written nothing. If both go
	 * to one file, all is in that of the standard output. */
	char output[SL_SAID_MAX + 1], errors[SL_SAID_MAX + 1];
	unsigned preemptions;
	uint64_t delayed; /* sl_finding: ns, and which thread; 0: none is */
	char delayed_thread[64];
	uint64_t execution; /* of all executions until then, the one that showed it; 0: not known */
	unsigned place_count;
	struct sl_outline_place places[SL_OUTLINE_PLACES];
	unsigned
		wait_count; /* 0: no cycle of flags and other things is known; one of locks alone is in the message */
	struct sl_outline_wait waits[SL_OUTLINE_WAITS];
};

/* The headline and the places that the story points at. */
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
	char place[160]; /* sl_place_format(), or of OUTSIDE and LIBRARY the program or library; may be empty */
};

enum sl_verdict { SL_VERDICT_CLEAN, SL_VERDICT_FINDING, SL_VERDICT_UNDECIDED };

/* What a run has come to. */
/* Of a search through states. */
struct sl_state_counts {
	bool counted;
	uint64_t fresh, visited, ends; /* new ones, steps to old ones, new ones that were the end */
	uint64_t loops;             /* steps by which threads can go round for ever, although each gets its turn */
	uint64_t opaque;            /* new ones that may be old: their state is not all in memory */
	uint64_t bytes;             /* the most that states took which were kept to go back to */
	uint64_t evicted, restored; /* of these: dropped for want of memory, gone back to */
};

/* Of a schedule that the user wrote. */
struct sl_followed {
	const char *name, *file; /* may be empty */
	uint32_t line;
	bool infeasible;        /* none is to follow it */
	uint64_t kept, dropped; /* executions that followed it, and that did not */
	const char *unknown;    /* what it names and there is not, in words; may be empty */
};

/* What is known of a finding in the old version. */
enum sl_since { SL_SINCE_UNKNOWN, SL_SINCE_CHANGE, SL_SINCE_BEFORE };

/* A replay file of an earlier version, whose schedule was tried. */
struct sl_earlier_told {
	const char *path;
	bool fails;
	char lost[512]; /* an operation of the schedule that this version does not have; empty: it has all */
};

/* Of a search after a change of the program. */
struct sl_change_told {
	const char *old, *new; /* the versions, in words */
	size_t lines, fields;  /* that are impacted */
	size_t reached;        /* of both, by this search */
	bool unreached;        /* the search ended because it reached none: the change is none to this program */
	bool blind;            /* what is impacted may run without being noticed, so that this can't be said */
	bool all_new;          /* the old version does not have the program */
	const char *lacks;     /* what the analysis could not see; NULL: nothing */
	const struct sl_earlier_told *earlier;
	size_t earlier_count;
	/* for each finding: since when it is there, and in words how that was found out */
	const enum sl_since *since;
	char (*why)[512];
};

struct sl_summary {
	enum sl_verdict verdict;
	const struct sl_change_told *change; /* NULL: one version was explored */
	/* How far the search came. */
	struct {
		bool complete; /* every interleaving has been run */
		bool classes; /* … or one of those that are the same but for steps that commute; executions counts these */
		int bound;    /* every one with at most this many preemptions has been run; -1: none */
		bool bounded; /* no more than that was asked for */
		uint64_t
			iterations; /* CAPP's, that were explored completely; 0: none, or they were not asked for */
		bool selected;      /* no more than these were asked for */
		bool exhaustive;    /* the search goes through all of them, one by one */
		bool over;          /* … and has come to its end */
		uint64_t estimate;  /* 0, or how many there may be in all */
	} search;
	bool verbose;     /* say what the executions were for, … */
	bool hint;        /* … or how to hear of it */
	bool interrupted; /* by Ctrl-C */
	bool sync_only;   /* accesses to memory were not seen */
	bool set_aside;   /* the program has schedules, which did not count: one was given for the whole of it */
	bool relaxed;     /* races by weak orders of atomics were not looked for */
	bool unaided;     /* some were not: a file was compiled without Sleave's plugin */
	const char *program;
	const char *strategy;
	const char *world;   /* "memory", "fork", "exec" */
	const char *carrier; /* "fiber", "thread" */
	const char *reason;  /* UNDECIDED: a sentence; else NULL */
	uint64_t seed;
	uint64_t executions; /* every time that the program was run, for any purpose */
	struct {
		uint64_t search, lockstep, warm_up, compare, confirm, shorten, trace, leaks;
		uint64_t enablers;    /* to see which threads change what stuck threads look at */
		uint64_t endless;     /* to see whether a long execution ends */
		uint64_t given_up;    /* because the time was over; of any purpose */
		uint64_t other_world; /* before the run started over with another one */
	} spent;                      /* adds up to that */
	uint64_t interleavings;       /* that were explored; if that is complete, none is counted twice */
	double seconds;
	struct {
		uint64_t operations; /* synchronisation and atomics */
		uint64_t accesses;   /* plain and volatile */
		uint64_t cut;        /* executions that were stopped at the limit of operations */
		uint64_t given_up;   /* … that went on when the time was over */
		uint64_t abandoned;  /* … that were ended before their end, because they led to nothing new */
		uint64_t compared;   /* executions that were run twice and compared operation by operation */
		uint64_t different;  /* of these: did not do the same */
		unsigned threads;    /* most in one execution */
	} counts;
	const char *
		stuck_at; /* where one of those given up was last seen, if it did nothing any more; or empty, or NULL */
	struct sl_state_counts states;
	const struct sl_outline *findings;
	size_t finding_count;
	const struct sl_outline *warnings; /* races with --races=warn */
	size_t warning_count;
	size_t suppressed;                  /* findings and warnings that were not reported */
	const struct sl_not_seen *not_seen; /* the most frequent first */
	size_t not_seen_count;
	bool not_seen_more; /* there were too many places to keep */
	const struct sl_escaped *escapes;
	size_t escape_count;
	const struct sl_followed *schedules;
	size_t schedule_count;
};

/* Where two executions of one schedule part, and the likely cause. escaped: a call that was let through, or NULL. */
void sl_difference_format(const struct sl_difference *difference, struct sl_names *names, const char *escaped,
			  char *text, size_t room);

struct sl_steps;
/* The operations of an execution in words that are the same in every process; the first ones of a long execution. Aborts without memory.
 * sl_steps_release() of trace/replay/replay_file.h is for them. */
void sl_steps_of(const struct sl_trace *trace, struct sl_names *names, struct sl_steps *steps);
/* Where two executions part, as above; rebuilt: lines may have other numbers; why: the likely cause, NULL if it is not known. False:
 * nowhere that could be told. */
bool sl_steps_differ(const struct sl_steps *first, const struct sl_steps *second, bool rebuilt, const char *why,
		     char *text, size_t room);

/* The closing lines. */
void sl_verdict_print(FILE *out, const struct sl_style *style, const struct sl_summary *summary);

/* The object of --json, on one line. */
void sl_json_print(FILE *out, const struct sl_summary *summary);

/* "clean", "finding", "undecided". */
const char *sl_verdict_name(enum sl_verdict verdict);

/* "1,234,567" in text, which is returned; needs 27 bytes. */
const char *sl_count_format(uint64_t count, char *text);

#endif
