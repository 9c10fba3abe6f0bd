/*
 * The arena: shared memory (a file or a memfd, mapped at one fixed address in every process) for everything that must
 * outlive an execution: the configuration, the search, findings, schedules, traces, counters. It is
 * not part of the restored state, and the command maps it as well, so a crash of the program
 * under test loses nothing. If it is a file, it also outlives the death of all processes (recover.c). The engine and the
 * command share this header and nothing else.
 *
 * It is sparse: the sizes below are limits; untouched pages take no memory.
 */
#ifndef SL_SEARCH_ARENA_H
#define SL_SEARCH_ARENA_H

#include "base/chosen.h"
#include "base/impact_kinds.h"
#include "base/undo.h"
#include "coverage/coverage.h"
#include "schedule/binding.h"
#include "base/op_order.h"
#include "base/script_steps.h"
#include "strategy/guided.h"
#include "strategy/strategy.h"
#include "trace/lane/wordlist.h"
#include "trace/records.h"
#include "trace/replay/enabler.h"

#define SL_ARENA_ADDRESS                                                                                          \
	0x6c0000000000ul /* not where AddressSanitizer keeps the heap of a command built with it */
/* The lowest byte distinguishes layouts: a program may have been linked with the engine of another build. */
#define SL_ARENA_MAGIC (0x31455641454c5500ul | (sizeof(struct sl_arena) / 8 * 0x9e3779b97f4a7c15ul) >> 56)
/* Bytes of the file that are locked: by the command, and by each process of the program. */
enum { SL_ARENA_LOCK_OWNER, SL_ARENA_LOCK_WORKERS };
#define SL_ARENA_LOST_STATUS 124    /* exit status of a process that cannot write to it any more */
#define SL_PAD_ENV "SLEAVE_PAD"     /* variables that only pad the environment; the engine removes them */
#define SL_ARENA_ENV "SLEAVE_ARENA" /* path of the arena; if it is set, the engine takes control */

#define SL_WORKERS_MAX 64
#define SL_FINDINGS_MAX 256
#define SL_MODULES_MAX 512
#define SL_MARKS_MAX (1u << 20)
#define SL_ASKED_MAX 512          /* names of variables of the environment */
#define SL_ITEMS_MAX (1u << 25)   /* of one schedule */
#define SL_RECORDS_MAX (1u << 20) /* of one trace; a longer one keeps the last ones */
#define SL_FRAMES_MAX (1u << 18)
#define SL_TRACE_THREADS_MAX 8192
#define SL_MAPPED_MAX 64 /* files that an execution maps, with names in the trace */
#define SL_ESCAPES_MAX 32
#define SL_TALLIES_MAX 256 /* schedules that users wrote */
#define SL_THREAD_NAMES_MAX 256
#define SL_OBJECT_NAMES_MAX 256
#define SL_BOUND_MAX 64         /* texts with names of the program's code */
#define SL_NOTES_MAX (1u << 19) /* operations of an execution that is compared; later ones only by hash */

enum sl_world { SL_WORLD_MEMORY, SL_WORLD_FORK, SL_WORLD_EXEC };
enum sl_carrier { SL_CARRIER_FIBER, SL_CARRIER_THREAD };
enum sl_races { SL_RACES_OFF, SL_RACES_WARN, SL_RACES_ON };
enum sl_compare { SL_COMPARE_OFF, SL_COMPARE_SAMPLE, SL_COMPARE_ALL };

/*
 * What a change of the program impacts: for each byte of code, of which kinds (CAPP's impacted code points). The command
 * fills it in, by the addresses that the files have; the engine looks at the byte before the return address of each call, and
 * marks it as reached.
 */
#define SL_IMPACT_CODE (1u << 27)
#define SL_IMPACT_FILES 32
#define SL_IMPACT_PLACES (1u << 18)

