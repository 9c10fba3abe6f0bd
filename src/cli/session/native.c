#include "cli/session/native.h"

#include "base/room.h"
#include "trace/lane/merge.h"
#include "trace/tape/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The time between two checks: a fiftieth of the elapsed time, so that the end is noticed soon and a sleeping program costs nothing. */
#define PAUSE_LEAST 200000u
#define PAUSE_MOST 20000000u

extern char **environ;

const char *const sl_native_noises[] = {"rnd-y", "rnd-s10", "rnd-s100", NULL};

bool
sl_native_noise(const char *strategy, double probability, uint64_t seed, char *to, size_t room)
{
	static const char *const kinds[] = {"y", "10", "100"};

	for (size_t i = 0; sl_native_noises[i]; i++)
		if (!strcmp(strategy, sl_native_noises[i]) && probability >= 0 && probability <= 1) {
			/* its length is constant, because it lies on the program's stack */
			snprintf(to, room, "%s:%04u:%020llu", kinds[i], (unsigned)(probability * 1000 + 0.5),
				 (unsigned long long)seed);
			return true;
		}
	return false;
}

/* ---- starting ---- */

/*
 * Returns the environment with a few variables added in front. The array belongs to the caller, the new texts are
 * in `texts`.
 */
static char **
environment(const struct sl_native_program *p, char *texts, size_t room, int reel)
{
	size_t count = 0, used = 0, at = 0;
	char **all;

	while (environ[count])
		count++;
	all = sl_must(malloc((count + 5) * sizeof(*all)));
#define ADD(...)                                                                                                  \
	do {                                                                                                      \
		all[at++] = texts + used;                                                                         \
		used += (size_t)snprintf(texts + used, room - used, __VA_ARGS__) + 1;                             \
	} while (0)
	/* the program ends with this process; the length is constant, as above */
	ADD("SLEAVE_REEL=%d:%07d", reel, (int)getpid());
	if (p->noise)
		ADD("SLEAVE_NOISE=%s", p->noise);
	if (p->library) {
		const char *others = getenv("LD_PRELOAD");

		ADD("LD_PRELOAD=%s/libsleave.so%s%s", p->library, others ? ":" : "", others ? others : "");
		ADD("SLEAVE_PRELOADED=1");
	}
#undef ADD
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], "SLEAVE_REEL=", 12) != 0 &&
		    strncmp(environ[i], "SLEAVE_NOISE=", 13) != 0 &&
		    (!p->library || strncmp(environ[i], "LD_PRELOAD=", 11) != 0))
			all[at++] = environ[i];
	all[at] = NULL;
	return all;
}

int
sl_native_start(const struct sl_native_program *p, int reel, pid_t *pid, struct sl_err *err)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char texts[PATH_MAX + 512], input[64] = "/dev/null";
	char **all = environment(p, texts, sizeof(texts), reel);
	int old = personality(0xffffffff), error;

	if (p->input >= 0) /* opened anew, so that it is read from the beginning */
		snprintf(input, sizeof(input), "/proc/%d/fd/%d", getpid(), p->input);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, reel, reel); /* clears close-on-exec */
	if (p->silent) {
		posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
		posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
		posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	}
	if (old >= 0)
		personality((unsigned long)old | ADDR_NO_RANDOMIZE);
	error = posix_spawn(pid, p->path, &actions, &attributes, p->argv, all);
	if (old >= 0)
		personality((unsigned long)old);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(all);
	return error ? sl_err_set(err, "cannot start %s: %s", p->path, strerror(error)) : 0;
}

/* ---- one execution after another ---- */

struct sl_native {
	struct sl_drain *drain; /* NULL: this struct owns the members below */
	struct sl_reel *reel;
	uint64_t size;
	int fd;
	struct sl_merge merge;
	/* of the running execution */
	void (*each)(void *, const struct sl_item *);
	void *data;
	uint64_t items;
};

