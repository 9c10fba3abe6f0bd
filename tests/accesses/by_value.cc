/*
 * Objects by value in C++: what may be copied byte by byte, and what has constructors; results that are built in place;
 * functions that throw.
 */
#include "accesses.h"
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <tuple>
#include <utility>

#ifdef __clang__
#define APART __attribute__((noinline, optnone))
#else
#define APART __attribute__((noinline, noclone, noipa))
#endif

struct plain {
	long numbers[5];
};
struct copied { /* not copied byte by byte */
	long numbers[5];
	copied() = default;
	copied(const copied &from) : numbers()
	{
		for (int i = 0; i < 5; i++)
			numbers[i] = from.numbers[i];
	}
	copied &operator=(const copied &) = default;
};
struct destroyed {
	long numbers[5];
	~destroyed()
	{
		__asm__ volatile("" : : "r"(this) : "memory");
	}
};
struct base {
	long numbers[3];
};
struct derived : base {
	long more;
	derived() : base(), more() {}
	explicit derived(const base &from) : base(from), more(1) {}
};
struct holder {
	char first;
	plain inner;
};
template <class T> struct object {
	virtual ~object() {}
	virtual void take(T) = 0;
	virtual T make() = 0;
};
using pair = std::pair<long, long>;
using array = std::array<char, 24>;
using tuple = std::tuple<long, char, double>;

alignas(64) char shared[64] = "xell, no, a b c text of some length";
volatile long sink;
alignas(64) static char elsewhere[64] = "other text";
static volatile bool no;

template <class T>
static T &
there()
{
	return *reinterpret_cast<T *>(other);
}

template <class T>
static T &
here()
{
	return *reinterpret_cast<T *>(elsewhere);
}

template <class T>
APART static void
take(T value)
{
	sink = *reinterpret_cast<char *>(&value);
}

template <class T>
APART static T
make()
{
	if (no)
		throw 1;
	return here<T>();
}

template <class T> struct known : object<T> {
	void
	take(T value) override
	{
		sink = *reinterpret_cast<char *>(&value);
	}
	T
	make() override
	{
		return here<T>();
	}
};
static known<plain> plain_object;
static known<copied> copied_object;
static object<plain> *volatile plain_pointer = &plain_object;
static object<copied> *volatile copied_pointer = &copied_object;

/* It is built in place, and its address is known before the call returns. */
template <class T>
static void
in_place()
{
	new (other) T(make<T>());
}

#define EACH                                                                                                      \
	SEEN(take_plain, 0, take(there<plain>()))                                                                 \
	SEEN(take_copied, 0, take(there<copied>()))                                                               \
	SEEN(take_destroyed, 0, take(there<destroyed>()))                                                         \
	SEEN(take_base, 0, take<base>(there<derived>()))                                                          \
	SEEN(take_pair, 0, take(there<pair>()))                                                                   \
	SEEN(take_array, 0, take(there<array>()))                                                                 \
	SEEN(take_tuple, 0, take(there<tuple>()))                                                                 \
	SEEN(take_virtual, 0, plain_pointer->take(there<plain>()))                                                \
	SEEN(take_virtual_copied, 0, copied_pointer->take(there<copied>()))                                       \
	SEEN(take_long_double, 0, take(there<long double>()))                                                     \
	SEEN(take_if_not_thrown, 0, {                                                                             \
		try {                                                                                             \
			take(there<plain>());                                                                     \
		} catch (int) {                                                                                   \
			sink = 1;                                                                                 \
		}                                                                                                 \
	})                                                                                                        \
	SEEN(capture, 0, {                                                                                        \
		plain &from = there<plain>();                                                                     \
		auto later = [=] { return from; };                                                                \
		here<plain>() = later();                                                                          \
	})                                                                                                        \
	SEEN(make_plain, 1, there<plain>() = make<plain>())                                                       \
	SEEN(make_copied, 1, there<copied>() = make<copied>())                                                    \
	SEEN(make_destroyed, 1, there<destroyed>() = make<destroyed>())                                           \
	SEEN(make_base, 1, static_cast<base &>(there<derived>()) = make<base>())                                  \
	SEEN(make_pair, 1, there<pair>() = make<pair>())                                                          \
	SEEN(make_array, 1, there<array>() = make<array>())                                                       \
	SEEN(make_virtual, 1, there<plain>() = plain_pointer->make())                                             \
	SEEN(make_virtual_copied, 1, there<copied>() = copied_pointer->make())                                    \
	SEEN(make_member, 1, reinterpret_cast<holder *>(other - offsetof(holder, inner))->inner = make<plain>())  \
	SEEN(make_if_not_thrown, 1, {                                                                             \
		try {                                                                                             \
			there<plain>() = make<plain>();                                                           \
		} catch (int) {                                                                                   \
			return;                                                                                   \
		}                                                                                                 \
	})                                                                                                        \
	SEEN(new_plain, 1, in_place<plain>())                                                                     \
	SEEN(new_copied, 1, in_place<copied>())                                                                   \
	SEEN(new_pair, 1, in_place<pair>())                                                                       \
	SEEN(new_long_double, 1, in_place<long double>())                                                         \
	SEEN(new_derived, 1, new (other) derived(make<base>()))

#define SEEN(name, writes, statement)                                                                             \
	static void act_##name()                                                                                  \
	{                                                                                                         \
		statement;                                                                                        \
	}
EACH
#undef SEEN
#define SEEN(name, writes, statement) {#name, writes, act_##name},
const struct action actions[] = {EACH{nullptr, 0, nullptr}};
