/*
 * What the tests of collections share. There are three collections, and a method that takes
 * another collection gets the next one, so that mutexes are always nested in the same order.
 */
#ifndef COLLECTIONS_H
#define COLLECTIONS_H

#include "../code/synchronised.h"
#include "crew.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef void call(struct synchronised *self, struct synchronised *other, long value);

static struct synchronised *stage[3];

static inline void
stage_set(struct collection *(*new)(void))
{
	for (long i = 0; i < 3; i++) {
		stage[i] = synchronised_new(new());
		for (long k = 0; k < 3; k++)
			stage[i]->inner->class->add(stage[i]->inner, i + 2 * k);
	}
}

static inline int
stage_strike(void)
{
	for (unsigned i = 0; i < 3; i++) {
		MUST(synchronised_check(stage[i]));
		synchronised_free(stage[i]);
	}
	return 0;
}

/* Thread n has one call: the n-th, on the first collection, or (second half) on the second one. */
static inline void
call_one(call *const *calls, unsigned count, unsigned number)
{
	unsigned which = number / count % 2;
	calls[number % count](stage[which], stage[which + 1], number % 7);
}

/*
 * All calls, on the first collection. Each thread makes them in the same order, as threads that run the
 * same code do: only the schedule decides whether one makes its first call right after another's last.
 */
static inline void
call_all(call *const *calls, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		calls[i](stage[0], stage[1], i % 7);
}

/* ---- the calls ---- */

#define UNUSED_OTHER (void)other

static inline bool
is_odd(long value)
{
	return value % 2;
}

static inline void
call_add(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_add(self, value);
}

static inline void
call_remove(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_remove(self, value);
}

static inline void
call_contains(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_contains(self, value);
}

static inline void
call_size(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	(void)value;
	MUST(synchronised_size(self) < 1000);
}

static inline void
call_is_empty(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	(void)value;
	synchronised_is_empty(self);
}

static inline void
call_clear(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	(void)value;
	synchronised_clear(self);
}

static inline void
call_to_array(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	(void)value;
	size_t count;
	free(synchronised_to_array(self, &count));
	MUST(count < 1000);
}

static inline void
call_hash(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	(void)value;
	synchronised_hash(self);
}

static inline void
call_remove_if(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	(void)value;
	synchronised_remove_if(self, is_odd);
}

static inline void
call_contains_all(struct synchronised *self, struct synchronised *other, long value)
{
	(void)value;
	synchronised_contains_all(self, other);
}

static inline void
call_add_all(struct synchronised *self, struct synchronised *other, long value)
{
	(void)value;
	synchronised_add_all(self, other);
}

static inline void
call_remove_all(struct synchronised *self, struct synchronised *other, long value)
{
	(void)value;
	synchronised_remove_all(self, other);
}

static inline void
call_retain_all(struct synchronised *self, struct synchronised *other, long value)
{
	(void)value;
	synchronised_retain_all(self, other);
}

static inline void
call_equals(struct synchronised *self, struct synchronised *other, long value)
{
	(void)value;
	synchronised_equals(self, other);
}

static inline void
call_get(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_get(self, (size_t)value, &value);
}

static inline void
call_set(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_set(self, (size_t)value, value);
}

static inline void
call_insert(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_insert(self, 0, value);
}

static inline void
call_take(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_take(self, 0, &value);
}

static inline void
call_index_of(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_index_of(self, value);
}

static inline void
call_reverse(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	(void)value;
	synchronised_reverse(self);
}

static inline void
call_insert_all(struct synchronised *self, struct synchronised *other, long value)
{
	(void)value;
	synchronised_insert_all(self, 0, other);
}

static inline void
call_first(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_first(self, &value);
}

static inline void
call_higher(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_higher(self, value, &value);
}

static inline void
call_take_first(struct synchronised *self, struct synchronised *other, long value)
{
	UNUSED_OTHER;
	synchronised_take_first(self, &value);
}

/* The rest is short. */
#define CALL(name, expression) \
	static inline void call_##name(struct synchronised *self, struct synchronised *other, long value) \
	{ \
		UNUSED_OTHER; \
		(void)value; \
		(void)(expression); \
	}
#define CALL_DO(name, statement) \
	static inline void call_##name(struct synchronised *self, struct synchronised *other, long value) \
	{ \
		UNUSED_OTHER; \
		(void)value; \
		statement; \
	}

CALL(sum, synchronised_sum(self))
CALL(format, synchronised_format(self, (char[80]){0}, 80))
CALL_DO(copy_into, synchronised_copy_into(self, (long[4]){0}, &(size_t){4}))
CALL_DO(check, MUST(synchronised_check(self)))
CALL(last_index_of, synchronised_last_index_of(self, value))
CALL(sub_list, synchronised_sub_list(self, 0, 2, (long[2]){0}))
CALL_DO(push, synchronised_push(self, value))
CALL(pop, synchronised_pop(self, &value))
CALL(peek, synchronised_peek(self, &value))
CALL(take_last, synchronised_take_last(self, &value))
CALL(swap, synchronised_swap(self, 0, 1))
CALL_DO(sort, synchronised_sort(self))
CALL(replace_all, synchronised_replace_all(self, value, value + 1))
CALL(last, synchronised_last(self, &value))
CALL(floor, synchronised_floor(self, value, &value))
CALL(ceiling, synchronised_ceiling(self, value, &value))
CALL(lower, synchronised_lower(self, value, &value))
CALL(count_between, synchronised_count_between(self, 0, 3))

/* ---- the lists of calls: some of lists and of sets, for threads with one call; all, for threads with many ---- */

static call *const list_calls[13] __attribute__((unused)) = {
	call_add, call_remove, call_get, call_contains_all, call_clear, call_add_all, call_insert,
	call_remove_all, call_index_of, call_retain_all, call_size, call_insert_all, call_take,
};

static call *const set_calls[11] __attribute__((unused)) = {
	call_add, call_contains_all, call_remove, call_add_all, call_contains, call_remove_all,
	call_to_array, call_retain_all, call_size, call_clear, call_remove_if,
};

static call *const all_list_calls[] __attribute__((unused)) = {
	call_add, call_is_empty, call_remove, call_get, call_contains_all, call_sum, call_push, call_clear, call_add_all,
	call_format, call_insert, call_sort, call_remove_all, call_index_of, call_take_last, call_hash, call_retain_all,
	call_size, call_swap, call_insert_all, call_contains, call_take, call_reverse, call_to_array, call_set, call_equals,
	call_last_index_of, call_pop, call_remove_if, call_sub_list, call_peek, call_copy_into, call_replace_all, call_check,
};

static call *const all_set_calls[] __attribute__((unused)) = {
	call_add, call_is_empty, call_contains_all, call_remove, call_sum, call_add_all, call_contains, call_format,
	call_remove_all, call_hash, call_to_array, call_retain_all, call_size, call_copy_into, call_clear, call_equals,
	call_remove_if, call_check,
};

static call *const all_sorted_calls[] __attribute__((unused)) = {
	call_add, call_first, call_is_empty, call_contains_all, call_floor, call_remove, call_sum, call_add_all, call_last,
	call_contains, call_format, call_lower, call_remove_all, call_hash, call_take_first, call_to_array, call_retain_all,
	call_ceiling, call_size, call_copy_into, call_clear, call_higher, call_equals, call_remove_if, call_count_between,
	call_check,
};

#endif
