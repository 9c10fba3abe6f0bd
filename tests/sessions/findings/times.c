#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int written, count;
static void *add(void *arg)
{
	int n;

	pthread_mutex_lock(&lock);
	n = count;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	count = n + 1;
	written++;
	pthread_mutex_unlock(&lock);
	return arg;
}
static void check(int good)
{
	assert(good);
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	int w;

	(void)argv;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	sleep(30);
	pthread_mutex_lock(&lock);
	w = written;
	pthread_mutex_unlock(&lock);
	if (argc > 1)
		check(w == 2);
	else
		assert(w == 2);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	check(count == 2);
	return 0;
}
