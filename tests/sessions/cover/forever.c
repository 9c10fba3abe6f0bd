#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;
static int last, turns;
static void *work(void *number)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		turns += last != (int)(long)number;
		last = (int)(long)number;
		pthread_mutex_unlock(&m);
	}
	return 0;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	(void)argv;
	pthread_create(&a, 0, work, (void *)1);
	pthread_create(&b, 0, work, (void *)2);
	pthread_join(a, 0);
	pthread_join(b, 0);
	while (turns == 6 || argc > 1)
		x++;
	return 0;
}
