#include "analysis/impacted_points.h"

#include "analysis/changed_names.h"
#include "base/room.h"
#include "base/text.h"
#include "version/lexeme.h"

#include <stdio.h>
#include <string.h>

#define AT_ONCE 256 /* functions, points or regions of a line that are examined */
#define NAME_MAX_ 512
#define CALLS_DEEP 2 /* how far a locked region reaches into what is called there */

/* ---- what is found ---- */

struct file {
	char *name;
	size_t capacity;
	uint32_t *points; /* by line: the number of its point, plus one */
};

struct extent {
	const char *file;
	uint32_t first, last;
};

struct sl_points_inside {
	struct file *files;
	size_t file_count, file_capacity, last_file;
	size_t point_capacity;
	struct extent *functions; /* functions with a point */
	size_t function_count, function_capacity;
	char **classes;
	size_t class_count, class_capacity;
	char **texts; /* texts that the points refer to */
	size_t text_count, text_capacity;
	const struct sl_binaries *new;
	bool classes_in_code; /* C++: the class of a line may be its function's */
};

static const char *
keep(struct sl_points_inside *in, const char *text)
{
	char *copy;

	for (size_t i = in->text_count;
	     i-- > 0 && i + 64 > in->text_count;) /* most texts are those of the line before */
		if (strcmp(in->texts[i], text) == 0)
			return in->texts[i];
	copy = sl_must(strdup(text));
	in->texts = sl_room_for(in->texts, in->text_count, &in->text_capacity, sizeof(*in->texts));
	return in->texts[in->text_count++] = copy;
}

static struct file *
file_find(const struct sl_points_inside *in, const char *name)
{
	if (in->last_file < in->file_count && strcmp(in->files[in->last_file].name, name) == 0)
		return &in->files[in->last_file];
	for (size_t i = 0; i < in->file_count; i++)
		if (strcmp(in->files[i].name, name) == 0)
			return &in->files[i];
	return NULL;
}

static struct file *
file_get(struct sl_points_inside *in, const char *name)
{
	struct file *file = file_find(in, name);

	if (!file) {
		in->files = sl_room_for(in->files, in->file_count, &in->file_capacity, sizeof(*in->files));
		file = &in->files[in->file_count++];
		*file = (struct file){.name = strdup(name)};
		if (!file->name)
			abort();
	}
	in->last_file = (size_t)(file - in->files);
	return file;
}

/* ---- modules and classes ---- */

static size_t
stem_of(const char *path, const char **stem)
{
	const char *slash = strrchr(path, '/'), *dot;

	*stem = slash ? slash + 1 : path;
	dot = strrchr(*stem, '.');
	return dot && dot != *stem ? (size_t)(dot - *stem) : strlen(*stem);
}

/* Returns "queue" for both "src/queue.c" and "include/queue.h". */
static void
module_of(const char *path, char *module, size_t room)
{
	const char *stem;
	size_t size = stem_of(path, &stem);

	snprintf(module, room, "%.*s", (int)size, stem);
}

static const struct sl_site_function *
function_at(const struct sl_binaries *binaries, const char *name, uint32_t line)
{
	const struct sl_site_function *some[AT_ONCE];
	char path[4096];

	if (!sl_binaries_path(binaries, name, path, sizeof(path)))
		return NULL;
	for (size_t i = 0; i < binaries->count; i++) {
		size_t count = binaries->items[i].sites
				       ? sl_sites_functions_at(binaries->items[i].sites, path, line, some, AT_ONCE)
				       : 0;
		const struct sl_site_function *best = NULL;

		for (size_t k = 0; k < count && k < AT_ONCE; k++) /* a lambda is inside of another function */
			if (!best || some[k]->last_line - some[k]->line < best->last_line - best->line)
				best = some[k];
		if (best)
			return best;
	}
	return NULL;
}

static void
class_of(const struct sl_binaries *binaries, const char *name, uint32_t line, bool in_code, char *text,
	 size_t room)
{
	const struct sl_site_function *function = in_code ? function_at(binaries, name, line) : NULL;

	if (function && *function->class_name)
		snprintf(text, room, "%s", function->class_name);
	else
		module_of(name, text, room);
}

static void
add_class(struct sl_points_inside *in, const char *name)
{
	char *copy;

	for (size_t i = 0; i < in->class_count; i++)
		if (strcmp(in->classes[i], name) == 0)
			return;
	copy = sl_must(strdup(name));
	in->classes = sl_room_for(in->classes, in->class_count, &in->class_capacity, sizeof(*in->classes));
	in->classes[in->class_count++] = copy;
}

static void
add_function(struct sl_points_inside *in, const char *file, uint32_t first, uint32_t last)
{
	for (size_t i = in->function_count; i-- > 0;)
		if (in->functions[i].first == first && in->functions[i].last == last &&
		    strcmp(in->functions[i].file, file) == 0)
			return;
	in->functions =
		sl_room_for(in->functions, in->function_count, &in->function_capacity, sizeof(*in->functions));
	in->functions[in->function_count++] = (struct extent){file, first, last};
}

/* ---- the search ---- */

struct search {
	struct sl_points *points;
	const struct sl_two_versions *v;
	char **new_sources, **old_sources; /* the sources of the program: other files belong to other programs */
	size_t new_source_count, old_source_count;
	struct code *old_code; /* sorted by name */
	size_t old_code_count;
	const struct sl_site_function *
		*examined; /* functions with a changed line: are they called in locked regions alone? */
	size_t examined_count, examined_capacity;
};

/* The reason of a point. */
struct cause {
	enum sl_point_reason reason;
	const char *file;
	uint32_t line;
	const char *by;
};

