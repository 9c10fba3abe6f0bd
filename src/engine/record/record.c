/*
 * Recording on real threads: how it starts and ends, lanes, items, tickets.
 */
#include "engine/entry/record.h"
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/entry/interpose.h"
#include "engine/listen/lane.h"
#include "engine/under/poison.h"

__thread struct sl_lane_self sl_lane_self;
#define self (&sl_lane_self)
struct sl_reel *sl_reel;
struct sl_real sl_unrecorded;
const struct sl_mode *sl_lane_under;
/* For the column `modes`. */
#define BOTH(name) sl_lane_##name
#define RECORD(name) sl_lane_##name
#define SCHEDULE(name) sl_libc_##name
#define NONE(name) sl_libc_##name
static const struct sl_mode recording = {
#define SL_METHOD(modes, told, name, parameters, libc) .name = modes(name),
#include "engine/interpose/sync.def"
};
#define R sl_reel

/*
 * The offset, from the thread pointer, of the word from which the kernel reads the current sequence; see
 * record_append.c.
 */
ptrdiff_t sl_lane_rseq __attribute__((visibility("hidden")));
static bool rseq_is_ours; /* libc has not registered one, so each thread registers its own memory */
static __thread struct {
	_Alignas(32) uint32_t cpu[2];
	uint64_t sequence[3];
} own_rseq;

extern void *__libc_stack_end;
static long process, reader; /* the program, and the process that started it */
static pthread_key_t key;    /* its destructor ends a thread's lane */

/* ---- blocking signals around code that a handler must not interrupt ---- */

