/*
 * OpenMP: teams of threads, their barrier, and their settings. openmp.h has an overview.
 *
 * Arriving at a barrier is not a point of choice: no thread can observe which one was first. The leaving threads
 * continue, one by one, to their next operation, as with pthread_barrier_wait(). Waiting threads may take tasks,
 * which is a choice.
 */
#include "base/text.h"
#include "engine/model/openmp/openmp.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include "engine/core/debugger.h"
#include "engine/core/step.h"
#include "engine/under/poison.h"

#define FEW 32   /* leaving threads for which the list is on the stack */
#define COUNTS 8 /* entries of OMP_NUM_THREADS, one for each level */

bool sl_omp_cancellation;
int sl_omp_max_priority;
uint32_t sl_omp_threads_before;
static struct sl_omp_settings initial;
static uint32_t counts[COUNTS], counts_used;
static uint32_t sequence; /* the execution to which these belong */

/* ---- the real functions ---- */

extern struct sl_omp_entry __start_sl_omp_entries[] __attribute__((visibility("hidden")));
extern struct sl_omp_entry __stop_sl_omp_entries[] __attribute__((visibility("hidden")));

static void
missing(void)
{
	static const char text[] = "sleave: an OpenMP function was called, but there is no libgomp\n";

	sl_raw(SYS_write, 2, text, sizeof(text) - 1);
	sl_raw(SYS_exit_group, 3);
}

/* The linker may have dropped the runtime as unneeded, or only a plugin needs it: then it is loaded now. */
void
sl_omp_boot(void)
{
	void *libraries[2] = {NULL, NULL};
	bool tried[2] = {false, false};

	/* cppcheck-suppress comparePointers; the linker's names for the ends of one array */
	for (struct sl_omp_entry *e = __start_sl_omp_entries; e < __stop_sl_omp_entries; e++) {
		int clang = e->name[0] == '_';

		if (!e->real)
			e->real = dlsym(RTLD_NEXT, e->name);
		if (!e->real && !tried[clang]) {
			libraries[clang] = sl_real_dlopen(clang ? "libomp.so.5" : "libgomp.so.1", RTLD_LAZY);
			tried[clang] = true;
		}
		if (!e->real && libraries[clang])
			e->real = dlsym(libraries[clang], e->name);
		if (!e->real)
			e->real = (void *)missing;
	}
}

/* ---- settings ---- */

/* Resolved once: a failed lookup allocates memory each time. */
enum { LEVELS, LIMIT, DYNAMIC, CANCELLATION, PRIORITY, SCHEDULE, QUESTIONS };
static void *questions[QUESTIONS];
static bool looked_up;

static void
look_up(void)
{
	static const char *const names[QUESTIONS] = {
		[LEVELS] = "omp_get_max_active_levels",
		[LIMIT] = "omp_get_thread_limit",
		[DYNAMIC] = "omp_get_dynamic",
		[CANCELLATION] = "omp_get_cancellation",
		[PRIORITY] = "omp_get_max_task_priority",
		[SCHEDULE] = "omp_get_schedule",
	};

	for (int i = 0; i < QUESTIONS && !looked_up; i++)
		questions[i] = dlsym(RTLD_NEXT, names[i]);
	looked_up = true;
}

static int
ask(int which)
{
	return questions[which] ? ((int (*)(void))questions[which])() : 0;
}

/* Read at the start, as in libgomp: later changes by the program have no effect. */
__attribute__((constructor)) static void
read_counts(void)
{
	const char *text = getenv("OMP_NUM_THREADS");

	while (text && *text && counts_used < COUNTS) {
		uint32_t n = 0;

		while (*text == ' ')
			text++;
		while (*text >= '0' && *text <= '9' && n < SL_THREADS_MAX)
			n = n * 10 + (uint32_t)(*text++ - '0');
		while (*text && *text != ',')
			text++;
		if (*text)
			text++;
		if (!n)
			break;
		counts[counts_used++] = n;
	}
}

