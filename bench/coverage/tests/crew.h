/* Threads with a number each: all started, let go at the same time, then all waited for. */
#ifndef CREW_H
#define CREW_H

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* assert() without a way around it */
#define MUST(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), abort()))

enum { CREW_MOST = 32 };

static pthread_barrier_t crew_gate;

struct crew_member {
	pthread_t thread;
	unsigned number;
	void (*work)(unsigned number);
};

static void *
crew_enter(void *arg)
{
	struct crew_member *member = arg;
	pthread_barrier_wait(&crew_gate);
	member->work(member->number);
	return NULL;
}

static inline void
crew_run(unsigned count, void (*work)(unsigned number))
{
	static struct crew_member members[CREW_MOST];
	MUST(count <= CREW_MOST);
	MUST(pthread_barrier_init(&crew_gate, NULL, count) == 0);
	for (unsigned i = 0; i < count; i++) {
		members[i].number = i;
		members[i].work = work;
		MUST(pthread_create(&members[i].thread, NULL, crew_enter, &members[i]) == 0);
	}
	for (unsigned i = 0; i < count; i++)
		MUST(pthread_join(members[i].thread, NULL) == 0);
	MUST(pthread_barrier_destroy(&crew_gate) == 0);
}

#endif
