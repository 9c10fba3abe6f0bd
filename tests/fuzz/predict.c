/*
 * The predictive analysis of anything: items in any order, of threads that were never created, of memory that was freed. Whatever it is,
 * the analysis ends, says the same twice, and no access is impacted by no change. The input is items of eight bytes: kind, thread, object,
 * place, and a number.
 */
#include "predict/predict.h"

#include "fuzz.h"

#include <stdio.h>
#include <string.h>

struct input {
	const uint8_t *data;
	size_t size, at;
};

static int
again(void *data, struct sl_err *err)
{
	(void)err;
	((struct input *)data)->at = 0;
	return 0;
}

static int
next(void *data, struct sl_item *item, struct sl_err *err)
{
	static const uint8_t kinds[] = {
		SL_READ,          SL_WRITE,        SL_UPDATE,       SL_ATOMIC_LOAD,   SL_ATOMIC_STORE,
		SL_ITEM_CALL,     SL_ITEM_RETURN,  SL_MUTEX_LOCK,   SL_MUTEX_UNLOCK,  SL_RW_RDLOCK,
		SL_RW_UNLOCK,     SL_ALLOC,        SL_FREE,         SL_CREATE,        SL_JOIN,
		SL_START,         SL_END,          SL_BARRIER_WAIT, SL_BARRIER_LEAVE, SL_ONCE,
		SL_COND_WAIT,     SL_COND_RELOCK,  SL_COND_SIGNAL,  SL_SEM_POST,      SL_SEM_WAIT,
		SL_MUTEX_TRYLOCK, SL_INIT,         SL_DESTROY,      SL_HANDLE,        SL_FUTEX_WAIT,
		SL_TIMEOUT,       SL_ITEM_REQUEST, SL_DECLARE,      SL_UNIT_BEGIN,    SL_UNIT_END,
	};
	struct input *i = data;
	const uint8_t *b = i->data + i->at;
	uint32_t number;

	(void)err;
	if (i->size - i->at < 8)
		return 0;
	i->at += 8;
	memcpy(&number, b + 4, sizeof(number));
	*item = (struct sl_item){.kind = kinds[b[0] % sizeof(kinds)],
				 .size = (uint8_t)(1 << b[0] / sizeof(kinds) % 5),
				 .thread = b[1] & 0x80 ? number : b[1] & 7,
				 .object = b[2] ? 0x1000 + 8ul * b[2] : 0,
				 .pc = b[3],
				 .value = b[1] & 0x40 ? (uint64_t)number << 32 : number & 0xfffff};
	if (b[1] & 0x20)
		item->flags = SL_OP_RANGE;
	if (b[1] & 0x10)
		item->object <<= 40;
	return 1;
}

static bool
place(void *data, uint64_t pc, struct sl_place *to)
{
	(void)data;
	*to = (struct sl_place){.function = "f",
				.file = "a.c",
				.path = "/a.c",
				.stable = "a.c",
				.module = pc & 1 ? "a" : "b",
				.line = (uint32_t)pc};
	return pc != 0;
}

static const char *
variable(void *data, uint64_t address, uint32_t size, char *text, size_t room)
{
	(void)data;
	if (address > 0x1200)
		return NULL;
	snprintf(text, room, size > 8 ? "s" : address & 16 ? "s[%u].m" : "v%u", (unsigned)address);
	return text;
}

static const char *
function(void *data, uint64_t address)
{
	(void)data;
	return address & 8 ? "f" : NULL;
}

static uint64_t
predicted(const struct sl_observed *of, struct sl_impact_set *impact, uint64_t *hash)
{
	struct sl_predict_options options = {.impact = impact, .infeasible = true};
	struct sl_violations v;
	struct sl_err err;
	uint64_t count;

	sl_predict(&v, of, &options, &err);
	count = v.count;
	*hash = 0;
	for (size_t i = 0; i < v.count; i++) {
		HOLDS(v.items[i].step_count == sl_pattern_words[v.items[i].pattern].steps);
		HOLDS((v.items[i].verdict == SL_PREDICTED_INFEASIBLE) == (*v.items[i].reason != '\0'));
		for (unsigned s = 0; s < v.items[i].step_count; s++) {
			const struct sl_violation_step *step = &v.items[i].steps[s];

			HOLDS(step->number && step->occurrence && step->occurrence <= step->at_pc);
			HOLDS((step->thread == v.items[i].steps[0].thread) == !step->other);
			*hash = *hash * 31 + step->number * 7 + v.items[i].pattern;
		}
	}
	sl_violations_release(&v);
	return count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size, 0};
	struct sl_observed of = {.data = &input,
				 .rewind = again,
				 .next = next,
				 .place = place,
				 .variable = variable,
				 .function = function};
	struct sl_contexts *contexts;
	struct sl_impact_set impact;
	struct sl_err err;
	uint64_t first, second;

	if (size > 4096)
		return 0;
	contexts = sl_contexts_new();
	HOLDS(predicted(&of, NULL, &first) == predicted(&of, NULL, &second) && first == second);
	sl_contexts_collect(contexts, &of, SL_CALLS_ALL, &err);
	sl_impact_find(&impact, contexts, &of, NULL, SL_CALLS_ALL, &err);
	HOLDS(impact.impacted == 0);
	HOLDS(predicted(&of, &impact, &first) == 0);
	sl_impact_set_release(&impact);
	sl_contexts_free(contexts);
	return 0;
}
