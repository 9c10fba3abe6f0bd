#define _GNU_SOURCE
#include <pthread.h>
#include <sleave.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *name)
{
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;
	char name[16], event[32];
	pthread_t one, two;

	for (int i = 0; i < count; i++) {
		snprintf(event, sizeof(event), "event_%d", i);
		sleave_event(event);
		if (i >= 1100)
			continue;
		snprintf(name, sizeof(name), "worker-%d", i);
		pthread_create(&one, NULL, worker, name);
		pthread_join(one, NULL);
	}
	pthread_create(&one, NULL, worker, "alpha");
	pthread_create(&two, NULL, worker, "beta");
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}
