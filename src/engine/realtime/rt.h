/*
 * Schedules on real threads, out of control: who is there, who is blocked in what, who is held back at an event.
 *
 * Used by the files of this room. Functions of libc that may block, or end a wait, are replaced in sl_real while a program that has
 * sections runs out of control (sl_rt_install()); what they were is in sl_true. So whoever waits does so here, on a word
 * of its own, and at every moment it is known who can move: nothing polls and nothing times out.
 *
 * Everything in sl_rt and every sl_runner is protected by one small lock; nothing that may block is called under it.
 */
#ifndef SL_ENGINE_REALTIME_RT_H
#define SL_ENGINE_REALTIME_RT_H

#include "engine/core/engine.h"
#include "engine/entry/instead.h"
#include "engine/realtime/rt_follow.h"
#include "engine/section/section.h"
#include "schedule/schedule.h"

/* What a thread is blocked in. */
enum sl_waits {
	SL_WAITS_MUTEX,
	SL_WAITS_SPIN,
	SL_WAITS_READ,  /* lock of a rwlock */
	SL_WAITS_WRITE, /* … */
	SL_WAITS_COND,
	SL_WAITS_SEM,
	SL_WAITS_BARRIER,
	SL_WAITS_JOIN, /* object: the runner */
	SL_WAITS_ONCE,
	SL_WAITS_FUTEX,
	SL_WAITS_IO,
	SL_WAITS_PROCESS,
	SL_WAITS_SIGNAL,
	SL_WAITS_FILE, /* a lock of one */
	SL_WAITS_COUNT,
};

enum sl_doing { SL_RUNS, SL_BLOCKED, SL_HELD, SL_ENDED };
int sl_rt_mutex_lock(pthread_mutex_t *mutex);

/* A name of an event that the program has used, or the plan. */
struct sl_name {
	/* what it is in the plan, if it is one atom that threads count by themselves (sl_monitor_swift()), or not */
	uint64_t tag;  /* of the run in which this counts; in another the plan does not mention it */
	uint32_t seen; /* the last run in which it occurred */
	uint32_t last;
	uint16_t atom;
	bool counts, frees;
	bool skips; /* once it may go it always may, and nobody counts it */
	bool shy;   /* only while F.calm */
	bool picky; /* some of its atoms ask for a thread or an object */
	uint8_t left_count;
	struct {
		uint32_t need;
		uint16_t atom;
	} left[SL_SWIFT_LEFT];
	struct sl_match match; /* all atoms of that name; under the lock */
};

/* Which name is there, in memory that nobody can write to. */
struct sl_literal {
	const char *at;
	uint32_t name;
	bool passing; /* in a library, which may be unloaded: for this run */
};

#define SL_NAMES_MAX 1024
#define SL_LITERALS 1024 /* a power of two */
#define SL_LITERAL_OF(at) (((uintptr_t)(at) / 4 ^ (uintptr_t)(at) / 4096) % SL_LITERALS)

#define SL_KNOWN_MATCHES 16 /* a power of two */

/* The atoms that an event matches, for one thread: by the address of its name, which is compared as well. */
struct sl_rt_known {
	const char *at;
	const void *object;
	uint32_t version, name;
	bool settled;   /* they mean nothing any more */
	uint64_t still; /* … or as long as this is F.state; 0: they do */
	const char *global, *object_name;
	const struct sl_match *match; /* that of the name, or its own */
	struct sl_match own;
};

/* A thread. */
#define SL_HOLDINGS 8 /* more are not explained */

