#include "base/op_words.h"
#include "base/trust.h"
#include "trace/replay/replay_file.h"

#include "trace/replay/replay_words.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The keys. Each must occur once, in any order; `argument` (at least once), `shared`, `environment`, `unset`,
 * `step`, `path`, `enabler` and `order` may occur any number of times; keys after `schedule` in this list may be missing.
 */
enum key {
	PROGRAM,
	ARGUMENT,
	DIRECTORY,
	BUILD,
	STRATEGY,
	SEED,
	RACES,
	SPURIOUS,
	WORLD,
	EXPLORE_CALL,
	FINDING,
	MESSAGE,
	PREEMPTIONS,
	SIGNATURE,
	OPERATIONS,
	HASH,
	SHARED,
	SCHEDULE,
	FOLLOWS,
	CHECKED,
	SECTION,
	AGAIN,
	VOLATILE,
	ENVIRONMENT,
	UNSET,
	ENVIRONMENT_CUT,
	ENVIRONMENT_REST,
	STEP,
	PATH,
	PATH_CUT,
	ENABLER,
	ORDER,
	KEY_COUNT
};

static const char *const keys[KEY_COUNT] = {
	"program",
	"argument",
	"directory",
	"build",
	"strategy",
	"seed",
	"races",
	"spurious",
	"world",
	"explore-call",
	"finding",
	"message",
	"preemptions",
	"signature",
	"operations",
	"hash",
	"shared",
	"schedule",
	"follows",
	"checked",
	"section",
	"again",
	"volatile",
	"environment",
	"unset",
	"environment-cut",
	"environment-rest",
	"step",
	"path",
	"path-cut",
	"enabler",
	"order",
};

/* May occur any number of times, or not at all. */
static bool
is_many(unsigned key)
{
	return key == ARGUMENT || key == SHARED || key == ENVIRONMENT || key == UNSET || key == STEP ||
	       key == PATH || key == ENABLER || key == ORDER;
}

static bool
is_optional(unsigned key)
{
	return key == SHARED || key >= FOLLOWS;
}

struct parser {
	const char *name;
	const char *at, *end;
	unsigned line;            /* number of the line that was read last */
	unsigned seen[KEY_COUNT]; /* line number; 0: not seen yet */
	char *text;               /* the line, with a NUL after it */
	size_t room;
	size_t argument_room, mark_room, variable_room, text_room, path_room;
	struct sl_err *err;
};

static int __attribute__((format(printf, 2, 3))) fail(struct parser *p, const char *format, ...)
{
	char text[384];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return sl_err_set(p->err, "%.100s:%u: %s", p->name, p->line, text);
}

/* The part of a text that a message may show, since a file can contain anything. */
static const char *
shown(const char *text, char *copy, size_t room)
{
	size_t used = 0;

	for (; *text && used + 5 < room; text++)
		copy[used++] = *text >= 0x20 && *text < 0x7f ? *text : '?';
	copy[used] = '\0';
	if (*text)
		memcpy(copy + used, "...", 4);
	return copy;
}

static int
expected(struct parser *p, const char *what, const char *found)
{
	char copy[48];

	return fail(p, "expected %s, found '%s'", what, shown(found, copy, sizeof(copy)));
}

/* 1: a line in p->text; 0: no more lines; -1: an error. A line without a newline was cut off. */
static int
next_line(struct parser *p)
{
	while (p->at < p->end) {
		const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
		size_t size = (size_t)((newline ? newline : p->end) - p->at);

		p->line++;
		if (memchr(p->at, '\0', size))
			return fail(p, "this is not text: it has a zero byte");
		if (!newline)
			return fail(p, "the file ends in the middle of a line: it was cut off");
		if (!p->text || size + 1 > p->room) {
			char *bigger = realloc(p->text, size + 1);

			if (!bigger)
				return fail(p, "no memory for a line of %zu bytes", size);
			p->text = bigger;
			p->room = size + 1;
		}
		memcpy(p->text, p->at, size);
		p->at = newline + 1;
		/* Carriage returns of the writer are escaped, so an editor has converted the line ends. */
		if (size && p->text[size - 1] == '\r')
			size--;
		p->text[size] = '\0';
		if (size && p->text[0] != '#')
			return 1;
	}
	return 0;
}

