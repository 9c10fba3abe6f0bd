/*
 * Functions, members and regions of C: several ends, trylock, wrappers, calls by pointers.
 */
#include <pthread.h>
#include <stdlib.h>

struct item {
	struct item *next;
	int value;
	unsigned urgent : 1;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct item *first;
	long length;
	void (*notify)(struct queue *, int);
};

static struct queue jobs = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};
int closed;
static pthread_rwlock_t config = PTHREAD_RWLOCK_INITIALIZER;
static int limit = 3;

static void
count(struct queue *q, int by)
{
	q->length += by;
}

static void
ignore(struct queue *q, int by)
{
	(void)q;
	(void)by;
}

int
push(struct queue *q, int value)
{
	struct item *one = malloc(sizeof(*one));

	if (!one)
		return -1;
	one->value = value;
	one->urgent = value > 9;
	pthread_mutex_lock(&q->lock);
	if (closed) {
		pthread_mutex_unlock(&q->lock);
		free(one);
		return -1;
	}
	one->next = q->first;
	q->first = one;
	q->notify(q, 1);
	pthread_cond_signal(&q->more);
	pthread_mutex_unlock(&q->lock);
	return 0;
}

static int
try_pop(struct queue *q)
{
	int value = -1;

	if (pthread_mutex_trylock(&q->lock) != 0)
		return -2;
	while (!q->first && !closed)
		pthread_cond_wait(&q->more, &q->lock);
	if (q->first) {
		value = q->first->value;
		q->first = q->first->next;
	}
	pthread_mutex_unlock(&q->lock);
	return value;
}

static void
enter(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
}

static void
leave(struct queue *q)
{
	pthread_mutex_unlock(&q->lock);
}

int
limited(int n)
{
	int all = 0;

	pthread_rwlock_rdlock(&config);
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&jobs.lock);
		all += limit;
		if (all > 100)
			goto out;
		pthread_mutex_unlock(&jobs.lock);
	}
	pthread_rwlock_unlock(&config);
	return all;
out:
	pthread_mutex_unlock(&jobs.lock);
	pthread_rwlock_unlock(&config);
	return -1;
}

static void *
work(void *argument)
{
	struct queue *q = argument;

	enter(q);
	__atomic_store_n(&closed, 1, __ATOMIC_RELEASE);
	leave(q);
	return NULL;
}

int
main(void)
{
	pthread_t thread;

	jobs.notify = limit > 2 ? count : ignore;
	push(&jobs, 1);
	pthread_create(&thread, NULL, work, &jobs);
	pthread_join(thread, NULL);
	return try_pop(&jobs) + limited(2);
}
