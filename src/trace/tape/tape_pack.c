#include "trace/tape/tape_pack.h"

#include "trace/tape/tape_file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <zstd.h>

#define LEVEL 1 /* the prediction has done most of the work; higher levels are slower than the recorded programs */
#define LEVEL_LOW (-5) /* for items that could not be predicted: half the time, and half as much again in size */
#define WAITING 3 /* blocks at most */
#define FULL (1u << 19) /* bytes of a block that is worth a thread: more such blocks will follow */

struct job {
	struct sl_block_start start;
	struct sl_bytes definitions, items;
	bool hasty;
};

struct sl_packer {
	struct sl_tape_file *file;
	ZSTD_CCtx *zstd;
	struct sl_bytes body, stored;
	/* shared by the thread that makes blocks and the one that packs them: */
	pthread_t thread;
	bool started;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct job jobs[WAITING];
	uint64_t given, done; /* numbers of jobs */
	bool ending;
};

static void
pack(struct sl_packer *p, struct job *job)
{
	struct sl_block_start *start = &job->start;
	size_t bound, n;

	if (sl_tape_file_has_failed(p->file))
		return;
	p->body.count = p->stored.count = 0;
	sl_bytes_add(&p->body, job->definitions.at, job->definitions.count);
	sl_bytes_number(&p->body, SL_DEFINE_END);
	sl_bytes_add(&p->body, job->items.at, job->items.count);
	bound = ZSTD_compressBound(p->body.count);
	n = ZSTD_compressCCtx(p->zstd, sl_bytes_reserve(&p->stored, bound), bound, p->body.at, p->body.count,
			      job->hasty ? LEVEL_LOW : LEVEL);
	if (ZSTD_isError(n)) {
		errno = ENOMEM; /* there is enough room, and the parameters are right: only memory can be missing */
		sl_tape_file_fail(p->file);
		return;
	}
	start->stored = (uint32_t)n;
	start->raw = (uint32_t)p->body.count;
	start->check = sl_tape_check(p->stored.at, n);
	start->head_check = sl_tape_check(start, offsetof(struct sl_block_start, head_check));
	sl_tape_file_put(p->file, start, sizeof(*start), p->stored.at, n);
}

/* ---- the thread ---- */

static void *
work(void *data)
{
	struct sl_packer *p = data;

	pthread_mutex_lock(&p->mutex);
	for (;;) {
		while (p->done == p->given && !p->ending)
			pthread_cond_wait(&p->changed, &p->mutex);
		if (p->done == p->given)
			break;
		pthread_mutex_unlock(&p->mutex);
		pack(p, &p->jobs[p->done % WAITING]);
		pthread_mutex_lock(&p->mutex);
		p->done++;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

/* Without a thread the blocks are packed by the caller. */
static void
start_thread(struct sl_packer *p)
{
	sigset_t all, before;

	sigfillset(&all); /* signals are left to the threads that wait for them */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	p->started = pthread_create(&p->thread, NULL, work, p) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void
swap(struct sl_bytes *a, struct sl_bytes *b)
{
	struct sl_bytes c = *a;

	*a = *b;
	*b = c;
}

/* ---- what the header declares ---- */

struct sl_packer *
sl_packer_new(struct sl_tape_file *file)
{
	struct sl_packer *p = sl_must(calloc(1, sizeof(*p)));

	p->file = file;
	p->zstd = sl_must(ZSTD_createCCtx());
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->changed, NULL);
	return p;
}

void
sl_packer_block(struct sl_packer *p, const struct sl_block_start *start, struct sl_bytes *definitions,
		struct sl_bytes *items, bool hasty)
{
	struct job *job;

	if (!p->started && definitions->count + items->count >= FULL)
		start_thread(p);
	pthread_mutex_lock(&p->mutex);
	while (p->given - p->done == WAITING)
		pthread_cond_wait(&p->changed, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
	job = &p->jobs[p->given % WAITING];
	job->start = *start;
	job->hasty = hasty;
	swap(&job->definitions, definitions);
	swap(&job->items, items);
	definitions->count = items->count = 0;
	if (!p->started) {
		pack(p, job);
		return;
	}
	pthread_mutex_lock(&p->mutex);
	p->given++;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->mutex);
}

void
sl_packer_free(struct sl_packer *p)
{
	if (p->started) {
		pthread_mutex_lock(&p->mutex);
		p->ending = true;
		pthread_cond_broadcast(&p->changed);
		pthread_mutex_unlock(&p->mutex);
		pthread_join(p->thread, NULL);
	}
	for (unsigned i = 0; i < WAITING; i++) {
		free(p->jobs[i].definitions.at);
		free(p->jobs[i].items.at);
	}
	free(p->body.at);
	free(p->stored.at);
	ZSTD_freeCCtx(p->zstd);
	pthread_mutex_destroy(&p->mutex);
	pthread_cond_destroy(&p->changed);
	free(p);
}
