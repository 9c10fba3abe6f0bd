/*
 * Types that are declared by text:
 *
 *     type Shape { x = 0; y = 0; }
 *     type Circle from Shape { radius = 1; label = "a circle"; }   # a comment
 */
#ifndef DECLARE_H
#define DECLARE_H

#include "registry.h"

struct declare_error {
	unsigned line;
	char message[96];
};

/* How many types it has declared. -1: the text is wrong, the error says where; the types before that are declared. */
int declare_types(struct registry *registry, const char *text, struct declare_error *error);

#endif
