/*
 * Schedules that the checks refuse are wrong; and of schedules simple enough to try all orders they refuse all wrong ones.
 */
#include "meaning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The parser's checks under another name: the plan is needed whatever they say. */
#define sl_check real_check
bool real_check(const struct sl_plan *plan, struct sl_pool pool, struct sl_complaint *complaint);
#include "schedule/check.c"
#undef sl_check

static struct sl_complaint noted;
static bool right;

bool sl_check(const struct sl_plan *plan, struct sl_pool pool, struct sl_complaint *complaint);

bool
sl_check(const struct sl_plan *plan, struct sl_pool pool, struct sl_complaint *complaint)
{
	(void)complaint;
	right = real_check(plan, pool, &noted);
	return true;
}

static char memory[1 << 18];

static struct sl_plan *
parse(const char *text)
{
	struct sl_pool pool = {memory, memory + sizeof(memory)};
	struct sl_complaint complaint;
	struct sl_plan *plan = sl_plan_parse(text, strlen(text), &pool, &complaint);

	if (!plan)
		fail_msg("%s: %s", text, complaint.text);
	return plan;
}

static bool
plain_hold(struct world *w, int n)
{
	for (uint32_t i = 0; i < w->plan->ordering_count; i++)
		if (w->plan->orderings[i]->plain && !ordering_holds(w, w->plan->orderings[i], n))
			return false;
	return true;
}

/* ---- refused schedules ---- */

/* An event that the atom matches. */
static struct sl_event
event_of(const struct sl_atom *atom)
{
	struct sl_event e = {.kind = atom->kind, .line = atom->line, .name = atom->name, .object = atom->object, .thread = 1};

	if (atom->thread && atom->thread[0] == 'w') {
		e.thread = 2;
		e.thread_name = "w1";
	}
	if (atom->thread && strcmp(atom->thread, "main") == 0)
		e.thread = 0;
	return e;
}

/* All atoms, as often as needed, in any order; returns their number, or 0 if it is too large. */
static int
draw_all(struct writer *writer, struct world *w)
{
	int n = 0;

	for (uint32_t i = 0; i < w->plan->atom_count; i++) {
		uint32_t times_wanted = w->plan->atoms[i]->occurrence;

		for (times_wanted = times_wanted && times_wanted != SL_EVERY ? times_wanted : 1; times_wanted; times_wanted--) {
			if (n == EVENTS)
				return 0;
			w->events[n++] = event_of(w->plan->atoms[i]);
		}
	}
	for (int i = n - 1; i > 0; i--) {
		int j = (int)below(writer, (uint32_t)i + 1);
		struct sl_event e = w->events[i];

		w->events[i] = w->events[j];
		w->events[j] = e;
	}
	return n;
}

static const struct sl_formula *
find(const struct sl_formula *f, enum sl_formula_kind kind, uint32_t offset)
{
	const struct sl_formula *found;

	if (!f || (f->kind == kind && f->from.offset == offset))
		return f;
	found = find(f->left, kind, offset);
	return found ? found : find(f->right, kind, offset);
}

/* A thread leaves a line at most as often as it has reached it. */
static bool
lines_are_reached(const struct world *w, int n)
{
	for (int i = 0; i < n; i++) {
		const struct sl_event *left = &w->events[i];
		int inside = 0;

		if (left->kind != SL_EVENT_EXIT || !left->line)
			continue;
		for (int k = 0; k <= i; k++) {
			const struct sl_event *e = &w->events[k];

			if (e->thread == left->thread && e->line == left->line && strcmp(e->name, left->name) == 0)
				inside += e->kind == SL_EVENT_LINE ? 1 : -1;
		}
		if (inside < 0)
			return false;
	}
	return true;
}

/* A blocked thread does nothing, nor does a thread before its start or after its end. */
static bool
can_be(const struct world *w, int n)
{
	if (!lines_are_reached(w, n))
		return false;
	for (; n; n--)
		if (w->events[n - 1].kind != SL_EVENT_UNBLOCK && is_blocked(w, w->events[n - 1].thread, n - 1))
			return false;
		else
			for (int i = 0; i < n - 1; i++)
				if (w->events[i].thread == w->events[n - 1].thread &&
				    (w->events[i].kind == SL_EVENT_END || w->events[n - 1].kind == SL_EVENT_START))
					return false;
	return true;
}

static unsigned cycles, empty, moments, others;

