/*
 * The append race of a string buffer whose methods are all synchronised (known from Java's; Flanagan and
 * Qadeer, PLDI 2003): appending another buffer reads its length and then its characters, each under its lock;
 * if another thread shortens it in between, the length is wrong. There is no data race.
 *
 * usage: stringbuffer [repaired]   (repaired: the other buffer stays locked from the length to the characters)
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { ROOM = 64 };

struct buffer {
	pthread_mutex_t lock; /* recursive */
	size_t length;
	char text[ROOM];
};

static struct buffer left, right;
static bool repaired;

static size_t
buffer_length(struct buffer *b)
{
	pthread_mutex_lock(&b->lock);
	size_t length = b->length;

	pthread_mutex_unlock(&b->lock);
	return length;
}

static void
buffer_copy(struct buffer *b, size_t length, char *to)
{
	pthread_mutex_lock(&b->lock);
	assert(length <= b->length); /* Java throws here */
	for (size_t i = 0; i < length; i++)
		to[i] = b->text[i];
	pthread_mutex_unlock(&b->lock);
}

static void
buffer_erase(struct buffer *b)
{
	pthread_mutex_lock(&b->lock);
	b->length = 0;
	pthread_mutex_unlock(&b->lock);
}

static void
buffer_append(struct buffer *to, struct buffer *from)
{
	pthread_mutex_lock(&to->lock);
	if (repaired)
		pthread_mutex_lock(&from->lock);
	size_t more = buffer_length(from);

	buffer_copy(from, more, to->text + to->length);
	if (repaired)
		pthread_mutex_unlock(&from->lock);
	to->length += more;
	pthread_mutex_unlock(&to->lock);
}

static void *
eraser(void *unused)
{
	buffer_erase(&right);
	return unused;
}

static void
buffer_init(struct buffer *b, const char *text)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&b->lock, &kind);
	for (; text[b->length]; b->length++)
		b->text[b->length] = text[b->length];
}

int
main(int argc, char **argv)
{
	pthread_t other;

	(void)argv;
	repaired = argc > 1;
	buffer_init(&left, "abc");
	buffer_init(&right, "def");
	pthread_create(&other, NULL, eraser, NULL);
	buffer_append(&left, &right);
	pthread_join(other, NULL);
	return 0;
}
