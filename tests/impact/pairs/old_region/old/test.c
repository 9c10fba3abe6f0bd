/* A lock is released earlier, so a line comes out of its region: it counts as moved. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level, uses, limit;

static void
fill(int much)
{
	limit = much;
	pthread_mutex_lock(&lock);
	uses++;
	level += much;
	pthread_mutex_unlock(&lock);
}

int
main(void)
{
	fill(2);
	return 0;
}
