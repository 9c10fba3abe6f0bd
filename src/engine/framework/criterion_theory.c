/*
 * Runs Criterion's theories: tests that are called with each combination of listed arguments. (Criterion's own
 * implementation reports each call to another process.) Under control an execution has one of the combinations,
 * which is a choice.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/framework/criterion_abi.h"
#include "engine/section/criterion_tests.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"

#define ARGUMENTS_MAX 32
#define INTEGERS 6 /* integer registers of the calling convention */
#define FLOATS 8

struct criterion_datapoints {
	size_t size, count;
	const char *type; /* as written in the program */
	const char *items;
};

struct call {
	uint64_t integers[INTEGERS], floats[FLOATS], stack[2 * ARGUMENTS_MAX + 2];
	size_t integer_count, float_count, stack_count;
};

static jmp_buf next_call;

static bool
is_word_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool
has_word(const char *text, const char *word)
{
	for (const char *at = text; *at; at++) {
		size_t n = 0;

		while (word[n] && at[n] == word[n])
			n++;
		if (!word[n] && !is_word_character(at[n]) && (at == text || !is_word_character(at[-1])))
			return true;
	}
	return false;
}

static bool
is_pointer(const char *type)
{
	for (; *type; type++)
		if (*type == '*' || *type == '[')
			return true;
	return false;
}

static bool
is_float(const char *type)
{
	return !is_pointer(type) && (has_word(type, "float") || has_word(type, "double"));
}

/* Extends a value that is shorter than a register, as the caller or the callee may require. */
static uint64_t
widened(const char *item, size_t size, bool is_unsigned)
{
	switch (size) {
	case 1:
		return is_unsigned ? *(const uint8_t *)item : (uint64_t)(int64_t) * (const int8_t *)item;
	case 2:
		return is_unsigned ? *(const uint16_t *)item : (uint64_t)(int64_t) * (const int16_t *)item;
	case 4:
		return is_unsigned ? *(const uint32_t *)item : (uint64_t)(int64_t) * (const int32_t *)item;
	default:
		return *(const uint64_t *)item;
	}
}

static void
push(struct call *call, const struct criterion_datapoints *points, const char *item, uint64_t pc)
{
	const char *type = points->type;
	bool is_unsigned = has_word(type, "unsigned") || has_word(type, "bool") || has_word(type, "_Bool") ||
			   (type[0] == 'u' && type[1] == 'i' && type[2] == 'n' && type[3] == 't');
	uint64_t value;

	if (is_float(type) && points->size == 16) { /* long double: at an aligned place on the stack */
		call->stack_count += call->stack_count % 2;
		for (int i = 0; i < 2; i++)
			call->stack[call->stack_count++] = ((const uint64_t *)item)[i];
		return;
	}
	if (points->size != 1 && points->size != 2 && points->size != 4 && points->size != 8)
		sl_criterion_refuse("a Criterion theory with structures for arguments", pc);
	value = widened(item, points->size, is_unsigned || is_float(type));
	if (is_float(type) && call->float_count < FLOATS)
		call->floats[call->float_count++] = value;
	else if (!is_float(type) && call->integer_count < INTEGERS)
		call->integers[call->integer_count++] = value;
	else
		call->stack[call->stack_count++] = value;
}

/* Calls the function with these arguments. Exceptions and long jumps may leave it. */
void sl_theory_call(void (*function)(void), const uint64_t *integers, const uint64_t *floats,
		    const uint64_t *stack, size_t stack_count) __attribute__((visibility("hidden")));

__asm__(".pushsection .text\n.globl sl_theory_call\n.hidden sl_theory_call\n"
	".type sl_theory_call, @function\nsl_theory_call:\n.cfi_startproc\n"
	"pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\nmovq %rsp, %rbp\n.cfi_def_cfa_register 6\n"
	"movq %rdi, %r10\nmovq %rsi, %r11\n"
	"leaq 15(,%r8,8), %rax\nandq $-16, %rax\nsubq %rax, %rsp\n"
	"1: testq %r8, %r8\njz 2f\nmovq -8(%rcx,%r8,8), %rax\nmovq %rax, -8(%rsp,%r8,8)\ndecq %r8\njmp 1b\n"
	"2: movsd 0(%rdx), %xmm0\nmovsd 8(%rdx), %xmm1\nmovsd 16(%rdx), %xmm2\nmovsd 24(%rdx), %xmm3\n"
	"movsd 32(%rdx), %xmm4\nmovsd 40(%rdx), %xmm5\nmovsd 48(%rdx), %xmm6\nmovsd 56(%rdx), %xmm7\n"
	"movq 0(%r11), %rdi\nmovq 8(%r11), %rsi\nmovq 16(%r11), %rdx\nmovq 24(%r11), %rcx\n"
	"movq 32(%r11), %r8\nmovq 40(%r11), %r9\nmovl $8, %eax\ncall *%r10\n"
	"leave\n.cfi_def_cfa 7, 8\nret\n.cfi_endproc\n.size sl_theory_call, .-sl_theory_call\n.popsection\n");

/* Calls it with the combination of that number: the first argument changes fastest. */
static void
call_with(const struct criterion_datapoints *points, size_t count, size_t number, void (*function)(void),
	  uint64_t pc)
{
	struct call call = {0};

	for (size_t i = 0; i < count; i++) {
		push(&call, &points[i], points[i].items + number % points[i].count * points[i].size, pc);
		number /= points[i].count;
	}
	if (!_setjmp(next_call))
		sl_theory_call(function, call.integers, call.floats, call.stack, call.stack_count);
}

SL_EXPORT void cr_theory_main(const struct criterion_datapoints *points, size_t count, void (*function)(void));
SL_EXPORT _Noreturn void cr_theory_abort(void);

void
cr_theory_main(const struct criterion_datapoints *points, size_t count, void (*function)(void))
{
	void (*real)(const struct criterion_datapoints *, size_t, void (*)(void));
	size_t total = 1;

	if (!sl_criterion_is_ours()) {
		*(void **)&real = sl_resolve("cr_theory_main");
		real(points, count, function);
		return;
	}
	if (count > ARGUMENTS_MAX)
		sl_criterion_refuse("a Criterion theory with more than 32 arguments", SL_PC);
	for (size_t i = 0; i < count; i++)
		total *= points[i].count;
	if (total > UINT32_MAX)
		sl_criterion_refuse("a Criterion theory with too many combinations of arguments", SL_PC);
	if (E.control) {
		if (total)
			call_with(points, count, sl_criterion_choose(total, SL_PC), function, SL_PC);
		return;
	}
	for (size_t i = 0; i < total; i++)
		call_with(points, count, i, function, SL_PC);
}

/* An assumption does not hold (cr_assume): these arguments are skipped. */
void
cr_theory_abort(void)
{
	void (*real)(void);

	if (sl_criterion_is_ours()) {
		if (E.control ? E.current->id != 0 : (int)sl_raw(SYS_gettid) != sl_test_now.tid)
			sl_criterion_refuse("an assumption of a Criterion theory in another thread", SL_PC);
		sl_jump(next_call, 1, SL_PC);
	}
	*(void **)&real = sl_resolve("cr_theory_abort");
	real();
	__builtin_unreachable();
}
