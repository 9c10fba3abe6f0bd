/* One instruction of x86-64: how long it is, where it goes, and whether it touches memory that is not the thread's stack (traps.c asks). */
#ifndef SL_ENGINE_UNSEEN_INSTRUCTION_H
#define SL_ENGINE_UNSEEN_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

enum sl_operand { SL_OPERAND_NONE, SL_OPERAND_STACK, SL_OPERAND_FRAME, SL_OPERAND_FIXED, SL_OPERAND_POINTER };

struct sl_instruction {
	unsigned length;          /* 0: not known */
	enum sl_operand operand;  /* FRAME: by %rbp, which may be another pointer as well */
	uint64_t address;         /* FIXED: of the operand, or what lea makes */
	uint64_t to;              /* of a call or jump to a fixed place; 0: none */
	bool call, jump, returns; /* jump: without condition */
	bool by;                  /* the operand is where the call or jump goes by */
	bool lea;                 /* only makes an address */
	bool reads;               /* the operand is read and not written (a mov or an add: what thunks have) */
};

struct sl_instruction sl_instruction_read(uint64_t at, uint64_t end);

#endif
