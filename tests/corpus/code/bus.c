#include "bus.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST 32

struct subscriber {
	const char *topic; /* NULL: free */
	unsigned calls;    /* under way */
	pthread_t caller;  /* the last one */
	unsigned long since;
	void (*call)(void *arg, int message);
	void *arg;
};

struct bus {
	pthread_mutex_t lock;
	pthread_cond_t returned;
	unsigned long time;
	struct subscriber subscribers[MOST];
};

struct bus *
bus_new(void)
{
	struct bus *bus = calloc(1, sizeof *bus);

	if (!bus)
		return NULL;
	pthread_mutex_init(&bus->lock, NULL);
	pthread_cond_init(&bus->returned, NULL);
	return bus;
}

void
bus_free(struct bus *bus)
{
	pthread_mutex_destroy(&bus->lock);
	pthread_cond_destroy(&bus->returned);
	free(bus);
}

int
bus_subscribe(struct bus *bus, const char *topic, void (*call)(void *, int), void *arg)
{
	int number = -1;

	pthread_mutex_lock(&bus->lock);
	for (int i = 0; i < MOST && number < 0; i++) {
		struct subscriber *s = &bus->subscribers[i];

		if (s->topic || s->calls)
			continue;
		*s = (struct subscriber){.topic = topic, .since = ++bus->time, .call = call, .arg = arg};
		number = i;
	}
	pthread_mutex_unlock(&bus->lock);
	return number;
}

void
bus_unsubscribe(struct bus *bus, int subscriber)
{
	struct subscriber *s = &bus->subscribers[subscriber];

	pthread_mutex_lock(&bus->lock);
	s->topic = NULL;
	while (s->calls && !pthread_equal(s->caller, pthread_self()))
		pthread_cond_wait(&bus->returned, &bus->lock);
	pthread_mutex_unlock(&bus->lock);
}

static bool
wants(const struct subscriber *s, const char *topic)
{
	return s->topic && !strcmp(s->topic, topic);
}

/* The next subscriber after `since`, but not after `until`. */
static struct subscriber *
find_next(struct bus *bus, const char *topic, unsigned long since, unsigned long until)
{
	struct subscriber *next = NULL;

	for (int i = 0; i < MOST; i++) {
		struct subscriber *s = &bus->subscribers[i];

		if (wants(s, topic) && s->since > since && s->since <= until && (!next || s->since < next->since))
			next = s;
	}
	return next;
}

static void
deliver(struct bus *bus, struct subscriber *s, int message)
{
	s->calls++;
	s->caller = pthread_self();
	pthread_mutex_unlock(&bus->lock);
	s->call(s->arg, message);
	pthread_mutex_lock(&bus->lock);
	s->calls--;
	pthread_cond_broadcast(&bus->returned);
}

unsigned
bus_publish(struct bus *bus, const char *topic, int message)
{
	unsigned called = 0;

	pthread_mutex_lock(&bus->lock);
	unsigned long until = bus->time;
	struct subscriber *s = find_next(bus, topic, 0, until);
	while (s) {
		unsigned long since = s->since;
#ifdef BUG
		/* The next one is chosen before the call. A subscriber that unsubscribes during the call is called nevertheless. */
		struct subscriber *next = find_next(bus, topic, since, until);

		deliver(bus, s, message);
#else
		deliver(bus, s, message);

		struct subscriber *next = find_next(bus, topic, since, until);
#endif
		called++;
		s = next;
	}
	pthread_mutex_unlock(&bus->lock);
	return called;
}

size_t
bus_subscribers(struct bus *bus, const char *topic)
{
	size_t count = 0;

	pthread_mutex_lock(&bus->lock);
	for (int i = 0; i < MOST; i++)
		count += wants(&bus->subscribers[i], topic);
	pthread_mutex_unlock(&bus->lock);
	return count;
}
