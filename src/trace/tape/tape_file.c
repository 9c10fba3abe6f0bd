#include "trace/tape/tape_file.h"

#include "trace/tape/bytes.h"
#include "trace/tape/tape.h"
#include "trace/tape/tape_format.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

struct sl_tape_file {
	int fd;
	char *path;
	pthread_mutex_t lock;
	uint64_t items, bytes;
	struct sl_err err;
	bool failed;
};

/* To be called with the lock. */
static void
fail(struct sl_tape_file *f)
{
	if (!f->failed)
		sl_err_set(&f->err, "cannot write %s: %s", f->path, strerror(errno));
	__atomic_store_n(&f->failed, true, __ATOMIC_RELEASE);
}

void
sl_tape_file_fail(struct sl_tape_file *f)
{
	pthread_mutex_lock(&f->lock);
	fail(f);
	pthread_mutex_unlock(&f->lock);
}

bool
sl_tape_file_has_failed(struct sl_tape_file *f)
{
	return __atomic_load_n(&f->failed, __ATOMIC_ACQUIRE);
}

static void
put(struct sl_tape_file *f, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size && !f->failed) {
		ssize_t n = write(f->fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			fail(f);
			return;
		}
		at += n;
		size -= (size_t)n;
		f->bytes += (uint64_t)n;
	}
}

void
sl_tape_file_put(struct sl_tape_file *f, const void *start, size_t start_size, const void *body, size_t body_size)
{
	pthread_mutex_lock(&f->lock);
	put(f, start, start_size);
	put(f, body, body_size);
	pthread_mutex_unlock(&f->lock);
}

/* The words of all kinds, and what was recorded (tape_format.h). */
static void
format_head(struct sl_bytes *b, const struct sl_tape_head *head)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < 256; i++)
		count += sl_kind_word((uint8_t)i) != NULL;
	sl_bytes_number(b, count);
	for (unsigned i = 0; i < 256; i++)
		if (sl_kind_word((uint8_t)i)) {
			sl_bytes_byte(b, (uint8_t)i);
			sl_bytes_text(b, sl_kind_word((uint8_t)i));
		}
	sl_bytes_text(b, head->mode);
	sl_bytes_text(b, head->strategy);
	sl_bytes_number(b, head->seed);
	sl_bytes_text(b, head->program);
	sl_bytes_text(b, head->cwd);
	sl_bytes_text(b, head->build_id);
	for (count = 0; head->argv && head->argv[count]; count++)
		;
	sl_bytes_number(b, count);
	for (uint64_t i = 0; i < count; i++)
		sl_bytes_text(b, head->argv[i]);
	sl_bytes_number(b, SL_TAPE_ITEMS);
	if (head->lanes > 1)
		sl_bytes_number(b, head->lanes);
}

static void
put_head(struct sl_tape_file *f, const struct sl_tape_head *head)
{
	struct sl_tape_start start = {.magic = SL_TAPE_MAGIC, .version = SL_TAPE_VERSION};
	struct sl_bytes b = {0};

	format_head(&b, head);
	start.size = (uint32_t)b.count;
	start.check = sl_tape_check(b.at, b.count);
	put(f, &start, sizeof(start));
	put(f, b.at, b.count);
	free(b.at);
}

struct sl_tape_file *
sl_tape_file_new(const char *path, const struct sl_tape_head *head, struct sl_err *err)
{
	struct sl_tape_file *f = sl_must(calloc(1, sizeof(*f)));

	/* the file is emptied only under the lock: two writers of one file would leave a mixture */
	f->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (f->fd >= 0 && flock(f->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		sl_err_set(err, "cannot write %s: another recording does, at this moment; -o names another file",
			   path);
		close(f->fd);
		free(f);
		return NULL;
	}
	if (f->fd < 0 || (ftruncate(f->fd, 0) < 0 && errno != EINVAL)) { /* EINVAL: a pipe or a device */
		sl_err_set(err, "cannot write %s: %s", path, strerror(errno));
		if (f->fd >= 0)
			close(f->fd);
		free(f);
		return NULL;
	}
	f->path = sl_must(strdup(path));
	pthread_mutex_init(&f->lock, NULL);
	put_head(f, head);
	return f;
}

void
sl_tape_file_count(struct sl_tape_file *f, uint64_t items)
{
	__atomic_add_fetch(&f->items, items, __ATOMIC_RELAXED);
}

int
sl_tape_file_free(struct sl_tape_file *f, uint64_t *items, uint64_t *bytes, struct sl_err *err)
{
	int result;

	if (close(f->fd) < 0)
		fail(f);
	result = f->failed ? sl_err_set(err, "%s", f->err.text) : 0;
	*items = f->items;
	*bytes = f->bytes;
	pthread_mutex_destroy(&f->lock);
	free(f->path);
	free(f);
	return result;
}
