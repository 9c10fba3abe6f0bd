/*
 * Schedules on real threads, without control: the program's threads, what each is blocked in, and which are held
 * back at an event.
 *
 * Used by the files of this room. While a program with sections runs without control, the functions of libc that
 * may block or end a wait are replaced in sl_real (sl_rt_install()); sl_true has the originals. So every thread
 * waits in this room, on a futex of its own, and at every moment it is known which threads can move: nothing polls
 * and nothing times out.
 *
 * Everything in sl_rt and every sl_runner is protected by one small lock; nothing that may block is called under
 * it.
 */
#ifndef SL_ENGINE_REALTIME_RT_H
#define SL_ENGINE_REALTIME_RT_H

#include "engine/core/engine.h"
#include "engine/entry/glibc.h"
#include "engine/entry/libc.h"
#include "engine/realtime/rt_follow.h"
#include "engine/section/section.h"
#include "schedule/schedule.h"

/* What a thread is blocked in. */
enum sl_waits {
	SL_WAITS_MUTEX,
	SL_WAITS_SPIN,
	SL_WAITS_READ,  /* to lock a rwlock for reading */
	SL_WAITS_WRITE, /* … for writing */
	SL_WAITS_COND,
	SL_WAITS_SEM,
	SL_WAITS_BARRIER,
	SL_WAITS_JOIN, /* object: the runner */
	SL_WAITS_ONCE,
	SL_WAITS_FUTEX,
	SL_WAITS_IO,
	SL_WAITS_PROCESS,
	SL_WAITS_SIGNAL,
	SL_WAITS_FILE, /* a file lock */
	SL_WAITS_COUNT,
};

enum sl_doing { SL_RUNS, SL_BLOCKED, SL_HELD, SL_ENDED };
int sl_rt_mutex_retake(pthread_mutex_t *mutex);

/* The name of an event that the program has used, or that the plan mentions. */
struct sl_name {
	/*
	 * what the name is in the plan: whether it is one atom that threads count by themselves
	 * (sl_monitor_swift())
	 */
	uint64_t tag;  /* of the run in which this counts; in others the plan does not mention it */
	uint32_t seen; /* the last run in which it occurred */
	uint32_t last;
	uint16_t atom;
	bool counts, frees;
	bool skips; /* once the event may happen it always may, so later occurrences are not counted */
	bool shy;   /* threads count it by themselves only while F.calm */
	bool picky; /* some of its atoms name a thread or an object */
	uint8_t left_count;
	struct {
		uint32_t need;
		uint16_t atom;
	} left[SL_SWIFT_LEFT];
	struct sl_match match; /* all atoms of that name; under the lock */
};

/* Which name stands at an address in read-only memory. */
struct sl_literal {
	const char *at;
	uint32_t name;
	bool passing; /* in a library, which may be unloaded: valid for this run */
};

#define SL_NAMES_MAX 1024
#define SL_LITERALS 1024 /* a power of two */
#define SL_LITERAL_OF(at) (((uintptr_t)(at) / 4 ^ (uintptr_t)(at) / 4096) % SL_LITERALS)

#define SL_KNOWN_MATCHES 16 /* a power of two */

/*
 * The atoms that an event matches, for one thread: found by the address of the event's name, which is compared as
 * well.
 */
struct sl_rt_known {
	const char *at;
	const void *object;
	uint32_t version, name;
	bool settled;   /* the atoms no longer mean anything */
	uint64_t still; /* … as long as this is F.state; 0: the atoms do mean something */
	const char *global, *object_name;
	const struct sl_match *match; /* that of the name, or `own` */
	struct sl_match own;
};

/* A thread of the program. */
#define SL_HOLDINGS 8 /* locks beyond these are not explained */

struct sl_runner {
	uint32_t word;   /* the thread sleeps while this is 0 */
	uint32_t number; /* T<number> in the section; 0 is main */
	enum sl_doing doing;
	bool moves; /* it is stuck, but may move by itself: a time limit, an outside event, a cancellation */
	bool cancelled;
	bool stirred; /* … because a signal was sent to it */
	bool in_held; /* it is in F.held; also while a signal handler does something else */
	bool detached;
	bool blocked_too; /* held when it was about to leave a wait: it still counts as blocked */
	bool told;        /* the monitor knows that it is blocked */
	bool quiet;       /* held until nothing else can go */
	bool leftover;    /* it is left over from a failed test, and takes no part in what follows */
	bool aside;       /* a test framework's: it moves only when the program calls the framework */
	bool asleep;      /* in sleep() or its like */
	struct sl_runner *about; /* for the log: the thread that starts, is named or ends */

