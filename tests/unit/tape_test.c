/*
 * Trace files: what was written is read again, and what is left of a damaged file is never wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/rng.h"
#include "trace/tape/tape.h"

static char path[64], other[64];

/* ---- a program that was never run ---- */

static bool
place(void *data, uint64_t pc, struct sl_place *place)
{
	static char function[32];

	(void)data;
	if (pc % 7 == 0)
		return false;
	snprintf(function, sizeof(function), "f%d", (int)(pc % 100));
	*place = (struct sl_place){.function = function, .file = "x.c", .path = "/src/x.c", .module = "x",
				   .line = (uint32_t)(pc % 1000), .column = 3, .offset = 0};
	return true;
}

/* Some calls have no site, and some read one object and write another. */
static const struct sl_site *
site(void *data, uint64_t pc, bool writes)
{
	static const struct sl_site_object member = {.kind = TABLE_POINTED, .container = "struct s"},
					   local = {.kind = TABLE_LOCAL, .container = "struct t"};
	static const struct sl_site read = {.text = "p->m", .object = &member},
				    written = {.text = "x.n", .object = &local},
				    nameless = {.text = "", .object = &member};

	(void)data;
	if (pc % 5 == 0)
		return NULL;
	return pc % 5 == 1 ? &nameless : pc % 5 == 2 && writes ? &written : &read;
}

static bool
covers(void *data, uint64_t first, uint64_t last)
{
	(void)data;
	return last >= 0x404000 && first < 0x405000;
}

static bool
variable(void *data, uint64_t address, uint32_t size, struct sl_data *variable)
{
	static char name[32];

	(void)data;
	snprintf(name, sizeof(name), "v[%d].b%d/%d", (int)(address - 0x404000) / 256, (int)(address % 256), (int)size);
	*variable = (struct sl_data){.name = name, .value = SL_VALUE_SIGNED, .size = 4};
	return true;
}

/* "v" is an array of 16 of 256 bytes; of its first element each byte has a name. */
static bool
extent(void *data, uint64_t address, struct sl_extent *extent)
{
	(void)data;
	if (address % 2)
		return false;
	*extent = (struct sl_extent){0x404000, 4096, 256, "v"};
	return true;
}

static const char *
function(void *data, uint64_t address)
{
	(void)data;
	return address % 2 ? "odd" : NULL;
}

static const char *
event(void *data, uint64_t number)
{
	(void)data;
	return number == 1 ? "started" : "stopped";
}

static const struct sl_tape_namer namer = {.place = place,
					   .site = site,
					   .covers = covers,
					   .variable = variable,
					   .extent = extent,
					   .function = function,
					   .event = event};

static char *arguments[] = {"./x", "", "a b", NULL};
static const struct sl_tape_head head = {.program = "/bin/x", .cwd = "/tmp", .build_id = "abc", .mode = "controlled",
					 .strategy = "random", .seed = UINT64_MAX, .argv = arguments};

static uint8_t
random_kind(struct sl_rng *rng)
{
	uint32_t n = sl_rng_below(rng, SL_OP_KIND_COUNT + 4);

	return (uint8_t)(n < SL_OP_KIND_COUNT ? n : SL_ITEM_CALL + n - SL_OP_KIND_COUNT);
}

/* Half of them from a few loops, as programs are; half of them anything. */
static struct sl_item
random_item(struct sl_rng *rng, uint64_t i)
{
	static const uint64_t pcs[] = {0x401000, 0x401010, 0x401777, 0x7ffff7a01234};
	struct sl_item item;

	if (sl_rng_below(rng, 2))
		return (struct sl_item){.kind = i % 3 ? SL_READ : SL_WRITE,
					.size = 4,
					.thread = (uint32_t)(i / 50 % 3),
					.object = 0x404000 + i % 64 * 4,
					.pc = pcs[i % 4]};
	item = (struct sl_item){.kind = random_kind(rng),
				.size = (uint8_t)sl_rng_next(rng),
				.flags = (uint16_t)sl_rng_next(rng),
				.thread = sl_rng_below(rng, 10) ? sl_rng_below(rng, 5) : sl_rng_below(rng, 8000),
				.object = sl_rng_next(rng) >> (sl_rng_below(rng, 64)),
				.pc = sl_rng_next(rng) >> (sl_rng_below(rng, 64)),
				.value = sl_rng_next(rng) >> (sl_rng_below(rng, 64))};
	if (item.kind == SL_CREATE)
		item.value %= 8000;
	return item;
}

