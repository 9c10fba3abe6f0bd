/*
 * OpenMP: tasks.
 *
 * A waiting thread of the team takes a task: at a barrier the oldest, at a taskwait the youngest child of the
 * waiting task, at the end of a taskgroup the youngest of the group, as in libgomp. Which thread takes it is a
 * choice. Creating a task is not a choice, unless tasks have priorities: it only enables other threads. Creating a
 * task happens before the task; its end happens before the return of the threads that wait for it, and before
 * tasks that depend on it.
 */
#include "engine/core/block.h"
#include "engine/model/openmp/openmp.h"
#include "engine/under/poison.h"

/* flags of GOMP_task() and GOMP_taskloop() */
#define FINAL 2u
#define DEPEND 8u
#define UP 256u
#define GRAINSIZE 512u
#define IF 1024u
#define NOGROUP 2048u
#define REDUCTION 4096u
#define DETACH 8192u
#define STRICT 16384u

#define QUEUED_MAX 64 /* for each thread of a team; further tasks are executed immediately, as in libgomp */

static struct sl_omp_task *free_tasks;
static uint32_t sequence; /* the execution to which these belong */

/* ---- lifetime ---- */

static struct sl_omp_task *
task_new(struct sl_omp_place *p)
{
	struct sl_omp_task *task, *parent = p->task;

	if (sequence != E.sequence) {
		sequence = E.sequence;
		free_tasks = NULL;
	}
	task = free_tasks;
	if (task)
		free_tasks = task->next;
	else
		task = sl_scratch_alloc(sizeof(*task));
	*task = (struct sl_omp_task){
		.settings = parent->settings,
		.parent = parent,
		.group = parent->group,
		.final = parent->final,
		.number = ++p->team->made,
	};
	sl_clock_reset(&task->begins);
	sl_clock_reset(&task->ends);
	return task;
}

/* A task is freed when it has no children any more, which refer to it. */
static void
forget(struct sl_omp_task *task)
{
	if (!task->parent || !task->ended || task->children)
		return;
	task->next = free_tasks;
	free_tasks = task;
}

static void
enqueue(struct sl_omp_team *team, struct sl_omp_task *task)
{
	struct sl_omp_task *after = team->last;

	while (after && after->priority < task->priority)
		after = after->before;
	task->before = after;
	task->next = after ? after->next : team->first;
	*(task->next ? &task->next->before : &team->last) = task;
	*(after ? &after->next : &team->first) = task;
	task->parent->ready++;
	if (task->group)
		task->group->ready++;
	E.step.everything = true; /* the order of the queue changes */
	sl_object_changed(team->object);
}

static void
dequeue(struct sl_omp_team *team, struct sl_omp_task *task)
{
	*(task->next ? &task->next->before : &team->last) = task->before;
	*(task->before ? &task->before->next : &team->first) = task->next;
	task->parent->ready--;
	if (task->group)
		task->group->ready--;
	E.step.everything = true;
	for (struct sl_thread *t = team->object->waiters; t; t = t->waits.next)
		E.step.last |= E.ready.places[t->id] !=
			       SL_NOWHERE; /* the thread could have taken the task, and continues otherwise */
	sl_object_changed(team->object);
}

/* Tasks that depend on this one join its clock, and may become ready. */
static void
serve_successors(struct sl_omp_team *team, struct sl_omp_task *task)
{
	for (struct sl_omp_successor *s = task->successors; s; s = s->next) {
		sl_show(&s->task->begins);
		if (--s->task->awaits == 0 && s->task->function)
			enqueue(team, s->task);
	}
	for (struct sl_omp_task **at = &task->parent->siblings; *at; at = &(*at)->sibling) {
		if (*at == task) {
			*at = task->sibling;
			break;
		}
	}
}

/* The running thread has executed the task. */
static void
finish(struct sl_omp_team *team, struct sl_omp_task *task, bool deferred)
{
	struct sl_omp_task *parent = task->parent;

	task->ended = true;
	if (task->dependence_count)
		serve_successors(team, task);
	if (deferred) {
		sl_show(&team->object->clock); /* to be joined at the next barrier */
		sl_show(&parent->ends);
		parent->children--;
		if (task->group) {
			sl_show(&task->group->ends);
			task->group->tasks--;
		}
		team->tasks--;
	}
	forget(task);
	if (deferred)
		forget(parent);
	sl_changed(true);
	sl_omp_wake_done(team);
}

