/*
 * The arena: shared memory (a file or a memfd, mapped at one fixed address in every process) that holds all that must
 * outlive an execution: what the user asked for, the search, findings, schedules, traces, counters. It is
 * not part of the restored state, and the command-line process maps it as well, so a crash of the program
 * under test loses nothing. If it is a file, it outlives the death of all of them too (recover.c). The engine and the command line share this header and nothing else.
 *
 * It is sparse: sizes below are limits; what is never touched takes no memory.
 */
#ifndef SL_SEARCH_ARENA_H
#define SL_SEARCH_ARENA_H

#include "base/chosen.h"
#include "base/undo.h"
#include "coverage/coverage.h"
#include "schedule/binding.h"
#include "strategy/strategy.h"
#include "trace/lane/wordlist.h"
#include "trace/records.h"
#include "trace/replay/enabler.h"

#define SL_ARENA_ADDRESS                                                                                          \
	0x6c0000000000ul /* not where AddressSanitizer keeps the heap of a command built with it */
/* The lowest byte tells layouts apart: a program may have been linked with the engine of another build. */
#define SL_ARENA_MAGIC (0x31455641454c5500ul | (sizeof(struct sl_arena) / 8 * 0x9e3779b97f4a7c15ul) >> 56)
/* Bytes of the file that are locked: by the command, and by each process of the program. */
enum { SL_ARENA_LOCK_OWNER, SL_ARENA_LOCK_WORKERS };
#define SL_ARENA_LOST_STATUS 124    /* with which a process ends that can't write to it any more */
#define SL_PAD_ENV "SLEAVE_PAD"     /* variables that are there for their size alone; the engine removes them */
#define SL_ARENA_ENV "SLEAVE_ARENA" /* path of the arena; set: be in control */

#define SL_WORKERS_MAX 64
#define SL_FINDINGS_MAX 256
#define SL_MODULES_MAX 512
#define SL_MARKS_MAX (1u << 20)
#define SL_ASKED_MAX 512          /* names of variables of the environment */
#define SL_ITEMS_MAX (1u << 25)   /* of one schedule */
#define SL_RECORDS_MAX (1u << 20) /* of one trace; a longer one keeps the last ones */
#define SL_FRAMES_MAX (1u << 18)
#define SL_TRACE_THREADS_MAX 8192
#define SL_ESCAPES_MAX 32
#define SL_TALLIES_MAX 256 /* schedules that users wrote */
#define SL_THREAD_NAMES_MAX 256
#define SL_OBJECT_NAMES_MAX 256
#define SL_BOUND_MAX 64         /* texts with names of the program's code */
#define SL_NOTES_MAX (1u << 19) /* operations of an execution that is compared; of a longer one the rest by hash */

enum sl_world { SL_WORLD_MEMORY, SL_WORLD_FORK, SL_WORLD_EXEC };
enum sl_carrier { SL_CARRIER_FIBER, SL_CARRIER_THREAD };
enum sl_races { SL_RACES_OFF, SL_RACES_WARN, SL_RACES_ON };
enum sl_compare { SL_COMPARE_OFF, SL_COMPARE_SAMPLE, SL_COMPARE_ALL };

/* What a process is to do, in this order. */
enum sl_phase {
	SL_PHASE_CANARY, /* a program of our own with a race and a deadlock: both must be found */
	SL_PHASE_WARM_UP, /* the calmest schedule, until no more data turns out to be shared; then once more, to compare */
	SL_PHASE_EXPLORE,
	SL_PHASE_LOCKSTEP, /* everybody takes turns; after a search that was not complete */
	SL_PHASE_MINIMISE, /* the finding of which `subject` is the number */
	SL_PHASE_SHORTEN,  /* the same: all schedules with fewer preemptions, as far as that can be done */
	SL_PHASE_CONFIRM,  /* steered into the deadlock that the warning `subject` is about */
	SL_PHASE_ENDLESS, /* an execution that went on for much longer than all that ended, once more, and fairly from there on */
	SL_PHASE_COMPARE, /* the execution just explored once more, compared operation by operation */
	SL_PHASE_TRACE,   /* the same: once more, everything written down, and compared */
	SL_PHASE_ENABLERS, /* the finding of which `subject` is the number: what would have let its stuck threads go on (trace/replay/enabler.h) */
	SL_PHASE_LEAKS, /* one execution of each kind of end once more, to see what is lost (leak.h) */
	SL_PHASE_DONE,
};

