/*
 * POSIX asynchronous input and output. glibc uses threads of its own, which would not be under control. Here a
 * thread of the engine performs each request, and reads or writes like the program's threads. As in glibc,
 * requests for one descriptor are performed one after the other.
 */
#undef _FILE_OFFSET_BITS /* it would rename aio_read to aio_read64; both are defined here */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64), "one is the other");

/* lio_listio() accepts these; LIO_SYNC and LIO_DSYNC are internal names of glibc. */
enum what { READ, WRITE, SYNC_DATA = 3, SYNC = 4, NO_OPERATION };

/* The requests of one lio_listio(). */
struct group {
	uint32_t left;
	struct sigevent how;
};

struct request {
	struct aiocb *block;
	enum what what;
	bool done;
	struct sl_channel *channel; /* shows its end */
	struct request *before;     /* the previous request for the same descriptor */
	struct group *group;
	struct request *next;
};

static struct request *requests;
static uint32_t sequence;

static struct request *
find(const struct aiocb *block)
{
	for (struct request *r = sequence == E.sequence ? requests : NULL; r; r = r->next)
		if (r->block == block)
			return r;
	return NULL;
}

static bool
is_done(const void *request)
{
	return ((const struct request *)request)->done;
}

static void
notify(const struct sigevent *how, uint64_t pc)
{
	siginfo_t info = {.si_signo = how->sigev_signo, .si_code = SI_ASYNCIO};

	if (how->sigev_notify == SIGEV_THREAD) {
		sl_notify_by_thread(how->sigev_notify_function, how->sigev_value, pc);
	} else if (how->sigev_notify == SIGEV_SIGNAL && how->sigev_signo) {
		info.si_pid = sl_process_number();
		info.si_uid = (uid_t)sl_raw(SYS_getuid);
		info.si_value = how->sigev_value;
		sl_mark(sl_thread_word(&E.threads[0], SL_WORD_PROCESS));
		sl_signal_post_process(&info);
	}
}

static ssize_t
perform(const struct request *r, uint64_t pc)
{
	struct aiocb *b = r->block;
	const struct sl_description *d = sl_description_find(b->aio_fildes, pc);
	bool file = d && d->file;

	switch (r->what) {
	case READ:
		return file ? sl_at_pread(b->aio_fildes, (void *)b->aio_buf, b->aio_nbytes, b->aio_offset, pc)
			    : sl_read(b->aio_fildes, (void *)b->aio_buf, b->aio_nbytes, pc);
	case WRITE:
		return file && !(sl_raw(SYS_fcntl, b->aio_fildes, F_GETFL) & O_APPEND)
			       ? sl_at_pwrite(b->aio_fildes, (const void *)b->aio_buf, b->aio_nbytes,
					      b->aio_offset, pc)
			       : sl_write(b->aio_fildes, (const void *)b->aio_buf, b->aio_nbytes, pc);
	case SYNC_DATA:
		return sl_io_return(sl_raw(SYS_fdatasync, b->aio_fildes));
	case SYNC:
		return sl_io_return(sl_raw(SYS_fsync, b->aio_fildes));
	default:
		return sl_io_return(-EINVAL);
	}
}

static void *
request_main(void *argument)
{
	struct request *r = argument;
	struct sl_thread *t = E.current;
	uint64_t pc = t->born.pc;
	ssize_t result;

	sl_memcpy(t->called.name, "aio", 4);
	t->called.given = t->born.agent = t->ends.detached = true;
	t->signal.mask = UINT64_MAX;
	E.alive_count--; /* the thread does not keep the program from ending */
	if (r->before) {
		sl_announce(SL_IO_WAIT, r->before->channel->address, pc);
		sl_io_await_test(is_done, r->before, true);
		sl_note(0);
	}
	result = perform(r, pc);
	int error = result < 0 ? errno : 0;

	sl_announce(SL_IO_CONTROL, r->channel->address, pc);
	sl_point(); /* the request is always shared, by the thread that made it and this one */
	sl_note((uint64_t)(error ? -error : result));
	r->block->__return_value = result;
	r->block->__error_code = error;
	r->done = true;
	E.step.everything = true;
	sl_show(&r->channel->clocks[0]);
	sl_channels_changed();
	notify(&r->block->aio_sigevent, pc);
	if (r->group && --r->group->left == 0)
		notify(&r->group->how, pc);
	t->alive = false;
	sl_thread_enable(t, false);
	sl_switch_away();
	return NULL;
}

static int
submit(struct aiocb *b, enum what what, struct group *group, uint64_t pc)
{
	struct request *r;

	if (what != SYNC && what != SYNC_DATA && (b->aio_reqprio < 0 || b->aio_reqprio > 20)) {
		errno = b->__error_code = EINVAL;
		b->__return_value = -1;
		return -1;
	}
	if (sequence != E.sequence)
		requests = NULL;
	sequence = E.sequence;
	r = sl_scratch_alloc(sizeof(*r));
	*r = (struct request){.block = b, .what = what, .group = group, .next = requests};
	for (struct request *other = requests; other && !r->before; other = other->next)
		if (!other->done && other->block->aio_fildes == b->aio_fildes)
			r->before = other;
	r->channel = sl_channel_new(SL_CHANNEL_UNKNOWN);
	requests = r;
	b->__error_code = EINPROGRESS;
	b->__return_value = 0;
	sl_thread_make(request_main, r, pc);
	return 0;
}

SL_DEFINE(int, aio_read, (struct aiocb * b), (b))
{
	return submit(b, READ, NULL, pc);
}

