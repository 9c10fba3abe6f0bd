#include "head.h"
static void forget(void) { pthread_mutex_lock(&lock); }
static void *work(void *arg) { forget(); return arg; }
int main(void) { pthread_t t; pthread_create(&t, NULL, work, NULL); pthread_join(t, NULL); return 0; }
