/*
 * What the engine records about one execution, in shared memory, to be told in sentences by the command:
 * operations, call stacks, threads, loaded files. Addresses only; trace/name/name.h makes names from them.
 */
#ifndef SL_TRACE_RECORDS_H
#define SL_TRACE_RECORDS_H

#include "base/op.h"

#include <stdint.h>

#define SL_NOTE_SPURIOUS (1ull << 32) /* COND_RELOCK: no thread woke it */
/* of KILL, instead of a thread's number: together with that of a child process of the program */
#define SL_NOTE_CHILD (1u << 31)

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
	uint32_t stack; /* index into the frames: the thread's call stack; 0: unknown */
	uint32_t cost;  /* 1 if continuing this thread here was a preemption (strategy.h) */
};

/* The point where two executions of one schedule diverge. */
struct sl_difference {
	uint64_t at; /* number of the operation, from 1; 0: they do not diverge */
	/* kind SL_OP_KIND_COUNT: there was none, because the execution had ended */
	struct sl_record first, second;
};

/* The kind of file behind a descriptor: IO_OPEN's value is kind << 32 | second descriptor << 16 | first. */
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
	SL_CHANNEL_QUEUE, /* a message queue */
};

/* A call stack is a node in a tree: its innermost call site, and the stack of the caller. */
struct sl_frame {
	uint64_t pc;     /* return address into the caller of the function that this frame stands for */
	uint32_t parent; /* 0: the outermost */
	uint32_t pad;
};

enum sl_thread_state { SL_THREAD_READY, SL_THREAD_BLOCKED, SL_THREAD_SPINNING, SL_THREAD_ENDED };

/* A thread as it was when the execution ended. */
/* of a thread, with its zero; of a thread as the kernel knows it */
enum { SL_THREAD_NAME = 128, SL_KERNEL_NAME = 16 };

struct sl_thread_record {
	uint32_t id;
	uint32_t parent;           /* the thread that created it */
	uint32_t ordinal;          /* its index among its parent's children, from 1 */
	uint32_t state;            /* enum sl_thread_state */
	uint64_t start;            /* address of its start function; 0 for the first thread */
	uint64_t create_pc;        /* the place of its creation */
	struct sl_op pending;      /* its announced operation, unless it has ended */
	uint32_t stack;            /* its call stack */
	int32_t waits_for;         /* the thread that holds what it waits for; -1: none */
	uint64_t mutex;            /* pending COND_WAIT: the mutex to take again */
	char name[SL_THREAD_NAME]; /* by pthread_setname_np; may be empty */
	uint64_t carried;          /* up to this index its operations had been announced when the section began */
	uint32_t number;           /* as schedules count threads: T<number>; 0 is main */
	uint32_t named;            /* the program named it: schedules may use the name */
};

/* A loaded file, for turning addresses into lines. */
struct sl_module {
	uint64_t base; /* load bias */
	uint64_t low, high;
	char path[4096];
};

/* A file that the execution has mapped. */
struct sl_mapped_file {
	uint64_t low, high;
	uint64_t offset; /* in the file, of what is at `low` */
	uint64_t from;   /* the number of operations that were recorded before */
	char name[96];   /* the end of its path; with a zero */
};

#define SL_EVENT_NAME 64 /* EVENT: the object is the number of its name, from 1 */

/* The trace of one execution. */
struct sl_trace {
	const struct sl_record *records; /* the last `count` records */
	uint64_t count;
	uint64_t dropped; /* earlier records that there was no room for */
	uint64_t from;    /* the first record of a section with a schedule; 0: there is none */
	const struct sl_frame *frames;
	uint32_t frame_count;
	const struct sl_thread_record *threads;
	uint32_t thread_count;
	const struct sl_module *modules;
	uint32_t module_count;
	const struct sl_mapped_file *mapped; /* in the order in which they were; an address may occur several times */
	uint32_t mapped_count;
	const char (*events)[SL_EVENT_NAME]; /* names of events; NULL: there are none */
	uint32_t event_count;
};

#define SL_SAID_MAX 2048

/* The last output of an execution, to its standard output [0] and error [1]. */
struct sl_said {
	uint32_t size[2];
	uint32_t cut[2];   /* earlier output was cut off */
	uint32_t together; /* both are one file: everything is in [0] */
	char text[2][SL_SAID_MAX];
};

enum sl_finding_kind {
	SL_FINDING_ASSERT,   /* assert() failed */
	SL_FINDING_ABORT,    /* abort() or a signal SIGABRT */
	SL_FINDING_CRASH,    /* a deadly signal */
	SL_FINDING_EXIT,     /* exit with a status other than 0 */
	SL_FINDING_DEADLOCK, /* every thread waits (or spins), and none can continue */
	SL_FINDING_RACE,
	SL_FINDING_USE_AFTER_FREE, /* culprits: the access, the free, the allocation */
	SL_FINDING_DOUBLE_FREE,    /* the second free, the first, the allocation */
	SL_FINDING_OUT_OF_BOUNDS,  /* the access, the allocation */
	SL_FINDING_MISUSE,         /* of a synchronisation object or of memory: the message says what */
	/* a warning: each culprit wants its object while it holds that of the culprit before */
	SL_FINDING_LOCK_ORDER,
	/* of blocks, in some schedules: block_size and start are the largest and the smallest number of them */
	SL_FINDING_LEAK,
	/* status: operations of the loop; extent: preemptions in it; culprits: the looping threads, and where */
	SL_FINDING_LIVELOCK,
	SL_FINDING_SCHEDULE, /* what a user's schedule says did not happen, or did; status: number of the plan */
	/*
	 * extent: operations after which it was given up; start: of the longest other; culprits: the looping
	 * threads
	 */
	SL_FINDING_ENDLESS,
	/* culprits: operations of an order that was looked for (engine/check/atomicity.c), [0] the last of them */
	SL_FINDING_ATOMICITY,
	SL_FINDING_KIND_COUNT
};

#define SL_CULPRITS_MAX 6

/* One side of a race, or the operation at which something failed, or one that led there. */
struct sl_culprit {
	uint32_t thread;
	uint32_t stack; /* index into the frames of the trace */
	uint64_t index; /* number of the operation in its thread */
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
	uint64_t signature; /* equal for findings that count as the same */
	uint32_t culprit_count;
	uint32_t lost_wakeup; /* DEADLOCK: a thread waits for a condition variable that no thread will signal */
	struct sl_culprit culprits[SL_CULPRITS_MAX]; /* [0] the latest */
	uint64_t block, block_size;                  /* of the heap: the block concerned; 0, 0: none is near */
	uint64_t start, extent;                      /* of the heap: the accessed bytes */
	char message[256]; /* the text of an assertion: expression, function, file:line */
	/* ns for which delayed_thread was enabled but did not run, while time passed */
	uint64_t delayed;
	uint32_t delayed_thread, pad;
};

/* On a real machine an enabled thread is rarely delayed for that long. */
#define SL_DELAY_LONG 100000000ul

#endif
