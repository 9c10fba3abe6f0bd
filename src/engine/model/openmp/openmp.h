/*
 * OpenMP as gcc compiles it: the functions of libgomp, made of threads and operations under control. Out of control
 * they are libgomp's own. Its real runtime shares out work with atomics that are not instrumented, so none of it runs here.
 *
 * A thread has a place in a team, with a task that it runs. The team of a thread that is in no parallel region is one
 * of its own. Workers stay with the thread that began the region, for its next one, as in libgomp: what is
 * threadprivate stays with them. Everything lives for one execution, and as one thread runs at a time nothing is locked.
 *
 * Operations on a team, its loops and its tasks have addresses that are names and not memory (layout.h).
 */
#ifndef SL_ENGINE_MODEL_OPENMP_OPENMP_H
#define SL_ENGINE_MODEL_OPENMP_OPENMP_H

#include "engine/core/engine.h"
#include "engine/entry/interpose.h"

#define SL_OMP_LEVELS 32            /* of nested regions */
#define SL_OMP_LEVELS_SUPPORTED 255 /* what the program is told, as by libgomp */
#define SL_OMP_SHARES 8             /* addresses for the constructs of a region that may be under way */
#define SL_OMP_DEFAULT 2u /* threads, if the program does not say how many: not as many as there are processors */

/* For the scheduler. */
void sl_omp_leave(void);                            /* the running thread is about to end */

/* ---- entries ---- */

struct sl_omp_entry {
	const char *name;
	void *real; /* libgomp's */
};

void sl_omp_boot(void);

/* With all argument registers as they were: the real function, which is asked for at the first call. */
#define SL_OMP_REAL(name)                                                                                         \
	"movq sl_omp_entry_" #name "+8(%rip), %r11\ntestq %r11, %r11\njz 2f\njmp *%r11\n"                         \
	"2: pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %rax\n"                   \
	"call sl_omp_boot\n"                                                                                      \
	"popq %rax\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"                             \
	"jmp *sl_omp_entry_" #name "+8(%rip)\n"
