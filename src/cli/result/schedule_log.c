/*
 * Logs of events (engine/realtime/rt_log.c): a line has the type, the thread, its name, details and the place; `-`
 * stands for an empty one.
 */
#include "cli/result/schedule_log.h"

#include "base/room.h"
#include "report/quote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 4096
#define THREADS_MAX 4096

struct entry {
	char *type, *thread, *name, *info, *object, *place; /* NULL: none */
	uint32_t number;                                    /* of the thread */
	unsigned line;
};

struct log {
	char *text;
	struct entry *entries;
	size_t count;
};

static char *
next_word(char **at)
{
	char *word = *at;

	word += strspn(word, " ");
	if (!*word)
		return NULL;
	*at = word + strcspn(word, " ");
	if (**at)
		*(*at)++ = '\0';
	return strcmp(word, "-") == 0 ? NULL : word;
}

static unsigned
digit(char c)
{
	const char *digits = "0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;

	return at ? (unsigned)(at - digits) : 16;
}

/* %20 is a blank. */
static char *
decode(char *text)
{
	char *to = text;

	for (const char *c = text; c && *c; c++) {
		bool coded = *c == '%' && digit(c[1]) < 16 && digit(c[2]) < 16;

		*to++ = coded ? (char)(digit(c[1]) << 4 | digit(c[2])) : *c;
		c += coded ? 2 : 0;
	}
	if (to)
		*to = '\0';
	return text;
}

/* name{object} */
static char *
cut_object(char *info)
{
	char *object = info ? strchr(info, '{') : NULL;

	if (!object)
		return NULL;
	*object++ = '\0';
	object[strcspn(object, "}")] = '\0';
	return decode(object);
}

/* main, T1, T2, … */
static bool
parse_thread(const char *word, uint32_t *number)
{
	char *end;

	if (!word)
		return false;
	*number = 0;
	if (strcmp(word, "main") == 0)
		return true;
	if (*word != 'T')
		return false;
	*number = (uint32_t)strtoul(word + 1, &end, 10);
	return *number && !*end;
}

static int
read_log(struct log *log, const char *path, struct sl_err *err)
{
	FILE *file = fopen(path, "re");
	size_t size = 0, room = 0, got;
	unsigned line = 0;

	*log = (struct log){0};
	if (!file)
		return sl_err_set(err, "cannot open %s: %s", path, strerror(errno));
	do {
		if (size + 65536 > room) {
			room = 2 * room + 65536;
			log->text = sl_must(realloc(log->text, room + 1));
		}
		got = fread(log->text + size, 1, room - size, file);
		size += got;
	} while (got);
	fclose(file);
	log->text[size] = '\0';
	log->entries = calloc(size / 8 + 1, sizeof(*log->entries)); /* a line has at least 8 bytes */
	if (!log->entries)
		abort();
	for (char *at = log->text, *end; *at; at = end) {
		struct entry *e = &log->entries[log->count];

		line++;
		end = at + strcspn(at, "\n");
		if (*end)
			*end++ = '\0';
		e->line = line;
		e->type = next_word(&at);
		e->thread = next_word(&at);
		e->name = decode(next_word(&at));
		e->info = next_word(&at);
		e->object = cut_object(e->info);
		decode(e->info);
		e->place = decode(next_word(&at));
		if (!e->type || !parse_thread(e->thread, &e->number))
			return sl_err_set(err, "%s:%u: this is not a line of a log of events", path, line);
		log->count++;
	}
	return 0;
}

/* ---- an entry as an event ---- */

static bool
to_event(const struct entry *e, struct sl_event *event)
{
	static const struct {
		const char *type;
		enum sl_event_kind kind;
	} kinds[] = {{"EVENT", SL_EVENT_NAMED},      {"TH_START", SL_EVENT_START},
		     {"TH_NAME", SL_EVENT_START},    {"TH_END", SL_EVENT_END},
		     {"BLOCK_CALL", SL_EVENT_BLOCK}, {"BLOCK_RETURN", SL_EVENT_UNBLOCK}};

	*event = (struct sl_event){.thread = e->number, .thread_name = e->name};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(e->type, kinds[i].type) == 0) {
			event->kind = kinds[i].kind;
			if (event->kind == SL_EVENT_NAMED) {
				event->object = e->object;
				event->name = e->info;
				return e->info != NULL;
			}
			if (strcmp(e->type, "TH_START") == 0) { /* its details name the new thread */
				event->thread_name = NULL;
				return parse_thread(e->info, &event->thread);
			}
			return true;
		}
	return false;
}

/* ---- names in one part of a log ---- */

struct part {
	const struct entry *entries;
	size_t count;
};

static bool
is_event(void *data, const char *name)
{
	const struct part *part = data;
	struct sl_event event;

	for (size_t i = 0; i < part->count; i++)
		if (to_event(&part->entries[i], &event) && event.kind == SL_EVENT_NAMED &&
		    strcmp(event.name, name) == 0)
			return true;
	return false;
}

