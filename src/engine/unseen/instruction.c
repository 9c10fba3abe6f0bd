/*
 * See instruction.h. After the opcode maps of the Intel manual (volume 2, appendix A): which opcodes have a ModRM
 * byte, and how many bytes of constants. An unknown instruction ends the reading: the caller assumes that the
 * function touches memory.
 */
#include "engine/unseen/instruction.h"

struct reading {
	uint64_t at, end;
	bool wide, narrow, base_extended, other_segment, short_addresses;
	bool vector;
	unsigned map, opcode;
	bool has_operand;
	unsigned constants; /* bytes of constants */
	unsigned modrm;
	bool failed;
};

static unsigned
next(struct reading *r)
{
	if (r->at >= r->end) {
		r->failed = true;
		return 0;
	}
	return *(const uint8_t *)r->at++;
}

static void
read_prefixes(struct reading *r)
{
	for (;;) {
		unsigned b = r->at < r->end ? *(const uint8_t *)r->at : 0;

		if (b == 0x66)
			r->narrow = true;
		else if (b == 0x67)
			r->short_addresses = true;
		else if (b == 0x64 || b == 0x65)
			r->other_segment = true;
		else if (b != 0xf0 && b != 0xf2 && b != 0xf3 && b != 0x2e && b != 0x36 && b != 0x3e && b != 0x26)
			break;
		r->at++;
	}
	if (r->at < r->end && (*(const uint8_t *)r->at & 0xf0) == 0x40) {
		unsigned rex = next(r);

		r->wide = rex & 8;
		r->base_extended = rex & 1;
	}
}

static void
read_opcode(struct reading *r)
{
	r->opcode = next(r);
	if (r->opcode == 0xc5) {
		next(r);
		r->vector = true;
		r->map = 1;
		r->opcode = next(r);
	} else if (r->opcode == 0xc4 || r->opcode == 0x62) {
		bool evex = r->opcode == 0x62;
		unsigned first = next(r);

		next(r);
		if (evex)
			next(r);
		r->vector = true;
		r->base_extended = !(first & 0x20);
		r->map = first & (evex ? 7 : 0x1f);
		r->opcode = next(r);
	} else if (r->opcode == 0x0f) {
		r->map = 1;
		r->opcode = next(r);
		if (r->opcode == 0x38 || r->opcode == 0x3a) {
			r->map = r->opcode == 0x38 ? 2 : 3;
			r->opcode = next(r);
		}
	}
}

static void
shape_of_one_byte(struct reading *r)
{
	unsigned op = r->opcode, full = r->narrow ? 2 : 4;

	if (op < 0x40) {
		r->has_operand = (op & 7) < 4;
		r->constants = (op & 7) == 4 ? 1 : (op & 7) == 5 ? full : 0;
		r->failed |= (op & 7) > 5;
	} else if (op < 0x60) {
		; /* push and pop */
	} else if (op == 0x63 || (op >= 0x84 && op <= 0x8f) || (op >= 0xd0 && op <= 0xd3) ||
		   (op >= 0xd8 && op <= 0xdf) || op == 0xfe || op == 0xff || op == 0xf6 || op == 0xf7) {
		r->has_operand = true;
	} else if (op == 0x69 || op == 0x81 || op == 0xc7) {
		r->has_operand = true;
		r->constants = full;
	} else if (op == 0x6b || op == 0x80 || op == 0x83 || op == 0xc0 || op == 0xc1 || op == 0xc6) {
		r->has_operand = true;
		r->constants = 1;
	} else if (op == 0x68 || op == 0xa9) {
		r->constants = full;
	} else if (op == 0xe8 || op == 0xe9) {
		r->constants = 4;
	} else if (op == 0x6a || (op >= 0x70 && op <= 0x7f) || op == 0xa8 || (op >= 0xb0 && op <= 0xb7) ||
		   op == 0xcd || op == 0xeb || (op >= 0xe0 && op <= 0xe7)) {
		r->constants = 1;
	} else if (op >= 0xb8 && op <= 0xbf) {
		r->constants = r->wide ? 8 : full;
	} else if (op >= 0xa0 && op <= 0xa3) {
		r->constants = r->short_addresses ? 4 : 8;
	} else if (op == 0xc2 || op == 0xca) {
		r->constants = 2;
	} else if (op == 0xc8) {
		r->constants = 3;
	} else if (op >= 0x60 && op <= 0x67) {
		r->failed = true;
	}
}

