/*
 * Schedules on real threads: sleave_event(). What a name means is worked out once for each thread and each run of
 * a section. After that most events need no lock: an event that means nothing (any more) is one comparison, and an
 * event that waits only for the counts of others is one increment. If an event could happen and changed nothing in
 * the monitor, it can happen again until something there changes (F.state).
 *
 * A count is a word of F.tally that also contains the number of the run (F.tag). Nothing else of the schedule is
 * touched, so a thread may be late, when another section has begun: the number differs then. A thread that has
 * counted then looks for held threads; a thread that is held then looks at the counts. So one of the two sees the
 * other.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/rt_code.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

#define OBJECTS_MAX 1024
#define TEXT_MAX 65536

#define NO_NAME UINT32_MAX

static struct sl_name names[SL_NAMES_MAX];
static const char *texts[SL_NAMES_MAX];
uint32_t sl_rt_name_count;
static uint16_t slots[2 * SL_NAMES_MAX];     /* hash table by text: 1 + the name's number */
static char text[TEXT_MAX], *text_at = text; /* the texts of all names */
static struct sl_literal literals[SL_LITERALS];

uint64_t sl_event_passes[SL_PASSES], sl_event_pass;

/* The number of a run, in bits that addresses do not use; never 0. */
static inline uint64_t
pass_of(uint64_t tag)
{
	return ((tag >> 32) % 0x1ffff + 1) << 47;
}

static struct {
	const void *object;
	bool of_section;
	char name[64];
} objects[OBJECTS_MAX];
static uint32_t object_count;

/* NO_NAME: there is no room, and the name is looked up each time. Under the lock. */
static uint32_t
keep(const char *name)
{
	uint32_t hash = 2166136261u, slot;
	size_t n = 0;

	for (; name[n]; n++)
		hash = (hash ^ (unsigned char)name[n]) * 16777619u;
	for (slot = hash % (2 * SL_NAMES_MAX); slots[slot]; slot = (slot + 1) % (2 * SL_NAMES_MAX))
		if (sl_text_same(texts[slots[slot] - 1], name))
			return slots[slot] - 1u;
	n++;
	if (sl_rt_name_count == SL_NAMES_MAX || n > (size_t)(text + TEXT_MAX - text_at))
		return NO_NAME;
	texts[sl_rt_name_count++] = sl_memcpy(text_at, name, n);
	slots[slot] = (uint16_t)sl_rt_name_count;
	text_at += n;
	return sl_rt_name_count - 1;
}

static void
keep_literal(const char *at, uint32_t name, bool passing)
{
	struct sl_literal *l = &literals[SL_LITERAL_OF(at)];

	__atomic_store_n(&l->at, NULL, __ATOMIC_SEQ_CST);
	__atomic_store_n(&l->name, name, __ATOMIC_SEQ_CST);
	l->passing = passing;
	__atomic_store_n(&l->at, at, __ATOMIC_SEQ_CST);
}

const char *
sl_rt_seen(uint32_t name)
{
	return names[name].seen == F.epoch ? texts[name] : NULL;
}

enum sl_value
sl_rt_occurred(const char *name)
{
	for (uint32_t i = 0; i < sl_rt_name_count; i++)
		if (sl_text_same(texts[i], name))
			return sl_rt_seen(i) ? SL_TRUE : SL_FALSE;
	return SL_OPEN;
}

/* A section is over: nothing but the names is kept, as long as there is room for those of the next section. */
void
sl_rt_events_reset(void)
{
	bool all = sl_rt_name_count > SL_NAMES_MAX / 2 || text_at - text > TEXT_MAX / 2;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < SL_LITERALS; i++)
		if (literals[i].at && (all || literals[i].passing))
			__atomic_store_n(&literals[i].at, NULL, __ATOMIC_SEQ_CST);
	if (all) {
		sl_rt_name_count = 0;
		text_at = text;
		sl_memset(slots, 0, sizeof(slots));
	}
	for (uint32_t i = 0; i < object_count; i++)
		if (!objects[i].of_section)
			objects[kept++] = objects[i];
	object_count = kept;
	F.version++;
}

/* ---- objects ---- */

static void
name_object(const void *object, const char *name)
{
	uint32_t i = 0;

	while (i < object_count && objects[i].object != object)
		i++;
	if (i == OBJECTS_MAX)
		return;
	object_count += i == object_count;
	objects[i].object = object;
	objects[i].of_section = F.section != NULL;
	sl_text_copy(objects[i].name, sizeof(objects[i].name), name);
	F.version++;
}

