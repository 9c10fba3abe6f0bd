/* A store of goods: what is in it, and how often it was used. */
#include <pthread.h>

struct store {
	pthread_mutex_t lock;
	int level, uses;
};

extern struct store store;

void store_add(int much);
int store_level(void);
const char *store_name(void);
