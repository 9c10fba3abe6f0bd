/*
 * Schedules on real threads: what happens, and who is held back until it may.
 *
 * Whoever makes something happen lets those go who may go then, one after the other, and their events happen on the
 * spot, in that order. So a thread that is woken has nothing to ask any more.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/engine.h"
#include "engine/free.h"
#include "engine/poison.h"

#define SEEN_MAX 1024
#define OBJECTS_MAX 1024
#define TEXT_MAX 65536

const char *sl_free_seen[SEEN_MAX];
uint32_t sl_free_seen_count;
static char text[TEXT_MAX], *text_at = text; /* of what was seen */

static struct {
	const void *object;
	bool of_section;
	char name[64];
} objects[OBJECTS_MAX];
static uint32_t object_count;

static bool
same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* NULL: there is no more room; that only means that it is looked up each time. */
static const char *
keep(const char *name)
{
	for (uint32_t i = 0; i < sl_free_seen_count; i++)
		if (same(sl_free_seen[i], name))
			return sl_free_seen[i];
	size_t n = sl_strlen(name) + 1;

	if (sl_free_seen_count == SEEN_MAX || n > (size_t)(text + TEXT_MAX - text_at))
		return NULL;
	sl_memcpy(text_at, name, n);
	sl_free_seen[sl_free_seen_count++] = text_at;
	text_at += n;
	return sl_free_seen[sl_free_seen_count - 1];
}

/* A section is over: nothing of it is left. */
void
sl_free_events_reset(void)
{
	uint32_t kept = 0;

	sl_free_seen_count = 0;
	text_at = text;
	for (uint32_t i = 0; i < object_count; i++)
		if (!objects[i].of_section)
			objects[kept++] = objects[i];
	object_count = kept;
	F.version++;
}

/* ---- objects ---- */

void
sl_free_name(const void *object, const char *name)
{
	uint32_t i = 0;

	sl_free_lock();
	while (i < object_count && objects[i].object != object)
		i++;
	if (i < OBJECTS_MAX) {
		object_count += i == object_count;
		objects[i].object = object;
		objects[i].of_section = F.section != NULL;
		sl_text_copy(objects[i].name, sizeof(objects[i].name), name);
		F.version++;
	}
	sl_free_unlock();
}

const char *
sl_free_object_name(const void *object)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (objects[i].object == object)
			return objects[i].name;
	return NULL;
}

/* A global variable that the dynamic linker knows. Not under our lock: it has one of its own. */
static const char *
global_name(const void *object)
{
	Dl_info found;

	return object && dladdr(object, &found) && found.dli_saddr == object ? found.dli_sname : NULL;
}

static int
find_constant(struct dl_phdr_info *info, size_t size, void *at)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W) &&
		    (uintptr_t)at - info->dlpi_addr - p->p_vaddr < p->p_memsz)
			return 1;
	}
	return 0;
}

/* ---- happening ---- */

/* Where it broke first. */
static void
note_broken(struct sl_runner *r, const struct sl_event *event)
{
	static char name[256];

	F.broken = *event;
	sl_text_copy(name, sizeof(name), event->name);
	F.broken.name = event->name ? name : NULL;
	F.broken.object = F.broken.thread_name = NULL;
	F.broken_file = event->kind == SL_EVENT_NAMED ? r->file : NULL;
	F.broken_line = r->line;
	sl_free_usual(event->thread, F.broken_by);
	if (event->thread_name) {
		size_t n = sl_strlen(F.broken_by);

		sl_text_copy(F.broken_by + n, 3, " (");
		sl_text_copy(F.broken_by + n + 2, sizeof(F.broken_by) - n - 4, event->thread_name);
		n = sl_strlen(F.broken_by);
		sl_text_copy(F.broken_by + n, 2, ")");
	}
}

