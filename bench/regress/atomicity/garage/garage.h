#ifndef GARAGE_H
#define GARAGE_H

#include <pthread.h>

#define JOBS 24
#define BAYS 3
#define PARTS 16
#define MECHANICS 3

enum state { JOB_WAITS, JOB_RUNS, JOB_DONE };

struct job {
	int number, part, hours, urgent;
	enum state state;
	int mechanic, starts;
};

/* Jobs, and the mechanics who do them. Each function is atomic. */
struct garage {
	pthread_mutex_t lock;
	struct job jobs[JOBS];
	int count, running, done;
	int hours[MECHANICS];
	unsigned idle_looks;
};

void garage_init(struct garage *garage);
int garage_add(struct garage *garage, int part, int hours, int urgent);
int garage_next(struct garage *garage);                          /* the job to be done next; -1: there is none */
void garage_start(struct garage *garage, int job, int mechanic); /* it has to wait */
int garage_take(struct garage *garage, int mechanic);            /* starts the next one; -1: there is none */
void garage_finish(struct garage *garage, int job);
int garage_part(struct garage *garage, int job);
int garage_waiting(struct garage *garage);
int garage_running(struct garage *garage);
int garage_done(struct garage *garage);
int garage_hours(struct garage *garage, int mechanic);
int garage_starts(struct garage *garage, int job);
int garage_is_urgent(struct garage *garage, int job);
int garage_oldest(struct garage *garage);

/* store.c: parts, which are counted and ordered again */
struct store {
	pthread_mutex_t lock;
	int stock[PARTS], ordered[PARTS], used[PARTS];
	int least;
	long price[PARTS], spent;
};

void store_init(struct store *store, int each, int least);
void store_take(struct store *store, int part);
int store_stock(struct store *store, int part);
int store_order(struct store *store); /* what is running out: how many parts */
int store_used(struct store *store);
long store_spent(struct store *store);
long store_worth(struct store *store);
int store_rarest(struct store *store);

/* bays.c: there are fewer than mechanics could use */
struct bays {
	pthread_mutex_t lock;
	int user[BAYS], uses[BAYS];
};

void bays_init(struct bays *bays);
int bays_enter(struct bays *bays, int mechanic); /* -1: all are in use */
void bays_leave(struct bays *bays, int bay);
int bays_free(struct bays *bays);
int bays_uses(struct bays *bays);

#endif
