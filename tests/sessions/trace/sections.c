#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t gate;
static int x;

static void *worker(void *unused)
{
	pthread_mutex_lock(&m);
	x = 2 * x;
	pthread_mutex_unlock(&m);
	return unused;
}

static void both(int good)
{
	pthread_t t;

	x = 1;
	pthread_create(&t, NULL, worker, NULL);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	assert(good || x == 4);
}

static void fine(void)
{
	SLEAVE_SCHEDULES("first", "a -> b", "second", "a -> b") {
		sleave_event("a");
		sleave_event("b");
		both(1);
	}
}

static void *waits(void *unused)
{
	sem_wait(&gate);
	return unused;
}

static void beside(void)
{
	pthread_t helper;

	sem_init(&gate, 0, 0);
	pthread_create(&helper, NULL, waits, NULL);
	SLEAVE_SCHEDULE("a -> b") {
		sleave_event("a");
		sleave_event("b");
		both(1);
	}
	sem_post(&gate);
	pthread_join(helper, NULL);
}

static void wrong(void)
{
	SLEAVE_SCHEDULE("a -> b") {
		sleave_event("a");
		sleave_event("b");
		both(0);
	}
}

static void explored(void *unused)
{
	(void)unused;
	both(1);
}

int main(void)
{
	struct sleave_options options = {.strategy = "dfs"};

	fine();
	sleave_explore(explored, NULL, &options);
	beside();
	wrong();
	return 0;
}