/* libgomp has read the rest of the environment before main(), and has the settings from outside of control. */
static void
settle(void)
{
	int kind = SL_OMP_DYNAMIC, chunk = 1;

	sequence = E.sequence;
	E.control = false;
	look_up();
	if (questions[SCHEDULE])
		((void (*)(int *, int *))questions[SCHEDULE])(&kind, &chunk);
	initial = (struct sl_omp_settings){
		.threads = sl_omp_threads_before ? sl_omp_threads_before
			   : counts_used         ? counts[0]
						 : SL_OMP_DEFAULT,
		.levels = (uint32_t)ask(LEVELS),
		.limit = (uint32_t)ask(LIMIT),
		.schedule = kind & 7,
		.schedule_bits = (unsigned)kind & ~7u,
		.chunk = chunk,
		.dynamic = ask(DYNAMIC),
	};
	sl_omp_cancellation = ask(CANCELLATION);
	sl_omp_max_priority = ask(PRIORITY);
	E.control = true;
	if (!initial.levels)
		initial.levels = 1;
	if (!initial.limit)
		initial.limit = INT32_MAX;
}

/* ---- places ---- */

static struct sl_omp *
of_thread(struct sl_thread *t)
{
	if (sequence != E.sequence)
		settle();
	if (!t->omp) {
		t->omp = sl_scratch_alloc(sizeof(*t->omp));
		t->omp->teams = 1;
	}
	return t->omp;
}

static void
task_init(struct sl_omp_task *task, const struct sl_omp_settings *settings)
{
	*task = (struct sl_omp_task){.settings = *settings};
	sl_clock_reset(&task->begins);
	sl_clock_reset(&task->ends);
}

/* The team for regions of this level that the running thread begins. */
static struct sl_omp_team *
team_of(struct sl_omp *omp, uint32_t level, uint32_t size, uint64_t pc)
{
	struct sl_omp_team *team;

	if (level >= SL_OMP_LEVELS)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "levels of parallel regions");
	team = omp->crews[level].team;
	if (!team) {
		team = omp->crews[level].team = sl_scratch_alloc(sizeof(*team));
		team->level = level;
		team->address = SL_TEAM_ADDRESS + ((uint64_t)E.current->id * SL_OMP_LEVELS + level) * SL_TEAM_SIZE;
		team->object = sl_object_peek((void *)team->address, SL_OBJECT_TEAM);
	}
	if (size > team->room) {
		team->room = size;
		team->places = sl_scratch_alloc(size * sizeof(*team->places));
	}
	team->size = size;
	team->shares = NULL;
	team->share_count = 0;
	return team;
}

static void
place_init(struct sl_omp_team *team, uint32_t number, const struct sl_omp_settings *settings)
{
	struct sl_omp_place *p = &team->places[number];

	*p = (struct sl_omp_place){.team = team, .number = number, .task = &p->implicit};
	task_init(&p->implicit, settings);
}

struct sl_omp_place *
sl_omp_here(void)
{
	struct sl_omp *omp = of_thread(E.current);

	if (!omp->place) {
		struct sl_omp_team *team = team_of(omp, 0, 1, E.current->op.pc);

		place_init(team, 0, &initial);
		team->places[0].thread = E.current;
		omp->place = team->places;
	}
	return omp->place;
}

/* ---- waiting ---- */

/* For the scheduler: returns whether this thread, which waits for its team, is enabled. */
bool
sl_omp_can_go(const struct sl_thread *t)
{
	const struct sl_omp_place *p = t->omp->place;

	switch (t->op.kind) {
	case SL_WORK_WAIT:
		return t->omp->next || t->omp->dismissed;
	case SL_ORDERED:
		return p->sink ? p->share->posted[p->sink - 1] != NULL : p->share->turn == p->part;
	default:
		return sl_omp_wait_is_over(p) || sl_omp_task_ready((struct sl_omp_place *)p);
	}
}

/* Like sl_await(), but whether it is a point does not depend on the threads that have used the object. */
void
sl_omp_await(struct sl_object *o, bool choice)
{
	struct sl_thread *t = E.current;

	if (likely(!t->interruption.urgent))
		sl_await_once(o, choice);
	while (unlikely(t->interruption.urgent) && !sl_serve())
		sl_await_once(o, choice);
}

/* Lets a thread continue: its condition holds, and it does not matter when it continues. */
static void
let_go(struct sl_thread *t, enum sl_op_kind kind)
{
	sl_waiter_remove(t);
	t->op.kind = (uint8_t)kind;
	t->op.flags = SL_OP_SILENT;
	t->op.index++;
	sl_thread_enable(t, true);
}

/* Threads that continue, one by one, to their next operation. They may wait here again, or begin the next region
 * with the same team, so the list is completed before. */
struct leaving {
	struct sl_thread **threads;
	uint32_t count;
	struct sl_thread *few[FEW];
};

