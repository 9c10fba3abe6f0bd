#include "paths/branch_table.h"

#include "base/rng.h"
#include "base/room.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
sl_branch_table_release(struct sl_branch_table *table)
{
	for (size_t b = 0; b < table->branch_count; b++) {
		struct sl_table_branch *branch = &table->branches[b];

		for (size_t i = 0; i < branch->outcome_count; i++)
			free(branch->outcomes[i]);
		for (size_t i = 0; i < branch->group_count; i++)
			free(branch->groups[i].members);
		free(branch->outcomes);
		free(branch->groups);
		free(branch->name);
	}
	for (size_t r = 0; r < table->row_count; r++) {
		free(table->rows[r].outcomes);
		free(table->rows[r].by);
	}
	free(table->branches);
	free(table->rows);
	free(table->slots);
	*table = (struct sl_branch_table){0};
}

uint32_t
sl_branch_table_add_branch(struct sl_branch_table *table, const char *name)
{
	table->branches =
		sl_room_for(table->branches, table->branch_count, &table->branch_room, sizeof(*table->branches));
	table->branches[table->branch_count] = (struct sl_table_branch){.name = sl_must(strdup(name))};
	return (uint32_t)table->branch_count++;
}

uint32_t
sl_branch_table_add_outcome(struct sl_branch_table *table, uint32_t branch, const char *name)
{
	struct sl_table_branch *b = &table->branches[branch];

	for (size_t i = 0; i < b->outcome_count; i++)
		if (!strcmp(b->outcomes[i], name))
			return (uint32_t)i;
	b->outcomes = sl_room_for(b->outcomes, b->outcome_count, &b->outcome_room, sizeof(char *));
	b->outcomes[b->outcome_count] = sl_must(strdup(name));
	return (uint32_t)b->outcome_count++;
}

uint32_t
sl_branch_table_add_group(struct sl_branch_table *table, uint32_t branch)
{
	struct sl_table_branch *b = &table->branches[branch];

	b->groups = sl_room_for(b->groups, b->group_count, &b->group_room, sizeof(*b->groups));
	b->groups[b->group_count] = (struct sl_affect_group){.outcome = SL_OUTCOME_NONE};
	return (uint32_t)b->group_count++;
}

void
sl_branch_table_add_member(struct sl_branch_table *table, uint32_t branch, uint32_t group, uint32_t member)
{
	struct sl_affect_group *g = &table->branches[branch].groups[group];
	size_t place = g->count;

	while (place && g->members[place - 1] > member)
		place--;
	if (place && g->members[place - 1] == member)
		return;
	g->members = sl_room_for(g->members, g->count, &g->room, sizeof(*g->members));
	memmove(g->members + place + 1, g->members + place, (g->count - place) * sizeof(*g->members));
	g->members[place] = member;
	g->count++;
}

void
sl_branch_table_decide(struct sl_branch_table *table, uint32_t branch, uint32_t group, uint32_t outcome)
{
	table->branches[branch].groups[group].outcome = outcome;
}

/* Independent of how many branches at the end were not reached. */
static uint64_t
hash_of(const uint32_t *outcomes, size_t count)
{
	uint64_t hash = 0;

	for (size_t b = 0; b < count; b++)
		if (outcomes[b] != SL_OUTCOME_NONE)
			hash += sl_mix(((uint64_t)b + 1) << 32 | outcomes[b]);
	return sl_mix(hash);
}

static bool
same(const struct sl_table_row *row, const uint32_t *outcomes, size_t count)
{
	for (size_t b = 0; b < row->count || b < count; b++)
		if ((b < row->count ? row->outcomes[b] : SL_OUTCOME_NONE) !=
		    (b < count ? outcomes[b] : SL_OUTCOME_NONE))
			return false;
	return true;
}

/* The slot of the row; it is 0 if there is no such row. */
static uint32_t *
slot_of(const struct sl_branch_table *table, const uint32_t *outcomes, size_t count)
{
	size_t i = hash_of(outcomes, count) & (table->slot_count - 1);

	while (table->slots[i] && !same(&table->rows[table->slots[i] - 1], outcomes, count))
		i = (i + 1) & (table->slot_count - 1);
	return &table->slots[i];
}

static const struct sl_table_row *
find_row(const struct sl_branch_table *table, const uint32_t *outcomes, size_t count)
{
	uint32_t slot = table->slot_count ? *slot_of(table, outcomes, count) : 0;

	return slot ? &table->rows[slot - 1] : NULL;
}

static void
grow_slots(struct sl_branch_table *table)
{
	free(table->slots);
	table->slot_count = table->slot_count ? table->slot_count * 2 : 64;
	table->slots = sl_room_zeroed(table->slot_count, sizeof(*table->slots));
	for (size_t r = 0; r < table->row_count; r++)
		*slot_of(table, table->rows[r].outcomes, table->rows[r].count) = (uint32_t)r + 1;
}

bool
sl_branch_table_mark(struct sl_branch_table *table, const uint32_t *outcomes, size_t count,
		     enum sl_row_state state, const char *by)
{
	uint32_t *slot;
	struct sl_table_row *row;

