#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
struct node { int value; struct node *next; };
static struct node *head, first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *publish_the_first_node_of_the_list(void *arg)
{
	usleep(1000);
	pthread_mutex_lock(&lock);
	head = &first;
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, publish_the_first_node_of_the_list, NULL);
	sleep(1);
	pthread_mutex_lock(&lock);
	*(struct node *volatile *)&head->next = &first;
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return 0;
}
