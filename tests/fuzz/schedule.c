/*
 * Texts of schedules: any text is refused with a place and a sentence, or accepted, and then it prints,
 * formats and parses back to the same plan, and a monitor follows any events. After a zero byte: which events.
 */
#include "base/rng.h"
#include "fuzz.h"
#include "schedule/parse.h"
#include "same_plan.h"

#include <string.h>

#define EACH 512
#define EVENTS 40

static struct sl_plan *
parse(const char *text, size_t length, void **memory, struct sl_mark **marks, struct sl_complaint *complaint)
{
	size_t size = 65536 + EACH * length;
	struct sl_pool pool;

	*memory = malloc(size);
	HOLDS(*memory);
	pool = (struct sl_pool){*memory, (char *)*memory + size};
	return sl_parse(text, length, &pool, marks, complaint);
}

static uint32_t
comments(const struct sl_mark *marks)
{
	uint32_t count = 0;

	for (; marks; marks = marks->next)
		count += marks->kind == SL_MARK_COMMENT;
	return count;
}

static void
check_refused(size_t length, const struct sl_complaint *complaint)
{
	HOLDS(complaint->place.offset <= length && complaint->place.line && complaint->place.column);
	HOLDS(complaint->place.column <= complaint->place.offset + 1);
	HOLDS(complaint->text[0] && memchr(complaint->text, 0, sizeof(complaint->text)));
}

static void
check_print(const struct sl_plan *plan)
{
	size_t length = sl_plan_print(plan, NULL, 0);
	char *text = malloc(length + 1), *again = malloc(length + 1);
	struct sl_complaint complaint;
	struct sl_plan *back;
	void *memory;

	HOLDS(text && again);
	HOLDS(sl_plan_print(plan, text, length + 1) == length && strlen(text) == length);
	back = parse(text, length, &memory, NULL, &complaint);
	HOLDS(back && same_plan(plan, back));
	HOLDS(sl_plan_print(back, again, length + 1) == length && strcmp(text, again) == 0);
	free(memory);
	free(text);
	free(again);
}

static char *
format(const char *text, size_t length, size_t *formatted_length)
{
	size_t size = 65536 + EACH * length;
	char *memory = malloc(size), *formatted = NULL;
	struct sl_complaint complaint;

	HOLDS(memory);
	for (size_t room = 0;; room = *formatted_length + 1) {
		struct sl_pool pool = {memory, memory + size};

		*formatted_length = sl_plan_format(text, length, &pool, formatted, room, &complaint);
		if (!*formatted_length || room)
			break;
		formatted = malloc(*formatted_length + 1);
		HOLDS(formatted);
	}
	free(memory);
	return formatted;
}

static void
check_format(const char *text, size_t length, const struct sl_plan *plan, uint32_t comment_count)
{
	struct sl_mark *marks = NULL;
	struct sl_complaint complaint;
	struct sl_plan *back;
	size_t once, twice;
	char *formatted = format(text, length, &once), *again;
	void *memory;

	HOLDS(formatted);
	again = format(formatted, once, &twice);
	HOLDS(again && once == twice && memcmp(formatted, again, once) == 0);
	back = parse(formatted, once, &memory, &marks, &complaint);
	for (; plan && back; plan = plan->next, back = back->next)
		HOLDS(same_plan(plan, back));
	HOLDS(!plan && !back && comments(marks) == comment_count);
	free(memory);
	free(again);
	free(formatted);
}

