/*
 * The reader of traces, on anything: `sleave trace` shows files that come from elsewhere. Checksums and compression would keep
 * each mutation out, so an input is what a file is made of (as below), and the target adds them. Reading ends, whatever there is,
 * gives no more items than the blocks say, has a sentence for each damage; it can be shown; and what could be read is read again when
 * it is written.
 *
 * An input is a byte: 'F', and the file as it is; or else the size of the header's text (two bytes, as all sizes) and the
 * text, then blocks: flags and lane, items (two bytes), part, number of the first, execution, size of the body and the body.
 */
#include "report/trace/tape_report.h"
#include "trace/tape/tape.h"
#include "trace/tape/tape_format.h"

#include "fuzz.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#define ITEMS_MAX 2000 /* of an input; a run of predicted items is a few bytes, however long */
#define BLOCK_ITEMS 512

static const uint8_t *at, *end;

static unsigned
byte(void)
{
	return at < end ? *at++ : 0;
}

static size_t
size(void)
{
	size_t low = byte();

	return low | byte() << 8;
}

static void
put(int fd, const void *bytes, size_t count)
{
	HOLDS(write(fd, bytes, count) == (ssize_t)count);
}

static void
put_head(int fd)
{
	size_t wanted = size(), count = wanted < (size_t)(end - at) ? wanted : (size_t)(end - at);
	struct sl_tape_start start = {
		.magic = SL_TAPE_MAGIC, .version = SL_TAPE_VERSION, .size = (uint32_t)count, .check = sl_tape_check(at, count)};

	put(fd, &start, sizeof(start));
	put(fd, at, count);
	at += count;
}

static uint64_t
put_block(int fd)
{
	unsigned flags = byte();
	struct sl_block_start start = {.magic = SL_BLOCK_MAGIC, .flags = (flags & 15) | flags >> 4 << SL_BLOCK_LANE_SHIFT};
	uint8_t stored[ZSTD_COMPRESSBOUND(65536)];
	size_t wanted, n;

	start.items = (uint32_t)size() % BLOCK_ITEMS;
	start.part = byte();
	start.first = byte();
	start.execution = byte();
	wanted = size();
	start.raw = (uint32_t)(wanted < (size_t)(end - at) ? wanted : (size_t)(end - at));
	n = ZSTD_compress(stored, sizeof(stored), at, start.raw, 1);
	HOLDS(!ZSTD_isError(n));
	at += start.raw;
	start.stored = (uint32_t)n;
	start.check = sl_tape_check(stored, n);
	start.head_check = sl_tape_check(&start, offsetof(struct sl_block_start, head_check));
	put(fd, &start, sizeof(start));
	put(fd, stored, n);
	return start.items;
}

/* ---- what must hold ---- */

static void
check_names(const struct sl_tape *tape, const struct sl_item *item)
{
	char text[512];
	struct sl_place place;
	const char *name;

	if (sl_tape_place(tape, item->pc, &place))
		HOLDS(place.function && place.file && place.module);
	name = sl_tape_variable(tape, item->object, item->size, text, sizeof(text));
	HOLDS(!name || strlen(name) < sizeof(text));
	name = sl_tape_thread_path(tape, item->thread);
	HOLDS(!name || strlen(name) < 1u << 17);
	HOLDS(sl_tape_kind(tape, item));
}

static bool
is_same(const struct sl_item *a, const struct sl_item *b)
{
	return a->kind == b->kind && a->size == b->size && a->flags == b->flags && a->thread == b->thread &&
	       a->object == b->object && a->pc == b->pc && a->value == b->value;
}

/* Returns how many there are. */
static uint64_t
read_all(const char *path, uint64_t most, struct sl_item *items, bool *whole)
{
	struct sl_err err = {""};
	struct sl_tape *tape = sl_tape_open(path, &err);
	enum sl_tape_answer answer;
	struct sl_item item;
	uint64_t count = 0;

	*whole = tape != NULL;
	if (!tape) {
		HOLDS(err.text[0]);
		return 0;
	}
	while ((answer = sl_tape_next(tape, &item)) != SL_TAPE_END) {
		if (answer == SL_TAPE_DAMAGE) {
			HOLDS(tape->err.text[0]);
			*whole = false;
			continue;
		}
		HOLDS(count < most);
		check_names(tape, &item);
		if (item.kind == SL_TAPE_KIND_UNKNOWN)
			*whole = false;
		if (count < ITEMS_MAX)
			items[count] = item;
		count++;
	}
	HOLDS(tape->items == count);
	if (tape->part != 1)
		*whole = false; /* more than one execution */
	sl_tape_close(tape);
	return count;
}

static void
show(const char *path, const struct sl_tape_format *format)
{
	struct sl_err err = {""};
	struct sl_tape_view view = {.tape = sl_tape_open(path, &err), .locks = true};
	enum sl_tape_answer answer;
	struct sl_item item;
	uint32_t part = 1;
	void *state;

	view.out = fopen("/dev/null", "w");
	HOLDS(view.tape && view.out);
	view.scene = sl_scene_new(view.tape);
	state = format->begin(&view);
	while ((answer = sl_tape_next(view.tape, &item)) != SL_TAPE_END) {
		if (answer == SL_TAPE_DAMAGE) {
			view.damaged = true;
			if (format->damage)
				format->damage(state, &view);
			sl_scene_forget(view.scene);
			continue;
		}
		if (view.tape->part != part)
			sl_scene_forget(view.scene);
		part = view.tape->part;
		sl_scene_before(view.scene, &item);
		format->item(state, &view, &item);
		sl_scene_after(view.scene, &item);
	}
	format->end(state, &view);
	fclose(view.out);
	sl_scene_free(view.scene);
	sl_tape_close(view.tape);
}

static void
write_again(const struct sl_item *items, uint64_t count)
{
	static struct sl_item again[ITEMS_MAX];
	struct sl_err err = {""};
	struct sl_tape_writer *writer;
	int fd = memfd_create("again", MFD_CLOEXEC);
	char path[32];
	bool whole;

	HOLDS(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	writer = sl_tape_writer_new(path, &(struct sl_tape_head){.program = "x"}, NULL, &err);
	HOLDS(writer);
	for (uint64_t i = 0; i < count; i++)
		HOLDS(sl_tape_write(writer, &items[i]) == 0);
	HOLDS(sl_tape_writer_free(writer, &(struct sl_tape_end){.how = "end"}, &err) == 0);
	HOLDS(read_all(path, count, again, &whole) == count && whole);
	for (uint64_t i = 0; i < count; i++)
		HOLDS(is_same(&items[i], &again[i]));
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static const struct sl_tape_format *const formats[] = {&sl_tape_text, &sl_tape_json, &sl_tape_perfetto, &sl_tape_summary};
	static struct sl_item items[ITEMS_MAX];
	uint64_t most = 0, there;
	int fd = memfd_create("tape", MFD_CLOEXEC);
	char path[32];
	bool whole;

	HOLDS(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	at = data;
	end = data + count;
	if (byte() == 'F') {
		put(fd, at, (size_t)(end - at));
		most = UINT32_MAX;
	} else {
		put_head(fd);
		while (at < end && most < ITEMS_MAX)
			most += put_block(fd);
	}
	there = read_all(path, most, items, &whole);
	if (whole && there <= ITEMS_MAX)
		write_again(items, there);
	if (there || whole) /* one of them: which is as random as the input */
		show(path, formats[count % (sizeof(formats) / sizeof(*formats))]);
	close(fd);
	return 0;
}
