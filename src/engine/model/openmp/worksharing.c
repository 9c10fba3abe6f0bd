/*
 * OpenMP: work sharing in a team: loops, sections, single, ordered.
 *
 * Which thread takes the next part is a choice, unless no part is left. Taking a part orders nothing: a write of
 * one iteration and a read of another one race, independent of which part was taken first.
 */
#include "engine/core/block.h"
#include "engine/core/step.h"
#include "engine/model/openmp/openmp.h"
#include "engine/under/poison.h"

/* ---- constructs: all threads of a team reach the same ones in the same order ---- */

static struct sl_omp_share *
share_new(struct sl_omp_team *team)
{
	struct sl_omp_share *s = team->free_shares, **at = &team->shares;

	if (s)
		team->free_shares = s->next;
	else
		s = sl_scratch_alloc(sizeof(*s));
	*s = (struct sl_omp_share){.number = ++team->share_count};
	s->address = team->address + SL_TEAM_SHARES + 8 * (s->number % SL_OMP_SHARES);
	sl_clock_reset(&s->before);
	while (*at)
		at = &(*at)->next;
	*at = s;
	return s;
}

/* Enters the running thread's next construct. */
static struct sl_omp_share *
enter(struct sl_omp_place *p)
{
	struct sl_omp_share *s = p->team->shares;

	p->shares++;
	while (s && s->number != p->shares)
		s = s->next;
	if (!s)
		s = share_new(p->team);
	p->share = s;
	p->part = p->trip = 0;
	return s;
}

static void
leave(struct sl_omp_place *p)
{
	struct sl_omp_team *team = p->team;
	struct sl_omp_share *s = p->share, **at = &team->shares;

	p->share = NULL;
	if (!s || ++s->left < team->size)
		return;
	if (s->memory)
		sl_heap_release(s->memory, SL_BLOCK_MALLOC, E.current->op.pc);
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->next = team->free_shares;
	team->free_shares = s;
}

/* The thread is about to take a part, for which threads compete. If no part is left this is not a point; but it is
 * noted, so that from the next execution on the thread may be the first. */
static void
point(struct sl_omp_share *s, uint64_t count, uint64_t pc)
{
	struct sl_object *o = sl_object_get((void *)s->address, SL_OBJECT_TEAM);

	if (s->taken == count) {
		sl_announce(SL_SHARE, s->address, pc);
		sl_no_point();
		sl_note(s->taken);
		if (unlikely(E.listen.watching)) {
			sl_step_access(s->address, 1, SL_OP_READS);
			sl_step_attempt(s->address, 0,
					false); /* it would have been a point before the last part was taken */
		}
		return;
	}
	sl_announce(SL_SHARE, s->address, pc);
	sl_point_unless_alone(o);
	sl_note(s->taken);
}

/* ---- loops ---- */

static void
loop_init(struct sl_omp_share *s, const struct sl_omp_range *r, int schedule, uint64_t chunk)
{
	bool some = r->wide ? (r->up ? r->start < r->end : r->start > r->end)
			    : (r->up ? (int64_t)r->start < (int64_t)r->end : (int64_t)r->start > (int64_t)r->end);
	uint64_t distance = r->up ? r->end - r->start : r->start - r->end, step = r->up ? r->step : -r->step;

	s->begun = true;
	s->schedule = schedule;
	s->start = r->start;
	s->end = r->end;
	s->step = r->step;
	s->count = some ? (distance - 1) / step + 1 : 0;
	s->chunk = chunk || schedule == SL_OMP_STATIC ? chunk : 1;
	s->ordered = false;
}

/* Returns the schedule for `runtime`. */
static int
schedule_of(int schedule, uint64_t *chunk)
{
	const struct sl_omp_settings *settings = &sl_omp_here()->task->settings;

	if (schedule == 0) {
		schedule = settings->schedule;
		*chunk = settings->chunk > 0 ? (uint64_t)settings->chunk : 0;
		if (schedule != SL_OMP_STATIC && schedule != SL_OMP_AUTO && !*chunk)
			*chunk = 1;
	}
	if (schedule == SL_OMP_AUTO) {
		*chunk = 0;
		return SL_OMP_STATIC;
	}
	return schedule;
}