struct sl_runner {
	uint32_t word;   /* it sleeps while this is 0 */
	uint32_t number; /* T<number> in the section; 0 is main */
	enum sl_doing doing;
	bool moves; /* stuck, but may move by itself: a time limit, something outside, a cancellation */
	bool cancelled;
	bool starting; /* and what the program wants it to run has not begun: no cancellation ends it yet */
	bool stirred; /* … because somebody has sent it a signal */
	bool queued;  /* among the waiters of object */
	bool in_held; /* in F.held; also while a signal handler does something else */
	bool detached;
	bool relocks;     /* SL_WAITS_MUTEX: on the way out of a condition variable */
	bool blocked_too; /* held when it was to go on from a wait: it still counts as blocked */
	bool told;        /* the monitor knows that it is blocked */
	bool quiet;       /* held until nothing else can go */
	bool leftover;    /* of a test that failed: no part of what comes after it */
	bool aside;       /* a test framework's own: moves for the program only when that calls it */
	bool asleep;      /* in sleep() or its like */
	uint32_t born;    /* in this run of a section; 0: in none */
	struct sl_runner *creator, *about; /* for the log: who has made it; who starts, is named or ends */
	bool performs;                     /* an operation that is an event: see rt_code.h */
	bool forced;                       /* … a lock, that it may have because nothing else can go */
	bool waited;                       /* … a lock, for which it has waited */
	enum sl_waits waits;
	uint32_t bits; /* SL_WAITS_FUTEX */
	const void *object;
	pthread_mutex_t *mutex;            /* SL_WAITS_COND: to take again */
	struct sl_runner *next, *previous; /* waiters of the same bucket; records to use again */
	struct sl_runner *next_held, *next_woken;
	bool to_wake;
	pthread_t handle;
	int tid;
	/* rt_where.c */
	uint64_t at; /* blocked: where in the program; 0: not known */
	uint32_t holding_count;
	const void *holdings[SL_HOLDINGS]; /* locks that do not know who has them */
	uint32_t epoch;                    /* of its end */
	void *(*start)(void *);
	void *argument;
	uint32_t *announce; /* its creator waits until this is 1; NULL: it does not */
	sigset_t mask;      /* what it blocks, once it is there */
	uint32_t rounds;    /* of its last destructors */
	/* in a call on descriptors */
	const struct pollfd *io;
	struct pollfd one;
	uint32_t io_count;
	/* held */
	struct sl_event event;
	struct sl_match match;
	struct sl_match more;
	uint64_t performs_at;
	uint64_t still;   /* F.state, if its last event has changed nothing there, else 0 */
	const char *file; /* the event's place; NULL: none */
	int line;
	bool named;
	char name[SL_THREAD_NAME];
	struct sl_rt_known *known; /* SL_KNOWN_MATCHES of them */
};

/* It has no part in the section, and in no schedule. */
static inline bool
sl_rt_is_apart(const struct sl_runner *r)
{
	return r->leftover || r->aside;
}

#define SL_ATOMS_COUNTED 512 /* as many as a plan can have */
#define SL_BUCKETS 256
#define SL_RUNNERS_MAX 65536

struct sl_rt {
	/* what every event looks at */
	bool watching; /* events are looked at: a section, or a log */
	bool logging;
	bool ending;                      /* the section's thread has left the block, and waits for the others */
	bool careful;                     /* no event takes the short way */
	uint32_t calls_framework;         /* threads that wait for a test framework's runner */
	bool calm;                        /* sl_monitor_calm() */
	uint64_t state;                   /* of the monitor: F.tag and sl_monitor_changes() */
	uint64_t tag;                     /* of the run: the epoch, above the counts in tally */
	struct sl_runner *held;           /* who is held back at an event */
	uint64_t tally[SL_ATOMS_COUNTED]; /* of each atom: F.tag, and how often it has occurred */
	/* under the lock */
	bool installed;
	bool checking; /* SLEAVE_MODE=check: nobody is held */
	bool failed;   /* … and something was not kept to */
	bool child;    /* this process tries a section that is said to be infeasible */
	bool children; /* there have been other processes that may have our descriptors */
	bool recheck;  /* a signal handler has posted a semaphore meanwhile */
	uint32_t lock;
	uint32_t waiting; /* how many are in buckets */
	uint32_t moving;  /* threads that run, or may */
	uint32_t io_told; /* threads that are blocked in a call on descriptors, as far as the monitor knows */
	uint32_t epoch;   /* counts runs of sections */
	struct sl_runner *runners; /* … */
	struct sl_rt_known *known;
	uint32_t version; /* of all names: what is known of events holds for one of them */
	uint32_t runner_count;
	struct sl_runner *used, *used_last; /* of threads that have ended, the oldest first */
	uint32_t used_count;
	uint32_t numbers; /* that were given in this section */
	struct sl_runner **held_last;
	struct sl_runner *woken;
	struct {
		struct sl_runner *first, *last;
	} buckets[SL_BUCKETS];
	/* the section */
	struct sleave_section *section;
	struct sl_runner *owner;
	struct sl_plan *plan;
	struct sl_monitor *monitor;        /* NULL: none */
	bool coded;                        /* it names code */
	struct sl_runner *performer;       /* its event and an operation are one step, which is under way */
	uint32_t swift;                    /* how many atoms are counted by the threads themselves */
	uint16_t swifts[SL_ATOMS_COUNTED]; /* … and which */
	bool is_swift[SL_ATOMS_COUNTED];
	bool threaded; /* it asks for events of certain threads */
	/* what broke the plan first; kind SL_EVENT_KINDS: nothing has */
	struct sl_event broken;
	char broken_by[160];
	const char *broken_file;
	int broken_line;
	bool broken_told; /* it is only checked, and was told when it happened */
};

