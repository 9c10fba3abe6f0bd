#include <pthread.h>
#include <stdio.h>
static void *nothing(void *unused) { return unused; }
int main(int argc, char **argv)
{
	pthread_t a;
	pthread_create(&a, 0, nothing, 0);
	pthread_join(a, 0);
	if (argc > 1 && *argv[1] == 'w') {
		pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		pthread_mutex_lock(&m);
		pthread_mutex_lock(&m);
	}
	return argc > 1 ? 4 : getchar() == 'x' && getchar() == '\n' && getchar() == EOF ? 0 : 9;
}
