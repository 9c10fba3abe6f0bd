/*
 * Memory is unmapped while the other thread is about to write to it: SIGSEGV.
 */
/* options: --races=off */
/* expect: crash */
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
	page[100] = 2; /* makes it known as shared */
	munmap((void *)page, 4096);
	pthread_join(thread, NULL);
	return 0;
}