	/* How it was created. */
	struct {
		uint32_t epoch; /* in this run of a section; 0: in none */
		bool starting; /* the program's start routine has not begun: no cancellation ends the thread yet */
		struct sl_runner *by; /* its creator, for the log */
		void *(*start)(void *);
		void *argument;
		uint32_t *announce; /* its creator waits until this is 1; NULL: it does not wait */
	} created;

	/* Its wait in a queue. */
	struct {
		enum sl_waits kind;
		bool queued;   /* among the waiters of object */
		bool relocks;  /* SL_WAITS_MUTEX: it returns from a condition variable */
		uint32_t bits; /* SL_WAITS_FUTEX */
		const void *object;
		pthread_mutex_t *mutex;            /* SL_WAITS_COND: the mutex to take again */
		struct sl_runner *next, *previous; /* waiters of the same bucket; free records */
	} waits;

	struct sl_runner *next_held, *next_woken;
	bool to_wake;
	pthread_t handle;
	int tid;
	/* rt_where.c */
	uint64_t at; /* blocked: the place in the program; 0: not known */
	uint32_t holding_count;
	const void *holdings[SL_HOLDINGS]; /* locks that do not record their holder */
	uint32_t epoch;                    /* when it ended */
	sigset_t mask;                     /* the signal mask that it sets first */
	uint32_t rounds;                   /* of destructors at its end */

	/* A call on descriptors. */
	struct {
		const struct pollfd *polled;
		struct pollfd one;
		uint32_t count;
	} io;

	/* The event at which it is held, or that it performs. */
	struct {
		struct sl_event what;
		struct sl_match match;
		struct sl_match more;
		bool performs; /* it performs an operation that is an event: see rt_code.h */
		bool forced;   /* … a lock that it may take because no other thread can move */
		bool waited;   /* … a lock that it had to wait for */
		uint64_t performs_at;
		uint64_t still;   /* F.state, if its last event has changed nothing there; else 0 */
		const char *file; /* the event's place; NULL: none */
		int line;
	} event;

	bool named;
	char name[SL_THREAD_NAME];
	struct sl_rt_known *known; /* SL_KNOWN_MATCHES of them */
};

/* The thread takes no part in the section, and in no schedule. */
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
	bool watching; /* events count: there is a section, or a log */
	bool logging;
	/* the section's thread has left the block, and waits for the other threads */
	bool ending;
	bool careful;                     /* no event takes the fast path */
	uint32_t calls_framework;         /* threads that wait for a test framework's runner */
	bool calm;                        /* sl_monitor_calm() */
	uint64_t state;                   /* of the monitor: F.tag and sl_monitor_changes() */
	uint64_t tag;                     /* of the run: the epoch, above the counts in tally */
	struct sl_runner *held;           /* the threads that are held back at an event */
	uint64_t tally[SL_ATOMS_COUNTED]; /* of each atom: F.tag, and how often it has occurred */
	/* under the lock */
	bool installed;
	bool checking; /* SLEAVE_MODE=check: no thread is held */
	bool failed;   /* … and some schedule was violated */
	bool child;    /* this process tries a section that is declared infeasible */
	bool children; /* there have been other processes, which may share our descriptors */
	bool recheck;  /* a signal handler has posted a semaphore meanwhile */
	uint32_t lock;
	uint32_t waiting; /* number of threads in buckets */
	uint32_t moving;  /* number of threads that run, or may */
	uint32_t io_told; /* number of threads that the monitor knows to be blocked in a call on descriptors */
	uint32_t epoch;   /* counts runs of sections */
	struct sl_runner *runners; /* … */
	struct sl_rt_known *known;
	uint32_t version; /* of all names: what is known of events holds for one version */
	uint32_t runner_count;
	struct {
		struct sl_runner *first, *last;
		uint32_t count;
	} used;           /* records of threads that have ended, the oldest first */
	uint32_t numbers; /* numbers given in this section */
	struct sl_runner **held_last;
	struct sl_runner *woken;
	struct {
		struct sl_runner *first, *last;
	} buckets[SL_BUCKETS];
	/* the section */
	struct sleave_section *section;
	struct sl_runner *owner;
	struct sl_plan *plan;
	struct sl_monitor *monitor; /* NULL: none */
	bool coded;                 /* the plan names code */
	/* the thread whose event is one step with an operation that is under way */
	struct sl_runner *performer;
	struct {
		uint32_t count;
		uint16_t atoms[SL_ATOMS_COUNTED];
		bool is[SL_ATOMS_COUNTED];
	} swift;       /* the atoms that the threads count by themselves */
	bool threaded; /* the plan names events of particular threads */

	/* The event that first violated the plan. */
	struct {
		struct sl_event event; /* kind SL_EVENT_KINDS: none has */
		char by[160];
		const char *file;
		int line;
		bool told; /* the schedule is only checked, and the violation was reported when it happened */
	} broken;
};