/* Stores the part [from, to) that the thread has by its number; false: none. */
static bool
part_static(struct sl_omp_place *p, struct sl_omp_share *s, uint64_t *from, uint64_t *to)
{
	uint64_t size = p->team->size, i = p->number, each = s->count / size, more = s->count % size;

	if (s->chunk) {
		*from = (p->trip * size + i) * s->chunk;
		*to = s->count - *from < s->chunk ? s->count : *from + s->chunk;
		p->part = p->trip * size + i;
	} else {
		if (p->trip)
			return false;
		*from = each * i + (i < more ? i : more);
		*to = *from + each + (i < more);
		p->part = i;
	}
	p->trip++;
	return *from < s->count && *from < *to;
}

/* Takes the next part that no thread has taken. */
static bool
part_any(struct sl_omp_place *p, struct sl_omp_share *s, uint64_t *from, uint64_t *to, uint64_t pc)
{
	uint64_t n, left;

	point(s, s->count, pc);
	left = s->count - s->taken;
	if (!left)
		return false;
	n = s->chunk;
	if (s->schedule == SL_OMP_GUIDED) {
		n = (left - 1) / p->team->size + 1;
		n = n < s->chunk ? s->chunk : n;
	}
	if (n > left)
		n = left;
	*from = s->taken;
	*to = s->taken += n;
	p->part = s->parts++;
	sl_changed(true);
	return true;
}

/* Ordered parts continue in their order: waits for the turn of the thread's part. */
static void
await_turn(struct sl_omp_place *p, uint64_t pc)
{
	sl_announce(SL_ORDERED, p->share->address, pc);
	sl_omp_await(p->team->object, false);
	sl_note(p->part);
}

bool
sl_omp_loop_next(uint64_t *istart, uint64_t *iend, uint64_t pc)
{
	struct sl_omp_place *p = sl_omp_here();
	struct sl_omp_share *s = p->share;
	uint64_t from, to;

	if (s->ordered && p->part != UINT64_MAX) {
		await_turn(p, pc);
		s->turn++;
		sl_changed(true);
		sl_object_changed(p->team->object);
	}
	p->part = UINT64_MAX;
	if (s->schedule == SL_OMP_STATIC ? !part_static(p, s, &from, &to) : !part_any(p, s, &from, &to, pc)) {
		p->part = UINT64_MAX;
		return false;
	}
	*istart = s->start + from * s->step;
	*iend = to == s->count ? s->end : s->start + to * s->step;
	return true;
}

bool
sl_omp_loop_start(const struct sl_omp_range *r, int schedule, uint64_t chunk, bool ordered, uint64_t *istart,
		  uint64_t *iend, uint64_t pc)
{
	struct sl_omp_place *p = sl_omp_here();
	struct sl_omp_share *s = enter(p);

	if (!s->begun) {
		schedule = schedule_of(schedule, &chunk);
		loop_init(s, r, schedule, chunk);
		s->ordered = ordered;
	}
	p->part = UINT64_MAX;
	return !istart || sl_omp_loop_next(istart, iend, pc);
}

/* The region is one loop, in which the threads begin. */
static void
parallel_loop(void (*function)(void *), void *data, unsigned threads, const struct sl_omp_range *r, int schedule,
	      uint64_t chunk, uint64_t pc)
{
	schedule = schedule_of(schedule, &chunk);
	sl_omp_begin(function, data, threads, pc);

	struct sl_omp_team *team = sl_omp_here()->team;
	struct sl_omp_share *s = share_new(team);

	loop_init(s, r, schedule, chunk);
	for (uint32_t i = 0; i < team->size; i++) {
		team->places[i].share = s;
		team->places[i].shares = 1;
		team->places[i].part = UINT64_MAX;
	}
	sl_omp_start();
}

