/*
 * Named semaphores. Other processes are not seen, so a name belongs to the execution: it begins with the first
 * sem_open() that creates it and ends with sem_unlink(), or with the execution. A name that exists outside, made
 * by another process or before control, can't be modelled, and is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/core/life.h"
#include "engine/upcall/state.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/process/users.h"
#include "engine/under/poison.h"

#define NAMES 128
#define LIVES 8 /* how often a name may be created while earlier semaphores of that name are still open */
#define LENGTH_MAX (NAME_MAX - 4)
#define PREFIX "/dev/shm/sem."

/* A hash table by name, because an address must not depend on the order of creation. */
static struct named {
	char path[sizeof(PREFIX) + LENGTH_MAX];
	bool linked;
	uint32_t life; /* the current semaphore of the name */
	struct {
		sem_t semaphore;
		uint32_t opened;
		struct sl_owner owner;
	} lives[LIVES];
} names[NAMES];
static uint32_t sequence; /* the execution to which these belong */

bool
sl_is_named_semaphore(uint64_t address)
{
	return address - (uint64_t)names < sizeof(names);
}

bool
sl_named_semaphores_are_there(bool linked)
{
	for (unsigned i = 0; sequence == E.sequence && i < NAMES; i++)
		if (names[i].path[0] && (!linked || names[i].linked))
			return true;
	return false;
}

/* Returns the name's entry, which is made if necessary; NULL: it is not a valid name. */
static struct named *
entry_of(const char *name, uint64_t pc)
{
	uint64_t hash = 0;
	size_t n = sizeof(PREFIX) - 1;

	if (sequence != E.sequence) {
		sequence = E.sequence;
		sl_memset(names, 0, sizeof(names));
	}
	while (*name == '/')
		name++;
	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '/' || i == LENGTH_MAX)
			return NULL;
		hash = sl_mix(hash + (unsigned char)name[i]);
	}
	if (!*name)
		return NULL;
	for (unsigned i = 0; i < NAMES; i++) {
		struct named *e = &names[(hash + i) % NAMES];

		if (!e->path[0]) {
			sl_memcpy(e->path, PREFIX, n);
			sl_memcpy(e->path + n, name, sl_strlen(name) + 1);
			return e;
		}
		if (sl_text_same(e->path + n, name))
			return e;
	}
	sl_trouble(SL_TROUBLE_LIMIT, pc, "names of semaphores");
}

/* The order of opening and unlinking can be observed, so it is a choice. */
static void
touch(struct named *e, enum sl_op_kind kind, uint64_t pc)
{
	struct sl_object *o = sl_object_get(e->path, SL_OBJECT_SEM);

	sl_announce(kind, (uint64_t)e->path, pc);
	sl_point_unless_alone(o);
	sl_note(e->linked);
	sl_told_named(SL_TOLD_SEMAPHORE, pc);
}

static sem_t *
fail(int error)
{
	errno = error;
	return SEM_FAILED;
}

static sem_t *
open_named(const char *name, int flags, unsigned mode, unsigned value, uint64_t pc)
{
	struct named *e = entry_of(name, pc);

	if (!e)
		return fail(EINVAL);
	touch(e, SL_INIT, pc);
	if (!e->linked && access(e->path, F_OK) == 0)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "sem_open of a semaphore from before the execution");
	if (e->linked && flags & O_CREAT && flags & O_EXCL)
		return fail(EEXIST);
	if (!e->linked) {
		uint32_t next = (e->life + 1) % LIVES;

		if (!(flags & O_CREAT))
			return fail(ENOENT);
		if (value > SEM_VALUE_MAX)
			return fail(EINVAL);
		if (e->lives[next].opened)
			sl_trouble(SL_TROUBLE_LIMIT, pc, "open semaphores of one name");
		e->life = next;
		e->linked = true;
		e->lives[next].owner = sl_owner_new(mode);
		sl_life_semaphore(&e->lives[next].semaphore, value);
	} else if (!sl_owner_allows(&e->lives[e->life].owner, true, true)) {
		return fail(EACCES);
	}
	e->lives[e->life].opened++;
	sl_told_named(SL_TOLD_SEMAPHORE, pc);
	return &e->lives[e->life].semaphore;
}

SL_EXPORT sem_t *
sem_open(const char *name, int flags, ...)
{
	unsigned value = 0;
	mode_t mode = 0;
	va_list list;

	SL_RT_CALL();
	if (flags & O_CREAT) {
		va_start(list, flags);
		mode = va_arg(list, mode_t);
		value = va_arg(list, unsigned);
		va_end(list);
	}
	if (!E.control)
		return SL_CALL(sem_open)(name, flags, mode, value);
	sl_state_opaque(); /* the table is not part of states */
	return open_named(name, flags, mode, value, SL_PC);
}

SL_DEFINE(int, sem_close, (sem_t * semaphore), (semaphore))
{
	uintptr_t at = (uintptr_t)semaphore, first = (uintptr_t)names;
	struct named *e = &names[(at - first) / sizeof(*names)];

	if (at < first || at >= first + sizeof(names))
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "sem_close of a semaphore from before the execution");
	for (unsigned i = 0; i < LIVES && sequence == E.sequence; i++) {
		if (&e->lives[i].semaphore != semaphore || !e->lives[i].opened)
			continue;
		e->lives[i].opened--;
		return 0;
	}
	errno = EINVAL;
	return -1;
}

SL_DEFINE(int, sem_unlink, (const char *name), (name))
{
	struct named *e = entry_of(name, pc);

	if (!e) {
		errno = ENOENT;
		return -1;
	}
	touch(e, SL_DESTROY, pc);
	if (!e->linked && access(e->path, F_OK) == 0)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "sem_unlink of a semaphore from before the execution");
	if (!e->linked) {
		errno = ENOENT;
		return -1;
	}
	e->linked = false;
	return 0;
}