/* Why a search ended without an answer; each has a sentence in the report. */
enum sl_trouble {
	SL_TROUBLE_NONE,
	SL_TROUBLE_UNSUPPORTED,    /* a call that is not modelled: detail names it, pc is where */
	SL_TROUBLE_THREADS_BEFORE, /* threads were started before main or before sleave_explore() */
	SL_TROUBLE_DIVERGED,       /* the same schedule gave another execution */
	SL_TROUBLE_TOO_LONG,       /* an execution was cut at the limit of operations */
	SL_TROUBLE_LIMIT,          /* a table is full: detail says which */
	SL_TROUBLE_DIED,           /* the process ended in a way that the engine did not see */
	SL_TROUBLE_KILLED,         /* the same, by SIGKILL: the program is not to blame */
	SL_TROUBLE_HANG,           /* no operation for long: code that is not under control */
	SL_TROUBLE_CANARY,         /* the built-in bugs were not found: detail says which */
	SL_TROUBLE_SIGNAL,         /* another process sent one: detail */
	SL_TROUBLE_SYSTEM,         /* the operating system refused something: detail */
	SL_TROUBLE_OUTSIDE,        /* nobody can go on but for something from outside: detail, pc */
	SL_TROUBLE_PLAN,           /* the text of a schedule has an error: detail, pc */
};

/* What tsa goes without. */
enum { SL_TSA_NO_ESTIMATE = 1, SL_TSA_NO_FOCUS = 2 };

/*
 * Which executions follow the schedule that is to lead to what is wanted: those that show it on the way; only those of them
 * that had come to all its events; also those that never come to one. A schedule of which an event never occurs has
 * executions of the first kind alone, and says nothing.
 */
enum sl_wanted_how { SL_WANTED_OPEN, SL_WANTED_FULFILLED, SL_WANTED_MISSING };

struct sl_config {
	uint32_t world, carrier, races;
	uint32_t sync_only; /* the program is not instrumented */
	uint32_t void_main; /* the status of a return from main() means nothing */
	uint32_t memory;    /* enum sl_races: errors of the heap */
	uint32_t misuse;    /* enum sl_races: of synchronisation objects */
	uint32_t spurious;  /* spurious wake-ups and failures are choices */
	uint32_t volatiles; /* 1: volatile accesses are atomic */
	uint32_t again;     /* a loop that waits goes round once more before it does: coverage wants to see that */
	uint32_t keep_going;
	uint32_t trace_only; /* sleave replay: go straight to SL_PHASE_TRACE of finding 0 */
	uint32_t
		trace_repeats; /* executions of SL_PHASE_TRACE; 0: two, the second one to compare with the first */
	uint32_t trace_all;    /* write down unshared accesses too */
	uint32_t stop_at_failure; /* call sleave_stop() at the failure, for a debugger */
	uint32_t compare;         /* enum sl_compare: which executions are run twice and compared */
	uint32_t show_output;     /* leave the program's output alone */
	uint32_t quiet;           /* sleave_explore(): print nothing, write no replay file */
	uint32_t workers;
	uint64_t seed;
	uint32_t depth;
	uint32_t preemptions;  /* 1 + the most in one execution; 0: any number */
	uint32_t explore_call; /* replay inside a test: which call of sleave_explore() */
	uint64_t until;        /* also before this operation of the trace (stop_at_failure); 0: not */
	uint64_t schedules;    /* at most so many executions in all; 0: no limit */
	uint64_t nanoseconds;  /* at most so long; 0: no limit */
	uint32_t in_time;      /* the user has asked for that limit: an execution that goes on then is given up */
	uint32_t pad;
	uint64_t operations;   /* at most so many in one execution */
	uint64_t state_memory; /* --stateful: bytes for states that are kept */
	char strategy[32];
	char criterion[32]; /* empty: coverage is kept only if the strategy needs it */
	uint64_t cover_window,
		cover_nanoseconds; /* saturation is looked for over so many executions, or so long; 0: not */
	double cover_coefficient;  /* … and there when r² is not above this */
	uint32_t tsa_without;      /* SL_TSA_… */
	uint32_t check_plan;       /* schedules are not enforced: whether an execution follows them is looked at */
	uint64_t wanted;           /* 0, or: only count executions that show this (sl_counters.shown) */
	uint32_t wanted_all;       /* … until one follows the schedule and does not, or so many have */
	char plan[16384];          /* a schedule for the whole program; empty: none */
	/* Only this run of a section is explored (engine/section/prelude.h): in the how-manieth that the program comes to, of how many
	 * schedules after the first, and the line it is on. visit 0: the whole program is. */
	uint32_t visit, visit_schedule, visit_line;
	uint64_t section; /* 0, or: it is for those runs of sections whose own is that (sl_setting) */
	/* paths of the reels (trace/lane/reel.h), one of each worker, into which the executions of EXPLORE are recorded; empty: none */
	char reels[SL_WORKERS_MAX][40];
	uint32_t record_only; /* sleave record: one execution, and what it shows is not looked into */
	uint32_t wanted_how;  /* enum sl_wanted_how */
	uint32_t
		renews; /* a process that ends with sl_worker.renew is started anew: findings are confirmed in a new one */
	uint32_t
		realistic_time; /* what needs a thread to be delayed for long does not end the search, and is told last */
};

