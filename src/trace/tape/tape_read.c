#include "trace/tape/tape.h"

#include "trace/tape/tape_code.h"
#include "trace/tape/tape_format.h"
#include "trace/tape/tape_names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define THREADS_KEPT (1u << 16) /* names of threads that are kept; then the oldest are removed */
#define WINDOW (1u << 16) /* bytes that the search for the next block reads at a time */

struct reader {
	struct sl_tape tape; /* must come first */
	int fd;
	char *path;
	uint64_t size; /* bytes of the file */
	uint64_t start; /* offset of the first block */
	uint64_t offset; /* offset of the next block */
	uint32_t base; /* the number of parts in the lanes before this one */
	uint32_t lanes; /* the known number of lanes */
	struct sl_tape_code *code;
	ZSTD_DCtx *zstd;
	struct sl_bytes stored, body;
	struct sl_cursor cursor;
	uint32_t left; /* items left in the block */
	uint32_t threads_part; /* the part at which names of threads were removed last */
	bool over; /* this lane has been read */
	bool cut; /* the missing end was reported */
	bool told; /* damage was reported, and nothing has been read since */
	bool newer; /* the file has a newer format, which was not reported yet */
	bool opaque; /* the format is so new that items can't be read */
	bool headless; /* the header is damaged, which was not reported yet */
	uint8_t kinds[256];    /* by the file's number */
	const char *words[256];
	uint8_t unknown; /* the file's number of the last item, if its kind is unknown */
	struct sl_tape_names names;
};

static const char *
intern(struct reader *r, char *text)
{
	return sl_tape_names_keep(&r->names, text);
}

/* ---- the file ---- */