extern struct sl_rt sl_rt;
#define F sl_rt
extern struct sl_real sl_true;

/* ---- rt.c: threads and waiting ---- */

/* zeroed memory that is never freed; no part of the world that a search restores */
void *sl_rt_memory(size_t size);
extern __thread struct sl_runner *sl_runner_self __attribute__((visibility("hidden")));
extern __thread bool sl_runner_inside __attribute__((visibility("hidden")));
extern __thread bool sl_runner_gone __attribute__((visibility("hidden")));
struct sl_runner *sl_rt_new_self(void);
struct sl_runner *sl_rt_runner_new(void); /* under the lock */
void sl_rt_become(struct sl_runner *runner, enum sl_doing doing, bool moves);

/* pthread_self(). */
static inline pthread_t
sl_rt_me(void)
{
	return (pthread_t)__builtin_thread_pointer();
}

/* NULL: the thread has ended and runs its last destructors. */
static inline struct sl_runner *
sl_rt_self(void)
{
	return likely(sl_runner_self != NULL) ? sl_runner_self : sl_rt_new_self();
}

/* Does a signal handler run that has interrupted this thread while it held the lock? */
static inline bool
sl_rt_inside(void)
{
	return sl_runner_inside;
}

struct sl_runner *sl_rt_find(pthread_t handle);
struct sl_runner *sl_rt_by_tid(int tid);
void sl_rt_lock(void);
void sl_rt_unlock(void); /* and wakes the threads that are to continue */

void sl_rt_install(void);
void sl_rt_uninstall(void);
void sl_rt_threads_begin(void); /* once */
#define SL_METHOD(modes, told, name, parameters, libc) int sl_rt_##name(SL_STRIP parameters, uint64_t pc);
#include "engine/interpose/sync.def"
void sl_rt_threads_install(struct sl_real *table);
void sl_rt_io_install(struct sl_real *table);
void sl_rt_stdio_install(struct sl_real *table);
void sl_rt_where_install(struct sl_real *table); /* must be the last */
void sl_rt_outside_install(struct sl_real *table);

/* Under the lock. */
void sl_rt_queue(struct sl_runner *self, enum sl_waits waits, const void *object, bool first);
void sl_rt_unqueue(struct sl_runner *runner);
/* the thread was held before it could block, and the lock was released: the caller tries again */
bool sl_rt_hesitates(struct sl_runner *self);
void sl_rt_block(struct sl_runner *self, bool moves); /* the thread has been queued, and sleeps from now on */
void sl_rt_unblock(struct sl_runner *runner);         /* the thread continues */
/* changes the state alone: neither monitor nor log is told */
void sl_rt_blocks(struct sl_runner *self, bool moves);
static inline void
sl_rt_runs(struct sl_runner *runner)
{
	sl_rt_become(runner, SL_RUNS, false);
}

struct sl_runner *sl_rt_waiter(const void *object); /* the first waiter of the object */
struct sl_runner *sl_rt_next_waiter(const struct sl_runner *after);

/* Without the lock. */
enum sl_woken { SL_WOKEN, SL_TIMED_OUT, SL_INTERRUPTED };
/*
 * Used instead of NULL where the caller must learn that a signal handler has run: the kernel restarts a wait by
 * itself only if it has no time limit.
 */
extern const struct timespec sl_never;
enum sl_woken sl_rt_sleep(struct sl_runner *self, const struct timespec *limit, clockid_t clock, bool cancellable);
void sl_rt_wake(const void *object); /* the first waiter tries again */
/*
 * Where it matters which threads are blocked, releasing an object and waking its waiter is one step: true, and the
 * lock is held until sl_rt_given_up(). Otherwise a waiter would still count as blocked after it had been released.
 */
extern bool sl_rt_exact __attribute__((visibility("hidden")));
bool sl_rt_gives_up(void);
void sl_rt_given_up(const void *object, bool exact,
		    bool begun);          /* the first waiter tries again; NULL: there is none */
void sl_rt_awake(struct sl_runner *self); /* the thread has stopped waiting by itself; it may be held */
void sl_rt_name_runner(struct sl_runner *runner, const char *name);