/* Counted over all executions of a worker. */
struct sl_counters {
	uint64_t executions;            /* of the exploration */
	uint64_t helpers;               /* of minimising, tracing, comparing */
	uint64_t phases[SL_PHASE_DONE]; /* all, by enum sl_phase */
	uint64_t restarts;   /* an exhaustive search began anew because more data turned out to be shared */
	uint64_t operations; /* synchronisation and atomics */
	uint64_t accesses;   /* plain and volatile, ranges too */
	uint64_t choices;
	uint64_t cut;
	uint64_t late;      /* not in phases: they were given up when the time was over, of whatever phase */
	uint64_t given_up;  /* of these: ends that the search would have looked at, and has not */
	uint64_t abandoned; /* they led to nothing new (dpor) */
	uint64_t compared;  /* executions that were run again and compared operation by operation */
	uint64_t different; /* of these: did not do the same */
	uint64_t shown;     /* executions with the finding that is wanted */
	uint64_t dropped;   /* … that did not follow the schedule */
	uint32_t threads;   /* most in one execution */
	uint32_t pad;
};

/* A call that was let through although it could matter: said at the end of every run. */
struct sl_escape {
	char name[40];
	uint64_t count;
	uint64_t pc;
};

/* Code that ran without being seen, where it could matter: no verdict is about all interleavings then. */
enum sl_unseen_kind {
	SL_UNSEEN_ASSEMBLY, /* an asm statement whose accesses can't be told */
	SL_UNSEEN_OUTSIDE,  /* assembly that is in no function: that there is some in the file */
	SL_UNSEEN_LIBRARY,  /* a library, or the program, that is not instrumented: operations that came from there */
	SL_UNSEEN_THREAD,   /* a thread that never came to an instrumented function: where it began */
	SL_UNSEEN_OBJECT,   /* a function of an instrumented program that is not instrumented: operations from there */
	SL_UNSEEN_TOUCHES,  /* a function that is not instrumented, and touches memory: executions in which it ran */
};

struct sl_unseen {
	uint64_t pc; /* 0: none */
	uint64_t count;
	uint32_t kind;
};

#define SL_UNSEEN_MAX 64
#define SL_LOOPS_MAX 32 /* that do not end */

struct sl_items {
	uint64_t count;
	struct sl_pick items[SL_ITEMS_MAX];
};

