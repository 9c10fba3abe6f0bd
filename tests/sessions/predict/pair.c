/* Two variables belong together, and each has a lock of its own. With SET and UNIT the program says so. */
#include <pthread.h>
#include <sleave.h>

static int head, tail;
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER, tail_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ends {
	int head, tail;
} *reached;

static __attribute__((noinline)) void
both(int number)
{
#ifdef UNIT
	sleave_unit_begin();
#endif
	pthread_mutex_lock(&head_lock);
	head = number;
	pthread_mutex_unlock(&head_lock);
	pthread_mutex_lock(&tail_lock);
	tail = number;
	pthread_mutex_unlock(&tail_lock);
#ifdef UNIT
	sleave_unit_end();
#endif
}

static void *
run(void *unused)
{
	both(1);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	(void)reached;
#ifdef SET
	sleave_atomic_set(&head, sizeof(head) + sizeof(tail));
#endif
	pthread_create(&thread, NULL, run, NULL);
	both(2);
	pthread_join(thread, NULL);
	return 0;
}