struct sl_impact {
	uint32_t flags; /* of operations that are impacted: SL_OP_IMPACTED_…, those that the strategy looks at */
	uint32_t prioritise; /* enum sl_prioritise */
	uint32_t iterations; /* as in struct sl_strategy_options, and: */
	uint32_t shuffled;
	uint32_t reached;         /* an execution has come to an impacted point, or to another line of its function */
	uint32_t unreached_limit; /* the search ends after this many executions that have not; 0: it does not */
	uint32_t file_count;
	struct sl_impact_file {
		char path[4096];
		uint64_t low, size; /* of the addresses in it; their bytes begin at `first` */
		uint64_t first;
	} files[SL_IMPACT_FILES];
	/* Instructions at which the engine notes that an execution came by: the first ones of lines. What is there may announce nothing, or
	 * an access that is no point of choice. */
	uint32_t place_count;
	struct sl_impact_place {
		uint32_t file; /* of `files` */
		uint32_t on;   /* how many bytes further the one is that is marked as reached */
		uint64_t at;   /* as the file has it */
	} places[SL_IMPACT_PLACES];
	uint8_t code[SL_IMPACT_CODE];
};

/* The phases of a process, in this order. */
enum sl_phase {
	SL_PHASE_CANARY, /* a program of our own with a race and a deadlock: both must be found */
	SL_PHASE_WARM_UP, /* the schedule without preemptions, until no more shared data is found; then once more, to compare */
	SL_PHASE_EXPLORE,
	SL_PHASE_LOCKSTEP, /* all threads take turns; after a search that was not complete */
	SL_PHASE_MINIMISE, /* variants of the schedule of finding number `subject` */
	SL_PHASE_SHORTEN,  /* of the same finding: all schedules with fewer preemptions, within limits */
	SL_PHASE_CONFIRM,  /* steered into the deadlock that warning number `subject` is about */
	SL_PHASE_ENDLESS, /* an execution that is much longer than all that ended is run again, and continued with a fair schedule */
	SL_PHASE_COMPARE, /* the last explored execution once more, compared operation by operation */
	SL_PHASE_TRACE,   /* finding number `subject` once more, with every operation recorded, and compared */
	SL_PHASE_ENABLERS, /* of the same finding: which operations would have enabled its stuck threads (trace/replay/enabler.h) */
	SL_PHASE_LEAKS, /* one execution of each kind of end once more, to find lost blocks (leak.h) */
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
	SL_TROUBLE_HANG,           /* no operation for a long time: code that is not under control */
	SL_TROUBLE_CANARY,         /* the built-in bugs were not found: detail says which */
	SL_TROUBLE_SIGNAL,         /* another process sent a signal: detail */
	SL_TROUBLE_SYSTEM,         /* the operating system refused a call: detail */
	SL_TROUBLE_OUTSIDE,        /* all threads wait, and only an outside process could wake one: detail, pc */
	SL_TROUBLE_PLAN,           /* the text of a schedule has an error: detail, pc */
};

/* Parts of tsa that are switched off. */
enum { SL_TSA_NO_ESTIMATE = 1, SL_TSA_NO_FOCUS = 2 };

/*
 * With sl_config.wanted, which executions count as following the schedule. OPEN: also those that show the finding before all
 * events have occurred. FULFILLED: only those in which all events have occurred. MISSING: also those in which an event never
 * occurs. A schedule with an event that never occurs has executions of the first kind only, and is useless.
 */
enum sl_wanted_how { SL_WANTED_OPEN, SL_WANTED_FULFILLED, SL_WANTED_MISSING };

