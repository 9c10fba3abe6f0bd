/*
 * A crash inside libc, in a function that Sleave models: in a search libc's code crashes, in a trace the
 * engine does, which reads the bytes first. It is one finding, at the program's call, and replay shows it.
 */
/* expect: ^crash: segmentation fault .* in main at crash/in_memcmp.c:29 \(main\)$ */
/* flags: -fno-builtin */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static char text[] = "abc";
static atomic_uintptr_t buffer = 16;

static void *
set(void *arg)
{
	atomic_store(&buffer, (uintptr_t)text);
	return arg;
}

int
main(void)
{
	pthread_t t;
	int result;

	pthread_create(&t, NULL, set, NULL);
	result = memcmp((void *)atomic_load(&buffer), "abc", 4);
	pthread_join(t, NULL);
	return result;
}