/* leak.h: executions that left different blocks behind, and what was lost in them. */
#define SL_ENDS_MAX 8
#define SL_END_ITEMS_MAX (1u << 16)
#define SL_LEAK_SITES_MAX 256

struct sl_leaks {
	uint32_t end_count, site_count;
	uint64_t marks_before; /* of the search, for when it is over */
	struct sl_end {
		uint64_t left, marks, count;
		struct sl_pick items[SL_END_ITEMS_MAX];
	} ends[SL_ENDS_MAX];
	struct sl_leak_site {
		uint64_t pc;
		uint32_t thread, pad;
		uint32_t blocks[SL_ENDS_MAX];
		uint64_t bytes[SL_ENDS_MAX];
	} sites[SL_LEAK_SITES_MAX];
};

/* The execution under way, or the last one, if it takes long (engine/progress/deadline.c): what it did, and where it was seen. */
#define SL_WEIGHT_PLACES 64

struct sl_weight {
	uint64_t began, seen; /* the first look and the last, CLOCK_MONOTONIC, ns */
	uint64_t operations;
	uint32_t count; /* of places */
	uint32_t pad;
	struct {
		uint64_t pc, samples;
	} places[SL_WEIGHT_PLACES];
};

/*
 * What forked children of the program tell it while it waits for them (child_tells.c). It is written by the children, and
 * means nothing when the execution is over.
 */
#define SL_TOLD_CHILDREN 256
#define SL_TOLD_SIGNALS 64
enum { SL_TOLD_SEMAPHORE = 1, SL_TOLD_QUEUE = 2, SL_TOLD_EXEC = 4 };
struct sl_told {
	uint32_t what; /* SL_TOLD_… */
	uint32_t sent_count;
	uint64_t
		slept[SL_TOLD_CHILDREN]; /* nanoseconds, by the number of the child, with all that it has forked */
	struct {
		int32_t process; /* the sender, by the kernel's number; 0: not written yet, or taken */
		int32_t signal;
		uint32_t child;
		uint32_t pad;
		uint64_t slept;  /* … until it sent the signal */
	} sent[SL_TOLD_SIGNALS]; /* a ring */
};

struct sl_worker {
	int32_t pid;
	uint32_t running;     /* an execution is under way */
	uint32_t phase;       /* enum sl_phase */
	uint32_t subject;     /* finding of MINIMISE and TRACE */
	uint32_t entered;     /* the strategy of the phase has been started */
	uint32_t exploring;   /* the strategy of EXPLORE has been started */
	uint32_t sampled;     /* the execution of EXPLORE under way is to be compared */
	uint32_t lockstepped; /* LOCKSTEP is done */
	uint32_t inversions;  /* lock orders warned of, and … */
	uint32_t inversions_tried;
	uint32_t canary;       /* bits: 1 << kind of the findings of CANARY */
	uint32_t again_marked; /* this execution was begun before, with marks_before of the marks */
	uint64_t marks_before;
	uint64_t search_marks;            /* how many marks the strategy of EXPLORE was told of */
	uint64_t shorten_steps;           /* operations spent in SHORTEN */
	uint64_t shorten_marks;           /* marks that count there */
	uint32_t repeats;                 /* executions done in WARM_UP or TRACE */
	uint32_t lived;                   /* executions of this process, if the world is restored */
	uint32_t renew;                   /* the process has ended for another to go on */
	uint64_t places[SL_CULPRITS_MAX]; /* of CONFIRM */
	struct sl_schedule view;          /* of the schedule that MINIMISE or TRACE starts from */
	uint64_t
		beat; /* counts operations and accesses as the engine sees them; the command reads it while they go on */
	uint64_t last_pc;    /* where the last operation was seen */
	uint64_t marks_used; /* how many marks count in the execution under way */
	uint32_t marks_full; /* there was no room for a mark: the search can't be complete */
	uint32_t pad2;
	uint64_t hash;       /* of the operations of the execution under way or last done */
	uint64_t first_hash; /* of the execution to compare with, in WARM_UP and TRACE */
	uint64_t first_marks;
	uint32_t diverged; /* equal schedules gave different executions */
	uint32_t trouble;  /* enum sl_trouble */
	uint64_t trouble_pc;
	char trouble_detail[128];
	struct sl_counters counters;
	struct sl_progress progress;
	uint64_t states_kept, states_evicted, states_restored; /* checkpoints (state.h) */
	uint64_t states_bytes;                                 /* the most that they had */
	uint64_t again_hash, again_marks;                      /* of COMPARE */
	uint64_t next_sample;                                  /* number of the execution */
	uint64_t shorten_from; /* when `subject` was found: from then on its schedule is made shorter */
	uint64_t state_sum;    /* of the strategy's tables (sum of struct sl_strategy), when the last execution was over; 0: not known */
	uint64_t longest;      /* operations of the longest execution that came to its end; 0: none has */
	uint32_t
		doubted; /* so many that went on for much longer were looked into, and nothing can be said about them */
	uint32_t loop_count; /* … and these loops were: */
	uint64_t loops[SL_LOOPS_MAX];
	struct sl_difference parting;    /* of the execution under way from the one before */
	struct sl_difference divergence; /* the first that mattered */
	/* all above is saved (base/undo.h) when an execution begins */
	uint32_t
		begun; /* an execution has been begun with marks_used: nothing to be taken back from here on matters to it */
	uint32_t pad3;
	struct sl_weight weight, heaviest; /* the latter: of those that are over */
	struct sl_told told;
	struct sl_leaks leaks;
	struct sl_items schedule; /* of the execution under way */
	struct sl_items again;    /* of the execution to be compared, in COMPARE */
	uint64_t note_count;
	struct sl_record notes[SL_NOTES_MAX]; /* of the last execution that was noted, and of the one under way */
};