/* Takes the task from the queue and executes it, within the thread's current task. */
void
sl_omp_task_run(struct sl_omp_task *task, uint64_t pc)
{
	struct sl_omp_place *p = sl_omp_here();
	struct sl_omp_task *before = p->task;

	dequeue(p->team, task);
	sl_learn(&task->begins);
	p->task = task;
	task->function(task->argument);
	p->task = before;
	if (task->argument)
		sl_heap_release(task->argument, SL_BLOCK_MALLOC, pc);
	finish(p->team, task, true);
}

/* ---- waiting ---- */

bool
sl_omp_wait_is_over(const struct sl_omp_place *p)
{
	switch (p->wait) {
	case SL_OMP_WAIT_CHILDREN:
		return !p->task->children;
	case SL_OMP_WAIT_GROUP:
		return !p->task->group->tasks;
	case SL_OMP_WAIT_DEPENDENCES:
		return !p->awaited->awaits;
	default:
		return p->round != p->team->round;
	}
}

/* Returns the task that a thread waiting there may take. */
struct sl_omp_task *
sl_omp_task_ready(struct sl_omp_place *p)
{
	struct sl_omp_task *task = p->team->last;

	if (p->wait == SL_OMP_WAIT_BARRIER)
		return p->team->first;
	if (!(p->wait == SL_OMP_WAIT_GROUP ? p->task->group->ready : p->task->ready))
		return NULL;
	while (p->wait == SL_OMP_WAIT_GROUP ? task->group != p->task->group : task->parent != p->task)
		task = task->before;
	return task;
}

static void
wait(struct sl_omp_place *p, enum sl_omp_wait what, struct sl_omp_task *awaited, uint64_t pc)
{
	for (;;) {
		struct sl_omp_task *task;

		p->wait = what;
		p->awaited = awaited;
		if (sl_omp_wait_is_over(p))
			return;
		sl_announce(SL_TASK_WAIT, p->team->address, pc);
		sl_omp_await(p->team->object, true);
		if (sl_omp_wait_is_over(p)) {
			sl_note(0);
			return;
		}
		task = sl_omp_task_ready(p);
		E.current->op.kind = SL_TASK_TAKE;
		sl_note(task->number);
		sl_omp_task_run(task, pc);
	}
}

/* ---- dependences ---- */

#define IN 1 /* the kind of dependence that reads its object; all others write */

/* Reads the compiler's list of dependences: first the numbers of each kind, then addresses. */
static void
read_dependences(struct sl_omp_task *task, void **depend)
{
	uint64_t total = (uint64_t)depend[0], out = (uint64_t)depend[1], plain = total;
	void **first = depend + 2;

	if (!total) {
		total = (uint64_t)depend[1];
		out = (uint64_t)depend[2] + (uint64_t)depend[3];
		plain = out + (uint64_t)depend[4];
		first = depend + 5;
	}
	task->dependence_count = (uint32_t)total;
	task->dependences = sl_scratch_alloc(total * sizeof(*task->dependences));
	for (uint64_t i = 0; i < total; i++) {
		void **held = first[i];

		if (i < plain)
			task->dependences[i] = (struct sl_omp_dependence){first[i], i < out};
		else
			task->dependences[i] = (struct sl_omp_dependence){held[0], (uint64_t)held[1] != IN};
	}
}

static bool
depends(const struct sl_omp_task *task, const struct sl_omp_task *on)
{
	for (uint32_t i = 0; i < task->dependence_count; i++)
		for (uint32_t k = 0; k < on->dependence_count; k++)
			if (task->dependences[i].address == on->dependences[k].address &&
			    (task->dependences[i].out || on->dependences[k].out))
				return true;
	return false;
}

static void
depend_on_siblings(struct sl_omp_task *task)
{
	for (struct sl_omp_task *other = task->parent->siblings; other; other = other->sibling) {
		if (!depends(task, other))
			continue;
		struct sl_omp_successor *s = sl_scratch_alloc(sizeof(*s));

		*s = (struct sl_omp_successor){task, other->successors};
		other->successors = s;
		task->awaits++;
	}
}

static void
become_sibling(struct sl_omp_task *task)
{
	task->sibling = task->parent->siblings;
	task->parent->siblings = task;
}

/* ---- creating tasks ---- */

static void *
argument_copy(void *data, void (*copy)(void *, void *), long size, long align, uint64_t pc)
{
	void *argument = sl_heap_allocate((size_t)size, align > 16 ? (size_t)align : 16, SL_BLOCK_MALLOC, pc);

	if (copy)
		copy(argument, data);
	else
		sl_memcpy(argument, data, (size_t)size);
	return argument;
}

