/*
 * Recording on real threads: each thread writes its operations into a lane of its own (trace/lane/reel.h).
 *
 * Used by record*.c, and by the functions that the program calls (access.c, atomic.c, heap.c). While the program
 * is recorded (E.recording) functions of libc that synchronise are replaced in sl_real, as rt.h does it;
 * sl_unrecorded has the original functions.
 *
 * Each item moves the lane's head, so that nothing is lost when the process is killed. A signal handler may write
 * an item in the middle of another one: words and head are written by a restartable sequence (rseq(2)), which the
 * kernel restarts after a signal.
 *
 * Loops are detected in the last words from time to time; an item of a loop costs a comparison instead of its
 * words: see record_loop.c. The state of a loop is in the lane, so that a count is as safe as a word.
 *
 * An item with a ticket is published before its operation can have a consequence: a lock after it was taken and
 * before it is released, a signal before it is sent. So a reader that reads the counter of tickets first and the
 * heads then has all items before any ticket up to that number (trace/lane/merge.h).
 */
#ifndef SL_ENGINE_ENTRY_RECORD_H
#define SL_ENGINE_ENTRY_RECORD_H

#include "engine/core/engine.h"
#include "engine/entry/libc.h"
#include "trace/lane/reel.h"

#include <errno.h>

/* The state of a thread. The assembly in record_append.c uses the first four members. */
struct sl_lane_self {
	struct sl_lane *lane;      /* NULL: the thread is not recorded */
	uint64_t end;              /* the head must not pass this without a search for loops … */
	uint64_t *turn;            /* the address that word 0 would have */
	struct sl_reel_loop *loop; /* the current loop, which is the last words of the lane; NULL: none */
	uint64_t limit;            /* … nor this without a request for room; at least `end` */
	struct {
		uint64_t from;   /* the start of the next search for loops */
		uint32_t window; /* words from there to the search; 0: it begins when the head reaches `end` */
		uint32_t gap;    /* words between searches that find nothing */
		uint64_t loop;   /* the words of the last loop … */
		uint32_t again;  /* … which may be entered again for this number of searches */
		uint32_t misses; /* consecutive candidates for nested loops that were none */
		uint32_t pause;  /* searches for nested loops to omit after that */
		uint64_t before; /* the words of the loop before the last */
		uint64_t nest;   /* the words of the last outer loop */
	} looks;                 /* record_loop.c, record_nest.c */
	uint64_t *ring;
	uint32_t number; /* the number of the thread */
	uint32_t depth;  /* the depth of calls */
	uint64_t start;  /* the place of its function; 0: unknown */
	int tid;
	bool numbered, gone, created;
	volatile bool cancelled; /* another thread has cancelled this one */
	uint8_t quiet;           /* the engine runs code of libc, whose allocations are not the program's */
	uint8_t rounds;
	uint64_t random; /* record_noise.c */
	struct {
		const char *at;
		uint32_t number;
	} names[16]; /* the last names of events */
};

extern __thread struct sl_lane_self sl_lane_self __attribute__((visibility("hidden")));
extern struct sl_reel *sl_reel;
extern struct sl_real sl_unrecorded;
extern bool sl_lane_noisy; /* record_noise.c is on */

/* ---- record_append.c; false: no room, or no lane ---- */