static struct sl_item *
random_items(uint64_t seed, size_t count)
{
	struct sl_item *items = calloc(count, sizeof(*items));
	struct sl_rng rng = {seed};

	assert_non_null(items);
	for (size_t i = 0; i < count; i++)
		items[i] = random_item(&rng, i);
	return items;
}

/* A block after each `block` items (0: as large as they get), a part after each `part` items (0: one). */
static void
write_tape(const char *to, const struct sl_item *items, size_t count, size_t block, size_t part)
{
	struct sl_err err = {""};
	struct sl_tape_writer *w = sl_tape_writer_new(to, &head, &namer, &err);
	struct sl_tape_end end = {.how = "exit status 0", .missing = "3 threads were not recorded"};

	assert_non_null(w);
	for (size_t i = 0; i < count; i++) {
		if (part && i % part == 0)
			sl_tape_write_part(w, 10 * (i / part) + 10);
		assert_int_equal(sl_tape_write(w, &items[i]), 0);
		if (block && i % block == block - 1)
			sl_tape_write_flush(w);
	}
	assert_int_equal(sl_tape_writer_free(w, &end, &err), 0);
	assert_int_equal(end.items, count);
}

static void
assert_same(const struct sl_item *a, const struct sl_item *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->thread, b->thread);
	assert_int_equal(a->object, b->object);
	assert_int_equal(a->pc, b->pc);
	assert_int_equal(a->value, b->value);
}

static void
assert_named(const struct sl_tape *tape, const struct sl_item *item)
{
	struct sl_place is, wanted;
	struct sl_data wanted_data;
	char text[64];

	assert_int_equal(sl_tape_place(tape, item->pc, &is), place(NULL, item->pc, &wanted));
	if (item->pc % 7) {
		assert_string_equal(is.function, wanted.function);
		assert_string_equal(is.path, wanted.path);
		assert_int_equal(is.line, wanted.line);
	}
	for (int writes = 0; writes < 2; writes++) {
		const struct sl_site *said = site(NULL, item->pc, writes);
		const struct sl_tape_site *read = sl_tape_site(tape, item->pc, writes);

		assert_int_equal(read != NULL, said && *said->text);
		if (read) {
			assert_string_equal(read->text, said->text);
			assert_string_equal(read->container,
					    said->object->kind == TABLE_POINTED ? "struct s" : "");
		}
	}
	if (item->kind == SL_WRITE && covers(NULL, item->object, item->object)) {
		assert_non_null(sl_tape_variable(tape, item->object, item->size, text, sizeof(text)));
		variable(NULL, item->object, item->size, &wanted_data);
		assert_string_equal(text, wanted_data.name);
	}
	if (item->kind == SL_ITEM_CALL)
		assert_int_equal(sl_tape_function(tape, item->object) != NULL, item->object % 2);
	if (item->kind == SL_EVENT)
		assert_string_equal(sl_tape_event(tape, item->object), item->object == 1 ? "started" : "stopped");
}

