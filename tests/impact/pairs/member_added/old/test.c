/* A struct gets a member: what uses the others does what it did before. */
#include <pthread.h>

struct box {
	int level;
	pthread_mutex_t lock;
};

static struct box boxes[2] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};
static struct box spare;

static void
fill(struct box *box, int much)
{
	pthread_mutex_lock(&box->lock);
	box->level += much;
	pthread_mutex_unlock(&box->lock);
}

static int
sum(void)
{
	int sum = 0;

	for (struct box *box = boxes; box < boxes + 2; box++)
		sum += box->level;
	return sum;
}

static void
save(struct box *from)
{
	spare = *from;
}

int
main(void)
{
	fill(&boxes[1], 2);
	save(boxes);
	return sum();
}