extern struct sl_rt sl_rt;
#define F sl_rt
extern struct sl_real sl_true;

/* ---- rt.c: threads, and the waiting itself ---- */

void *sl_rt_memory(size_t size); /* zeros, that stay for ever; no part of the world that a search restores */
extern __thread struct sl_runner *sl_runner_self __attribute__((visibility("hidden")));
extern __thread bool sl_runner_inside __attribute__((visibility("hidden")));
extern __thread bool sl_runner_gone __attribute__((visibility("hidden")));
struct sl_runner *sl_rt_new_self(void);
struct sl_runner *sl_rt_runner_new(void); /* under the lock */
void sl_rt_become(struct sl_runner *runner, enum sl_doing doing, bool moves);

/* What pthread_self() says. */
static inline pthread_t
sl_rt_me(void)
{
	return (pthread_t)__builtin_thread_pointer();
}

/* NULL: one that has ended, and runs its last destructors. */
static inline struct sl_runner *
sl_rt_self(void)
{
	return likely(sl_runner_self != NULL) ? sl_runner_self : sl_rt_new_self();
}

/* A signal handler that has come while this thread had the lock? */
static inline bool
sl_rt_inside(void)
{
	return sl_runner_inside;
}

struct sl_runner *sl_rt_find(pthread_t handle);
struct sl_runner *sl_rt_by_tid(int tid);
void sl_rt_lock(void);
void sl_rt_unlock(void); /* and wakes whoever is to go on */

void sl_rt_install(void);
void sl_rt_uninstall(void);
void sl_rt_threads_begin(void); /* once */
void sl_rt_threads_install(struct sl_real *table);
void sl_rt_locks_install(struct sl_real *table);
void sl_rt_waits_install(struct sl_real *table);
void sl_rt_io_install(struct sl_real *table);
void sl_rt_stdio_install(struct sl_real *table);
void sl_rt_where_install(struct sl_real *table); /* the last of them */
void sl_rt_outside_install(struct sl_real *table);

/* Under the lock. */
void sl_rt_queue(struct sl_runner *self, enum sl_waits waits, const void *object, bool first);
void sl_rt_unqueue(struct sl_runner *runner);
bool sl_rt_hesitates(
	struct sl_runner *self); /* it was held before it could block, and the lock was given up: again */
void sl_rt_block(struct sl_runner *self, bool moves);  /* it was queued, and sleeps from now on */
void sl_rt_unblock(struct sl_runner *runner);          /* it goes on */
void sl_rt_blocks(struct sl_runner *self, bool moves); /* the state alone: nobody is told */
static inline void
sl_rt_runs(struct sl_runner *runner)
{
	sl_rt_become(runner, SL_RUNS, false);
}

struct sl_runner *sl_rt_waiter(const void *object); /* the first of them */
struct sl_runner *sl_rt_next_waiter(const struct sl_runner *after);

/* Without the lock. */
enum sl_woken { SL_WOKEN, SL_TIMED_OUT, SL_INTERRUPTED };
/* Instead of NULL, where a handler may come without the caller's knowing: the kernel goes on by itself only without a limit. */
extern const struct timespec sl_never;
enum sl_woken sl_rt_sleep(struct sl_runner *self, const struct timespec *limit, clockid_t clock,
			    bool cancellable);
void sl_rt_wake(const void *object); /* the first waiter, to try again */
/*
 * Where it matters who is blocked, giving something up and waking who waits for it is one step: true, and the lock is
 * taken until given_up(). Without it somebody would count as blocked who only has not been told yet.
 */
extern bool sl_rt_exact __attribute__((visibility("hidden")));
bool sl_rt_gives_up(void);
void sl_rt_given_up(const void *object, bool exact,
		      bool begun);          /* the first waiter tries again; NULL: none does */
void sl_rt_awake(struct sl_runner *self); /* has stopped waiting by itself; it may be held */
void sl_rt_name_runner(struct sl_runner *runner, const char *name);