void
sl_rt_name(const void *object, const char *name)
{
	sl_rt_lock();
	name_object(object, name);
	sl_rt_unlock();
}

const char *
sl_rt_object_name(const void *object)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (objects[i].object == object)
			return objects[i].name;
	return NULL;
}

bool
sl_rt_named(uint32_t index, const void **object, const char **name)
{
	if (index >= object_count)
		return false;
	*object = objects[index].object;
	*name = objects[index].name;
	return true;
}

uint32_t
sl_rt_object_names(const char **given, uint32_t room)
{
	uint32_t count = 0;

	for (; count < object_count && count < room; count++)
		given[count] = objects[count].name;
	return count;
}

bool
sl_rt_object_known(const char *name)
{
	for (uint32_t i = 0; i < object_count; i++)
		if (sl_text_same(objects[i].name, name))
			return true;
	return object_count == OBJECTS_MAX;
}

/* A global variable that the dynamic linker knows. Not under our lock: the linker has its own. */
static const char *
global_name(const void *object)
{
	Dl_info found;

	return object && dladdr(object, &found) && found.dli_saddr == object ? found.dli_sname : NULL;
}

static bool
is_constant_of(const struct dl_phdr_info *info, uintptr_t at)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W) && at - info->dlpi_addr - p->p_vaddr < p->p_memsz)
			return true;
	}
	return false;
}

static int
find_constant(struct dl_phdr_info *info, size_t size, void *at)
{
	(void)size;
	return is_constant_of(info, (uintptr_t)at);
}

static int
find_program(struct dl_phdr_info *info, size_t size, void *program)
{
	(void)size;
	*(struct dl_phdr_info *)program = *info;
	return 1;
}

/* The linker's list is walked only for addresses outside of the program itself, which is never unloaded. */
enum constant { CHANGES, PASSES, STAYS };

static enum constant
constant(const char *name)
{
	static struct dl_phdr_info program;
	static bool known;

	if (unlikely(!__atomic_load_n(&known, __ATOMIC_ACQUIRE))) {
		struct dl_phdr_info found;

		if (!dl_iterate_phdr(find_program, &found))
			return CHANGES;
		program = found; /* each thread finds the same */
		__atomic_store_n(&known, true, __ATOMIC_RELEASE);
	}
	if (is_constant_of(&program, (uintptr_t)name))
		return STAYS;
	return dl_iterate_phdr(find_constant, (void *)name) ? PASSES : CHANGES;
}

/*
 * Finds a string that equals the name. A string that only contains it does not count: a schedule's text contains
 * it, too.
 */
static int
find_text(struct dl_phdr_info *info, size_t size, void *name)
{
	size_t n = sl_strlen(name) + 1;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const char *at = (const char *)(info->dlpi_addr + p->p_vaddr), *end = at + p->p_memsz;

		if (p->p_type != PT_LOAD || p->p_flags & PF_W || !(p->p_flags & PF_R) || p->p_memsz <= n)
			continue;
		for (at++; at + n <= end; at++)
			if (*at == *(const char *)name && !at[-1] && sl_text_same(at, name))
				return 1;
	}
	return 0;
}

bool
sl_rt_is_written(const char *name)
{
	return dl_iterate_phdr(find_text, (void *)name);
}

/* ---- a run begins ---- */

static void
understand(struct sl_name *name, uint32_t atom)
{
	struct sl_swift swift;
	const struct sl_atom *a = F.plan->atoms[atom];
	bool counts =
		!F.checking && !F.logging && !a->thread && !a->object && sl_monitor_swift(F.monitor, atom, &swift);

	if (name->tag != F.tag) {
		name->match.count = 0;
		name->picky = false;
	}
	name->picky |= a->thread || a->object;
	if (name->match.count < sizeof(name->match.atoms) / sizeof(name->match.atoms[0]))
		name->match.atoms[name->match.count++] = atom;
	else
		name->match.count = UINT32_MAX;
	__atomic_store_n(&name->tag, 0, __ATOMIC_SEQ_CST); /* a thread that reads it now sees that it changes */
	name->atom = (uint16_t)atom;
	name->counts = counts;
	if (counts) {
		F.swift.atoms[F.swift.count++] = (uint16_t)atom;
		F.swift.is[atom] = true;
		name->frees = swift.frees;
		name->shy = swift.shy;
		name->last = swift.last;
		name->left_count = (uint8_t)swift.left_count;
		name->skips = swift.last == SL_EVERY && !swift.frees;
		for (uint32_t i = 0; i < swift.left_count; i++) {
			name->left[i].atom = (uint16_t)swift.left[i].atom;
			name->left[i].need = swift.left[i].need;
			name->skips &= swift.left[i].need != 0;
		}
	}
	__atomic_store_n(&name->tag, F.tag, __ATOMIC_SEQ_CST);
}

