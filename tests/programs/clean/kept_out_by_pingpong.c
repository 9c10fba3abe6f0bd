/* Two threads keep each other busy and count; a third, which sleeps, ends that. */
/* options: --strategy icb --schedules 20 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int turn, stop;
long rounds[2];

static void *plays(void *p)
{
	int me = *(int *)p;

	while (!atomic_load(&stop))
		if (atomic_load(&turn) == me) {
			rounds[me]++;
			atomic_store(&turn, 1 - me);
		}
	return NULL;
}
static void *ends(void *p)
{
	usleep(100);
	atomic_store(&stop, 1);
	return p;
}

int main(void)
{
	pthread_t t[3];
	int who[] = {0, 1};

	pthread_create(&t[0], NULL, plays, &who[0]);
	pthread_create(&t[1], NULL, plays, &who[1]);
	pthread_create(&t[2], NULL, ends, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