struct sl_config {
	uint32_t world, carrier, races;
	uint32_t violations; /* enum sl_races: predicted violations of atomicity that happen */
	uint32_t sync_only; /* the program is not instrumented */
	uint32_t warm; /* the marks are those of a recorded execution: there is no WARM_UP */
	uint32_t void_main; /* the status of a return from main() means nothing */
	uint32_t memory;    /* enum sl_races: errors of the heap */
	uint32_t misuse;    /* enum sl_races: of synchronisation objects */
	uint32_t spurious;  /* spurious wake-ups and failures are choices */
	uint32_t volatiles; /* 1: volatile accesses are atomic */
	uint32_t again;     /* a spinning loop runs one more turn before it waits, for coverage */
	uint32_t keep_going;
	struct {
		uint32_t only; /* sleave replay: go straight to SL_PHASE_TRACE of finding 0 */
		uint32_t
			repeats; /* executions of SL_PHASE_TRACE; 0: two, the second one to compare with the first */
		uint32_t all;    /* also record unshared accesses */
		uint32_t stop_at_failure; /* call sleave_stop() at the failure, for a debugger */
		uint64_t until; /* stop_at_failure: also stop before this operation of the trace; 0: do not */
	} trace;
	uint32_t compare;     /* enum sl_compare: which executions are run twice and compared */
	uint32_t show_output; /* leave the program's output alone */
	uint32_t quiet;       /* sleave_explore(): print nothing, write no replay file */
	uint32_t workers;
	uint64_t seed;
	uint32_t depth;
	uint32_t explore_call; /* replay inside a test: which call of sleave_explore() */
	struct {
		uint64_t executions;   /* in all; 0: no limit */
		uint64_t nanoseconds;  /* 0: no limit */
		uint64_t operations;   /* in one execution */
		uint64_t state_memory; /* --stateful: bytes for saved states */
		uint32_t
			in_time; /* the user has asked for `nanoseconds`: an execution that is running then is given up */
		uint32_t preemptions; /* 1 + the most in one execution; 0: any number */
	} limit;
	char strategy[32];
	struct {
		char criterion[32]; /* empty: coverage is kept only if the strategy needs it */
		uint64_t window,
			nanoseconds; /* window for saturation: executions, or time; 0: saturation is not checked */
		double coefficient;  /* … and coverage is saturated when r² is not above this */
	} cover;
	uint32_t tsa_without; /* SL_TSA_… */
	uint32_t check_plan; /* schedules are not enforced: it is only checked whether an execution follows them */
	struct {
		uint64_t signature; /* 0, or: only count executions that show this finding (sl_counters.shown) */
		uint32_t all; /* … until one follows the schedule and does not show it, or so many have shown it */
		uint32_t how; /* enum sl_wanted_how */
	} wanted;
	char plan[16384]; /* a schedule for the whole program; empty: none */
	/* Only one run of a section is explored (engine/section/prelude.h). */
	struct {
		uint32_t
			number; /* of the section, in the order in which the program reaches sections; 0: the whole program is explored */
		uint32_t schedule; /* number of schedules before the run's own */
		uint32_t line;     /* of that schedule */
	} visit;
	uint64_t
		section; /* 0, or: plan applies to the runs of sections whose own schedule has this signature (sl_setting) */
	/* paths of the reels (trace/lane/reel.h), one of each worker, into which the executions of EXPLORE are recorded; empty: none */
	char reels[SL_WORKERS_MAX][40];
	uint32_t values; /* what is recorded into the reels has the values, too, and what else a search learns from (trace/lane/item.h) */
	uint32_t record_only; /* sleave record: one execution, and findings are not examined */
	uint32_t
		renews; /* a process that ends with sl_worker.renew is started again: findings are confirmed in a new process */
	uint32_t
		realistic_time; /* a finding that needs a long delay of a thread does not end the search, and is reported last */
};

/* Counted over all executions of a worker. */
struct sl_counters {
	uint64_t executions;            /* of the exploration */
	uint64_t helpers;               /* of minimising, tracing, comparing */
	uint64_t phases[SL_PHASE_DONE]; /* all, by enum sl_phase */
	uint64_t restarts;   /* how often an exhaustive search started over because more shared data was found */
	uint64_t operations; /* synchronisation and atomics */
	uint64_t accesses;   /* plain and volatile, ranges too */
	uint64_t choices;
	uint64_t cut;
	uint64_t late;      /* executions of any phase that were given up when the time was over; not in phases */
	uint64_t given_up;  /* those of them whose result the search misses */
	uint64_t abandoned; /* executions that led to nothing new (dpor) */
	uint64_t compared;  /* executions that were run again and compared operation by operation */
	uint64_t different; /* those of them that differed */
	uint64_t shown;     /* executions with the wanted finding */
	uint64_t dropped;   /* executions that did not follow the schedule */
	uint32_t threads;   /* most in one execution */
	uint32_t pad;
};

/* A call that was let through although it could matter: reported at the end of every run. */
struct sl_escape {
	char name[40];
	uint64_t count;
	uint64_t pc;
};

