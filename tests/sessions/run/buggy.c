#include "head.h"
static void *read_write(void *arg) { int n; pthread_mutex_lock(&lock); n = count; pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock); count = n + 1; pthread_mutex_unlock(&lock); return arg; }
int main(void) { two(read_write); printf("count %d\n", count); fflush(stdout); assert(count == 2); return 0; }
