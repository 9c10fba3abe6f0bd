/*
 * OpenMP as compiled by gcc: the functions of libgomp, implemented by threads and operations under control.
 * Outside of control they are libgomp's. The real runtime distributes work by atomics that are not instrumented,
 * so it is not used under control.
 *
 * A thread has a place in a team, with a task that it runs. A thread outside of parallel regions is a team by
 * itself. As in libgomp, workers stay with the thread that began the region, for its next one, with their
 * threadprivate variables. Everything lives for one execution, and needs no locks, as one thread runs at a time.
 *
 * Operations on a team, its loops and its tasks have addresses that do not refer to memory (layout.h).
 */
#ifndef SL_ENGINE_MODEL_OPENMP_OPENMP_H
#define SL_ENGINE_MODEL_OPENMP_OPENMP_H

#include "engine/core/engine.h"
#include "engine/entry/interpose.h"

#define SL_OMP_LEVELS 32            /* the limit of nested regions */
#define SL_OMP_LEVELS_SUPPORTED 255 /* the value that the program sees, as with libgomp */
#define SL_OMP_SHARES 8             /* addresses for the active constructs of a region */
#define SL_OMP_DEFAULT 2u           /* the default number of threads, independent of the number of processors */

/* For the scheduler. */
void sl_omp_leave(void);                            /* the running thread is about to end */

/* ---- entries ---- */

struct sl_omp_entry {
	const char *name;
	void *real; /* libgomp's */
};

void sl_omp_boot(void);

/* Calls the real function with unchanged argument registers; the first call resolves it. */
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

/* SL_OMP(type, name, parameters…) { … } exports `name`: under control the body is executed. */
#define SL_OMP(type, name, ...)                                                                                   \
	SL_OMP_ENTRY(name);                                                                                       \
	SL_STUB(name, SL_OMP_REAL(name));                                                                         \
	type sl_in_##name(__VA_ARGS__);                                                                           \
	type sl_in_##name(__VA_ARGS__)

/* ---- settings: each task has its own, and its children inherit them ---- */

enum { SL_OMP_STATIC = 1, SL_OMP_DYNAMIC = 2, SL_OMP_GUIDED = 3, SL_OMP_AUTO = 4 };

struct sl_omp_settings {
	uint32_t threads;       /* threads of the next region */
	uint32_t levels;        /* limit of active levels of regions */
	uint32_t limit;         /* limit of threads */
	int schedule, chunk;    /* for loops with schedule "runtime" */
	unsigned schedule_bits; /* the modifier "monotonic" */
	bool dynamic;
};

/* ---- tasks (task.c) ---- */

struct sl_omp_group { /* taskgroup */
	struct sl_omp_group *outer;
	uint32_t tasks, ready; /* tasks that have not ended, and those that no thread has taken */
	struct sl_clock ends;  /* the clocks of tasks that have ended */
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
	struct sl_omp_task *parent; /* NULL: the implicit task of a thread */
	struct sl_omp_group *group;
	uint32_t children, ready; /* children that have not ended, and those that no thread has taken */
	bool final, ended;
	uint64_t number;
	int priority;
	void (*function)(void *);
	void *argument;
	bool owns_argument;
	struct sl_clock begins, ends; /* its clock when it begins; the clocks of its children that have ended */
	struct sl_omp_task *next, *before; /* in the team's queue */
	/* dependences on earlier siblings */
	struct sl_omp_dependence *dependences;
	uint32_t dependence_count, awaits;
	struct sl_omp_successor *successors;
	struct sl_omp_task *siblings,
		*sibling; /* children with dependences that have not ended, and the next of them */
};

/* ---- teams (team.c) ---- */

struct sl_omp_share { /* a loop, sections, single (worksharing.c) */
	struct sl_omp_share *next;
	uint64_t number; /* its number in the region */
	uint64_t address;
	uint32_t left; /* threads that have left it */
	bool begun;
	int schedule;
	bool ordered;
	uint64_t start, step, end;    /* as numbers modulo 2^64 */
	uint64_t count, chunk, taken; /* iterations */
	uint64_t parts, turn;         /* ordered: the number of parts taken, and the part whose turn it is */
	struct sl_clock before;       /* ordered: the clock at the end of the last ordered region */
	void *copy;                   /* copyprivate */
	void *memory;                 /* memory that the compiler requested */
	/* ordered(n) with depend: extents, and for each iteration the clock of its post */
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

/*
 * Begins the running thread's next construct, a loop, and takes its first part (istart NULL: none yet). Schedule
 * 0: the one that was set.
 */
bool sl_omp_loop_start(const struct sl_omp_range *range, int schedule, uint64_t chunk, bool ordered,
		       uint64_t *istart, uint64_t *iend, uint64_t pc);

bool sl_omp_loop_next(uint64_t *istart, uint64_t *iend, uint64_t pc);
/* Memory for all threads of a construct, zeroed, which the compiler may request. */
void sl_omp_share_memory(struct sl_omp_share *share, const uint64_t *reductions, void **memory, uint64_t pc);

enum sl_omp_wait { SL_OMP_WAIT_BARRIER, SL_OMP_WAIT_CHILDREN, SL_OMP_WAIT_GROUP, SL_OMP_WAIT_DEPENDENCES };

struct sl_omp_place {
	struct sl_omp_team *team;
	struct sl_omp_place *outer; /* the thread's place in the surrounding region */
	struct sl_thread *thread;
	uint32_t number;
	struct sl_omp_task *task;
	struct sl_omp_task implicit;
	struct sl_omp_share *share;
	uint64_t shares; /* the number of constructs that it has reached in this region */
	uint64_t part;   /* ordered: the number of its part, from 1 */
	uint64_t trip;   /* static: the number of parts that it has taken */
	enum sl_omp_wait wait;
	struct sl_omp_task *awaited;
	uint64_t sink;  /* the iteration that it waits for, plus one; 0: it waits for its turn */
	uint64_t round; /* the team's number of barriers when it came to this one */
};

struct sl_omp_team {
	uint64_t address;
	struct sl_object *object; /* barrier and tasks: the object for which its threads wait */
	uint32_t size, room;
	uint32_t level, active;
	struct sl_omp_place *places;
	struct sl_omp_place *begun_by; /* NULL: the team of a single thread */
	void (*function)(void *);
	void *data;
	uint64_t pc;
	uint32_t arrived;
	uint64_t round;
	struct sl_omp_share *shares, *free_shares;
	uint64_t share_count;
	struct sl_omp_task *first, *last; /* tasks that are ready */
	uint32_t tasks;                   /* deferred tasks that have not ended */
	uint64_t made;
};

/* The workers for regions of one level that one thread begins. */
struct sl_omp_crew {
	struct sl_thread **workers;
	uint32_t count, room;
	struct sl_omp_team *team; /* reused for each region */
};

/* The OpenMP state of a thread. */
struct sl_omp {
	struct sl_omp_place *place;
	struct sl_omp_crew crews[SL_OMP_LEVELS];
	/* a worker's next place */
	struct sl_omp_place *next;
	bool dismissed;
	uint32_t teams, team; /* for a league of teams */
};

struct sl_omp_place *sl_omp_here(void);
/* Begins a region: makes the team; the other function starts its threads, after a loop may have been prepared. */
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
extern uint32_t sl_omp_threads_before; /* set outside of control; 0: not set */

#endif
