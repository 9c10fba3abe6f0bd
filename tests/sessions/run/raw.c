#include "head.h"
#include <sys/syscall.h>
#include <unistd.h>
static void *barrier(void *arg) { syscall(SYS_membarrier, 0, 0, 0); pthread_mutex_lock(&lock); count++; pthread_mutex_unlock(&lock);
	return arg; }
int main(void) { two(barrier); return 0; }
