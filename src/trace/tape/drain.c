#include "trace/tape/drain.h"

#include "base/room.h"
#include "trace/lane/merge.h"
#include "trace/name/name.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS 2000000l      /* between two looks at an empty reel */
#define FLUSH_NS 1000000000ull /* items that are older than this are in the file, even if the command is killed */
#define BATCH 16384u /* words; when so many have been taken the writer is told that there is room */
#define NOTHING UINT32_MAX

struct sl_drain {
	struct sl_reel *reel;
	int fd;
	struct sl_tape_writer *tape;
	/* what is named, and by what */
	const struct sl_module *modules;
	const uint32_t *module_count; /* of the modules that have names */
	const uint32_t *live_count; /* … and of those that are loaded now */
	const char (*events)[SL_EVENT_NAME];
	const uint32_t *event_count;
	uint32_t given_events;
	struct sl_names *names;
	uint32_t named_modules; /* the number of modules when the names were made */
	uint64_t low, high; /* addresses of the module that covered the last address */
	uint64_t bare_low, bare_high; /* addresses between modules … */
	uint32_t bare_count; /* … when there were so many modules */
	uint32_t *thread_names;       /* by thread: number of the name; 0: none */
	uint32_t thread_count;
	char name[320]; /* for an address without a name */
	uint32_t thread; /* the thread of the items that follow */
	struct sl_merge *merge; /* merges the lanes of real threads; NULL: there is one lane */
	struct {
		struct sl_module modules[SL_REEL_MODULES]; /* the modules that have names; some may not be loaded any more */
		uint32_t count;
		uint32_t live; /* how many of them are loaded; NOTHING: the execution has just begun */
		uint32_t last; /* how many were loaded in the execution before */
		struct sl_beginning beginning;
	} * parts; /* for executions one after the other; NULL: there is one execution */
	bool failed;
	uint64_t flushed; /* the time of the last flush, ns */
	pthread_t worker;
	bool started;
	uint32_t ending;
};

/* ---- names ---- */

static struct sl_names *
names_now(struct sl_drain *d)
{
	uint32_t count = __atomic_load_n(d->module_count, __ATOMIC_ACQUIRE);
	struct sl_err err;

	if (!d->names || count != d->named_modules) {
		sl_names_free(d->names);
		d->names = sl_names_new(d->modules, count, &err);
		d->named_modules = count;
	}
	return d->names;
}

static bool
name_place(void *data, uint64_t pc, struct sl_place *place)
{
	struct sl_names *names = pc ? names_now(data) : NULL;

	/*
	 * The engine's code that calls the place, and libc's code that calls a thread's first function, are no
	 * places of the program.
	 */
	return names && sl_names_use(names, pc, place) && strncmp(place->module, "libsleave.", 10) != 0 &&
	       strcmp(place->function, "__libc_start_call_main") != 0 &&
	       strcmp(place->function, "start_thread") != 0;
}

static const struct sl_site *
name_site(void *data, uint64_t pc, bool writes)
{
	struct sl_names *names = pc ? names_now(data) : NULL;

	return names ? sl_names_site(names, pc, writes) : NULL;
}

/* Makes the space around an address without names smaller: [low, high) has names. */
static void
bare_without(struct sl_drain *d, uint64_t first, uint64_t last, uint64_t low, uint64_t high)
{
	if (high <= first && high > d->bare_low)
		d->bare_low = high;
	if (low > last && low < d->bare_high)
		d->bare_high = low;
}

static bool
covers(void *data, uint64_t first, uint64_t last)
{
	struct sl_drain *d = data;
	const struct sl_beginning *b = &d->reel->beginning;

	if (first >= d->bare_low && last < d->bare_high && d->bare_count == *d->live_count)
		return false;
	if (first - d->low < d->high - d->low)
		return true;
	if (sl_beginning_covers(b, last))
		return true;
	d->bare_low = 0;
	d->bare_high = UINT64_MAX;
	d->bare_count = *d->live_count;
	for (uint32_t i = 0; i < *d->live_count; i++) {
		const struct sl_module *m = &d->modules[i];

		if (last >= m->low && first < m->high) {
			d->low = m->low;
			d->high = m->high;
			d->bare_high = 0;
			return true;
		}
		bare_without(d, first, last, m->low, m->high);
	}
	bare_without(d, first, last, b->low, b->low + b->size);
	bare_without(d, first, last, b->thread - b->local, b->thread);
	return false;
}

