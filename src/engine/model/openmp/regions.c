/*
 * OpenMP: regions, barriers, critical sections, locks, queries and settings.
 *
 * Locks and critical sections are locked like mutexes; as objects they are spin locks, for which the engine needs
 * nothing in memory. A nestable lock belongs to a task instead of a thread.
 */
#include <errno.h>
#include "engine/core/enabled.h"
#include "engine/core/life.h"
#include "engine/core/misuse.h"
#include "engine/upcall/spin.h"
#include "engine/core/step.h"
#include "engine/model/openmp/openmp.h"
#include "engine/under/poison.h"

/* ---- regions ---- */

SL_OMP(void, GOMP_parallel, void (*function)(void *), void *data, unsigned threads, unsigned flags)
{
	(void)flags;
	sl_omp_begin(function, data, threads, SL_PC);
	sl_omp_start();
	function(data);
	sl_omp_end(SL_PC);
}

/* The older interface: the caller runs the function itself. */
SL_OMP(void, GOMP_parallel_start, void (*function)(void *), void *data, unsigned threads)
{
	sl_omp_begin(function, data, threads, SL_PC);
	sl_omp_start();
}

SL_OMP(void, GOMP_parallel_end, void)
{
	sl_omp_end(SL_PC);
}

SL_OMP(void, GOMP_barrier, void)
{
	sl_omp_barrier(SL_PC);
}

SL_OMP(bool, GOMP_barrier_cancel, void)
{
	sl_omp_barrier(SL_PC);
	return false;
}

/* A league of teams, which run one after the other, as in libgomp without a device. */
SL_OMP(void, GOMP_teams_reg, void (*function)(void *), void *data, unsigned teams, unsigned limit, unsigned flags)
{
	struct sl_omp_settings *settings = &sl_omp_here()->task->settings, before = *settings;
	struct sl_omp *omp = E.current->omp;

	(void)flags;
	if (limit)
		settings->limit = limit;
	omp->teams = teams ? teams : 3;
	for (omp->team = 0; omp->team < omp->teams; omp->team++)
		function(data);
	omp->teams = 1;
	omp->team = 0;
	*settings = before;
}

/* Without OMP_CANCELLATION cancellation has no effect. */
SL_OMP(bool, GOMP_cancel, int which, bool wanted)
{
	(void)which;
	sl_omp_here();
	if (sl_omp_cancellation && wanted)
		sl_unsupported("GOMP_cancel with OMP_CANCELLATION", SL_PC);
	return false;
}

SL_OMP(bool, GOMP_cancellation_point, int which)
{
	(void)which;
	return false;
}

/* ---- locks ---- */

/* Takes over the lock's state from outside of control: a word that is 0 when the lock is free. */
static struct sl_object *
lock_at(void *at, uint64_t pc)
{
	struct sl_object *o = sl_object_use(at, SL_OBJECT_SPIN, pc);

	if (unlikely(!o->round)) {
		o->round = 1;
		if ((uint64_t)at < SL_OWN_LOW && *(const uint32_t *)at) {
			o->owner = &E.threads[0];
			o->depth = 1;
		}
	}
	return o;
}

static void
lock(struct sl_object *o, uint64_t pc)
{
	sl_announce(SL_MUTEX_LOCK, o->address, pc);
	if (!o->owner)
		sl_spin_lock(pc);
	sl_await(o);
	if (unlikely(o->fresh))
		sl_life_used(o, pc);
	sl_mutex_take(o);
	sl_note(0);
}

static bool
lock_try(struct sl_object *o, uint64_t pc)
{
	sl_look_at(o);
	sl_announce(SL_MUTEX_TRYLOCK, o->address, pc);
	if (o->owner)
		sl_spin_visit(pc);
	sl_point_unless_alone(o);
	if (unlikely(o->fresh))
		sl_life_used(o, pc);
	sl_note(o->owner ? EBUSY : 0);
	sl_attempted(o, SL_OPEN_FREE, !o->owner);
	if (o->owner)
		return false;
	sl_mutex_take(o);
	return true;
}

/* Unlocks. The owner of the compiler's own sections is always the caller. */
static void
unlock(struct sl_object *o, uint64_t pc)
{
	sl_announce(SL_MUTEX_UNLOCK, o->address, pc);
	sl_point_of_release(o);
	sl_note(0);
	if (unlikely(o->owner != E.current))
		sl_misuse(o->owner ? "unlocks %, which @ holds" : "unlocks %, which no thread holds", o->address,
			  pc, o->owner ? o->taken : 0, SL_MUTEX_LOCK);
	sl_mutex_unlock_now(o);
}

