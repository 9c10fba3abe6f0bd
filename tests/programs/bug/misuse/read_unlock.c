/*
 * A reader-writer lock is unlocked by a thread that does not hold it: the branch that takes it is not always taken.
 */
/* expect: ^misuse: T1 work unlocks lock, which (no thread|main) holds at .*read_unlock.c: */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int wanted;
int seen;

static void *
work(void *unused)
{
	int mine = __atomic_load_n(&wanted, __ATOMIC_SEQ_CST);

	if (mine) {
		pthread_rwlock_rdlock(&lock);
		seen = mine;
	}
	pthread_rwlock_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	__atomic_store_n(&wanted, 1, __ATOMIC_SEQ_CST);
	pthread_rwlock_wrlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
