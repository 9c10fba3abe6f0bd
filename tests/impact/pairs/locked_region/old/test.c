/* A line of a locked region changes: all of the region is impacted, and what is accessed in it. */
#include <pthread.h>

struct box {
	pthread_mutex_t lock;
	int level, uses, limit;
};

static struct box box = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 9};

static void
fill(int much)
{
	much *= 2;
	pthread_mutex_lock(&box.lock);
	box.uses++;
	box.level += much;
	pthread_mutex_unlock(&box.lock);
	box.limit = much;
}

int
main(void)
{
	fill(2);
	return 0;
}
