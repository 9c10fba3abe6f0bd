/*
 * Makes a thread by an instruction of its own: Sleave could not control it.
 */
/* expect: raw system call clone */
#include <pthread.h>
#include <sys/syscall.h>

static void *
worker(void *arg)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"((long)SYS_clone), "D"(0l), "S"(0l) : "rcx", "r11", "memory");
	return result ? arg : NULL;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