static int
parse_number(struct parser *p, const char *text, unsigned base, uint64_t max, const char *what, uint64_t *number)
{
	uint64_t n = 0;

	if (!*text)
		return expected(p, what, text);
	for (const char *s = text; *s; s++) {
		unsigned digit = *s >= '0' && *s <= '9'   ? (unsigned)(*s - '0')
				 : *s >= 'a' && *s <= 'f' ? (unsigned)(*s - 'a') + 10
							  : 99;

		if (digit >= base)
			return expected(p, what, text);
		if (n > (UINT64_MAX - digit) / base || n * base + digit > max) {
			char copy[48];

			return fail(p, "%s is too large (at most %" PRIu64 ")", shown(text, copy, sizeof(copy)),
				    max);
		}
		n = n * base + digit;
	}
	*number = n;
	return 0;
}

static int
parse_small(struct parser *p, const char *text, uint32_t max, uint32_t *number)
{
	uint64_t n;

	if (parse_number(p, text, 10, max, "a number", &n))
		return -1;
	*number = (uint32_t)n;
	return 0;
}

/* "SECTION SCHEDULE LINE" */
static int
parse_visit(struct parser *p, char *text, uint32_t numbers[3])
{
	for (int i = 0; i < 3; i++) {
		char *blank = i < 2 ? strchr(text, ' ') : NULL;

		if (i < 2 && !blank)
			return fail(p, "expected three numbers");
		if (blank)
			*blank = '\0';
		if (parse_small(p, text, UINT32_MAX, &numbers[i]))
			return -1;
		if (blank)
			text = blank + 1;
	}
	return numbers[0] ? 0 : fail(p, "expected a section from 1 on");
}

static int
parse_word(struct parser *p, const char *text, const char *const *words, size_t count, uint32_t *number)
{
	char all[256] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(text, words[i])) {
			*number = i;
			return 0;
		}
		if (used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "one of ",
						 words[i]);
	}
	return expected(p, all, text);
}

static int
hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes put_text(), in place. */
static int
parse_text(struct parser *p, char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		if (*from != '\\') {
			*to++ = *from++;
		} else if (from[1] == '\\') {
			*to++ = '\\';
			from += 2;
		} else if (from[1] == 'x' && hex(from[2]) >= 0 && hex(from[3]) >= 0 &&
			   (hex(from[2]) || hex(from[3]))) {
			*to++ = (char)(hex(from[2]) << 4 | hex(from[3]));
			from += 4;
		} else {
			return expected(p, "\\\\ or \\x and two of 0-9a-f, not both 0", from);
		}
	}
	*to = '\0';
	return 0;
}

static int
parse_string(struct parser *p, char *text, char **string)
{
	if (parse_text(p, text))
		return -1;
	*string = strdup(text);
	return *string ? 0 : fail(p, "no memory");
}

static int
parse_array(struct parser *p, char *text, char *array, size_t room)
{
	if (parse_text(p, text))
		return -1;
	if (strlen(text) >= room)
		return fail(p, "the text is too long (at most %zu bytes)", room - 1);
	strcpy(array, text);
	return 0;
}

static int
parse_argument(struct parser *p, char *text, struct sl_replay *r)
{
	if (r->argc + 1 >= p->argument_room) {
		size_t room = p->argument_room ? p->argument_room * 2 : 8;
		char **argv = realloc(r->argv, room * sizeof(*argv));

		if (!argv)
			return fail(p, "no memory");
		r->argv = argv;
		p->argument_room = room;
	}
	if (parse_string(p, text, &r->argv[r->argc]))
		return -1;
	r->argv[++r->argc] = NULL;
	return 0;
}

static int
parse_mark(struct parser *p, const char *text, struct sl_replay *r)
{
	if (r->mark_count == SL_REPLAY_MARKS_MAX)
		return fail(p, "too many lines 'shared' (at most %u)", SL_REPLAY_MARKS_MAX);
	if (r->mark_count == p->mark_room) {
		size_t room = p->mark_room ? p->mark_room * 2 : 16;
		uint64_t *marks = realloc(r->marks, room * sizeof(*marks));

		if (!marks)
			return fail(p, "no memory");
		r->marks = marks;
		p->mark_room = room;
	}
	if (parse_number(p, text, 16, UINT64_MAX, "hexadecimal digits", &r->marks[r->mark_count]))
		return -1;
	r->mark_count++;
	return 0;
}

