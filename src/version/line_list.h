/*
 * Lists of texts, and texts that are formatted into new memory. Both abort without memory. For this room, and for
 * cli/version.
 */
#ifndef SL_VERSION_LINE_LIST_H
#define SL_VERSION_LINE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct sl_line_list {
	char **items; /* a NULL that is not counted follows the last one */
	size_t count, capacity;
};

void sl_line_add(struct sl_line_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sl_line_sort(struct sl_line_list *list);
bool sl_line_has(const struct sl_line_list *list, const char *line);
void sl_line_release(struct sl_line_list *list);

/* Like sprintf; the caller frees it. */
char *sl_line_new(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
