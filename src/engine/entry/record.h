/*
 * Recording on real threads, out of control: each thread writes what it does into a lane of its own (trace/lane/reel.h).
 *
 * Used by record*.c, and by the functions that the program calls (access.c, atomic.c, heap.c). While the program is recorded
 * (E.recording) functions of libc that synchronise are replaced in sl_real, as rt.h does it; what they were is in
 * sl_unrecorded.
 *
 * A lane's head is moved by each item, so that nothing is lost when the process is killed. A signal handler may write in
 * the middle of that: words and head are written by a restartable sequence (rseq(2)), which the kernel starts again when a
 * signal was delivered inside of it.
 *
 * Loops are found by a look at the last words, now and then, and cost an item a comparison instead of its words: see
 * record_loop.c. Their state is in the lane, so a count is as safe as a word.
 *
 * An item with a ticket is published before what it tells of can have a consequence: a lock after it was taken and
 * before it is given back, a signal before it is sent. So a reader that takes the counter of tickets first and the heads then has
 * everything that came before any ticket up to that number (trace/lane/merge.h).
 */
#ifndef SL_ENGINE_ENTRY_RECORD_H
#define SL_ENGINE_ENTRY_RECORD_H

#include "engine/core/engine.h"
#include "engine/entry/libc.h"
#include "trace/lane/reel.h"

/* Of a thread. The first four are known to the assembly in record_append.c. */
struct sl_lane_self {
	struct sl_lane *lane;      /* NULL: none yet, or none any more */
	uint64_t end;              /* the head may not go beyond this without a look for loops, … */
	uint64_t *turn;            /* where word 0 would be, if the ring went back so far */
	struct sl_reel_loop *loop; /* that is under way: the last words of the lane; NULL: none */
	uint64_t limit;            /* … nor beyond this without asking for room; at least `end` */
	struct {
		uint64_t from;   /* where the next look begins … */
		uint32_t window; /* … and how many words later it is; 0: it begins when the head comes to `end` */
		uint32_t gap;    /* words between looks, while nothing is found */
		uint64_t loop;   /* where the words of the last loop are … */
		uint32_t again;  /* … for so many looks it may be entered again */
		uint32_t misses; /* loops with one in them that were none, one after the other … */
		uint32_t pause;  /* … so none is looked for so many times */
		uint64_t before; /* where the words of the loop before the last are */
		uint64_t nest;   /* … and of the last loop that had one in it */
	} looks;                 /* record_loop.c, record_nest.c */
	uint64_t *ring;
	uint32_t number; /* of the thread */
	uint32_t depth;  /* of calls */
	uint64_t start;  /* the place of its function; 0: unknown */
	int tid;
	bool numbered, gone, created;
	volatile bool cancelled; /* by another thread: what follows is behind that */
	uint8_t quiet;           /* libc is at work for us: what it allocates is not the program's doing */
	uint8_t rounds;
	uint64_t random; /* record_noise.c */
	struct {
		const char *at;
		uint32_t number;
	} names[16]; /* of events: the last ones */
};

extern __thread struct sl_lane_self sl_lane_self __attribute__((visibility("hidden")));
extern struct sl_reel *sl_reel;
extern struct sl_real sl_unrecorded;
extern bool sl_lane_noisy; /* record_noise.c has to be asked */

/* ---- record_append.c: false: there is no room, or no lane ---- */