/* Reads what can be read; every item must be the one of its number. Returns the number of items, and of damages. */
static size_t
read_tape(const char *from, const struct sl_item *items, size_t count, size_t part, unsigned *damages)
{
	struct sl_err err = {""};
	struct sl_tape *tape = sl_tape_open(from, &err);
	enum sl_tape_answer answer;
	struct sl_item item;
	size_t read = 0;

	*damages = 0;
	if (!tape) {
		assert_true(strlen(err.text) > 0);
		(*damages)++;
		return 0;
	}
	while ((answer = sl_tape_next(tape, &item)) != SL_TAPE_END) {
		size_t at = (size_t)tape->number - 1 + (part ? (tape->part - 1) * part : 0);

		if (answer == SL_TAPE_DAMAGE) {
			assert_true(strlen(tape->err.text) > 0);
			(*damages)++;
			assert_true(*damages < 1000);
			continue;
		}
		assert_true(at < count);
		assert_int_equal(tape->execution, part ? 10 * tape->part : 0);
		assert_same(&item, &items[at]);
		assert_named(tape, &item);
		read++;
	}
	assert_true(*damages || tape->ended);
	assert_int_equal(sl_tape_next(tape, &item), SL_TAPE_END);
	sl_tape_close(tape);
	return read;
}

static void *
slurp(size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size);
	assert_int_equal(fread(bytes, 1, *size, file), *size);
	fclose(file);
	return bytes;
}

static void
spill(const void *bytes, size_t size)
{
	FILE *file = fopen(other, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void
what_is_written_is_read(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 100, 30000};
	unsigned damages;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct sl_item *items = random_items(i + 1, sizes[i]);

		write_tape(path, items, sizes[i], 0, 0);
		assert_int_equal(read_tape(path, items, sizes[i], 0, &damages), sizes[i]);
		assert_int_equal(damages, 0);
		write_tape(path, items, sizes[i], 77, 1000);
		assert_int_equal(read_tape(path, items, sizes[i], 1000, &damages), sizes[i]);
		assert_int_equal(damages, 0);
		free(items);
	}
}

static void
the_head_says_what_was_recorded(void **state)
{
	struct sl_err err;
	struct sl_tape *tape;
	struct sl_item item = {.kind = SL_CREATE, .value = 1};

	(void)state;
	write_tape(path, &item, 1, 0, 0);
	tape = sl_tape_open(path, &err);
	assert_non_null(tape);
	assert_string_equal(tape->head.program, "/bin/x");
	assert_string_equal(tape->head.mode, "controlled");
	assert_int_equal(tape->head.seed, UINT64_MAX);
	for (int i = 0; i < 3; i++)
		assert_string_equal(tape->head.argv[i], arguments[i]);
	assert_null(tape->head.argv[3]);
	assert_null(tape->ended);
	assert_int_equal(sl_tape_next(tape, &item), SL_TAPE_ITEM);
	assert_int_equal(sl_tape_next(tape, &item), SL_TAPE_END);
	assert_string_equal(tape->ended, "exit status 0");
	assert_string_equal(tape->missing, "3 threads were not recorded");
	sl_tape_close(tape);
}

/* By their creators. */
static void
threads_have_paths(void **state)
{
	static const struct sl_item items[] = {
		{.kind = SL_CREATE, .thread = 0, .value = 1}, {.kind = SL_CREATE, .thread = 1, .value = 2},
		{.kind = SL_CREATE, .thread = 0, .value = 3}, {.kind = SL_CREATE, .thread = 1, .value = 4},
		{.kind = SL_START, .thread = 2},              {.kind = SL_START, .thread = 3},
		{.kind = SL_START, .thread = 4},              {.kind = SL_START, .thread = 9},
	};
	static const char *paths[] = {"0", "0.1", "0.1.1", "0.2", "0.1.2"};
	struct sl_err err;
	struct sl_tape *tape;
	struct sl_item item;

	(void)state;
	write_tape(path, items, sizeof(items) / sizeof(items[0]), 2, 0);
	tape = sl_tape_open(path, &err);
	assert_non_null(tape);
	while (sl_tape_next(tape, &item) == SL_TAPE_ITEM)
		;
	for (uint32_t i = 0; i < 5; i++)
		assert_string_equal(sl_tape_thread_path(tape, i), paths[i]);
	assert_null(sl_tape_thread_path(tape, 9));
	sl_tape_close(tape);
}

static bool
covers_if(void *data, uint64_t first, uint64_t last)
{
	return *(bool *)data && covers(NULL, first, last);
}