bool sl_lane_try1(uint64_t a);
bool sl_lane_try2(uint64_t a, uint64_t b);
bool sl_lane_try3(uint64_t a, uint64_t b, uint64_t c);
bool sl_lane_try4(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
/*
 * The same for items of one word, and of two words without a value, which may be part of a loop. They make room if
 * necessary.
 */
void sl_lane_put1(uint64_t word);
void sl_lane_put2(uint64_t object, uint64_t flags, uint64_t word);
/* Begins a loop with these words at this head. There must be room for them. */
bool sl_lane_enter(uint64_t head, const uint64_t *words, uint64_t count);
/* Moves the current loop from one state to another. */
bool sl_lane_step(struct sl_reel_loop *loop, uint64_t from, uint64_t to);
/* An access of up to 16 bytes; `word` has the kind and size, as made by sl_reel_word(). */
void sl_lane_plain(uint64_t address, uint64_t flags, uint64_t word, uint64_t pc);

/* ---- record.c ---- */

void sl_lane_start(void); /* before main(), if the environment names a reel */
void sl_lane_install(void);
void sl_lane_uninstall(void); /* restores sl_real */
void sl_lane_modules(void);   /* notes the loaded libraries */
bool sl_lane_more(void); /* leaves a loop, searches for one, or makes room; false: the thread is not recorded */
bool sl_lane_open(void); /* the same, after making a lane if there is none */
void sl_lane_end(void);  /* ends the thread's lane */
void sl_lane_exit(int status, uint64_t pc);
void sl_lane_exec(int error, uint64_t pc); /* 0: execve() is about to be called; else its error */
void sl_lane_forked(void);                 /* called in the child */
void sl_lane_explores(void);               /* sleave_explore() was called */
void sl_lane_cancels(pthread_t thread);    /* the thread is about to be cancelled, which was recorded */
uint32_t sl_lane_number(pthread_t thread);

/* Writes an item without a ticket: no other thread can have waited for it. */
void sl_lane_item(uint8_t kind, uint16_t flags, uint64_t object, uint64_t pc, uint64_t value);
void sl_lane_ticketed(uint8_t kind, uint64_t object, uint64_t pc, uint64_t value);
void sl_lane_ticketed_access(uint8_t kind, uint8_t size, uint64_t object, uint64_t pc);
/* A wait has ended: writes an item of the kind, or the end of the time limit. Returns the answer. */
static inline int
sl_lane_waited(uint8_t kind, const void *object, uint64_t pc, int answer)
{
	if (answer == 0 || answer == EOWNERDEAD)
		sl_lane_ticketed(kind, (uint64_t)object, pc, 0);
	else if (answer == ETIMEDOUT)
		sl_lane_ticketed(SL_TIMEOUT, (uint64_t)object, pc, ETIMEDOUT);
	return answer;
}
void sl_lane_mark(void); /* a ticket without an item, which orders the items before it and after it */
void sl_lane_range(uint64_t address, uint64_t size, uint16_t flags, uint64_t pc);
void sl_lane_event(const char *name, uint64_t pc);
void sl_lane_thread_name(const char *name);
void sl_lane_call(uint64_t function, uint64_t pc);
void sl_lane_leave_calls(uint64_t depth); /* deeper calls return */

/* A lock or similar object was initialised, or is about to be destroyed. */
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

/* ---- record_loop.c: loops in the last words ---- */

void sl_lane_leave(void); /* the next item is not the loop's */
void sl_lane_look(void);
void sl_lane_look_later(void);                   /* the limit has changed */
bool sl_lane_is_of_loops(const uint64_t *words); /* whether items of this kind may be in a loop */

/* ---- record_nest.c ---- */

bool sl_lane_nest_on(struct sl_reel_loop *loop); /* enters the surrounding loop, or leaves it */
bool sl_lane_nest_find(uint64_t head); /* the last words are a finished loop, which is inside another one */
void sl_lane_nest_leave(const struct sl_reel_loop *loop, uint64_t head);

/* ---- record_locks.c, record_waits.c, record_threads.c: the methods of the mode (mode.h) ---- */

#define SL_METHOD(modes, told, name, parameters, libc) int sl_lane_##name(SL_STRIP parameters, uint64_t pc);
#include "engine/interpose/sync.def"
extern const struct sl_mode *sl_lane_under; /* the mode under recording; NULL: libc */
#define SL_LANE_UNDER(method, ...) SL_UNDER(sl_lane_under, method, __VA_ARGS__)

/* ---- replacements for libc's functions ---- */

void sl_lane_io_install(struct sl_real *table);
void sl_lane_signals_install(struct sl_real *table);
void sl_lane_threads_install(struct sl_real *table);

/* ---- record_heap.c ---- */

void *sl_lane_allocated(void *block, size_t size, uint64_t pc);
void sl_lane_frees(void *block, uint64_t pc);

/* ---- record_jump.c ---- */

/* Called before a long jump: the functions that it leaves return. */
void sl_lane_jump(const void *buffer);

/* ---- record_noise.c ---- */

void sl_lane_noise_start(const char *text);
void sl_lane_noise(void); /* may yield or sleep before an operation */
void sl_lane_noise_access(uint64_t address);

/* To be called before a synchronisation operation. */
static inline void
sl_lane_before(void)
{
	if (unlikely(sl_lane_noisy))
		sl_lane_noise();
}

/* Blocks signals around code that a handler must not interrupt. */
uint64_t sl_lane_block_signals(void);
void sl_lane_unblock_signals(uint64_t before);

#endif
