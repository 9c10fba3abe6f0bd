/*
 * What is passed to a function by value and what is returned: a call reads and writes
 * memory too. And objects of all sizes that processors and their compilers know.
 */
#include "accesses.h"
#include <complex.h>
#include <stdarg.h>

#define APART __attribute__((noinline, noclone, noipa))
#ifdef __clang__
#undef APART
#define APART __attribute__((noinline, optnone))
#endif

struct one {
	int x;
};
struct three {
	char bytes[3];
};
struct five {
	char bytes[5];
};
struct two {
	long a, b;
};
struct mixed {
	double d;
	float f;
};
struct big {
	long numbers[5];
};
struct whole {
	char bytes[64];
};
struct __attribute__((packed)) packed {
	char c;
	long l;
	struct big big;
};
struct bits {
	unsigned a : 3, b : 7, c : 22;
};
struct aligned {
	long a[4];
} __attribute__((aligned(32)));
union either {
	long l;
	double d;
	struct two two;
};
typedef int v16 __attribute__((vector_size(16)));
typedef int v32 __attribute__((vector_size(32)));
typedef int v64 __attribute__((vector_size(64)));

char shared[64] __attribute__((aligned(64))) = "xell, no, a b c text of some length";
static char elsewhere[64] __attribute__((aligned(64))) = "other text";
volatile long sink;
static volatile int yes = 1;

/* With both kinds of functions for each type. */
#define TYPE(type, name)                                                                                          \
	APART static void take_##name(type value)                                                                 \
	{                                                                                                         \
		sink = *(char *)&value;                                                                           \
	}                                                                                                         \
	APART static type make_##name(void)                                                                       \
	{                                                                                                         \
		return *(type *)elsewhere;                                                                        \
	}                                                                                                         \
	static void act_take_##name(void)                                                                         \
	{                                                                                                         \
		take_##name(*(type *)other);                                                                      \
	}                                                                                                         \
	static void act_make_##name(void)                                                                         \
	{                                                                                                         \
		*(type *)other = make_##name();                                                                   \
	}                                                                                                         \
	static void act_read_##name(void)                                                                         \
	{                                                                                                         \
		*(type *)elsewhere = *(type *)other;                                                              \
	}                                                                                                         \
	static void act_write_##name(void)                                                                        \
	{                                                                                                         \
		*(type *)other = *(type *)elsewhere;                                                              \
	}
#define TYPES                                                                                                     \
	TYPE(_Bool, bool)                                                                                         \
	TYPE(short, short)                                                                                        \
	TYPE(float, float)                                                                                        \
	TYPE(double, double)                                                                                      \
	TYPE(long double, long_double)                                                                            \
	TYPE(__int128, int128)                                                                                    \
	TYPE(double complex, complex)                                                                             \
	TYPE(float complex, float_complex)                                                                        \
	TYPE(long double complex, long_complex)                                                                   \
	TYPE(v16, v16)                                                                                            \
	TYPE(v32, v32)                                                                                            \
	TYPE(v64, v64)                                                                                            \
	TYPE(struct one, one)                                                                                     \
	TYPE(struct three, three)                                                                                 \
	TYPE(struct five, five)                                                                                   \
	TYPE(struct two, two)                                                                                     \
	TYPE(struct mixed, mixed)                                                                                 \
	TYPE(struct big, big)                                                                                     \
	TYPE(struct whole, whole)                                                                                 \
	TYPE(struct packed, packed)                                                                               \
	TYPE(struct bits, bits)                                                                                   \
	TYPE(struct aligned, aligned)                                                                             \
	TYPE(union either, either)                                                                                \
	TYPE(volatile struct one, volatile_one)                                                                   \
	TYPE(volatile struct big, volatile_big)
TYPES
#undef TYPE

APART static void
take_many(int n, ...)
{
	va_list list;
	struct big big = {{0}};

	va_start(list, n);
	while (n--)
		big = va_arg(list, struct big);
	va_end(list);
	sink = big.numbers[0];
}

APART static void
take_both(struct big a, long between, struct big b)
{
	sink = a.numbers[0] + between + b.numbers[0];
}

APART static struct big
pass_on(struct big big)
{
	return big;
}

static void (*volatile take_pointer)(struct big) = take_big;
static struct big (*volatile make_pointer)(void) = make_big;

/* The object may be known to the caller alone, or to all threads. */
APART static void
to_restricted(struct big *restrict to)
{
	*to = make_big();
}

__attribute__((no_sanitize_thread, section(".text.unseen"))) static void
not_instrumented(void)
{
	take_big(*(struct big *)other);
	sink = *(long double *)other > 1;
}

__attribute__((no_sanitize_thread)) static void
kept_from_others(void)
{
	take_big(*(struct big *)other);
}

#define EACH                                                                                                      \
	SEEN(take_variadic, 0, take_many(1, *(struct big *)other))                                                \
	SEEN(take_second, 0, take_both(*(struct big *)elsewhere, 1, *(struct big *)other))                        \
	SEEN(take_by_pointer, 0, take_pointer(*(struct big *)other))                                              \
	SEEN(take_global, 0, take_whole(*(struct whole *)shared))                                                 \
	SEEN(take_member, 0, take_big(((struct packed *)(other - 9))->big))                                       \
	SEEN(take_element, 0, take_two(((struct two *)other)[yes - 1]))                                           \
	SEEN(take_one_of, 0, take_big(yes ? *(struct big *)other : *(struct big *)elsewhere))                     \
	SEEN(take_in_loop, 0, for (int i = 0; i < 3; i++) take_big(*(struct big *)other))                         \
	SEEN(take_passed_on, 0, *(struct big *)elsewhere = pass_on(pass_on(*(struct big *)other)))                \
	SEEN(make_by_pointer, 1, *(struct big *)other = make_pointer())                                           \
	SEEN(make_global, 1, *(struct whole *)shared = make_whole())                                              \
	SEEN(make_member, 1, ((struct packed *)(other - 9))->big = make_big())                                    \
	SEEN(make_chain, 1, *(struct big *)elsewhere = *(struct big *)other = make_big())                         \
	SEEN(make_restricted, 1, to_restricted((struct big *)other))                                              \
	SEEN(make_same, 1, *(struct big *)other = pass_on(*(struct big *)other))                                  \
	SEEN(bit_field_read, 0, sink = ((struct bits *)other)->a)                                                 \
	SEEN(bit_field_write, 1, ((struct bits *)other)->a = 1)                                                   \
	SEEN(bit_field_made, 1, ((struct bits *)other)->a = make_one().x)                                         \
	SEEN(kept_from_others, 0, kept_from_others())                                                             \
	SEEN(not_instrumented, 0, not_instrumented())

#define SEEN(name, writes, statement)                                                                             \
	static void act_##name(void)                                                                              \
	{                                                                                                         \
		statement;                                                                                        \
	}
EACH
#undef SEEN
#define SEEN(name, writes, statement) {#name, writes, act_##name},
#define TYPE(type, name)                                                                                          \
	{"take_" #name, 0, act_take_##name}, {"make_" #name, 1, act_make_##name},                                 \
		{"read_" #name, 0, act_read_##name}, {"write_" #name, 1, act_write_##name},
const struct action actions[] = {EACH TYPES{NULL, 0, NULL}};
