/*
 * Mechanics do all jobs, each of them once.
 */
#include "garage.h"

#include <assert.h>
#include <stdint.h>

static struct garage garage;
static struct store store;
static struct bays bays;

static void *
mechanic(void *number)
{
	int mine = (int)(intptr_t)number, job;

	while ((job = garage_take(&garage, mine)) >= 0) {
		int part = garage_part(&garage, job), bay = bays_enter(&bays, mine);

		assert(bay >= 0 && bays_free(&bays) < BAYS);
		store_take(&store, part);
		if (store_stock(&store, part) < 2)
			store_order(&store);
		assert(store_used(&store) > 0 && store_worth(&store) > 0);
		assert(garage_running(&garage) <= MECHANICS && garage_oldest(&garage) >= 0);
		garage_finish(&garage, job);
		bays_leave(&bays, bay);
	}
	return NULL;
}

static void *
manager(void *arg)
{
	for (int i = 0; i < 40; i++) {
		assert(garage_waiting(&garage) <= JOBS && garage_done(&garage) <= JOBS);
		assert(garage_next(&garage) < JOBS && garage_hours(&garage, i % MECHANICS) >= 0);
		assert(store_rarest(&store) < PARTS && store_spent(&store) >= 0);
		if (i % 8 == 0)
			store_order(&store);
	}
	return arg;
}

int
main(void)
{
	pthread_t mechanics[MECHANICS], boss;

	garage_init(&garage);
	store_init(&store, 3, 1);
	bays_init(&bays);
	for (int i = 0; i < JOBS; i++)
		assert(garage_add(&garage, i % PARTS, 1 + i % 3, i % 5 == 0) == i);
	for (intptr_t i = 0; i < MECHANICS; i++)
		pthread_create(&mechanics[i], NULL, mechanic, (void *)i);
	pthread_create(&boss, NULL, manager, NULL);
	for (int i = 0; i < MECHANICS; i++)
		pthread_join(mechanics[i], NULL);
	pthread_join(boss, NULL);
	assert(garage_done(&garage) == JOBS && bays_uses(&bays) == JOBS && bays_free(&bays) == BAYS);
	for (int i = 0; i < JOBS; i++)
		assert(garage_starts(&garage, i) == 1 && garage_is_urgent(&garage, i) == (i % 5 == 0));
	return 0;
}
