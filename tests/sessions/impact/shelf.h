/* A shelf of boxes. */
#include <pthread.h>

struct shelf {
	pthread_mutex_t lock;
	int boxes, most, moves;
};

extern struct shelf shelf;
extern int warnings;

void shelf_put(int count);
int shelf_boxes(void);
void shelf_warn(void);