/* The section of a test in which the trace of a finding ends. */
struct sl_setting {
	uint64_t signature; /* of its schedule, and where that stands; 0: it is in none */
	uint64_t from;      /* how many records came before it */
	uint32_t line, infeasible;
	char file[256], function[128], name[128]; /* … of the schedule */
	char text[16384];                         /* its orderings */
};

/* A finding with all that belongs to it. */
struct sl_case {
	struct sl_finding finding;
	uint32_t ready; /* set last */
	uint32_t preemptions;
	uint32_t confirmed; /* the trace showed it again, twice, operation by operation */
	uint32_t tried;     /* LOCK_ORDER: executions were steered into it */
	uint32_t warning;   /* not a finding: a race with --races=warn, a lock order, a leak, … */
	uint32_t shown;     /* a warning: the trace showed it again */
	uint32_t
		late; /* a race that is a finding at the end of the search, if nothing else is told of it; a warning until then */
	uint32_t renewed; /* … or was to show it, in a process that had run no execution before */
	uint32_t worker;
	uint32_t passes;        /* its execution had another finding on its way, which was known */
	uint32_t given_up;      /* the time was over before the trace was: there is none */
	uint32_t long_schedule; /* the time was over before its schedule was as short as it could be made */
	uint32_t version; /* 0: not to be read yet; odd: being changed; even: as the last execution left it */
	uint64_t steps;   /* operations of the traced execution */
	struct sl_finding other; /* what the trace showed instead, if not confirmed */
	uint64_t execution;      /* in which execution of the worker's search it was found */
	uint64_t runs; /* … and of all that there were until then, of all workers and for whatever purpose */
	struct sl_setting setting;
	struct sl_said said; /* by the traced execution */
	uint64_t marks_used;
	uint64_t hash;
	struct sl_items schedule;
	/* the command's, and never taken back (base/undo.h), as the file is not either */
	char file[256]; /* the replay file, when it has a name */
	uint32_t early; /* the version that was written before the case was ready */
	uint32_t pad;
	uint64_t record_count; /* in all; the records are a ring */
	uint32_t frame_count, thread_count;
	struct sl_record records[SL_RECORDS_MAX];
	struct sl_frame frames[SL_FRAMES_MAX];
	struct sl_thread_record threads[SL_TRACE_THREADS_MAX];
	struct sl_enablers enablers;
};