	if (table->row_count * 2 >= table->slot_count)
		grow_slots(table);
	slot = slot_of(table, outcomes, count);
	if (!*slot) {
		table->rows = sl_room_for(table->rows, table->row_count, &table->row_room, sizeof(*table->rows));
		row = &table->rows[table->row_count++];
		*row = (struct sl_table_row){.outcomes = sl_room_zeroed(count, sizeof(uint32_t)), .count = count};
		memcpy(row->outcomes, outcomes, count * sizeof(*outcomes));
		*slot = (uint32_t)table->row_count;
	}
	row = &table->rows[*slot - 1];
	if (row->state >= state)
		return false;
	row->state = state;
	free(row->by);
	row->by = by ? sl_must(strdup(by)) : NULL;
	return true;
}

enum sl_row_state
sl_branch_table_state(const struct sl_branch_table *table, const uint32_t *outcomes)
{
	const struct sl_table_row *row = find_row(table, outcomes, table->branch_count);

	return row ? row->state : SL_ROW_UNTESTED;
}

uint64_t
sl_branch_table_rows(const struct sl_branch_table *table)
{
	uint64_t rows = table->branch_count != 0;

	for (size_t b = 0; b < table->branch_count; b++)
		if (__builtin_mul_overflow(rows, (uint64_t)table->branches[b].outcome_count, &rows))
			return UINT64_MAX;
	return rows;
}

/* The row has an outcome of every branch. */
static bool
is_complete(const struct sl_branch_table *table, const struct sl_table_row *row)
{
	for (size_t b = 0; b < row->count; b++)
		if (row->outcomes[b] == SL_OUTCOME_NONE)
			return false;
	return row->count == table->branch_count;
}

uint64_t
sl_branch_table_untested(const struct sl_branch_table *table)
{
	uint64_t rows = sl_branch_table_rows(table);

	for (size_t r = 0; r < table->row_count && rows != UINT64_MAX; r++)
		rows -= table->rows[r].state != SL_ROW_UNTESTED && is_complete(table, &table->rows[r]);
	return rows;
}

/* The next combination, the last branch first. Returns false after the last one. */
static bool
count_up(const struct sl_branch_table *table, uint32_t *outcomes)
{
	size_t b = table->branch_count;

	while (b && outcomes[b - 1] + 1 == table->branches[b - 1].outcome_count)
		outcomes[--b] = 0;
	if (b)
		outcomes[b - 1]++;
	return b != 0;
}

static bool
skip_known(const struct sl_branch_table *table, uint32_t *outcomes)
{
	while (sl_branch_table_state(table, outcomes) != SL_ROW_UNTESTED)
		if (!count_up(table, outcomes))
			return false;
	return true;
}

bool
sl_branch_table_first_untested(const struct sl_branch_table *table, uint32_t *outcomes)
{
	memset(outcomes, 0, table->branch_count * sizeof(*outcomes));
	return sl_branch_table_rows(table) != 0 && skip_known(table, outcomes);
}

bool
sl_branch_table_next_untested(const struct sl_branch_table *table, uint32_t *outcomes)
{
	return count_up(table, outcomes) && skip_known(table, outcomes);
}

size_t
sl_branch_table_candidates(const struct sl_branch_table *table, const uint32_t *outcomes, uint32_t **members)
{
	size_t count = 0, room = 0;

	*members = NULL;
	for (size_t b = 0; b < table->branch_count; b++) {
		const struct sl_table_branch *branch = &table->branches[b];
		size_t kept = 0;

		for (size_t g = 0; g < branch->group_count && b == 0; g++)
			for (size_t i = 0; i < branch->groups[g].count && branch->groups[g].outcome == outcomes[b];
			     i++) {
				*members = sl_room_for(*members, count, &room, sizeof(**members));
				(*members)[count++] = branch->groups[g].members[i];
			}
		for (size_t m = 0; m < count && b > 0; m++) {
			bool in = false;

			for (size_t g = 0; g < branch->group_count && !in; g++)
				for (size_t i = 0;
				     i < branch->groups[g].count && branch->groups[g].outcome == outcomes[b]; i++)
					in |= branch->groups[g].members[i] == (*members)[m];
			if (in)
				(*members)[kept++] = (*members)[m];
		}
		if (b > 0)
			count = kept;
	}
	return count;
}

bool
sl_branch_table_untested_group(const struct sl_branch_table *table, uint32_t *branch, uint32_t *group)
{
	for (size_t b = 0; b < table->branch_count; b++)
		for (size_t g = 0; g < table->branches[b].group_count; g++)
			if (table->branches[b].groups[g].outcome == SL_OUTCOME_NONE) {
				*branch = (uint32_t)b;
				*group = (uint32_t)g;
				return true;
			}
	return false;
}

/* Text in columns: cells are collected, then padded to the widest of their column. */
struct cells {
	char **items;
	size_t count, room, columns;
};

static void __attribute__((format(printf, 2, 3))) cell(struct cells *cells, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	cells->items = sl_room_for(cells->items, cells->count, &cells->room, sizeof(char *));
	cells->items[cells->count++] = sl_must(text);
}