/* Earlier versions wrote the first word of its verb, and "sets" for an access. -1: there is no such kind. */
static int
enabler_kind(const char *word)
{
	int kind = sl_op_find(word);

	if (kind >= 0)
		return kind;
	if (!strcmp(word, "sets"))
		return SL_ATOMIC_STORE;
	for (kind = 0; kind < SL_OP_KIND_COUNT; kind++) {
		const char *verb = sl_op_verb((unsigned)kind);

		if (sl_kind_is((uint8_t)kind, SL_KIND_ENABLES) && sl_enabler_told((uint8_t)kind) == kind &&
		    *word && strcspn(verb, " ") == strlen(word) && !strncmp(verb, word, strlen(word)))
			return kind;
	}
	return -1;
}

/* "SEM_POST ADDRESS THREAD PC…" */
static int
parse_enabler(struct parser *p, char *text, struct sl_replay *r)
{
	struct sl_enabler *e;
	uint64_t numbers[2 + SL_ENABLER_FRAMES] = {0};
	size_t count = 0;
	char *next = strchr(text, ' ');
	int kind;

	if (r->enabler_count == SL_ENABLERS_MAX)
		return fail(p, "too many lines 'enabler' (at most %d)", SL_ENABLERS_MAX);
	if (!r->enablers && !(r->enablers = calloc(SL_ENABLERS_MAX, sizeof(*r->enablers))))
		return fail(p, "no memory");
	e = &r->enablers[r->enabler_count];
	if (next)
		*next++ = '\0';
	kind = enabler_kind(text);
	if (kind < 0)
		return expected(p, "a kind of operation", text);
	while (next) {
		text = next;
		next = strchr(text, ' ');
		if (next)
			*next++ = '\0';
		if (count == COUNT(numbers))
			return fail(p, "too many places (at most %d)", SL_ENABLER_FRAMES);
		if (parse_number(p, text, 16, UINT64_MAX, "hexadecimal digits", &numbers[count++]))
			return -1;
	}
	if (count < 3)
		return fail(p, "expected an address, a thread and a place");
	*e = (struct sl_enabler){.address = numbers[0],
				 .path = numbers[1],
				 .kind = (uint32_t)kind,
				 .most = 1,
				 .after = 1};
	memcpy(e->pcs, numbers + 2, sizeof(e->pcs));
	r->enabler_count++;
	return 0;
}

/* "THREAD PC ADDRESS SIZE OCCURRENCE", in hexadecimal digits */
static int
parse_order(struct parser *p, char *text, struct sl_replay *r)
{
	uint64_t numbers[5];

	if (r->order.count == SL_ORDER_STEPS)
		return fail(p, "too many lines 'order' (at most %d)", SL_ORDER_STEPS);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		char *next = strchr(text, ' ');

		if (!next != (i + 1 == COUNT(numbers)))
			return fail(p, "expected a thread, a place, an address, a size and a number");
		if (next)
			*next++ = '\0';
		if (parse_number(p, text, 16, i < 3 ? UINT64_MAX : UINT32_MAX, "hexadecimal digits", &numbers[i]))
			return -1;
		text = next;
	}
	r->order.steps[r->order.count++] = (struct sl_op_order_step){.thread = numbers[0],
								  .pc = numbers[1],
								  .address = numbers[2],
								  .size = (uint32_t)numbers[3],
								  .occurrence = (uint32_t)numbers[4]};
	return 0;
}

