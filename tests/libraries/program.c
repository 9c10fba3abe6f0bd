/* program LIBRARY [lock] [close]: loads it and calls it from two threads. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int (*add)(int);
static int locks;

static void *
worker(void *arg)
{
	int result;

	(void)arg;
	if (locks)
		pthread_mutex_lock(&mutex);
	result = add(1);
	if (locks)
		pthread_mutex_unlock(&mutex);
	return (void *)(long)(result != 6);
}

int
main(int argc, char **argv)
{
	pthread_t t[2];
	void *library = dlopen(argv[1], RTLD_NOW), *wrong;
	int *counter = library ? dlsym(library, "library_counter") : NULL;

	locks = argc > 2 && !strcmp(argv[2], "lock");
	add = library ? (int (*)(int))dlsym(library, "library_add") : NULL;
	if (!add || !counter || *counter) /* fresh in every execution */
		return 3;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], &wrong);
		if (wrong)
			return 4;
	}
	if (*counter != 2)
		return 5;
	return argc > 3 ? dlclose(library) : 0;
}