/* Relevant code that ran without being seen: then no verdict is about all interleavings. The count is in parentheses. */
enum sl_unseen_kind {
	SL_UNSEEN_ASSEMBLY, /* an asm statement with unknown accesses (how often it ran) */
	SL_UNSEEN_OUTSIDE,  /* assembly outside of functions, somewhere in the file */
	SL_UNSEEN_LIBRARY,  /* a library, or the program, that is not instrumented (operations from there) */
	SL_UNSEEN_THREAD,   /* a thread that never reached an instrumented function: where it began */
	SL_UNSEEN_OBJECT, /* a function of an instrumented program that is not instrumented (operations from there) */
	SL_UNSEEN_TOUCHES, /* a function that is not instrumented and accesses memory (executions in which it ran) */
};

struct sl_unseen {
	uint64_t pc; /* 0: none */
	uint64_t count;
	uint32_t kind;
};

#define SL_UNSEEN_MAX 64
#define SL_LOOPS_MAX 32 /* endless loops */

struct sl_items {
	uint64_t count;
	struct sl_pick items[SL_ITEMS_MAX];
};

/* leak.h: executions that left different blocks behind, and the blocks that were lost in them. */
#define SL_ENDS_MAX 8
#define SL_END_ITEMS_MAX (1u << 16)
#define SL_LEAK_SITES_MAX 256

struct sl_leaks {
	uint32_t end_count, site_count;
	uint64_t marks_before; /* marks of the search, for the end */
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

/* The running execution, or the last one, if it takes long (engine/progress/deadline.c): its operations, and where it was seen. */
#define SL_WEIGHT_PLACES 64

struct sl_weight {
	uint64_t began, seen; /* the first sample and the last, CLOCK_MONOTONIC, ns */
	uint64_t operations;
	uint32_t count; /* of places */
	uint32_t pad;
	struct {
		uint64_t pc, samples;
	} places[SL_WEIGHT_PLACES];
};

/*
 * What forked children of the program report to it while it waits for them (child_tells.c). The children write it; it is
 * meaningless after the execution.
 */
#define SL_TOLD_CHILDREN 256
#define SL_TOLD_SIGNALS 64
enum sl_told_number {
#define SL_TOLD(name, function, used, opened) SL_TOLD_NUMBER_##name,
#include "search/told.def"
	SL_TOLD_COUNT
};
enum {
#define SL_TOLD(name, function, used, opened) SL_TOLD_##name = 1 << SL_TOLD_NUMBER_##name,
#include "search/told.def"
	SL_TOLD_EXEC = 1 << SL_TOLD_COUNT /* another program is started */
};
struct sl_told {
	uint32_t what; /* SL_TOLD_… */
	uint32_t sent_count;
	uint64_t slept[SL_TOLD_CHILDREN]; /* nanoseconds, by the number of the child, with its descendants */
	struct {
		int32_t process; /* the sender, by the kernel's number; 0: not written yet, or taken */
		int32_t signal;
		uint32_t child;
		uint32_t pad;
		uint64_t slept;  /* the child's sleep before it sent the signal */
	} sent[SL_TOLD_SIGNALS]; /* a ring */
};

struct sl_worker {
	int32_t pid;
	uint32_t running;     /* an execution is running */
	uint32_t lived;       /* executions of this process, if the world is restored */
	uint32_t renew;       /* the process has ended so that a new one continues */
	uint32_t phase;       /* enum sl_phase */
	uint32_t subject;     /* finding of MINIMISE and TRACE */
	uint32_t entered;     /* the strategy of the phase has been started */
	uint32_t exploring;   /* the strategy of EXPLORE has been started */
	uint32_t lockstepped; /* LOCKSTEP is done */
	uint32_t canary;      /* bits: 1 << kind of the findings of CANARY */
	uint32_t repeats;     /* executions done in WARM_UP or TRACE */

	struct {
		uint32_t count; /* lock orders warned of */
		uint32_t tried;
	} inversions;

	/* SHORTEN. */
	struct {
		uint64_t steps; /* operations spent in it */
		uint64_t marks; /* that count in it */
		uint64_t from;  /* when `subject` was found, and shortening of its schedule began */
	} shorten;