/* "NAME=VALUE", or "NAME" of an unset variable, or "NAME*" of an unset family. */
static int
parse_variable(struct parser *p, char *text, bool set, struct sl_replay *r)
{
	struct sl_environment_variable *v;
	size_t size = strlen(text);
	bool family = !set && size && text[size - 1] == '*';
	char *equal;

	if (r->variable_count == SL_REPLAY_VARIABLES_MAX)
		return fail(p, "too many variables of the environment (at most %u)", SL_REPLAY_VARIABLES_MAX);
	if (r->variable_count == p->variable_room) {
		size_t room = p->variable_room ? p->variable_room * 2 : 16;
		struct sl_environment_variable *variables = realloc(r->variables, room * sizeof(*variables));

		if (!variables)
			return fail(p, "no memory");
		r->variables = variables;
		p->variable_room = room;
	}
	if (family)
		text[size - 1] = '\0';
	if (parse_text(p, text))
		return -1;
	equal = strchr(text, '=');
	if (set ? !equal || equal == text : equal || !*text)
		return expected(p, set ? "NAME=VALUE" : "a name, or the beginning of one and *", text);
	if (set)
		*equal++ = '\0';
	v = &r->variables[r->variable_count++];
	*v = (struct sl_environment_variable){.name = strdup(text),
					      .value = set ? strdup(equal) : NULL,
					      .family = family};
	return v->name && (!set || v->value) ? 0 : fail(p, "no memory");
}

static int
parse_step(struct parser *p, char *text, struct sl_steps *steps)
{
	if (steps->text_count == SL_REPLAY_TEXTS_MAX)
		return fail(p, "too many lines 'step' (at most %u)", SL_REPLAY_TEXTS_MAX);
	if (steps->text_count == p->text_room) {
		size_t room = p->text_room ? p->text_room * 2 : 16;
		char **texts = realloc(steps->texts, room * sizeof(*texts));

		if (!texts)
			return fail(p, "no memory");
		steps->texts = texts;
		p->text_room = room;
	}
	if (parse_string(p, text, &steps->texts[steps->text_count]))
		return -1;
	steps->text_count++;
	return 0;
}

/* "1 2 3*5 …": numbers of steps in the lines before. */
static int
parse_path(struct parser *p, char *text, struct sl_steps *steps)
{
	for (char *word = text, *next; word; word = next) {
		char *star;
		uint64_t step, times = 1;

		next = strchr(word, ' ');
		if (next)
			*next++ = '\0';
		star = strchr(word, '*');
		if (star)
			*star++ = '\0';
		if (parse_number(p, word, 10, steps->text_count, "the number of a step before it", &step) ||
		    (star && parse_number(p, star, 10, SL_REPLAY_STEPS_MAX, "how often", &times)))
			return -1;
		if (!step || !times)
			return fail(p, "expected numbers from 1 on");
		if (steps->path_count + times > SL_REPLAY_STEPS_MAX)
			return fail(p, "the path is too long (at most %u steps)", SL_REPLAY_STEPS_MAX);
		if (steps->path_count + times > p->path_room) {
			size_t room = 2 * (steps->path_count + (size_t)times);
			uint32_t *path = realloc(steps->path, room * sizeof(*path));

			if (!path)
				return fail(p, "no memory");
			steps->path = path;
			p->path_room = room;
		}
		while (times--)
			steps->path[steps->path_count++] = (uint32_t)step;
	}
	return 0;
}

static int
parse_thread(struct parser *p, const char *text, uint32_t *thread)
{
	uint64_t n = 0;

	if (strcmp(text, "main") == 0) {
		*thread = 0;
		return 0;
	}
	if (text[0] != 'T' || text[1] == '0')
		return expected(p, "main or T1, T2, ...", text);
	if (parse_number(p, text + 1, 10, SL_REPLAY_THREADS_MAX, "the number of a thread", &n))
		return -1;
	*thread = (uint32_t)n;
	return 0;
}

static int
parse_item(struct parser *p, struct sl_pick *item)
{
	char *space = strchr(p->text, ' '), *rest = space ? space + 1 : NULL;

	*item = (struct sl_pick){0};
	if (!rest)
		return expected(p, "'T1 until 7', 'T1 to the end', 'wake T1' or 'choose 1'", p->text);
	*space = '\0';
	if (!strcmp(p->text, "wake")) {
		item->kind = SL_PICK_WAITER;
		return parse_thread(p, rest, &item->who);
	}
	if (!strcmp(p->text, "choose")) {
		item->kind = SL_PICK_VALUE;
		return parse_small(p, rest, UINT32_MAX, &item->who);
	}
	item->kind = SL_PICK_RUN;
	if (parse_thread(p, p->text, &item->who))
		return -1;
	item->until = UINT64_MAX;
	if (!strcmp(rest, "to the end"))
		return 0;
	if (strncmp(rest, "until ", 6) != 0)
		return expected(p, "'until 7' or 'to the end'", rest);
	if (parse_number(p, rest + 6, 10, UINT64_MAX - 1, "the number of an operation", &item->until))
		return -1;
	return item->until ? 0 : fail(p, "operations are counted from 1");
}

