/*
 * Each function here codes one kind of record, in both directions: a field is assigned what coding it returns, which is itself when
 * writing. Contexts are made of what was coded before, and so they are the same in both.
 *
 * A function, object or string is written where it is first referred to. The reader numbers them in this order; the writer, which has
 * them in another one, keeps their numbers in it as `rank`.
 */
#include "source/table_records.h"

#include <stdlib.h>
#include <string.h>

/* What a number means: numbers of a field are alike. */
enum field {
	STRING_REFERENCE, /* one for each enum text */
	CHARACTER = STRING_REFERENCE + 16,
	FUNCTION_LINE,
	FUNCTION_TAKEN,
	FUNCTION_MORE,
	OBJECT_KIND,
	OBJECT_SCOPE,
	OBJECT_SAME,
	CODE_COUNT,
	CODE_FUNCTION,
	CODE_FLAGS,
	CODE_LINES,
	CODE_HASH,
	CODE_POINTS,
	CODE_REGIONS,
	CODE_SLICES,
	POINT_FLAGS,
	POINT_CALL,
	POINT_LINE,
	POINT_NEXT_COLUMN,
	POINT_COLUMN,
	POINT_CALLEE,
	POINT_OBJECT,
	REGION_FLAGS,
	REGION_OBJECT,
	REGION_LINES,
	REGION_LENGTH,
	REGION_LINE,
	REGION_POINTS,
	REGION_POINT,
	TEXT_ENDING,
	SLICE_KIND,
	SLICE_LINE,
	SLICE_COLUMN,
	SLICE_POINT,
	SLICE_ARGUMENT,
	SLICE_SET,
	SET_PARAMETERS,
	SET_PARAMETER,
	SET_POINTS,
	SET_POINT,
	FRAME_COUNT,
	FRAME_FUNCTION,
	FRAME_OUTER,
	FRAME_LINE,
	FRAME_COLUMN,
	SITE_COUNT,
	SITE_FLAGS,
	SITE_FRAME,
	SITE_POINT,
	SITE_LINE,
	SITE_COLUMN,
	SITE_OBJECT,
	SITE_SIZE,
	RUN_COUNT,
	RUN_LENGTH,
	RUN_SITE,
	FIELDS
};

_Static_assert((int)FIELDS <= (int)SL_CODER_FIELDS, "each field has weights");

/* What a string is. */
enum text {
	TEXT_UNIT,
	TEXT_FUNCTION,
	TEXT_LINKAGE,
	TEXT_FILE,
	TEXT_VARIABLE,
	TEXT_SCOPE,
	TEXT_RECORD, /* a container or holder */
	TEXT_MEMBER, /* … or a path of members */
	TEXT_TYPE,
	TEXT_FUNCTION_TYPE,
	TEXT_CLASS,
	TEXT_POINTER_TYPE, /* of a call by a pointer */
	TEXT_PREFIX,
	TEXTS
};

_Static_assert((int)TEXTS <= (int)CHARACTER, "each text has a field");

/* Records that are written where they are first referred to. */
struct order {
	uint32_t *rank; /* plus one; 0: not written yet. NULL: reading, when it is the number */
	uint32_t count;
};

enum {
	REMEMBERED = 1024, /* sizes of objects, and prefixes of texts */
	MATCHES = 1 << 14,
	STEP_MOST = 256 /* points that are passed at once in looking for where a branch is */
};

struct walk {
	struct sl_coder *c;
	struct sl_records *r;
	struct order strings, functions, objects;
	size_t at_frame, at_code, at_point, at_region, at_lines, at_region_point, at_slice, at_set, at_source,
		at_site, at_run, at_run_site;
	/* of strings that were coded */
	struct sl_record_list history; /* their characters, in the order of coding */
	uint32_t match[MATCHES];       /* where these three characters were last, plus one */
	uint32_t last_text[TEXTS];
	/* contexts */
	uint32_t function_line, callee, object, object_kind, column_before, line_column;
	uint32_t flags[2]; /* of the points before */
	uint32_t sizes[REMEMBERED], prefixes[REMEMBERED];
};

/* ---- lists ---- */

/* Makes room for one more item. NULL: there is no memory. */
static void *
added(struct sl_record_list *list, size_t size)
{
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 32;
		void *items = realloc(list->items, room * size);

		if (!items)
			return NULL;
		list->items = items;
		list->room = room;
	}
	return (char *)list->items + size * list->count++;
}

void *
sl_records_add(struct sl_record_list *list, size_t size)
{
	void *item = added(list, size);

	return item ? memset(item, 0, size) : NULL;
}

void
sl_records_release(struct sl_records *r)
{
	struct sl_record_list *lists[] = {&r->characters, &r->strings,       &r->functions, &r->frames,
					  &r->objects,    &r->codes,         &r->points,    &r->regions,
					  &r->lines,      &r->region_points, &r->slices,    &r->sets,
					  &r->sources,    &r->sites,         &r->runs,      &r->run_sites};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		free(lists[i]->items);
	memset(r, 0, sizeof(*r));
}