/* Waits until attempt(object) is not EBUSY any more: what it answered, or ETIMEDOUT, EINTR, EINVAL. */
struct sl_attempt {
	enum sl_waits waits;
	void *object;
	int (*attempt)(void *object);
	void (*gave_up)(void *object); /* under the lock: it does not wait any longer; NULL: nobody minds */
	const struct timespec *limit;
	clockid_t clock;
	bool cancellable, interruptible;
	/* without the lock: waits in the kernel, because others than our threads may give it up; NULL: they don't */
	int (*take)(const struct sl_attempt *attempt);
};
int sl_rt_wait(struct sl_runner *self, const struct sl_attempt *attempt);
/* It is queued, and has the lock of this file: blocks. True: it gave up, and the answer says why. */
bool sl_rt_wait_once(struct sl_runner *self, const struct sl_attempt *attempt, int *answer);

/* Around a call that blocks in the kernel, where something from outside may end the wait. */
void sl_rt_outside(struct sl_runner *self, enum sl_waits waits, const void *object);
void sl_rt_back(struct sl_runner *self);

/* ---- rt_event.c: events and who is held; under the lock ---- */

void sl_rt_tell(struct sl_runner *runner, enum sl_event_kind kind); /* it happens */
bool sl_rt_may(struct sl_runner *runner, enum sl_event_kind kind);
/* Held until it may: it has happened then (but for SL_EVENT_BLOCK). The lock is given up. */
void sl_rt_hold(struct sl_runner *self, const struct sl_event *event, const struct sl_match *match);
void sl_rt_hold_more(struct sl_runner *runner);
void sl_rt_unhold(struct sl_runner *runner);
void sl_rt_let_go(void);                            /* everybody: the section is over */
enum sl_leave sl_rt_asks(struct sl_runner *runner); /* who is held: may it go? */
void sl_rt_let(struct sl_runner *runner);           /* goes, because nobody else can */
bool sl_rt_nameless(const struct sl_runner *runner, const struct sl_event *event);

/* ---- rt_deadlock.c; under the lock, when nobody can move ---- */

bool sl_rt_is_deadlock(void); /* are there some who could not even if those went on who are held? */
bool sl_rt_is_for_ever(void); /* nobody could, whatever a signal's handler may still do */

/* ---- rt_quiet.c; under the lock ---- */

void sl_rt_quiet(void); /* nobody can move */
void sl_rt_rest(void);  /* F.ending: shall it wait any longer? */
bool sl_rt_enough(void);
void sl_rt_end_wait(
	struct sl_runner *self); /* until the plan is fulfilled, or nobody can see to it; gives the lock up */
void sl_rt_started(struct sl_runner *runner); /* it was there before the section */
void sl_rt_happens(struct sl_runner *runner,
		     enum sl_event_kind kind); /* … or is held until then; takes the lock */

void sl_rt_happens_or_held(struct sl_runner *self, const struct sl_event *event, const struct sl_match *match);
/* … without regard to what it is to wait for; gives the lock up */
void sl_rt_happens_beside(struct sl_runner *self, const struct sl_event *event, const struct sl_match *match);
void sl_rt_grant(void); /* whoever may go now */
void sl_rt_happened(struct sl_runner *r, const struct sl_event *event, const struct sl_match *match);
void sl_rt_sync(void); /* the monitor knows what threads have counted */

/* ---- rt_code.c: events of code ---- */

struct sl_code;
/* NULL: `error` has a sentence. number: of the plan, in its text */
const struct sl_code *sl_rt_code_find(const struct sl_plan *plan, uint32_t number, char *error, size_t room);
void sl_rt_code_follow(const struct sl_code *code);
void sl_rt_code_forget(const struct sl_runner *runner); /* another thread has its record */
void sl_rt_performed(struct sl_runner *runner);
/* Those who are held, because they may not have it yet, could not have it any more: that is to be blocked. Under the lock. */
void sl_rt_taken(const void *lock);
bool sl_rt_code_lock(struct sl_runner *self, const struct sl_attempt *attempt, void (*undo)(void *), bool tries,
		       int *answer);

/* ---- rt_named.c: sleave_event() ---- */

