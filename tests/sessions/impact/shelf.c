#include "shelf.h"

struct shelf shelf = {PTHREAD_MUTEX_INITIALIZER, 0, 9, 0};
int warnings;

void
shelf_warn(void)
{
	__atomic_fetch_add(&warnings, 1, __ATOMIC_SEQ_CST);
}

void
shelf_put(int count)
{
	pthread_mutex_lock(&shelf.lock);
	shelf.boxes += count;
	if (shelf.boxes > shelf.most)
		shelf_warn();
	shelf.moves++;
	pthread_mutex_unlock(&shelf.lock);
}

int
shelf_boxes(void)
{
	int boxes;

	pthread_mutex_lock(&shelf.lock);
	boxes = shelf.boxes;
	pthread_mutex_unlock(&shelf.lock);
	return boxes;
}