static void
shape_of_two_bytes(struct reading *r)
{
	unsigned op = r->opcode;

	if (!r->vector && ((op >= 0x80 && op <= 0x8f))) {
		r->constants = 4;
	} else if (op == 0x77 || (!r->vector && ((op >= 0x05 && op <= 0x09) || op == 0x0b || op == 0x0e ||
						 (op >= 0x30 && op <= 0x37) || (op >= 0xa0 && op <= 0xa2) ||
						 (op >= 0xa8 && op <= 0xaa) || (op >= 0xc8 && op <= 0xcf)))) {
		;
	} else {
		r->has_operand = true;
		if ((op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ||
		    (!r->vector && (op == 0xa4 || op == 0xac || op == 0xba)))
			r->constants = 1;
	}
}

static void
read_operand(struct reading *r, struct sl_instruction *i, bool *relative, int64_t *distance)
{
	unsigned mode, rm, base;
	bool based = true;

	r->modrm = next(r);
	mode = r->modrm >> 6;
	rm = base = r->modrm & 7;
	if (r->map == 0 && (r->opcode == 0xf6 || r->opcode == 0xf7) && (r->modrm >> 3 & 7) < 2)
		r->constants = r->opcode == 0xf6 ? 1 : r->narrow ? 2 : 4;
	if (mode == 3)
		return;
	if (rm == 4) {
		base = next(r) & 7;
		based = !(mode == 0 && base == 5);
	} else if (mode == 0 && rm == 5) {
		*relative = true;
	}
	i->operand = *relative ? SL_OPERAND_FIXED : SL_OPERAND_POINTER;
	if (!*relative && based && !r->base_extended && base == 4)
		i->operand = SL_OPERAND_STACK;
	else if (!*relative && based && !r->base_extended && base == 5)
		i->operand = SL_OPERAND_FRAME;
	if (mode == 1) {
		next(r);
	} else if (mode == 2 || *relative || !based) {
		int32_t n = 0;

		if (r->at + 4 <= r->end)
			__builtin_memcpy(&n, (const void *)r->at, sizeof(n));
		else
			r->failed = true;
		*distance = n;
		r->at += 4;
	}
}

/* Returns whether the instruction names an address without touching it: lea, nop, prefetch. */
static bool
only_names(const struct reading *r)
{
	if (r->vector)
		return false;
	return (r->map == 0 && r->opcode == 0x8d) ||
	       (r->map == 1 && (r->opcode == 0x0d || (r->opcode >= 0x18 && r->opcode <= 0x1f)));
}

static void
follow(const struct reading *r, struct sl_instruction *i)
{
	unsigned which = r->modrm >> 3 & 7;
	int32_t far = 0;
	int8_t near = 0;

	if (r->vector)
		return;
	if (r->map == 0 && r->opcode == 0xff && (which == 2 || which == 4)) {
		i->by = true;
		i->call = which == 2;
		i->jump = which == 4;
	}
	i->returns = r->map == 0 && (r->opcode == 0xc3 || r->opcode == 0xc2);
	if (r->map == 0 && (r->opcode == 0xe8 || r->opcode == 0xe9)) {
		i->call = r->opcode == 0xe8;
		i->jump = !i->call;
	} else if (r->map == 0 && r->opcode == 0xeb) {
		i->jump = true;
	}
	if (r->constants == 4 && ((r->map == 0 && (r->opcode == 0xe8 || r->opcode == 0xe9)) ||
				  (r->map == 1 && r->opcode >= 0x80 && r->opcode <= 0x8f))) {
		__builtin_memcpy(&far, (const void *)(r->at - 4), sizeof(far));
		i->to = r->at + (uint64_t)(int64_t)far;
	} else if (r->map == 0 && (r->opcode == 0xeb || (r->opcode >= 0x70 && r->opcode <= 0x7f))) {
		near = *(const int8_t *)(r->at - 1);
		i->to = r->at + (uint64_t)(int64_t)near;
	}
}

struct sl_instruction
sl_instruction_read(uint64_t at, uint64_t end)
{
	struct reading r = {.at = at, .end = end};
	struct sl_instruction i = {0};
	bool relative = false;
	int64_t distance = 0;

	read_prefixes(&r);
	read_opcode(&r);
	if (r.map == 0)
		shape_of_one_byte(&r);
	else if (r.map == 1)
		shape_of_two_bytes(&r);
	else
		r.has_operand = true;
	if (r.map == 3)
		r.constants = 1;
	r.failed |= r.map > 3;
	if (r.has_operand)
		read_operand(&r, &i, &relative, &distance);
	r.at += r.constants;
	if (r.failed || r.at > end)
		return (struct sl_instruction){0};
	i.length = (unsigned)(r.at - at);
	follow(&r, &i);
	if (relative)
		i.address = r.at + (uint64_t)distance;
	if (r.map == 0 && !r.vector &&
	    ((r.opcode >= 0xa0 && r.opcode <= 0xa7) || (r.opcode >= 0xaa && r.opcode <= 0xaf) ||
	     (r.opcode >= 0x6c && r.opcode <= 0x6f)))
		i.operand = SL_OPERAND_POINTER; /* string instructions, and accesses to absolute addresses */
	i.lea = only_names(&r);
	i.reads = r.map == 0 && (r.opcode == 0x8b || r.opcode == 0x03);
	if (r.other_segment)
		i.operand = SL_OPERAND_NONE; /* thread-local memory */
	return i;
}