static void
check_refusal(struct writer *writer, struct world *w)
{
	const struct sl_plan *plan = w->plan;

	if (strstr(noted.text, "form a cycle")) {
		cycles++;
		for (int sample = 0; sample < 40; sample++) {
			int n = draw_all(writer, w);
			bool all = n > 0 && can_be(w, n);

			forget(w);
			for (uint32_t i = 0; i < plan->atom_count && all; i++) {
				uint32_t wanted = plan->atoms[i]->occurrence;

				all = times(w, plan->atoms[i], n) >= (wanted && wanted != SL_EVERY ? wanted : 1);
			}
			if (all && plain_hold(w, n))
				fail_msg("%s: %s, and it can be", writer->text, noted.text);
		}
	} else if (strstr(noted.text, "always holds")) {
		empty++;
		for (int sample = 0; sample < 10; sample++)
			for (int n = 1; n <= 10; n++) {
				draw_event(writer, w, n);
				forget(w);
				if (!lines_are_reached(w, n))
					break;
				for (uint32_t i = 0; i < plan->ordering_count; i++)
					if (plan->orderings[i]->from.offset == noted.place.offset &&
					    !ordering_holds(w, plan->orderings[i], n))
						fail_msg("%s: %s, but it does", writer->text, noted.text);
			}
	} else if (strstr(noted.text, "different events")) {
		const struct sl_formula *f = NULL;

		moments++;
		for (uint32_t i = 0; i < plan->ordering_count && !f; i++)
			f = find(plan->orderings[i], SL_FORMULA_AND, noted.place.offset);
		assert_non_null(f);
		for (int sample = 0; sample < 10; sample++)
			for (int n = 1; n <= 10; n++) {
				draw_event(writer, w, n);
				forget(w);
				if (is_moment(w, n) && holds(w, f, n))
					fail_msg("%s: %s, and there is a moment", writer->text, noted.text);
			}
	} else {
		others++;
	}
}

static void
test_refused(void **unused)
{
	static struct world w;

	(void)unused;
	for (uint64_t seed = 1; seed <= 60000; seed++) {
		struct writer writer = {.rng = sl_rng_derive(5, seed)};

		write_schedule(&writer);
		w.plan = parse(writer.text);
		if (!right)
			check_refusal(&writer, &w);
	}
	printf("%u cycles, %u that say nothing, %u impossible moments, %u others\n", cycles, empty, moments, others);
	assert_true(cycles > 1000 && empty > 1000 && moments > 1000);
}

/* ---- all orders ---- */

static void
write_simple(struct writer *w)
{
	uint32_t count = 1 + below(w, 5);

	w->length = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t terms = 1 + below(w, 3);

		put(w, i ? ", (" : "(");
		for (uint32_t j = 0; j < terms; j++) {
			if (j)
				put(w, PICK(w, " && ", " || "));
			put(w, PICK(w, "a", "b", "c", "d", "a#2", "b#2", "a#1"));
		}
		put(w, ") -> ");
		put(w, PICK(w, "a", "b", "c", "d", "a#2", "b#2", "b#1"));
	}
}

/* Is there an order of what is left of each event, after the first n, that the schedule allows? */
static bool
some_order(struct world *w, unsigned left[4], int n)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	bool more = false;

	for (unsigned i = 0; i < 4; i++) {
		if (!left[i])
			continue;
		more = true;
		left[i]--;
		w->events[n] = (struct sl_event){.name = names[i]};
		forget(w);
		if (plain_hold(w, n + 1) && some_order(w, left, n + 1)) {
			left[i]++;
			return true;
		}
		left[i]++;
	}
	return !more;
}

static void
test_all_orders(void **unused)
{
	static struct world w;
	unsigned good = 0, bad = 0;

	(void)unused;
	for (uint64_t seed = 1; seed <= 30000; seed++) {
		struct writer writer = {.rng = sl_rng_derive(6, seed)};
		unsigned left[4] = {0};
		bool possible_order;

		write_simple(&writer);
		w.plan = parse(writer.text);
		if (!right && !strstr(noted.text, "form a cycle"))
			continue;
		for (uint32_t i = 0; i < w.plan->atom_count; i++) {
			unsigned *many = &left[w.plan->atoms[i]->name[0] - 'a'], wanted = w.plan->atoms[i]->occurrence;

			wanted = wanted ? wanted : 1;
			*many = wanted > *many ? wanted : *many;
		}
		possible_order = some_order(&w, left, 0);
		if (possible_order != right)
			fail_msg("%s: %s", writer.text, right ? "there is no such order" : noted.text);
		good += right;
		bad += !right;
	}
	printf("%u that can be, %u that can't\n", good, bad);
	assert_true(good > 1000 && bad > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_all_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
