#include "search/leak.h"

#include "base/rng.h"

#include <string.h>

void
sl_leak_note(struct sl_worker *w, uint64_t left)
{
	struct sl_leaks *l = &w->leaks;

	for (uint32_t i = 0; i < l->end_count; i++)
		if (l->ends[i].left == left)
			return;
	if (l->end_count == SL_ENDS_MAX || w->schedule.count > SL_END_ITEMS_MAX)
		return;
	SL_SAVE(l->end_count);
	struct sl_end *end = &l->ends[l->end_count++];

	end->left = left;
	end->marks = w->marks.used;
	end->count = w->schedule.count;
	memcpy(end->items, w->schedule.items, end->count * sizeof(end->items[0]));
}

bool
sl_leak_schedule(struct sl_worker *w, uint32_t n, struct sl_schedule *schedule, uint64_t *marks)
{
	struct sl_leaks *l = &w->leaks;

	if (l->end_count < 2 || n >= l->end_count)
		return false;
	*schedule = (struct sl_schedule){l->ends[n].count, SL_END_ITEMS_MAX, l->ends[n].items};
	*marks = l->ends[n].marks;
	return true;
}

void
sl_leak_lost(struct sl_worker *w, uint32_t n, uint64_t pc, uint32_t thread, uint64_t size)
{
	struct sl_leaks *l = &w->leaks;
	uint32_t at = 0;

	while (at < l->site_count && l->sites[at].pc != pc)
		at++;
	if (at == SL_LEAK_SITES_MAX || n >= SL_ENDS_MAX)
		return;
	SL_SAVE(l->site_count);
	SL_SAVE(l->sites[at]);
	if (at == l->site_count)
		l->sites[l->site_count++] = (struct sl_leak_site){.pc = pc, .thread = thread};
	l->sites[at].blocks[n]++;
	l->sites[at].bytes[n] += size;
}

uint64_t
sl_leak_signature(uint64_t pc)
{
	return sl_mix(pc + 0x1eac);
}

/* Uses the schedule that loses most. */
static void
add(struct sl_arena *a, uint32_t number, const struct sl_finding *f, const struct sl_end *end)
{
	int at = sl_case_add(a, number, f, true);

	if (at < 0)
		return;
	a->cases[at].marks_used = end->marks;
	a->cases[at].schedule.count = end->count;
	memcpy(a->cases[at].schedule.items, end->items, end->count * sizeof(end->items[0]));
}

void
sl_leak_forget(struct sl_worker *w)
{
	SL_SAVE(w->leaks.end_count);
	SL_SAVE(w->leaks.site_count);
	w->leaks.end_count = w->leaks.site_count = 0;
}

void
sl_leak_judge(struct sl_arena *a, uint32_t number)
{
	struct sl_leaks *l = &a->workers[number].leaks;

	for (uint32_t i = 0; i < l->site_count; i++) {
		const struct sl_leak_site *site = &l->sites[i];
		uint32_t most = 0, fewest = 0;
		struct sl_finding f = {.kind = SL_FINDING_LEAK, .culprit_count = 1};

		for (uint32_t n = 1; n < l->end_count; n++) {
			if (site->blocks[n] > site->blocks[most])
				most = n;
			if (site->blocks[n] < site->blocks[fewest])
				fewest = n;
		}
		if (site->blocks[most] == site->blocks[fewest])
			continue; /* lost in every schedule alike: for other tools */
		f.culprits[0] = (struct sl_culprit){.thread = site->thread, .pc = site->pc, .kind = SL_ALLOC};
		f.block_size = site->blocks[most];
		f.start = site->blocks[fewest];
		f.extent = site->bytes[most];
		f.signature = sl_leak_signature(site->pc);
		if (sl_case_find(a, f.signature, true) < 0)
			add(a, number, &f, &l->ends[most]);
	}
	sl_leak_forget(&a->workers[number]);
}