/* Waits until attempt(object) returns something other than EBUSY. Returns that, or ETIMEDOUT, EINTR or EINVAL. */
struct sl_attempt {
	enum sl_waits waits;
	void *object;
	int (*attempt)(void *object);
	void (*gave_up)(void *object); /* under the lock: the thread no longer waits; NULL: nothing to do */
	const struct timespec *limit;
	clockid_t clock;
	bool cancellable, interruptible;
	/*
	 * without the lock: waits in the kernel, for an object that threads unknown to us may release; NULL: there
	 * are none
	 */
	int (*take)(const struct sl_attempt *attempt);
};
int sl_rt_wait(struct sl_runner *self, const struct sl_attempt *attempt);
/* The thread is queued, and holds the lock of this room: blocks. True: the wait is over, and the answer says how. */
bool sl_rt_wait_once(struct sl_runner *self, const struct sl_attempt *attempt, int *answer);

/* Around a call that blocks in the kernel, and that an outside event may end. */
void sl_rt_outside(struct sl_runner *self, enum sl_waits waits, const void *object);
void sl_rt_back(struct sl_runner *self);

/* ---- rt_event.c: events and held threads; under the lock ---- */

void sl_rt_tell(struct sl_runner *runner, enum sl_event_kind kind); /* the event happens */
bool sl_rt_may(struct sl_runner *runner, enum sl_event_kind kind);
/*
 * Holds the thread until its event may happen, and performs the event (except SL_EVENT_BLOCK). Releases the lock.
 */
void sl_rt_hold(struct sl_runner *self, const struct sl_event *event, const struct sl_match *match);
void sl_rt_hold_more(struct sl_runner *runner);
void sl_rt_unhold(struct sl_runner *runner);
void sl_rt_let_go(void);                            /* releases all held threads: the section is over */
enum sl_leave sl_rt_asks(struct sl_runner *runner); /* may the held thread go? */
void sl_rt_let(struct sl_runner *runner);           /* lets the thread go because no other thread can move */
bool sl_rt_nameless(const struct sl_runner *runner, const struct sl_event *event);

/* ---- rt_deadlock.c; under the lock, when no thread can move ---- */

bool sl_rt_is_deadlock(void); /* are there threads that could not move even if the held threads went on? */
bool sl_rt_is_for_ever(void); /* no thread could ever move, whatever a signal handler may still do */

/* ---- rt_quiet.c; under the lock ---- */

void sl_rt_quiet(void); /* no thread can move */
void sl_rt_rest(void);  /* F.ending: shall the section's thread wait any longer? */
bool sl_rt_enough(void);
/* waits until the plan is fulfilled or no thread can fulfil it; releases the lock */
void sl_rt_end_wait(struct sl_runner *self);
void sl_rt_started(struct sl_runner *runner); /* the thread existed before the section */
void sl_rt_happens(struct sl_runner *runner,
		   enum sl_event_kind kind); /* … or the thread is held until then; takes the lock */

void sl_rt_happens_or_held(struct sl_runner *self, const struct sl_event *event, const struct sl_match *match);
/* … without regard to what the event has to wait for; releases the lock */
void sl_rt_happens_beside(struct sl_runner *self, const struct sl_event *event, const struct sl_match *match);
void sl_rt_grant(void); /* releases the held threads that may go now */
void sl_rt_happened(struct sl_runner *r, const struct sl_event *event, const struct sl_match *match);
void sl_rt_sync(void); /* tells the monitor what threads have counted */

/* ---- rt_code.c: events of code ---- */

struct sl_code;
/* NULL: `error` has a sentence. number: the position of the plan in its text */
const struct sl_code *sl_rt_code_find(const struct sl_plan *plan, uint32_t number, char *error, size_t room);
void sl_rt_code_follow(const struct sl_code *code);
void sl_rt_code_forget(const struct sl_runner *runner); /* another thread takes over its record */
void sl_rt_performed(struct sl_runner *runner);
/*
 * Wakes the threads that are held because they may not have this lock yet: another thread has it now, so they must
 * block. Under the lock.
 */
void sl_rt_taken(const void *lock);
bool sl_rt_code_lock(struct sl_runner *self, const struct sl_attempt *attempt, void (*undo)(void *), bool tries,
		     int *answer);

/* ---- rt_named.c: sleave_event() ---- */

