#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sink;
static int ready[2];

__attribute__((noinline)) static void inner(void)
{
	sink++;
	pthread_exit(NULL);
}

__attribute__((noinline)) static void middle(void)
{
	inner();
	sink++;
}

static void *exits(void *unused)
{
	middle();
	sink++;
	return unused;
}

__attribute__((noinline)) static void cleans(void *unused)
{
	(void)unused;
	sink++;
}

__attribute__((noinline)) static void stays(void)
{
	char c = 0;

	(void)!write(ready[1], &c, 1);
	for (;;)
		pause();
}

static void *cancelled(void *unused)
{
	pthread_cleanup_push(cleans, NULL);
	stays();
	pthread_cleanup_pop(0);
	sink++;
	return unused;
}

__attribute__((noinline)) static void quits(void)
{
	sink++;
	exit(0);
}

int main(void)
{
	pthread_t t;
	char c;

	if (pipe(ready))
		return 1;
	pthread_create(&t, NULL, exits, NULL);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, cancelled, NULL);
	(void)!read(ready[0], &c, 1);
	pthread_cancel(t);
	pthread_join(t, NULL);
	quits();
	sink++;
	return 0;
}
