#include "cli/session/scout.h"

#include "base/room.h"
#include "trace/lane/reel.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_WORDS (1u << 20) /* 8 MiB */
#define BATCH 16384u          /* words; when so many have been taken the writer is told that there is room */
#define SPINS 2000            /* about 50 µs */
#define PAUSE_NS 50000

/* ---- items ---- */

/* Makes room for the thread with this number. */
static void
count_thread(struct sl_scouting *s, uint32_t thread)
{
	if (thread >= s->room) {
		uint32_t room = thread + 1 + s->room;

		s->done = sl_must(realloc(s->done, room * sizeof(*s->done)));
		s->paths = sl_must(realloc(s->paths, room * sizeof(*s->paths)));
		s->room = room;
	}
	for (; s->threads <= thread; s->threads++)
		s->done[s->threads] = s->paths[s->threads] = 0;
}

static void
tell(struct sl_scouting *s, const uint64_t *words)
{
	struct sl_item item;

	sl_reel_read(words, &item);
	item.thread = s->of;
	if (item.kind == SL_ITEM_KIN) {
		count_thread(s, s->of);
		s->paths[s->of] = item.value;
	} else if (item.kind == SL_ITEM_VALUE && s->of < s->threads) {
		s->done[s->of] = item.pc;
	}
	if (s->scout->item)
		s->scout->item(s->scout->data, &item);
}

/* The strategy does not learn of operations that came after its last question. */
static uint32_t
reached(const struct sl_scouting *s, const struct sl_script *script)
{
	uint32_t at = script->reached;

	for (; !script->strayed && at < script->count && script->steps[at].kind == SL_SCRIPT_RUN; at++) {
		uint32_t thread = 0;

		while (thread < s->threads && s->paths[thread] != script->steps[at].thread)
			thread++;
		if (thread == s->threads || s->done[thread] < script->steps[at].index)
			break;
	}
	return at;
}

static void
tell_end(struct sl_scouting *s)
{
	const struct sl_script *script = &s->scripts->scripts[++s->ended % SL_SCRIPTS];
	struct sl_scouted how = {.number = s->ended,
				 .reached = reached(s, script),
				 .strayed = script->strayed,
				 .found = script->found,
				 .cut = script->cut,
				 .grown = script->grown != s->grown};

	s->grown = script->grown;
	if (s->scout->end)
		s->scout->end(s->scout->data, &how);
}

static void
take(struct sl_scouting *s, const uint64_t *words)
{
	switch ((uint8_t)words[0]) {
	case SL_REEL_SWITCH:
		s->of = (uint32_t)(words[0] >> 16);
		break;
	case SL_REEL_PART:
		if (s->begun > s->ended)
			tell_end(s);
		s->begun++;
		s->of = s->threads = 0;
		if (s->scout->begin)
			s->scout->begin(s->scout->data);
		break;
	case SL_REEL_NAME:
	case SL_REEL_TICKET:
	case SL_REEL_PAD:
		break;
	default:
		tell(s, words);
		break;
	}
}