	/* Marks (engine/upcall/mark.h). */
	struct {
		uint64_t used;   /* how many count in the running execution */
		uint64_t search; /* how many the strategy of EXPLORE knows */
		uint64_t before;
		uint32_t again; /* this execution was begun before, with `before` of the marks */
		uint32_t full;  /* there was no room for a mark: the search cannot be complete */
	} marks;

	uint64_t places[SL_CULPRITS_MAX]; /* of CONFIRM */
	struct sl_schedule view;          /* of the schedule that MINIMISE or TRACE starts from */
	uint64_t beat;                    /* counts operations and accesses; the command's watchdog reads it */
	uint64_t last_pc;                 /* where the last operation was seen */
	uint64_t hash;                    /* of the operations of the running or last execution */

	/* The execution to compare with, in WARM_UP and TRACE. */
	struct {
		uint64_t hash, marks;
	} first;

	/* COMPARE. */
	struct {
		uint64_t hash, marks; /* of the execution to compare with */
		uint64_t next_sample; /* number of the execution */
		uint32_t sampled;     /* the running execution of EXPLORE will be compared */
		uint32_t diverged;    /* equal schedules gave different executions */
	} compare;

	struct {
		uint32_t kind; /* enum sl_trouble */
		uint32_t pad;
		uint64_t pc;
		char detail[128];
	} trouble;
	struct sl_counters counters;
	struct sl_progress progress;

	/* Checkpoints (engine/upcall/state.h). */
	struct {
		uint64_t kept, evicted, restored;
		uint64_t bytes; /* the most that they had */
	} checkpoints;

	uint64_t
		state_sum; /* checksum of the strategy's tables (sum of struct sl_strategy) after the last execution; 0: not known */

	/* Executions that may not end (ENDLESS). */
	struct {
		uint64_t longest;    /* operations of the longest execution that ended; 0: none has */
		uint32_t doubted;    /* how many executions that were much longer were examined without a result */
		uint32_t loop_count; /* the loops that were examined: */
		uint64_t loops[SL_LOOPS_MAX];
	} endless;