/* What was asked for, so that a run that was killed can go on as it was (cli/session/resume.c). */
#define SL_ORIGIN_TEXT (1u << 20)

struct sl_origin {
	uint32_t resumable; /* the arena is a file, and changes are written down (base/undo.h) */
	uint32_t ended;     /* by itself or because it was asked to: not killed */
	uint64_t spent;     /* nanoseconds, by all that came before */
	uint64_t seen;      /* … and by this one, about ten times a second */
	uint64_t
		content; /* checksum of all the rest of the file, if it has ended; 0: there is none (cli/session/resume.c) */
	uint64_t text_sum; /* checksum of what follows, which never changes */
	int64_t began;     /* seconds since 1970 */
	uint64_t input_size, input_hash;
	char build_id[128];
	char program[4096], cwd[4096]; /* real paths */
	/* strings, one after the other: of the command line, then of the environment */
	uint32_t argument_count, variable_count;
	uint32_t program_at; /* which of the arguments is the program */
	uint32_t used;       /* bytes of the text */
	char text[SL_ORIGIN_TEXT];
};

/* Of a schedule that a user wrote (engine/core/plan.h): how many executions followed it, and how many left it. */
struct sl_tally {
	uint64_t signature; /* 0: not used */
	uint64_t kept, dropped;
	uint64_t earlier; /* kept before the search started over, or shown something on the way */
	uint32_t line, infeasible;
	uint32_t known; /* all that it names has been there, in one execution or another */
	uint32_t pad;
	char name[64], file[128];
	char unknown
		[256]; /* what has not: "event `zz` never occurred"; empty: nobody has looked yet, or everything has */
	/* bits: names met in its runs */
	uint64_t events[SL_WORDS_MAX / 64], threads[SL_THREAD_NAMES_MAX / 64], objects[SL_OBJECT_NAMES_MAX / 64];
};

/* What the names in the text of a schedule stand for (engine/plan/code.c). */
struct sl_bound {
	uint64_t signature, ready; /* of the text; 0: not used, or not known yet */
	uint32_t count;
	struct sl_binding items[SL_BINDINGS_MAX];
};

#define SL_STATE_BYTES (3ul << 30) /* room for the state of one strategy */

/* The variables of the environment for which the program has asked, by a hash of the name. An entry belongs to the process that has
 * made its state 1, and is there for all when that is 2. */
struct sl_asked {
	uint32_t full; /* there was no room for another, or for such a long name */
	struct {
		uint32_t state;
		char name[124];
	} items[SL_ASKED_MAX];
};