/* Takes what is there; returns whether there was anything. */
static bool
pump(struct sl_scouting *s)
{
	struct sl_lane *lane = &s->reel->lanes[0];
	uint64_t *ring = (uint64_t *)((char *)s->reel + s->reel->rings), mask = s->reel->lane_words - 1;
	uint64_t head = __atomic_load_n(&lane->head, __ATOMIC_ACQUIRE), tail = lane->tail;
	bool any = tail != head;

	while (tail != head) {
		uint64_t end = head - tail > BATCH ? tail + BATCH : head;

		while (tail < end) {
			take(s, &ring[tail & mask]);
			tail += sl_reel_words(&ring[tail & mask]);
		}
		__atomic_store_n(&lane->tail, tail, __ATOMIC_SEQ_CST);
		if (__atomic_exchange_n(&lane->waiting, 0, __ATOMIC_SEQ_CST))
			syscall(SYS_futex, &lane->tail, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
	return any;
}

/* Asks for scripts as long as there is room. */
static void
issue(struct sl_scouting *s)
{
	enum sl_scout_answer answer = SL_SCOUT_SCRIPT;

	while (answer == SL_SCOUT_SCRIPT && s->scripts->issued - s->ended < SL_SCRIPTS - 1) {
		uint64_t issued = s->scripts->issued, ahead = issued - s->ended;

		answer = s->scout->next(s->scout->data, (unsigned)ahead,
					&s->scripts->scripts[(issued + 1) % SL_SCRIPTS]);
		if (answer == SL_SCOUT_LATER && !ahead) /* it would wait without end: our bug */
			abort();
		if (answer == SL_SCOUT_SCRIPT)
			__atomic_store_n(&s->scripts->issued, issued + 1, __ATOMIC_RELEASE);
	}
	if (answer == SL_SCOUT_OVER)
		__atomic_store_n(&s->scripts->over, 1, __ATOMIC_RELEASE);
}

/* Takes what is there; returns whether there was anything. */
static bool
turn(struct sl_scouting *s, bool ending)
{
	/* an execution that has ended has written all its items before */
	uint64_t told = s->ended, ended = __atomic_load_n(&s->scripts->ended, __ATOMIC_ACQUIRE);
	bool any = pump(s);

	if (s->ended < ended && s->ended < s->begun)
		tell_end(s);
	if (s->ended == told)
		return any;
	if (!ending && !s->scripts->over)
		issue(s);
	return true;
}

static void *
work(void *data)
{
	static const struct timespec pause = {.tv_nsec = PAUSE_NS};
	struct sl_scouting *s = data;
	unsigned idle = 0;

	for (;;) {
		bool ending = __atomic_load_n(&s->scout->ending, __ATOMIC_ACQUIRE);

		if (turn(s, ending)) {
			idle = 0;
			continue;
		}
		if (ending)
			return NULL;
		if (idle++ < SPINS)
			__builtin_ia32_pause();
		else
			nanosleep(&pause, NULL);
	}
}

/* ---- what the header declares ---- */

static int
reel_make(struct sl_scouting *s, struct sl_err *err)
{
	uint64_t rings = (sizeof(struct sl_reel) + 4095) & ~4095ul, size = rings + RING_WORDS * sizeof(uint64_t);

	s->fd = memfd_create("sleave reel", MFD_CLOEXEC);
	if (s->fd < 0 || ftruncate(s->fd, (off_t)size) < 0)
		return sl_err_set(err, "cannot make shared memory: %s", strerror(errno));
	s->reel = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->reel == MAP_FAILED) {
		s->reel = NULL;
		return sl_err_set(err, "cannot map shared memory: %s", strerror(errno));
	}
	s->reel->lane_count = 1;
	s->reel->lane_words = RING_WORDS;
	s->reel->rings = rings;
	s->reel->size = size;
	__atomic_store_n(&s->reel->magic, SL_REEL_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

static void
release(struct sl_scouting *s)
{
	if (s->reel)
		munmap(s->reel, s->reel->size);
	if (s->fd >= 0)
		close(s->fd);
	free(s->done);
	free(s->paths);
	*s = (struct sl_scouting){.fd = -1};
}

static int
start(struct sl_scouting *s, struct sl_err *err)
{
	sigset_t all, before;
	int error;

	sigfillset(&all); /* signals are left to the threads that wait for them */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&s->thread, NULL, work, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	s->running = !error;
	return error ? sl_err_set(err, "cannot start a thread: %s", strerror(error)) : 0;
}

int
sl_scouting_begin(struct sl_scouting *s, struct sl_scout *scout, struct sl_arena *arena, struct sl_err *err)
{
	*s = (struct sl_scouting){.scout = scout, .scripts = &arena->scripts, .fd = -1};
	if (!scout)
		return 0;
	if (arena->config.workers > 1)
		return sl_err_set(err, "this search runs in one process only: leave --jobs out");
	if (*arena->config.reels[0])
		return sl_err_set(err,
				  "this search needs the items of the executions for itself: leave --trace out");
	if (reel_make(s, err) < 0) {
		release(s);
		return -1;
	}
	snprintf(arena->config.reels[0], sizeof(arena->config.reels[0]), "/proc/%ld/fd/%d", (long)getpid(), s->fd);
	arena->config.values = 1;
	s->scripts->attended = 1;
	scout->ending = 0;
	if (scout->open)
		scout->open(scout->data, arena);
	__atomic_store_n(&s->scripts->issued, 1, __ATOMIC_RELEASE);
	if (start(s, err) == 0)
		return 0;
	release(s);
	return -1;
}

void
sl_scouting_end(struct sl_scouting *s)
{
	if (!s->scout)
		return;
	__atomic_store_n(&s->scout->ending, 1, __ATOMIC_RELEASE);
	if (s->running)
		pthread_join(s->thread, NULL);
	release(s);
}
