#include "report/words.h"
#include "trace/replay/replay_file.h"

#include <stdlib.h>
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

/* Guesses why two executions diverge, by their first operations that differ. */
static const char *
cause(const struct sl_difference *d, const char *escaped, char *text, size_t room)
{
	const struct sl_op *a = &d->first.op, *b = &d->second.op;

	if (a->kind == SL_CLOCK && b->kind == SL_CLOCK)
		return "the time";
	if (a->kind == b->kind && a->pc == b->pc && a->object != b->object)
		return "an address: of memory that Sleave did not give out, or computed from something outside";
	if (escaped) {
		snprintf(text, room, "a call that is not under control: %s", escaped);
		return text;
	}
	if (a->kind == b->kind && a->pc == b->pc && a->object == b->object)
		return "a value from outside: a file, the environment, a process id, an instruction like rdtsc or rdrand";
	return "something outside: a file, the environment, a process id, an instruction like rdtsc or rdrand";
}

static void
parted(uint64_t at, const char *first, const char *second, const char *why, char *text, size_t room)
{
	char number[32];

	snprintf(text, room, "operation %s was first: %s; then: %s; likely cause: %s", sl_count_format(at, number),
		 first, second, why);
}

void
sl_difference_format(const struct sl_difference *d, struct sl_names *names, const char *escaped, char *text,
		     size_t room)
{
	char first[512], second[512], guess[256], number[32];

	describe(names, &d->first, first, sizeof(first));
	describe(names, &d->second, second, sizeof(second));
	if (strcmp(first, second) == 0) { /* the words are the same: the values differ */
		snprintf(guess, sizeof(guess), " with %#llx, then with %#llx", (unsigned long long)d->first.value,
			 (unsigned long long)d->second.value);
		strncat(first, guess, sizeof(first) - strlen(first) - 1);
		snprintf(text, room, "operation %s was: %s; likely cause: %s", sl_count_format(d->at, number),
			 first, cause(d, escaped, guess, sizeof(guess)));
		return;
	}
	parted(d->at, first, second, cause(d, escaped, guess, sizeof(guess)), text, room);
}

/* ---- a replay, and what its file says ---- */

#define STEPS_MAX 16384 /* operations; the file is meant to be kept, so it stays small */
#define TEXTS_MAX 4096

static bool
is_access(uint32_t kind)
{
	return sl_kind_is((uint8_t)kind, SL_KIND_ACCESS);
}

/* Removes numbers of addresses, which differ between processes. */
static void
cut_addresses(char *text)
{
	for (char *at = text; (at = strstr(at, " at 0x"));) {
		char *end = at + 6 + strspn(at + 6, "0123456789abcdef");

		memmove(at, end, strlen(end) + 1);
	}
}

static char *
step_format(struct sl_words *words, uint64_t record)
{
	const struct sl_record *r = &words->trace->records[record];
	char thread[64], operation[256], place[256], *text, *value;

	sl_words_operation(words, record, operation, sizeof(operation));
	value = is_access(r->op.kind) ? strrchr(operation, '(') : NULL;
	if (value && value > operation && value[-1] == ' ')
		value[-1] = '\0';
	cut_addresses(operation);
	if (asprintf(&text, "%s %s (%s)", sl_thread_short(r->op.thread, thread, sizeof(thread)), operation,
		     sl_words_place(words, r->op.pc, r->stack, place, sizeof(place))) < 0)
		abort();
	return text;
}

/* An operation that was put into words: equal ones need not be again, because that takes long. */
struct known {
	uint64_t object, pc, value;
	uint32_t thread, kind, stack, step; /* numbers from 1; 0: a free slot */
};

static struct known *
known_find(struct known *table, size_t size, const struct sl_record *r)
{
	uint64_t value = is_access(r->op.kind) ? 0 : r->value;
	size_t at = (size_t)((r->op.object ^ r->op.pc * 31 ^ value * 7 ^ r->op.thread * 131u ^ r->stack * 17u) *
				     0x9e3779b97f4a7c15u >>
			     32);

	for (;; at++) {
		struct known *k = &table[at % size];

		if (!k->step)
			*k = (struct known){r->op.object, r->op.pc, value, r->op.thread, r->op.kind, r->stack, 0};
		else if (k->object != r->op.object || k->pc != r->op.pc || k->value != value ||
			 k->thread != r->op.thread || k->kind != r->op.kind || k->stack != r->stack)
			continue;
		return k;
	}
}

static uint32_t
text_add(struct sl_steps *steps, char *text)
{
	for (size_t i = 0; i < steps->text_count; i++)
		if (strcmp(steps->texts[i], text) == 0) {
			free(text);
			return (uint32_t)i + 1;
		}
	if (steps->text_count == TEXTS_MAX) {
		free(text);
		return 0;
	}
	steps->texts[steps->text_count++] = text;
	return (uint32_t)steps->text_count;
}

void
sl_steps_of(const struct sl_trace *trace, struct sl_names *names, struct sl_steps *steps)
{
	size_t size = 4 * STEPS_MAX;
	struct known *table = calloc(size, sizeof(*table));
	struct sl_words words;

	*steps = (struct sl_steps){.texts = calloc(TEXTS_MAX, sizeof(*steps->texts)),
				   .path = calloc(STEPS_MAX, sizeof(*steps->path)),
				   .cut = trace->dropped || trace->count > STEPS_MAX};
	if (!table || !steps->texts || !steps->path)
		abort();
	sl_words_init(&words, trace, names);
	for (uint64_t i = 0; !trace->dropped && i < trace->count && i < STEPS_MAX; i++) {
		struct known *k = known_find(table, size, &trace->records[i]);

		if (!k->step)
			k->step = text_add(steps, step_format(&words, i));
		if (!k->step) {
			steps->cut = true;
			break;
		}
		steps->path[steps->path_count++] = k->step;
	}
	sl_words_release(&words);
	free(table);
}

static const char *
step_text(const struct sl_steps *steps, size_t at)
{
	return at < steps->path_count ? steps->texts[steps->path[at] - 1] : "the execution had ended";
}

/* If the program was rebuilt, different numbers of lines count as equal. */
static bool
is_same(const char *a, const char *b, bool rebuilt)
{
	if (!rebuilt)
		return strcmp(a, b) == 0;
	for (; *a && *a == *b; a++, b++) {
		size_t in_a = strspn(a + 1, "0123456789"), in_b = strspn(b + 1, "0123456789");

		if (*a == ':' && in_a && in_b) {
			a += in_a;
			b += in_b;
		}
	}
	return *a == *b;
}

bool
sl_steps_differ(const struct sl_steps *first, const struct sl_steps *second, bool rebuilt, const char *why,
		char *text, size_t room)
{
	size_t at = 0;

	while (at < first->path_count && at < second->path_count &&
	       is_same(step_text(first, at), step_text(second, at), rebuilt))
		at++;
	if (!first->path_count || (at == first->path_count && (first->cut || at == second->path_count)) ||
	    (at == second->path_count && second->cut))
		return false;
	parted(at + 1, step_text(first, at), step_text(second, at),
	       why ? why
		   : "something outside: a file, the environment, a process id, an instruction like rdtsc or rdrand",
	       text, room);
	return true;
}