static void *
item(const struct sl_record_list *list, size_t size, size_t number)
{
	return list->items ? (char *)list->items + size * number : NULL;
}

/* The next item: writing, the one that is there; reading, a new one. NULL: nothing can be coded any more. */
static void *
next(struct walk *w, struct sl_record_list *list, size_t *at, size_t size)
{
	void *found = NULL;

	if (w->c->bad)
		return NULL;
	if (w->c->reads)
		found = sl_records_add(list, size);
	else if (*at < list->count)
		found = item(list, size, *at);
	w->c->bad |= !found;
	++*at;
	return found;
}

#define NEXT(w, name, at, type) ((type *)next((w), &(w)->r->name, &(w)->at, sizeof(type)))
#define AT(list, type, number) ((type *)item(&(list), sizeof(type), (number)))

/* ---- numbers ---- */

/* Contexts follow, at most as many as SL_CODER_CONTEXTS. */
#define CONTEXTS(...)                                                                                             \
	(const uint32_t[]){__VA_ARGS__}, (unsigned)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define NUMBER(field, value, ...) sl_coder_number(w->c, (field), (value), CONTEXTS(__VA_ARGS__))
#define SYMBOL(field, value, bits, ...) sl_coder_symbol(w->c, (field), (value), (bits), CONTEXTS(__VA_ARGS__))
#define BOTH sl_coder_both

/* A difference, small whether it is up or down; all arithmetic is modulo 2^32. */
static uint32_t
folded(uint32_t difference)
{
	return difference >> 31 ? ~(difference << 1) : difference << 1;
}

static uint32_t
unfolded(uint32_t number)
{
	return number & 1 ? ~(number >> 1) : number >> 1;
}

/* Codes `value` as its difference from another number. */
#define MOVED(field, value, from, ...) ((from) + unfolded(NUMBER(field, folded((value) - (from)), __VA_ARGS__)))

static uint32_t
rank_of(const struct order *o, uint32_t item)
{
	return o->rank ? o->rank[item] : item + 1;
}

/*
 * The number to write for an item: 0 if it is new, else its rank. `code`: what was read for it. Returns the item; *fresh: its record
 * follows.
 */
static uint32_t
referred(struct walk *w, struct order *o, uint32_t item, uint32_t code, bool *fresh)
{
	*fresh = !code && !w->c->bad;
	if (*fresh) {
		if (o->rank)
			o->rank[item] = ++o->count;
		else
			item = o->count++;
	} else if (w->c->reads) {
		w->c->bad |= code > o->count;
		item = w->c->bad ? 0 : code - 1;
	}
	return item;
}

#define RANK(w, order, item) ((w)->c->reads ? 0 : rank_of(&(w)->order, (item)))

/* ---- strings ---- */

static unsigned
character(const struct walk *w, size_t begin, size_t back, enum text what)
{
	return w->history.count >= begin + back ? AT(w->history, unsigned char, 0)[w->history.count - back]
						: 256 + (unsigned)what;
}

/* Codes the characters of a string, and the zero at its end. */
static void
characters(struct walk *w, enum text what, const char *text)
{
	size_t begin = w->history.count, match = 0;
	uint32_t word = 0;
	unsigned same = 0, one;

	do {
		uint32_t c1 = character(w, begin, 1, what), c2 = character(w, begin, 2, what),
			 c3 = character(w, begin, 3, what), c4 = character(w, begin, 4, what);
		uint32_t two = BOTH(c1, c2), three = BOTH(two, c3), *before = &w->match[three % MATCHES],
			 expected = 256;
		char *kept;

		if (!same && *before) {
			match = *before - 1;
			same = 1;
		}
		if (same)
			expected = AT(w->history, unsigned char, 0)[match];
		*before = (uint32_t)w->history.count + 1;
		one = SYMBOL(CHARACTER, (unsigned char)*text, 8, what, c1 + 0x1000, two, three, BOTH(three, c4),
			     word + 1, expected * 32 + (same < 31 ? same : 31));
		text += !w->c->reads;
		same = expected == one ? same + 1 : 0;
		match++;
		word = (one | 32) >= 'a' && (one | 32) <= 'z' ? BOTH(word, one) : 0;
		kept = added(&w->history, 1);
		w->c->bad |= !kept;
		if (kept)
			*kept = (char)one;
	} while (one && !w->c->bad);
}

/* Codes a string. What else says which it may be is `context`. */
static uint32_t
string(struct walk *w, enum text what, uint32_t number, uint32_t context)
{
	uint32_t code = NUMBER(STRING_REFERENCE + what, RANK(w, strings, number), what,
			       BOTH(what, w->last_text[what]), BOTH(what + TEXTS, context));
	bool fresh;

	number = referred(w, &w->strings, number, code, &fresh);
	if (w->c->bad)
		return 0;
	w->last_text[what] = rank_of(&w->strings, number);
	if (!fresh)
		return number;
	if (w->c->reads) {
		uint32_t *begin = sl_records_add(&w->r->strings, sizeof(*begin));

		w->c->bad |= !begin;
		if (begin)
			*begin = (uint32_t)w->history.count;
		characters(w, what, "");
	} else {
		characters(w, what, AT(w->r->characters, char, 0) + *AT(w->r->strings, uint32_t, number));
	}
	return number;
}

