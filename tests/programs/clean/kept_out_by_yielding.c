/* Two threads count and yield; a third must sleep while it holds a lock before it can end them. */
/* options: --stateful --schedules 20 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_long count;
static atomic_int done;

static void *yields(void *p)
{
	while (!atomic_load(&done)) {
		atomic_fetch_add(&count, 1);
		sched_yield();
	}
	return p;
}
static void *ends(void *p)
{
	pthread_mutex_lock(&m);
	usleep(1000);
	pthread_mutex_unlock(&m);
	atomic_store(&done, 1);
	return p;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, yields, NULL);
	pthread_create(&t[1], NULL, yields, NULL);
	pthread_create(&t[2], NULL, ends, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