/* In another execution something else may lie there, which has no name. */
static void
names_may_end_with_an_execution(void **state)
{
	const struct sl_item item = {.kind = SL_WRITE, .size = 4, .object = 0x404010, .pc = 0x401000};
	bool loaded = true;
	struct sl_tape_namer own = namer;
	struct sl_err err = {""};
	struct sl_tape_end end = {.how = ""};
	struct sl_tape_writer *w;
	struct sl_tape *tape;
	struct sl_item got;
	char text[64];

	(void)state;
	own.data = &loaded;
	own.covers = covers_if;
	w = sl_tape_writer_new(path, &head, &own, &err);
	assert_non_null(w);
	for (int part = 1; part <= 3; part++) {
		sl_tape_write_part(w, (uint64_t)part);
		loaded = part == 1;
		if (part == 2)
			sl_tape_write_forget(w);
		assert_int_equal(sl_tape_write(w, &item), 0);
	}
	assert_int_equal(sl_tape_writer_free(w, &end, &err), 0);
	tape = sl_tape_open(path, &err);
	assert_non_null(tape);
	for (int part = 1; part <= 3; part++) {
		assert_int_equal(sl_tape_next(tape, &got), SL_TAPE_ITEM);
		assert_int_equal(tape->execution, part);
		assert_int_equal(sl_tape_variable(tape, got.object, got.size, text, sizeof(text)) != NULL, part == 1);
		assert_named(tape, &(struct sl_item){.kind = SL_READ, .pc = got.pc});
	}
	assert_int_equal(sl_tape_next(tape, &got), SL_TAPE_END);
	sl_tape_close(tape);
}

/* ---- several processes, recorded at the same time into one file ---- */

enum { LANES = 3, LANE_PARTS = 2, LANE_PART = 7, LANE_ITEMS = LANE_PARTS * LANE_PART, LANE_BLOCK = 5 };

static const char *
lane_thread(void *data, uint32_t thread)
{
	static char name[32];

	snprintf(name, sizeof(name), "t%u of %u", thread, *(uint32_t *)data);
	return name;
}

/* Turn by turn, so that blocks and executions of all of them are among each other. The last lane gets nothing. */
static void
write_lanes(struct sl_item *items[LANES])
{
	static uint32_t numbers[LANES + 1];
	struct sl_tape_writer *w[LANES + 1];
	struct sl_tape_head many = head;
	struct sl_tape_end end = {.how = "exit status 0"};
	struct sl_err err = {""};

	many.lanes = LANES + 1;
	for (uint32_t lane = 0; lane <= LANES; lane++) {
		struct sl_tape_namer own = namer;

		numbers[lane] = lane;
		own.data = &numbers[lane];
		own.thread = lane_thread;
		w[lane] = lane ? sl_tape_writer_beside(w[0], lane, &own) : sl_tape_writer_new(path, &many, &own, &err);
		assert_non_null(w[lane]);
	}
	for (size_t i = 0; i < LANE_ITEMS; i++)
		for (uint32_t lane = 0; lane < LANES; lane++) {
			if (i % LANE_PART == 0)
				sl_tape_write_part(w[lane], i / LANE_PART + 1);
			assert_int_equal(sl_tape_write(w[lane], &items[lane][i]), 0);
			if (i % LANE_BLOCK == lane)
				sl_tape_write_flush(w[lane]);
		}
	for (uint32_t lane = LANES; lane; lane--)
		sl_tape_writer_leave(w[lane]);
	assert_int_equal(sl_tape_writer_free(w[0], &end, &err), 0);
	assert_int_equal(end.items, LANES * LANE_ITEMS);
}

