/*
 * OpenMP: loops with further requirements: memory for all their threads (lastprivate(conditional:)), and
 * iterations that wait for others (ordered(n) with depend).
 *
 * An iteration that posts stores its clock, for those that wait for this one.
 */
#include "engine/core/block.h"
#include "engine/model/openmp/openmp.h"
#include "engine/under/poison.h"

#define ITERATIONS_MAX (1ul << 20) /* in all dimensions together */
#define SCHEDULE 7                 /* the bits of a schedule without modifiers */

void
sl_omp_share_memory(struct sl_omp_share *s, const uint64_t *reductions, void **memory, uint64_t pc)
{
	if (reductions)
		sl_unsupported("a loop or sections with a reduction that tasks take part in", pc);
	if (!memory)
		return;
	if (!s->memory) {
		uint64_t size = (uint64_t)*memory;

		s->memory = sl_heap_allocate(size ? size : 1, 16, SL_BLOCK_MALLOC, pc);
		sl_memset(s->memory, 0, size);
	}
	*memory = s->memory;
}

/* Both "runtime" and "auto" use the schedule that was set. */
static int
schedule_of(long schedule)
{
	return (schedule & SCHEDULE) == SL_OMP_AUTO ? 0 : (int)(schedule & SCHEDULE);
}

static bool
begin(const struct sl_omp_range *range, long schedule, uint64_t chunk, bool ordered, uint64_t *istart,
      uint64_t *iend, const uint64_t *reductions, void **memory, uint64_t pc)
{
	sl_omp_loop_start(range, schedule_of(schedule), chunk, ordered, NULL, NULL, pc);
	sl_omp_share_memory(sl_omp_here()->share, reductions, memory, pc);
	return !istart || sl_omp_loop_next(istart, iend, pc);
}

#define LOOP(name, ordered)                                                                                       \
	SL_OMP(bool, GOMP_loop_##name, long start, long end, long step, long schedule, long chunk, long *istart,  \
	       long *iend, uint64_t *reductions, void **memory)                                                   \
	{                                                                                                         \
		return begin(SL_OMP_SIGNED(start, end, step), schedule, (uint64_t)chunk, ordered,                 \
			     (uint64_t *)istart, (uint64_t *)iend, reductions, memory, SL_PC);                    \
	}                                                                                                         \
	SL_OMP(bool, GOMP_loop_ull_##name, bool up, ull start, ull end, ull step, long schedule, ull chunk,       \
	       ull *istart, ull *iend, uint64_t *reductions, void **memory)                                       \
	{                                                                                                         \
		return begin(SL_OMP_UNSIGNED(up, start, end, step), schedule, chunk, ordered, (uint64_t *)istart, \
			     (uint64_t *)iend, reductions, memory, SL_PC);                                        \
	}

LOOP(start, false)
LOOP(ordered_start, true)

/* ---- iterations that wait for others ---- */

static bool
across(unsigned dimensions, const uint64_t *extents, long schedule, uint64_t chunk, uint64_t *istart,
       uint64_t *iend, const uint64_t *reductions, void **memory, uint64_t pc)
{
	struct sl_omp_range range = {0, extents[0], 1, true, true};
	struct sl_omp_share *s;

	sl_omp_loop_start(&range, schedule_of(schedule), chunk, false, NULL, NULL, pc);
	s = sl_omp_here()->share;
	if (!s->posted) {
		uint64_t total = 1;

		s->dimensions = dimensions;
		s->extents = sl_scratch_alloc(dimensions * sizeof(*extents));
		for (unsigned i = 0; i < dimensions; i++) {
			s->extents[i] = extents[i];
			if (__builtin_mul_overflow(total, extents[i], &total) || total > ITERATIONS_MAX)
				sl_trouble(SL_TROUBLE_LIMIT, pc, "iterations of an OpenMP loop with depend");
		}
		s->posted = sl_scratch_alloc((total ? total : 1) * sizeof(*s->posted));
	}
	sl_omp_share_memory(s, reductions, memory, pc);
	return !istart || sl_omp_loop_next(istart, iend, pc);
}

