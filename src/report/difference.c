#include "report/words.h"

#include <string.h>

static void
describe(struct sl_names *names, const struct sl_record *record, char *text, size_t room)
{
	struct sl_trace trace = {.records = record, .count = 1};
	struct sl_words words;
	char thread[64], operation[256], place[256];

	if (record->op.kind >= SL_OP_KIND_COUNT) {
		snprintf(text, room, "the execution had ended");
		return;
	}
	sl_words_init(&words, &trace, names);
	snprintf(text, room, "%s %s (%s)", sl_thread_short(record->op.thread, thread, sizeof(thread)),
		 sl_words_operation(&words, 0, operation, sizeof(operation)),
		 sl_words_place(&words, record->op.pc, record->stack, place, sizeof(place)));
	sl_words_release(&words);
}

/* What makes an execution go another way, as far as its first step in the other direction tells. */
static const char *
cause(const struct sl_difference *d, const char *escaped, char *text, size_t room)
{
	const struct sl_op *a = &d->first.op, *b = &d->second.op;

	if (a->kind == SL_CLOCK && b->kind == SL_CLOCK)
		return "the time";
	if (a->kind == b->kind && a->pc == b->pc && a->object != b->object)
		return "an address: of memory that Sleave did not give out, or computed from something outside";
	if (escaped) {
		snprintf(text, room, "an uncontrolled call: %s", escaped);
		return text;
	}
	if (a->kind == b->kind && a->pc == b->pc && a->object == b->object)
		return "a value from outside: a file, the environment, a process id, an instruction like rdtsc or rdrand";
	return "something outside: a file, the environment, a process id, an instruction like rdtsc or rdrand";
}

void
sl_difference_format(const struct sl_difference *d, struct sl_names *names, const char *escaped, char *text,
		     size_t room)
{
	char first[512], second[512], guess[256], number[32];

	describe(names, &d->first, first, sizeof(first));
	describe(names, &d->second, second, sizeof(second));
	if (strcmp(first, second) == 0) { /* the same words: the value of the operation is the difference */
		snprintf(guess, sizeof(guess), " with %#llx, then with %#llx", (unsigned long long)d->first.value,
			 (unsigned long long)d->second.value);
		strncat(first, guess, sizeof(first) - strlen(first) - 1);
		snprintf(text, room, "operation %s was: %s; likely cause: %s", sl_count_format(d->at, number),
			 first, cause(d, escaped, guess, sizeof(guess)));
		return;
	}
	snprintf(text, room, "operation %s was first: %s; then: %s; likely cause: %s",
		 sl_count_format(d->at, number), first, second, cause(d, escaped, guess, sizeof(guess)));
}