/* Every item is the one of its number in its execution of its lane, and what is left out in the middle is announced before. */
static size_t
read_lanes(const char *from, struct sl_item *items[LANES], unsigned *damages)
{
	struct sl_err err = {""};
	struct sl_tape *tape = sl_tape_open(from, &err);
	enum sl_tape_answer answer;
	size_t read = 0, next[LANES] = {0};
	uint32_t part = 0, lane = 0;
	struct sl_item item;
	bool told = false;
	char name[32];

	*damages = 0;
	if (!tape) {
		assert_true(strlen(err.text) > 0);
		(*damages)++;
		return 0;
	}
	while ((answer = sl_tape_next(tape, &item)) != SL_TAPE_END) {
		size_t at = (size_t)((tape->execution - 1) * LANE_PART + tape->number - 1);

		if (answer == SL_TAPE_DAMAGE) {
			assert_true(strlen(tape->err.text) > 0);
			(*damages)++;
			told = true;
			continue;
		}
		assert_true(tape->lane >= lane && tape->lane < LANES);
		assert_true(tape->part >= part);
		assert_true(tape->part > part || (tape->lane == lane && tape->number > 1));
		assert_true(at < LANE_ITEMS && at >= next[tape->lane]);
		assert_true(told || at == next[tape->lane]);
		assert_same(&item, &items[tape->lane][at]);
		snprintf(name, sizeof(name), "t%u of %u", item.thread, tape->lane);
		assert_string_equal(sl_tape_thread_name(tape, item.thread), name);
		next[tape->lane] = at + 1;
		part = tape->number == LANE_PART ? tape->part : tape->part - 1;
		lane = tape->lane;
		told = false;
		read++;
	}
	assert_true(*damages || tape->ended);
	sl_tape_close(tape);
	return read;
}

static void
lanes_are_read_one_after_the_other(void **state)
{
	struct sl_item *items[LANES];
	struct sl_err err;
	struct sl_tape *tape;
	struct sl_rng rng = {11};
	size_t size, fewest = LANES * LANE_ITEMS, read;
	unsigned damages;
	char *bytes;

	(void)state;
	for (uint32_t i = 0; i < LANES; i++)
		items[i] = random_items(20 + i, LANE_ITEMS);
	write_lanes(items);
	assert_int_equal(read_lanes(path, items, &damages), LANES * LANE_ITEMS);
	assert_int_equal(damages, 0);
	tape = sl_tape_open(path, &err);
	assert_non_null(tape);
	assert_int_equal(tape->head.lanes, LANES + 1);
	sl_tape_close(tape);
	bytes = slurp(&size);
	/* cut anywhere: of each lane what was there */
	for (size_t n = 0; n < size; n++) {
		spill(bytes, n);
		read = read_lanes(other, items, &damages);
		assert_true(damages > 0 && damages <= 2);
	}
	assert_int_equal(read, LANES * LANE_ITEMS);
	/* changed anywhere: all but that block */
	for (size_t at = 0; at < size; at++) {
		char before = bytes[at];

		bytes[at] = (char)(bytes[at] ^ (1 + sl_rng_below(&rng, 255)));
		spill(bytes, size);
		read = read_lanes(other, items, &damages);
		assert_true(damages > 0);
		if (read)
			fewest = read < fewest ? read : fewest;
		bytes[at] = before;
	}
	assert_int_equal(fewest, LANES * LANE_ITEMS - LANE_BLOCK);
	free(bytes);
	for (uint32_t i = 0; i < LANES; i++)
		free(items[i]);
}

/* At every length: all whole blocks, and a message that the rest is missing. */
static void
truncated_gives_all_whole_blocks(void **state)
{
	enum { COUNT = 60, BLOCK = 10 };
	struct sl_item *items = random_items(5, COUNT);
	size_t size, last = 0;
	unsigned damages;
	char *bytes;

	(void)state;
	write_tape(path, items, COUNT, BLOCK, 0);
	bytes = slurp(&size);
	for (size_t n = 0; n < size; n++) {
		size_t read;

		spill(bytes, n);
		read = read_tape(other, items, COUNT, 0, &damages);
		assert_int_equal(damages, 1);
		assert_int_equal(read % BLOCK, 0);
		assert_true(read >= last);
		last = read;
	}
	assert_int_equal(last, COUNT);
	free(bytes);
	free(items);
}

