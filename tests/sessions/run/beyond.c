#include "head.h"
#include <stdlib.h>
static void *past(void *arg) { volatile int *p = malloc(sizeof(*p)); int n = p[1]; free((void *)p);
	pthread_mutex_lock(&lock); count += 1 + 0 * n; pthread_mutex_unlock(&lock); return arg; }
int main(void) { two(past); assert(count == 3); return 0; }
