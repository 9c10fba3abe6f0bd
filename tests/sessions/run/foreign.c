#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *ab(void *p) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a); return p; }
static void *ba(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b); return p; }
int main(int argc, char **argv)
{
	pthread_t t, u;
	(void)argv;
	if (getenv("LD_PRELOAD") || getenv("LD_BIND_NOW") || getenv("SLEAVE_ARENA"))
		return 9;
	pthread_create(&t, NULL, ab, NULL);
	pthread_create(&u, NULL, argc > 1 ? ab : ba, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
