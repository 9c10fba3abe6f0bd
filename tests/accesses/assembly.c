/*
 * Assembly: operands in memory, addresses in registers, instructions with and without a lock. The other thread's access is a plain one, so
 * an atomic operation races with it, too. not_…: what touches nothing, or nothing that is shared.
 */
#include "accesses.h"

char shared[64] __attribute__((aligned(16))) = "text";
char elsewhere[64] = "other text";
volatile long sink;
volatile long unknown = 11;
#define number (*(int *)shared)
#define word (*(long *)shared)
static int eax, edx;
struct wide {
	char bytes[40];
};

static int
jumps(void)
{
	__asm__ goto("lock; incl %0\n\tjz %l[zero]" : : "m"(number) : "memory", "cc" : zero);
	return 1;
zero:
	return 0;
}

#define EACH                                                                                                      \
	SEEN(load, 0, __asm__ volatile("movl %1, %0" : "=r"(eax) : "m"(number) : "memory"))                       \
	SEEN(load_plain, 0, __asm__("movl %1, %0" : "=r"(eax) : "m"(number)))                                     \
	SEEN(load_wider_than_its_operand, 0, __asm__ volatile("movq %1, %0" : "=r"(sink) : "m"(*other) : "memory")) \
	SEEN(load_extended, 0, __asm__("movzbl %1, %0" : "=r"(eax) : "m"(*other)))                                \
	SEEN(load_any, 0, __asm__("movl %1, %0" : "=r"(eax) : "rm"(number)))                                      \
	SEEN(load_general, 0, __asm__("movl %1, %0" : "=r"(eax) : "g"(number)))                                   \
	SEEN(load_offsettable, 0, __asm__("movl %1, %0" : "=r"(eax) : "o"(number)))                               \
	SEEN(load_named, 0, __asm__("movl %[from], %[to]" : [to] "=r"(eax) : [from] "m"(number)))                 \
	SEEN(store, 1, __asm__ volatile("movl %1, %0" : "=m"(number) : "r"(5) : "memory"))                        \
	SEEN(store_plain, 1, __asm__("movl $7, %0" : "=m"(number)))                                               \
	SEEN(store_any, 1, __asm__("movl $7, %0" : "=rm"(number)))                                                \
	SEEN(store_from_register, 1, __asm__("movl $7, %0" : "=r"(number)))                                       \
	SEEN(store_from_fixed, 1, __asm__("xorl %0, %0" : "=&a"(number) : : "cc"))                                \
	SEEN(store_flag, 1, __asm__("testl %1, %1; setz %0" : "=m"(*other) : "r"(eax) : "cc"))                    \
	SEEN(add, 1, __asm__("addl $1, %0" : "+m"(number) : : "cc"))                                              \
	SEEN(add_with_clobber, 0, __asm__ volatile("addl $1, %0" : "+m"(number) : : "cc", "memory"))              \
	SEEN(add_to_register, 0, __asm__("addl %1, %0" : "+r"(eax) : "m"(number) : "cc"))                         \
	SEEN(compare, 0, __asm__("cmpl $0, %1; sete %b0" : "=q"(eax) : "m"(number) : "cc"))                       \
	SEEN(locked_add, 1, __asm__ volatile("lock; addl $1, %0" : "+m"(number) : : "cc"))                        \
	SEEN(locked_output_only, 1, __asm__ volatile("lock orl $1, %0" : "=m"(number) : : "cc", "memory"))        \
	SEEN(locked_input_only, 1, __asm__ volatile("lock\n\tincl %0" : : "m"(number) : "cc", "memory"))          \
	SEEN(exchange, 1, __asm__ volatile("xchg %0, %1" : "+r"(eax), "+m"(number)))                              \
	SEEN(exchange_reversed, 1, __asm__ volatile("xchgl %1, %0" : "+r"(eax), "+m"(number) : : "memory"))       \
	SEEN(exchange_matching, 1, __asm__ volatile("xchgl %0, %1" : "=r"(edx), "+m"(number) : "0"(5))) \
	SEEN(exchange_add, 1, __asm__ volatile("lock xaddl %0, %1" : "+r"(eax), "+m"(number) : : "memory", "cc")) \
	SEEN(swap, 1, __asm__ volatile("lock cmpxchgl %2, %1" : "=a"(eax), "+m"(number) : "r"(5), "0"(number) : "memory")) \
	SEEN(swap_in_vain, 0, __asm__ volatile("lock cmpxchgl %2, %1" : "=a"(eax), "+m"(number) : "r"(5), "0"(1) : "memory")) \
	SEEN(swap_wide, 1, long a = 0, d = 0; __asm__ volatile("lock cmpxchg16b %0" : "+m"(*(struct wide *)shared), "+a"(a), "+d"(d) : "b"(0L), "c"(0L) : "memory", "cc")) \
	SEEN(bit, 1, __asm__ volatile("lock; btsl %1, %0" : "+m"(number) : "Ir"(3) : "memory", "cc"))             \
	SEEN(not_bit_farther, 1, __asm__ volatile("lock; btsq %1, %0" : "+m"(word) : "r"(unknown * 8) : "memory", "cc")) \
	SEEN(bit_nearer, 1, __asm__ volatile("lock; btsq %1, %0" : "+m"(*(long *)(shared + 16)) : "r"(unknown - 128) : "memory", "cc")) \
	SEEN(large_type, 1, __asm__ volatile("lock; decl %0" : "+m"(*(struct wide *)shared) : : "memory", "cc"))  \
	SEEN(not_large_type, 1, __asm__ volatile("lock; decl %0" : "+m"(*(struct wide *)(shared + 8)) : : "memory", "cc")) \
	SEEN(address_in_register, 1, __asm__ volatile("lock; incl (%0)" : : "r"(other) : "memory", "cc"))         \
	SEEN(address_and_offset, 1, __asm__ volatile("lock; incl -8(%0)" : : "r"(other + 8) : "memory", "cc"))    \
	SEEN(not_address_and_offset, 1, __asm__ volatile("lock; incl 8(%0)" : : "r"(other) : "memory", "cc"))     \
	SEEN(address_loaded, 0, __asm__ volatile("movl (%1), %0" : "=r"(eax) : "r"(other) : "memory"))            \
	SEEN(address_stored, 1, __asm__ volatile("movb %b0, (%1)" : : "q"(eax), "r"(other) : "memory"))           \
	SEEN(copy_string, 1, const char *from = elsewhere; char *to = other; long n = unknown; __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n) : : "memory")) \
	SEEN(copy_string_from, 0, const char *from = other; char *to = elsewhere; long n = unknown; __asm__ volatile("rep; movsb" : "+S"(from), "+D"(to), "+c"(n) : : "memory")) \
	SEEN(set_string, 1, char *to = other; long n = 2; __asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(0L) : "memory")) \
	SEEN(not_set_string, 1, char *to = other + 8; long n = 2; __asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(0L) : "memory")) \
	SEEN(vector, 1, __asm__ volatile("movups %0, %%xmm0; movups %%xmm0, %1" : : "m"(*(struct wide *)elsewhere), "m"(*(struct wide *)shared) : "xmm0")) \
	SEEN(two_at_once, 0, __asm__ volatile("movl %1, %%eax; movl %%eax, %0" : "=m"(*(int *)elsewhere) : "m"(number) : "eax", "memory")) \
	SEEN(jump, 1, sink = jumps())                                                                             \
	SEEN(not_empty, 1, __asm__ volatile("" : "+m"(shared) : : "memory"))                                      \
	SEEN(not_barrier, 1, __asm__ volatile("" : : : "memory"))                                                 \
	SEEN(not_pause, 1, __asm__ volatile("rep; nop" : : : "memory"))                                           \
	SEEN(not_fence, 1, __asm__ volatile("lock; addl $0, -8(%%rsp)\n\tmfence" : : : "memory", "cc"))           \
	SEEN(not_address_alone, 1, void *at; __asm__("leaq %1, %0" : "=r"(at) : "m"(shared)); eax = at != 0)     \
	SEEN(not_prefetch, 1, __asm__ volatile("prefetcht0 %0" : : "m"(shared) : "memory"))                       \
	SEEN(not_registers, 1, __asm__ volatile("rdtsc" : "=a"(eax), "=d"(edx)))                                  \
	SEEN(not_other_section, 1, __asm__ volatile(".pushsection .rodata\n.long 1\n.popsection\nnop" : : : "memory"))


#define SEEN(name, writes, ...) \
	static void act_##name(void)                                                                              \
	{                                                                                                         \
		__VA_ARGS__;                                                                                      \
	}
EACH
#undef SEEN
#define SEEN(name, writes, ...) {#name, writes, act_##name},
const struct action actions[] = {EACH{NULL, 0, NULL}};