#define LOOP_NEXT(name)                                                                                           \
	SL_OMP(bool, GOMP_loop_##name##_next, long *istart, long *iend)                                           \
	{                                                                                                         \
		return sl_omp_loop_next(SL_OMP_OUT(istart, iend));                                                \
	}                                                                                                         \
	SL_OMP(bool, GOMP_loop_ull_##name##_next, ull *istart, ull *iend)                                         \
	{                                                                                                         \
		return sl_omp_loop_next(SL_OMP_OUT(istart, iend));                                                \
	}
#define LOOP(name, schedule, ordered)                                                                             \
	SL_OMP(bool, GOMP_loop_##name##_start, long start, long end, long step, long chunk, long *istart,         \
	       long *iend)                                                                                        \
	{                                                                                                         \
		return sl_omp_loop_start(SL_OMP_SIGNED(start, end, step), schedule, (uint64_t)chunk, ordered,     \
					 SL_OMP_OUT(istart, iend));                                               \
	}                                                                                                         \
	SL_OMP(bool, GOMP_loop_ull_##name##_start, bool up, ull start, ull end, ull step, ull chunk, ull *istart, \
	       ull *iend)                                                                                         \
	{                                                                                                         \
		return sl_omp_loop_start(SL_OMP_UNSIGNED(up, start, end, step), schedule, chunk, ordered,         \
					 SL_OMP_OUT(istart, iend));                                               \
	}                                                                                                         \
	LOOP_NEXT(name)
#define LOOP_RUNTIME(name, ordered)                                                                               \
	SL_OMP(bool, GOMP_loop_##name##_start, long start, long end, long step, long *istart, long *iend)         \
	{                                                                                                         \
		return sl_omp_loop_start(SL_OMP_SIGNED(start, end, step), 0, 0, ordered,                          \
					 SL_OMP_OUT(istart, iend));                                               \
	}                                                                                                         \
	SL_OMP(bool, GOMP_loop_ull_##name##_start, bool up, ull start, ull end, ull step, ull *istart, ull *iend) \
	{                                                                                                         \
		return sl_omp_loop_start(SL_OMP_UNSIGNED(up, start, end, step), 0, 0, ordered,                    \
					 SL_OMP_OUT(istart, iend));                                               \
	}                                                                                                         \
	LOOP_NEXT(name)

LOOP(static, SL_OMP_STATIC, false)
LOOP(dynamic, SL_OMP_DYNAMIC, false)
LOOP(guided, SL_OMP_GUIDED, false)
LOOP(nonmonotonic_dynamic, SL_OMP_DYNAMIC, false)
LOOP(nonmonotonic_guided, SL_OMP_GUIDED, false)
LOOP(ordered_static, SL_OMP_STATIC, true)
LOOP(ordered_dynamic, SL_OMP_DYNAMIC, true)
LOOP(ordered_guided, SL_OMP_GUIDED, true)
LOOP_RUNTIME(runtime, false)
LOOP_RUNTIME(nonmonotonic_runtime, false)
LOOP_RUNTIME(maybe_nonmonotonic_runtime, false)
LOOP_RUNTIME(ordered_runtime, true)

/* The older interface: the caller runs the function itself, and calls GOMP_parallel_end(). */
#define PARALLEL_LOOP(name, schedule, parameters, chunk)                                                          \
	SL_OMP(void, GOMP_parallel_loop_##name, void (*function)(void *), void *data, unsigned threads,           \
	       long start, long end, long step, SL_STRIP parameters unsigned flags)                               \
	{                                                                                                         \
		(void)flags;                                                                                      \
		parallel_loop(function, data, threads, SL_OMP_SIGNED(start, end, step), schedule, chunk, SL_PC);  \
		function(data);                                                                                   \
		sl_omp_end(SL_PC);                                                                                \
	}
#define PARALLEL_LOOP_START(name, schedule, ...)                                                                  \
	SL_OMP(void, GOMP_parallel_loop_##name##_start, void (*function)(void *), void *data, unsigned threads,   \
	       long start, long end, long step __VA_OPT__(, long) __VA_ARGS__)                                    \
	{                                                                                                         \
		parallel_loop(function, data, threads, SL_OMP_SIGNED(start, end, step), schedule,                 \
			      (uint64_t)(0 __VA_OPT__(+) __VA_ARGS__), SL_PC);                                    \
	}

PARALLEL_LOOP(static, SL_OMP_STATIC, (long chunk, ), (uint64_t)chunk)
PARALLEL_LOOP(dynamic, SL_OMP_DYNAMIC, (long chunk, ), (uint64_t)chunk)
PARALLEL_LOOP(guided, SL_OMP_GUIDED, (long chunk, ), (uint64_t)chunk)
PARALLEL_LOOP(nonmonotonic_dynamic, SL_OMP_DYNAMIC, (long chunk, ), (uint64_t)chunk)
PARALLEL_LOOP(nonmonotonic_guided, SL_OMP_GUIDED, (long chunk, ), (uint64_t)chunk)
PARALLEL_LOOP(runtime, 0, (), 0)
PARALLEL_LOOP(nonmonotonic_runtime, 0, (), 0)
PARALLEL_LOOP(maybe_nonmonotonic_runtime, 0, (), 0)
PARALLEL_LOOP_START(static, SL_OMP_STATIC, chunk)
PARALLEL_LOOP_START(dynamic, SL_OMP_DYNAMIC, chunk)
PARALLEL_LOOP_START(guided, SL_OMP_GUIDED, chunk)
PARALLEL_LOOP_START(runtime, 0)

SL_OMP(void, GOMP_loop_end, void)
{
	leave(sl_omp_here());
	sl_omp_barrier(SL_PC);
}

SL_OMP(bool, GOMP_loop_end_cancel, void)
{
	leave(sl_omp_here());
	sl_omp_barrier(SL_PC);
	return false;
}

SL_OMP(void, GOMP_loop_end_nowait, void)
{
	leave(sl_omp_here());
}

/* ---- ordered ---- */

SL_OMP(void, GOMP_ordered_start, void)
{
	struct sl_omp_place *p = sl_omp_here();

	if (!p->share || !p->share->ordered)
		return;
	await_turn(p, SL_PC);
	sl_learn(&p->share->before);
}

SL_OMP(void, GOMP_ordered_end, void)
{
	struct sl_omp_place *p = sl_omp_here();

	if (p->share && p->share->ordered)
		sl_show(&p->share->before);
}

/* ---- sections ---- */

static unsigned
section_next(uint64_t pc)
{
	struct sl_omp_share *s = sl_omp_here()->share;

	point(s, s->count, pc);
	if (s->taken == s->count)
		return 0;
	sl_changed(true);
	return (unsigned)++s->taken;
}

SL_OMP(unsigned, GOMP_sections_start, unsigned count)
{
	struct sl_omp_share *s = enter(sl_omp_here());

	s->count = count;
	return section_next(SL_PC);
}

SL_OMP(unsigned, GOMP_sections2_start, unsigned count, uint64_t *reductions, void **memory)
{
	struct sl_omp_share *s = enter(sl_omp_here());

	s->count = count;
	sl_omp_share_memory(s, reductions, memory, SL_PC);
	return section_next(SL_PC);
}

SL_OMP(unsigned, GOMP_sections_next, void)
{
	return section_next(SL_PC);
}

static void
parallel_sections(void (*function)(void *), void *data, unsigned threads, unsigned count, uint64_t pc)
{
	sl_omp_begin(function, data, threads, pc);

	struct sl_omp_team *team = sl_omp_here()->team;
	struct sl_omp_share *s = share_new(team);

	s->count = count;
	for (uint32_t i = 0; i < team->size; i++) {
		team->places[i].share = s;
		team->places[i].shares = 1;
	}
	sl_omp_start();
}

SL_OMP(void, GOMP_parallel_sections, void (*function)(void *), void *data, unsigned threads, unsigned count,
       unsigned flags)
{
	(void)flags;
	parallel_sections(function, data, threads, count, SL_PC);
	function(data);
	sl_omp_end(SL_PC);
}

SL_OMP(void, GOMP_parallel_sections_start, void (*function)(void *), void *data, unsigned threads, unsigned count)
{
	parallel_sections(function, data, threads, count, SL_PC);
}

SL_OMP(void, GOMP_sections_end, void)
{
	leave(sl_omp_here());
	sl_omp_barrier(SL_PC);
}

SL_OMP(bool, GOMP_sections_end_cancel, void)
{
	leave(sl_omp_here());
	sl_omp_barrier(SL_PC);
	return false;
}

SL_OMP(void, GOMP_sections_end_nowait, void)
{
	leave(sl_omp_here());
}

/* ---- single ---- */

static bool
is_first(struct sl_omp_share *s, uint64_t pc)
{
	point(s, 1, pc);
	if (s->taken)
		return false;
	sl_changed(true);
	s->taken = 1;
	return true;
}

SL_OMP(bool, GOMP_single_start, void)
{
	struct sl_omp_place *p = sl_omp_here();
	bool first = is_first(enter(p), SL_PC);

	leave(p);
	return first;
}

/* Returns NULL if this thread executes the region; else the data that the executing thread has copied. */
SL_OMP(void *, GOMP_single_copy_start, void)
{
	struct sl_omp_place *p = sl_omp_here();
	struct sl_omp_share *s = enter(p);
	void *copy;

	if (is_first(s, SL_PC))
		return NULL;
	sl_omp_barrier(SL_PC);
	copy = s->copy;
	leave(p);
	return copy;
}

SL_OMP(void, GOMP_single_copy_end, void *copy)
{
	struct sl_omp_place *p = sl_omp_here();

	p->share->copy = copy;
	sl_omp_barrier(SL_PC);
	leave(p);
}