static bool
is_thread(void *data, const char *glob)
{
	const struct part *part = data;

	for (size_t i = 0; i < part->count; i++) {
		const struct entry *e = &part->entries[i];

		if (sl_glob(glob, e->thread) || (e->name && sl_glob(glob, e->name)) ||
		    (strcmp(e->type, "TH_START") == 0 && e->info && sl_glob(glob, e->info)))
			return true;
	}
	return false;
}

static bool
is_object(void *data, const char *name)
{
	const struct part *part = data;

	for (size_t i = 0; i < part->count; i++)
		if (part->entries[i].object && strcmp(part->entries[i].object, name) == 0)
			return true;
	return false;
}

static const char *
name_of(const struct entry *e, enum sl_name_kind what)
{
	struct sl_event event;

	if (what == SL_NAME_THREAD)
		return e->name;
	if (what == SL_NAME_OBJECT)
		return e->object;
	return to_event(e, &event) && event.kind == SL_EVENT_NAMED ? event.name : NULL;
}

/* Lists each name once, without the events that the plan names, if one is given. */
static size_t
list_names(const struct part *part, enum sl_name_kind what, const char *wrong, const struct sl_plan *plan,
	   const char *names[NAMES_MAX])
{
	size_t count = 0;

	if (what == SL_NAME_THREAD)
		names[count++] = "main";
	for (size_t i = 0; i < part->count && count < NAMES_MAX; i++) {
		const char *name = name_of(&part->entries[i], what);
		size_t j = 0;

		while (name && j < count && strcmp(names[j], name) != 0)
			j++;
		if (name && j == count && strcmp(name, wrong) != 0 &&
		    !(plan && what == SL_NAME_EVENT && sl_plan_has_event(plan, name)))
			names[count++] = name;
	}
	return count;
}

/* Suggests a similar name. */
static void
print_hint(const struct sl_plan *plan, const struct part *part, const char *wrong, enum sl_name_kind what)
{
	static const char *names[NAMES_MAX];
	size_t count = list_names(part, what, wrong, NULL, names);
	char hint[SL_HINT];

	if (!sl_nearest(wrong, names, count))
		count = list_names(part, what, wrong, plan, names);
	sl_hint(wrong, names, count, hint);
	sl_say(stdout, "%s\n", hint);
}

/* ---- one plan, one part ---- */

/* Threads that exist from the beginning count as started. */
static void
begin(struct sl_monitor *monitor, const struct part *part)
{
	static bool seen[THREADS_MAX];

	memset(seen, 0, sizeof(seen));
	for (size_t i = 0; i < part->count; i++) {
		const struct entry *e = &part->entries[i];
		struct sl_event event;

		if (e->number < THREADS_MAX && !seen[e->number]) {
			const char *name = strcmp(e->type, "TH_NAME") == 0 ? NULL : e->name;
			struct sl_event start = {.kind = SL_EVENT_START, .thread = e->number, .thread_name = name};

			seen[e->number] = true;
			sl_monitor_happens(monitor, &start, NULL);
			if (strcmp(e->type, "THREAD") == 0 && e->info && strcmp(e->info, "blocked") == 0)
				sl_monitor_thread(monitor, e->number, name, true);
		}
		if (strcmp(e->type, "TH_START") == 0 && to_event(e, &event) && event.thread < THREADS_MAX)
			seen[event.thread] = true;
	}
}

static bool
breaks(const struct sl_plan *plan, struct sl_monitor *monitor, const struct entry *e)
{
	struct sl_event event;
	uint32_t ordering = 0;
	char text[512];

	if (!to_event(e, &event))
		return false;
	sl_monitor_happens(monitor, &event, NULL);
	if (!sl_monitor_broken(monitor, &ordering))
		return false;
	sl_formula_print(plan->orderings[ordering], text, sizeof(text));
	sl_say(stdout, "not followed: line %u, %s of %s%s%s%s%s%s came too early for `%s`\n", e->line,
	       event.name ? event.name : e->type, e->thread, e->name ? " (" : "", e->name ? e->name : "",
	       e->name ? ")" : "", e->place ? " at " : "", e->place ? e->place : "", text);
	return true;
}

static void
print_unknown(const struct sl_plan *plan, const struct part *part, const struct sl_formula *f,
	      enum sl_name_kind what)
{
	const char *name = what == SL_NAME_EVENT                  ? f->atom->name
			   : what == SL_NAME_OBJECT               ? f->atom->object
			   : f->kind == SL_FORMULA_BLOCKED_THREAD ? f->thread
								  : f->atom->thread;

	if (what == SL_NAME_EVENT)
		sl_say(stdout, "event `%s` never occurred", name);
	else
		sl_say(stdout, "there is no %s `%s`", what == SL_NAME_OBJECT ? "event of an object" : "thread",
		       name);
	print_hint(plan, part, name, what);
}

