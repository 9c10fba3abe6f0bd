/*
 * Doubly linked lists: the links are members of what is listed. A list, and an item that is in no list, points to itself.
 */
#ifndef LIST_H
#define LIST_H

#include <stddef.h>

struct list {
	struct list *next, *prev;
};

#define list_item(link, type, member) ((type *)((char *)(link)-offsetof(type, member)))

#define list_for_each(link, head) for (struct list *link = (head)->next; link != (head); link = link->next)

/* The item may be removed in the body. */
#define list_for_each_safe(link, head)                                                                            \
	for (struct list *link = (head)->next, *link##_next = link->next; link != (head);                         \
	     link = link##_next, link##_next = link->next)

static inline void
list_init(struct list *list)
{
	list->next = list->prev = list;
}

static inline int
list_is_empty(const struct list *list)
{
	return list->next == list;
}

static inline void
list_insert(struct list *before, struct list *item)
{
	item->next = before;
	item->prev = before->prev;
	before->prev->next = item;
	before->prev = item;
}

static inline void
list_add_first(struct list *list, struct list *item)
{
	list_insert(list->next, item);
}

static inline void
list_add_last(struct list *list, struct list *item)
{
	list_insert(list, item);
}

static inline void
list_remove(struct list *item)
{
	item->prev->next = item->next;
	item->next->prev = item->prev;
	list_init(item);
}

static inline struct list *
list_first(const struct list *list)
{
	return list_is_empty(list) ? NULL : list->next;
}

static inline struct list *
list_last(const struct list *list)
{
	return list_is_empty(list) ? NULL : list->prev;
}

#endif
