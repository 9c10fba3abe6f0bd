/*
 * Small scripts: declarations, assignments, blocks and a result.
 *
 *     let width = 6; let area = 0;
 *     { let height = width + 1; area = width * height; }
 *     return area;
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "lexer.h"

struct script_result {
	int is_error;
	long value;       /* of the return; 0 without one */
	unsigned line;    /* of the error */
	char message[96]; /* a sentence, with the name in question */
};

void script_run(struct cache *cache, const struct keywords *keywords, const char *text,
		struct script_result *result);

#endif