/* Items that are in a lane already are of modules that were noted before. */
static void
bare(void *data, uint64_t *low, uint64_t *high)
{
	const struct sl_drain *d = data;
	bool valid = d->bare_count == __atomic_load_n(d->live_count, __ATOMIC_ACQUIRE);

	*low = valid ? d->bare_low : 0;
	*high = valid ? d->bare_high : 0;
}

/*
 * Names an address by its file: strings have no symbol, nor has anything in a file without symbols.
 * "libx.so+0x4040".
 */
static bool
name_by_file(struct sl_drain *d, uint64_t address)
{
	for (uint32_t i = 0; i < d->named_modules; i++)
		if (sl_module_format(&d->modules[i], address, d->name, sizeof(d->name)))
			return true;
	return false;
}

static bool
name_variable(void *data, uint64_t address, uint32_t size, struct sl_data *variable)
{
	struct sl_names *names = names_now(data);
	struct sl_drain *d = data;

	if (names && sl_names_data(names, address, size, variable))
		return true;
	*variable = (struct sl_data){.name = d->name};
	return sl_beginning_name(&d->reel->beginning, address, d->name, sizeof(d->name)) ||
	       name_by_file(d, address);
}

static bool
name_extent(void *data, uint64_t address, struct sl_extent *extent)
{
	struct sl_names *names = names_now(data);

	return names && sl_names_extent(names, address, extent);
}

static const char *
name_function(void *data, uint64_t address)
{
	struct sl_names *names = names_now(data);
	const char *name = names ? sl_names_function(names, address) : NULL;

	return name ? name : name_by_file(data, address) ? ((struct sl_drain *)data)->name : NULL;
}

static const char *
name_event(void *data, uint64_t number)
{
	struct sl_drain *d = data;

	if (sl_nameless(number))
		return sl_nameless(number);
	return number && number <= *d->event_count && d->events[number - 1][0] ? d->events[number - 1] : NULL;
}

static const char *
name_thread(void *data, uint32_t thread)
{
	struct sl_drain *d = data;
	uint32_t number = thread < d->thread_count ? d->thread_names[thread] : 0;

	return number && number <= SL_WORDS_MAX ? d->reel->names.words[number - 1] : NULL;
}

static void
thread_named(struct sl_drain *d, uint32_t thread, uint64_t number)
{
	if (thread >= d->thread_count) {
		uint32_t count = thread + 1 + thread / 2;

		d->thread_names = sl_must(realloc(d->thread_names, count * sizeof(*d->thread_names)));
		memset(d->thread_names + d->thread_count, 0, (count - d->thread_count) * sizeof(*d->thread_names));
		d->thread_count = count;
	}
	d->thread_names[thread] = (uint32_t)number;
	sl_tape_write_named(d->tape, thread);
}

/* ---- taking items out of the reel ---- */

static void
part_begins(struct sl_drain *d, uint64_t number)
{
	sl_tape_write_part(d->tape, number);
	if (d->thread_count)
		memset(d->thread_names, 0, d->thread_count * sizeof(*d->thread_names));
	d->thread = 0;
}

static void
take(struct sl_drain *d, const uint64_t *words)
{
	struct sl_item item;

	switch ((uint8_t)words[0]) {
	case SL_REEL_SWITCH:
		d->thread = (uint32_t)(words[0] >> 16);
		break;
	case SL_REEL_NAME:
		thread_named(d, d->thread, words[0] >> 8);
		break;
	case SL_REEL_PART:
		part_begins(d, words[0] >> 8);
		break;
	case SL_REEL_TICKET:
	case SL_REEL_PAD:
		break;
	default:
		sl_reel_read(words, &item);
		item.thread = d->thread;
		if (!d->failed && !sl_item_is_learnt(item.kind))
			d->failed = sl_tape_write(d->tape, &item) < 0; /* a failure does not stop the program */
		break;
	}
}

static bool
is_same_module(const struct sl_module *a, const struct sl_module *b)
{
	return a->base == b->base && a->low == b->low && a->high == b->high && !strcmp(a->path, b->path);
}

