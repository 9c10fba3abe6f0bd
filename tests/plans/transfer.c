/* Each of two threads has one lock and wants the other. The locks have no names, and what each does then is the next line. */
#include <pthread.h>
#include <stdlib.h>
struct account {
	pthread_mutex_t lock;
	long balance;
};
struct order {
	struct account *from, *to;
};
static void transfer(struct account *from, struct account *to)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	from->balance--;
	to->balance++;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}
static void *clerk(void *order)
{
	transfer(((struct order *)order)->from, ((struct order *)order)->to);
	return NULL;
}
int main(void)
{
	struct account *a = calloc(1, sizeof(*a)), *b = calloc(1, sizeof(*b));
	struct order there = {a, b}, back = {b, a};
	pthread_t one, two;
	pthread_create(&one, NULL, clerk, &there);
	pthread_create(&two, NULL, clerk, &back);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	free(a);
	free(b);
	return 0;
}
