/*
 * Copying text into an array of characters: cut where there is no more room, and always ended. Calls nothing, so that the
 * engine can use it too. (sl_text_cut() of the command knows about UTF-8.)
 */
#ifndef SL_BASE_TEXT_H
#define SL_BASE_TEXT_H

#include <stddef.h>

static inline void
sl_text_copy(char *to, size_t room, const char *from)
{
	size_t i = 0;

	for (; from && i < room - 1 && from[i]; i++)
		to[i] = from[i];
	to[i] = '\0';
}

#endif
