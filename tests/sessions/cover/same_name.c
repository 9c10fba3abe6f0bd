#include <pthread.h>
extern pthread_mutex_t m;
static void take(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
void *NAME(void *unused) { take(); return unused; }