/* Returns whether an event of the schedule never occurred, or no thread or object has a name of the schedule. */
static bool
misses(const struct sl_plan *plan, const struct sl_monitor *monitor, const struct part *part)
{
	const struct sl_known_names known = {is_event, is_thread, is_object, (void *)part};
	const struct sl_formula *unknown;
	enum sl_name_kind what;
	char text[512];

	for (uint32_t i = 0; i < plan->atom_count; i++) {
		const struct sl_atom *atom = plan->atoms[i];
		struct sl_formula alone = {.kind = SL_FORMULA_ATOM, .atom = (struct sl_atom *)atom};

		if (sl_monitor_count(monitor, atom) >= sl_plan_needs(plan, atom))
			continue;
		sl_atom_print(atom, text, sizeof(text));
		sl_say(stdout, "not followed: `%s` never occurred", text);
		if (atom->thread && !is_thread((void *)part, atom->thread)) {
			printf("; ");
			print_unknown(plan, part, &alone, SL_NAME_THREAD);
		} else if (atom->kind == SL_EVENT_NAMED && !is_event((void *)part, atom->name)) {
			print_hint(plan, part, atom->name, SL_NAME_EVENT);
		} else if (atom->object && !is_object((void *)part, atom->object)) {
			printf("; ");
			print_unknown(plan, part, &alone, SL_NAME_OBJECT);
		} else {
			printf("\n");
		}
		return true;
	}
	unknown = sl_plan_unknown(plan, &known, &what);
	if (!unknown)
		return false;
	printf("not followed: ");
	print_unknown(plan, part, unknown, what);
	return true;
}

static int
check_part(const char *path, const struct sl_plan *plan, const struct part *part)
{
	size_t size = 8u << 20;
	char *memory = malloc(size), text[512];
	struct sl_pool pool = {memory, memory + size};
	struct sl_monitor *monitor = memory ? sl_monitor_new(plan, &pool) : NULL;
	int status = 0;

	if (!monitor)
		abort();
	sl_say(stdout, "schedule \"%s\", %s:%u: ", plan->name, path, part->entries[0].line);
	begin(monitor, part);
	for (size_t i = 0; i < part->count && !status; i++)
		status = breaks(plan, monitor, &part->entries[i]);
	if (!status)
		status = misses(plan, monitor, part);
	if (!status && !sl_monitor_satisfied(monitor)) {
		for (uint32_t i = 0; i < plan->ordering_count && !status; i++)
			if (sl_monitor_ordering(monitor, i) != SL_TRUE) {
				sl_formula_print(plan->orderings[i], text, sizeof(text));
				sl_say(stdout, "not followed: `%s` does not hold at the end\n", text);
				status = 1;
			}
	}
	if (!status)
		printf("followed\n");
	free(memory);
	return status;
}

static bool
is_section(const struct entry *e, const char *name)
{
	return strcmp(e->type, "SECTION") == 0 && (!name || strcmp(e->info ? e->info : "", name) == 0);
}

/* The writer of a log does not see code: "never occurred" would be wrong. */
static int
refuse_code(const struct sl_plan *plan, struct sl_err *err)
{
	char text[128];

	for (uint32_t i = 0; i < plan->atom_count; i++)
		if (plan->atoms[i]->kind >= SL_EVENT_ENTER) {
			sl_atom_print(plan->atoms[i], text, sizeof(text));
			return sl_err_set(
				err,
				"`%s` is an event of code, and a log has none: check the schedule while the program runs, with "
				"SLEAVE_MODE=check or `sleave run --check`",
				text);
		}
	return 0;
}

int
sl_schedule_log_check(const char *path, const struct sl_plan *plans, struct sl_err *err)
{
	struct log log;
	int status = read_log(&log, path, err);

	if (status == 0 && !log.count)
		status = sl_err_set(err, "%s is empty", path);
	for (const struct sl_plan *plan = plans; plan && status >= 0; plan = plan->next) {
		bool named = false, sections = false;

		status = refuse_code(plan, err) < 0 ? -1 : status;
		if (status < 0)
			break;
		for (size_t i = 0; i < log.count; i++) {
			sections |= is_section(&log.entries[i], NULL);
			named |= plan->name[0] && is_section(&log.entries[i], plan->name);
		}
		if (!sections)
			status |= check_part(path, plan, &(struct part){log.entries, log.count});
		for (size_t i = 0; i < log.count; i++) {
			size_t end = i + 1;

			if (!is_section(&log.entries[i], named ? plan->name : NULL))
				continue;
			while (end < log.count && strcmp(log.entries[end].type, "SECTION") != 0 &&
			       strcmp(log.entries[end].type, "SECTION_END") != 0)
				end++;
			status |= check_part(path, plan, &(struct part){log.entries + i, end - i});
		}
	}
	free(log.entries);
	free(log.text);
	return status;
}
