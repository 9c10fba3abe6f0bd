/* As called_locked, but the function that has changed is called without the lock, too. */
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
	level += much + 1;
	count_locked(what);
}

static void
fill(void)
{
	add_locked(&outside, 3);
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
	add_locked(&drains, 2);
	pthread_mutex_unlock(&lock);
	add_locked(&outside, 3);
}

int
main(void)
{
	fill();
	drain();
	return level;
}