/* Any byte changed: what is before and behind the block is read, and nothing wrong ever is. */
static void
damaged_gives_the_rest(void **state)
{
	enum { COUNT = 50, BLOCK = 10 };
	struct sl_item *items = random_items(6, COUNT);
	struct sl_rng rng = {7};
	size_t size, fewest = COUNT;
	unsigned damages;
	char *bytes;

	(void)state;
	write_tape(path, items, COUNT, BLOCK, 0);
	bytes = slurp(&size);
	for (size_t at = 0; at < size; at++) {
		char before = bytes[at];
		size_t read;

		bytes[at] = (char)(bytes[at] ^ (1 + sl_rng_below(&rng, 255)));
		spill(bytes, size);
		read = read_tape(other, items, COUNT, 0, &damages);
		assert_true(damages > 0);
		if (read) {
			assert_true(read >= COUNT - BLOCK);
			fewest = read < fewest ? read : fewest;
		}
		bytes[at] = before;
	}
	assert_int_equal(fewest, COUNT - BLOCK);
	/* two places */
	for (int i = 0; i < 100; i++) {
		size_t a = sl_rng_below(&rng, (uint32_t)size), b = sl_rng_below(&rng, (uint32_t)size);
		char was[2] = {bytes[a], bytes[b]};

		bytes[a] ^= 0x55;
		bytes[b] ^= 0x2a;
		spill(bytes, size);
		read_tape(other, items, COUNT, 0, &damages);
		assert_true(damages > 0);
		bytes[b] = was[1];
		bytes[a] = was[0];
	}
	free(bytes);
	free(items);
}

static void
a_newer_one_says_so_and_is_read(void **state)
{
	struct sl_item item = {.kind = SL_READ}, got;
	struct sl_err err = {""};
	struct sl_tape *tape;
	size_t size;
	char *bytes;

	(void)state;
	write_tape(path, &item, 1, 0, 0);
	bytes = slurp(&size);
	bytes[8]++;
	spill(bytes, size);
	tape = sl_tape_open(other, &err);
	assert_non_null(tape);
	assert_int_equal(sl_tape_next(tape, &got), SL_TAPE_DAMAGE);
	assert_non_null(strstr(tape->err.text, "newer"));
	assert_int_equal(sl_tape_next(tape, &got), SL_TAPE_ITEM);
	assert_int_equal(got.kind, SL_READ);
	assert_int_equal(sl_tape_next(tape, &got), SL_TAPE_END);
	sl_tape_close(tape);
	bytes[8 + 8]++; /* its header can't be read */
	spill(bytes, size);
	assert_null(sl_tape_open(other, &err));
	assert_non_null(strstr(err.text, "newer"));
	free(bytes);
	spill("#!/bin/sh\necho no trace at all\n", 31);
	assert_null(sl_tape_open(other, &err));
	assert_non_null(strstr(err.text, "not a trace"));
	assert_null(sl_tape_open("/", &err));
	assert_null(sl_tape_open("/nowhere/at/all", &err));
	assert_non_null(strstr(err.text, "No such file"));
}

/* That had no lanes, and is the same otherwise. */
static void
the_version_before_is_read(void **state)
{
	enum { COUNT = 40 };
	struct sl_item *items = random_items(9, COUNT);
	unsigned damages;
	size_t size;
	char *bytes;

	(void)state;
	write_tape(path, items, COUNT, 7, 10);
	bytes = slurp(&size);
	assert_int_equal(bytes[8], SL_TAPE_VERSION);
	bytes[8] = 3;
	spill(bytes, size);
	assert_int_equal(read_tape(other, items, COUNT, 10, &damages), COUNT);
	assert_int_equal(damages, 0);
	free(bytes);
	free(items);
}