/* Works out what the names mean in the plan. No event is counted without the lock if each has to be looked at. */
void
sl_rt_swift_begin(void)
{
	F.swift.count = 0;
	F.threaded = false;
	F.careful = true;
	F.tag = (uint64_t)F.epoch << 32;
	bool careful = F.logging;

	for (uint32_t i = 0; i < F.plan->atom_count; i++) {
		uint32_t name = F.plan->atoms[i]->kind == SL_EVENT_NAMED ? keep(F.plan->atoms[i]->name) : NO_NAME;

		__atomic_store_n(&F.tally[i], F.tag, __ATOMIC_SEQ_CST);
		F.swift.is[i] = false;
		F.threaded |= F.plan->atoms[i]->thread != NULL;
		if (name != NO_NAME)
			understand(&names[name], i);
		careful |= name == NO_NAME && F.plan->atoms[i]->kind == SL_EVENT_NAMED;
	}
	F.calm = sl_monitor_calm(F.monitor);
	F.state = F.tag | (uint32_t)sl_monitor_changes(F.monitor);
	__atomic_store_n(&F.careful, careful, __ATOMIC_SEQ_CST);
	if (pass_of(F.tag) == pass_of(0)) /* pass numbers begin anew */
		sl_memset(sl_event_passes, 0, sizeof(sl_event_passes));
	sl_event_pass = careful || F.coded || E.recording ? 0 : pass_of(F.tag);
}

void
sl_rt_swift_end(void)
{
	__atomic_store_n(&sl_event_pass, 0, __ATOMIC_SEQ_CST);
}

/* ---- events ---- */

/* Finds the atoms that the event is, for this thread. */
static void
know(struct sl_rt_known *k, struct sl_event *event)
{
	event->object = NULL;
	if (k->object) {
		const char *given = sl_rt_object_name(k->object);

		if (!given && k->global) { /* as if given by sleave_name() */
			name_object(k->object, k->global);
			k->version = F.version;
		}
		event->object = k->object_name = given ? given : k->global;
	}
	static const struct sl_match none;

	k->match = k->name == NO_NAME ? &k->own : names[k->name].tag == F.tag ? &names[k->name].match : &none;
	if (k->name != NO_NAME && (k->match == &none || !names[k->name].picky))
		return;
	k->own = *k->match;
	if (k->name == NO_NAME)
		sl_monitor_match(F.monitor, event, &k->own);
	k->match = &k->own;
	sl_monitor_narrow(F.monitor, event, &k->own);
}

static __attribute__((noinline)) void
slow(const char *at, const void *object, const char *file, int line)
{
	struct sl_runner *self = sl_rt_self();
	struct sl_rt_known *k;

	if (!self)
		return;
	k = &self->known[(uintptr_t)at / 4 % SL_KNOWN_MATCHES];
	const char *global = k->object == object ? k->global : global_name(object);
	const struct sl_literal *literal = &literals[SL_LITERAL_OF(at)];
	enum constant constancy = literal->at == at ? CHANGES : constant(at);

	sl_rt_lock();
	self->event.file = file;
	self->event.line = line;
	if (unlikely(!F.monitor)) {
		if (F.logging)
			sl_rt_log_event(self, at, sl_rt_object_name(object) ? sl_rt_object_name(object) : global);
		sl_rt_unlock();
		return;
	}
	if (unlikely(self->leftover)) {
		sl_rt_unlock();
		return;
	}
	uint32_t name = literal->at == at ? literal->name : keep(at);
	struct sl_event event = {.kind = SL_EVENT_NAMED,
				 .thread = self->number,
				 .thread_name = self->named ? self->name : NULL,
				 .name = name == NO_NAME ? at : texts[name],
				 .object = k->object_name};

	if (name != NO_NAME) {
		__atomic_store_n(&names[name].seen, F.epoch, __ATOMIC_RELAXED);
		if (constancy != CHANGES)
			keep_literal(at, name, constancy == PASSES);
	}
	if (k->at != at || k->version != F.version || k->object != object || k->name != name || name == NO_NAME) {
		k->at = at;
		k->object = object;
		k->global = global;
		k->object_name = NULL;
		k->version = F.version;
		k->name = name;
		know(k, &event);
		k->settled = !k->match->count;
	} else {
		sl_rt_sync();
		k->settled = sl_monitor_settled(F.monitor, k->match);
	}
	bool nameless = sl_rt_nameless(self, &event);

	k->settled &= !nameless;
	sl_rt_happens_or_held(self, &event, k->match);
	k->still = nameless ? 0 : self->event.still;
}