	struct sl_difference parting;    /* of the running execution from the one before */
	struct sl_difference divergence; /* the first one that mattered */
	/* all members above are saved (base/undo.h) when an execution begins */
	uint32_t begun; /* an execution has begun with marks.used; rollbacks from here on do not affect it */
	uint32_t pad3;
	struct sl_weight weight, heaviest; /* the latter: of executions that have ended */
	struct sl_told told;
	struct sl_leaks leaks;
	struct sl_items schedule; /* of the running execution */
	struct sl_items again;    /* of the execution to be compared, in COMPARE */
	uint64_t note_count;
	struct sl_record notes[SL_NOTES_MAX]; /* of the last noted execution, and of the running one */
};

/* The section of a test in which the trace of a finding ends. */
struct sl_setting {
	uint64_t signature; /* of its schedule and the schedule's place; 0: the trace ends in no section */
	uint64_t from;      /* how many records came before it */
	uint32_t line, infeasible;
	char file[256], function[128], name[128]; /* name: of the schedule */
	char text[16384];                         /* the schedule's orderings */
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
		late; /* a race that is a warning, and becomes a finding at the end of the search if no finding shows it better */
	uint32_t renewed; /* the trace is made in a process that had run no execution before */
	uint32_t worker;
	uint32_t passes;        /* its execution had another, known finding before */
	uint32_t given_up;      /* the time was over before the trace was complete: there is none */
	uint32_t long_schedule; /* the time was over before its schedule was fully shortened */
	uint32_t
		version; /* 0: must not be read yet; odd: being changed; even: consistent since the last execution */
	uint64_t steps;          /* operations of the traced execution */
	struct sl_finding other; /* what the trace showed instead, if not confirmed */
	uint64_t execution;      /* number of the execution, in the worker's search, that found it */
	uint64_t runs;           /* number of all executions until then, of all workers and for any purpose */
	struct sl_setting setting;
	struct sl_said said; /* output of the traced execution */
	uint64_t marks_used;
	uint64_t hash;
	struct sl_items schedule;
	/* the command's; never rolled back (base/undo.h), like the file */
	char file[256]; /* the replay file, when it has a name */
	uint32_t early; /* the version that was written before the case was ready */
	uint32_t pad;
	uint64_t record_count; /* of all records; the array is a ring */
	uint32_t frame_count, thread_count;
	uint32_t mapped_count, pad_mapped;
	struct sl_mapped_file mapped[SL_MAPPED_MAX];
	struct sl_record records[SL_RECORDS_MAX];
	struct sl_frame frames[SL_FRAMES_MAX];
	struct sl_thread_record threads[SL_TRACE_THREADS_MAX];
	struct sl_enablers enablers;
};

/* The command line and its environment, so that a run that was killed can be resumed (cli/session/resume.c). */
#define SL_ORIGIN_TEXT (1u << 20)

struct sl_origin {
	uint32_t resumable; /* the arena is a file, and changes are logged (base/undo.h) */
	uint32_t ended;     /* the run has ended by itself or by request: it was not killed */
	uint64_t spent;     /* nanoseconds that earlier runs of it took */
	uint64_t seen;      /* … and this one, updated about ten times a second */
	uint64_t
		content; /* checksum of the rest of the file, if the run has ended; 0: there is none (cli/session/resume.c) */
	uint64_t text_sum; /* checksum of the members below, which never change */
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

/* How many executions followed a schedule that a user wrote (engine/core/plan.h), and how many left it. */
struct sl_tally {
	uint64_t signature; /* 0: not used */
	uint64_t kept, dropped;
	uint64_t
		earlier; /* executions that followed it before the search started over, or that had a finding before its end */
	uint32_t line, infeasible;
	uint32_t known; /* all its names have occurred, in one execution or another */
	uint32_t pad;
	char name[64], file[128];
	char unknown
		[256]; /* the name that has not: "event `zz` never occurred"; empty: all have, or they were not checked yet */
	/* bits: names that occurred in its runs */
	uint64_t events[SL_WORDS_MAX / 64], threads[SL_THREAD_NAMES_MAX / 64], objects[SL_OBJECT_NAMES_MAX / 64];
};

/* The bindings of the names in the text of a schedule (engine/plan/code.c). */
struct sl_bound {
	uint64_t signature, ready; /* of the text; 0: not used, or not known yet */
	uint32_t count;
	struct sl_binding items[SL_BINDINGS_MAX];
};

#define SL_STATE_BYTES (5ul << 30) /* room for the state of one strategy */

/* The environment variables that the program has read, by a hash of the name. An entry belongs to the process that has
 * set its state to 1, and is valid for all processes when the state is 2. */
struct sl_asked {
	uint32_t full; /* there was no room for another name, or for a long one */
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
	uint32_t stop; /* the command asks the workers to end after the running execution */
	uint32_t pad0;
	uint64_t hurry; /* when the user asked for that (CLOCK_MONOTONIC, ns); 0: the user did not */

	/* What is known about the program. */
	struct {
		uint32_t has_control;   /* the engine has started in it */
		uint32_t instrumented;  /* a compiler callback was seen */
		uint32_t explore_calls; /* of sleave_explore() so far */
		uint32_t no_dispatch;   /* the kernel cannot intercept system calls that do not go through libc */
		uint32_t unaided;       /* a file was compiled without src/plugin */
		uint32_t set_aside; /* the schedules of its sections are replaced by one for the whole program */
		uint32_t relaxed;   /* --stateful: there are atomics with orders that do not synchronise */
		uint32_t pad;
	} program;

	uint64_t started; /* CLOCK_MONOTONIC, ns */
	uint64_t total;   /* executions of all workers, for the limit */

	/* The result from sleave report, for the test that called sleave_explore(). */
	struct {
		uint32_t verdict; /* enum sleave_verdict */
		uint32_t findings;
		char message[256];
		char file[256];
	} result;

	/* sleave report --trace. */
	struct {
		int32_t by;    /* the process that writes a trace of the exploration */
		uint32_t over; /* 1 when the exploration is over */
		uint32_t done; /* 1 when the trace is written, 2 if that failed */
	} trace;

	uint32_t case_count;

