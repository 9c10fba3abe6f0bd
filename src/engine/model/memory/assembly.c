/*
 * The entries for asm statements. One call has all accesses of a statement, because the statement is one
 * operation: no other thread runs between its accesses. One access is announced, and may be a point of choice; the
 * others are part of it.
 */
#include "engine/model/memory/assembly.h"
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/core/race.h"
#include "engine/upcall/spin.h"
#include "engine/entry/record.h"
#include "engine/entry/rt_code.h"
#include "engine/interpose/entry.h"
#include "engine/interpose/unseen.h"
#include "engine/under/poison.h"

#define OPERANDS 7

struct operand {
	uint64_t address;
	size_t size;
	unsigned how;
};

_Static_assert(SL_ASM_READS == SL_OP_READS && SL_ASM_WRITES == SL_OP_WRITES, "are passed on as they are");

/*
 * Outside of control. The item is written before the operation, so that the recorded order of racing operations
 * may be wrong.
 */
static void
tell(const struct operand *operands, unsigned count, uint64_t pc)
{
	for (unsigned i = 0; i < count; i++) {
		const struct operand *o = &operands[i];
		unsigned flags = o->how & (SL_OP_READS | SL_OP_WRITES);
		enum sl_op_kind kind = flags == SL_OP_READS    ? SL_ATOMIC_LOAD
				       : flags == SL_OP_WRITES ? SL_ATOMIC_STORE
							       : SL_ATOMIC_UPDATE;

		if (!(o->how & SL_ASM_ATOMIC)) {
			sl_access_range((void *)o->address, o->size, flags, pc);
			continue;
		}
		bool begun = SL_RT_ATOMIC(kind, (void *)o->address, pc);
		uint32_t *turn = sl_lane_turn((void *)o->address);

		sl_lane_atomic(turn, (uint8_t)kind, (void *)o->address, (uint8_t)o->size, pc);
		SL_RT_DONE(begun);
	}
}

/* Returns the operand to announce: preferably a shared one, else an atomic one. */
static unsigned
first_of(const struct operand *operands, unsigned count)
{
	unsigned best = 0, rank = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct operand *o = &operands[i];
		unsigned now = (sl_marked_range(o->address, o->size) ? 4u : 0u) + (o->how & SL_ASM_LOCKED ? 2u : 0u) +
			       (o->how & SL_ASM_ATOMIC ? 1u : 0u);

		if (now > rank) {
			rank = now;
			best = i;
		}
	}
	return best;
}

/* Returns whether the operand may change memory outside of the thread's stack. */
static bool
perform(const struct operand *o, uint64_t wanted, bool point, uint64_t pc)
{
	const struct sl_thread *t = E.current;
	unsigned flags = o->how & (SL_OP_READS | SL_OP_WRITES);

	if (o->how & SL_ASM_ATOMIC)
		return sl_atomic_foretell(o->how, o->address, o->size, wanted, point, pc);
	if (flags & SL_OP_WRITES)
		flags = SL_OP_WRITES; /* an access that races with the read also races with the write */
	if (point)
		sl_access_range((void *)o->address, o->size, flags, pc);
	else
		sl_access_along(o->address, o->size, flags, pc);
	return flags == SL_OP_WRITES && o->address - t->stack.low >= t->stack.size;
}

/*
 * how: a byte for each operand; then its address and size, as uint64_t. wanted: the expected value of a
 * compare-and-swap.
 */
void sl_in___sleave_asm(uint64_t how, uint64_t wanted, ...);

void
sl_in___sleave_asm(uint64_t how, uint64_t wanted, ...)
{
	struct operand operands[OPERANDS];
	unsigned count = 0, first, changing = 0;
	uint64_t address = 0;
	size_t size = 0;
	va_list list;

	va_start(list, wanted);
	for (; how && count < OPERANDS; how >>= 8) {
		struct operand *o = &operands[count];

		o->address = va_arg(list, uint64_t);
		o->size = va_arg(list, uint64_t);
		o->how = how & 255;
		count += o->size != 0; /* an operand of size zero is skipped */
	}
	va_end(list);
	if (!count)
		return;
	if (!E.control) {
		tell(operands, count, SL_PC);
		return;
	}
	first = first_of(operands, count);
	for (unsigned i = 0; i <= count; i++) { /* the announced operand, then the others */
		unsigned at = i ? i - 1 : first;

		if ((i && at == first) || at == count)
			continue;
		if (perform(&operands[at], wanted, i == 0, SL_PC)) {
			changing++;
			address = operands[at].address;
			size = operands[at].size;
		}
	}
	if (changing == 1)
		sl_write_foretell(address, size);
	else if (changing)
		sl_changed(true);
}
SL_ENTRY(__sleave_asm);

void sl_in___sleave_asm_unseen(void);

void
sl_in___sleave_asm_unseen(void)
{
	if (!E.control)
		return;
	if (E.alive_count > 1)
		sl_unseen(SL_UNSEEN_ASSEMBLY, SL_PC);
	sl_changed(true);
	sl_spin_count(); /* the statement may be in a loop that waits for another thread */
}
SL_ENTRY(__sleave_asm_unseen);
