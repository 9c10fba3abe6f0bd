/* Publish and subscribe: functions are called with every message of the topics that they have subscribed to. */
#ifndef BUS_H
#define BUS_H

#include <stdbool.h>
#include <stddef.h>

struct bus;

struct bus *bus_new(void);
void bus_free(struct bus *bus);

/* A number for unsubscribing; -1: there are too many. */
int bus_subscribe(struct bus *bus, const char *topic, void (*call)(void *arg, int message), void *arg);
/*
 * It is not called any more, and no call of it is running: waits
 * for running calls, unless it is one of them that unsubscribes.
 */
void bus_unsubscribe(struct bus *bus, int subscriber);

/* Calls, without a lock and in the order of subscribing, all that are subscribed now; returns how many. */
unsigned bus_publish(struct bus *bus, const char *topic, int message);
size_t bus_subscribers(struct bus *bus, const char *topic);

#endif
