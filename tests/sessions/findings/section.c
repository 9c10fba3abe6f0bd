#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "sleave.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *add(void *arg)
{
	int n;

	pthread_mutex_lock(&lock);
	n = count;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	count = n + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}
static void body(void *unused)
{
	pthread_t t[2];

	(void)unused;
	count = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (count != 2) {
		printf("an addition was lost: %d\n", count);
		exit(3);
	}
}
int main(void)
{
	return sleave_explore(body, NULL, NULL) != SLEAVE_CLEAN;
}
