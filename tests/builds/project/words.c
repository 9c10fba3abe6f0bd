#include "words.h"

#include <stdlib.h>
#include <string.h>

int
words_in(const char *text)
{
	char *copy = strdup(text), *rest = NULL;
	int count = 0;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		count++;
	free(copy);
	return count;
}