uint64_t
sl_lane_block_signals(void)
{
	uint64_t all = ~0ull, before = 0;

	sl_raw(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	return before;
}

void
sl_lane_unblock_signals(uint64_t before)
{
	sl_raw(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
}

/* ---- lanes ---- */

static void
stop(const char *why)
{
	E.recording = false;
	if (why)
		sl_raw(SYS_write, 2, why, sl_strlen(why));
}

static void
wake_reader(void)
{
	if (__atomic_load_n(&R->news, __ATOMIC_RELAXED) && __atomic_exchange_n(&R->news, 0, __ATOMIC_SEQ_CST))
		sl_raw(SYS_futex, &R->news, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Waits until the reader has advanced. False: the reader has ended. */
static bool
wait_for_reader(struct sl_lane *lane, uint64_t tail)
{
	static const struct timespec while_ = {.tv_nsec = 100000000};

	__atomic_store_n(&lane->waiting, 1, __ATOMIC_SEQ_CST);
	wake_reader();
	if (__atomic_load_n(&lane->tail, __ATOMIC_SEQ_CST) == tail &&
	    sl_raw(SYS_futex, &lane->tail, FUTEX_WAIT, (uint32_t)tail, &while_, NULL, 0) == -ETIMEDOUT &&
	    sl_raw(SYS_getppid) != reader) {
		stop("sleave: the command that recorded this program has ended; the program goes on without being recorded\n");
		return false;
	}
	__atomic_store_n(&lane->waiting, 0, __ATOMIC_RELAXED);
	return true;
}

static void
enter_turn(uint64_t head)
{
	self->turn = self->ring - (head & ~((uint64_t)R->lane_words - 1));
}

/* Sets the limit of the head: the end of the ring, and the words that were not read yet. */
static bool
make_room(void)
{
	struct sl_lane *lane = self->lane;
	uint64_t size = R->lane_words, head = lane->head, tail;

	for (;;) {
		uint64_t turn_end = (head & ~(size - 1)) + size, limit;

		tail = __atomic_load_n(&lane->tail, __ATOMIC_ACQUIRE);
		limit = tail + size;
		if (turn_end - head < SL_REEL_ITEM_WORDS && turn_end <= limit) {
			while (head < turn_end)
				self->turn[head++] = SL_REEL_PAD;
			__atomic_store_n(&lane->head, head, __ATOMIC_RELEASE);
			continue;
		}
		if (limit > turn_end)
			limit = turn_end;
		if (limit > head + size / 4 + SL_REEL_ITEM_WORDS)
			limit = head + size / 4 + SL_REEL_ITEM_WORDS;
		if (head + SL_REEL_ITEM_WORDS <= limit) {
			enter_turn(head);
			self->limit = limit - SL_REEL_ITEM_WORDS + 1;
			sl_lane_look_later();
			wake_reader();
			return true;
		}
		if (!wait_for_reader(lane, tail))
			return false;
	}
}

/* Takes a free lane. NULL: there are too many threads. */
static struct sl_lane *
take_lane(void)
{
	for (;;) {
		bool ends = false;

		for (uint32_t i = 0; i < R->lane_count; i++) {
			struct sl_lane *lane = &R->lanes[i];
			uint32_t state = __atomic_load_n(&lane->state, __ATOMIC_RELAXED),
				 used = __atomic_load_n(&R->lane_used, __ATOMIC_RELAXED);

			ends |= state == SL_LANE_ENDED;
			if (state != SL_LANE_FREE ||
			    !__atomic_compare_exchange_n(&lane->state, &state, SL_LANE_TAKEN, false,
							 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
				continue;
			while (used <= i && !__atomic_compare_exchange_n(&R->lane_used, &used, i + 1, false,
									 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
				;
			return lane;
		}
		if (!ends || sl_raw(SYS_getppid) != reader)
			return NULL;
		wake_reader();
		sl_raw(SYS_sched_yield);
	}
}

/* Returns whether the calling thread has a registered sequence. */
static bool
has_rseq(void)
{
	char *area = rseq_is_ours ? (char *)&own_rseq : (char *)__builtin_thread_pointer() + sl_lane_rseq;

	if ((int32_t)((uint32_t *)area)[1] >= 0 && !rseq_is_ours)
		return true;
	long answer = sl_raw(SYS_rseq, area, 32, 0, 0x53053053);

	return answer == 0 || answer == -EBUSY;
}

/* Finds the bounds of the calling thread's stack. For the first thread libc would have to read a file. */
static void
find_stack(uint64_t stack[2])
{
	pthread_attr_t attr;
	size_t size;

	stack[0] = stack[1] = 0;
	if (self->tid == process) {
		stack[1] = (uint64_t)__libc_stack_end;
		stack[0] = stack[1] - (8ul << 20);
	} else if (self->created &&
		   !sl_unrecorded.pthread_getattr_np((pthread_t)__builtin_thread_pointer(), &attr)) {
		pthread_attr_getstack(&attr, (void **)&stack[0], &size);
		pthread_attr_destroy(&attr);
		stack[1] = stack[0] + size;
	}
}

bool
sl_lane_open(void)
{
	uint64_t before, stack[2];

	if (self->lane)
		return true;
	if (self->gone || !E.recording)
		return false;
	if (sl_raw(SYS_getpid) != process) { /* a child that was created unseen */
		E.recording = false;
		return false;
	}
	before = sl_lane_block_signals();
	self->tid = (int)sl_raw(SYS_gettid);
	struct sl_lane *lane = has_rseq() ? take_lane() : NULL;

	if (!lane) {
		self->gone = true;
		__atomic_add_fetch(&R->unrecorded, 1, __ATOMIC_RELAXED);
		sl_lane_unblock_signals(before);
		return false;
	}
	if (!self->numbered) {
		self->number = __atomic_fetch_add(&R->thread_count, 1, __ATOMIC_RELAXED);
		self->numbered = true;
	}
	self->ring = (uint64_t *)((char *)R + R->rings) + (uint64_t)(lane - R->lanes) * R->lane_words;
	self->end = self->limit = 0;
	self->loop = NULL;
	lane->thread = self->number;
	enter_turn(lane->head);
	__atomic_store_n(&lane->state, SL_LANE_OPEN, __ATOMIC_RELEASE);
	self->lane = lane;
	self->quiet++;
	sl_unrecorded.pthread_setspecific(key, self);
	find_stack(stack);
	self->quiet--;
	sl_lane_ticketed(SL_START, stack[0], self->start, stack[1]); /* before the items of a handler */
	sl_lane_unblock_signals(before);
	return true;
}

static bool
more(void)
{
	uint64_t before;
	bool room;

	if (!sl_lane_open())
		return false;
	if (self->loop)
		sl_lane_leave();
	else if (self->lane->head < self->limit)
		sl_lane_look();
	if (self->lane->head < self->end || self->loop)
		return true;
	before = sl_lane_block_signals();
	room = sl_raw(SYS_getpid) == process && make_room();
	sl_lane_unblock_signals(before);
	if (!room) {
		self->lane = NULL;
		self->loop = NULL;
		self->gone = true;
		E.recording = false;
	}
	return room;
}

bool
sl_lane_more(void)
{
	bool room = more();

	/*
	 * this thread has set `end`. A thread that sets it to 0 sets `cancelled` before: so one of the two sees
	 * the other's store
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (unlikely(self->cancelled)) {
		self->cancelled = false;
		sl_lane_mark();
	}
	return room;
}

/*
 * Only libc sees where the cancelled thread begins to unwind. Setting `end` to 0 makes its next item request room,
 * which writes a ticket before the item. (An item of a loop does not request room, but unwinding is not part of a
 * loop's round.)
 */
void
sl_lane_cancels(pthread_t thread)
{
	struct sl_lane_self *other =
		(void *)((char *)thread + ((char *)self - (char *)__builtin_thread_pointer()));

	other->cancelled = true;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&other->end, 0, __ATOMIC_SEQ_CST);
}

void
sl_lane_end(void)
{
	struct sl_lane *lane = self->lane;

	if (!lane)
		return;
	sl_lane_ticketed(SL_END, 0, self->start, 0); /* this also ends a loop */
	self->gone = true;
	self->lane = NULL;
	__atomic_store_n(&lane->state, SL_LANE_ENDED, __ATOMIC_RELEASE);
	wake_reader();
}

/* Other destructors may still write items, so this one is postponed to the last round. */
static void
destructor(void *unused)
{
	(void)unused;
	sl_lane_leave_calls(0); /* pthread_exit() and cancellation leave functions without callbacks */
	if (++self->rounds < 4 /* PTHREAD_DESTRUCTOR_ITERATIONS */)
		sl_unrecorded.pthread_setspecific(key, self);
	else
		sl_lane_end();
}

/* ---- items ---- */

void
sl_lane_item(uint8_t kind, uint16_t flags, uint64_t object, uint64_t pc, uint64_t value)
{
	uint64_t first = sl_reel_word(kind, 0, pc), second = sl_reel_object_word(flags, object);

	if (sl_reel_has_value(kind, flags)) {
		while (!sl_lane_try3(first, second, value))
			if (!sl_lane_more())
				return;
	} else {
		while (!sl_lane_try2(first, second))
			if (!sl_lane_more())
				return;
	}
}

static uint64_t
ticket(void)
{
	return SL_REEL_TICKET | __atomic_add_fetch(&R->tickets, 1, __ATOMIC_SEQ_CST) << 8;
}

void
sl_lane_ticketed(uint8_t kind, uint64_t object, uint64_t pc, uint64_t value)
{
	uint16_t flags = sl_op_kinds[kind].flags;
	uint64_t first = sl_reel_word(kind, 0, pc), second = sl_reel_object_word(flags, object), number;

	if (!sl_lane_open())
		return;
	number = ticket();
	if (sl_reel_has_value(kind, flags)) {
		while (!sl_lane_try4(number, first, second, value))
			if (!sl_lane_more())
				return;
	} else {
		while (!sl_lane_try3(number, first, second))
			if (!sl_lane_more())
				return;
	}
}

void
sl_lane_ticketed_access(uint8_t kind, uint8_t size, uint64_t object, uint64_t pc)
{
	uint64_t first = sl_reel_word(kind, size, pc),
		 second = sl_reel_object_word(sl_op_kinds[kind].flags, object), number;

	if (!sl_lane_open())
		return;
	number = ticket();
	while (!sl_lane_try3(number, first, second))
		if (!sl_lane_more())
			return;
}

void
sl_lane_mark(void)
{
	uint64_t number;

	if (!sl_lane_open())
		return;
	number = ticket();
	while (!sl_lane_try2(number, SL_REEL_PAD))
		if (!sl_lane_more())
			return;
}

void
sl_lane_range(uint64_t address, uint64_t size, uint16_t flags, uint64_t pc)
{
	uint8_t kind = flags & SL_OP_WRITES ? SL_WRITE : SL_READ;

	if (size <= 8) {
		sl_lane_plain(address, flags, sl_reel_word(kind, (uint8_t)size, 0), pc);
		return;
	}
	if (unlikely(sl_lane_noisy))
		sl_lane_noise_access(address);
	uint64_t first = sl_reel_word(kind, size > 255 ? 255 : (uint8_t)size, pc),
		 second = sl_reel_object_word((uint16_t)(flags | SL_OP_RANGE), address);

	while (!sl_lane_try3(first, second, size))
		if (!sl_lane_more())
			return;
}

void
sl_lane_call(uint64_t function, uint64_t pc)
{
	sl_lane_put2(function, 0, sl_reel_word(SL_ITEM_CALL, 0, pc));
}

void
sl_lane_leave_calls(uint64_t depth)
{
	for (; self->depth > depth; self->depth--)
		sl_lane_put1(sl_reel_word(SL_ITEM_RETURN, 0, 0));
}

/* ---- start and end ---- */

static int
parse_number(const char **text)
{
	int n = 0;

	for (; **text >= '0' && **text <= '9' && n < 1 << 24; (*text)++)
		n = n * 10 + **text - '0';
	return n;
}

/* Parses the reel's descriptor and, if it is given, the process that started this one. */
static int
parse_reel(const char *text, int *owner)
{
	int fd = parse_number(&text);

	*owner = 0;
	if (*text == ':') {
		text++;
		*owner = parse_number(&text);
	}
	return *text ? -1 : fd;
}

/*
 * Ends this process with its owner, even if that is killed; posix_spawn() has no attribute for this. If there is
 * another process in between, that must end this one.
 */
static void
end_with(int owner)
{
	sl_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	/* the owner had ended before */
	while (sl_raw(SYS_getppid) != owner && sl_raw(SYS_kill, owner, 0) == -ESRCH)
		sl_raw(SYS_exit_group, 3);
}

static _Noreturn void
refuse(const char *why)
{
	sl_raw(SYS_write, 2, why, sl_strlen(why));
	for (;;)
		sl_raw(SYS_exit_group, 3);
}

static void
map_reel(int fd)
{
	struct stat info;

	if (fd < 0 || fstat(fd, &info) != 0 || (size_t)info.st_size < sizeof(*R))
		refuse("sleave: SLEAVE_REEL names no reel\n");
	R = (void *)sl_raw(SYS_mmap, NULL, info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
			   0);
	if ((long)R < 0 && (long)R > -4096)
		refuse("sleave: there is no room for the reel\n");
	if (R->magic != SL_REEL_MAGIC || R->size > (uint64_t)info.st_size)
		refuse("sleave: the reel is of another version of Sleave\n");
	close(fd);
	sl_raw(SYS_madvise, R, info.st_size, MADV_DONTDUMP);
}

static void
find_rseq(void)
{
	const ptrdiff_t *offset = sl_resolve("__rseq_offset");

	rseq_is_ours = !offset;
	sl_lane_rseq = offset ? *offset : (char *)&own_rseq - (char *)__builtin_thread_pointer();
	if (!has_rseq())
		refuse("sleave: recording needs restartable sequences, which this kernel does not have or libc was told not "
		       "to use (glibc.pthread.rseq)\n");
}

void
sl_lane_forked(void)
{
	if (!E.recording)
		return;
	E.recording = false;
	sl_lane_uninstall();
	sl_lane_signals_install(&sl_real);
	self->loop = NULL;
	self->lane = NULL;
	self->gone = true;
}

void
sl_lane_install(void)
{
	if (!E.recording)
		return;
	sl_unrecorded = sl_real;
	sl_lane_under = sl_mode;
	sl_mode = &recording;
	sl_lane_threads_install(&sl_real);
	sl_lane_io_install(&sl_real);
	sl_lane_signals_install(&sl_real);
}

void
sl_lane_uninstall(void)
{
	if (!sl_unrecorded.fork)
		return;
	sl_real = sl_unrecorded;
	sl_mode = sl_lane_under;
}

void
sl_lane_start(void)
{
	const char *reel = getenv("SLEAVE_REEL");
	int (*atfork)(void (*)(void), void (*)(void), void (*)(void), void *) = sl_resolve("__register_atfork");
	int owner;

	if (!reel)
		return;
	map_reel(parse_reel(reel, &owner));
	if (owner)
		end_with(owner);
	unsetenv("SLEAVE_REEL"); /* programs that the program starts are not recorded */
	sl_lane_noise_start(getenv("SLEAVE_NOISE"));
	unsetenv("SLEAVE_NOISE");
	sl_reel_begin_here(R);
	process = sl_raw(SYS_getpid);
	reader = sl_raw(SYS_getppid);
	find_rseq();
	sl_lane_modules();
	if (atfork)
		atfork(NULL, NULL, sl_lane_forked, NULL);
	sl_real.pthread_key_create(&key, destructor);
	E.recording = true;
	sl_lane_install();
	sl_lane_open();
}

void
sl_lane_exec(int error, uint64_t pc)
{
	if (sl_raw(SYS_getpid) != process)
		return;
	R->instrumented = sl_instrumented;
	sl_lane_ticketed(SL_EXEC, 0, pc, (uint64_t)error);
	__atomic_store_n(&R->replaced, !error, __ATOMIC_RELEASE);
}

void
sl_lane_explores(void)
{
	__atomic_add_fetch(&R->explored, 1, __ATOMIC_RELAXED);
}

void
sl_lane_exit(int status, uint64_t pc)
{
	if (!E.recording || sl_raw(SYS_getpid) != process)
		return;
	sl_lane_modules();
	R->instrumented = sl_instrumented;
	if (!pc) /* the thread's start function has returned at an unknown place: its first line is used */
		pc = self->start ? self->start : sl_main_place();
	sl_lane_ticketed(SL_EXIT, 0, pc, (uint64_t)(status & 255));
	__atomic_store_n(&R->complete, 1, __ATOMIC_RELEASE);
	wake_reader();
}