/* When it happens, not when somebody comes there who is held. */
static void
log_event(struct sl_runner *r, const char *name, const char *object)
{
	char word[256];
	size_t n;

	sl_text_copy(word, sizeof(word) - 70, name);
	if (object) { /* name{object} */
		n = sl_strlen(word);
		word[n++] = '{';
		sl_text_copy(word + n, 64, object);
		n = sl_strlen(word);
		sl_text_copy(word + n, 2, "}");
	}
	sl_free_log("EVENT", r, word, r->file, r->line);
}

static bool
happens(struct sl_runner *r, const struct sl_event *event, const struct sl_match *match)
{
	bool others = sl_monitor_happens(F.monitor, event, match);

	if (unlikely(F.logging) && event->kind == SL_EVENT_NAMED)
		log_event(r, event->name, event->object);
	if (unlikely(F.broken.kind == SL_EVENT_KINDS && sl_monitor_broken(F.monitor, NULL)))
		note_broken(r, event);
	return others;
}

void
sl_free_usual(uint32_t number, char *to)
{
	char digits[12];
	int n = 11;

	digits[n] = 0;
	do
		digits[--n] = (char)('0' + number % 10);
	while (number /= 10);
	sl_text_copy(to, 8, digits[n] == '0' ? "main" : "T");
	if (digits[n] != '0')
		sl_text_copy(to + 1, 12, digits + n);
}

static enum sl_leave
asks(struct sl_runner *r)
{
	enum sl_leave leave = sl_monitor_asks(F.monitor, &r->event, &r->match);

	r->quiet = leave == SL_WHEN_QUIET;
	return leave;
}

/* Returns whether others may go now. */
static bool
let(struct sl_runner *r)
{
	sl_free_unhold(r);
	if (r->event.kind == SL_EVENT_BLOCK) /* it tries again first */
		return false;
	if (r->event.kind == SL_EVENT_UNBLOCK)
		r->told = false;
	return happens(r, &r->event, &r->match);
}

static void
grant(void)
{
	struct sl_runner *next;

	for (struct sl_runner *r = F.held; r; r = next) {
		next = r->next_held;
		if (asks(r) == SL_MAY_GO && let(r))
			next = F.held; /* from the front: it may be their turn */
	}
}

static void
describe(struct sl_event *event, const struct sl_runner *r, enum sl_event_kind kind)
{
	*event = (struct sl_event){.kind = kind, .thread = r->number, .thread_name = r->named ? r->name : NULL};
}

bool
sl_free_may(struct sl_runner *r, enum sl_event_kind kind)
{
	struct sl_event event;
	struct sl_match match;

	if (!F.monitor || F.checking)
		return true;
	describe(&event, r, kind);
	sl_monitor_match(F.monitor, &event, &match);
	return sl_monitor_asks(F.monitor, &event, &match) == SL_MAY_GO;
}

void
sl_free_tell(struct sl_runner *r, enum sl_event_kind kind)
{
	struct sl_event event;
	struct sl_match match;

	if (unlikely(F.logging))
		sl_free_log(kind == SL_EVENT_BLOCK ? "BLOCK_CALL" : "BLOCK_RETURN", r, NULL, NULL, 0);
	if (!F.monitor || !F.plan->blocks || r->told == (kind == SL_EVENT_BLOCK))
		return;
	r->told = kind == SL_EVENT_BLOCK;
	describe(&event, r, kind);
	sl_monitor_match(F.monitor, &event, &match);
	if (happens(r, &event, &match))
		grant();
}

static void
happens_or_held(struct sl_runner *self, const struct sl_event *event, const struct sl_match *match)
{
	if (unlikely(F.io_told))
		sl_free_io_changed();
	enum sl_leave leave = F.checking ? SL_MAY_GO : sl_monitor_asks(F.monitor, event, match);

	if (likely(leave == SL_MAY_GO)) {
		if (happens(self, event, match))
			grant();
		sl_free_unlock();
		return;
	}
	self->quiet = leave == SL_WHEN_QUIET;
	sl_free_hold(self, event, match);
}

