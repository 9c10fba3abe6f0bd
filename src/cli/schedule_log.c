/*
 * Logs of events (engine/free_log.c): a line is what, thread, its name, a word about it, the place; `-` is none.
 */
#include "cli/schedule_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 4096
#define THREADS_MAX 4096

struct entry {
	char *type, *thread, *name, *info, *place; /* NULL: none */
	uint32_t number;                           /* of the thread */
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
			log->text = realloc(log->text, room + 1);
			if (!log->text)
				abort();
		}
		got = fread(log->text + size, 1, room - size, file);
		size += got;
	} while (got);
	fclose(file);
	log->text[size] = '\0';
	log->entries = calloc(size / 8 + 1, sizeof(*log->entries)); /* no line is shorter */
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
		e->name = next_word(&at);
		e->info = next_word(&at);
		e->place = next_word(&at);
		if (!e->type || !parse_thread(e->thread, &e->number))
			return sl_err_set(err, "%s:%u: this is no line of a log of events", path, line);
		log->count++;
	}
	return 0;
}

/* ---- an entry as an event ---- */

static bool
to_event(struct entry *e, struct sl_event *event)
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
				char *object = e->info ? strchr(e->info, '{') : NULL;

				if (object) { /* name{object} */
					*object++ = '\0';
					object[strcspn(object, "}")] = '\0';
					event->object = object;
				}
				event->name = e->info;
				return e->info != NULL;
			}
			if (strcmp(e->type, "TH_START") == 0) { /* of the one that is started */
				event->thread_name = NULL;
				return parse_thread(e->info, &event->thread);
			}
			return true;
		}
	return false;
}

/* ---- one plan, one part ---- */

static bool
has_atom(const struct sl_formula *f, const struct sl_atom *atom)
{
	return (f->kind == SL_FORMULA_ATOM && f->atom == atom) || (f->left && has_atom(f->left, atom)) ||
	       (f->right && has_atom(f->right, atom));
}

/* What an ordering is about must have come: else it says nothing of this execution. */
static bool
missing(const struct sl_plan *plan, const struct sl_monitor *monitor, const struct sl_atom *atom)
{
	uint32_t need = atom->occurrence && atom->occurrence != SL_EVERY ? atom->occurrence : 1;

	if (sl_monitor_count(monitor, atom) >= need)
		return false;
	for (uint32_t i = 0; i < plan->ordering_count; i++) {
		const struct sl_formula *f = plan->orderings[i];

		if (f->plain &&
		    (has_atom(f->right, atom) || (atom->occurrence == SL_EVERY && has_atom(f->left, atom))))
			return true;
	}
	return false;
}

