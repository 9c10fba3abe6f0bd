#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char *all;
static void *see(void *unused) { return all[5] ? unused : 0; }
int main(void)
{
	pthread_t t;
	all = malloc(12 << 20);
	memset(all, 1, 12 << 20);
	pthread_create(&t, 0, see, 0);
	pthread_join(t, 0);
	free(all);
	return 0;
}
