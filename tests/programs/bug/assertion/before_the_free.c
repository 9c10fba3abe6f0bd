/* A bad value before its memory is freed needs two preemptions; after that, where it is a use after free, one would do. */
/* options: --memory=off */
/* expect: assertion failed: o->value == 42 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct object {
	int value;
};
static struct object *shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *uses(void *p)
{
	struct object *o;

	pthread_mutex_lock(&m);
	o = shared;
	pthread_mutex_unlock(&m);
	if (!o)
		return p;
	pthread_mutex_lock(&m);
	assert(o->value == 42);
	pthread_mutex_unlock(&m);
	return p;
}
static void *drops(void *p)
{
	struct object *o;

	pthread_mutex_lock(&m);
	o = shared;
	shared = NULL;
	o->value = 0;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	free(o);
	pthread_mutex_unlock(&m);
	return p;
}

int main(void)
{
	pthread_t t, u;

	shared = malloc(sizeof(*shared));
	shared->value = 42;
	pthread_create(&t, NULL, uses, NULL);
	pthread_create(&u, NULL, drops, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
