/*
 * Prints what the flow of data through a recorded execution says, for tests and for looking at it.
 *
 *     paths_flows TRACE PROGRAM              the places whose reads affect a branch: "LINE OBJECT", sorted
 *     paths_flows --branches TRACE PROGRAM   each branch that was executed, with the reads and writes that it depends on
 *     paths_flows --possible TRACE PROGRAM   … and those that it could depend on in other orders
 *     paths_flows --objects TRACE PROGRAM    each variable that is read: "+ NAME" if one of its reads affects a branch, else "- NAME"
 *     paths_flows --lacking TRACE PROGRAM    what could not be followed
 *     paths_flows --sound TRACE PROGRAM      do reads that affect a branch decide, over all executions of the trace, which way each thread
 *                                            goes? Prints how many executions, different things seen, and paths there are; else exit status 1
 *     paths_flows --time N TRACE PROGRAM     how long one execution takes, of N
 *
 * The program is one file, and not position-independent.
 */
#include "base/rng.h"
#include "paths/flow.h"
#include "trace/tape/tape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct sl_item *items;
static size_t item_count;
static struct sl_names *names;

static void
give_up(const char *what)
{
	fprintf(stderr, "paths_flows: %s\n", what);
	exit(2);
}

static void
read_items(const char *path)
{
	struct sl_err err;
	struct sl_tape *tape = sl_tape_open(path, &err);
	size_t room = 0;
	struct sl_item item;

	if (!tape)
		give_up(err.text);
	while (sl_tape_next(tape, &item) == SL_TAPE_ITEM) {
		if (item_count == room) {
			room = room ? 2 * room : 1024;
			items = realloc(items, room * sizeof(*items));
			if (!items)
				give_up("out of memory");
		}
		items[item_count++] = item;
	}
	if (!tape->ended)
		give_up("the trace is not whole");
	sl_tape_close(tape);
}

static void
execute(struct sl_flow *flow)
{
	sl_flow_begin(flow);
	for (size_t i = 0; i < item_count; i++)
		sl_flow_item(flow, &items[i]);
	sl_flow_end(flow);
}

static const char *
text_of(uint64_t pc, bool writes)
{
	const struct sl_site *site = sl_names_site(names, pc, writes);

	return site && *site->text ? site->text : "?";
}

static int
by_text(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	int lines = atoi(x) - atoi(y);

	return lines ? lines : strcmp(x, y);
}

static void
print_mattering(struct sl_flow *flow)
{
	char **lines = calloc(item_count + 1, sizeof(*lines));
	size_t count = 0;

	if (!lines)
		give_up("out of memory");
	for (size_t i = 0; i < item_count; i++) {
		const struct sl_item *item = &items[i];
		struct sl_place place;
		char text[256];

		if (item->kind >= SL_OP_KIND_COUNT || !sl_flow_matters(flow, item->pc))
			continue;
		if (sl_kind_access(item->kind) && !(sl_kind_access(item->kind) & SL_OP_READS))
			continue;
		sl_names_place(names, item->pc, &place);
		snprintf(text, sizeof(text), "%u %s", place.line,
			 sl_kind_access(item->kind) ? text_of(item->pc, false) : sl_kind_word(item->kind));
		lines[count] = strdup(text);
		count += lines[count] != NULL;
	}
	qsort(lines, count, sizeof(*lines), by_text);
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(lines[i], lines[i - 1]) != 0)
			puts(lines[i]);
	for (size_t i = 0; i < count; i++)
		free(lines[i]);
	free(lines);
}

/* Variables on stacks have no name in a trace, and are left out. */
static void
print_objects(struct sl_flow *flow, const char *path)
{
	struct sl_err err;
	struct sl_tape *tape = sl_tape_open(path, &err);
	struct sl_item item;
	char **read = calloc(item_count + 1, sizeof(*read));
	bool *matters = calloc(item_count + 1, sizeof(*matters));
	size_t count = 0;

	if (!tape || !read || !matters)
		give_up("out of memory");
	while (sl_tape_next(tape, &item) == SL_TAPE_ITEM) {
		char text[256];
		size_t i = 0;

		if (!(sl_kind_access(item.kind) & SL_OP_READS) ||
		    !sl_tape_variable(tape, item.object, item.size, text, sizeof(text)))
			continue;
		while (i < count && strcmp(read[i], text) != 0)
			i++;
		if (i == count) {
			read[count] = strdup(text);
			count += read[count] != NULL;
		}
		matters[i] |= sl_flow_matters(flow, item.pc);
	}
	for (size_t i = 0; i < count; i++)
		printf("%c %s\n", matters[i] ? '+' : '-', read[i]);
	for (size_t i = 0; i < count; i++)
		free(read[i]);
	free(read);
	free(matters);
	sl_tape_close(tape);
}

