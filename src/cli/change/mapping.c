#include "cli/change/mapping.h"

#include "analysis/line_rows.h"
#include "base/room.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define PIE_BASE 0x555555554000ul /* where x86-64 Linux loads such a program when nothing is random */
#define NO_LABEL UINT32_MAX

/* ---- what an operation of the file says ---- */

struct operation {
	uint32_t thread;
	char file[512];
	uint32_t line; /* 0: it has no place */
};

/* "T1 locks q.lock (queue.c:6 (push))": the last place in brackets counts. */
static bool
parse(const char *text, struct operation *op)
{
	char *end;

	*op = (struct operation){0};
	if (strncmp(text, "main ", 5) != 0) {
		if (*text != 'T')
			return false;
		op->thread = (uint32_t)strtoul(text + 1, &end, 10);
		if (end == text + 1 || *end != ' ')
			return false;
	}
	for (const char *open = strchr(text, '('); open; open = strchr(open + 1, '(')) {
		size_t size = strcspn(open + 1, "() ");
		const char *colon = memrchr(open + 1, ':', size), *after = open + 1 + size;
		unsigned long line;

		if (!colon || (*after != ')' && strncmp(after, " (", 2) != 0))
			continue;
		line = strtoul(colon + 1, &end, 10);
		if (end != after || colon == open + 1 || (size_t)(colon - open - 1) >= sizeof(op->file))
			continue;
		memcpy(op->file, open + 1, (size_t)(colon - open - 1));
		op->file[colon - open - 1] = '\0';
		op->line = (uint32_t)line;
	}
	return true;
}

/* ---- the places of the other version ---- */

struct label {
	char *file;
	uint32_t line;
};

struct labels {
	struct label *items;
	size_t count, capacity;
	struct sl_guide *guide;
	uint64_t base;
};

/* Files have short names in replay files: "src/queue.c" is the end of the whole name, or the other way round. */
static bool
same_file(const char *a, const char *b)
{
	size_t x = strlen(a), y = strlen(b);

	if (x < y)
		return same_file(b, a);
	return strcmp(a + (x - y), b) == 0 && (x == y || a[x - y - 1] == '/');
}

static uint32_t
label_get(struct labels *labels, const char *file, uint32_t line)
{
	for (size_t i = 0; i < labels->count; i++)
		if (labels->items[i].line == line && strcmp(labels->items[i].file, file) == 0)
			return (uint32_t)i;
	if (labels->count == SL_GUIDE_LABELS)
		return NO_LABEL;
	labels->items = sl_room_for(labels->items, labels->count, &labels->capacity, sizeof(*labels->items));
	labels->items[labels->count] = (struct label){strdup(file), line};
	if (!labels->items[labels->count].file)
		abort();
	return (uint32_t)labels->count++;
}

static void
add_row(void *data, const char *file, uint32_t line, uint64_t low, uint64_t high)
{
	struct labels *labels = data;
	struct sl_guide *guide = labels->guide;

	for (size_t i = 0; i < labels->count; i++)
		if (labels->items[i].line == line && same_file(file, labels->items[i].file) &&
		    guide->place_count < SL_GUIDE_PLACES)
			guide->places[guide->place_count++] =
				(struct sl_guide_place){labels->base + low, labels->base + high, (uint32_t)i};
}