/* Memory is allocated as lines are read, never because a file announces them. */
static int
parse_schedule(struct parser *p, const char *text, struct sl_schedule *schedule)
{
	uint64_t count;

	if (parse_number(p, text, 10, SL_REPLAY_ITEMS_MAX, "the number of lines to come", &count))
		return -1;
	for (uint64_t i = 0; i < count; i++) {
		int more = next_line(p);

		if (more < 0)
			return -1;
		if (!more || !strcmp(p->text, "end"))
			return fail(p, "the schedule has %" PRIu64 " lines instead of %" PRIu64 ": it was cut off",
				    i, count);
		if (i == schedule->capacity) {
			uint64_t capacity = i ? i * 2 : 16;
			struct sl_pick *items = realloc(schedule->items, capacity * sizeof(*items));

			if (!items)
				return fail(p, "no memory");
			schedule->items = items;
			schedule->capacity = capacity;
		}
		if (parse_item(p, &schedule->items[i]))
			return -1;
		schedule->count = i + 1;
	}
	return 0;
}

static int
parse_line(struct parser *p, struct sl_replay *r)
{
	char *space = strchr(p->text, ' '), *value = space ? space + 1 : p->text + strlen(p->text), all[24];
	unsigned key = 0;

	if (space)
		*space = '\0';
	while (key < KEY_COUNT && strcmp(p->text, keys[key]) != 0)
		key++;
	if (key == KEY_COUNT)
		return fail(p, "a replay file has no line '%s'", shown(p->text, all, sizeof(all)));
	if (p->seen[key] && !is_many(key))
		return fail(p, "a second line '%s' (the first is line %u)", keys[key], p->seen[key]);
	p->seen[key] = p->line;
	switch ((enum key)key) {
	case PROGRAM:
		return parse_string(p, value, &r->program);
	case ARGUMENT:
		return parse_argument(p, value, r);
	case DIRECTORY:
		return parse_string(p, value, &r->cwd);
	case BUILD:
		return parse_array(p, value, r->build_id, sizeof(r->build_id));
	case STRATEGY:
		return parse_array(p, value, r->strategy, sizeof(r->strategy));
	case SEED:
		return parse_number(p, value, 10, UINT64_MAX, "a number", &r->seed);
	case RACES:
		return parse_word(p, value, races_names, COUNT(races_names), &r->races);
	case SPURIOUS:
		return parse_word(p, value, spurious_names, COUNT(spurious_names), &r->spurious);
	case WORLD:
		return parse_word(p, value, world_names, COUNT(world_names), &r->world);
	case EXPLORE_CALL:
		return parse_small(p, value, UINT32_MAX, &r->explore_call);
	case FINDING:
		return parse_word(p, value, kind_names, COUNT(kind_names), &r->kind);
	case MESSAGE:
		return parse_array(p, value, r->message, sizeof(r->message));
	case PREEMPTIONS:
		return parse_small(p, value, UINT32_MAX, &r->preemptions);
	case SIGNATURE:
		return parse_number(p, value, 16, UINT64_MAX, "hexadecimal digits", &r->signature);
	case OPERATIONS:
		return parse_number(p, value, 10, UINT64_MAX, "a number", &r->operations);
	case HASH:
		return parse_number(p, value, 16, UINT64_MAX, "hexadecimal digits", &r->hash);
	case SHARED:
		return parse_mark(p, value, r);
	case ENABLER:
		return parse_enabler(p, value, r);
	case ORDER:
		return parse_order(p, value, r);
	case SECTION:
		return parse_visit(p, value, r->visit);
	case FOLLOWS:
		return parse_string(p, value, &r->follows);
	case CHECKED:
		return parse_word(p, value, spurious_names, COUNT(spurious_names), &r->checked);
	case AGAIN:
		return parse_word(p, value, spurious_names, COUNT(spurious_names), &r->again);
	case VOLATILE:
		return parse_word(p, value, volatile_names, COUNT(volatile_names), &r->volatiles);
	case ENVIRONMENT:
	case UNSET:
		return parse_variable(p, value, key == ENVIRONMENT, r);
	case ENVIRONMENT_CUT:
		return parse_word(p, value, spurious_names, COUNT(spurious_names), &r->variables_cut);
	case ENVIRONMENT_REST:
		return parse_number(p, value, 16, UINT64_MAX, "hexadecimal digits", &r->rest);
	case STEP:
		return parse_step(p, value, &r->steps);
	case PATH:
		return parse_path(p, value, &r->steps);
	case PATH_CUT:
		return parse_word(p, value, spurious_names, COUNT(spurious_names), &r->steps.cut);
	case SCHEDULE:
		return parse_schedule(p, value, &r->schedule);
	case KEY_COUNT:
		break;
	}
	return -1;
}