SL_DEFINE(int, aio_write, (struct aiocb * b), (b))
{
	return submit(b, WRITE, NULL, pc);
}

SL_DEFINE(int, aio_fsync, (int operation, struct aiocb *b), (operation, b))
{
	if (operation != O_SYNC && operation != O_DSYNC)
		return (int)sl_io_return(-EINVAL);
	if (!sl_description_find(b->aio_fildes, pc))
		return (int)sl_io_return(-EBADF);
	return submit(b, operation == O_SYNC ? SYNC : SYNC_DATA, NULL, pc);
}

/* ---- status and waiting ---- */

SL_DEFINE_LOOKING(int, aio_error, (const struct aiocb *b), (b))
{
	struct request *r = find(b);

	if (!r)
		return b->__error_code;
	sl_announce(SL_IO_CONTROL, r->channel->address, pc);
	if (!r->done)
		sl_spin_visit(pc);
	sl_point();
	sl_note((uint64_t)b->__error_code);
	if (r->done)
		sl_learn(&r->channel->clocks[0]);
	return b->__error_code;
}

SL_DEFINE(ssize_t, aio_return, (struct aiocb * b), (b))
{
	struct request **at = &requests;

	(void)pc;
	while (sequence == E.sequence && *at && ((*at)->block != b || !(*at)->done))
		at = &(*at)->next;
	if (sequence == E.sequence && *at)
		*at = (*at)->next;
	return b->__return_value;
}

struct several {
	const struct aiocb *const *blocks;
	int count;
	bool all;
};

static bool
is_enough(const void *argument)
{
	const struct several *s = argument;
	bool any = false, all = true;

	for (int i = 0; i < s->count; i++) {
		const struct request *r = s->blocks[i] ? find(s->blocks[i]) : NULL;

		if (!s->blocks[i])
			continue;
		any |= !r || r->done;
		all &= !r || r->done;
	}
	return all || (any && !s->all);
}

static long
await(const struct aiocb *const blocks[], int count, bool all, uint64_t deadline, uint64_t pc)
{
	struct several s = {blocks, count, all};
	int result;

	sl_announce(SL_IO_WAIT, SL_CHANNEL_ADDRESS, pc);
	if (deadline != UINT64_MAX && !is_enough(&s))
		sl_spin_visit(pc);
	result = sl_io_await_test_until(is_enough, &s, true, deadline);
	sl_note((uint64_t)result);
	for (int i = 0; i < count; i++) {
		const struct request *r = blocks[i] ? find(blocks[i]) : NULL;

		if (r && r->done)
			sl_learn(&r->channel->clocks[0]);
	}
	return result > 0 ? 0 : result < 0 ? -EINTR : -EAGAIN;
}

SL_DEFINE_LOOKING(int, aio_suspend, (const struct aiocb *const blocks[], int count, const struct timespec *limit),
		  (blocks, count, limit))
{
	uint64_t deadline = UINT64_MAX;

	if (count < 0 || (limit && (limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000)))
		return (int)sl_io_return(-EINVAL);
	if (limit)
		deadline = E.time.now + (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec;
	return (int)sl_io_return(await(blocks, count, false, deadline, pc));
}

/* A running request can't be cancelled; cancelling another one is not modelled. */
SL_DEFINE(int, aio_cancel, (int fd, struct aiocb *b), (fd, b))
{
	if (!sl_description_find(fd, pc))
		return (int)sl_io_return(-EBADF);
	if (b && b->aio_fildes != fd)
		return (int)sl_io_return(-EINVAL);
	for (struct request *r = sequence == E.sequence ? requests : NULL; r; r = r->next)
		if (!r->done && r->block->aio_fildes == fd && (!b || r->block == b))
			sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "aio_cancel of a request that is under way");
	return AIO_ALLDONE;
}

static enum what
what_of(const struct aiocb *b)
{
	int code = b->aio_lio_opcode & 127;

	return code == LIO_NOP || code > SYNC ? NO_OPERATION : (enum what)code;
}

SL_DEFINE(int, lio_listio, (int mode, struct aiocb *const blocks[], int count, struct sigevent *how),
	  (mode, blocks, count, how))
{
	struct group *group = sl_scratch_alloc(sizeof(*group));
	bool good = true, any = false;
	int error = 0;
	long result;

	if ((mode != LIO_WAIT && mode != LIO_NOWAIT) || count < 0)
		return (int)sl_io_return(-EINVAL);
	if (mode == LIO_NOWAIT && how)
		group->how = *how;
	else
		group->how.sigev_notify = SIGEV_NONE;
	group->left = 1;
	for (int i = 0; i < count; i++) {
		if (!blocks[i] || blocks[i]->aio_lio_opcode == LIO_NOP)
			continue;
		group->left++;
		if (submit(blocks[i], what_of(blocks[i]), group, pc)) {
			group->left--;
			error = errno;
		} else {
			any = true;
		}
	}
	if (--group->left == 0 && mode == LIO_NOWAIT)
		notify(&group->how, pc);
	if (mode == LIO_NOWAIT || !any)
		return error ? (int)sl_io_return(-error) : 0;
	result = await((const struct aiocb *const *)blocks, count, true, UINT64_MAX, pc);
	for (int i = 0; i < count && !result; i++)
		good &= !blocks[i] || blocks[i]->aio_lio_opcode == LIO_NOP || !blocks[i]->__error_code;
	return (int)sl_io_return(result ? result : good ? 0 : -EIO);
}
