/* Boxes in one block of the heap, each member of which is written under the lock alone; and a function that reads two of them. */
#include <pthread.h>
#include <stdlib.h>

struct point {
	int x, y;
};
struct box {
	struct point at;
	int width, height, slots[2];
};
typedef struct {
	int unused;
} other_box;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct box *boxes;
static other_box unused;

static void
put(int *member, int value)
{
	pthread_mutex_lock(&lock);
	*member = value;
	pthread_mutex_unlock(&lock);
}

#define PUT(member, value) pthread_mutex_lock(&lock), (member) = (value), pthread_mutex_unlock(&lock)
#define GET(sum, member) pthread_mutex_lock(&lock), (sum) += (member), pthread_mutex_unlock(&lock)

void
write_box(struct box *box, int value)
{
	PUT(box->at.x, value);
	PUT(box->at.y, value);
	PUT(box->width, value);
	PUT(box->height, value);
	PUT(box->slots[value & 1], value);
}

int
read_box(struct box *box)
{
	int sum = 0;

	GET(sum, box->at.x);
	GET(sum, box->at.y);
	GET(sum, box->width);
	GET(sum, box->height);
	GET(sum, box->slots[sum & 1]);
	return sum;
}

static void *
run(void *result)
{
	*(int *)result = read_box(&boxes[1]);
	return result;
}

int
main(void)
{
	pthread_t thread;
	int result;

	boxes = calloc(2, sizeof(*boxes));
	write_box(&boxes[0], 1);
	pthread_create(&thread, NULL, run, &result);
	write_box(&boxes[1], 2);
	pthread_join(thread, NULL);
	put(&unused.unused, 1);
	free(boxes);
	return 0;
}