static void
lock_init(void *at, size_t words, uint64_t pc)
{
	sl_life_begin(at, pc);
	sl_life_init(at, SL_OBJECT_SPIN, !*(const uint32_t *)at)->round = 1;
	sl_memset(at, 0, 4 * words);
}

static void
lock_destroy(void *at, uint64_t pc)
{
	struct sl_object *o = sl_object_peek(at, SL_OBJECT_SPIN);

	sl_object_ends(o);
	sl_announce(SL_DESTROY, (uint64_t)at, pc);
	sl_point_unless_alone(o);
	sl_note(0);
	if (o->owner)
		sl_misuse("destroys %, which @ holds", o->address, pc, o->taken, SL_MUTEX_LOCK);
	sl_life_end(o, pc);
	sl_object_forget(o);
	o->taken = sl_by(pc);
}

SL_OMP(void, omp_init_lock, void *at)
{
	lock_init(at, 1, SL_PC);
}

SL_OMP(void, omp_destroy_lock, void *at)
{
	lock_destroy(at, SL_PC);
}

SL_OMP(void, omp_set_lock, void *at)
{
	lock(lock_at(at, SL_PC), SL_PC);
}

SL_OMP(int, omp_test_lock, void *at)
{
	return lock_try(lock_at(at, SL_PC), SL_PC);
}

SL_OMP(void, omp_unset_lock, void *at)
{
	unlock(lock_at(at, SL_PC), SL_PC);
}

/* ---- nestable locks: `limit` of the object is the owning task ---- */

static bool
is_mine(const struct sl_object *o)
{
	return o->owner == E.current && o->limit == (uint64_t)sl_omp_here()->task;
}

static void
again(struct sl_object *o, enum sl_op_kind kind, uint64_t pc)
{
	sl_announce(kind, o->address, pc);
	sl_no_point();
	sl_note(0);
}

SL_OMP(void, omp_init_nest_lock, void *at)
{
	lock_init(at, 4, SL_PC);
}

SL_OMP(void, omp_destroy_nest_lock, void *at)
{
	lock_destroy(at, SL_PC);
}

SL_OMP(void, omp_set_nest_lock, void *at)
{
	struct sl_object *o = lock_at(at, SL_PC);

	if (is_mine(o)) {
		again(o, SL_MUTEX_LOCK, SL_PC);
		o->depth++;
		return;
	}
	lock(o, SL_PC);
	o->limit = (uint64_t)sl_omp_here()->task;
}

/* Returns the new depth; 0: another task owns it. */
SL_OMP(int, omp_test_nest_lock, void *at)
{
	struct sl_object *o = lock_at(at, SL_PC);

	if (is_mine(o)) {
		again(o, SL_MUTEX_TRYLOCK, SL_PC);
		return (int)++o->depth;
	}
	if (!lock_try(o, SL_PC))
		return 0;
	o->limit = (uint64_t)sl_omp_here()->task;
	return 1;
}

SL_OMP(void, omp_unset_nest_lock, void *at)
{
	struct sl_object *o = lock_at(at, SL_PC);

	if (is_mine(o) && o->depth > 1) {
		again(o, SL_MUTEX_UNLOCK, SL_PC);
		o->depth--;
		return;
	}
	unlock(o, SL_PC);
}

/* ---- critical sections, and atomics without an instruction of the processor ---- */

SL_OMP(void, GOMP_critical_start, void)
{
	lock(lock_at((void *)SL_TEAM_CRITICAL, SL_PC), SL_PC);
}

SL_OMP(void, GOMP_critical_end, void)
{
	unlock(lock_at((void *)SL_TEAM_CRITICAL, SL_PC), SL_PC);
}

SL_OMP(void, GOMP_critical_name_start, void **name)
{
	lock(lock_at(name, SL_PC), SL_PC);
}

SL_OMP(void, GOMP_critical_name_end, void **name)
{
	unlock(lock_at(name, SL_PC), SL_PC);
}

SL_OMP(void, GOMP_atomic_start, void)
{
	lock(lock_at((void *)SL_TEAM_ATOMIC, SL_PC), SL_PC);
}

SL_OMP(void, GOMP_atomic_end, void)
{
	unlock(lock_at((void *)SL_TEAM_ATOMIC, SL_PC), SL_PC);
}

/* ---- queries ---- */

SL_OMP(int, omp_get_thread_num, void)
{
	return (int)sl_omp_here()->number;
}

SL_OMP(int, omp_get_num_threads, void)
{
	return (int)sl_omp_here()->team->size;
}

