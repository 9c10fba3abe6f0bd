#include <pthread.h>
static void *idle(void *unused)
{
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, idle, 0);
	return pthread_join(t, 0);
}