	struct {
		uint32_t count;
		uint32_t noted; /* 1: a process is storing them, 2: done */
		uint32_t first; /* how many there were at the start */
		uint32_t pad;
		struct sl_module items[SL_MODULES_MAX];
	} modules;

	struct sl_escape escapes[SL_ESCAPES_MAX];
	struct sl_unseen unseen[SL_UNSEEN_MAX];
	uint32_t unseen_more; /* there were other places */
	struct sl_asked asked;
	struct sl_impact impact;
	struct sl_guide guide; /* of the strategy `guided`; picks 0: none */
	struct sl_op_order order; /* that executions of the first worker are steered into; steps 0: none */
	struct sl_foreseen foreseen;
	struct sl_scripts scripts; /* of the strategy `script` */
	struct sl_tally tallies[SL_TALLIES_MAX];
	struct sl_bound bound[SL_BOUND_MAX];
	struct {
		struct sl_wordlist events;
		char threads[SL_THREAD_NAMES_MAX][SL_THREAD_NAME];
		char objects[SL_OBJECT_NAMES_MAX][SL_EVENT_NAME]; /* by sleave_name() */
	} names;

	uint64_t claims[1u << 20];                                          /* strategy/claim.h */
	unsigned char shared[SL_SHARED_BYTES] __attribute__((aligned(64))); /* by the workers of a strategy */

	/* Shared data that was found, by address: open addressing, only grows. */
	struct {
		uint64_t count;
		uint64_t sum; /* checksum of the marks, written before the count */
		uint32_t lock;
		uint32_t pad;
		uint64_t table[SL_MARKS_MAX];
	} marks;