/* What stands before the path of members, or variable, of an object. */
static void
text(struct walk *w, uint32_t *prefix, uint32_t *ending, uint32_t object, uint32_t context)
{
	const struct sl_record_object *o = AT(w->r->objects, struct sl_record_object, object);
	bool pathless = !o->texts[TABLE_TEXT_PATH];

	*ending = NUMBER(TEXT_ENDING, *ending, o->kind, BOTH(pathless, o->kind));
	w->c->bad |= *ending >= TABLE_ENDINGS;
	*prefix = string(w, TEXT_PREFIX, *prefix, BOTH(context, pathless));
}

/* ---- functions and objects ---- */

static void
function(struct walk *w, uint32_t number, bool defined)
{
	struct sl_record_function *f;

	if (w->c->reads && !sl_records_add(&w->r->functions, sizeof(*f)))
		w->c->bad = true;
	if (w->c->bad)
		return;
	f = AT(w->r->functions, struct sl_record_function, number);
	f->name = string(w, TEXT_FUNCTION, f->name, defined);
	f->linkage = string(w, TEXT_LINKAGE, f->linkage, 0);
	f->file = string(w, TEXT_FILE, f->file, defined);
	f->line = MOVED(FUNCTION_LINE, f->line, defined ? w->function_line : 0, defined,
			BOTH(defined, w->last_text[TEXT_FILE]));
	w->function_line = f->line;
	f->taken = NUMBER(FUNCTION_TAKEN, f->taken, defined);
}

static uint32_t
function_of(struct walk *w, uint32_t number, uint32_t code, bool defined)
{
	bool fresh;

	number = referred(w, &w->functions, number, code, &fresh);
	if (fresh)
		function(w, number, defined);
	return number;
}

static void
object(struct walk *w, uint32_t number, uint32_t function)
{
	struct sl_record_object *o;
	uint32_t *texts, in, container;
	bool same;

	if (w->c->reads && !sl_records_add(&w->r->objects, sizeof(*o)))
		w->c->bad = true;
	if (w->c->bad)
		return;
	o = AT(w->r->objects, struct sl_record_object, number);
	texts = o->texts;
	in = AT(w->r->functions, struct sl_record_function, function)->name;
	o->kind = NUMBER(OBJECT_KIND, o->kind, 0, 1 + w->object_kind);
	w->c->bad |= o->kind >= 2 * TABLE_THREAD_LOCAL || o->kind % TABLE_THREAD_LOCAL >= TABLE_OBJECT_KINDS;
	w->object_kind = o->kind;
	texts[TABLE_TEXT_VARIABLE] = string(w, TEXT_VARIABLE, texts[TABLE_TEXT_VARIABLE], o->kind);
	/* the scope mostly is the function, or none */
	same = NUMBER(OBJECT_SCOPE, texts[TABLE_TEXT_SCOPE] == in, o->kind);
	texts[TABLE_TEXT_SCOPE] = same ? in : string(w, TEXT_SCOPE, texts[TABLE_TEXT_SCOPE], o->kind);
	texts[TABLE_TEXT_CONTAINER] = string(w, TEXT_RECORD, texts[TABLE_TEXT_CONTAINER], o->kind);
	container = rank_of(&w->strings, texts[TABLE_TEXT_CONTAINER]);
	texts[TABLE_TEXT_PATH] =
		string(w, TEXT_MEMBER, texts[TABLE_TEXT_PATH], BOTH(o->kind, !texts[TABLE_TEXT_CONTAINER]));
	/* the innermost type with a name mostly is the outermost one */
	same = NUMBER(OBJECT_SAME,
		      texts[TABLE_TEXT_CONTAINER] == texts[TABLE_TEXT_HOLDER] &&
			      texts[TABLE_TEXT_PATH] == texts[TABLE_TEXT_MEMBER],
		      0, container);
	texts[TABLE_TEXT_HOLDER] =
		same ? texts[TABLE_TEXT_CONTAINER]
		     : string(w, TEXT_RECORD, texts[TABLE_TEXT_HOLDER], BOTH(container, TEXT_RECORD));
	texts[TABLE_TEXT_MEMBER] =
		same ? texts[TABLE_TEXT_PATH]
		     : string(w, TEXT_MEMBER, texts[TABLE_TEXT_MEMBER], BOTH(TEXT_MEMBER, TEXT_RECORD));
	texts[TABLE_TEXT_TYPE] =
		string(w, TEXT_TYPE, texts[TABLE_TEXT_TYPE], BOTH(o->kind, !texts[TABLE_TEXT_CONTAINER]));
}

