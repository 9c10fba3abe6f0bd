#include <pthread.h>
#include <sleave.h>
#include <stdio.h>

static void *go(void *arg)
{
	sleave_event("there");
	return arg;
}

int main(void)
{
	SLEAVE_SCHEDULE("there -> here") {
		pthread_t thread;

		pthread_create(&thread, NULL, go, NULL);
		sleave_event("here");
		pthread_join(thread, NULL);
	}
	puts("not into a file of Sleave's");
	fputs("nor this\n", stderr);
	return 0;
}