/* Whatever happens to it, and to where it ends: blocks are found without it. */
static void
a_damaged_header_costs_no_item(void **state)
{
	enum { COUNT = 40, START = 24 };
	struct sl_item *items = random_items(11, COUNT);
	unsigned damages;
	uint32_t length;
	size_t size;
	char *bytes;

	(void)state;
	write_tape(path, items, COUNT, 7, 10);
	bytes = slurp(&size);
	memcpy(&length, bytes + 12, sizeof(length));
	for (uint32_t at = 12; at < START + length; at++) {
		bytes[at] ^= (char)(1 << at % 8);
		spill(bytes, size);
		assert_int_equal(read_tape(other, items, COUNT, 10, &damages), COUNT);
		assert_int_equal(damages, 1);
		bytes[at] ^= (char)(1 << at % 8);
	}
	spill(bytes, START + length / 2);
	assert_null(sl_tape_open(other, &(struct sl_err){""}));
	free(bytes);
	free(items);
}

/* A kind that the reader does not know has its word all the same: in the table of kinds READ gets another name. */
static void
kinds_go_by_their_words(void **state)
{
	for (int kind = 0; kind < 256; kind++)
		if (sl_kind_word((uint8_t)kind))
			assert_int_equal(sl_kind_find(sl_kind_word((uint8_t)kind)), kind);
	assert_int_equal(sl_kind_find("NO_SUCH_KIND"), -1);
	(void)state;
}

/* A loop over an array, with a lock, calls and returns, is what most traces are made of. */
static void
an_item_takes_few_bytes(void **state)
{
	enum { COUNT = 1000000 };
	struct sl_err err;
	struct sl_tape_writer *w = sl_tape_writer_new(path, &head, &namer, &err);
	struct sl_rng rng = {3};
	struct sl_tape_end end = {.how = ""};

	(void)state;
	assert_non_null(w);
	for (uint64_t i = 0; i < COUNT / 4; i++) {
		uint32_t thread = (uint32_t)(i / 100 % 4);
		uint64_t cell = 0x610000000000 + (sl_rng_next(&rng) & 0xffff8);

		sl_tape_write(w, &(struct sl_item){SL_ITEM_CALL, 0, 0, thread, 0x401000, 0x401500, 0});
		sl_tape_write(w, &(struct sl_item){SL_READ, 8, 1, thread, cell, 0x401100, 0});
		sl_tape_write(w, &(struct sl_item){SL_WRITE, 8, 2, thread, cell, 0x401110, 0});
		sl_tape_write(w, &(struct sl_item){SL_ITEM_RETURN, 0, 0, thread, 0, 0x401120, 0});
	}
	assert_int_equal(sl_tape_writer_free(w, &end, &err), 0);
	assert_int_equal(end.items, COUNT);
	assert_true(end.bytes < 2 * COUNT);
}

static void
what_can_not_be_written_is_an_error(void **state)
{
	struct sl_err err = {""};
	struct sl_tape_writer *w;

	(void)state;
	assert_null(sl_tape_writer_new("/nowhere/at/all", &head, &namer, &err));
	assert_non_null(strstr(err.text, "/nowhere/at/all"));
	w = sl_tape_writer_new("/dev/full", &head, NULL, &err);
	assert_non_null(w);
	sl_tape_write(w, &(struct sl_item){.kind = SL_READ});
	assert_int_equal(sl_tape_writer_free(w, &(struct sl_tape_end){.how = ""}, &err), -1);
	assert_non_null(strstr(err.text, "No space left"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(the_head_says_what_was_recorded),
		cmocka_unit_test(threads_have_paths),
		cmocka_unit_test(names_may_end_with_an_execution),
		cmocka_unit_test(lanes_are_read_one_after_the_other),
		cmocka_unit_test(truncated_gives_all_whole_blocks),
		cmocka_unit_test(damaged_gives_the_rest),
		cmocka_unit_test(a_newer_one_says_so_and_is_read),
		cmocka_unit_test(the_version_before_is_read),
		cmocka_unit_test(a_damaged_header_costs_no_item),
		cmocka_unit_test(kinds_go_by_their_words),
		cmocka_unit_test(an_item_takes_few_bytes),
		cmocka_unit_test(what_can_not_be_written_is_an_error),
	};

	/* files in memory: there are thousands */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memfd_create("path", 0));
	snprintf(other, sizeof(other), "/proc/self/fd/%d", memfd_create("other", 0));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