static void
leaving_init(struct leaving *l, const struct sl_omp_team *team)
{
	l->count = 0;
	l->threads = team->size <= FEW ? l->few : sl_scratch_alloc(team->size * sizeof(*l->threads));
}

static void
leaving_add(struct leaving *l, struct sl_thread *t, enum sl_op_kind kind)
{
	let_go(t, kind);
	l->threads[l->count++] = t;
}

static void
leaving_go(struct leaving *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		sl_advance(l->threads[i]);
}

/* Threads of the team may have waited for the last of their tasks. */
void
sl_omp_wake_done(struct sl_omp_team *team)
{
	struct leaving l;

	leaving_init(&l, team);
	for (struct sl_thread *t = team->object->waiters, *next; t; t = next) {
		next = t->waits.next;
		if (t->op.kind == SL_TASK_WAIT && sl_omp_wait_is_over(t->omp->place))
			leaving_add(&l, t, SL_TASK_DONE);
	}
	sl_object_changed(team->object);
	leaving_go(&l);
}

/* ---- the barrier ---- */

/*
 * The order of arrivals does not matter, only that all have arrived, which release() reports; with tasks it may
 * matter.
 */
void
sl_omp_step(const struct sl_thread *t)
{
	E.step.everything |= t->omp->place->team->tasks > 0;
}

/* For partial-order reduction: all later operations of the threads come after the earlier ones of each of them. */
static void
order_all(const struct sl_omp_team *team)
{
	for (uint32_t i = 0; i < team->size; i++)
		for (uint32_t k = 0; k < team->size; k++)
			if (i != k)
				sl_step_ordered(team->places[i].thread->id, team->places[k].thread->id);
}

static void
release(struct sl_omp_team *team)
{
	struct sl_thread *me = E.current;
	struct leaving l;

	leaving_init(&l, team);
	team->arrived = 0;
	team->round++;
	sl_acquire(team->object);
	sl_clock_copy(&sl_thread_clocks(me)->barrier, &team->object->clock);
	for (uint32_t i = 0; i < team->size; i++) {
		struct sl_thread *t = team->places[i].thread;

		if (t == me)
			continue;
		sl_clock_copy(&sl_thread_clocks(t)->barrier, &sl_thread_clocks(me)->barrier);
		if (t->waits.object == team->object && t->op.kind == SL_BARRIER_WAIT)
			leaving_add(&l, t, SL_BARRIER_LEAVE);
	}
	if (unlikely(E.listen.watching))
		order_all(team);
	leaving_go(&l);
}

void
sl_omp_barrier(uint64_t pc)
{
	struct sl_omp_place *p = sl_omp_here();
	struct sl_omp_team *team = p->team;
	struct sl_thread *t = E.current;

	if (team->size == 1 && !team->tasks)
		return;
	sl_announce(SL_BARRIER_WAIT, team->address, pc);
	sl_point_of_release(team->object);
	sl_note(team->arrived);
	sl_show(&team->object->clock);
	team->arrived++;
	p->round = team->round;
	for (;;) {
		struct sl_omp_task *task;

		if (team->arrived == team->size && !team->tasks) {
			release(team);
			return;
		}
		t->op.index++; /* leaving, or taking a task, is another operation */
		p->wait = SL_OMP_WAIT_BARRIER;
		sl_omp_await(team->object, true);
		if (p->round != team->round) {
			sl_learn(&sl_thread_clocks(t)->barrier);
			sl_note(0);
			return;
		}
		task = sl_omp_task_ready(p);
		t->op.kind = SL_TASK_TAKE;
		sl_note(task->number);
		sl_omp_task_run(task, pc);
		if (p->round != team->round) { /* this thread was the last, and all others have left */
			sl_learn(&sl_thread_clocks(t)->barrier);
			return;
		}
		if (team->arrived < team->size || team->tasks) {
			sl_announce(SL_BARRIER_WAIT, team->address, pc);
			sl_no_point();
			sl_note(team->arrived);
		}
	}
}

/* ---- regions ---- */

/*
 * Sets the name "omp worker 12" for stories; threads of libgomp have no names that a program or a schedule could
 * use.
 */
static void
give_name(struct sl_thread *t, uint32_t number)
{
	size_t used = 0;

	sl_text_add(t->called.name, sizeof(t->called.name), &used, "omp worker ");
	sl_text_add_number(t->called.name, sizeof(t->called.name), &used, number % 10000);
	sl_debugger_knows(t);
}

