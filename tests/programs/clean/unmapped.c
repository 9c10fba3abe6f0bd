/*
 * bug/crash/unmapped.c, repaired: unmapped when the other thread has ended. Nothing is to be found.
 */
#include <pthread.h>
#include <sys/mman.h>

static volatile char *page;

static void *
work(void *arg)
{
	page[100] = 1;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&thread, NULL, work, NULL);
	page[200] = 2;
	pthread_join(thread, NULL);
	munmap((void *)page, 4096);
	return 0;
}