/* "sleave replay 1" must be the first line: a newer format may differ in everything below it. */
static int
parse_format(struct parser *p)
{
	static const char magic[] = "sleave replay ";
	uint64_t format = 0;
	size_t size = (size_t)(p->end - p->at);

	p->line = 1;
	if (size < sizeof(magic) - 1 || memcmp(p->at, magic, sizeof(magic) - 1) != 0)
		return fail(p, "not a replay file of Sleave (it would start with 'sleave replay %d')",
			    SL_REPLAY_FORMAT);
	p->line = 0;
	if (next_line(p) != 1 ||
	    parse_number(p, p->text + sizeof(magic) - 1, 10, 1000000, "the number of a format", &format))
		return -1;
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the creator of the parser frees its line */
	if (format > SL_REPLAY_FORMAT)
		return fail(p, "made by a newer Sleave (format %" PRIu64 "; this one reads up to %d)", format,
			    SL_REPLAY_FORMAT);
	return format ? 0 : expected(p, "a format from 1 on", "0");
}

static int
parse_all(struct parser *p, struct sl_replay *r)
{
	int more;

	if (parse_format(p))
		return -1;
	while ((more = next_line(p)) > 0 && strcmp(p->text, "end") != 0)
		if (parse_line(p, r))
			return -1;
	if (more < 0)
		return -1;
	if (!more)
		return fail(p, "the file ends without 'end': it was cut off");
	for (unsigned i = 0; i < KEY_COUNT; i++)
		if (!p->seen[i] && !is_optional(i))
			return fail(p, "'end', but there was no line '%s'", keys[i]);
	more = next_line(p);
	return more > 0 ? fail(p, "something follows after 'end'") : more;
}

int
sl_replay_parse(const char *name, const char *text, size_t size, struct sl_replay *replay, struct sl_err *err)
{
	struct parser p = {.name = name, .at = text, .end = text + size, .err = err};
	int result;

	*replay = (struct sl_replay){0};
	if (size > SL_REPLAY_BYTES_MAX)
		return sl_err_set(err, "%s is too large for a replay file (more than %u MiB)", name,
				  SL_REPLAY_BYTES_MAX >> 20);
	result = parse_all(&p, replay);
	free(p.text);
	if (result)
		sl_replay_release(replay);
	return result;
}

/* Reads at most one byte more than a replay file may have. NULL: see errno. */
static char *
read_all(int fd, size_t *size)
{
	size_t room = 65536, used = 0;
	char *text = malloc(room);

	while (text) {
		ssize_t n = read(fd, text + used, room - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		used += (size_t)n;
		if (n == 0 || used > SL_REPLAY_BYTES_MAX) {
			*size = used;
			return text;
		}
		if (used == room) {
			char *bigger = realloc(text, room * 2);

			if (!bigger)
				break;
			text = bigger;
			room *= 2;
		}
	}
	int saved = errno;

	free(text);
	errno = saved;
	return NULL;
}

int
sl_replay_read(const char *path, struct sl_replay *replay, struct sl_err *err)
{
	size_t size = 0;
	char *text;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), result;

	*replay = (struct sl_replay){0};
	if (fd < 0)
		return sl_err_set(err, "cannot open %s: %s", path, strerror(errno));
	text = read_all(fd, &size);
	if (!text)
		result = sl_err_set(err, "cannot read %s: %s", path, strerror(errno));
	else
		result = sl_replay_parse(path, text, size, replay, err);
	if (result == 0)
		sl_trust_file(fd, path, &replay->stranger);
	free(text);
	close(fd);
	return result;
}