struct sl_native *
sl_native_new(struct sl_drain *drain, struct sl_err *err)
{
	struct sl_native *n = calloc(1, sizeof(*n));
	uint64_t rings = (sizeof(struct sl_reel) + 4095) & ~4095ul;

	if (!n)
		abort();
	if (drain) {
		n->drain = drain;
		n->reel = sl_drain_reel(drain);
		n->fd = sl_drain_fd(drain);
		return n;
	}
	n->size = rings + (uint64_t)SL_REEL_LANES * SL_NATIVE_LANE_WORDS * sizeof(uint64_t);
	n->fd = memfd_create("sleave reel", MFD_CLOEXEC);
	n->reel = n->fd < 0 || ftruncate(n->fd, (off_t)n->size) < 0
			  ? MAP_FAILED
			  : mmap(NULL, n->size, PROT_READ | PROT_WRITE, MAP_SHARED, n->fd, 0);
	if (n->reel == MAP_FAILED) {
		sl_err_set(err, "cannot make shared memory: %s", strerror(errno));
		if (n->fd >= 0)
			close(n->fd);
		free(n);
		return NULL;
	}
	n->reel->rings = rings;
	n->reel->size = n->size;
	n->reel->lane_count = SL_REEL_LANES;
	n->reel->lane_words = SL_NATIVE_LANE_WORDS;
	n->reel->magic = SL_REEL_MAGIC;
	return n;
}

void
sl_native_free(struct sl_native *n)
{
	if (!n)
		return;
	if (!n->drain) {
		munmap(n->reel, n->size);
		close(n->fd);
	}
	free(n);
}

/* Resets everything from the execution before. */
static void
reset(struct sl_native *n)
{
	struct sl_reel *r = n->reel;

	for (uint32_t i = 0; i < r->lane_used && i < SL_REEL_LANES; i++)
		r->lanes[i] = (struct sl_lane){0};
	r->lane_used = 0;
	r->tickets = 0;
	r->news = r->thread_count = r->module_count = r->complete = 0;
	if (r->names.count && !n->drain) /* names keep their numbers within a block of a trace */
		memset(&r->names, 0, offsetof(struct sl_wordlist, words));
	r->forked = r->replaced = r->unrecorded = r->noises = r->explored = r->instrumented = 0;
	sl_merge_init(&n->merge, r);
}

static uint64_t
take(void *data, uint32_t thread, const uint64_t *words, uint64_t count, uint64_t limit)
{
	struct sl_native *n = data;
	uint64_t i = 0;

	if (n->drain)
		sl_drain_take(n->drain, thread, words, count, limit);
	while (i < count) {
		uint8_t kind = (uint8_t)words[i];

		if (sl_merge_stops(words[i], limit))
			break;
		if (kind < SL_REEL_SWITCH) {
			struct sl_item item;

			sl_reel_read(words + i, &item);
			item.thread = thread;
			n->each(n->data, &item);
			n->items++;
		}
		i += sl_reel_words(words + i);
	}
	return i;
}

static uint64_t
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static long
between(uint64_t value, uint64_t least, uint64_t most)
{
	return (long)(value < least ? least : value > most ? most : value);
}

int
sl_native_run(struct sl_native *n, const struct sl_native_program *program, uint64_t limit,
	      void (*each)(void *data, const struct sl_item *item), void *data, struct sl_native_end *end,
	      struct sl_err *err)
{
	uint64_t start = now(), last = start, spent;
	bool dead = false;
	pid_t pid;

	*end = (struct sl_native_end){.reel = n->reel};
	reset(n);
	n->each = each;
	n->data = data;
	n->items = 0;
	if (n->drain)
		sl_drain_part(n->drain, program->number);
	if (sl_native_start(program, n->fd, &pid, err) < 0)
		return -1;
	for (;;) {
		if (!dead)
			dead = waitpid(pid, &end->status, WNOHANG) == pid;
		uint64_t before = n->items, words = sl_merge_round(&n->merge, dead, take, NULL, n);

		if (words || n->items != before)
			last = now(); /* the watchdog ends only programs without progress */
		if (words)
			continue;
		if (dead)
			break;
		spent = now() - start;
		if (limit && !end->too_long && start + spent - last > limit) {
			end->too_long = true;
			kill(pid, SIGKILL);
		}
		if (program->until && !end->cut && start + spent >= program->until) {
			end->cut = true;
			kill(pid, SIGKILL);
		}
		if (n->drain)
			sl_drain_keep(n->drain);
		struct timespec pause = {.tv_nsec = between(spent / 50, PAUSE_LEAST, PAUSE_MOST)};
		__atomic_store_n(&n->reel->news, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &n->reel->news, FUTEX_WAIT, 1, &pause, NULL, 0);
	}
	end->items = n->items;
	return 0;
}