SL_OMP(int, omp_get_max_threads, void)
{
	return (int)sl_omp_here()->task->settings.threads;
}

/* The result is always the same: a search must not depend on the machine. */
SL_OMP(int, omp_get_num_procs, void)
{
	return (int)SL_OMP_DEFAULT;
}

SL_OMP(int, omp_in_parallel, void)
{
	return sl_omp_here()->team->active > 0;
}

SL_OMP(int, omp_get_level, void)
{
	return (int)sl_omp_here()->team->level;
}

SL_OMP(int, omp_get_active_level, void)
{
	return (int)sl_omp_here()->team->active;
}

/*
 * Returns the place of the running thread, or of the one that began the region, at that level; NULL: there is no
 * such level.
 */
static const struct sl_omp_place *
at_level(int level)
{
	const struct sl_omp_place *p = sl_omp_here();

	if (level < 0 || level > (int)p->team->level)
		return NULL;
	while ((int)p->team->level > level)
		p = p->team->begun_by;
	return p;
}

SL_OMP(int, omp_get_ancestor_thread_num, int level)
{
	const struct sl_omp_place *p = at_level(level);

	return p ? (int)p->number : -1;
}

SL_OMP(int, omp_get_team_size, int level)
{
	const struct sl_omp_place *p = at_level(level);

	return p ? (int)p->team->size : -1;
}

SL_OMP(int, omp_in_final, void)
{
	return sl_omp_here()->task->final;
}

SL_OMP(int, omp_get_thread_limit, void)
{
	return (int)sl_omp_here()->task->settings.limit;
}

SL_OMP(int, omp_get_num_teams, void)
{
	sl_omp_here();
	return (int)E.current->omp->teams;
}

SL_OMP(int, omp_get_team_num, void)
{
	sl_omp_here();
	return (int)E.current->omp->team;
}

/* ---- settings ---- */

SL_OMP(void, omp_set_dynamic, int dynamic)
{
	sl_omp_here()->task->settings.dynamic = dynamic;
}

/* The setting has no effect: regions have the requested number of threads. */
SL_OMP(int, omp_get_dynamic, void)
{
	return sl_omp_here()->task->settings.dynamic;
}

static void
set_levels(int levels)
{
	if (levels >= 0)
		sl_omp_here()->task->settings.levels =
			levels < SL_OMP_LEVELS_SUPPORTED ? (uint32_t)levels : SL_OMP_LEVELS_SUPPORTED;
}

SL_OMP(void, omp_set_max_active_levels, int levels)
{
	set_levels(levels);
}

SL_OMP(int, omp_get_max_active_levels, void)
{
	return (int)sl_omp_here()->task->settings.levels;
}

SL_OMP(void, omp_set_nested, int nested)
{
	if (nested)
		set_levels(SL_OMP_LEVELS_SUPPORTED);
	else if (sl_omp_here()->task->settings.levels > 1)
		set_levels(1);
}

SL_OMP(int, omp_get_nested, void)
{
	const struct sl_omp_place *p = sl_omp_here();

	return p->task->settings.levels > 1 && p->task->settings.levels > p->team->active;
}

SL_OMP(void, omp_set_schedule, int kind, int chunk)
{
	struct sl_omp_settings *settings = &sl_omp_here()->task->settings;

	if ((kind & 7) < SL_OMP_STATIC || (kind & 7) > SL_OMP_AUTO)
		return;
	settings->schedule = kind & 7;
	settings->schedule_bits = (unsigned)kind & ~7u;
	settings->chunk = chunk;
	if (chunk < 1)
		settings->chunk = (kind & 7) == SL_OMP_STATIC ? 0 : 1;
}

SL_OMP(void, omp_get_schedule, int *kind, int *chunk)
{
	const struct sl_omp_settings *settings = &sl_omp_here()->task->settings;

	*kind = (int)((unsigned)settings->schedule | settings->schedule_bits);
	*chunk = settings->chunk;
}

/*
 * Calls outside of control are noted, too: otherwise the value could not be distinguished from libgomp's default,
 * which depends on the machine.
 */
SL_OMP_ENTRY(omp_set_num_threads);
SL_EXPORT void omp_set_num_threads(int threads);

void
omp_set_num_threads(int threads)
{
	if (!E.control) {
		if (!sl_omp_entry_omp_set_num_threads.real)
			sl_omp_boot();
		sl_omp_threads_before = threads > 0 ? (uint32_t)threads : 1;
		((void (*)(int))sl_omp_entry_omp_set_num_threads.real)(threads);
		return;
	}
	sl_omp_here()->task->settings.threads = threads > 0 ? (uint32_t)threads : 1;
}