static int
get(struct reader *r, uint64_t offset, void *to, size_t size)
{
	char *at = to;

	while (size) {
		ssize_t n = pread(r->fd, at, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

static int
other_version(const struct reader *r, struct sl_err *err, const char *more)
{
	return sl_err_set(err,
			  "%s was written by %s Sleave (version %" PRIu32 " of the format; this one knows %d)%s",
			  r->path, r->newer ? "a newer" : "an older", r->tape.version, SL_TAPE_VERSION, more);
}

static uint64_t look_for_block(struct reader *r, uint64_t from);

/*
 * The header is damaged. If the file has a block nevertheless, its items can be read as far as kinds have their
 * present numbers.
 */
static int
read_without_head(struct reader *r, struct sl_err *err)
{
	r->offset = r->start = look_for_block(r, sizeof(struct sl_tape_start));
	if (r->tape.version != SL_TAPE_VERSION || r->start == r->size)
		return sl_err_set(err, "%s is damaged: its header can't be read", r->path);
	for (unsigned i = 0; i < 256; i++) {
		const char *word = sl_kind_word((uint8_t)i);

		r->words[i] = word;
		r->kinds[i] = word ? (uint8_t)i : SL_TAPE_KIND_UNKNOWN;
	}
	r->tape.head.program = "unknown";
	r->tape.head.mode = r->tape.head.strategy = r->tape.head.cwd = r->tape.head.build_id = "";
	r->tape.head.argv = sl_must(calloc(1, sizeof(char *)));
	r->tape.head.lanes = 1;
	r->headless = true;
	return 0;
}

static int
read_head(struct reader *r, struct sl_err *err)
{
	struct sl_tape_start start;
	struct sl_cursor c;
	uint8_t *bytes;
	uint64_t count;

	if (get(r, 0, &start, sizeof(start)) < 0 || memcmp(start.magic, SL_TAPE_MAGIC, sizeof(start.magic)) != 0)
		return sl_err_set(err, "%s is not a trace of Sleave%s", r->path,
				  r->size < sizeof(start) ? ": it is too short" : "");
	r->tape.version = start.version;
	r->newer = start.version > SL_TAPE_VERSION;
	if (start.version < SL_TAPE_OLDEST)
		return other_version(r, err, "");
	if (start.size > r->size - sizeof(start))
		return look_for_block(r, sizeof(start)) < r->size && !r->newer
			       ? read_without_head(r, err)
			       : sl_err_set(err, "%s is truncated: it ends in its header", r->path);
	bytes = sl_must(malloc(start.size + 1u));
	if (get(r, sizeof(start), bytes, start.size) < 0 || sl_tape_check(bytes, start.size) != start.check) {
		free(bytes);
		return r->newer ? other_version(r, err, "") : read_without_head(r, err);
	}
	r->offset = r->start = sizeof(start) + start.size;
	c = (struct sl_cursor){bytes, bytes + start.size, false};
	memset(r->kinds, SL_TAPE_KIND_UNKNOWN, sizeof(r->kinds));
	for (count = sl_cursor_number(&c); count && !c.short_; count--) {
		uint8_t number = sl_cursor_byte(&c);
		int known;

		r->words[number] = intern(r, sl_cursor_text(&c));
		known = sl_kind_find(r->words[number]);
		r->kinds[number] = known < 0 ? SL_TAPE_KIND_UNKNOWN : (uint8_t)known;
	}
	r->tape.head.mode = intern(r, sl_cursor_text(&c));
	r->tape.head.strategy = intern(r, sl_cursor_text(&c));
	r->tape.head.seed = sl_cursor_number(&c);
	r->tape.head.program = intern(r, sl_cursor_text(&c));
	r->tape.head.cwd = intern(r, sl_cursor_text(&c));
	r->tape.head.build_id = intern(r, sl_cursor_text(&c));
	count = sl_cursor_number(&c);
	if (count > start.size)
		c.short_ = true, count = 0;
	r->tape.head.argv = sl_must(calloc(count + 1, sizeof(char *)));
	for (uint64_t i = 0; i < count; i++)
		r->tape.head.argv[i] = (char *)intern(r, sl_cursor_text(&c));
	r->opaque = r->newer && (c.at == c.end || sl_cursor_number(&c) > SL_TAPE_VERSION);
	if (!r->newer)
		sl_cursor_number(&c);
	count = c.at < c.end ? sl_cursor_number(&c) : 1;
	r->tape.head.lanes = count && count <= SL_TAPE_LANES_MAX ? (uint32_t)count : 1;
	free(bytes);
	if (c.short_ && r->newer)
		return other_version(r, err, "");
	return c.short_ ? sl_err_set(err, "%s is damaged: its header can't be read", r->path) : 0;
}

struct sl_tape *
sl_tape_open(const char *path, struct sl_err *err)
{
	struct reader *r = sl_must(calloc(1, sizeof(*r)));
	struct stat info;

	r->path = sl_must(strdup(path));
	r->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0 || fstat(r->fd, &info) < 0) {
		sl_err_set(err, "cannot read %s: %s", path, strerror(errno));
		goto failed;
	}
	if (!S_ISREG(info.st_mode)) {
		sl_err_set(err, "%s is not a file", path);
		goto failed;
	}
	r->size = (uint64_t)info.st_size;
	if (read_head(r, err) < 0)
		goto failed;
	r->code = sl_code_new();
	r->zstd = sl_must(ZSTD_createDCtx());
	r->tape.part = 1;
	r->lanes = 1;
	return &r->tape;
failed:
	sl_tape_close(&r->tape);
	return NULL;
}

void
sl_tape_close(struct sl_tape *tape)
{
	struct reader *r = (struct reader *)tape;

	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	sl_tape_names_release(&r->names);
	free(r->tape.head.argv);
	free(r->path);
	free(r->stored.at);
	free(r->body.at);
	sl_code_free(r->code);
	ZSTD_freeDCtx(r->zstd);
	free(r);
}

/* ---- definitions ---- */

static bool
read_definitions(struct reader *r, struct sl_cursor *c)
{
	for (;;) {
		uint64_t type = sl_cursor_number(c), size;
		struct sl_cursor one;

		if (c->short_)
			return false;
		if (type == SL_DEFINE_END)
			return true;
		size = sl_cursor_number(c);
		if (size > (uint64_t)(c->end - c->at))
			return false;
		one = (struct sl_cursor){c->at, c->at + size, false};
		if (type == SL_DEFINE_ENDED)
			r->tape.ended = intern(r, sl_cursor_text(&one));
		else if (type == SL_DEFINE_MISSING)
			r->tape.missing = intern(r, sl_cursor_text(&one));
		else if (type == SL_DEFINE_FORGET)
			sl_tape_names_forget_addresses(&r->names);
		else
			sl_tape_names_read(&r->names, type, &one); /* definitions of a newer version are ignored */
		if (one.short_)
			return false;
		c->at += size;
	}
}

/* ---- blocks ---- */

static uint32_t
lane_of(const struct sl_block_start *start)
{
	return start->flags >> SL_BLOCK_LANE_SHIFT;
}

static bool
is_start(const struct sl_block_start *start)
{
	return start->magic == SL_BLOCK_MAGIC && start->raw <= SL_BLOCK_RAW_MAX &&
	       lane_of(start) < SL_TAPE_LANES_MAX &&
	       start->head_check == sl_tape_check(start, offsetof(struct sl_block_start, head_check));
}

/* Returns the offset of the next block, or the end of the file. */
static uint64_t
look_for_block(struct reader *r, uint64_t from)
{
	static const uint32_t magic = SL_BLOCK_MAGIC;
	uint8_t *window = sl_must(malloc(WINDOW));
	uint64_t found = r->size;

	while (from + sizeof(struct sl_block_start) <= r->size && found == r->size) {
		size_t n = r->size - from < WINDOW ? (size_t)(r->size - from) : WINDOW, at = 0;

		if (get(r, from, window, n) < 0)
			break;
		for (; at + sizeof(struct sl_block_start) <= n; at++) {
			struct sl_block_start start;

			if (memcmp(window + at, &magic, sizeof(magic)) != 0)
				continue;
			memcpy(&start, window + at, sizeof(start));
			if (is_start(&start)) {
				found = from + at;
				break;
			}
		}
		from += at;
	}
	free(window);
	return found;
}

/* Reports damage at r->offset, and continues with the next block after `from`. */
static enum sl_tape_answer
damage(struct reader *r, uint64_t from, const char *what)
{
	uint64_t at = r->offset, next = look_for_block(r, from);

	if (next == r->size)
		sl_err_set(&r->tape.err,
			   "%s: %s at byte %" PRIu64 " of %" PRIu64 ": what was recorded after that is lost",
			   r->path, what, at, r->size);
	else
		sl_err_set(&r->tape.err, "%s: %s at byte %" PRIu64 ": %" PRIu64 " bytes are skipped", r->path,
			   what, at, next - at);
	r->offset = next;
	r->cut = next == r->size;
	r->left = 0;
	r->told = true;
	return SL_TAPE_DAMAGE;
}

/* The same for damage that belongs to no particular lane: it is reported while the first lane is read. */
static enum sl_tape_answer
damage_of_any(struct reader *r, uint64_t from, const char *what)
{
	if (!r->tape.lane)
		return damage(r, from, what);
	r->offset = look_for_block(r, from);
	return SL_TAPE_ITEM;
}

/* Each block defines the names of its threads again: there may be many executions. */
static void
threads_forget(struct reader *r)
{
	if (r->tape.part == r->threads_part && r->names.threads.count < THREADS_KEPT)
		return;
	sl_tape_names_forget_threads(&r->names);
	r->threads_part = r->tape.part;
}

/* The lane has been read. SL_TAPE_ITEM: another lane begins. */
static enum sl_tape_answer
lane_ends(struct reader *r)
{
	if (r->tape.lane + 1 >= r->lanes)
		return SL_TAPE_END;
	r->tape.lane++;
	if (r->tape.number || r->tape.part > r->base + 1) /* otherwise the lane was empty */
		r->base = r->tape.part;
	r->tape.part = r->base + 1;
	r->tape.number = 0;
	r->offset = r->start;
	r->over = r->told = false;
	sl_tape_names_forget_addresses(&r->names); /* the next lane is another process */
	return SL_TAPE_ITEM;
}

static enum sl_tape_answer
file_ends(struct reader *r)
{
	r->over = true;
	if (r->cut || r->tape.lane) /* it was reported while the first lane was read */
		return SL_TAPE_ITEM;
	r->cut = true;
	sl_err_set(&r->tape.err, "%s is truncated: the end of the recording is missing", r->path);
	return SL_TAPE_DAMAGE;
}

/* Does the block continue where the one before it in its lane has ended? */
static bool
goes_on(const struct reader *r, const struct sl_block_start *start)
{
	return r->told || r->opaque ||
	       (r->base + start->part == r->tape.part && start->first == r->tape.number + 1);
}

/* Reads a block of this lane at r->offset. */
static enum sl_tape_answer
read_body(struct reader *r, const struct sl_block_start *start)
{
	uint64_t body = r->offset + sizeof(*start);
	size_t n;

	if (start->stored > r->size - body)
		return damage(r, body, "truncated");
	r->stored.count = r->body.count = 0;
	if (get(r, body, sl_bytes_reserve(&r->stored, start->stored), start->stored) < 0 ||
	    sl_tape_check(r->stored.at, start->stored) != start->check) {
		r->tape.lost += start->items;
		return damage(r, body, "damaged");
	}
	n = ZSTD_decompressDCtx(r->zstd, sl_bytes_reserve(&r->body, start->raw + 1u), start->raw, r->stored.at,
				start->stored);
	threads_forget(r);
	if (r->told) /* the lost bytes may have made the names of addresses void */
		sl_tape_names_forget_addresses(&r->names);
	r->cursor = (struct sl_cursor){r->body.at, r->body.at + (ZSTD_isError(n) ? 0 : n), false};
	if (n != start->raw || !read_definitions(r, &r->cursor)) {
		r->tape.lost += start->items;
		return damage(r, body, "damaged");
	}
	sl_code_reset(r->code);
	r->offset = body + start->stored;
	r->tape.bytes = r->offset;
	r->left = start->items;
	r->tape.part = r->base + start->part;
	r->tape.execution = start->execution;
	r->tape.number = start->first - 1;
	r->over = start->flags & SL_BLOCK_LAST;
	r->told = false;
	if (r->opaque) {
		r->tape.lost += r->left;
		r->left = 0;
	}
	return SL_TAPE_ITEM;
}

/* SL_TAPE_ITEM: r->left says whether there is an item. */
static enum sl_tape_answer
read_block(struct reader *r)
{
	struct sl_block_start start;

	if (r->over)
		return lane_ends(r);
	if (r->offset == r->size)
		return file_ends(r);
	if (r->size - r->offset < sizeof(start) || get(r, r->offset, &start, sizeof(start)) < 0)
		return damage_of_any(r, r->size, "truncated");
	if (!is_start(&start))
		return damage_of_any(r, r->offset + 1, "damaged");
	if (lane_of(&start) >= r->lanes)
		r->lanes = lane_of(&start) + 1;
	if (lane_of(&start) != r->tape.lane) {
		uint64_t rest = r->size - r->offset - sizeof(start);

		r->offset += sizeof(start) + (start.stored < rest ? start.stored : rest);
		r->over = start.flags & SL_BLOCK_LAST;
		return SL_TAPE_ITEM;
	}
	if (!goes_on(r, &start)) {
		sl_err_set(&r->tape.err, "%s: before byte %" PRIu64 " something is missing", r->path, r->offset);
		r->told = true;
		return SL_TAPE_DAMAGE;
	}
	return read_body(r, &start);
}

enum sl_tape_answer
sl_tape_next(struct sl_tape *tape, struct sl_item *item)
{
	struct reader *r = (struct reader *)tape;

	if (r->newer) {
		other_version(r, &tape->err,
			      r->opaque ? ": what its threads did can't be read"
					: ": what is new there is left out");
		r->newer = false;
		return SL_TAPE_DAMAGE;
	}
	if (r->headless) {
		sl_err_set(&tape->err, "%s: damaged header: what was run, and how, is not known", r->path);
		r->headless = false;
		return SL_TAPE_DAMAGE;
	}
	for (;;) {
		enum sl_tape_answer answer = r->left ? SL_TAPE_ITEM : read_block(r);

		if (answer != SL_TAPE_ITEM)
			return answer;
		if (!r->left)
			continue;
		if (!sl_code_read(r->code, &r->cursor, item)) {
			tape->lost += r->left;
			return damage(r, r->offset, "damaged");
		}
		r->left--;
		if (item->kind != SL_TAPE_PART)
			break;
		tape->part++;
		tape->execution = item->value;
		tape->number = 0;
	}
	r->unknown = item->kind;
	item->kind = r->kinds[item->kind];
	tape->number++;
	tape->items++;
	return SL_TAPE_ITEM;
}

/* ---- names ---- */

static const struct sl_tape_names *
names_of(const struct sl_tape *tape)
{
	return &((const struct reader *)tape)->names;
}

bool
sl_tape_place(const struct sl_tape *tape, uint64_t pc, struct sl_place *place)
{
	const struct sl_place *known = sl_table_find(&names_of(tape)->places, pc);

	*place = known ? *known : (struct sl_place){.function = "??", .file = "??", .stable = "??", .module = ""};
	return known != NULL;
}

const struct sl_tape_site *
sl_tape_site(const struct sl_tape *tape, uint64_t pc, bool writes)
{
	const struct sl_table *sites = &names_of(tape)->sites;
	const struct sl_tape_site *site = writes ? sl_table_find(sites, sl_tape_site_key(pc, true)) : NULL;

	return site ? site : sl_table_find(sites, sl_tape_site_key(pc, false));
}

/* Of an array only the first element has names, "table[0].count": those of the others differ in the index. */
const char *
sl_tape_variable(const struct sl_tape *tape, uint64_t address, uint32_t size, char *text, size_t room)
{
	const struct sl_tape_names *names = names_of(tape);
	const char *name = sl_tape_names_variable(names, address, size), *index;
	const struct sl_extent *extent = sl_tape_names_extent(names, address);
	uint64_t offset = extent ? address - extent->start : 0;

	if (name) {
		snprintf(text, room, "%s", name);
		return text;
	}
	if (!extent)
		return NULL;
	name = extent->stride ? sl_tape_names_variable(names, extent->start + offset % extent->stride, size)
			      : NULL;
	index = name ? strstr(name, "[0]") : NULL;
	if (index)
		snprintf(text, room, "%.*s[%" PRIu64 "]%s", (int)(index - name), name, offset / extent->stride,
			 index + 3);
	else if (offset && extent->stride && offset % extent->stride == 0) /* more than an element, from that one on */
		snprintf(text, room, "%s[%" PRIu64 "]", extent->name, offset / extent->stride);
	else if (offset)
		snprintf(text, room, "%s+%" PRIu64, extent->name, offset);
	else
		snprintf(text, room, "%s", extent->name);
	return text;
}

const char *
sl_tape_function(const struct sl_tape *tape, uint64_t address)
{
	return sl_table_find(&names_of(tape)->functions, address);
}

const char *
sl_tape_event(const struct sl_tape *tape, uint64_t number)
{
	return sl_table_find(&names_of(tape)->events, number);
}

static const struct sl_tape_thread *
thread_of(const struct sl_tape *tape, uint32_t thread)
{
	return sl_table_find(&names_of(tape)->threads,
			     sl_tape_thread_key(tape->part - ((const struct reader *)tape)->base, thread));
}

const char *
sl_tape_thread_path(const struct sl_tape *tape, uint32_t thread)
{
	const struct sl_tape_thread *known = thread_of(tape, thread);

	return known && *known->path ? known->path : NULL;
}

const char *
sl_tape_thread_name(const struct sl_tape *tape, uint32_t thread)
{
	const struct sl_tape_thread *known = thread_of(tape, thread);

	return known && *known->name ? known->name : NULL;
}

const char *
sl_tape_kind(const struct sl_tape *tape, const struct sl_item *item)
{
	const struct reader *r = (const struct reader *)tape;
	const char *word = item->kind == SL_TAPE_KIND_UNKNOWN ? r->words[r->unknown] : sl_kind_word(item->kind);

	return word ? word : "?";
}
