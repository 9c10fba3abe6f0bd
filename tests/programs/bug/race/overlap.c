/*
 * Four bytes written, one of them read: accesses of different sizes overlap in one byte.
 */
/* expect: data race on both */
#include <pthread.h>

union {
	unsigned word;
	unsigned char bytes[4];
} both;

static void *
set(void *arg)
{
	both.word = 0x01020304;
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int seen;

	pthread_create(&thread, NULL, set, NULL);
	seen = both.bytes[3];
	pthread_join(thread, NULL);
	return seen == 77;
}
