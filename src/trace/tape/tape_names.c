#include "trace/tape/tape_names.h"

#include "trace/tape/tape_format.h"

/* The strings that are kept. */
struct sl_tape_string {
	struct sl_tape_string *next;
	char text[];
};

/* ---- tables ---- */

static struct sl_table_entry *
entry_at(const struct sl_table *table, uint64_t key)
{
	size_t mask = table->capacity - 1;

	for (size_t at = sl_mix(key + 1) & mask;; at = (at + 1) & mask)
		if (!table->entries[at].what || table->entries[at].key == key)
			return &table->entries[at];
}

void *
sl_table_find(const struct sl_table *table, uint64_t key)
{
	return table->capacity ? entry_at(table, key)->what : NULL;
}

/* The caller fills the slot. */
static void **
slot(struct sl_table *table, uint64_t key)
{
	struct sl_table_entry *e;

	if (table->count * 2 >= table->capacity) {
		struct sl_table more = {.capacity = table->capacity ? 2 * table->capacity : 256};

		more.entries = sl_must(calloc(more.capacity, sizeof(*more.entries)));
		for (size_t i = 0; i < table->capacity; i++)
			if (table->entries[i].what)
				*entry_at(&more, table->entries[i].key) = table->entries[i];
		more.count = table->count;
		free(table->entries);
		*table = more;
	}
	e = entry_at(table, key);
	e->key = key;
	table->count += e->what == NULL;
	return &e->what;
}

/* Stores a copy of the bytes under this number. */
static void
put(struct sl_table *table, uint64_t key, const void *what, size_t size)
{
	void **at = slot(table, key);

	if (!*at)
		*at = sl_must(malloc(size));
	memcpy(*at, what, size);
}

static void
table_release(struct sl_table *table, bool contents)
{
	for (size_t i = 0; contents && i < table->capacity; i++)
		free(table->entries[i].what);
	free(table->entries);
	*table = (struct sl_table){0};
}

void
sl_tape_names_release(struct sl_tape_names *names)
{
	table_release(&names->places, true);
	table_release(&names->sites, true);
	table_release(&names->threads, true);
	table_release(&names->variables, false);
	table_release(&names->functions, false);
	table_release(&names->events, false);
	table_release(&names->strings, false);
	for (struct sl_tape_string *s = names->all, *next; s; s = next) {
		next = s->next;
		free(s);
	}
	free(names->extents);
}

void
sl_tape_names_forget_threads(struct sl_tape_names *names)
{
	table_release(&names->threads, true);
}

void
sl_tape_names_forget_addresses(struct sl_tape_names *names)
{
	table_release(&names->places, true);
	table_release(&names->sites, true);
	table_release(&names->variables, false);
	table_release(&names->functions, false);
	names->extent_count = 0;
}

const char *
sl_tape_names_keep(struct sl_tape_names *names, char *text)
{
	uint64_t hash = sl_tape_check(text, strlen(text));
	struct sl_tape_string *s;
	const char *known;

	for (; (known = sl_table_find(&names->strings, hash)); hash++)
		if (!strcmp(known, text)) {
			free(text);
			return known;
		}
	s = sl_must(malloc(sizeof(*s) + strlen(text) + 1));
	strcpy(s->text, text);
	free(text);
	s->next = names->all;
	names->all = s;
	*slot(&names->strings, hash) = s->text;
	return s->text;
}

/* ---- definitions ---- */

static const char *
text(struct sl_tape_names *names, struct sl_cursor *c)
{
	return sl_tape_names_keep(names, sl_cursor_text(c));
}

static void
read_place(struct sl_tape_names *names, struct sl_cursor *c)
{
	uint64_t pc = sl_cursor_number(c);
	struct sl_place place = {0};

	place.function = text(names, c);
	place.file = place.stable = text(names, c);
	place.path = text(names, c);
	place.module = text(names, c);
	place.line = (uint32_t)sl_cursor_number(c);
	place.column = (uint32_t)sl_cursor_number(c);
	place.offset = sl_cursor_number(c);
	if (!*place.path)
		place.path = NULL;
	put(&names->places, pc, &place, sizeof(place));
}

uint64_t
sl_tape_site_key(uint64_t pc, bool writes)
{
	return pc << 1 | writes;
}

static void
read_site(struct sl_tape_names *names, struct sl_cursor *c)
{
	uint64_t pc = sl_cursor_number(c), writes = sl_cursor_number(c);
	struct sl_tape_site site = {.text = text(names, c)};

	site.container = text(names, c);
	put(&names->sites, sl_tape_site_key(pc, writes != 0), &site, sizeof(site));
}

/* An address has 48 bits, a size 8. */
static uint64_t
variable_key(uint64_t address, uint64_t size)
{
	return address << 8 | (size & 255);
}

uint64_t
sl_tape_thread_key(uint64_t part, uint64_t id)
{
	return part << 32 | id;
}

static void
read_extent(struct sl_tape_names *names, struct sl_cursor *c)
{
	struct sl_extent e = {0};
	size_t at;

	e.start = sl_cursor_number(c);
	e.size = sl_cursor_number(c);
	e.stride = sl_cursor_number(c);
	strncpy(e.name, text(names, c), sizeof(e.name) - 1);
	at = sl_extents_before(names->extents, names->extent_count, e.start);
	if (at && names->extents[at - 1].start == e.start) {
		names->extents[at - 1] = e;
		return;
	}
	if (names->extent_count == names->extent_room) {
		names->extent_room = names->extent_room ? 2 * names->extent_room : 64;
		names->extents = sl_must(realloc(names->extents, names->extent_room * sizeof(e)));
	}
	memmove(&names->extents[at + 1], &names->extents[at], (names->extent_count++ - at) * sizeof(e));
	names->extents[at] = e;
}

void
sl_tape_names_read(struct sl_tape_names *names, uint64_t type, struct sl_cursor *c)
{
	struct sl_tape_thread thread;
	uint64_t first, second;

	switch (type) {
	case SL_DEFINE_PLACE:
		read_place(names, c);
		break;
	case SL_DEFINE_SITE:
		read_site(names, c);
		break;
	case SL_DEFINE_VARIABLE:
		first = sl_cursor_number(c);
		second = sl_cursor_number(c);
		*slot(&names->variables, variable_key(first, second)) = (void *)text(names, c);
		break;
	case SL_DEFINE_EXTENT:
		read_extent(names, c);
		break;
	case SL_DEFINE_FUNCTION:
	case SL_DEFINE_EVENT:
		first = sl_cursor_number(c);
		*slot(type == SL_DEFINE_EVENT ? &names->events : &names->functions, first) =
			(void *)text(names, c);
		break;
	case SL_DEFINE_THREAD:
		first = sl_cursor_number(c);
		second = sl_cursor_number(c);
		thread.path = text(names, c);
		thread.name = text(names, c);
		put(&names->threads, sl_tape_thread_key(first, second), &thread, sizeof(thread));
		break;
	default:
		break;
	}
}

const struct sl_extent *
sl_tape_names_extent(const struct sl_tape_names *names, uint64_t address)
{
	size_t at = sl_extents_before(names->extents, names->extent_count, address);

	return at && address - names->extents[at - 1].start < names->extents[at - 1].size ? &names->extents[at - 1]
											  : NULL;
}

const char *
sl_tape_names_variable(const struct sl_tape_names *names, uint64_t address, uint32_t size)
{
	return sl_table_find(&names->variables, variable_key(address, size));
}