struct sl_arena {
	uint64_t magic;
	uint64_t size;
	struct sl_origin origin;
	struct sl_config config;
	uint32_t stop; /* the command line asks to end after the execution under way */
	uint32_t pad0;
	uint64_t hurry;       /* … and when the user asked for that (CLOCK_MONOTONIC, ns); 0: the user did not */
	uint32_t has_control; /* the engine came up in the program */
	uint32_t instrumented;  /* a compiler callback was seen */
	uint32_t explore_calls; /* of sleave_explore() so far */
	uint32_t no_dispatch;   /* the kernel can't catch system calls that do not come through libc */
	uint32_t unaided;       /* some file was compiled without src/plugin */
	uint32_t
		set_aside; /* the program has sections, whose schedules do not count: there is one for the whole of it */
	uint32_t relaxed; /* --stateful: atomics with orders by which others do not learn what came before */
	uint64_t started; /* CLOCK_MONOTONIC, ns */
	uint64_t total;   /* executions of all workers, for the limit */
	/* sleave report: what it made of all this, for the test that called sleave_explore() */
	uint32_t result_verdict; /* enum sleave_verdict */
	uint32_t result_findings;
	char result_message[256];
	char result_file[256];
	/* sleave report --trace: the process that writes a trace of the exploration; that it is over; that it is written: 1 well, 2 not */
	int32_t trace_by;
	uint32_t trace_over, trace_done;
	uint32_t case_count;
	uint32_t module_count;
	uint32_t modules_noted; /* 1: somebody is at it, 2: done */
	uint32_t modules_first; /* so many were there at the start */
	struct sl_module modules[SL_MODULES_MAX];
	struct sl_escape escapes[SL_ESCAPES_MAX];
	struct sl_unseen unseen[SL_UNSEEN_MAX];
	uint32_t unseen_more; /* there were other places */
	struct sl_asked asked;
	struct sl_tally tallies[SL_TALLIES_MAX];
	struct sl_bound bound[SL_BOUND_MAX];
	struct sl_wordlist events; /* what they are called */
	char thread_names[SL_THREAD_NAMES_MAX][SL_THREAD_NAME];
	char object_names[SL_OBJECT_NAMES_MAX][SL_EVENT_NAME];              /* by sleave_name() */
	uint64_t claims[1u << 20];                                          /* strategy/claim.h */
	unsigned char shared[SL_SHARED_BYTES] __attribute__((aligned(64))); /* by the workers of a strategy */
	/* Data that turned out to be shared, by address: open addressing, grows only. */
	uint64_t mark_count;
	uint64_t mark_sum; /* checksum of them, written before the count */
	uint32_t mark_lock;
	uint32_t pad;
	uint64_t marks[SL_MARKS_MAX];
	struct sl_worker workers[SL_WORKERS_MAX];
	struct sl_case cases[SL_FINDINGS_MAX];
	unsigned char states[SL_WORKERS_MAX][SL_STATE_BYTES]; /* of the exploring strategy */
	unsigned char helper[SL_WORKERS_MAX][SL_STATE_BYTES]; /* of minimise and replay */
	struct sl_undo undo[SL_WORKERS_MAX];
	struct sl_coverage coverage[SL_WORKERS_MAX];
};

#define SL_ARENA ((struct sl_arena *)SL_ARENA_ADDRESS)

/* What one execution came to; the engine fills it, sl_after() files it. */
struct sl_outcome {
	struct sl_execution execution;
	bool found;
	bool late;            /* cut, because the time was over */
	uint64_t took;        /* ns, if it took long; 0: it did not */
	bool endless;         /* cut, while all threads that could go on did, and none only computed */
	uint64_t loop;        /* which loop, if it is one that does not end (endless.c); 0: not known */
	uint64_t shown_items; /* how long its schedule was after sl_operations_shown() */
	bool passes;          /* something that is known was on the way, and did not end it */
	struct sl_finding finding;
	uint64_t hash;
	uint64_t left; /* a sum over the blocks of the heap that it left */
	uint64_t operations, accesses;
};

/*
 * after.c: what comes next, and what has come of it. These work on the arena alone, so that the program under
 * test, the process that forks it, and the command line (when the program has died) can all call them.
 */

