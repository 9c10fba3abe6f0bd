#include "cli/predict/declared.h"

#include "base/room.h"
#include "trace/bind/bind_type.h"

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

static bool
is_type_word(const char *name, size_t size)
{
	return (size == 6 && !strncmp(name, "struct", 6)) || (size == 5 && !strncmp(name, "class", 5)) ||
	       (size == 5 && !strncmp(name, "union", 5));
}

/* "struct queue.{head, tail}": without blanks from the second word on. */
static int
read_type(const struct sl_declared *d, struct sl_declared_line *line, struct sl_err *err)
{
	char *rest = line->names + strcspn(line->names, " "), *to, *brace, *end;

	for (const char *word = line->names; word; word = strchr(word, ' ')) {
		word += *word == ' ';
		line->type |= is_type_word(word, strcspn(word, " "));
	}
	if (!line->type)
		return 0;
	if (!is_type_word(line->names, (size_t)(rest - line->names)))
		return sl_err_set(
			err,
			"%s:%zu: a type is a line of its own: `set struct TYPE` or `set struct TYPE.{MEMBER,…}`",
			d->file, line->number);
	if (!*rest)
		return sl_err_set(err, "%s:%zu: `%s` needs the name of a type", d->file, line->number,
				  line->names);
	brace = strchr(rest, '{');
	if (!brace && strchr(rest + 1, ' '))
		return sl_err_set(err, "%s:%zu: one type is declared in a line: `%s` is too much", d->file,
				  line->number, strchr(rest + 1, ' ') + 1);
	to = rest + 1;
	for (const char *from = rest + 1; *from; from++)
		if (*from != ' ')
			*to++ = *from;
	*to = '\0';
	brace = strchr(rest, '{');
	end = brace ? strchr(brace, '}') : NULL;
	if (brace && (!end || end[1] || brace[-1] != '.' || brace - 2 <= rest || end == brace + 1))
		return sl_err_set(
			err, "%s:%zu: members of a type are declared by `set struct TYPE.{MEMBER,…}`, not by `%s`",
			d->file, line->number, line->names);
	return 0;
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
	d->lines[d->line_count++] =
		(struct sl_declared_line){.number = number, .unit = *word == 'u', .names = rest};
	return d->lines[d->line_count - 1].unit ? 0 : read_type(d, &d->lines[d->line_count - 1], err);
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

/* What one execution's types were bound to. */
static void
forget_types(struct sl_declared *d)
{
	for (size_t i = 0; i < d->type_count; i++) {
		for (size_t n = 0; n < d->of_types[i].part_count; n++)
			free((char *)d->of_types[i].parts[n].name);
		free(d->of_types[i].parts);
		free(d->of_types[i].name);
	}
	d->type_count = 0;
	sl_bound_types_free(d->bound);
	sl_binder_free(d->binder);
	d->bound = NULL;
	d->binder = NULL;
}

void
sl_declared_release(struct sl_declared *d)
{
	forget_types(d);
	free(d->of_types);
	free(d->types);
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

/* ---- types ---- */

static struct sl_declared_of_type *
type_get(struct sl_declared *d, const char *name, uint64_t size)
{
	size_t room = d->type_room;

	for (size_t i = 0; i < d->type_count; i++)
		if (!strcmp(d->of_types[i].name, name))
			return &d->of_types[i];
	d->of_types = sl_room_for(d->of_types, d->type_count, &room, sizeof(*d->of_types));
	d->types = sl_room_for(d->types, d->type_count, &d->type_room, sizeof(*d->types));
	d->of_types[d->type_count] = (struct sl_declared_of_type){.name = sl_must(strdup(name))};
	d->types[d->type_count] = (struct sl_declared_type){.size = size};
	return &d->of_types[d->type_count++];
}

static int
by_place(const void *a, const void *b)
{
	const struct sl_declared_part *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int
add_part(struct sl_declared *d, const struct sl_declared_line *line, struct sl_declared_of_type *t, uint64_t low,
	 uint64_t high, const char *what, struct sl_err *err)
{
	for (size_t i = 0; i < t->part_count; i++)
		if (low < t->parts[i].high && t->parts[i].low < high)
			return sl_err_set(err, "%s:%zu: `%s` is in a set already", d->file, line->number, what);
	t->parts = sl_room_for(t->parts, t->part_count, &t->part_room, sizeof(*t->parts));
	t->parts[t->part_count++] =
		(struct sl_declared_part){low, high, line->number, sl_must(strdup(line->names))};
	return 0;
}

static int
bind_type(struct sl_declared *d, const struct sl_declared_line *line, struct sl_err *err)
{
	char *names = sl_must(strdup(line->names)), *name = strchr(names, ' ') + 1, *state = NULL;
	char *members = strchr(name, '{') ? strchr(name, '{') : strchr(name, '.');
	struct sl_declared_of_type *t;
	struct sl_err why = {""};
	uint64_t size, low, high;
	int result;

	if (members) {
		*strchr(name, '.') = '\0';
		members++;
		members[strcspn(members, "}")] = '\0';
	}
	result = sl_bound_type(d->bound, name, &size, &why);
	t = result < 0 ? NULL : type_get(d, name, size);
	if (t && !members)
		result = add_part(d, line, t, 0, size, line->names, err);
	for (char *member = members && t ? strtok_r(members, ",", &state) : NULL; member && result == 0;
	     member = strtok_r(NULL, ",", &state)) {
		result = sl_bound_member(d->bound, names, member, &low, &high, &why);
		if (result == 0)
			result = add_part(d, line, t, low, high, member, err);
	}
	if (result < 0 && *why.text)
		sl_err_set(err, "%s:%zu: %s", d->file, line->number, why.text);
	free(names);
	return result;
}

/* The innermost of the declared types that the member is in. */
static size_t
find_type(void *data, const struct sl_site_object *object, uint64_t *offset)
{
	const struct sl_declared *d = data;
	size_t best = 0;
	unsigned deepest = 0;

	for (size_t i = 0; i < d->type_count && *object->container; i++) {
		unsigned depth;
		uint64_t at;
		int inside = sl_bound_inside(d->bound, object->container, object->path, d->of_types[i].name, &at,
					     &depth);

		if (!inside || (best && depth <= deepest))
			continue;
		best = i + 1;
		deepest = depth;
		*offset = inside == 1 ? at : UINT64_MAX;
	}
	return best;
}

int
sl_declared_bind(struct sl_declared *d, const struct sl_module *modules, size_t count,
		 struct sl_predict_options *options, struct sl_err *err)
{
	int result = 0;

	if (!d->line_count)
		return 0;
	forget_types(d);
	d->set_count = d->unit_count = 0;
	d->binder = sl_binder_of(modules, count, err);
	if (!d->binder)
		return -1;
	for (size_t i = 0; i < d->line_count && !d->bound; i++)
		if (d->lines[i].type)
			d->bound = sl_bound_types_new(d->binder);
	for (size_t i = 0; i < d->line_count && result == 0; i++) {
		const struct sl_declared_line *line = &d->lines[i];
		char *names = sl_must(strdup(line->names)), *state = NULL;

		if (line->type)
			result = bind_type(d, line, err);
		for (char *name = line->type ? NULL : strtok_r(names, " ", &state); name && result == 0;
		     name = strtok_r(NULL, " ", &state))
			result = bind_name(d, d->binder, line, name, err);
		free(names);
	}
	for (size_t i = 0; i < d->type_count; i++) {
		qsort(d->of_types[i].parts, d->of_types[i].part_count, sizeof(*d->of_types[i].parts), by_place);
		d->types[i].parts = d->of_types[i].parts;
		d->types[i].part_count = d->of_types[i].part_count;
	}
	options->types = (struct sl_declared_types){d->types, d->type_count, find_type, d};
	options->sets = d->sets;
	options->set_count = d->set_count;
	options->units = d->units;
	options->unit_count = d->unit_count;
	return result;
}
