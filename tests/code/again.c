/* A call that makes several accesses (a copy: it reads, then writes) occurs once; in a loop, once each time. */
#include <pthread.h>
#include <string.h>
static char a[64], b[64] = "hello";
static int n = 3, sum;
static void *one(void *p)
{
	for (int i = 0, m = n; i < m; i++)
		memcpy(a, b, sizeof(a));
	sum += strcmp(a, b);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, one, NULL);
	pthread_join(t, NULL);
	return 0;
}