static uint32_t
object_of(struct walk *w, uint32_t number, uint32_t code, uint32_t function)
{
	bool fresh;

	number = referred(w, &w->objects, number, code, &fresh);
	if (fresh)
		object(w, number, function);
	return number;
}

/* ---- points ---- */

enum counted { WITH_OBJECT, WRITES, CALLS };

static bool
counts(const struct sl_record_point *p, enum counted what)
{
	return what == WITH_OBJECT ? p->object != 0 : what == WRITES ? p->flags & TABLE_WRITES : p->call != 0;
}

static void
point(struct walk *w, struct sl_record_point *p, const struct sl_record_point *before, uint32_t function,
      uint32_t file, uint32_t *line)
{
	uint32_t from = *line, one = w->flags[0], two = w->flags[1], flags;
	flags = SYMBOL(POINT_FLAGS,
		       p->flags | (p->file != file ? TABLE_FILE : 0) | (p->object ? TABLE_OF_OBJECT : 0), 8, one,
		       BOTH(one, two), 0);
	p->flags = flags & ~(uint32_t)(TABLE_FILE | TABLE_OF_OBJECT);
	if (flags & TABLE_CALL)
		p->call = SYMBOL(POINT_CALL, p->call, 8, flags, one);
	p->file = flags & TABLE_FILE ? string(w, TEXT_FILE, p->file, TEXT_PREFIX) : file;
	p->line = *line = MOVED(POINT_LINE, p->line, from, flags, BOTH(flags, one), BOTH(one, two));
	if (p->line == from) {
		p->column = MOVED(POINT_NEXT_COLUMN, p->column, w->column_before, BOTH(flags, one), flags, one);
	} else {
		p->column = NUMBER(POINT_COLUMN, p->column, BOTH(flags, 0),
				   BOTH(BOTH(flags, w->line_column), p->line - from < UINT32_MAX / 2),
				   w->line_column / 8);
		w->line_column = p->column;
	}
	w->column_before = p->column;
	w->flags[1] = one;
	w->flags[0] = flags;
	if (flags & TABLE_CALL) {
		uint32_t code = NUMBER(POINT_CALLEE, p->callee ? 1 + RANK(w, functions, p->callee - 1) : 0, 0,
				       w->callee, BOTH(p->call, POINT_CALLEE));

		p->callee = code ? 1 + function_of(w, p->callee - 1, code - 1, false) : 0;
		w->callee = code ? rank_of(&w->functions, w->c->bad ? 0 : p->callee - 1) : UINT32_MAX;
		if (p->call & TABLE_CALL_POINTER)
			p->type = string(w, TEXT_POINTER_TYPE, p->type, 0);
	}
	if (flags & TABLE_OF_OBJECT) {
		uint32_t code = NUMBER(POINT_OBJECT, RANK(w, objects, p->object - 1), BOTH(flags, 0), w->object,
				       BOTH(flags, w->object));

		p->object = 1 + object_of(w, p->object - 1, code, function);
		w->object = rank_of(&w->objects, w->c->bad ? 0 : p->object - 1);
	}
	w->c->bad |= flags & TABLE_CALL ? !p->call : !p->object;
	for (unsigned i = 0; i < 3; i++)
		p->before[i] = before ? before->before[i] + counts(before, (enum counted)i) : 0;
}

/* Codes the number of a point among those that count, as its distance from the one that would be next. *behind becomes what follows it. */
static uint32_t
point_number(struct walk *w, unsigned field, uint32_t number, const struct sl_record_code *code, size_t first,
	     enum counted what, uint32_t *behind, uint32_t context, uint32_t other)
{
	const struct sl_record_point *points = AT(w->r->points, struct sl_record_point, first);
	uint32_t wanted = w->c->reads ? 0 : points[number].before[what], low = 0, high = code->point_count;