/* "T1:11 x": the event of that number. */
static void
print_event(uint64_t number, bool writes)
{
	for (size_t i = 0; i < item_count; i++) {
		struct sl_place place;

		if (items[i].kind >= SL_OP_KIND_COUNT || --number)
			continue;
		sl_names_place(names, items[i].pc, &place);
		printf("T%u:%u %s %s", items[i].thread, place.line, writes ? "write" : "read",
		       sl_kind_access(items[i].kind) ? text_of(items[i].pc, writes) : sl_kind_word(items[i].kind));
		return;
	}
}

static void
print_branches(struct sl_flow *flow, bool possible)
{
	const struct sl_flow_branch *branches;
	size_t count = sl_flow_branches(flow, &branches);

	for (size_t i = 0; i < count; i++) {
		const struct sl_flow_use *uses;
		size_t use_count = sl_flow_uses(flow, &branches[i], possible, &uses);
		struct sl_place place;

		printf("T%u %s:%u #%u%s", branches[i].thread,
		       branches[i].function ? branches[i].function->name : "?",
		       branches[i].slice ? branches[i].slice->line : 0, branches[i].occurrence,
		       branches[i].slice && branches[i].slice->flags & TABLE_SLICE_LOOP ? " loop" : "");
		if (branches[i].outcome) {
			sl_names_place(names, branches[i].outcome, &place);
			printf(" to %u", place.line);
		}
		puts("");
		for (size_t k = 0; k < use_count; k++) {
			printf("  ");
			print_event(uses[k].read, false);
			printf(" <- ");
			if (uses[k].write)
				print_event(uses[k].write, true);
			else
				printf("initial");
			if (!uses[k].saw)
				printf(" (possible)");
			puts("");
		}
	}
}

static void
print_lacking(struct sl_flow *flow)
{
	static const char *const words[] = {
		[SL_FLOW_NO_TABLE] = "no table", [SL_FLOW_LIBRARY] = "library", [SL_FLOW_OUTSIDE] = "outside",
		[SL_FLOW_OPEN] = "open",         [SL_FLOW_DEEP] = "deep",       [SL_FLOW_MANY] = "many",
	};
	const struct sl_flow_lacking *lacking;
	size_t count = sl_flow_lacking(flow, &lacking);

	for (size_t i = 0; i < count; i++)
		printf("%s %s\n", words[lacking[i].kind], lacking[i].name);
}

/* ---- executions that see the same go the same way ---- */

#define WRITERS 65536

static struct writer {
	uint64_t address, who;
} writers[WRITERS];
static size_t parts[1 << 16]; /* where each execution begins */
static size_t part_count;

static struct writer *
writer_of(uint64_t address)
{
	size_t at = sl_mix(address) % WRITERS;

	while (writers[at].address && writers[at].address != address)
		at = (at + 1) % WRITERS;
	writers[at].address = address;
	return &writers[at];
}

static void
read_executions(const char *path)
{
	struct sl_err err;
	struct sl_tape *tape = sl_tape_open(path, &err);
	struct sl_item item;
	uint32_t part = 0;
	size_t room = 0;

	if (!tape)
		give_up(err.text);
	while (sl_tape_next(tape, &item) == SL_TAPE_ITEM) {
		if (tape->execution & (SL_PART_FINDING | SL_PART_CALM))
			continue;
		if (tape->part != part && part_count + 1 < sizeof(parts) / sizeof(*parts))
			parts[part_count++] = item_count;
		part = tape->part;
		if (item_count == room) {
			room = room ? 2 * room : 1024;
			items = realloc(items, room * sizeof(*items));
			if (!items)
				give_up("out of memory");
		}
		items[item_count++] = item;
	}
	parts[part_count] = item_count;
	sl_tape_close(tape);
}

static uint64_t
size_of(const struct sl_item *item)
{
	return sl_kind_is_plain(item->kind) && item->flags & SL_OP_RANGE ? item->value : item->size;
}

static void
write_bytes(const struct sl_item *item, uint64_t who)
{
	for (uint64_t b = 0; b < size_of(item); b++)
		writer_of(item->object + b)->who = who;
}

/* gcc announces copies of structs from their end. */
static bool
is_first_half(const struct sl_item *item, const struct sl_item *before)
{
	const struct sl_site *read = sl_names_site(names, item->pc, false);

	return !(sl_kind_access(item->kind) & SL_OP_READS) && read && read->flags & TABLE_PAIR &&
	       !(before && sl_names_site(names, before->pc, false) == read);
}

