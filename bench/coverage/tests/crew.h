/* Numbered threads: started one after the other, or released at the same time; then joined. */
#ifndef CREW_H
#define CREW_H

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* assert() that NDEBUG does not remove */
#define MUST(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), abort()))

enum { CREW_MOST = 32 };

static pthread_barrier_t crew_gate;

struct crew_member {
	pthread_t thread;
	unsigned number;
	void (*work)(unsigned number);
	pthread_barrier_t *gate; /* NULL: at once */
};

static void *
crew_enter(void *arg)
{
	struct crew_member *member = arg;
	if (member->gate)
		pthread_barrier_wait(member->gate);
	member->work(member->number);
	return NULL;
}

static inline void
crew_start(unsigned count, void (*work)(unsigned number), pthread_barrier_t *gate)
{
	static struct crew_member members[CREW_MOST];
	MUST(count <= CREW_MOST);
	for (unsigned i = 0; i < count; i++) {
		members[i].number = i;
		members[i].work = work;
		members[i].gate = gate;
		MUST(pthread_create(&members[i].thread, NULL, crew_enter, &members[i]) == 0);
	}
	for (unsigned i = 0; i < count; i++)
		MUST(pthread_join(members[i].thread, NULL) == 0);
}

/* One after the other: threads with one call each, as in the paper's tests (which are examples of CalFuzzer's). */
static inline void
crew_run(unsigned count, void (*work)(unsigned number))
{
	crew_start(count, work, NULL);
}

/* At the same time, as in tests whose threads have much to do: so that all of it runs in parallel. */
static inline void
crew_run_together(unsigned count, void (*work)(unsigned number))
{
	MUST(pthread_barrier_init(&crew_gate, NULL, count) == 0);
	crew_start(count, work, &crew_gate);
	MUST(pthread_barrier_destroy(&crew_gate) == 0);
}

#endif