	wanted = MOVED(field, wanted, *behind, context, BOTH(context, other));
	*behind = wanted + 1;
	if (!w->c->reads || w->c->bad)
		return w->c->bad ? 0 : number;
	while (low < high) { /* the last one that has no more than so many before it */
		uint32_t middle = low + (high - low) / 2;

		if (points[middle].before[what] <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	w->c->bad |= !low || points[low - 1].before[what] != wanted || !counts(&points[low - 1], what);
	return w->c->bad ? 0 : low - 1;
}

/* ---- regions ---- */

static void
region(struct walk *w, struct sl_record_region *r, const struct sl_record_code *c, uint32_t file, uint32_t line)
{
	uint32_t from = 0;

	r->flags = NUMBER(REGION_FLAGS, r->flags, 0);
	r->object = object_of(w, r->object, NUMBER(REGION_OBJECT, RANK(w, objects, r->object), 0), c->function);
	if (w->c->bad)
		return;
	text(w, &r->text, &r->ending, r->object, rank_of(&w->objects, r->object));
	r->line_count = NUMBER(REGION_LINES, r->line_count, 0);
	for (uint32_t i = 0; i < r->line_count && !w->c->bad; i++) {
		struct sl_record_lines *l = NEXT(w, lines, at_lines, struct sl_record_lines);
		uint32_t code;

		if (!l)
			return;
		code = NUMBER(REGION_LENGTH, (l->last - l->first) * 2 + (l->file != file), 0);
		l->file = code & 1 ? string(w, TEXT_FILE, l->file, TEXT_PREFIX) : file;
		l->first = MOVED(REGION_LINE, l->first, line, 0);
		l->last = line = l->first + code / 2;
		w->c->bad |= l->last < l->first;
	}
	r->point_count = NUMBER(REGION_POINTS, r->point_count, 0);
	for (uint32_t i = 0; i < r->point_count && !w->c->bad; i++) {
		uint32_t *number = NEXT(w, region_points, at_region_point, uint32_t), step;

		if (!number)
			return;
		step = NUMBER(REGION_POINT, *number - from, !i);
		*number = from += step;
		w->c->bad |= from >= c->point_count || (i && !step) || from < step;
	}
}

/* ---- slices ---- */

static int
ascending(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Parameters first; then points, backwards from where the value is used (`own`), near to which most are. */
static void
set(struct walk *w, const struct sl_record_code *c, uint32_t own, uint32_t kind, uint32_t *size_before)
{
	uint32_t *size = NEXT(w, sets, at_set, uint32_t), parameters = 0, points, from = 0;
	size_t first = w->at_source;
	const uint32_t *all; /* NULL: reading */

	if (!size)
		return;
	all = w->c->reads ? NULL : AT(w->r->sources, uint32_t, first);
	for (uint32_t i = 0; all && i < *size; i++)
		parameters += all[i] & 1;
	points = *size - parameters;
	parameters = NUMBER(SET_PARAMETERS, parameters, kind, *size_before);
	for (uint32_t i = 0, at = 0; i < parameters && !w->c->bad; i++) {
		uint32_t *source, parameter = 0;

		if (all) {
			while (!(all[at] & 1))
				at++;
			parameter = all[at++] / 2;
		}
		parameter = from + NUMBER(SET_PARAMETER, parameter - from, !i, 2 + from);
		w->c->bad |= parameter < from || parameter > UINT32_MAX / 2 - 1;
		from = parameter + 1;
		if (w->c->reads && (source = sl_records_add(&w->r->sources, sizeof(*source))))
			*source = parameter * 2 + 1;
	}
	points = NUMBER(SET_POINTS, points, kind, BOTH(kind, *size_before));
	*size_before = points < 20 ? points : 20;
	from = own;
	for (uint32_t i = 0, at = *size; i < points && !w->c->bad; i++) {
		uint32_t *source, number = 0, some = i < 8 ? i : 8;

		if (all) {
			while (all[at - 1] & 1)
				at--;
			number = all[--at] / 2;
		}
		if (!i)
			number = MOVED(SET_POINT, number, from, BOTH(kind, some), some);
		else
			number = from - 1 - NUMBER(SET_POINT, from - 1 - number, BOTH(kind, some), some);
		w->c->bad |= number >= c->point_count || (i && number >= from);
		from = number;
		if (w->c->reads && (source = sl_records_add(&w->r->sources, sizeof(*source))))
			*source = number * 2;
	}
	if (w->c->reads && !w->c->bad) {
		*size = parameters + points;
		w->c->bad |= w->r->sources.count != first + *size;
		if (*size && !w->c->bad)
			qsort(AT(w->r->sources, uint32_t, first), *size, sizeof(uint32_t), ascending);
	}
	w->at_source += *size;
}

static void
slices(struct walk *w, struct sl_record_code *c, size_t first, uint32_t file, uint32_t line)
{
	uint32_t kind_before = 0, column = 0, behind = 0, near = 0, back_before = 0, size_before = 0, argument = 0,
		 call = UINT32_MAX;

	c->set_count = 0;
	for (uint32_t i = 0; i < c->slice_count && !w->c->bad; i++) {
		struct sl_record_slice *s = NEXT(w, slices, at_slice, struct sl_record_slice);
		const struct sl_record_point *points = AT(w->r->points, struct sl_record_point, first);
		uint32_t own = c->point_count, kind, back;
		bool elsewhere;

		if (!s)
			return;
		elsewhere = s->kind % TABLE_SLICE_KINDS == TABLE_SLICE_BRANCH && s->file != file;
		kind = SYMBOL(SLICE_KIND, s->kind | (elsewhere ? TABLE_SLICE_FILE : 0), 5, kind_before,
			      BOTH(0, 0));
		s->kind = kind & ~(uint32_t)TABLE_SLICE_FILE;
		if (kind % TABLE_SLICE_KINDS != kind_before % TABLE_SLICE_KINDS)
			behind = 0;
		kind_before = kind;
		switch (kind % TABLE_SLICE_KINDS) {
		case TABLE_SLICE_BRANCH:
			s->file = kind & TABLE_SLICE_FILE ? string(w, TEXT_FILE, s->file, TEXT_PREFIX) : file;
			s->line = line = MOVED(SLICE_LINE, s->line, line, 0, kind + 1);
			s->column = column = NUMBER(SLICE_COLUMN, s->column, kind, column + SL_CODER_FIELDS);
			for (unsigned k = 0; k < STEP_MOST && near < c->point_count && points[near].line <= line;
			     k++)
				near++;
			for (unsigned k = 0; k < STEP_MOST && near && points[near - 1].line > line; k++)
				near--;
			own = near;
			break;
		case TABLE_SLICE_WRITE:
			own = s->point =
				point_number(w, SLICE_POINT, s->point, c, first, WRITES, &behind, kind, 0);
			break;
		case TABLE_SLICE_ARGUMENT:
			own = s->point =
				point_number(w, SLICE_POINT, s->point, c, first, CALLS, &behind, kind, argument);
			behind--; /* the next argument of this call */
			if (s->point != call)
				argument = 0;
			if (!w->c->bad)
				s->argument =
					MOVED(SLICE_ARGUMENT, s->argument, argument, s->point == call,
					      points[s->point].callee
						      ? 2 + rank_of(&w->functions, points[s->point].callee - 1)
						      : 0);
			argument = s->argument + 1;
			call = s->point;
			break;
		default:
			break;
		}
		back = NUMBER(SLICE_SET, c->set_count - s->set, kind, BOTH(kind, back_before));
		back_before = back;
		w->c->bad |= back > c->set_count;
		s->set = c->set_count - back;
		if (!back) {
			set(w, c, own, kind % TABLE_SLICE_KINDS, &size_before);
			c->set_count++;
		}
	}
}

/* ---- code ---- */

static void
code(struct walk *w, struct sl_record_code *c)
{
	size_t first = w->at_point;
	uint32_t number = RANK(w, functions, c->function), file, line, at;
	const struct sl_record_function *f;

	number = NUMBER(CODE_FUNCTION, number ? 1 + w->functions.count - number : 0, 0);
	w->c->bad |= number > w->functions.count;
	c->function = function_of(w, c->function, number ? 1 + w->functions.count - number : 0, true);
	if (w->c->bad)
		return;
	f = AT(w->r->functions, struct sl_record_function, c->function);
	file = f->file;
	line = at = f->line;
	c->flags = SYMBOL(CODE_FLAGS, c->flags, 8, 0, 1 + rank_of(&w->strings, file));
	c->lines = NUMBER(CODE_LINES, c->lines, 0);
	c->type = string(w, TEXT_FUNCTION_TYPE, c->type, 0);
	c->class_name = string(w, TEXT_CLASS, c->class_name, 0);
	c->own_hash = sl_coder_random(w->c, c->own_hash, TABLE_HASH * 8);
	if (c->flags & TABLE_TWO_HASHES)
		c->hash = sl_coder_random(w->c, c->hash, TABLE_HASH * 8);
	else
		c->hash = c->own_hash;
	c->point_count = NUMBER(CODE_POINTS, c->point_count, 0, c->lines);
	c->region_count = NUMBER(CODE_REGIONS, c->region_count, 0);
	c->slice_count = NUMBER(CODE_SLICES, c->slice_count, 0, c->point_count);
	w->c->bad |= !(c->flags & TABLE_DEFINED) || line + c->lines < line;
	memset(w->flags, 0, sizeof(w->flags));
	w->column_before = w->line_column = 0;
	for (uint32_t i = 0; i < c->point_count && !w->c->bad; i++) {
		struct sl_record_point *p = NEXT(w, points, at_point, struct sl_record_point);

		if (p)
			point(w, p, i ? p - 1 : NULL, c->function, file, &at);
	}
	for (uint32_t i = 0; i < c->region_count && !w->c->bad; i++) {
		struct sl_record_region *r = NEXT(w, regions, at_region, struct sl_record_region);

		if (r)
			region(w, r, c, file, line);
	}
	slices(w, c, first, file, line);
}

/* ---- sites ---- */

/* Where the code of a function is. */
struct place {
	uint32_t code; /* plus one; 0: it has none */
	size_t point;
};

/* Of the functions; those that frames add have no code. NULL: there is no memory, or a function has two bodies. */
static struct place *
places_of(const struct walk *w)
{
	struct place *all = calloc(w->r->functions.count + 1, sizeof(*all));
	size_t point = 0;

	for (size_t i = 0; all && i < w->r->codes.count; i++) {
		const struct sl_record_code *c = AT(w->r->codes, struct sl_record_code, i);

		if (all[c->function].code) {
			free(all);
			return NULL;
		}
		all[c->function] = (struct place){(uint32_t)i + 1, point};
		point += c->point_count;
	}
	return all;
}

/* Frames mostly are of functions in the order of their code. */
static void
frames(struct walk *w, const struct place *places, size_t known)
{
	uint32_t count = NUMBER(FRAME_COUNT, (uint32_t)w->r->frames.count, 0), next_code = 0, line = 0;

	for (uint32_t i = 0; i < count && !w->c->bad; i++) {
		struct sl_record_frame *f = NEXT(w, frames, at_frame, struct sl_record_frame);
		uint32_t expected, number, back;

		if (!f)
			return;
		expected = next_code < w->r->codes.count
				   ? AT(w->r->codes, struct sl_record_code, next_code)->function
				   : UINT32_MAX;
		number = RANK(w, functions, f->function);
		number = NUMBER(FRAME_FUNCTION, !number ? 0 : f->function == expected ? 1 : 1 + number, 0);
		if (number == 1 && expected == UINT32_MAX)
			w->c->bad = true;
		else if (number == 1)
			f->function = expected;
		else
			f->function = function_of(w, f->function, number ? number - 1 : 0, false);
		if (f->function < known && places[f->function].code)
			next_code = places[f->function].code;
		back = NUMBER(FRAME_OUTER, f->outer ? i + 1 - f->outer : 0, number == 1, 2);
		w->c->bad |= back > i;
		f->outer = back ? i + 1 - back : 0;
		if (!back)
			continue;
		f->file = string(w, TEXT_FILE, f->file, TEXT_LINKAGE);
		f->line = line = MOVED(FRAME_LINE, f->line, line, 0, rank_of(&w->functions, f->function));
		f->column = NUMBER(FRAME_COLUMN, f->column, 0, rank_of(&w->functions, f->function));
	}
}

/* The sites before: what they were is the context of the next one. */
struct past {
	uint32_t flags[3], objects[2], frame, line, column;
};

/* Of a site that is no copy of a point. */
static void
site_place(struct walk *w, struct sl_record_site *s, uint32_t function, uint32_t flags, const struct past *past)
{
	uint32_t moved, object;

	if (flags & TABLE_FILE)
		s->file = string(w, TEXT_FILE, s->file, TEXT_FUNCTION);
	else
		s->file = AT(w->r->functions, struct sl_record_function, function)->file;
	s->line = MOVED(SITE_LINE, s->line, past->line, BOTH(flags, past->flags[0]),
			BOTH(past->objects[0], past->objects[1]), BOTH(flags, past->column));
	moved = s->line - past->line;
	s->object = object_of(w, s->object,
			      NUMBER(SITE_OBJECT, RANK(w, objects, s->object), 0, BOTH(flags, moved),
				     BOTH(BOTH(past->objects[0], past->objects[1]), moved),
				     BOTH(past->objects[0], past->column)),
			      function);
	object = w->c->bad ? 0 : rank_of(&w->objects, s->object);
	s->column = NUMBER(SITE_COLUMN, s->column, BOTH(object, moved == 0), BOTH(past->column, moved),
			   BOTH(past->column, object), 0);
}

static void
site(struct walk *w, struct sl_record_site *s, const struct place *places, size_t known, uint32_t *behind,
     struct past *past)
{
	bool as_point = s->flags & TABLE_AS_POINT, elsewhere = false;
	uint32_t function, flags, access, rank, *size, *prefix, two = BOTH(past->flags[0], past->flags[1]);

	if (!w->c->reads && !as_point)
		elsewhere = s->file != AT(w->r->functions, struct sl_record_function,
					  AT(w->r->frames, struct sl_record_frame, s->frame)->function)
					       ->file;
	flags = SYMBOL(SITE_FLAGS, s->flags | (elsewhere ? TABLE_FILE : 0), 8, 0, past->flags[0], two,
		       BOTH(two, past->flags[2]), BOTH(two, past->column));
	s->flags = flags & ~(uint32_t)TABLE_FILE;
	s->frame = past->frame =
		MOVED(SITE_FRAME, s->frame, past->frame, 0, 1 + flags, BOTH(past->flags[0], flags));
	w->c->bad |= s->frame >= w->r->frames.count;
	if (w->c->bad)
		return;
	function = AT(w->r->frames, struct sl_record_frame, s->frame)->function;
	access = flags;
	if (flags & TABLE_AS_POINT) {
		const struct place *place = function < known && places[function].code ? &places[function] : NULL;
		const struct sl_record_point *p;

		w->c->bad |= !place;
		if (!place)
			return;
		s->point =
			point_number(w, SITE_POINT, s->point,
				     AT(w->r->codes, struct sl_record_code, place->code - 1), place->point,
				     WITH_OBJECT, &behind[s->frame], BOTH(flags, past->flags[0]), past->flags[1]);
		if (w->c->bad)
			return;
		p = AT(w->r->points, struct sl_record_point, place->point + s->point);
		s->file = p->file;
		s->line = p->line;
		s->column = p->column;
		s->object = p->object - 1;
		access = p->flags;
	} else {
		site_place(w, s, function, flags, past);
		if (w->c->bad)
			return;
	}
	rank = rank_of(&w->objects, s->object);
	size = &w->sizes[rank % REMEMBERED];
	s->size = NUMBER(SITE_SIZE, s->size, BOTH(*size, access), *size ? 0 : 1 + access);
	*size = s->size + 1;
	prefix = &w->prefixes[BOTH(rank_of(&w->strings, AT(w->r->objects, struct sl_record_object, s->object)
								->texts[TABLE_TEXT_CONTAINER]),
				   rank_of(&w->functions, function)) %
			      REMEMBERED];
	text(w, &s->text, &s->ending, s->object, *prefix);
	*prefix = w->last_text[TEXT_PREFIX];
	*past = (struct past){{flags, past->flags[0], past->flags[1]},
			      {rank, past->objects[0]},
			      s->frame,
			      s->line,
			      s->column};
}

static void
sites(struct walk *w)
{
	size_t known = w->r->functions.count;
	struct place *places = places_of(w);
	uint32_t *behind = NULL, count;
	struct past past = {0};

	w->c->bad |= !places;
	frames(w, places, known);
	behind = calloc(w->r->frames.count + 1, sizeof(*behind));
	w->c->bad |= !behind;
	count = NUMBER(SITE_COUNT, (uint32_t)w->r->sites.count, 0);
	for (uint32_t i = 0; i < count && !w->c->bad; i++) {
		struct sl_record_site *s = NEXT(w, sites, at_site, struct sl_record_site);

		if (s)
			site(w, s, places, known, behind, &past);
		w->c->bad |= past.flags[0] & TABLE_PAIR && i + 1 == count;
	}
	free(places);
	free(behind);
}

static void
runs(struct walk *w)
{
	uint32_t count = NUMBER(RUN_COUNT, (uint32_t)w->r->runs.count, 0), site = 0;

	for (uint32_t i = 0; i < count && !w->c->bad; i++) {
		uint32_t *length = NEXT(w, runs, at_run, uint32_t), *number;

		if (!length)
			return;
		*length = NUMBER(RUN_LENGTH, *length, 0);
		w->c->bad |= !*length;
		for (uint32_t k = 0; k < *length && !w->c->bad; k++) {
			number = NEXT(w, run_sites, at_run_site, uint32_t);
			if (!number)
				return;
			*number = MOVED(RUN_SITE, *number, site, 0);
			site = *number + 1;
			w->c->bad |= *number >= w->r->sites.count;
		}
	}
}

/* ---- the whole ---- */

/* Functions that nothing refers to: their address is taken. */
static void
other_functions(struct walk *w)
{
	uint32_t count = NUMBER(FUNCTION_MORE, (uint32_t)w->r->functions.count - w->functions.count, 0), at = 0;

	for (uint32_t i = 0; i < count && !w->c->bad; i++) {
		while (!w->c->reads && rank_of(&w->functions, at))
			at++;
		function_of(w, at, 0, false);
	}
}

static bool
begin(struct walk *w)
{
	struct sl_records *r = w->r;
	char *end;

	end = added(&w->history, 1);
	if (!end)
		return false;
	*end = '\0';
	if (w->c->reads) {
		w->strings.count = 1;
		return sl_records_add(&r->strings, sizeof(uint32_t)) != NULL;
	}
	w->strings.rank = calloc(r->strings.count + 1, sizeof(uint32_t));
	w->functions.rank = calloc(r->functions.count + 1, sizeof(uint32_t));
	w->objects.rank = calloc(r->objects.count + 1, sizeof(uint32_t));
	if (!w->strings.rank || !w->functions.rank || !w->objects.rank)
		return false;
	w->strings.rank[0] = w->strings.count = 1;
	return true;
}

void
sl_records_code(struct sl_records *r, struct sl_coder *c)
{
	struct walk *w = calloc(1, sizeof(*w));

	if (!w) {
		c->bad = true;
		return;
	}
	w->c = c;
	w->r = r;
	if (begin(w)) {
		uint32_t count;

		r->file = string(w, TEXT_UNIT, r->file, 0);
		r->directory = string(w, TEXT_UNIT, r->directory, 1);
		r->compiler = string(w, TEXT_UNIT, r->compiler, 2);
		r->macros = string(w, TEXT_UNIT, r->macros, 3);
		count = NUMBER(CODE_COUNT, (uint32_t)r->codes.count, 0);
		for (uint32_t i = 0; i < count && !c->bad; i++) {
			struct sl_record_code *one = NEXT(w, codes, at_code, struct sl_record_code);

			if (one)
				code(w, one);
		}
		if (!c->bad)
			sites(w);
		runs(w);
		other_functions(w);
	} else {
		c->bad = true;
	}
	if (c->reads) {
		r->characters = w->history;
		w->history.items = NULL;
	}
	free(w->history.items);
	free(w->strings.rank);
	free(w->functions.rank);
	free(w->objects.rank);
	free(w);
}