/*
 * Each execution may load other modules, at other addresses. So when an execution begins, the modules at the end
 * of the one before have to be known: otherwise their names would be taken for what is there now. Names that are
 * still right are kept, since making them takes longer than most executions.
 */
static void
look_again(struct sl_drain *d)
{
	uint32_t count = __atomic_load_n(&d->reel->module_count, __ATOMIC_ACQUIRE), same = 0;

	if (count > SL_REEL_MODULES)
		count = SL_REEL_MODULES;
	if (count == d->parts->live)
		return;
	while (same < count && same < d->parts->count &&
	       is_same_module(&d->parts->modules[same], &d->reel->modules[same]))
		same++;
	if (d->parts->live == NOTHING &&
	    (d->parts->last > same || !sl_beginning_is_same(&d->parts->beginning, &d->reel->beginning))) {
		sl_tape_write_forget(d->tape);
		d->parts->beginning = d->reel->beginning;
	}
	if (same < count && same < d->parts->count) {
		d->parts->count = same;
		sl_names_free(d->names);
		d->names = NULL;
	}
	for (uint32_t i = same; i < count; i++)
		d->parts->modules[i] = d->reel->modules[i];
	if (d->parts->count < count)
		d->parts->count = count;
	d->parts->live = d->parts->last = count;
	d->low = d->high = d->bare_low = d->bare_high = 0;
}

/* Takes words from the lane of a real thread. */
static uint64_t
take_lane(void *data, uint32_t thread, const uint64_t *words, uint64_t count, uint64_t limit)
{
	struct sl_drain *d = data;
	uint64_t at = 0;

	d->thread = thread;
	while (at < count) {
		at += sl_tape_write_words(d->tape, thread, words + at, count - at, limit);
		if (at == count || sl_merge_stops(words[at], limit))
			break;
		take(d, words + at);
		at += sl_reel_words(words + at);
	}
	return at;
}

static void
take_loop(void *data, uint32_t thread, const struct sl_reel_loop *loop, uint64_t first, uint64_t last)
{
	struct sl_drain *d = data;

	d->thread = thread;
	while (first < last) {
		uint64_t words[3];

		first += sl_tape_write_loop(d->tape, thread, loop, first, last - first);
		if (first == last)
			break;
		sl_reel_loop_item(loop, first++, words);
		take(d, words);
	}
}

