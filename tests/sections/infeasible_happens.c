/* SLEAVE_INFEASIBLE for an order that can happen is a failure. */
/* aborts */
/* says: schedule "lost update" happened, although it is declared infeasible */
#include <pthread.h>
#include <sleave.h>

static void *
add(void *unused)
{
	sleave_event("read");
	sleave_event("writes");
	return unused;
}

int
main(void)
{
	SLEAVE_INFEASIBLE("lost update", "read#2 -> writes#1") {
		pthread_t threads[2];

		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, add, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	}
	return 0;
}