void sl_rt_swift_begin(void);
void sl_rt_swift_end(void); /* no event counts any more */
void sl_rt_renamed(struct sl_runner *runner);
const char *sl_rt_seen(uint32_t name); /* NULL: the event did not occur in this run */
/* true also while a thread is held at it; open: it can't be told */
enum sl_value sl_rt_occurred(const char *name);
extern uint32_t sl_rt_name_count;
bool sl_rt_is_written(const char *name); /* the program contains that text, so the name is not misspelt */
uint32_t sl_rt_object_names(const char **names, uint32_t room); /* names given by sleave_name() */
/* true also if there were more names than can be kept */
bool sl_rt_object_known(const char *name);
const char *sl_rt_object_name(const void *object);
void sl_rt_events_reset(void);
void sl_rt_usual(uint32_t number, char *to); /* main, T1, …: 16 bytes */

/* ---- rt_log.c: the log (SLEAVE_LOG) ---- */

void sl_rt_log_start(struct sl_runner *started);
void sl_rt_log_event(struct sl_runner *runner, const char *name, const char *object);
void sl_rt_log(const char *type, struct sl_runner *runner, const char *info, const char *file, int line);
void sl_rt_log_write(void);
void sl_rt_log_open(const char *path);
void sl_rt_log_forget(void);

/* ---- rt_unknown.c: names of the plan that nothing in the program has ---- */

/*
 * Either an atom (an event that did not occur, or whose thread never existed), or a thread in brackets that never
 * existed.
 */
typedef void (*sl_unknown_fn)(void *data, uint32_t number, const struct sl_atom *atom, const char *thread);
#define SL_UNKNOWN_MAX (SL_ATOMS_COUNTED + 64) /* their numbers are below this */
void sl_rt_unknown(sl_unknown_fn call, void *data);
bool sl_rt_atom_known(const struct sl_atom *atom);
bool sl_rt_thread_known(const char *glob);
bool sl_rt_is_usual(const char *name);
bool sl_rt_fulfilled(void); /* as far as it can be told now */

/* ---- rt_text.c ---- */

struct sl_plan *sl_rt_parse(struct sleave_section *section, va_list texts); /* NULL: there are none */
struct sl_monitor *sl_rt_monitor(const struct sl_plan *plan);               /* NULL: out of memory */

/* ---- rt_infeasible.c ---- */

/* True: this is the child, which runs the block. */
bool sl_rt_try(struct sleave_section *section, struct sl_plan *plan);
/* In the child: the block has ended, and the plan was followed or not. */
_Noreturn void sl_rt_tried(bool happened);

/* ---- rt_section.c, rt_explain.c ---- */

_Noreturn void sl_rt_refuse(const struct sleave_section *section, const char *why);
void sl_rt_wrong(void); /* the message has been composed; returns only if the schedule is just checked */

bool sl_rt_strangers(void); /* are there threads that the engine does not know? */
void sl_rt_begin(void);     /* once: reads the environment */
_Noreturn void sl_rt_infeasible(void);
_Noreturn void sl_rt_fail(void);      /* the message has been composed */
void sl_rt_forked(void);              /* in the child */
_Noreturn void sl_rt_try_skips(void); /* in the child that tries an infeasible section */

/* ---- rt_follow.c: a schedule given by the command; other schedules are not noted ---- */

struct sl_plan *sl_rt_follow_plan(struct sleave_section *section, struct sl_plan *plan);
void sl_rt_follow_note(enum sl_follow_end how);
void sl_rt_follow_refused(const struct sleave_section *section);

/* ---- rt_where.c ---- */

int sl_rt_held(const volatile void *lock, int error); /* the caller, unless there is an error, which is returned */
void sl_rt_lets_go(const volatile void *lock);
void sl_rt_where_begin(void);
bool sl_rt_holds(const struct sl_runner *runner, const void *lock);
void sl_rt_note_place(struct sl_runner *runner); /* the running thread blocks here */
void sl_rt_tell_broken(void);                    /* at once, when the schedule is only checked; under the lock */
/* names the places and objects of all blocked threads, for the next two functions */
void sl_rt_name_waits(void);
const char *sl_rt_place_of(const struct sl_runner *runner);
const char *sl_rt_object_of(const struct sl_runner *runner);

/* ---- rt_io.c ---- */

void sl_rt_io_begin(void);                             /* of a section: which threads are in such a call? */
bool sl_rt_io_ready(const struct sl_runner *runner);   /* would the call return? */
bool sl_rt_io_outside(const struct sl_runner *runner); /* may something other than our threads make it return? */
struct sl_runner *sl_rt_io_enter(
	int fd, short events); /* a call begins that may wait for the descriptor; NULL: it need not be watched */
void sl_rt_io_leave(struct sl_runner **runner);
void sl_rt_io_done(void);    /* after a call that may end the wait of other threads */
void sl_rt_io_changed(void); /* a descriptor was written or closed: which of the waiting threads can continue? */
long sl_rt_futex(const long a[6]);

#endif
