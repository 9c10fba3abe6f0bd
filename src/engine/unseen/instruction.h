/*
 * One instruction of x86-64: its length, its target, and whether it touches memory other than the thread's stack.
 * For traps.c.
 */
#ifndef SL_ENGINE_UNSEEN_INSTRUCTION_H
#define SL_ENGINE_UNSEEN_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

enum sl_operand { SL_OPERAND_NONE, SL_OPERAND_STACK, SL_OPERAND_FRAME, SL_OPERAND_FIXED, SL_OPERAND_POINTER };

struct sl_instruction {
	unsigned length;          /* 0: not known */
	enum sl_operand operand; /* FRAME: relative to %rbp, which may also be another pointer */
	uint64_t address; /* FIXED: the address of the operand, or the one that lea computes */
	uint64_t to; /* the fixed target of a call or jump; 0: none */
	bool call, jump, returns; /* jump: an unconditional one */
	bool by; /* the call or jump goes to the address in the operand */
	bool lea; /* it only computes an address */
	bool reads; /* it reads the operand and does not write it (mov or add, as thunks have) */
};

struct sl_instruction sl_instruction_read(uint64_t at, uint64_t end);

#endif