/* What the execution's mattering reads saw, and which ways its threads went. */
static void
sum_up(const struct sl_flow *flow, size_t from, size_t to, uint64_t *seen, uint64_t *path)
{
	uint64_t saw[64] = {0}, went[64] = {0}, count[64] = {0}, late_who[64];
	const struct sl_item *before[64] = {0}; /* the last access, if it did not end a copy */
	const struct sl_item *late[64] = {0};   /* writes that happen with the read that follows */

	memset(writers, 0, sizeof(writers));
	for (size_t i = from; i < to; i++) {
		const struct sl_item *item = &items[i];
		uint32_t t = item->thread % 64;
		unsigned does = sl_kind_access(item->kind);
		uint64_t size =
			sl_kind_is_plain(item->kind) && item->flags & SL_OP_RANGE ? item->value : item->size;
		bool ended;

		if (item->kind == SL_ITEM_BRANCH || item->kind == SL_ITEM_CALL)
			went[t] = sl_mix(went[t] * 31 + item->pc);
		count[t] += does != 0;
		for (uint64_t b = 0; does & SL_OP_READS && sl_flow_matters(flow, item->pc) && b < size; b++)
			saw[t] = sl_mix(saw[t] * 31 + writer_of(item->object + b)->who + item->pc);
		if (late[t] && does)
			write_bytes(late[t], late_who[t]);
		ended = late[t] != NULL && does;
		late[t] = does ? NULL : late[t];
		if (does & SL_OP_WRITES && is_first_half(item, before[t])) {
			late[t] = item;
			late_who[t] = count[t] * 64 + t + 1;
		} else if (does & SL_OP_WRITES) {
			write_bytes(item, count[t] * 64 + t + 1);
		}
		before[t] = ended ? NULL : does ? item : before[t];
	}
	*seen = *path = 0;
	for (unsigned t = 0; t < 64; t++) {
		*seen = sl_mix(*seen * 31 + saw[t]);
		*path = sl_mix(*path * 31 + went[t]);
	}
}

static int
by_seen(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	return x[1] < y[1] ? -1 : x[1] > y[1];
}

static int
is_sound(struct sl_flow *flow)
{
	uint64_t(*all)[3] = calloc(part_count + 1, sizeof(*all));
	size_t seen = 0, wrong = 0;

	if (!all)
		give_up("out of memory");
	for (size_t i = 0; i < part_count; i++) {
		sl_flow_begin(flow);
		for (size_t k = parts[i]; k < parts[i + 1]; k++)
			sl_flow_item(flow, &items[k]);
		sl_flow_end(flow);
	}
	for (size_t i = 0; i < part_count; i++) {
		sum_up(flow, parts[i], parts[i + 1], &all[i][0], &all[i][1]);
		all[i][2] = i + 1;
	}
	qsort(all, part_count, sizeof(*all), by_seen);
	for (size_t i = 0; i < part_count; i++) {
		bool same = i && all[i][0] == all[i - 1][0];

		seen += !same;
		if (same && all[i][1] != all[i - 1][1] && !wrong++)
			printf("executions %" PRIu64 " and %" PRIu64 " see the same and go different ways\n",
			       all[i - 1][2], all[i][2]);
	}
	if (!wrong)
		printf("%zu executions see %zu different things\n", part_count, seen);
	free(all);
	return wrong != 0;
}

int
main(int argc, char **argv)
{
	struct sl_module module = {.low = 0x400000, .high = 0x800000};
	const char *what = argc > 3 ? argv[1] : "";
	struct sl_flow *flow;
	struct timespec from, to;
	struct sl_err err;
	long times = 1;
	int status = 0;

	if (argc < 3)
		give_up("usage: paths_flows [--branches|--possible|--objects|--lacking|--time N] TRACE PROGRAM");
	if (!strcmp(what, "--sound"))
		read_executions(argv[argc - 2]);
	else
		read_items(argv[argc - 2]);
	snprintf(module.path, sizeof(module.path), "%s", argv[argc - 1]);
	names = sl_names_new(&module, 1, &err);
	if (!names)
		give_up(err.text);
	flow = sl_flow_new(names);
	sl_flow_want_events(flow, !strcmp(what, "--branches") || !strcmp(what, "--possible"));
	if (strcmp(what, "--sound") != 0)
		execute(flow);
	if (!strcmp(what, "--sound")) {
		status = is_sound(flow);
	} else if (!strcmp(what, "--time")) {
		times = atol(argv[2]);
		clock_gettime(CLOCK_MONOTONIC, &from);
		for (long i = 0; i < times; i++)
			execute(flow);
		clock_gettime(CLOCK_MONOTONIC, &to);
		printf("%zu items: %.3f us\n", item_count,
		       ((double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3) /
			       (double)times);
	} else if (!strcmp(what, "--branches")) {
		print_branches(flow, false);
	} else if (!strcmp(what, "--possible")) {
		print_branches(flow, true);
	} else if (!strcmp(what, "--objects")) {
		print_objects(flow, argv[argc - 2]);
	} else if (!strcmp(what, "--lacking")) {
		print_lacking(flow);
	} else {
		print_mattering(flow);
	}
	sl_flow_free(flow);
	sl_names_free(names);
	free(items);
	return status;
}
