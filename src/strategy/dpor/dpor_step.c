/*
 * Steps, shared by all that refer to them, and whether two of them commute.
 */
#include "strategy/dpor/dpor.h"

#include <string.h>

static uint64_t
key_bits(const struct sl_step *step)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < step->count; i++)
		bits |= 1ul << ((step->touches[i].key * 0x9e3779b97f4a7c15u) >> 58);
	return bits;
}

uint32_t
sl_dpor_step_new(struct sl_dpor *s, const struct sl_step *step)
{
	uint32_t at = s->room.steps_free;

	if (at != SL_DPOR_NONE) {
		s->room.steps_free = s->steps[at].next;
	} else if (s->room.steps_used + 1 < SL_DPOR_STEPS) {
		at = ++s->room.steps_used;
	} else {
		s->partial = s->off = true;
		return SL_DPOR_NONE;
	}
	struct sl_dpor_step *d = &s->steps[at];

	d->references = 1;
	d->keys = key_bits(step);
	memcpy(&d->step, step, offsetof(struct sl_step, touches) + step->count * sizeof(step->touches[0]));
	return at;
}

uint32_t
sl_dpor_step_keep(struct sl_dpor *s, uint32_t step)
{
	if (step != SL_DPOR_NONE)
		s->steps[step].references++;
	return step;
}

void
sl_dpor_step_drop(struct sl_dpor *s, uint32_t step)
{
	if (step == SL_DPOR_NONE || --s->steps[step].references)
		return;
	s->steps[step].next = s->room.steps_given;
	s->room.steps_given = step;
	if (!s->steps[step].next)
		s->room.steps_given_last = step;
}

bool
sl_dpor_commute(const struct sl_dpor *s, uint32_t a, uint32_t b)
{
	const struct sl_step *x = &s->steps[a].step, *y = &s->steps[b].step;

	if (x->everything || y->everything)
		return false;
	if (!(s->steps[a].keys & s->steps[b].keys))
		return true;
	for (unsigned i = 0; i < x->count; i++)
		for (unsigned k = 0; k < y->count; k++)
			if (x->touches[i].key == y->touches[k].key &&
			    (x->touches[i].bytes & y->touches[k].bytes) &&
			    ((x->touches[i].how | y->touches[k].how) & SL_TOUCH_WRITE))
				return false;
	return true;
}
