/*
 * What the engine writes down about one execution, in shared memory, for others to turn into sentences:
 * operations, call stacks, threads, loaded files. Addresses only; names are made from them by trace/name/name.h.
 */
#ifndef SL_TRACE_RECORDS_H
#define SL_TRACE_RECORDS_H

#include "base/op.h"

#include <stdint.h>

#define SL_NOTE_SPURIOUS (1ull << 32) /* COND_RELOCK: no thread woke it */
#define SL_NOTE_CHILD (1u << 31) /* of KILL, in the place of a thread's number: with that of a process that the program has started */

/* One operation, in the order in which they were performed. */
struct sl_record {
	struct sl_op op;
	/* READ, WRITE, ATOMIC_…: the bytes before the operation (up to 8); ALLOC, FREE: the size; CREATE,
	 * JOIN, DETACH: the number of the other thread; COND_WAIT: the mutex; COND_RELOCK: errno, and
	 * SL_NOTE_SPURIOUS; COND_SIGNAL: the number of the
	 * woken thread plus one, 0 for none; TRYLOCK, TIMEDLOCK, TRYWAIT: 0 if it succeeded, else errno;
	 * FUTEX_WAIT: the word; FUTEX_WAKE: how many it wakes; SLEEP: nanoseconds;
	 * IO_READ, IO_WRITE, …: the result, or minus errno; IO_OPEN: see enum sl_channel_kind;
	 * EVENT: 1 if the schedule names it; CHOOSE: the answer; EXIT: the status; ranges: the size. */
	uint64_t value;
	uint32_t stack; /* index into the frames: where the thread was; 0: unknown */
	uint32_t cost;  /* 1 if letting this thread go on here was a preemption (strategy.h) */
};

/* Where two executions of one schedule part. */
struct sl_difference {
	uint64_t at;                    /* number of the operation, from 1; 0: there is none */
	struct sl_record first, second; /* kind SL_OP_KIND_COUNT: there was none, the execution had ended */
};

/* What is behind a descriptor: IO_OPEN's value is kind << 32 | second descriptor << 16 | first. */
enum sl_channel_kind {
	SL_CHANNEL_UNKNOWN, /* from before the execution, or from outside */
	SL_CHANNEL_PIPE,
	SL_CHANNEL_PAIR, /* of sockets */
	SL_CHANNEL_SOCKET,
	SL_CHANNEL_EVENT,
	SL_CHANNEL_TIMER,
	SL_CHANNEL_SIGNAL,
	SL_CHANNEL_EPOLL,
	SL_CHANNEL_FIFO,
	SL_CHANNEL_FILE,
	SL_CHANNEL_QUEUE, /* of messages */
};

/* A call stack is a node in a tree: its innermost call site, and the stack of the caller. */
struct sl_frame {
	uint64_t pc;     /* return address into the caller of the function that this frame stands for */
	uint32_t parent; /* 0: the outermost */
	uint32_t pad;
};

enum sl_thread_state { SL_THREAD_READY, SL_THREAD_BLOCKED, SL_THREAD_SPINNING, SL_THREAD_ENDED };

/* A thread as it was when the execution ended. */
enum { SL_THREAD_NAME = 128, SL_KERNEL_NAME = 16 }; /* of a thread, with its zero; of one that the kernel knows */

struct sl_thread_record {
	uint32_t id;
	uint32_t parent;      /* who created it */
	uint32_t ordinal;     /* which child of its parent, from 1 */
	uint32_t state;       /* enum sl_thread_state */
	uint64_t start;       /* address of its start function; 0 for the first thread */
	uint64_t create_pc;   /* where it was created */
	struct sl_op pending; /* what it was about to do, unless it has ended */
	uint32_t stack;       /* where it was */
	int32_t waits_for;    /* the thread that holds what it waits for; -1: nobody */
	uint64_t mutex;       /* pending COND_WAIT: the mutex to take again */
	char name[SL_THREAD_NAME]; /* by pthread_setname_np; may be empty */
	uint64_t carried;     /* up to this index its operations had been announced when the section began */
	uint32_t number;      /* as schedules count threads: T<number>; 0 is main */
	uint32_t named;       /* by the program: schedules may call it so */
};

