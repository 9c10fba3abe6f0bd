/* The same line, and a function that is inlined, three times in a row with nothing in between. */
#include <pthread.h>
static volatile int x, rounds = 3;
static inline __attribute__((always_inline)) void bump(void)
{
	x = 1;
}
static void *run(void *p)
{
	for (int i = 0, n = rounds; i < n; i++)
		bump();
	return p;
}
static void *other(void *p)
{
	x = 2;
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