static const struct sl_aligned_function *
aligned_function(const struct sl_alignment *alignment, const char *name, uint32_t line)
{
	for (uint32_t i = 0; i < alignment->file_count; i++)
		if (strcmp(alignment->files[i].path, name) == 0)
			return sl_alignment_function(alignment, i, line);
	return NULL;
}

static struct sl_point *
add_point(struct sl_points *points, const struct cause *cause)
{
	struct sl_points_inside *in = points->inside;
	struct sl_point *point;

	points->items = sl_room_for(points->items, points->count, &in->point_capacity, sizeof(*points->items));
	point = &points->items[points->count++];
	*point = (struct sl_point){.reason = cause->reason,
				   .from_file = keep(in, cause->file),
				   .from_line = cause->line,
				   .by = keep(in, cause->by ? cause->by : ""),
				   .file = "",
				   .function = "",
				   .class_name = "",
				   .name = ""};
	return point;
}

/* The first reason counts. */
static void
add_line(struct search *s, const char *name, uint32_t line, const struct cause *cause)
{
	struct sl_points_inside *in = s->points->inside;
	struct file *file = file_get(in, name);
	const struct sl_site_function *function;
	const struct sl_aligned_function *aligned = NULL;
	struct sl_point *point;
	char class_name[NAME_MAX_];

	if (line >= file->capacity) {
		size_t more = line + 256;

		file->points = sl_must(realloc(file->points, more * sizeof(*file->points)));
		memset(file->points + file->capacity, 0, (more - file->capacity) * sizeof(*file->points));
		file->capacity = more;
	}
	if (file->points[line])
		return;
	point = add_point(s->points, cause);
	point->line = line;
	point->file = keep(in, name);
	file->points[line] = (uint32_t)s->points->count;
	s->points->line_count++;
	function = function_at(s->v->new, name, line);
	if (function) {
		point->function = keep(in, function->name);
		add_function(in, point->file, function->line, function->last_line);
	} else if ((aligned = aligned_function(s->v->forth, name, line))) {
		point->function = keep(in, aligned->name);
		add_function(in, point->file, aligned->first, aligned->last);
	}
	class_of(s->v->new, name, line, in->classes_in_code, class_name, sizeof(class_name));
	point->class_name = keep(in, class_name);
	add_class(in, class_name);
}

/* "struct queue.count", "total", "next::last"; empty: it is no field. */
static void
field_name(const struct sl_site_object *object, char *text, size_t room)
{
	size_t size;

	*text = '\0';
	if (*object->member && *object->holder)
		snprintf(text, room, "%s.%s", object->holder, object->member);
	else if (object->kind == TABLE_GLOBAL || object->kind == TABLE_STATIC)
		snprintf(text, room, "%s%s%s", object->variable, *object->path ? "." : "", object->path);
	else if (object->kind == TABLE_STATIC_LOCAL)
		snprintf(text, room, "%s::%s%s%s", object->scope, object->variable, *object->path ? "." : "",
			 object->path);
	for (size = strlen(text); size > 2 && strcmp(text + size - 2, "[]") == 0; size -= 2)
		text[size - 2] = '\0';
}

static void
add_field(struct search *s, const char *name, const struct cause *cause)
{
	struct sl_points *points = s->points;
	struct sl_point *point;
	char class_name[NAME_MAX_];

	for (size_t i = points->line_count; i < points->count; i++)
		if (strcmp(points->items[i].name, name) == 0)
			return;
	point = add_point(points, cause);
	point->field = true;
	point->name = keep(points->inside, name);
	points->field_count++;
	class_of(s->v->new, cause->file, cause->line, points->inside->classes_in_code, class_name,
		 sizeof(class_name));
	point->class_name = keep(points->inside, class_name);
	add_class(points->inside, class_name);
}

static void
add_object(struct search *s, const struct sl_site_object *object, const struct cause *cause)
{
	char name[NAME_MAX_];

	if (!object)
		return;
	field_name(object, name, sizeof(name));
	if (*name)
		add_field(s, name, cause);
}

/* ---- code that differs although its text does not, and the other way round ---- */

struct code {
	const char *name; /* the linker's name */
	const char *file;
	const char *compiler, *macros;
	uint64_t hash, own_hash;
	bool local;
	const struct sl_site_function *function;
};

static int
by_name(const void *a, const void *b)
{
	const struct code *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->file, y->file);
	return order ? order : (x->hash > y->hash) - (x->hash < y->hash);
}

static struct code *
list_code(const struct sl_binaries *binaries, struct sl_points_inside *in, size_t *count)
{
	struct code *list = NULL;
	size_t capacity = 0;
	char path[4096];

	*count = 0;
	for (size_t b = 0; b < binaries->count; b++) {
		const struct sl_sites *sites = binaries->items[b].sites;

		for (size_t u = 0; sites && u < sl_sites_unit_count(sites); u++) {
			const struct sl_site_unit *unit = sl_sites_unit(sites, u);

			for (size_t i = 0; i < unit->function_count; i++) {
				const struct sl_site_function *f = &unit->functions[i];

				if (!(f->flags & TABLE_DEFINED) || f->flags & TABLE_VARIANT || !f->hash ||
				    !sl_sites_path(unit, f->file, path, sizeof(path)))
					continue;
				list = sl_room_for(list, *count, &capacity, sizeof(*list));
				list[(*count)++] =
					(struct code){.name = *f->linkage ? f->linkage : f->name,
						      .file = keep(in, sl_binaries_name(binaries, path)),
						      .compiler = unit->compiler,
						      .macros = unit->macros,
						      .hash = f->hash,
						      .own_hash = f->own_hash,
						      .local = f->flags & TABLE_LOCAL_NAME,
						      .function = f};
			}
		}
	}
	if (*count)
		qsort(list, *count, sizeof(*list), by_name);
	return list;
}