/* Is there another execution for this worker? Moves from phase to phase. */
bool sl_next(struct sl_arena *arena, uint32_t worker);
void sl_after(struct sl_arena *arena, uint32_t worker, const struct sl_outcome *outcome);
/* The execution under way ended with the process: a finding by a signal, or trouble. */
void sl_died(struct sl_arena *arena, uint32_t worker, int wait_status);
/* The execution under way will not be finished: takes back what it has changed, as if it had not begun. False: that can't be done. */
bool sl_take_back(struct sl_arena *arena, uint32_t worker);
/* When the execution under way of this worker is to be given up (CLOCK_MONOTONIC, ns); UINT64_MAX: never. */
uint64_t sl_worker_deadline(const struct sl_arena *arena, const struct sl_worker *worker);
/* It was cut while what was found was written down. */
void sl_case_forget_trace(struct sl_case *c);
/* The most operations that an execution of this worker may have, as far as is known by now. */
uint64_t sl_operations_limit(const struct sl_arena *arena, const struct sl_worker *worker);
/* Of an execution that went on for too long: so many are repeated to show it, and so many more follow. */
uint64_t sl_operations_shown(const struct sl_worker *worker);
#define SL_ENDLESS_TAIL 16384u
/* phase.c */
const struct sl_strategy *sl_phase_strategy(struct sl_arena *arena, uint32_t worker, void **state);
bool sl_phase_start(struct sl_arena *arena, uint32_t worker);
/* The number of the finding with this signature, or -1. What was only a warning (a race) may come back as more. */
int sl_case_find(struct sl_arena *arena, uint64_t signature, bool warnings);
int sl_case_add(struct sl_arena *arena, uint32_t worker, const struct sl_finding *finding, bool warning);
/* … with the execution just done as the one that shows it */
void sl_case_set(struct sl_arena *arena, uint32_t worker, struct sl_case *c, const struct sl_finding *finding);
/* The next warning of this worker whose execution is to be traced, or -1. */
int sl_case_untraced(struct sl_arena *arena, uint32_t worker);
/* A late race that is not to be told: there is a finding that shows it better, or that has ended the search. */
bool sl_case_is_held(const struct sl_arena *arena, const struct sl_case *c);
/* Only one finding counts (sl_config.wanted): was it there? */
void sl_case_wanted(struct sl_arena *arena, struct sl_worker *worker, const struct sl_outcome *outcome);
/* The search starts over, and counts anew. */
void sl_tallies_restart(struct sl_arena *arena, const struct sl_strategy *strategy);
void sl_judge_schedules(struct sl_arena *arena, uint32_t worker); /* at the end of its search */
void sl_trouble_set(struct sl_worker *worker, enum sl_trouble trouble, uint64_t pc, const char *detail);
uint64_t sl_nanoseconds(void);
/* recover.c: all processes are gone; brings back what is consistent, for others to go on. False: that can't be done. */
bool sl_resume(struct sl_arena *arena);
/* After a search that ended at a limit: this worker goes on with it. */
void sl_explore_more(struct sl_arena *arena, uint32_t worker);
void sl_warm_up_again(struct sl_arena *arena, uint32_t worker); /* then it goes on exploring */
bool sl_case_ends_search(const struct sl_arena *arena, const struct sl_case *c);

/* Does it need a thread to be delayed for longer than what the user wants to hear of first? */
static inline bool
sl_finding_is_far(const struct sl_arena *arena, const struct sl_finding *finding)
{
	return arena->config.realistic_time && finding->delayed >= SL_DELAY_LONG &&
	       finding->kind != SL_FINDING_RACE;
}

/* How often the program has been run by now; what Sleave tests itself with is not the program. */
static inline uint64_t
sl_counters_runs(const struct sl_counters *counters)
{
	uint64_t sum = counters->late;

	for (int i = SL_PHASE_CANARY + 1; i < SL_PHASE_DONE; i++)
		sum += counters->phases[i];
	return sum;
}

/* The criterion by which executions are watched; NULL: none. */
static inline const struct sl_criterion *
sl_arena_criterion(const struct sl_arena *arena)
{
	const struct sl_strategy *s = sl_strategy_find(arena->config.strategy);

	if (arena->config.criterion[0])
		return sl_criterion_find(arena->config.criterion);
	return s && s->covers ? &sl_criterion_sync_pair : NULL;
}

/* Has what the worker covers stopped growing? */
static inline bool
sl_arena_is_saturated(struct sl_arena *arena, uint32_t worker)
{
	const struct sl_config *c = &arena->config;

	return c->criterion[0] && (c->cover_window || c->cover_nanoseconds) &&
	       sl_coverage_is_saturated(&arena->coverage[worker], c->cover_window, c->cover_nanoseconds,
					c->cover_nanoseconds ? sl_nanoseconds() - arena->started : 0,
					c->cover_coefficient);
}

static inline bool
sl_tally_is_followed(const struct sl_tally *tally)
{
	return tally->kept || tally->earlier;
}

static inline struct sl_schedule
sl_items_view(struct sl_items *items)
{
	return (struct sl_schedule){items->count, SL_ITEMS_MAX, items->items};
}

#endif