/* True: the event has happened. */
static inline bool
counts(const struct sl_name *n, uint64_t tag)
{
	uint64_t word = __atomic_load_n(&F.tally[n->atom], __ATOMIC_ACQUIRE);
	uint32_t last = n->last;

	do {
		uint32_t next = (uint32_t)word + 1;

		if (unlikely((word ^ tag) >> 32))
			return false;
		if (next > last)
			return true; /* not counted any more */
		if (unlikely(next == SL_EVERY - 1))
			return false; /* that is where the monitor stops counting */
		for (unsigned i = 0; i < n->left_count && (next == last || last == SL_EVERY); i++) {
			uint64_t left = __atomic_load_n(&F.tally[n->left[i].atom], __ATOMIC_ACQUIRE);

			if ((left ^ tag) >> 32 || (uint32_t)left < (n->left[i].need ? n->left[i].need : next))
				return false;
		}
		if (n->shy && !__atomic_load_n(&F.calm, __ATOMIC_ACQUIRE))
			return false; /* loaded after the counts on the left */
		if (n->skips && next > 1)
			return true;
		/*
		 * the fields of the name that were read belong to this run: otherwise the word would have another
		 * tag
		 */
	} while (!__atomic_compare_exchange_n(&F.tally[n->atom], &word, word + 1, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_ACQUIRE));
	return true;
}

static __attribute__((noinline)) void
free_others(void)
{
	sl_rt_lock();
	sl_rt_grant();
	sl_rt_unlock();
}

void
sl_rt_event(const char *at, const void *object, const char *file, int line)
{
	if (likely(!F.watching) || sl_rt_inside() || unlikely(!at))
		return;
	if (unlikely(sl_rt_coded))
		sl_rt_code_done();
	const struct sl_literal *literal = &literals[SL_LITERAL_OF(at)];

	if (likely(__atomic_load_n(&literal->at, __ATOMIC_ACQUIRE) == at && !F.careful && sl_runner_self &&
		   !sl_runner_self->leftover)) {
		struct sl_name *n = &names[__atomic_load_n(&literal->name, __ATOMIC_ACQUIRE)];
		uint64_t tag = __atomic_load_n(&F.tag, __ATOMIC_ACQUIRE);

		if (likely(__atomic_load_n(&literal->at, __ATOMIC_ACQUIRE) == at)) {
			if (unlikely(n->seen != (uint32_t)(tag >> 32)))
				__atomic_store_n(&n->seen, (uint32_t)(tag >> 32), __ATOMIC_RELAXED);
			if (__atomic_load_n(&n->tag, __ATOMIC_ACQUIRE) !=
			    tag) { /* the schedule does not mention it */
				if (sl_event_pass == pass_of(tag))
					__atomic_store_n(sl_event_passing(at), (uint64_t)at | pass_of(tag),
							 __ATOMIC_RELEASE);
				return;
			}
			if (n->counts && counts(n, tag)) {
				if (unlikely((n->frees || F.ending) && __atomic_load_n(&F.held, __ATOMIC_SEQ_CST)))
					free_others();
				return;
			}
		}
		const struct sl_rt_known *k = &sl_runner_self->known[(uintptr_t)at / 4 % SL_KNOWN_MATCHES];

		if (k->at == at && k->version == F.version && k->object == object &&
		    (k->settled || k->still == __atomic_load_n(&F.state, __ATOMIC_ACQUIRE)))
			return; /* no longer, not of this thread, or not now */
	}
	slow(at, object, file, line);
}

/* The thread has another name: the event that it is held at may match other atoms. */
void
sl_rt_renamed(struct sl_runner *r)
{
	if (!F.monitor || r->doing != SL_HELD)
		return;
	r->event.what.thread_name = r->name;
	sl_monitor_match(F.monitor, &r->event.what, &r->event.match);
	sl_monitor_narrow(F.monitor, &r->event.what, &r->event.match);
}
