#include "cli/predict/declared.h"

#include "base/room.h"
#include "trace/bind/bind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MOST (1u << 20)

/* ---- the file ---- */

/* The words after the first, with single blanks between them, in place. */
static char *
squeeze(char *words)
{
	char *to = words;

	for (char *word = strtok(words, " \t\r"); word; word = strtok(NULL, " \t\r")) {
		size_t size = strlen(word);

		if (to != words)
			*to++ = ' ';
		memmove(to, word, size);
		to += size;
	}
	*to = '\0';
	return words;
}

static int
read_line(struct sl_declared *d, char *line, size_t number, struct sl_err *err)
{
	char *word = line + strspn(line, " \t\r"), *rest;
	size_t size = strcspn(word, " \t\r#");

	word[strcspn(word, "#")] = '\0';
	if (!size)
		return 0;
	rest = word + size;
	if (*rest)
		*rest++ = '\0';
	if (strcmp(word, "set") != 0 && strcmp(word, "unit") != 0)
		return sl_err_set(err, "%s:%zu: a line is `set VARIABLE…` or `unit FUNCTION…`, not `%s`", d->file,
				  number, word);
	squeeze(rest);
	if (!*rest)
		return sl_err_set(err, "%s:%zu: `%s` needs a name", d->file, number, word);
	d->lines = sl_room_for(d->lines, d->line_count, &d->line_room, sizeof(*d->lines));
	d->lines[d->line_count++] = (struct sl_declared_line){number, *word == 'u', rest};
	return 0;
}

int
sl_declared_read(struct sl_declared *d, const char *file, struct sl_err *err)
{
	FILE *in = fopen(file, "r");
	size_t size, number = 0;
	int result = 0;

	*d = (struct sl_declared){.file = file};
	if (!in)
		return sl_err_set(err, "cannot open %s: %s", file, strerror(errno));
	d->text = sl_room_zeroed(SIZE_MOST + 1, 1);
	size = fread(d->text, 1, SIZE_MOST, in);
	if (ferror(in))
		result = sl_err_set(err, "cannot read %s: %s", file, strerror(errno));
	else if (size == SIZE_MOST)
		result = sl_err_set(err, "%s is longer than %u bytes", file, SIZE_MOST - 1);
	fclose(in);
	for (char *line = d->text, *next; line && result == 0; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		result = read_line(d, line, ++number, err);
	}
	return result;
}

void
sl_declared_release(struct sl_declared *d)
{
	free(d->text);
	free(d->lines);
	free(d->sets);
	free(d->units);
	*d = (struct sl_declared){0};
}

/* ---- the program ---- */

static int
add_set(struct sl_declared *d, const struct sl_declared_line *line, const struct sl_binding *b, const char *name,
	struct sl_err *err)
{
	if (b->kind != SL_BOUND_DATA)
		return sl_err_set(
			err,
			"%s:%zu: `%s` is reached by a pointer, so it is not always the same memory: declare it in "
			"the program, by sleave_atomic_set()",
			d->file, line->number, name);
	for (size_t i = 0; i < d->set_count; i++)
		if (b->low < d->sets[i].address + d->sets[i].size && d->sets[i].address < b->high)
			return sl_err_set(err, "%s:%zu: `%s` is in a set already", d->file, line->number, name);
	d->sets = sl_room_for(d->sets, d->set_count, &d->set_room, sizeof(*d->sets));
	d->sets[d->set_count++] = (struct sl_declared_set){b->low, b->high - b->low, line->names};
	return 0;
}

static int
bind_name(struct sl_declared *d, struct sl_binder *binder, const struct sl_declared_line *line, const char *name,
	  struct sl_err *err)
{
	struct sl_bindings found = {0};
	struct sl_err why = {""};
	size_t units = d->unit_count;
	int result = 0;

	if (!line->unit && (!strcmp(name, "struct") || !strcmp(name, "class")))
		return sl_err_set(
			err,
			"%s:%zu: each object of a struct type is a set without being declared; a part of one is "
			"declared in the program, by sleave_atomic_set()",
			d->file, line->number);
	if (sl_binder_bind(binder, line->unit ? SL_WANTED_FUNCTION : SL_WANTED_DATA, name, 0, &found, &why) < 0)
		result = sl_err_set(err, "%s:%zu: %s", d->file, line->number, why.text);
	for (size_t i = 0; i < found.count && result == 0; i++) {
		const struct sl_binding *b = &found.items[i];

		if (!line->unit) {
			result = add_set(d, line, b, name, err);
		} else if (b->kind == SL_BOUND_FUNCTION) {
			d->units = sl_room_for(d->units, d->unit_count, &d->unit_room, sizeof(*d->units));
			d->units[d->unit_count++] = (struct sl_declared_unit){b->low, b->high};
		}
	}
	if (result == 0 && line->unit && d->unit_count == units)
		result = sl_err_set(
			err,
			"%s:%zu: the compiler has inlined each call of `%s`: declare the unit in the program, by "
			"sleave_unit_begin() and sleave_unit_end()",
			d->file, line->number, name);
	sl_bindings_release(&found);
	return result;
}

int
sl_declared_bind(struct sl_declared *d, const struct sl_module *modules, size_t count,
		 struct sl_predict_options *options, struct sl_err *err)
{
	struct sl_binder *binder;
	int result = 0;

	if (!d->line_count)
		return 0;
	d->set_count = d->unit_count = 0;
	binder = sl_binder_of(modules, count, err);
	if (!binder)
		return -1;
	for (size_t i = 0; i < d->line_count && result == 0; i++) {
		const struct sl_declared_line *line = &d->lines[i];
		char *names = sl_must(strdup(line->names)), *state = NULL;

		for (char *name = strtok_r(names, " ", &state); name && result == 0;
		     name = strtok_r(NULL, " ", &state))
			result = bind_name(d, binder, line, name, err);
		free(names);
	}
	sl_binder_free(binder);
	options->sets = d->sets;
	options->set_count = d->set_count;
	options->units = d->units;
	options->unit_count = d->unit_count;
	return result;
}
