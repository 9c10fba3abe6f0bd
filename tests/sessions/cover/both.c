#include <pthread.h>
static volatile struct {
	int one, two;
} both __attribute__((aligned(8)));
static void *writes(void *unused)
{
	both.one = 1; /* 7 */
	both.two = 1;
	both.one = 2;
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, writes, 0);
	pthread_join(t, 0);
	return both.one + both.two > 10; /* 17 */
}
