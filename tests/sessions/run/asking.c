#include "head.h"
static void *read_write(void *arg) { int n; pthread_mutex_lock(&lock); n = count; pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock); count = n + 1; pthread_mutex_unlock(&lock); return arg; }
static int is_split;
__attribute__((constructor)) static void early(void) { is_split = getenv("SPLIT") && !getenv("NEVER"); }
int main(void) { const char *mode = getenv("MODE"); two(mode && is_split && !strcmp(mode, "a b") ? read_write : bump);
	assert(count == 2); return 0; }
