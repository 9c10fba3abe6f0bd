#include "store.h"

struct store store = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

void
store_add(int much)
{
	pthread_mutex_lock(&store.lock);
	store.level += much;
	store.uses++;
	pthread_mutex_unlock(&store.lock);
}

int
store_level(void)
{
	int level;

	pthread_mutex_lock(&store.lock);
	level = store.level;
	pthread_mutex_unlock(&store.lock);
	return level;
}

const char *
store_name(void)
{
	return "store";
}