static void *
worker(void *argument)
{
	struct sl_omp_place *p = argument;
	struct sl_thread *t = E.current;
	struct sl_omp *omp = of_thread(t);

	give_name(t, p->number);
	t->ends.detached = true;
	for (; p; p = omp->next) {
		struct sl_omp_team *team = p->team;
		uint64_t pc = team->pc;

		p->thread = t;
		omp->place = p;
		omp->next = NULL;
		t->idle = false;
		team->function(team->data);
		sl_omp_barrier(pc);
		omp->place = NULL;
		sl_announce(SL_WORK_WAIT, team->address + SL_TEAM_DOCK, pc);
		t->idle = true;
		sl_omp_await(sl_object_peek((void *)(team->address + SL_TEAM_DOCK), SL_OBJECT_TEAM), false);
		if (omp->dismissed)
			return NULL;
		sl_learn(&sl_thread_clocks(t)->barrier);
		sl_note(0);
	}
	return NULL;
}

static uint32_t
resolve(const struct sl_omp_place *p, unsigned asked)
{
	uint32_t n = asked ? asked : p->task->settings.threads;

	if (p->team->active >= p->task->settings.levels)
		n = 1;
	if (n > p->task->settings.limit)
		n = p->task->settings.limit;
	return n ? n : 1;
}

void
sl_omp_begin(void (*function)(void *), void *data, unsigned threads, uint64_t pc)
{
	struct sl_omp_place *p = sl_omp_here();
	struct sl_omp *omp = E.current->omp;
	uint32_t n = resolve(p, threads), level = p->team->level + 1;
	struct sl_omp_team *team = team_of(omp, level, n, pc);
	struct sl_omp_settings settings = p->task->settings;

	if (level < counts_used)
		settings.threads = counts[level];
	sl_announce(SL_PARALLEL, 0, pc);
	sl_no_point();
	sl_note(n);
	team->active = p->team->active + (n > 1);
	team->function = function;
	team->data = data;
	team->pc = pc;
	team->begun_by = p;
	for (uint32_t i = 0; i < n; i++)
		place_init(team, i, &settings);
	team->places[0].thread = E.current;
	team->places[0].outer = p;
	omp->place = &team->places[0];
}

/* Starts the threads; separate from sl_omp_begin() because a share may be prepared before. */
void
sl_omp_start(void)
{
	struct sl_omp_team *team = E.current->omp->place->team;
	struct sl_omp_crew *crew = &E.current->omp->crews[team->level];

	if (team->size - 1 > crew->room) {
		struct sl_thread **more = sl_scratch_alloc(team->size * sizeof(*more));

		for (uint32_t i = 0; i < crew->count; i++)
			more[i] = crew->workers[i];
		crew->workers = more;
		crew->room = team->size;
	}
	for (uint32_t i = 0; i + 1 < team->size; i++) {
		struct sl_omp_place *p = &team->places[i + 1];

		if (i == crew->count) {
			sl_thread_make(worker, p, team->pc);
			crew->workers[crew->count++] = p->thread;
			continue;
		}
		struct sl_thread *t = p->thread = crew->workers[i];

		t->omp->next = p;
		sl_clock_reset(&sl_thread_clocks(t)->barrier);
		sl_show(&sl_thread_clocks(t)->barrier);
		sl_order_event(E.current->id, t->id);
		if (t->waits.object && t->idle) { /* otherwise it has not arrived yet */
			let_go(t, SL_START);
			sl_advance(t);
		}
	}
}

void
sl_omp_end(uint64_t pc)
{
	struct sl_omp *omp = E.current->omp;
	struct sl_omp_team *team = omp->place->team;

	sl_omp_barrier(pc);
	for (uint32_t i = 1; i < team->size; i++)
		sl_order_event(team->places[i].thread->id, E.current->id);
	omp->place = team->begun_by;
}

/* The running thread ends: its workers get no more work. */
void
sl_omp_leave(void)
{
	struct sl_omp *omp = E.current->omp;

	for (uint32_t level = 0; omp && level < SL_OMP_LEVELS; level++) {
		uint32_t count = omp->crews[level].count;

		omp->crews[level].count = 0;
		for (uint32_t i = 0; i < count; i++) {
			struct sl_thread *t = omp->crews[level].workers[i];

			t->omp->dismissed = true;
			if (t->waits.object && t->idle) {
				let_go(t, SL_START);
				sl_advance(t);
			}
		}
	}
}
