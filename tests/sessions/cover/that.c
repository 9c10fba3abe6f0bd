#include <pthread.h>

int data_of_that;

void *run_that(void *m)
{
	pthread_mutex_lock(m);
	data_of_that++;
	pthread_mutex_unlock(m);
	return 0;
}