	struct sl_worker workers[SL_WORKERS_MAX];
	struct sl_case cases[SL_FINDINGS_MAX];
	unsigned char states[SL_WORKERS_MAX][SL_STATE_BYTES]; /* of the exploring strategy */
	unsigned char helper[SL_WORKERS_MAX][SL_STATE_BYTES]; /* of minimise and replay */
	struct sl_undo undo[SL_WORKERS_MAX];
	struct sl_coverage coverage[SL_WORKERS_MAX];
};

#define SL_ARENA ((struct sl_arena *)SL_ARENA_ADDRESS)

/* The result of one execution; the engine fills it in, sl_after() evaluates it. */
struct sl_outcome {
	struct sl_execution execution;
	bool found;
	bool late;            /* cut, because the time was over */
	uint64_t took;        /* ns, if it took long; 0: it did not */
	bool endless;         /* cut, while all threads that could run did, and none only computed */
	uint64_t loop;        /* identity of its endless loop (endless.c); 0: not known */
	uint64_t shown_items; /* the length of its schedule after sl_operations_shown() */
	bool passes;          /* a known finding happened before, and did not end it */
	struct sl_finding finding;
	uint64_t hash;
	uint64_t left; /* a sum over the heap blocks that it left */
	uint64_t operations, accesses;
};

/*
 * after.c: the next execution, and the evaluation of the last one. These work on the arena alone, so that the program under
 * test, the process that forks it, and the command (when the program has died) can all call them.
 */

/* Returns whether there is another execution for this worker. Moves from phase to phase. */
bool sl_next(struct sl_arena *arena, uint32_t worker);
void sl_after(struct sl_arena *arena, uint32_t worker, const struct sl_outcome *outcome);
/* The running execution ended with the process: a finding by a signal, or trouble. */
void sl_died(struct sl_arena *arena, uint32_t worker, int wait_status);
/* The running execution will not be finished: rolls its changes back, as if it had not begun. Returns false if that is impossible. */
bool sl_take_back(struct sl_arena *arena, uint32_t worker);
/* When the running execution of this worker must be given up (CLOCK_MONOTONIC, ns); UINT64_MAX: never. */
uint64_t sl_worker_deadline(const struct sl_arena *arena, const struct sl_worker *worker);
/* The execution was cut while the finding was traced. */
void sl_case_forget_trace(struct sl_case *c);
/* The most operations that an execution of this worker may have, by present knowledge. */
uint64_t sl_operations_limit(const struct sl_arena *arena, const struct sl_worker *worker);
/* Of an execution that ran for too long, so many operations are repeated to show it, and SL_ENDLESS_TAIL more follow. */
uint64_t sl_operations_shown(const struct sl_worker *worker);
#define SL_ENDLESS_TAIL 16384u
/* phase.c */
const struct sl_strategy *sl_phase_strategy(struct sl_arena *arena, uint32_t worker, void **state);
/* Returns the number of the finding with this signature, or -1. A mere warning (a race) may come back as a finding. */
int sl_case_find(struct sl_arena *arena, uint64_t signature, bool warnings);
int sl_case_add(struct sl_arena *arena, uint32_t worker, const struct sl_finding *finding, bool warning);
/* Sets a case to this finding, with the last execution as the one that shows it. */
void sl_case_set(struct sl_arena *arena, uint32_t worker, struct sl_case *c, const struct sl_finding *finding);
/* The next warning of this worker whose execution is to be traced, or -1. */
int sl_case_untraced(struct sl_arena *arena, uint32_t worker);
/* A late race that must not be reported: a finding shows it better, or has ended the search. */
bool sl_case_is_held(const struct sl_arena *arena, const struct sl_case *c);
/* Only one finding counts (sl_config.wanted.signature): counts whether the execution showed it. */
void sl_case_wanted(struct sl_arena *arena, struct sl_worker *worker, const struct sl_outcome *outcome);
/* The search starts over, and counts anew. */
void sl_tallies_restart(struct sl_arena *arena, const struct sl_strategy *strategy);
void sl_judge_schedules(struct sl_arena *arena, uint32_t worker); /* at the end of its search */
void sl_trouble_set(struct sl_worker *worker, enum sl_trouble trouble, uint64_t pc, const char *detail);
uint64_t sl_nanoseconds(void);
/* recover.c: after all processes have ended, restores a consistent state for new ones. Returns false if that is impossible. */
bool sl_resume(struct sl_arena *arena);
/* After a search that ended at a limit: this worker continues it. */
void sl_explore_more(struct sl_arena *arena, uint32_t worker);
void sl_warm_up_again(struct sl_arena *arena, uint32_t worker); /* then the worker continues to explore */
bool sl_case_ends_search(const struct sl_arena *arena, const struct sl_case *c);
bool sl_finding_ends_search(const struct sl_arena *arena, const struct sl_finding *finding);
/* Returns whether the execution showed this finding, not only one that resembles it. */
bool sl_case_shows(const struct sl_case *c, const struct sl_outcome *outcome);
/* To be called before a case is changed, and afterwards. */
void sl_case_save(struct sl_case *c);
void sl_case_publish(struct sl_case *c);

/* Returns whether the finding needs a delay of a thread that is unlikely (--realistic-time). */
static inline bool
sl_finding_is_far(const struct sl_arena *arena, const struct sl_finding *finding)
{
	return arena->config.realistic_time && finding->delayed >= SL_DELAY_LONG &&
	       finding->kind != SL_FINDING_RACE;
}

/* How often the program has been run; the canary is not the program. */
static inline uint64_t
sl_counters_runs(const struct sl_counters *counters)
{
	uint64_t sum = counters->late;

	for (int i = SL_PHASE_CANARY + 1; i < SL_PHASE_DONE; i++)
		sum += counters->phases[i];
	return sum;
}

/* The criterion of coverage; NULL: none. */
static inline const struct sl_criterion *
sl_arena_criterion(const struct sl_arena *arena)
{
	const struct sl_strategy *s = sl_strategy_find(arena->config.strategy);

	if (arena->config.cover.criterion[0])
		return sl_criterion_find(arena->config.cover.criterion);
	return s && s->traits.covers ? &sl_criterion_sync_pair : NULL;
}

/* Returns whether the worker's coverage has stopped growing. */
static inline bool
sl_arena_is_saturated(struct sl_arena *arena, uint32_t worker)
{
	const struct sl_config *c = &arena->config;

	return c->cover.criterion[0] && (c->cover.window || c->cover.nanoseconds) &&
	       sl_coverage_is_saturated(&arena->coverage[worker], c->cover.window, c->cover.nanoseconds,
					c->cover.nanoseconds ? sl_nanoseconds() - arena->started : 0,
					c->cover.coefficient);
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
