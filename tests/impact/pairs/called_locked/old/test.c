/* A function is called in locked regions alone, another one by it: what has changed in them runs in the regions. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level, fills, drains, outside;

static void
count_locked(int *what)
{
	level = 1;
	*what = 2;
}

static void
add_locked(int *what, int much)
{
	level += much;
	count_locked(what);
}

static void
fill(void)
{
	outside++;
	pthread_mutex_lock(&lock);
	fills++;
	add_locked(&fills, 1);
	pthread_mutex_unlock(&lock);
	outside--;
}

static void
drain(void)
{
	pthread_mutex_lock(&lock);
	drains++;
	pthread_mutex_unlock(&lock);
	outside++;
}

int
main(void)
{
	fill();
	drain();
	return level;
}
