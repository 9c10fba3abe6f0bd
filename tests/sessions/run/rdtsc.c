#include "head.h"
#include <x86intrin.h>
static pthread_mutex_t locks[16];
static void *any(void *arg) { int i = __rdtsc() >> 5 & 15; pthread_mutex_lock(&locks[i]); pthread_mutex_unlock(&locks[i]);
	return arg; }
int main(void) { two(any); return 0; }
