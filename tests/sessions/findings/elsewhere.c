#include <pthread.h>
#include <stdio.h>
static void *nothing(void *arg) { return arg; }
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	printf("not ok 1\n");
	return 1;
}