/* Under control there is one lane, in the order of the execution. */
static bool
pump(struct sl_drain *d)
{
	struct sl_lane *lane = &d->reel->lanes[0];
	uint64_t *ring = (uint64_t *)((char *)d->reel + d->reel->rings), mask = d->reel->lane_words - 1;
	uint64_t head = __atomic_load_n(&lane->head, __ATOMIC_ACQUIRE), tail = lane->tail;
	bool any = tail != head;

	while (tail != head) {
		uint64_t end = head - tail > BATCH ? tail + BATCH : head;

		while (tail < end) {
			take(d, &ring[tail & mask]);
			tail += sl_reel_words(&ring[tail & mask]);
		}
		__atomic_store_n(&lane->tail, tail, __ATOMIC_SEQ_CST);
		if (__atomic_exchange_n(&lane->waiting, 0, __ATOMIC_SEQ_CST))
			syscall(SYS_futex, &lane->tail, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
	return any;
}

static uint64_t
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void *
work(void *data)
{
	struct sl_drain *d = data;
	struct timespec pause = {.tv_nsec = PAUSE_NS};

	for (;;) {
		bool ending = __atomic_load_n(&d->ending, __ATOMIC_ACQUIRE);

		if (d->merge ? sl_merge_round(d->merge, ending, take_lane, take_loop, d) > 0 : pump(d))
			continue;
		if (ending)
			return NULL;
		sl_drain_keep(d);
		__atomic_store_n(&d->reel->news, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &d->reel->news, FUTEX_WAIT, 1, &pause, NULL, 0);
	}
}

/* ---- what the header declares ---- */

static void
release(struct sl_drain *d)
{
	if (d->reel)
		munmap(d->reel, d->reel->size);
	if (d->fd >= 0)
		close(d->fd);
	sl_names_free(d->names);
	free(d->thread_names);
	free(d->merge);
	free(d->parts);
	free(d);
}

static int
reel_make(struct sl_drain *d, const struct sl_drain_options *o, struct sl_err *err)
{
	uint64_t rings = (sizeof(struct sl_reel) + 4095) & ~4095ul;
	uint64_t size = rings + (uint64_t)o->lanes * o->lane_words * sizeof(uint64_t);

	d->fd = memfd_create("sleave reel", MFD_CLOEXEC);
	if (d->fd < 0 || ftruncate(d->fd, (off_t)size) < 0)
		return sl_err_set(err, "cannot make shared memory: %s", strerror(errno));
	d->reel = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, d->fd, 0);
	if (d->reel == MAP_FAILED) {
		d->reel = NULL;
		return sl_err_set(err, "cannot map shared memory: %s", strerror(errno));
	}
	d->reel->lane_count = o->lanes;
	d->reel->lane_words = o->lane_words;
	d->reel->rings = rings;
	d->reel->size = size;
	__atomic_store_n(&d->reel->magic, SL_REEL_MAGIC, __ATOMIC_RELEASE);
	return 0;
}


struct sl_drain *
sl_drain_new(const struct sl_drain_options *o, struct sl_err *err)
{
	struct sl_drain *d = calloc(1, sizeof(*d));
	struct sl_tape_namer namer = {.data = d,
				      .place = name_place,
				      .site = name_site,
				      .covers = covers,
				      .bare = bare,
				      .variable = name_variable,
				      .extent = name_extent,
				      .function = name_function,
				      .event = name_event,
				      .thread = name_thread};

	if (!d)
		abort();
	d->fd = -1;
	if (reel_make(d, o, err) < 0) {
		release(d);
		return NULL;
	}
	d->modules = o->modules ? o->modules : d->reel->modules;
	d->module_count = d->live_count = o->modules ? o->module_count : &d->reel->module_count;
	d->given_events = o->event_count;
	d->events = o->events ? o->events : (const char(*)[SL_EVENT_NAME])d->reel->names.words;
	d->event_count = o->events ? &d->given_events : &d->reel->names.count;
	d->flushed = now();
	if (o->lanes > 1) {
		d->merge = sl_must(malloc(sizeof(*d->merge)));
		sl_merge_init(d->merge, d->reel);
	}
	d->tape = o->beside ? sl_tape_writer_beside(o->beside->tape, o->lane, &namer)
			    : sl_tape_writer_new(o->path, &o->head, &namer, err);
	if (!d->tape) {
		release(d);
		return NULL;
	}
	return d;
}

struct sl_reel *
sl_drain_reel(const struct sl_drain *d)
{
	return d->reel;
}

int
sl_drain_fd(const struct sl_drain *d)
{
	return d->fd;
}

int
sl_drain_start(struct sl_drain *d, struct sl_err *err)
{
	sigset_t all, before;
	int error;

	sigfillset(&all); /* signals are left to the threads that wait for them */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&d->worker, NULL, work, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return sl_err_set(err, "cannot start a thread: %s", strerror(error));
	d->started = true;
	return 0;
}

void
sl_drain_part(struct sl_drain *d, uint64_t number)
{
	if (!d->parts) {
		d->parts = sl_must(calloc(1, sizeof(*d->parts)));
		d->modules = d->parts->modules;
		d->module_count = &d->parts->count;
		d->live_count = &d->parts->live;
	}
	d->parts->live = NOTHING;
	part_begins(d, number);
}

uint64_t
sl_drain_take(struct sl_drain *d, uint32_t thread, const uint64_t *words, uint64_t count, uint64_t limit)
{
	look_again(d);
	return take_lane(d, thread, words, count, limit);
}

void
sl_drain_keep(struct sl_drain *d)
{
	if (now() - d->flushed <= FLUSH_NS)
		return;
	sl_tape_write_flush(d->tape);
	d->flushed = now();
}

static void
finish(struct sl_drain *d)
{
	__atomic_store_n(&d->ending, 1, __ATOMIC_RELEASE);
	if (d->started)
		pthread_join(d->worker, NULL);
}

int
sl_drain_end(struct sl_drain *d, struct sl_tape_end *how, struct sl_err *err)
{
	int result;

	finish(d);
	result = sl_tape_writer_free(d->tape, how, err);
	release(d);
	return result;
}

void
sl_drain_leave(struct sl_drain *d)
{
	finish(d);
	sl_tape_writer_leave(d->tape);
	release(d);
}
