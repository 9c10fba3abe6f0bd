/* Functions of the program that are not instrumented, and call what is under control (unseen.c asks). */
#ifndef SL_ENGINE_UNSEEN_UNINSTRUMENTED_H
#define SL_ENGINE_UNSEEN_UNINSTRUMENTED_H

#include <stdbool.h>
#include <stdint.h>

struct sl_plain {
	uint64_t low, high;
	uint32_t sequence; /* the execution of the next */
	uint32_t thread;   /* that came by first */
	bool threads;      /* and there were others */
};

struct sl_module;
struct link_map;

/* Looks through the code of the program, once: how many there are. */
unsigned sl_plain_look(const struct sl_module *module, const struct link_map *map);
/* The one that has this place; or NULL. */
struct sl_plain *sl_plain_find(uint64_t pc);

#endif