/* `about` starts, is given a name, or ends. */
void
sl_free_happens(struct sl_runner *about, enum sl_event_kind kind)
{
	struct sl_runner *self = sl_free_self();
	struct sl_event event;
	struct sl_match match;

	if (!self || (!F.logging && !F.monitor))
		return;
	sl_free_lock();
	if (F.logging && kind == SL_EVENT_END)
		sl_free_log("TH_END", about, NULL, NULL, 0);
	if (F.logging && kind == SL_EVENT_START && about->named)
		sl_free_log("TH_NAME", about, NULL, NULL, 0);
	if (!F.monitor || !(F.plan->blocks || F.plan->kinds & 1u << kind)) {
		sl_free_unlock();
		return;
	}
	describe(&event, about, kind);
	sl_monitor_match(F.monitor, &event, &match);
	self->file = NULL;
	happens_or_held(self, &event, &match);
}

/*
 * Do these atoms mean nothing any more, because they are about earlier occurrences than all that come? Then nobody need be
 * asked in this run, which spares events in loops the lock.
 */
static bool
settled(const struct sl_match *match)
{
	if (match->count > sizeof(match->atoms) / sizeof(match->atoms[0]))
		return false;
	for (uint32_t i = 0; i < match->count; i++) {
		const struct sl_atom *atom = F.plan->atoms[match->atoms[i]];

		if (!F.plain || atom->occurrence == SL_EVERY ||
		    sl_monitor_count(F.monitor, atom) < (atom->occurrence ? atom->occurrence : 1))
			return false;
	}
	return true;
}

void
sl_free_event(const char *name, const void *object, const char *file, int line)
{
	struct sl_runner *self;
	struct sl_known *known;

	if (likely(!F.watching) || sl_free_inside() || !(self = sl_free_self()))
		return;
	known = &self->known[(uintptr_t)name / 4 % SL_KNOWN_MATCHES];
	bool is_known = known->at == name && known->version == F.version && known->object == object &&
			(known->constant || (known->name && same(known->name, name)));

	if (likely(is_known && known->settled && !F.logging))
		return; /* the schedule does not mention it, or not any more */
	const char *global = is_known ? NULL : global_name(object);
	bool constant = !is_known && dl_iterate_phdr(find_constant, (void *)name);

	sl_free_lock();
	self->file = file;
	self->line = line;
	if (unlikely(!F.monitor)) {
		if (F.logging)
			log_event(self, name, sl_free_object_name(object) ? sl_free_object_name(object) : global);
		sl_free_unlock();
		return;
	}
	struct sl_event event = {.kind = SL_EVENT_NAMED,
				 .thread = self->number,
				 .thread_name = self->named ? self->name : NULL,
				 .name = is_known ? known->name : name,
				 .object = known->object_name};

	if (unlikely(!is_known)) {
		*known = (struct sl_known){.at = name, .name = keep(name), .object = object, .version = F.version};
		known->constant = constant && known->name;
		if (known->name)
			event.name = known->name;
		if (object)
			known->object_name = sl_free_object_name(object) ? sl_free_object_name(object) : global;
		event.object = known->object_name;
		sl_monitor_match(F.monitor, &event, &known->match);
	}
	if (is_known || !known->match.count)
		known->settled = settled(&known->match);
	happens_or_held(self, &event, &known->match);
}

/* ---- nobody can move ---- */

void
sl_free_quiet(void)
{
	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		if (r->doing == SL_BLOCKED && r->waits == SL_WAITS_IO &&
		    (sl_free_io_ready(r) || sl_free_io_outside(r)))
			return;
	}
	for (struct sl_runner *r = F.held; r; r = r->next_held)
		if (r->quiet) {
			if (let(r))
				grant();
			return;
		}
	if (sl_free_strangers())
		return;
	sl_free_infeasible();
}

/* The section is over: whoever is held goes on, as if there were no schedule. */
void
sl_free_let_go(void)
{
	while (F.held)
		sl_free_unhold(F.held);
}