/* In characters: bytes that continue one do not count. */
static size_t
width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

/* Writes the cells, with this line after them, and releases them. */
static char *
lay_out(struct cells *cells, const char *after)
{
	size_t *widths = sl_room_zeroed(cells->columns, sizeof(*widths)), size;
	char *text;
	FILE *out = sl_must(open_memstream(&text, &size));

	for (size_t i = 0; i < cells->count; i++) {
		size_t width = width_of(cells->items[i]);

		if (width > widths[i % cells->columns])
			widths[i % cells->columns] = width;
	}
	for (size_t i = 0; i < cells->count; i++) {
		size_t column = i % cells->columns;

		fputs(cells->items[i], out);
		if (column + 1 == cells->columns)
			fputc('\n', out);
		else
			fprintf(out, "%*s", (int)(widths[column] - width_of(cells->items[i]) + 2), "");
		free(cells->items[i]);
	}
	fputs(after, out);
	fclose(out);
	free(cells->items);
	free(widths);
	return sl_must(text);
}

static void
row_cells(const struct sl_branch_table *table, struct cells *cells, const char *number, const uint32_t *outcomes,
	  size_t count)
{
	const struct sl_table_row *row = find_row(table, outcomes, count);

	cell(cells, "%s", number);
	for (size_t b = 0; b < table->branch_count; b++)
		cell(cells, "%s",
		     b < count && outcomes[b] != SL_OUTCOME_NONE ? table->branches[b].outcomes[outcomes[b]] : "-");
	cell(cells, "%s",
	     !row || row->state == SL_ROW_UNTESTED ? "Untested"
	     : row->state == SL_ROW_INFEASIBLE     ? "Infeasible"
	     : row->by                             ? row->by
						   : "Tested");
}

/* The number of a complete row, from 1. */
static uint64_t
number_of(const struct sl_branch_table *table, const uint32_t *outcomes)
{
	uint64_t number = 0;

	for (size_t b = 0; b < table->branch_count; b++)
		number = number * table->branches[b].outcome_count + outcomes[b];
	return number + 1;
}

char *
sl_branch_table_text(const struct sl_branch_table *table, uint64_t limit)
{
	struct cells cells = {.columns = table->branch_count + 2};
	uint64_t rows = sl_branch_table_rows(table), shown = 0, untested = sl_branch_table_untested(table);
	uint32_t *outcomes = sl_room_zeroed(table->branch_count, sizeof(*outcomes));
	char number[32] = "", after[80] = "";
	bool all = rows <= limit;

	cell(&cells, "Row");
	for (size_t b = 0; b < table->branch_count; b++)
		cell(&cells, "%s", table->branches[b].name);
	cell(&cells, "Executions");
	for (bool more = all && rows; more; more = count_up(table, outcomes)) {
		snprintf(number, sizeof(number), "%llu", (unsigned long long)number_of(table, outcomes));
		row_cells(table, &cells, number, outcomes, table->branch_count);
	}
	for (size_t r = 0; r < table->row_count; r++) {
		const struct sl_table_row *row = &table->rows[r];
		bool complete = is_complete(table, row);

		if (all && complete)
			continue;
		if (!all && shown++ == limit)
			break;
		snprintf(number, sizeof(number), "%llu",
			 (unsigned long long)(complete ? number_of(table, row->outcomes) : 0));
		row_cells(table, &cells, complete && rows != UINT64_MAX ? number : "-", row->outcomes, row->count);
	}
	if (!all && table->row_count > limit)
		snprintf(after, sizeof(after), "... and %zu more that were tested or are infeasible\n",
			 (size_t)(table->row_count - limit));
	if (!all && untested) {
		size_t used = strlen(after);

		snprintf(after + used, sizeof(after) - used,
			 untested == UINT64_MAX ? "... and more than %llu untested\n" : "... and %llu untested\n",
			 (unsigned long long)untested);
	}
	free(outcomes);
	return lay_out(&cells, after);
}

char *
sl_branch_table_groups_text(const struct sl_branch_table *table,
			    const char *(*member)(void *data, uint32_t number), void *data)
{
	struct cells cells = {.columns = 3};

	cell(&cells, "Branch");
	cell(&cells, "Branch-affect groups");
	cell(&cells, "Outcome");
	for (size_t b = 0; b < table->branch_count; b++)
		for (size_t g = 0; g < table->branches[b].group_count; g++) {
			const struct sl_table_branch *branch = &table->branches[b];
			const struct sl_affect_group *group = &branch->groups[g];
			char *text;
			size_t size;
			FILE *out = sl_must(open_memstream(&text, &size));

			fprintf(out, "g%zu(%s) = {", g + 1, branch->name);
			for (size_t i = 0; i < group->count; i++)
				fprintf(out, "%s%s", i ? ", " : "", member(data, group->members[i]));
			fputc('}', out);
			fclose(out);
			cell(&cells, "%s", g ? "" : branch->name);
			cell(&cells, "%s", text);
			cell(&cells, "%s",
			     group->outcome == SL_OUTCOME_NONE ? "Untested" : branch->outcomes[group->outcome]);
			free(text);
		}
	return lay_out(&cells, "");
}
