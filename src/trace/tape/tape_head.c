/* The header of a tape (trace/tape/tape_format.h): the words of all kinds, and what was recorded. */
#include "trace/tape/tape.h"
#include "trace/tape/tape_code.h"
#include "trace/tape/tape_format.h"

void
sl_tape_head_write(struct sl_bytes *b, const struct sl_tape_head *head)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < 256; i++)
		count += sl_kind_word((uint8_t)i) != NULL;
	sl_bytes_number(b, count);
	for (unsigned i = 0; i < 256; i++)
		if (sl_kind_word((uint8_t)i)) {
			sl_bytes_byte(b, (uint8_t)i);
			sl_bytes_text(b, sl_kind_word((uint8_t)i));
		}
	sl_bytes_text(b, head->mode);
	sl_bytes_text(b, head->strategy);
	sl_bytes_number(b, head->seed);
	sl_bytes_text(b, head->program);
	sl_bytes_text(b, head->cwd);
	sl_bytes_text(b, head->build_id);
	for (count = 0; head->argv && head->argv[count]; count++)
		;
	sl_bytes_number(b, count);
	for (uint64_t i = 0; i < count; i++)
		sl_bytes_text(b, head->argv[i]);
	sl_bytes_number(b, SL_TAPE_ITEMS);
	if (head->lanes > 1)
		sl_bytes_number(b, head->lanes);
}
