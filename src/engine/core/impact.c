/*
 * The addresses of code that a change of the program impacts.
 */
#include "engine/core/impact.h"

#include "base/text.h"
#include "engine/under/poison.h"

static struct {
	uint64_t low, size; /* the address range */
	const uint8_t *kinds;
} code[SL_IMPACT_FILES];
static unsigned count;

bool sl_impact_known;

void
sl_impact_begin(void)
{
	const struct sl_impact *p = &E.arena->impact;

	count = 0;
	for (uint32_t i = 0; i < p->file_count && i < SL_IMPACT_FILES; i++)
		for (uint32_t k = 0; k < E.arena->modules.count; k++)
			if (sl_text_same(E.arena->modules.items[k].path, p->files[i].path)) {
				code[count].low = E.arena->modules.items[k].base + p->files[i].low;
				code[count].size = p->files[i].size;
				code[count++].kinds = p->code + p->files[i].first;
				break;
			}
	sl_impact_known = count > 0;
}

uint8_t
sl_impact_of(uint64_t pc)
{
	for (unsigned i = 0; i < count; i++)
		if (pc - 1 - code[i].low < code[i].size)
			return code[i].kinds[pc - 1 - code[i].low];
	return 0;
}