static int
by_address(const void *a, const void *b)
{
	const struct sl_guide_place *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* The name that the alignment has for a file of the replay; itself: it is the same in both versions. */
static const char *
aligned_name(const struct sl_alignment *alignment, const char *name)
{
	for (uint32_t i = 0; i < alignment->file_count; i++)
		if (same_file(alignment->files[i].path, name))
			return alignment->files[i].path;
	return name;
}

bool
sl_mapping_is_changed(const struct sl_program_change *change, const char *name, uint32_t number)
{
	const char *path = aligned_name(change->forth, name);

	for (uint32_t i = 0; i < change->forth->file_count; i++) {
		const struct sl_aligned_file *f = &change->forth->files[i];

		if (strcmp(f->path, path) == 0)
			return !number || number > f->line_count || f->lines[number].change == SL_LINE_CHANGED;
	}
	return false;
}

bool
sl_mapping_line(const struct sl_program_change *change, enum sl_mapping_to to, const char *name, uint32_t number,
		const char **file, uint32_t *line)
{
	*file = name;
	*line = number;
	switch (to) {
	case SL_MAPPING_TO_OLD:
		return sl_alignment_back(change->forth, aligned_name(change->forth, name), number, file, line);
	case SL_MAPPING_TO_NEW:
		return sl_alignment_forth(change->forth, aligned_name(change->back, name), number, file, line);
	case SL_MAPPING_TO_SAME:
		break;
	}
	return true;
}

/* ---- the schedule ---- */

/* The operations of a thread, in their order. */
struct thread {
	uint32_t *texts; /* numbers, from 0 */
	size_t count, capacity;
	size_t passed; /* operations before this one are done with */
};

struct maker {
	const struct sl_replay *replay;
	const struct sl_program_change *change;
	enum sl_mapping_to to;
	struct labels labels;
	uint32_t *label_of; /* by text */
	struct thread threads[SL_GUIDE_THREADS];
};

static void
read_steps(struct maker *m)
{
	const struct sl_steps *steps = &m->replay->steps;
	struct operation op;

	m->label_of = sl_room_zeroed(steps->text_count, sizeof(*m->label_of));
	for (size_t i = 0; i < steps->text_count; i++) {
		const char *file;
		uint32_t line;

		m->label_of[i] = NO_LABEL;
		if (parse(steps->texts[i], &op) && op.line &&
		    sl_mapping_line(m->change, m->to, op.file, op.line, &file, &line))
			m->label_of[i] = label_get(&m->labels, file, line);
	}
	for (size_t i = 0; i < steps->path_count; i++) {
		struct thread *t;

		if (!parse(steps->texts[steps->path[i] - 1], &op) || op.thread >= SL_GUIDE_THREADS)
			continue;
		t = &m->threads[op.thread];
		t->texts = sl_room_for(t->texts, t->count, &t->capacity, sizeof(*t->texts));
		t->texts[t->count++] = steps->path[i] - 1;
	}
}

/* How often the thread has come by the place of its operation `at`, with that one. */
static uint32_t
occurrence_of(const struct maker *m, const struct thread *t, size_t at)
{
	uint32_t count = 0;

	for (size_t i = 0; i <= at; i++)
		count += m->label_of[t->texts[i]] == m->label_of[t->texts[at]];
	return count;
}

static void
add_pick(struct sl_guide *guide, struct sl_guide_pick pick)
{
	if (guide->pick_count < SL_GUIDE_PICKS)
		guide->picks[guide->pick_count++] = pick;
}

/* The thread goes on up to its last operation of the run, or, if that has no place in this version, the one before it. */
static void
add_run(struct maker *m, struct sl_mapping *mapping, const struct sl_pick *item)
{
	struct thread *t = &m->threads[item->who < SL_GUIDE_THREADS ? item->who : 0];
	size_t end = item->until == UINT64_MAX || item->until > t->count + 1 ? t->count : item->until - 1;

	if (item->who >= SL_GUIDE_THREADS)
		return;
	if (item->until == UINT64_MAX) {
		add_pick(m->labels.guide, (struct sl_guide_pick){SL_GUIDE_RUN, item->who, NO_LABEL, 0});
		return;
	}
	for (size_t at = end; at > t->passed; at--) {
		uint32_t label = m->label_of[t->texts[at - 1]];

		if (label == NO_LABEL) {
			struct operation op;

			if (parse(m->replay->steps.texts[t->texts[at - 1]], &op) && op.line) {
				if (!mapping->lost++)
					snprintf(mapping->first, sizeof(mapping->first), "%s",
						 m->replay->steps.texts[t->texts[at - 1]]);
			}
			continue;
		}
		mapping->mapped++;
		add_pick(m->labels.guide,
			 (struct sl_guide_pick){SL_GUIDE_RUN, item->who, label, occurrence_of(m, t, at - 1)});
		break;
	}
	t->passed = end;
}

static uint64_t
base_of(const struct sl_binary *binary)
{
	GElf_Ehdr header;

	return gelf_getehdr(binary->elf, &header) && header.e_type == ET_DYN ? PIE_BASE : 0;
}

void
sl_mapping_make(struct sl_mapping *mapping, struct sl_guide *guide, const struct sl_replay *replay,
		const struct sl_program_change *change, enum sl_mapping_to to)
{
	const struct sl_binaries *files = to == SL_MAPPING_TO_OLD ? &change->old_files : &change->new_files;
	struct maker *m = sl_room_zeroed(1, sizeof(*m));

	*mapping = (struct sl_mapping){0};
	guide->pick_count = guide->place_count = 0;
	m->replay = replay;
	m->change = change;
	m->to = to;
	m->labels.guide = guide;
	m->labels.base = base_of(&files->items[0]);
	read_steps(m);
	sl_line_rows_each(files, &files->items[0], add_row, &m->labels);
	qsort(guide->places, guide->place_count, sizeof(*guide->places), by_address);
	for (uint64_t i = 0; i < replay->schedule.count; i++) {
		const struct sl_pick *item = &replay->schedule.items[i];

		if (item->kind == SL_PICK_RUN)
			add_run(m, mapping, item);
		else
			add_pick(guide, (struct sl_guide_pick){item->kind == SL_PICK_WAITER ? SL_GUIDE_WAITER
											    : SL_GUIDE_VALUE,
							       item->who, NO_LABEL, 0});
	}
	for (size_t i = 0; i < SL_GUIDE_THREADS; i++)
		free(m->threads[i].texts);
	for (size_t i = 0; i < m->labels.count; i++)
		free(m->labels.items[i].file);
	free(m->labels.items);
	free(m->label_of);
	free(m);
}
