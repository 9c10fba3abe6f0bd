/*
 * The addresses of code that a change of the program impacts.
 */
#include "engine/core/impact.h"

#include "base/text.h"
#include "engine/under/poison.h"

static struct {
	uint64_t low, size; /* where it is */
	uint64_t base;      /* … less where the file says it is */
	uint32_t file;
	uint8_t *kinds;
} code[SL_IMPACT_FILES];
static unsigned count;

bool sl_impact_known;

void
sl_impact_begin(void)
{
	struct sl_impact *p = &E.arena->impact;

	count = 0;
	for (uint32_t i = 0; i < p->file_count && i < SL_IMPACT_FILES; i++)
		for (uint32_t k = 0; k < E.arena->modules.count; k++)
			if (sl_text_same(E.arena->modules.items[k].path, p->files[i].path)) {
				code[count].file = i;
				code[count].base = E.arena->modules.items[k].base;
				code[count].low = code[count].base + p->files[i].low;
				code[count].size = p->files[i].size;
				code[count++].kinds = p->code + p->files[i].first;
				break;
			}
	sl_impact_known = count > 0;
}

uint64_t
sl_impact_loaded(uint32_t file, uint64_t at)
{
	for (unsigned i = 0; i < count; i++)
		if (code[i].file == file)
			return code[i].base + at;
	return 0;
}

uint8_t *
sl_impact_at(uint64_t address)
{
	for (unsigned i = 0; i < count; i++)
		if (address - code[i].low < code[i].size)
			return &code[i].kinds[address - code[i].low];
	return NULL;
}

#define CLASSES (SL_IMPACT_CLASS | SL_IMPACT_CLASS << SL_IMPACT_AROUND) /* of other points, perhaps */

void
sl_impact_note(uint8_t *kinds)
{
	__atomic_fetch_or(kinds, SL_IMPACT_REACHED, __ATOMIC_RELAXED);
	if (*kinds & ~(CLASSES | SL_IMPACT_REACHED))
		E.arena->impact.reached = 1;
}

uint8_t
sl_impact_of(uint64_t pc)
{
	uint8_t *kinds = sl_impact_at(pc - 1);

	if (!kinds || !*kinds)
		return 0;
	if (!(*kinds & SL_IMPACT_REACHED)) /* most often it has been: the page stays clean */
		sl_impact_note(kinds);
	return *kinds & (SL_IMPACT_REACHED - 1);
}
