/* Functions of the program that are not instrumented, and call functions that are under control. For unseen.c. */
#ifndef SL_ENGINE_UNSEEN_UNINSTRUMENTED_H
#define SL_ENGINE_UNSEEN_UNINSTRUMENTED_H

#include <stdbool.h>
#include <stdint.h>

struct sl_plain {
	uint64_t low, high;
	uint32_t sequence; /* the execution of the fields below */
	uint32_t thread; /* the first thread that ran it */
	bool threads; /* other threads ran it, too */
};

struct sl_module;
struct link_map;

/* Searches the code of the program, once; returns the number of such functions. */
unsigned sl_plain_look(const struct sl_module *module, const struct link_map *map);
/* Returns the one that has this place; or NULL. */
struct sl_plain *sl_plain_find(uint64_t pc);

#endif