/* An event that matches an atom, or nearly so. A schedule like "[@t2]" has none. */
static struct sl_event
event_of(const struct sl_plan *plan, struct sl_rng *rng)
{
	static const char *const names[] = {NULL, "w1", "w2", "worker"};
	static const struct sl_atom none;
	const struct sl_atom *atom = plan->atom_count ? plan->atoms[sl_rng_below(rng, plan->atom_count)] : &none;
	uint32_t thread = sl_rng_below(rng, 4);
	struct sl_event e = {.kind = atom->kind,
			     .thread = sl_rng_below(rng, 64) ? thread : 1u << sl_rng_below(rng, 32),
			     .line = atom->line,
			     .thread_name = atom->thread && sl_rng_below(rng, 2) ? atom->thread : names[thread],
			     .name = atom->name,
			     .object = sl_rng_below(rng, 3) ? atom->object : "other"};

	if (sl_rng_below(rng, 3) == 0) {
		e.kind = (enum sl_event_kind)(SL_EVENT_START + sl_rng_below(rng, 4));
		e.name = NULL;
	}
	return e;
}

static void
want(void *data, const struct sl_formula *missing)
{
	char text[64];

	sl_formula_print(missing, text, sizeof(text));
	++*(uint32_t *)data;
}

static void
check_monitor(const struct sl_plan *plan, uint64_t seed)
{
	size_t size = 262144 + (plan->formula_count + plan->ordering_count) * 64 + plan->atom_count * 128, state_size;
	struct sl_rng rng = sl_rng_derive(seed, 0);
	char *memory = malloc(size);
	struct sl_pool pool = {memory, memory + size};
	struct sl_monitor *m;

	HOLDS(memory);
	m = sl_monitor_new(plan, &pool);
	HOLDS(m);
	for (int i = 0; i < EVENTS; i++) {
		struct sl_event e = event_of(plan, &rng);
		enum sl_value before = sl_monitor_value(m), after;
		uint32_t held[2], holds, wanted = 0, ordering;
		enum sl_leave leave;
		struct sl_match match;

		sl_monitor_match(m, &e, &match);
		leave = sl_monitor_asks(m, &e, &match);
		holds = sl_monitor_holds(m, &e, held, 2);
		HOLDS((holds > 0) == (leave != SL_MAY_GO));
		if (holds)
			sl_monitor_wants(m, held[0], want, &wanted);
		sl_monitor_happens(m, &e, sl_rng_below(&rng, 2) ? &match : NULL);
		after = sl_monitor_value(m);
		HOLDS(leave != SL_NOT_YET || after == SL_FALSE);
		HOLDS(before == SL_OPEN || after == before);
		HOLDS(after == SL_OPEN || sl_monitor_satisfied(m) == (after == SL_TRUE));
		HOLDS((sl_monitor_broken(m, &ordering) != 0) == (after == SL_FALSE) && ordering < plan->ordering_count);
		HOLDS(sl_monitor_state(m, &state_size) && state_size < size);
	}
	free(memory);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t length = zero ? (size_t)(zero - data) : size;
	const char *text = (const char *)data;
	struct sl_complaint complaint;
	struct sl_mark *marks = NULL;
	struct sl_plan *plan;
	uint64_t seed = size;
	void *memory;

	for (size_t i = length; i < size; i++)
		seed = sl_mix(seed ^ data[i]);
	plan = parse(text, length, &memory, &marks, &complaint);
	if (!plan) {
		size_t formatted;
		char *nothing = format(text, length, &formatted);

		HOLDS(!nothing && !formatted);
		check_refused(length, &complaint);
	} else {
		check_format(text, length, plan, comments(marks));
		for (struct sl_plan *one = plan; one; one = one->next) {
			check_print(one);
			check_monitor(one, seed);
		}
	}
	free(memory);
	/* any amount of memory is enough, or is reported as too little */
	if (length < 400) {
		size_t little = (size_t)(sl_mix(seed) % (16 * length + 64));
		struct sl_pool pool;

		memory = malloc(little + 1);
		HOLDS(memory);
		pool = (struct sl_pool){memory, (char *)memory + little};
		plan = sl_plan_parse(text, length, &pool, &complaint);
		if (plan)
			sl_monitor_new(plan, &pool);
		else
			check_refused(length, &complaint);
		free(memory);
	}
	return 0;
}