#define SL_OMP_ENTRY(name)                                                                                        \
	extern struct sl_omp_entry sl_omp_entry_##name;                                                           \
	struct sl_omp_entry sl_omp_entry_##name                                                                   \
		__attribute__((section("sl_omp_entries"), used, visibility("hidden"))) = {#name, NULL}

/* SL_OMP(type, name, parameters…) { … } exports `name`: in control it is the body. */
#define SL_OMP(type, name, ...)                                                                                   \
	SL_OMP_ENTRY(name);                                                                                       \
	SL_STUB(name, SL_OMP_REAL(name));                                                                         \
	type sl_in_##name(__VA_ARGS__);                                                                           \
	type sl_in_##name(__VA_ARGS__)

/* ---- settings: each task has its own, and hands them down ---- */

enum { SL_OMP_STATIC = 1, SL_OMP_DYNAMIC = 2, SL_OMP_GUIDED = 3, SL_OMP_AUTO = 4 };

struct sl_omp_settings {
	uint32_t threads;       /* of the next region */
	uint32_t levels;        /* of regions that have more than one thread */
	uint32_t limit;         /* of threads */
	int schedule, chunk;    /* of loops whose schedule is "runtime" */
	unsigned schedule_bits; /* that it is monotonic */
	bool dynamic;
};

/* ---- tasks (task.c) ---- */

struct sl_omp_group { /* taskgroup */
	struct sl_omp_group *outer;
	uint32_t tasks, ready; /* that have not ended; that no thread has taken yet */
	struct sl_clock ends;  /* what the tasks knew that have ended */
};

struct sl_omp_dependence {
	void *address;
	bool out;
};

struct sl_omp_successor {
	struct sl_omp_task *task;
	struct sl_omp_successor *next;
};

struct sl_omp_task {
	struct sl_omp_settings settings;
	struct sl_omp_task *parent; /* NULL: the implicit one of a thread */
	struct sl_omp_group *group;
	uint32_t children, ready; /* that have not ended; of these, that no thread has taken yet */
	bool final, ended;
	uint64_t number;
	int priority;
	void (*function)(void *);
	void *argument;
	bool owns_argument;
	struct sl_clock begins, ends; /* what it knows when it begins; what its children knew that have ended */
	struct sl_omp_task *next, *before; /* in the team's queue */
	/* dependences: on siblings that came before */
	struct sl_omp_dependence *dependences;
	uint32_t dependence_count, awaits;
	struct sl_omp_successor *successors;
	struct sl_omp_task *siblings,
		*sibling; /* children with dependences that have not ended; the next of them */
};

/* ---- teams (team.c) ---- */

struct sl_omp_share { /* a loop, sections, single (worksharing.c) */
	struct sl_omp_share *next;
	uint64_t number; /* in its region */
	uint64_t address;
	uint32_t left; /* threads that are through with it */
	bool begun;
	int schedule;
	bool ordered;
	uint64_t start, step, end;    /* as numbers modulo 2^64 */
	uint64_t count, chunk, taken; /* iterations */
	uint64_t parts, turn;         /* ordered: parts handed out; the one that may go on */
	struct sl_clock before;       /* ordered: what was known at the end of the last ordered region */
	void *copy;                   /* copyprivate */
	void *memory;                 /* that the compiler asked for */
	/* ordered(n) with depend: extents; for each iteration, what was known when it said that it is done */
	uint64_t *extents;
	uint32_t dimensions;
	struct sl_clock **posted;
};

typedef unsigned long long ull;

struct sl_omp_range {
	uint64_t start, end, step;
	bool up, wide; /* wide: unsigned long long */
};

#define SL_OMP_SIGNED(start, end, step)                                                                           \
	(&(struct sl_omp_range){(uint64_t)(start), (uint64_t)(end), (uint64_t)(step), (step) > 0, false})
#define SL_OMP_UNSIGNED(up, start, end, step) (&(struct sl_omp_range){start, end, step, up, true})
#define SL_OMP_OUT(istart, iend) (uint64_t *)(istart), (uint64_t *)(iend), SL_PC

/* The next construct of the running thread is a loop; its first part. (istart NULL: none yet.) Schedule 0: as it was set. */
bool sl_omp_loop_start(const struct sl_omp_range *range, int schedule, uint64_t chunk, bool ordered,
		       uint64_t *istart, uint64_t *iend, uint64_t pc);

bool sl_omp_loop_next(uint64_t *istart, uint64_t *iend, uint64_t pc);
/* What the compiler may want of a construct besides: memory for all, zeroed. */
void sl_omp_share_memory(struct sl_omp_share *share, const uint64_t *reductions, void **memory, uint64_t pc);

enum sl_omp_wait { SL_OMP_WAIT_BARRIER, SL_OMP_WAIT_CHILDREN, SL_OMP_WAIT_GROUP, SL_OMP_WAIT_DEPENDENCES };

struct sl_omp_place {
	struct sl_omp_team *team;
	struct sl_omp_place *outer; /* where the thread is besides: the region around this one */
	struct sl_thread *thread;
	uint32_t number;
	struct sl_omp_task *task;
	struct sl_omp_task implicit;
	struct sl_omp_share *share;
	uint64_t shares; /* constructs that it has come by in this region */
	uint64_t part;   /* ordered: the one that it has, from 1 */
	uint64_t trip;   /* static: parts that it has had */
	enum sl_omp_wait wait;
	struct sl_omp_task *awaited;
	uint64_t sink;  /* an iteration that it waits for, plus one; 0: its turn */
	uint64_t round; /* barriers of the team when it came to this one */
};

struct sl_omp_team {
	uint64_t address;
	struct sl_object *object; /* barrier and tasks: what its threads wait for */
	uint32_t size, room;
	uint32_t level, active;
	struct sl_omp_place *places;
	struct sl_omp_place *begun_by; /* NULL: a thread's own */
	void (*function)(void *);
	void *data;
	uint64_t pc;
	uint32_t arrived;
	uint64_t round;
	struct sl_omp_share *shares, *free_shares;
	uint64_t share_count;
	struct sl_omp_task *first, *last; /* tasks that can be taken */
	uint32_t tasks;                   /* that have not ended, undeferred ones left out */
	uint64_t made;
};

/* For the regions of one level that one thread begins. */
struct sl_omp_crew {
	struct sl_thread **workers;
	uint32_t count, room;
	struct sl_omp_team *team; /* the same memory for each region */
};

/* Of a thread. */
struct sl_omp {
	struct sl_omp_place *place;
	struct sl_omp_crew crews[SL_OMP_LEVELS];
	/* a worker: what to do next */
	struct sl_omp_place *next;
	bool dismissed;
	uint32_t teams, team; /* of a league */
};

struct sl_omp_place *sl_omp_here(void);
/* A region begins: its team is there, then (a loop may have been prepared for all) all threads run. */
void sl_omp_begin(void (*function)(void *), void *data, unsigned threads, uint64_t pc);
void sl_omp_start(void);
void sl_omp_end(uint64_t pc);
void sl_omp_barrier(uint64_t pc);
void sl_omp_await(struct sl_object *object, bool choice);

/* tasks */
struct sl_omp_task *sl_omp_task_ready(struct sl_omp_place *place);
void sl_omp_task_run(struct sl_omp_task *task, uint64_t pc);
void sl_omp_wake_done(struct sl_omp_team *team);
bool sl_omp_wait_is_over(const struct sl_omp_place *place);

extern bool sl_omp_cancellation; /* OMP_CANCELLATION */
extern int sl_omp_max_priority;
extern uint32_t sl_omp_threads_before; /* set out of control; 0: not at all */

#endif
