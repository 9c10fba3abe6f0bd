/* The running example of RECONTEST, section III, in C: the old version. The numbers are those of the paper's events. */
#include <pthread.h>
#include <stdlib.h>

struct box {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int x, y, z, u, w;
};

struct work {
	struct box *box;
	pthread_mutex_t *guard;
	int level;
};

static pthread_mutex_t *
guard_of_writers(void)
{
	return calloc(1, sizeof(pthread_mutex_t));
}

static pthread_mutex_t *
guard_of_readers(void)
{
	return calloc(1, sizeof(pthread_mutex_t));
}

void
store(struct box *b)
{
	pthread_mutex_lock(&b->lock);
	b->x = 1; /* 2 */
	b->y = 1; /* 3 */
	pthread_mutex_unlock(&b->lock);
}

void
begin(struct box *b)
{
	pthread_mutex_lock(&b->lock);
	b->z = 1; /* 1 */
	pthread_mutex_unlock(&b->lock);
}

void
announce(struct box *b, int level)
{
	if (level > 1)
		pthread_cond_signal(&b->changed);
	b->u = 1; /* 5 */
	b->w = 2; /* 6 */
}

void
change(struct box *b, pthread_mutex_t *guard, int level)
{
	pthread_mutex_lock(guard);
	b->w = 1; /* 7 */
	pthread_mutex_unlock(guard);
	if (level > 1)
		b->w = 3; /* 8 */
}

int
look(struct box *b)
{
	int x, y;

	pthread_mutex_lock(&b->lock);
	x = b->x; /* 9 */
	y = b->y; /* 10 */
	pthread_mutex_unlock(&b->lock);
	return x - y;
}

static void *
first(void *data)
{
	store(data);
	return NULL;
}

static void *
second(void *data)
{
	struct work *w = data;
	struct box *b = w->box;

	begin(b);
	change(b, w->guard, w->level);
	return look(b) ? data : NULL;
}

static void *
third(void *data)
{
	announce(data, 1);
	return NULL;
}

int
main(void)
{
	struct box *b = calloc(1, sizeof(*b));
	pthread_mutex_t *guard = guard_of_writers();
	int level = 1;
	struct work w = {b, guard, level};
	pthread_t t[3];

	pthread_mutex_init(&b->lock, NULL);
	pthread_mutex_init(guard, NULL);
	pthread_cond_init(&b->changed, NULL);
	pthread_create(&t[0], NULL, first, b);
	pthread_create(&t[1], NULL, second, &w);
	pthread_create(&t[2], NULL, third, b);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return b->z + b->u + b->x + b->y < 0;
}