/* Executes the task immediately, by the running thread. */
static void
perform(struct sl_omp_place *p, struct sl_omp_task *task, void (*function)(void *), void *data)
{
	struct sl_omp_task *before = p->task;

	p->task = task;
	function(data);
	p->task = before;
	finish(p->team, task, false);
}

static bool
is_deferred(const struct sl_omp_place *p, bool wanted, uint64_t more)
{
	if (!wanted || !p->team->level || p->task->final)
		return false;
	if (p->team->tasks + more <= (uint64_t)QUEUED_MAX * p->team->size)
		return true;
	sl_watch(p->team->address); /* the result depends on whether other threads have taken tasks */
	return false;
}

/* Puts the task into the queue, for other threads to take. */
static void
defer(struct sl_omp_place *p, struct sl_omp_task *task, void (*function)(void *), void *argument, uint64_t pc)
{
	struct sl_omp_team *team = p->team;

	sl_announce(SL_TASK, team->address, pc);
	if (task->priority)
		sl_watch(team->address); /* its time of creation affects which task is taken */
	if (sl_everywhere() || sl_watched(team->address) || E.current->interruption.exposed)
		sl_point();
	else
		sl_no_point();
	sl_note(task->number);
	task->function = function;
	task->argument = argument;
	sl_show(&task->begins); /* its argument is complete now */
	task->parent->children++;
	team->tasks++;
	if (task->group)
		task->group->tasks++;
	sl_changed(true);
	if (task->dependence_count)
		depend_on_siblings(task), become_sibling(task);
	if (!task->awaits)
		enqueue(team, task);
}

static int
limit_priority(int priority)
{
	return priority > sl_omp_max_priority ? sl_omp_max_priority : priority;
}

SL_OMP(void, GOMP_task, void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long align,
       bool wanted, unsigned flags, void **depend, int priority, void *detach)
{
	struct sl_omp_place *p = sl_omp_here();
	struct sl_omp_task *task;
	uint64_t pc = SL_PC;

	(void)detach;
	if (flags & DETACH)
		sl_unsupported("GOMP_task with a detach clause", pc);
	task = task_new(p);
	task->priority = limit_priority(flags & 16 ? priority : 0);
	if (flags & DEPEND && p->team->level)
		read_dependences(task, depend);
	if (is_deferred(p, wanted, 1)) {
		void *argument = size ? argument_copy(data, copy, size, align, pc) : NULL;

		task->final = flags & FINAL;
		defer(p, task, function, argument, pc);
		return;
	}
	task->final |= !!(flags & FINAL);
	if (task->dependence_count) {
		depend_on_siblings(task);
		wait(p, SL_OMP_WAIT_DEPENDENCES, task, pc);
		sl_learn(&task->begins);
		become_sibling(task);
	}
	if (copy) {
		void *argument = argument_copy(data, copy, size, align, pc);

		perform(p, task, function, argument);
		sl_heap_release(argument, SL_BLOCK_MALLOC, pc);
	} else {
		perform(p, task, function, data);
	}
}

SL_OMP(void, GOMP_taskwait, void)
{
	struct sl_omp_place *p = sl_omp_here();

	wait(p, SL_OMP_WAIT_CHILDREN, NULL, SL_PC);
	sl_learn(&p->task->ends);
}

SL_OMP(void, GOMP_taskwait_depend, void **depend)
{
	struct sl_omp_place *p = sl_omp_here();
	struct sl_omp_task *task;

	if (!p->team->level)
		return;
	task = task_new(p);
	read_dependences(task, depend);
	depend_on_siblings(task);
	wait(p, SL_OMP_WAIT_DEPENDENCES, task, SL_PC);
	sl_learn(&task->begins);
	task->ended = true;
	forget(task);
}

/* libgomp does nothing here; under control a waiting loop gives way. */
SL_OMP(void, GOMP_taskyield, void)
{
	sched_yield();
}

/* ---- groups ---- */

static void
group_begin(struct sl_omp_place *p)
{
	struct sl_omp_group *group = sl_scratch_alloc(sizeof(*group));

	sl_clock_reset(&group->ends);
	group->outer = p->task->group;
	p->task->group = group;
}