void sl_rt_swift_begin(void);
void sl_rt_swift_end(void); /* no event means anything */
void sl_rt_renamed(struct sl_runner *runner);
const char *sl_rt_seen(uint32_t name);          /* NULL: it did not occur in this run */
enum sl_value sl_rt_occurred(const char *name); /* or somebody is held there; open: it can't be told */
extern uint32_t sl_rt_name_count;
bool sl_rt_is_written(const char *name); /* the program has that text, so it is no slip of the pen */
uint32_t sl_rt_object_names(const char **names, uint32_t room); /* that were given */
bool sl_rt_object_known(const char *name);                      /* … or there were more than can be kept */
const char *sl_rt_object_name(const void *object);
void sl_rt_events_reset(void);
void sl_rt_usual(uint32_t number, char *to); /* main, T1, …: 16 characters */

/* ---- rt_log.c: what SLEAVE_LOG asks for ---- */

void sl_rt_log_start(struct sl_runner *started);
void sl_rt_log_event(struct sl_runner *runner, const char *name, const char *object);
void sl_rt_log(const char *type, struct sl_runner *runner, const char *info, const char *file, int line);
void sl_rt_log_write(void);
void sl_rt_log_open(const char *path);
void sl_rt_log_forget(void);

/* ---- rt_unknown.c: what the plan names, and there is not ---- */

/* One or the other: an event that did not occur, or of a thread that there never was; or a thread in brackets. */
typedef void (*sl_unknown_fn)(void *data, uint32_t number, const struct sl_atom *atom, const char *thread);
#define SL_UNKNOWN_MAX (SL_ATOMS_COUNTED + 64) /* their numbers are below */
void sl_rt_unknown(sl_unknown_fn call, void *data);
bool sl_rt_atom_known(const struct sl_atom *atom);
bool sl_rt_thread_known(const char *glob);
bool sl_rt_is_usual(const char *name);
bool sl_rt_fulfilled(void); /* as far as it can be told now */

/* ---- rt_text.c ---- */

struct sl_plan *sl_rt_parse(struct sleave_section *section, va_list texts); /* NULL: there are none */
struct sl_monitor *sl_rt_monitor(const struct sl_plan *plan);               /* NULL: no room */

/* ---- rt_infeasible.c ---- */

/* True: this is a child, which is to run the block. */
bool sl_rt_try(struct sleave_section *section, struct sl_plan *plan);
/* In the child: it is over, and the plan was kept to, or was not. */
_Noreturn void sl_rt_tried(bool happened);

/* ---- rt_section.c, rt_explain.c ---- */

_Noreturn void sl_rt_refuse(const struct sleave_section *section, const char *why);
void sl_rt_wrong(void); /* what is to be said has been; goes on only if it is just checked */

bool sl_rt_strangers(void); /* are there threads that are not known? */
void sl_rt_begin(void);     /* once: what the environment says */
_Noreturn void sl_rt_infeasible(void);
_Noreturn void sl_rt_fail(void);             /* what is to be said has been */
void sl_rt_forked(void);                     /* in the child */
_Noreturn void sl_rt_try_skips(void);        /* in the child of one that is infeasible */

/* ---- rt_follow.c: a schedule of the command's; of another nothing is noted ---- */

struct sl_plan *sl_rt_follow_plan(struct sleave_section *section, struct sl_plan *plan);
void sl_rt_follow_note(enum sl_followed how);
void sl_rt_follow_refused(const struct sleave_section *section);

/* ---- rt_where.c ---- */

bool sl_rt_holds(const struct sl_runner *runner, const void *lock);
void sl_rt_note_place(struct sl_runner *runner); /* it blocks, here */
void sl_rt_tell_broken(void); /* at once, where it is only checked; under the lock */
void sl_rt_name_waits(void);                     /* of all that are blocked, for the next two */
const char *sl_rt_place_of(const struct sl_runner *runner);
const char *sl_rt_object_of(const struct sl_runner *runner);

/* ---- rt_io.c ---- */

void sl_rt_io_begin(void);                             /* of a section: who is in such a call? */
bool sl_rt_io_ready(const struct sl_runner *runner);   /* would the call come back? */
bool sl_rt_io_outside(const struct sl_runner *runner); /* may somebody else than our threads see to that? */
struct sl_runner *sl_rt_io_enter(
	int fd, short events); /* a call that may wait for it begins; NULL: no need to watch it */
void sl_rt_io_leave(struct sl_runner **runner);
void sl_rt_io_done(void);    /* a call that may let others go on */
void sl_rt_io_changed(void); /* somebody has written, or closed: who of those that wait can go on? */
long sl_rt_futex(const long a[6]);

#endif
