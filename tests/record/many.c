/*
 * More threads, one after the other, than there are lanes.
 * counts: START 3001 END 3000 CREATE 3000 JOIN 3000 ATOMIC_UPDATE 3000
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *
run(void *unused)
{
	x++;
	return unused;
}

int
main(void)
{
	for (int i = 0; i < 3000; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, run, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