/* Finds the functions of that name, those of that file if there are any. */
static size_t
find_code(const struct code *list, size_t count, const char *name, const char *file, bool local, size_t *first)
{
	size_t low = 0, high = count, from, to;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(list[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (from = low; from < count && strcmp(list[from].name, name) == 0 && strcmp(list[from].file, file) != 0;
	     from++)
		;
	for (to = from; to < count && strcmp(list[to].name, name) == 0 && strcmp(list[to].file, file) == 0; to++)
		;
	*first = from;
	if (from < to || local)
		return to - from;
	for (to = low; to < count && strcmp(list[to].name, name) == 0 && !list[to].local; to++)
		;
	*first = low;
	return to - low;
}

/*
 * A file may be compiled several times, and many files have a header's function: each variant must have its equal.
 */
static bool
same_variants(const struct code *new, size_t new_count, const struct code *old, size_t old_count, bool own)
{
	for (size_t side = 0; side < 2; side++) {
		const struct code *these = side ? old : new, *those = side ? new : old;
		size_t count = side ? old_count : new_count, others = side ? new_count : old_count;

		for (size_t i = 0; i < count; i++) {
			bool found = false;

			for (size_t k = 0; k < others && !found; k++)
				found = (own ? these[i].own_hash == those[k].own_hash
					     : these[i].hash == those[k].hash) &&
					strcmp(these[i].compiler, those[k].compiler) == 0;
			if (!found)
				return false;
		}
	}
	return true;
}

enum verdict { CODE_UNKNOWN, CODE_SAME, CODE_CHANGED, CODE_NEW };

/* Finds the functions of the old version that those of the new one, which have one name and one file, are compared with. */
static size_t
find_old_code(const struct search *s, const struct code *new, size_t *first)
{
	const char *old_file = new->file;
	uint32_t old_line;

	if (!sl_alignment_back(s->v->forth, new->file, new->function->line, &old_file, &old_line))
		old_file = new->file;
	return find_code(s->old_code, s->old_code_count, new->name, old_file, new->local, first);
}

static enum verdict
compare_code(const struct search *s, const struct code *new, size_t count, bool own)
{
	size_t first, found;

	if (!s->v->old->count)
		return CODE_NEW; /* there is no old program */
	if (!s->old_code_count)
		return CODE_UNKNOWN;
	found = find_old_code(s, new, &first);
	if (!found)
		return CODE_NEW;
	for (size_t i = 0; i < found; i++)
		for (size_t k = 0; k < count; k++)
			if (strcmp(s->old_code[first + i].compiler, new[k].compiler) != 0)
				return CODE_UNKNOWN; /* their hashes can't be compared */
	return same_variants(new, count, s->old_code + first, found, own) ? CODE_SAME : CODE_CHANGED;
}

/* ---- the changed lines ---- */

/*
 * Returns whether the function has a variable with static storage: the hash of its code does not include the
 * initial value.
 */
static bool
has_static(const struct sl_text *texts, const struct sl_alignment *alignment, uint32_t file, uint32_t first,
	   uint32_t last)
{
	struct sl_lexemes lexemes;
	bool found = false;

	(void)alignment;
	sl_lexemes_init(&lexemes, texts[file].bytes, texts[file].size);
	for (size_t i = 0; i < lexemes.count && !found; i++)
		found = lexemes.items[i].line >= first && lexemes.items[i].line <= last &&
			sl_lexeme_among(&lexemes.items[i], "static thread_local _Thread_local __thread constexpr");
	sl_lexemes_release(&lexemes);
	return found;
}

/* Functions of one version whose code is the same in the other, although their lines differ. */
struct untouched {
	struct extent *items;
	size_t count, capacity;
};

static bool
is_untouched(const struct untouched *all, const char *file, uint32_t line)
{
	for (size_t i = 0; i < all->count; i++)
		if (line >= all->items[i].first && line <= all->items[i].last &&
		    strcmp(all->items[i].file, file) == 0)
			return true;
	return false;
}

static void
add_untouched(struct untouched *all, const char *file, uint32_t first, uint32_t last)
{
	all->items = sl_room_for(all->items, all->count, &all->capacity, sizeof(*all->items));
	all->items[all->count++] = (struct extent){file, first, last};
}

static bool
has_changed_line(const struct sl_alignment *alignment, const char *file, uint32_t first, uint32_t last,
		 uint32_t *number)
{
	for (uint32_t i = 0; i < alignment->file_count; i++) {
		const struct sl_aligned_file *f = &alignment->files[i];

		if (strcmp(f->path, file) != 0)
			continue;
		*number = i;
		for (uint32_t line = first; line <= last && line < f->line_count; line++)
			if (f->lines[line].change != SL_LINE_SAME)
				return true;
	}
	return false;
}

static void
whole_function(struct search *s, const struct code *code, enum sl_point_reason reason)
{
	const struct sl_site_function *f = code->function;
	const struct sl_aligned_function *aligned = aligned_function(s->v->forth, code->file, f->line);
	struct cause cause = {reason, code->file, f->line, f->name};
	/* a compiler may not say where the brace is */
	uint32_t last = aligned && aligned->last > f->last_line ? aligned->last : f->last_line;

	for (uint32_t line = f->line; line <= last; line++)
		add_line(s, code->file, line, &cause);
}

/* Functions of which lines have changed, and the code: that need not be all. */
struct mixed {
	struct code *items;
	uint32_t *files; /* in the alignment */
	size_t count, capacity, file_capacity;
};

static void
add_mixed(struct mixed *all, const struct code *code, uint32_t file)
{
	all->items = sl_room_for(all->items, all->count, &all->capacity, sizeof(*all->items));
	all->files = sl_room_for(all->files, all->count, &all->file_capacity, sizeof(*all->files));
	all->items[all->count] = *code;
	all->files[all->count++] = file;
}

/* Did the options of the compiler define the same macros? Of a program that was compiled without `sleave cc` that is not known. */
static bool
other_macros(const struct search *s, const struct code *code)
{
	size_t first, found = find_old_code(s, code, &first);

	for (size_t i = 0; i < found; i++)
		if (strcmp(s->old_code[first + i].macros, code->macros) == 0)
			return false;
	return found > 0;
}

/* Adds the lines of the function that use a name which stands for something else now. */
static void
uses_of(struct search *s, const struct sl_changed_names *names, const struct code *code, uint32_t file)
{
	const struct sl_site_function *f = code->function;
	const struct sl_aligned_function *aligned = sl_alignment_function(s->v->forth, file, f->line);
	uint32_t last = aligned && aligned->last > f->last_line ? aligned->last : f->last_line;
	struct sl_lexemes lexemes;

	sl_lexemes_init(&lexemes, s->v->new_texts[file].bytes, s->v->new_texts[file].size);
	for (size_t i = 0; i < lexemes.count; i++) {
		const struct sl_lexeme *l = &lexemes.items[i];
		const struct sl_changed_name *used =
			l->kind == SL_LEXEME_NAME && l->line >= f->line && l->line <= last
				? sl_changed_names_look_up(names, l->text, l->length)
				: NULL;

		if (used)
			add_line(s, code->file, l->line,
				 &(struct cause){used->old ? SL_POINT_OLD_USES : SL_POINT_USES, used->file,
						 used->line, used->name});
	}
	sl_lexemes_release(&lexemes);
	/* "*to = *from" names no type */
	for (uint32_t i = 0; i < f->point_count; i++) {
		const struct sl_site_object *o = f->points[i].object;
		const char *type = !o || *o->path ? "" : *o->container ? o->container : o->type;
		const struct sl_changed_name *used;

		type = strrchr(type, ' ') ? strrchr(type, ' ') + 1 : type;
		used = *type && strcmp(f->points[i].file, f->file) == 0
			       ? sl_changed_names_look_up(names, type, strlen(type))
			       : NULL;
		if (used)
			add_line(s, code->file, f->points[i].line,
				 &(struct cause){used->old ? SL_POINT_OLD_USES : SL_POINT_USES, used->file,
						 used->line, used->name});
	}
}

static bool is_source(const struct search *s, const char *name, bool old);

static bool *
sources_of(const struct search *s, const struct sl_alignment *a, bool old)
{
	bool *counts = sl_room_zeroed(a->file_count + 1, sizeof(*counts));

	for (uint32_t i = 0; i < a->file_count; i++) {
		const char *dot = strrchr(a->files[i].path, '.');

		/* debug information does not name a header that has nothing but macros */
		counts[i] = is_source(s, a->files[i].path, old) || (dot && (dot[1] == 'h' || dot[1] == 'H'));
	}
	return counts;
}

/* What no text shows of functions of which a text has changed, too. */
static void
mixed_functions(struct search *s, const struct mixed *all)
{
	bool *new = sources_of(s, s->v->forth, false), *old = sources_of(s, s->v->back, true);
	struct sl_changed_names names = {0};

	if (all->count)
		sl_changed_names_find(&names, &(struct sl_names_of){s->v->new_texts, s->v->forth, new},
				      &(struct sl_names_of){s->v->old_texts, s->v->back, old});
	for (size_t i = 0; i < all->count; i++)
		if (other_macros(s, &all->items[i]))
			whole_function(s, &all->items[i], SL_POINT_CODE);
		else
			uses_of(s, &names, &all->items[i], all->files[i]);
	sl_changed_names_release(&names);
	free(new);
	free(old);
}

/* Compares functions by their hashes. */
static void
compare_functions(struct search *s, struct untouched *new_same, struct untouched *old_same, struct mixed *mixed)
{
	size_t count, old_first;
	struct code *new = list_code(s->v->new, s->points->inside, &count);

	for (size_t i = 0, end; i < count; i = end) {
		const struct sl_site_function *f = new[i].function;
		uint32_t number = 0, old_line;
		const char *old_file;
		enum verdict own, whole;
		bool text;

		for (end = i + 1; end < count && strcmp(new[end].name, new[i].name) == 0 &&
				  strcmp(new[end].file, new[i].file) == 0;
		     end++)
			;
		own = compare_code(s, new + i, end - i, true);
		whole = compare_code(s, new + i, end - i, false);
		text = has_changed_line(s->v->forth, new[i].file, f->line, f->last_line, &number);
		if (!text && own == CODE_CHANGED)
			whole_function(s, &new[i], SL_POINT_CODE);
		else if (!text && own == CODE_NEW)
			whole_function(s, &new[i], SL_POINT_NEW);
		else if (text && own == CODE_CHANGED)
			add_mixed(mixed, &new[i], number);
		else if (text && whole == CODE_SAME &&
			 !has_static(s->v->new_texts, s->v->forth, number, f->line, f->last_line)) {
			add_untouched(new_same, new[i].file, f->line, f->last_line);
			if (!sl_alignment_back(s->v->forth, new[i].file, f->line, &old_file, &old_line))
				old_file = new[i].file;
			if (find_code(s->old_code, s->old_code_count, new[i].name, old_file, new[i].local,
				      &old_first))
				add_untouched(old_same, s->old_code[old_first].file,
					      s->old_code[old_first].function->line,
					      s->old_code[old_first].function->last_line);
		}
	}
	free(new);
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns whether the program was made from that file. */
static bool
is_source(const struct search *s, const char *name, bool old)
{
	char path[4096], *key = path;

	return sl_binaries_path(old ? s->v->old : s->v->new, name, path, sizeof(path)) &&
	       bsearch(&key, old ? s->old_sources : s->new_sources,
		       old ? s->old_source_count : s->new_source_count, sizeof(char *), compare_texts);
}

static bool
is_in_function(const struct search *s, const char *name, uint32_t line)
{
	return function_at(s->v->new, name, line) || aligned_function(s->v->forth, name, line);
}

static void
changed_lines(struct search *s, const struct untouched *same)
{
	const struct sl_alignment *a = s->v->forth;

	for (uint32_t i = 0; i < a->file_count; i++)
		for (uint32_t line = 1; is_source(s, a->files[i].path, false) && line < a->files[i].line_count;
		     line++) {
			const struct sl_aligned_line *l = &a->files[i].lines[line];
			struct cause cause = {l->change == SL_LINE_BESIDE ? SL_POINT_GONE : SL_POINT_CHANGED,
					      a->files[i].path, line, NULL};

			if (l->change == SL_LINE_SAME || !is_in_function(s, a->files[i].path, line))
				continue;
			if (is_untouched(same, a->files[i].path, line)) {
				s->points->same_code++;
				continue;
			}
			add_line(s, a->files[i].path, line, &cause);
		}
}

/* ---- regions, accesses, calls ---- */

typedef void line_action(struct search *s, const struct sl_binaries *binaries, const struct sl_sites *sites,
			 const char *path, const struct cause *cause, bool old);

/* Calls the action for the line in each file of the version that has a table. */
static void
at_line(struct search *s, const char *name, uint32_t line, bool old, line_action *action)
{
	const struct sl_binaries *binaries = old ? s->v->old : s->v->new;
	struct cause cause = {.file = name, .line = line};
	char path[4096];

	if (!sl_binaries_path(binaries, name, path, sizeof(path)))
		return;
	for (size_t i = 0; i < binaries->count; i++)
		if (binaries->items[i].sites)
			action(s, binaries, binaries->items[i].sites, path, &cause, old);
}

/* Adds lines of one of the versions, as the new one has them. */
static void
add_lines(struct search *s, const char *name, uint32_t first, uint32_t last, const struct cause *cause, bool old)
{
	for (uint32_t line = first; line <= last; line++) {
		const char *there = name;
		uint32_t new_line = line;

		if (!old || sl_alignment_forth(s->v->forth, name, line, &there, &new_line))
			add_line(s, there, new_line, cause);
	}
}

static void
add_region(struct search *s, const struct sl_binaries *binaries, const struct sl_site_region *r,
	   const struct cause *cause, bool old)
{
	char file[4096];

	for (uint32_t k = 0; k < r->line_count; k++)
		if (sl_sites_path(r->function->unit, r->lines[k].file, file, sizeof(file)))
			add_lines(s, sl_binaries_name(binaries, file), r->lines[k].first, r->lines[k].last, cause,
				  old);
}

static const char *
lock_of(const struct sl_site_region *region)
{
	return *region->text ? region->text : "a lock";
}

static void
regions_of(struct search *s, const struct sl_binaries *binaries, const struct sl_sites *sites, const char *path,
	   const struct cause *from, bool old)
{
	const struct sl_site_region *regions[AT_ONCE];
	size_t count = sl_sites_regions_at(sites, path, from->line, regions, AT_ONCE);

	for (size_t i = 0; i < count && i < AT_ONCE; i++) {
		struct cause cause = {old ? SL_POINT_OLD_REGION : SL_POINT_REGION, from->file, from->line,
				      lock_of(regions[i])};

		add_region(s, binaries, regions[i], &cause, old);
	}
}

/* The regions that a function is called in. */
struct around {
	const struct sl_site_region *items[AT_ONCE];
	size_t count;
};

static bool is_called_locked(const struct sl_sites *sites, const struct sl_site_function *f, unsigned deep,
			     struct around *around);

/* Is this call of the function in a locked region, or in a function that is called in such alone? */
static bool
is_locked_call(const struct sl_sites *sites, const struct sl_site_point *call, unsigned deep,
	       struct around *around)
{
	const struct sl_site_function *caller = call->function;
	bool found = false;

	for (uint32_t i = 0; i < caller->region_count; i++) {
		const struct sl_site_region *r = &caller->regions[i];

		for (uint32_t k = 0; k < r->point_count; k++)
			if (&caller->points[r->points[k]] == call && around->count < AT_ONCE) {
				around->items[around->count++] = r;
				found = true;
			}
	}
	return found || (deep && is_called_locked(sites, caller, deep - 1, around));
}

/* Is the function called in locked regions alone, by its name? Fills in the regions. */
static bool
is_called_locked(const struct sl_sites *sites, const struct sl_site_function *f, unsigned deep,
		 struct around *around)
{
	bool called = false;

	if (f->flags & (TABLE_ADDRESS_TAKEN | TABLE_VIRTUAL))
		return false;
	for (size_t u = 0; u < sl_sites_unit_count(sites); u++) {
		const struct sl_site_unit *unit = sl_sites_unit(sites, u);

		for (size_t i = 0; i < unit->point_count; i++) {
			const struct sl_site_point *p = &unit->points[i];

			if (!p->callee || p->function == f || strcmp(p->callee->name, f->name) != 0 ||
			    sl_sites_definition(sites, p->callee) != f)
				continue;
			if (!is_locked_call(sites, p, deep, around))
				return false;
			called = true;
		}
	}
	return called;
}

/* A function that is called in locked regions alone is a part of them. */
static void
callers_of(struct search *s, const struct sl_binaries *binaries, const struct sl_sites *sites, const char *path,
	   const struct cause *from, bool old)
{
	const struct sl_site_function *some[AT_ONCE];
	size_t count = sl_sites_functions_at(sites, path, from->line, some, AT_ONCE);

	for (size_t i = 0; i < count && i < AT_ONCE; i++) {
		const struct sl_site_function *f = some[i];
		struct around around = {.count = 0};
		struct cause cause = {old ? SL_POINT_OLD_CALLER : SL_POINT_CALLER, from->file, from->line,
				      f->name};
		bool known = false;

		for (size_t k = 0; k < s->examined_count && !known; k++)
			known = s->examined[k] == f;
		if (known)
			continue;
		s->examined = sl_room_for(s->examined, s->examined_count, &s->examined_capacity,
					  sizeof(struct sl_site_function *));
		s->examined[s->examined_count++] = f;
		if (!is_called_locked(sites, f, CALLS_DEEP - 1, &around))
			continue;
		for (size_t k = 0; k < around.count; k++)
			add_region(s, binaries, around.items[k], &cause, old);
		cause.reason = old ? SL_POINT_OLD_REGION : SL_POINT_REGION;
		cause.by = lock_of(around.items[0]);
		add_lines(s, from->file, f->line, f->last_line, &cause, old);
	}
}

static void
accesses_of(struct search *s, const struct sl_binaries *binaries, const struct sl_sites *sites, const char *path,
	    const struct cause *from, bool old)
{
	const struct sl_site_point *some[AT_ONCE];
	const struct sl_site_function *targets[AT_ONCE];
	size_t count = sl_sites_points_at(sites, path, from->line, some, AT_ONCE);

	(void)binaries;
	for (size_t i = 0; i < count && i < AT_ONCE; i++) {
		struct cause cause = {old ? SL_POINT_OLD_ACCESS : SL_POINT_ACCESS, from->file, from->line, NULL};
		size_t called;

		add_object(s, some[i]->object, &cause);
		if (!some[i]->call)
			continue;
		called = sl_sites_targets(sites, some[i], targets, AT_ONCE);
		cause.reason = old ? SL_POINT_OLD_CALLED : SL_POINT_CALLED;
		for (size_t k = 0; k < called && k < AT_ONCE; k++) {
			cause.by = targets[k]->name;
			for (uint32_t p = 0; p < targets[k]->point_count; p++)
				if (!targets[k]->points[p].call)
					add_object(s, targets[k]->points[p].object, &cause);
		}
	}
}

/* Calls the action for the lines of the old version that are gone or have changed. */
static void
old_lines(struct search *s, const struct untouched *same, line_action *action)
{
	const struct sl_alignment *a = s->v->back;

	for (uint32_t i = 0; i < a->file_count; i++)
		for (uint32_t line = 1; is_source(s, a->files[i].path, true) && line < a->files[i].line_count;
		     line++)
			if (a->files[i].lines[line].change == SL_LINE_CHANGED &&
			    !is_untouched(same, a->files[i].path, line))
				at_line(s, a->files[i].path, line, true, action);
}

/* ---- declarations of fields ---- */

/* Returns "queue" for "struct queue". */
static const char *
without_tag(const char *type)
{
	const char *blank = strrchr(type, ' ');

	return blank ? blank + 1 : type;
}

static bool
begins_with_word(const char *path, const struct sl_lexeme *word)
{
	size_t size = strcspn(path, ".[");

	return size == word->length && strncmp(path, word->text, size) == 0;
}

/* Adds the fields that a word on a changed line of a declaration declares. */
static void
declared(struct search *s, const struct sl_lexeme *word, const struct sl_aligned_declaration *of,
	 const struct cause *cause)
{
	for (size_t b = 0; b < s->v->new->count; b++) {
		const struct sl_sites *sites = s->v->new->items[b].sites;

		for (size_t u = 0; sites && u < sl_sites_unit_count(sites); u++) {
			const struct sl_site_unit *unit = sl_sites_unit(sites, u);

			for (size_t i = 0; i < unit->object_count; i++) {
				const struct sl_site_object *o = &unit->objects[i];
				bool variable = (o->kind == TABLE_GLOBAL || o->kind == TABLE_STATIC) &&
						begins_with_word(o->variable, word);
				bool member = *o->member && begins_with_word(o->member, word) &&
					      strcmp(without_tag(o->holder), without_tag(of->name)) == 0;

				if (variable || member)
					add_object(s, o, cause);
			}
		}
	}
}

/* A word on a changed line of a function: is it one of its static variables? How that begins is no code. */
static void
declared_inside(struct search *s, const struct sl_lexeme *word, const char *function, const struct cause *cause)
{
	for (size_t b = 0; b < s->v->new->count; b++) {
		const struct sl_sites *sites = s->v->new->items[b].sites;

		for (size_t u = 0; sites && u < sl_sites_unit_count(sites); u++) {
			const struct sl_site_unit *unit = sl_sites_unit(sites, u);

			for (size_t i = 0; i < unit->object_count; i++)
				if (unit->objects[i].kind == TABLE_STATIC_LOCAL &&
				    begins_with_word(unit->objects[i].variable, word) &&
				    strcmp(unit->objects[i].scope, function) == 0)
					add_object(s, &unit->objects[i], cause);
		}
	}
}

static void
declarations_inside(struct search *s)
{
	const struct sl_alignment *a = s->v->forth;

	for (uint32_t i = 0; i < a->file_count; i++) {
		struct sl_lexemes lexemes;

		if (!is_source(s, a->files[i].path, false) || !file_find(s->points->inside, a->files[i].path))
			continue;
		sl_lexemes_init(&lexemes, s->v->new_texts[i].bytes, s->v->new_texts[i].size);
		for (size_t k = 0; k < lexemes.count; k++) {
			const struct sl_lexeme *word = &lexemes.items[k];
			struct cause cause = {SL_POINT_DECLARED, a->files[i].path, word->line, NULL};
			const struct sl_point *point;

			if (word->kind != SL_LEXEME_NAME || word->line >= a->files[i].line_count ||
			    a->files[i].lines[word->line].change != SL_LINE_CHANGED)
				continue;
			point = sl_points_line(s->points, a->files[i].path, word->line);
			if (point && *point->function)
				declared_inside(s, word, point->function, &cause);
		}
		sl_lexemes_release(&lexemes);
	}
}

static bool
is_sign(const struct sl_lexeme *lexeme, char sign)
{
	return lexeme->length == 1 && *lexeme->text == sign;
}

static bool
is_word(const struct sl_lexeme *lexeme, const char *word)
{
	return lexeme->length == strlen(word) && memcmp(lexeme->text, word, lexeme->length) == 0;
}

/* Does the bracket begin the parameters of a function? They follow its name, which follows a type; else a macro is used. */
static bool
begins_parameters(const struct sl_lexemes *lexemes, size_t k)
{
	const struct sl_lexeme *l = &lexemes->items[k];

	if (k < 2)
		return false;
	if (is_sign(&l[-1], ')'))
		return true; /* of a pointer to a function */
	return l[-1].kind == SL_LEXEME_NAME &&
	       (is_sign(&l[-2], '*') ||
		(l[-2].kind == SL_LEXEME_NAME && !is_word(&l[-2], "static") && !is_word(&l[-2], "extern")));
}

/* For each lexeme: is it in a list of parameters? What is named there is no variable, and no member. */
static bool *
in_parameters(const struct sl_lexemes *lexemes)
{
	bool *in = sl_room_zeroed(lexemes->count + 1, sizeof(*in));
	size_t depth = 0, since = 0; /* of round brackets; the depth outside of the outermost list, plus one */

	for (size_t k = 0; k < lexemes->count; k++) {
		const struct sl_lexeme *l = &lexemes->items[k];

		in[k] = since > 0;
		if (is_sign(l, '(')) {
			depth++;
			if (!since && begins_parameters(lexemes, k))
				since = depth;
		} else if (is_sign(l, ')') && depth) {
			if (since == depth)
				since = 0;
			depth--;
		} else if (is_sign(l, '{') || is_sign(l, ';')) {
			if (!since)
				depth = 0; /* whatever was before, it is over */
		}
	}
	return in;
}

static void
declarations(struct search *s)
{
	const struct sl_alignment *a = s->v->forth;

	for (size_t i = 0; i < a->other_count; i++) {
		const struct sl_aligned_declaration *d = &a->other[i];
		struct sl_lexemes lexemes;

		if (!is_source(s, a->files[d->file].path, false))
			continue;
		if (strcmp(d->what, "type") != 0 && strcmp(d->what, "declaration") != 0)
			continue;
		sl_lexemes_init(&lexemes, s->v->new_texts[d->file].bytes, s->v->new_texts[d->file].size);
		bool *parameters = in_parameters(&lexemes);

		for (size_t k = 0; k < lexemes.count; k++) {
			const struct sl_lexeme *word = &lexemes.items[k];
			struct cause cause = {SL_POINT_DECLARED, a->files[d->file].path, word->line, NULL};

			if (word->kind == SL_LEXEME_NAME && !parameters[k] && word->line >= d->first &&
			    word->line <= d->last && word->line < a->files[d->file].line_count &&
			    a->files[d->file].lines[word->line].change != SL_LINE_SAME)
				declared(s, word, d, &cause);
		}
		free(parameters);
		sl_lexemes_release(&lexemes);
	}
}

/* ---- the whole ---- */

static bool
has_classes(const struct sl_binaries *binaries)
{
	for (size_t b = 0; b < binaries->count; b++)
		for (size_t u = 0; binaries->items[b].sites && u < sl_sites_unit_count(binaries->items[b].sites);
		     u++) {
			const struct sl_site_unit *unit = sl_sites_unit(binaries->items[b].sites, u);

			for (size_t i = 0; i < unit->function_count; i++)
				if (*unit->functions[i].class_name)
					return true;
		}
	return false;
}

static int
by_place(const void *a, const void *b)
{
	const struct sl_point *x = a, *y = b;
	int order = (int)x->field - (int)y->field;

	if (!order)
		order = strcmp(x->file, y->file);
	if (!order)
		order = (x->line > y->line) - (x->line < y->line);
	return order ? order : strcmp(x->name, y->name);
}

void
sl_points_find(struct sl_points *points, const struct sl_two_versions *versions)
{
	struct search s = {.points = points, .v = versions};
	struct untouched new_same = {0}, old_same = {0};
	struct mixed mixed = {0};
	size_t changed;

	*points = (struct sl_points){.inside = sl_room_zeroed(1, sizeof(*points->inside))};
	points->inside->new = versions->new;
	points->inside->classes_in_code = has_classes(versions->new);
	if (!sl_binaries_lack_sites(versions->new, points->without_sites, sizeof(points->without_sites)))
		sl_binaries_lack_sites(versions->old, points->without_sites, sizeof(points->without_sites));
	s.new_source_count = sl_binaries_sources(versions->new, &s.new_sources);
	s.old_source_count = sl_binaries_sources(versions->old, &s.old_sources);
	s.old_code = list_code(versions->old, points->inside, &s.old_code_count);

	compare_functions(&s, &new_same, &old_same, &mixed);
	changed_lines(&s, &new_same);
	mixed_functions(&s, &mixed);
	points->changed_lines = points->line_count;
	changed = points->line_count; /* regions do not reach further by lines of other regions */
	for (size_t i = 0; i < changed; i++)
		at_line(&s, points->items[i].file, points->items[i].line, false, regions_of);
	old_lines(&s, &old_same, regions_of);
	for (size_t i = 0; i < changed; i++)
		at_line(&s, points->items[i].file, points->items[i].line, false, callers_of);
	old_lines(&s, &old_same, callers_of);

	declarations(&s);
	for (size_t i = 0; i < points->line_count; i++)
		at_line(&s, points->items[i].file, points->items[i].line, false, accesses_of);
	old_lines(&s, &old_same, accesses_of);
	declarations_inside(&s);

	if (points->count)
		qsort(points->items, points->count, sizeof(*points->items), by_place);
	for (size_t i = 0; i < points->line_count; i++) {
		uint32_t *of_file = file_get(points->inside, points->items[i].file)->points;

		if (of_file) /* it has a point, so it has room for its lines */
			of_file[points->items[i].line] = (uint32_t)i + 1;
	}
	sl_binaries_free_sources(s.new_sources, s.new_source_count);
	sl_binaries_free_sources(s.old_sources, s.old_source_count);
	free(s.old_code);
	free(s.examined);
	free(new_same.items);
	free(old_same.items);
	free(mixed.items);
	free(mixed.files);
}

void
sl_points_release(struct sl_points *points)
{
	struct sl_points_inside *in = points->inside;

	if (!in)
		return;
	for (size_t i = 0; i < in->file_count; i++) {
		free(in->files[i].name);
		free(in->files[i].points);
	}
	for (size_t i = 0; i < in->class_count; i++)
		free(in->classes[i]);
	for (size_t i = 0; i < in->text_count; i++)
		free(in->texts[i]);
	free(in->files);
	free(in->classes);
	free(in->texts);
	free(in->functions);
	free(in);
	free(points->items);
	*points = (struct sl_points){0};
}

const struct sl_point *
sl_points_line(const struct sl_points *points, const char *name, uint32_t line)
{
	const struct file *file = file_find(points->inside, name);

	return file && line < file->capacity && file->points[line] ? &points->items[file->points[line] - 1] : NULL;
}

const struct sl_point *
sl_points_field(const struct sl_points *points, const struct sl_site_object *object)
{
	size_t low = points->line_count, high = points->count;
	char name[NAME_MAX_];

	field_name(object, name, sizeof(name));
	if (!*name)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(points->items[middle].name, name);

		if (!order)
			return &points->items[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct sl_point *
sl_points_function(const struct sl_points *points, const char *file, uint32_t line)
{
	for (size_t i = 0; i < points->inside->function_count; i++) {
		const struct extent *f = &points->inside->functions[i];
		const struct sl_point *point = NULL;

		if (line < f->first || line > f->last || strcmp(f->file, file) != 0)
			continue;
		for (uint32_t at = f->first; at <= f->last && !point; at++)
			point = sl_points_line(points, file, at);
		return point;
	}
	return NULL;
}

bool
sl_points_class(const struct sl_points *points, const char *file, uint32_t line)
{
	const struct sl_points_inside *in = points->inside;
	char name[NAME_MAX_];

	class_of(in->new, file, line, in->classes_in_code, name, sizeof(name));
	for (size_t i = 0; i < in->class_count; i++)
		if (strcmp(in->classes[i], name) == 0)
			return true;
	return false;
}

const char *
sl_point_path(const char *path, const char *folder)
{
	size_t size = folder ? strlen(folder) : 0;

	return size && strncmp(path, folder, size) == 0 && path[size] == '/' ? path + size + 1 : path;
}

void
sl_point_format(const struct sl_point *point, const char *folder, char *text, size_t room)
{
	char at[512];

	snprintf(at, sizeof(at), "%s:%u", sl_point_path(point->from_file, folder), point->from_line);
	switch (point->reason) {
	case SL_POINT_CHANGED:
		snprintf(text, room, "changed");
		break;
	case SL_POINT_GONE:
		snprintf(text, room, "something beside it was removed");
		break;
	case SL_POINT_CODE:
		snprintf(text, room,
			 "the code of %s() has changed, its text has not (a macro, a header, an option)",
			 point->by);
		break;
	case SL_POINT_USES:
		snprintf(text, room, "uses %s, whose definition at %s has changed", point->by, at);
		break;
	case SL_POINT_OLD_USES:
		snprintf(text, room, "uses %s, whose definition at the old %s has changed", point->by, at);
		break;
	case SL_POINT_NEW:
		snprintf(text, room, "the old program does not have %s()", point->by);
		break;
	case SL_POINT_REGION:
		snprintf(text, room, "under %s with %s, which has changed", point->by, at);
		break;
	case SL_POINT_OLD_REGION:
		snprintf(text, room, "was under %s with the old %s, which has changed", point->by, at);
		break;
	case SL_POINT_CALLER:
		snprintf(text, room, "under a lock with %s(), where %s has changed", point->by, at);
		break;
	case SL_POINT_OLD_CALLER:
		snprintf(text, room, "was under a lock with %s(), where the old %s has changed", point->by, at);
		break;
	case SL_POINT_ACCESS:
		snprintf(text, room, "accessed at %s", at);
		break;
	case SL_POINT_OLD_ACCESS:
		snprintf(text, room, "was accessed at the old %s", at);
		break;
	case SL_POINT_CALLED:
		snprintf(text, room, "accessed by %s(), which is called at %s", point->by, at);
		break;
	case SL_POINT_OLD_CALLED:
		snprintf(text, room, "accessed by %s(), which was called at the old %s", point->by, at);
		break;
	case SL_POINT_DECLARED:
		snprintf(text, room, "its declaration at %s has changed", at);
		break;
	default:
		*text = '\0';
	}
}