static int
check_part(const char *path, const struct sl_plan *plan, struct log *log, size_t from, size_t to)
{
	size_t size = 8u << 20;
	char *memory = malloc(size), text[512];
	struct sl_pool pool = {memory, memory + size};
	struct sl_monitor *monitor = memory ? sl_monitor_new(plan, &pool) : NULL;
	const char *names[NAMES_MAX];
	size_t name_count = 0;
	uint32_t ordering = 0;
	int status = 0;
	bool seen[THREADS_MAX] = {0};

	if (!monitor || !log->entries)
		abort();
	printf("schedule \"%s\", %s:%u: ", plan->name, path, log->entries[from].line);
	for (size_t i = from; i < to; i++) { /* those that are there from the beginning */
		struct entry *e = &log->entries[i];
		struct sl_event event;

		if (e->number < THREADS_MAX && !seen[e->number]) {
			const char *name = strcmp(e->type, "TH_NAME") == 0 ? NULL : e->name;
			struct sl_event start = {.kind = SL_EVENT_START, .thread = e->number, .thread_name = name};

			seen[e->number] = true;
			sl_monitor_happens(monitor, &start, NULL); /* they have started */
			if (strcmp(e->type, "THREAD") == 0 && e->info && strcmp(e->info, "blocked") == 0)
				sl_monitor_thread(monitor, e->number, name, true);
		}
		if (strcmp(e->type, "TH_START") == 0 && to_event(e, &event) && event.thread < THREADS_MAX)
			seen[event.thread] = true;
	}
	for (size_t i = from; i < to && !status; i++) {
		struct entry *e = &log->entries[i];
		struct sl_event event;

		if (!to_event(e, &event))
			continue;
		if (event.kind == SL_EVENT_NAMED && name_count < NAMES_MAX)
			names[name_count++] = event.name;
		sl_monitor_happens(monitor, &event, NULL);
		if (sl_monitor_broken(monitor, &ordering)) {
			sl_formula_print(plan->orderings[ordering], text, sizeof(text));
			printf("not kept to: line %u, %s of %s%s%s%s%s%s came too early for `%s`\n", e->line,
			       event.name ? event.name : e->type, e->thread, e->name ? " (" : "",
			       e->name ? e->name : "", e->name ? ")" : "", e->place ? " at " : "",
			       e->place ? e->place : "", text);
			status = 1;
		}
	}
	for (uint32_t i = 0; i < plan->atom_count && !status; i++)
		if (missing(plan, monitor, plan->atoms[i])) {
			const char *nearest = plan->atoms[i]->kind == SL_EVENT_NAMED
						      ? sl_nearest(plan->atoms[i]->name, names, name_count)
						      : NULL;

			sl_atom_print(plan->atoms[i], text, sizeof(text));
			printf("not kept to: `%s` never occurred", text);
			if (nearest && strcmp(nearest, plan->atoms[i]->name) != 0)
				printf("; did you mean `%s`?", nearest);
			printf("\n");
			status = 1;
		}
	if (!status && !sl_monitor_satisfied(monitor)) {
		for (uint32_t i = 0; i < plan->ordering_count && !status; i++)
			if (sl_monitor_ordering(monitor, i) != SL_TRUE) {
				sl_formula_print(plan->orderings[i], text, sizeof(text));
				printf("not kept to: `%s` is not so at the end\n", text);
				status = 1;
			}
	}
	if (!status)
		printf("kept to\n");
	free(memory);
	return status;
}

static bool
is_section(const struct entry *e, const char *name)
{
	return strcmp(e->type, "SECTION") == 0 && (!name || strcmp(e->info ? e->info : "", name) == 0);
}

/* Names in a log have no blanks. */
static void
to_word(char *to, size_t room, const char *name)
{
	size_t i = 0;

	for (; i < room - 1 && name[i]; i++)
		to[i] = name[i] == ' ' || name[i] == '\t' || name[i] == '\n' ? '_' : name[i];
	to[i] = '\0';
}

/* Whoever writes a log does not see code: that it never comes there would not be true. */
static int
refuse_code(const struct sl_plan *plan, struct sl_err *err)
{
	char text[128];

	for (uint32_t i = 0; i < plan->atom_count; i++)
		if (plan->atoms[i]->kind >= SL_EVENT_ENTER) {
			sl_atom_print(plan->atoms[i], text, sizeof(text));
			return sl_err_set(
				err,
				"`%s` is an event of code, and a log has none: check it where it runs, with "
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
		status = sl_err_set(err, "%s: there is nothing in it", path);
	for (const struct sl_plan *plan = plans; plan && status >= 0; plan = plan->next) {
		char name[512];
		bool named = false, sections = false;

		status = refuse_code(plan, err) < 0 ? -1 : status;
		if (status < 0)
			break;
		to_word(name, sizeof(name), plan->name);
		for (size_t i = 0; i < log.count; i++) {
			sections |= is_section(&log.entries[i], NULL);
			named |= *name && is_section(&log.entries[i], name);
		}
		if (!sections)
			status |= check_part(path, plan, &log, 0, log.count);
		for (size_t i = 0; i < log.count; i++) {
			size_t end = i + 1;

			if (!is_section(&log.entries[i], named ? name : NULL))
				continue;
			while (end < log.count && strcmp(log.entries[end].type, "SECTION") != 0 &&
			       strcmp(log.entries[end].type, "SECTION_END") != 0)
				end++;
			status |= check_part(path, plan, &log, i, end);
		}
	}
	free(log.entries);
	free(log.text);
	return status;
}
