#include <pthread.h>

int data_of_this;

void *run_this(void *m)
{
	pthread_mutex_lock(m);
	data_of_this++;
	pthread_mutex_unlock(m);
	return 0;
}
