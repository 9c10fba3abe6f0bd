/*
 * The program around liburcu, which is a library: two readers follow a pointer while a writer
 * publishes new blocks and frees the old ones after a grace period, and a lock-free queue and
 * stack pass from thread to thread. The use of a block that is freed too early is found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu.h>
#include <urcu/wfcqueue.h>
#include <urcu/wfstack.h>

struct block {
	int a, b;
};

struct item {
	struct cds_wfcq_node queued;
	struct cds_wfs_node stacked;
	int value;
};

static struct block *shared;
static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct cds_wfs_stack stack;

static struct block *
new_block(int value)
{
	struct block *b = malloc(sizeof(*b));

	b->a = b->b = value;
	return b;
}

static void *
reader(void *arg)
{
	rcu_register_thread();
	for (int i = 0; i < 2; i++) {
		struct block *b;

		rcu_read_lock();
		b = rcu_dereference(shared);
		assert(b->a == b->b);
		rcu_read_unlock();
	}
	rcu_unregister_thread();
	return arg;
}

static void *
writer(void *arg)
{
	rcu_register_thread();
	for (int i = 0; i < 2; i++) {
		struct block *old = rcu_xchg_pointer(&shared, new_block(i));

		synchronize_rcu();
		free(old);
	}
	rcu_unregister_thread();
	return arg;
}

static void *
sender(void *arg)
{
	struct item *item = malloc(sizeof(*item));

	item->value = 1;
	cds_wfcq_node_init(&item->queued);
	cds_wfs_node_init(&item->stacked);
	cds_wfcq_enqueue(&head, &tail, &item->queued);
	item = malloc(sizeof(*item));
	item->value = 2;
	cds_wfcq_node_init(&item->queued);
	cds_wfs_node_init(&item->stacked);
	cds_wfs_push(&stack, &item->stacked);
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t threads[3];
	int sum = 0;

	(void)argv;
	shared = new_block(-1);
	cds_wfcq_init(&head, &tail);
	cds_wfs_init(&stack);
	rcu_init();
	if (argc > 1) {
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, sender, NULL);
		while (sum < 6) {
			struct cds_wfcq_node *q = cds_wfcq_dequeue_blocking(&head, &tail);
			struct cds_wfs_node *s = cds_wfs_pop_blocking(&stack);

			if (q)
				sum += caa_container_of(q, struct item, queued)->value;
			if (s)
				sum += caa_container_of(s, struct item, stacked)->value;
		}
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		return 0;
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, i < 2 ? reader : writer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	free(shared);
	return 0;
}
