#include "strategy/follow.h"

void
sl_follow_begin(struct sl_following *f, const struct sl_schedule *schedule)
{
	f->schedule = *schedule;
	f->run = f->other = 0;
	f->diverged = false;
	f->execution++;
}

/*
 * A thread that is not in ops has either done its run (it ran alone, so there was no choice) or is stuck before
 * it. That shows when the thread is seen again; only then is it a divergence.
 */
static void
promise(struct sl_following *f, const struct sl_pick *item)
{
	if (item->who < SL_FOLLOW_THREADS)
		f->promises[item->who] = (struct sl_follow_promise){f->execution, item->until};
}

static void
check_promises(struct sl_following *f, const struct sl_choice *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		const struct sl_op *op = c->ops[i];

		if (op->thread < SL_FOLLOW_THREADS && f->promises[op->thread].execution == f->execution &&
		    op->index < f->promises[op->thread].until)
			f->diverged = true;
	}
}

static unsigned
choose_thread(struct sl_following *f, const struct sl_choice *c)
{
	if (!f->diverged)
		check_promises(f, c);
	for (; f->run < f->schedule.count; f->run++) {
		const struct sl_pick *item = &f->schedule.items[f->run];

		if (item->kind != SL_PICK_RUN)
			continue;
		unsigned answer = sl_choice_of(c, item->who);

		if (answer < c->count && c->ops[answer]->index < item->until)
			return answer;
		promise(f, item);
	}
	return sl_choice_default(c);
}

static unsigned
choose_other(struct sl_following *f, const struct sl_choice *c)
{
	const struct sl_schedule *s = &f->schedule;

	while (f->other < s->count && s->items[f->other].kind == SL_PICK_RUN)
		f->other++;
	if (f->other == s->count)
		return sl_choice_default(c);
	const struct sl_pick *item = &s->items[f->other];
	bool waiter = c->kind == SL_CHOOSE_WAITER;
	unsigned answer = c->count;

	if (item->kind == (waiter ? SL_PICK_WAITER : SL_PICK_VALUE)) {
		answer = waiter ? sl_choice_of(c, item->who) : item->who;
		f->other++;
	}
	if (answer < c->count)
		return answer;
	f->diverged = true;
	return sl_choice_default(c);
}

unsigned
sl_follow_choose(struct sl_following *f, const struct sl_choice *c)
{
	return c->kind == SL_CHOOSE_THREAD ? choose_thread(f, c) : choose_other(f, c);
}