static void
group_end(struct sl_omp_place *p, uint64_t pc)
{
	struct sl_omp_group *group = p->task->group;

	if (!group)
		return;
	wait(p, SL_OMP_WAIT_GROUP, NULL, pc);
	sl_learn(&group->ends);
	p->task->group = group->outer;
}

SL_OMP(void, GOMP_taskgroup_start, void)
{
	group_begin(sl_omp_here());
}

SL_OMP(void, GOMP_taskgroup_end, void)
{
	group_end(sl_omp_here(), SL_PC);
}

/* ---- taskloop ---- */

struct taskloop {
	uint64_t start, end, step, count; /* iterations */
	uint64_t tasks, each, more;       /* the first `more` tasks have an additional iteration */
};

/* Determines the number of tasks: the requested one, or such that each task has at least the grain size. */
static void
split(struct taskloop *l, unsigned flags, uint64_t asked, uint64_t threads)
{
	if (flags & GRAINSIZE) {
		l->tasks = l->count / asked;
		if (flags & STRICT) {
			l->tasks = (l->count - 1) / asked + 1;
			l->each = asked;
			return;
		}
		if (!l->tasks)
			l->tasks = 1;
	} else {
		l->tasks = asked ? asked : threads;
		if (l->tasks > l->count)
			l->tasks = l->count;
	}
	l->each = l->count / l->tasks;
	l->more = l->count % l->tasks;
}

/* The function reads its first and last iteration from the first two words of its argument. */
static void
set_range(const struct taskloop *l, uint64_t *argument, uint64_t n)
{
	uint64_t from = n * l->each + (n < l->more ? n : l->more), to = from + l->each + (n < l->more);

	argument[0] = l->start + from * l->step;
	argument[1] = to >= l->count ? l->end : l->start + to * l->step;
}

static void
taskloop(struct taskloop *l, void (*function)(void *), void *data, void (*copy)(void *, void *), long size,
	 long align, unsigned flags, uint64_t asked, int priority, uint64_t pc)
{
	struct sl_omp_place *p = sl_omp_here();

	if (flags & REDUCTION)
		sl_unsupported("GOMP_taskloop with a reduction", pc);
	if (!l->count)
		return;
	split(l, flags, asked, p->team->size);
	if (!(flags & NOGROUP))
		group_begin(p);

	bool deferred = is_deferred(p, flags & IF, l->tasks);
	/* all copies are made before the first task is executed */
	void **arguments = sl_scratch_alloc(l->tasks * sizeof(*arguments));

	for (uint64_t i = 0; i < l->tasks; i++) {
		arguments[i] = deferred || copy ? argument_copy(data, copy, size, align, pc) : data;
		if (arguments[i] != data)
			set_range(l, arguments[i], i);
	}
	for (uint64_t i = 0; i < l->tasks; i++) {
		struct sl_omp_task *task = task_new(p);

		task->priority = limit_priority(priority);
		if (deferred) {
			task->final = flags & FINAL;
			defer(p, task, function, arguments[i], pc);
			continue;
		}
		task->final |= !!(flags & FINAL);
		set_range(l, arguments[i], i);
		perform(p, task, function, arguments[i]);
		if (arguments[i] != data)
			sl_heap_release(arguments[i], SL_BLOCK_MALLOC, pc);
	}
	if (!(flags & NOGROUP))
		group_end(p, pc);
}

SL_OMP(void, GOMP_taskloop, void (*function)(void *), void *data, void (*copy)(void *, void *), long size,
       long align, unsigned flags, unsigned long asked, int priority, long start, long end, long step)
{
	struct taskloop l = {.start = (uint64_t)start, .end = (uint64_t)end, .step = (uint64_t)step};

	if (step > 0 && start < end)
		l.count = (l.end - l.start - 1) / l.step + 1;
	else if (step < 0 && start > end)
		l.count = (l.start - l.end - 1) / -l.step + 1;
	taskloop(&l, function, data, copy, size, align, flags, asked, priority, SL_PC);
}

SL_OMP(void, GOMP_taskloop_ull, void (*function)(void *), void *data, void (*copy)(void *, void *), long size,
       long align, unsigned flags, unsigned long asked, int priority, unsigned long long start,
       unsigned long long end, unsigned long long step)
{
	struct taskloop l = {.start = start, .end = end, .step = step};

	if (flags & UP && start < end)
		l.count = (end - start - 1) / step + 1;
	else if (!(flags & UP) && start > end)
		l.count = (start - end - 1) / -step + 1;
	taskloop(&l, function, data, copy, size, align, flags, asked, priority, SL_PC);
}