#define ACROSS(name, schedule)                                                                                    \
	SL_OMP(bool, GOMP_loop_doacross_##name##_start, unsigned dimensions, uint64_t *extents, uint64_t chunk,   \
	       uint64_t *istart, uint64_t *iend)                                                                  \
	{                                                                                                         \
		return across(dimensions, extents, schedule, chunk, istart, iend, NULL, NULL, SL_PC);             \
	}                                                                                                         \
	SL_OMP(bool, GOMP_loop_ull_doacross_##name##_start, unsigned dimensions, uint64_t *extents,               \
	       uint64_t chunk, uint64_t *istart, uint64_t *iend)                                                  \
	{                                                                                                         \
		return across(dimensions, extents, schedule, chunk, istart, iend, NULL, NULL, SL_PC);             \
	}
#define ACROSS_MORE(name)                                                                                         \
	SL_OMP(bool, name##runtime_start, unsigned dimensions, uint64_t *extents, uint64_t *istart,               \
	       uint64_t *iend)                                                                                    \
	{                                                                                                         \
		return across(dimensions, extents, 0, 0, istart, iend, NULL, NULL, SL_PC);                        \
	}                                                                                                         \
	SL_OMP(bool, name##start, unsigned dimensions, uint64_t *extents, long schedule, uint64_t chunk,          \
	       uint64_t *istart, uint64_t *iend, uint64_t *reductions, void **memory)                             \
	{                                                                                                         \
		return across(dimensions, extents, schedule, chunk, istart, iend, reductions, memory, SL_PC);     \
	}

ACROSS(static, SL_OMP_STATIC)
ACROSS(dynamic, SL_OMP_DYNAMIC)
ACROSS(guided, SL_OMP_GUIDED)
ACROSS_MORE(GOMP_loop_doacross_)
ACROSS_MORE(GOMP_loop_ull_doacross_)

static void
post(const uint64_t *iteration)
{
	struct sl_omp_place *p = sl_omp_here();
	struct sl_omp_share *s = p->share;
	uint64_t at = 0;

	for (unsigned i = 0; i < s->dimensions; i++)
		at = at * s->extents[i] + iteration[i];
	if (!s->posted[at]) {
		s->posted[at] = sl_scratch_alloc(sizeof(**s->posted));
		sl_clock_reset(s->posted[at]);
	}
	sl_show(s->posted[at]);
	sl_changed(true);
	sl_object_changed(p->team->object);
}

/* The compiler ensures that the iteration exists. */
static void
await_iteration(uint64_t first, va_list rest, uint64_t pc)
{
	struct sl_omp_place *p = sl_omp_here();
	struct sl_omp_share *s = p->share;
	uint64_t at = first;

	for (unsigned i = 1; i < s->dimensions; i++)
		at = at * s->extents[i] + va_arg(rest, uint64_t);
	p->sink = at + 1;
	sl_announce(SL_ORDERED, s->address, pc);
	sl_omp_await(p->team->object, false);
	sl_note(at);
	p->sink = 0;
	sl_learn(s->posted[at]);
}

SL_OMP(void, GOMP_doacross_post, uint64_t *iteration)
{
	post(iteration);
}

SL_OMP(void, GOMP_doacross_ull_post, uint64_t *iteration)
{
	post(iteration);
}

SL_OMP(void, GOMP_doacross_wait, uint64_t first, ...)
{
	va_list rest;

	va_start(rest, first);
	await_iteration(first, rest, SL_PC);
	va_end(rest);
}

SL_OMP(void, GOMP_doacross_ull_wait, uint64_t first, ...)
{
	va_list rest;

	va_start(rest, first);
	await_iteration(first, rest, SL_PC);
	va_end(rest);
}