/* A loaded file, for turning addresses into lines. */
struct sl_module {
	uint64_t base; /* load bias */
	uint64_t low, high;
	char path[4096];
};

#define SL_EVENT_NAME 64 /* EVENT: the object is the number of its name, from 1 */

/* The trace of one execution. */
struct sl_trace {
	const struct sl_record *records; /* the last `count` of them */
	uint64_t count;
	uint64_t dropped; /* earlier ones that there was no room for */
	uint64_t from;    /* the first of those that a section with a schedule has; 0: there is none */
	const struct sl_frame *frames;
	uint32_t frame_count;
	const struct sl_thread_record *threads;
	uint32_t thread_count;
	const struct sl_module *modules;
	uint32_t module_count;
	const char (*events)[SL_EVENT_NAME]; /* names of events; NULL: there are none */
	uint32_t event_count;
};

#define SL_SAID_MAX 2048

/* What an execution has written last, to its standard output [0] and error [1]. */
struct sl_said {
	uint32_t size[2];
	uint32_t cut[2];   /* there was more before it */
	uint32_t together; /* both are one file: all is in [0] */
	char text[2][SL_SAID_MAX];
};

enum sl_finding_kind {
	SL_FINDING_ASSERT,   /* assert() failed */
	SL_FINDING_ABORT,    /* abort() or a signal SIGABRT */
	SL_FINDING_CRASH,    /* a deadly signal */
	SL_FINDING_EXIT,     /* ended with a status that is not 0 */
	SL_FINDING_DEADLOCK, /* every thread waits (or spins) and nobody can go on */
	SL_FINDING_RACE,
	SL_FINDING_USE_AFTER_FREE, /* culprits: the access, the free, the allocation */
	SL_FINDING_DOUBLE_FREE,    /* the second free, the first, the allocation */
	SL_FINDING_OUT_OF_BOUNDS,  /* the access, the allocation */
	SL_FINDING_MISUSE,         /* of a synchronisation object or of memory: the message says what */
	SL_FINDING_LOCK_ORDER, /* a warning: each of the culprits wants its object while holding that of the one before */
	SL_FINDING_LEAK, /* of blocks, in some schedules: block_size and start are the most and the fewest of them */
	SL_FINDING_LIVELOCK, /* status: operations of the loop; extent: preemptions in it; culprits: who goes round, and where */
	SL_FINDING_SCHEDULE, /* what the user wrote as a schedule did not happen, or did; status: number of the plan */
	SL_FINDING_ENDLESS, /* extent: operations after which it was given up; start: of the longest other; culprits: who goes round */
	SL_FINDING_KIND_COUNT
};

#define SL_CULPRITS_MAX 6

/* One side of a race, or the operation at which something broke, or what led there. */
struct sl_culprit {
	uint32_t thread;
	uint32_t stack; /* index into the frames of the trace */
	uint64_t index; /* which operation of the thread */
	uint64_t pc;
	uint64_t object; /* LOCK_ORDER: the lock that it wants */
	uint8_t kind;    /* enum sl_op_kind */
	uint8_t size;
	uint16_t flags;
	uint32_t pad;
};

struct sl_finding {
	uint32_t kind;      /* enum sl_finding_kind */
	int32_t status;     /* the signal or the exit status */
	uint64_t object;    /* RACE: the address; CRASH: the fault address; of the heap: the first wrong byte */
	uint64_t signature; /* equal for what counts as the same finding */
	uint32_t culprit_count;
	uint32_t lost_wakeup; /* DEADLOCK: a thread waits for a condition variable (nobody will signal) */
	struct sl_culprit culprits[SL_CULPRITS_MAX]; /* [0] the latest */
	uint64_t block, block_size; /* of the heap: the block that it is about; 0, 0: none is near */
	uint64_t start, extent;     /* of the heap: what was accessed */
	char message[256];          /* the text of an assertion: expression, function, file:line */
	uint64_t delayed;           /* ns for which delayed_thread could run and did not, while time passed */
	uint32_t delayed_thread, pad;
};

/* On a real machine a thread that can run is seldom delayed for so long. */
#define SL_DELAY_LONG 100000000ul

#endif
