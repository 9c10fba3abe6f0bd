/*
 * Functions of an instrumented program that are not instrumented themselves: from objects and archives that were
 * not built with `sleave cc`. Nothing in the file marks them. But an instrumented function that calls anything
 * begins with a callback; so a function that calls no callback, but a function of the engine, is not instrumented.
 * The table for unwinding exceptions, which is loaded with the program, says where functions begin and end; their
 * code says what they call.
 *
 * The cold part of a function has an entry of its own in that table, and no callback. A jump from the function
 * leads to it, and no instrumented function ends with a jump to another one: its last call is a callback.
 *
 * The program is linked with -z now, so the targets of its calls are known before it starts.
 */
#include "engine/unseen/uninstrumented.h"
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/unseen/functions.h"
#include "engine/under/poison.h"

#define PLAIN_MAX 1024

static struct sl_plain plains[PLAIN_MAX];
static unsigned plain_count;

/* Returns what the function calls; calls jumps(), if it is given, for each of its jumps to another function. */
static unsigned
calls_of(struct sl_function f, void (*jumps)(struct sl_function from, uint64_t to))
{
	unsigned found = 0;

	for (uint64_t at = f.low; at + 6 <= f.high; at++) {
		const uint8_t *code = (const uint8_t *)at;
		bool jump = code[0] == 0xe9, branch = code[0] == 0x0f && (code[1] & 0xf0) == 0x80;

		if (code[0] == 0xe8 || jump || branch) {
			uint64_t to = at + (branch ? 6 : 5) + (uint64_t)(int64_t)sl_functions_number(at + (branch ? 2 : 1));

			if (!branch)
				found |= 1u << sl_functions_through(to);
			if (jumps && (jump || branch) && (to < f.low || to >= f.high))
				jumps(f, to);
		} else if (code[0] == 0xff && (code[1] == 0x15 || code[1] == 0x25)) {
			found |= 1u << sl_functions_by(at + 6 + (uint64_t)(int64_t)sl_functions_number(at + 2));
		}
	}
	return found;
}

static void
drop_cold(struct sl_function from, uint64_t to)
{
	struct sl_plain *p = sl_plain_find(to);

	(void)from;
	if (p && to >= p->low)
		p->high = p->low;
}

unsigned
sl_plain_look(const struct sl_module *m, const struct link_map *map)
{
	static bool looked;
	uint32_t count = looked ? 0 : sl_functions_open(m, map);

	looked = true;

	for (uint32_t i = 0; i < count && plain_count < PLAIN_MAX; i++) {
		struct sl_function f = sl_functions_at(i);
		unsigned calls = calls_of(f, NULL);

		if (calls & 1u << SL_TO_CONTROLLED && !(calls & 1u << SL_TO_CALLBACK))
			plains[plain_count++] = (struct sl_plain){.low = f.low, .high = f.high};
	}
	for (uint32_t i = 0; plain_count && i < count; i++) {
		struct sl_function f = sl_functions_at(i);

		if (calls_of(f, NULL) & 1u << SL_TO_CALLBACK)
			calls_of(f, drop_cold);
	}
	return plain_count;
}

struct sl_plain *
sl_plain_find(uint64_t pc)
{
	unsigned low = 0, high = plain_count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (pc < plains[middle].low)
			high = middle;
		else if (pc >= plains[middle].high && middle + 1 < plain_count && pc >= plains[middle + 1].low)
			low = middle + 1;
		else
			return pc < plains[middle].high ? &plains[middle] : NULL;
	}
	return NULL;
}
