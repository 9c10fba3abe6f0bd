/* Two threads put boxes on the shelf. */
#include "shelf.h"

static void *
put(void *arg)
{
	shelf_put(2);
	return arg;
}

int
main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, put, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return shelf_boxes() == 4 ? 0 : 1;
}