bool sl_lane_try1(uint64_t a);
bool sl_lane_try2(uint64_t a, uint64_t b);
bool sl_lane_try3(uint64_t a, uint64_t b, uint64_t c);
bool sl_lane_try4(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
/* The same for items of one word, and of two without a value, which may be part of a loop; there is room, or is made. */
void sl_lane_put1(uint64_t word);
void sl_lane_put2(uint64_t object, uint64_t flags, uint64_t word);
/* The words of a loop begin at this head, which there is room for. */
bool sl_lane_enter(uint64_t head, const uint64_t *words, uint64_t count);
/* From this state of the loop that is under way to that one. */
bool sl_lane_step(struct sl_reel_loop *loop, uint64_t from, uint64_t to);
/* An access of up to 16 bytes; `word` is kind and size of sl_reel_word(). */
void sl_lane_plain(uint64_t address, uint64_t flags, uint64_t word, uint64_t pc);

/* ---- record.c ---- */

void sl_lane_start(void); /* before main, if the environment has a reel for us */
void sl_lane_install(void);
void sl_lane_uninstall(void); /* sl_real is as it was */
void sl_lane_modules(void);   /* notes what is loaded */
bool sl_lane_more(void);      /* leaves a loop, looks for one, makes room; false: this thread is not recorded */
bool sl_lane_open(void);      /* the same if there is a lane, which is made if need be */
void sl_lane_end(void);       /* of the thread */
void sl_lane_exit(int status, uint64_t pc);
void sl_lane_exec(int error, uint64_t pc); /* 0: is about to; else: could not */
void sl_lane_forked(void);                 /* in the child */
void sl_lane_explores(void);               /* sleave_explore() was called */
void sl_lane_cancels(pthread_t thread);    /* is about to be cancelled, and that has been told */
uint32_t sl_lane_number(pthread_t thread);

/* Without a ticket: what no other thread can have waited for. */
void sl_lane_item(uint8_t kind, uint16_t flags, uint64_t object, uint64_t pc, uint64_t value);
void sl_lane_ticketed(uint8_t kind, uint64_t object, uint64_t pc, uint64_t value);
void sl_lane_ticketed_access(uint8_t kind, uint8_t size, uint64_t object, uint64_t pc);
void sl_lane_mark(void); /* a ticket of nothing: what came before it is before what comes after its like */
void sl_lane_range(uint64_t address, uint64_t size, uint16_t flags, uint64_t pc);
void sl_lane_event(const char *name, uint64_t pc);
void sl_lane_thread_name(const char *name);
void sl_lane_call(uint64_t function, uint64_t pc);
void sl_lane_leave_calls(uint64_t depth); /* those that are deeper return */

/* A lock and its like is made, or is about to end. */
static inline void
sl_lane_life(uint8_t kind, const volatile void *object, uint64_t pc)
{
	if (unlikely(E.recording) && !E.control)
		sl_lane_ticketed(kind, (uint64_t)object, pc, 0);
}

/* Atomics on one object are performed one after the other, so that their tickets have the order of their effects. */
uint32_t *sl_lane_turn_take(const volatile void *object);
void sl_lane_turn_give(uint32_t *turn, uint8_t kind, const volatile void *object, uint8_t size, uint64_t pc);

static inline uint32_t *
sl_lane_turn(const volatile void *object)
{
	return likely(!E.recording) ? NULL : sl_lane_turn_take(object);
}

static inline void
sl_lane_atomic(uint32_t *turn, uint8_t kind, const volatile void *object, uint8_t size, uint64_t pc)
{
	if (unlikely(turn != NULL))
		sl_lane_turn_give(turn, kind, object, size, pc);
}

/* ---- record_loop.c: between the words that have been written and the limit ---- */

void sl_lane_leave(void); /* something else came than the loop has */
void sl_lane_look(void);
void sl_lane_look_later(void);                   /* the limit is a new one */
bool sl_lane_is_of_loops(const uint64_t *words); /* an item of this kind may be */

/* ---- record_nest.c ---- */

bool sl_lane_nest_on(struct sl_reel_loop *loop); /* to the loop around it, or back */
bool sl_lane_nest_find(uint64_t head); /* the last words are a loop that was left: it is in another one */
void sl_lane_nest_leave(const struct sl_reel_loop *loop, uint64_t head);

/* ---- record_locks.c, record_waits.c, record_threads.c: the methods of the mode (mode.h) ---- */

#define SL_METHOD(modes, told, name, parameters, libc) int sl_lane_##name(SL_STRIP parameters, uint64_t pc);
#include "engine/interpose/sync.def"
extern const struct sl_mode *sl_lane_under; /* what recording lies on; NULL: libc */
#define SL_LANE_UNDER(method, ...) SL_UNDER(sl_lane_under, method, __VA_ARGS__)

/* ---- what takes the place of libc's functions ---- */

void sl_lane_io_install(struct sl_real *table);
void sl_lane_signals_install(struct sl_real *table);
void sl_lane_threads_install(struct sl_real *table);

/* ---- record_heap.c ---- */

void *sl_lane_allocated(void *block, size_t size, uint64_t pc);
void sl_lane_frees(void *block, uint64_t pc);

/* ---- record_jump.c ---- */

/* To where setjmp() was called: functions that are left return. Before the jump. */
void sl_lane_jump(const void *buffer);

/* ---- record_noise.c ---- */

void sl_lane_noise_start(const char *text);
void sl_lane_noise(void); /* before an operation */
void sl_lane_noise_access(uint64_t address);

/* Before an operation of synchronisation. */
static inline void
sl_lane_before(void)
{
	if (unlikely(sl_lane_noisy))
		sl_lane_noise();
}

/* Signals are not welcome in the middle of some things. */
uint64_t sl_lane_block_signals(void);
void sl_lane_unblock_signals(uint64_t before);

#endif
