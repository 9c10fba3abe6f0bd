/*
 * Two threads write to memory that mmap() made. It lies between the libraries and the first stack, and is no local
 * variable.
 */
/* expect: ^data race on \*shared \(memory at 0x */
#include <pthread.h>
#include <sys/mman.h>

static int *shared;

static void *
add(void *arg)
{
	++*shared;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
