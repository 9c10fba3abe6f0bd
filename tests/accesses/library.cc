/*
 * C++ headers write __builtin_memcpy and its like themselves. And their constants stay constants.
 */
#include "accesses.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#if __cplusplus >= 201703L
#include <string_view>
#endif
#include <vector>

static_assert(__builtin_strlen("four") == 4, "a constant");
static_assert(__builtin_memcmp("abc", "abd", 3) < 0, "a constant");
static_assert(noexcept(__builtin_strlen("x")) || __cplusplus < 201703L, "throws nothing");
static constexpr std::size_t
length(const char *s)
{
	return __builtin_strlen(s);
}
static_assert(length("three") == 5, "a constant");
static constexpr int
clears(char *p)
{
	return p ? __builtin_memset(p, 0, 4) != nullptr : 0;
}
#if __cplusplus >= 201703L
static constexpr std::string_view hello = "hello";
static_assert(hello.find("ll") == 2 && hello == "hello" && std::char_traits<char>::length("xyz") == 3);
#endif
#ifdef __has_builtin
static_assert(__has_builtin(__builtin_memcpy), "still there");
#endif

char shared[64] = "xell, no, a b c text of some length";
volatile long sink;
static char elsewhere[64] = "other text";
static auto &chars = *reinterpret_cast<std::array<char, 40> *>(shared);
static auto &other_chars = *reinterpret_cast<std::array<char, 40> *>(elsewhere);
using traits = std::char_traits<char>;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;

template <class T>
static void
copy(T &to, const T &from)
{
	__builtin_memcpy(&to, &from, sizeof(T));
}

/* Otherwise the vector would be optimised away, since it is not read. */
static void
keep(char *data)
{
	__asm__ volatile("" : : "r"(data) : "memory");
}

/* Containers as a whole: the other side of these is in the same action, in a thread of its own. */
template <class A, class B>
static void
both(A a, B b)
{
	struct pair {
		A a;
		B b;
	} p{a, b};
	pthread_t thread;

	pthread_create(
		&thread, nullptr,
		[](void *arg) -> void * {
			if (locked)
				pthread_mutex_lock(&inner);
			static_cast<pair *>(arg)->a();
			if (locked)
				pthread_mutex_unlock(&inner);
			return nullptr;
		},
		&p);
	if (locked)
		pthread_mutex_lock(&inner);
	b();
	if (locked)
		pthread_mutex_unlock(&inner);
	pthread_join(thread, nullptr);
}
static std::string text = "abc";
static std::list<int> list = {1, 2, 3};
static std::map<int, int> map = {{1, 1}, {3, 3}, {5, 5}, {7, 7}};
static std::set<std::string> set = {"a", "b"};
template <class C>
static long
walk(C &c)
{
	long n = 0;
	for (auto it = c.begin(); it != c.end(); ++it)
		n++;
	return n;
}
#define SIZE sink = (long)text.size()

#define EACH                                                                                                      \
	SEEN(in_constexpr, 1, sink = clears(shared))                                                              \
	SEEN(in_template, 1, copy(chars, other_chars))                                                            \
	SEEN(array_fill, 1, chars.fill('c'))                                                                      \
	SEEN(array_assign, 1, chars = other_chars)                                                                \
	SEEN(std_copy, 1, std::copy(elsewhere, elsewhere + 24, shared))                                           \
	SEEN(std_copy_from, 0, std::copy(shared, shared + 24, elsewhere))                                         \
	SEEN(std_copy_backward, 1, std::copy_backward(elsewhere, elsewhere + 24, shared + 24))                    \
	SEEN(std_fill_n, 1, std::fill_n(shared, 24, 'c'))                                                         \
	SEEN(std_equal, 0, sink = std::equal(shared, shared + 16, elsewhere))                                     \
	SEEN(std_find, 0, sink = std::find(shared, shared + 9, 'n') - shared)                                     \
	SEEN(traits_length, 0, sink = (long)traits::length(shared))                                               \
	SEEN(traits_compare, 0, sink = traits::compare(shared, elsewhere, 8))                                     \
	SEEN(traits_copy, 1, traits::copy(shared, elsewhere, 24))                                                 \
	SEEN(traits_move, 1, traits::move(shared, elsewhere, 24))                                                 \
	SEEN(traits_assign, 1, traits::assign(shared, 24, 'c'))                                                   \
	SEEN(traits_find, 0, sink = traits::find(shared, 9, 'n') != nullptr)                                      \
	SEEN(vector_from, 0, keep(std::vector<char>(shared, shared + 24).data()))                                 \
	SEEN(string_from, 0, sink = (long)std::string(shared).size())                                             \
	SEEN(std_memcpy, 1, std::memcpy(shared, elsewhere, 24))                                                   \
	SEEN(string_append, 2, both([] { text += "x"; }, [] { SIZE; }))                                           \
	SEEN(string_append_n, 2, both([] { text.append(20, 'x'); }, [] { SIZE; }))                                \
	SEEN(string_insert, 2, both([] { text.insert(1, "zz"); }, [] { SIZE; }))                                  \
	SEEN(string_erase, 2, both([] { text.erase(1, 1); }, [] { SIZE; }))                                       \
	SEEN(string_resize, 2, both([] { text.resize(2); }, [] { SIZE; }))                                        \
	SEEN(string_replace, 2, both([] { text.replace(0, 1, "yy"); }, [] { SIZE; }))                             \
	SEEN(string_assign, 2, both([] { text = "q"; }, [] { SIZE; }))                                            \
	SEEN(string_hash, 2, both([] { text[0] = 'q'; }, [] { sink = (long)std::hash<std::string>()(text); }))    \
	SEEN(list_push, 2, both([] { list.push_back(4); }, [] { sink = walk(list); }))                            \
	SEEN(list_erase, 2, both([] { list.erase(++list.begin()); }, [] { sink = walk(list); }))                  \
	SEEN(list_reverse, 2, both([] { list.reverse(); }, [] { sink = walk(list); }))                            \
	SEEN(list_splice, 2, both([] { list.splice(list.end(), list, list.begin()); }, [] { sink = walk(list); })) \
	SEEN(map_insert_find, 2, both([] { map[4] = 4; }, [] { sink = map.find(9) == map.end(); }))               \
	SEEN(map_insert_walk, 2, both([] { map[4] = 4; }, [] { sink = walk(map); }))                              \
	SEEN(map_erase_walk, 2, both([] { map.erase(3); }, [] { sink = walk(map); }))                             \
	SEEN(map_erase_back, 2, both([] { map.erase(3); }, [] { sink = std::prev(map.end())->first; }))           \
	SEEN(set_insert_walk, 2, both([] { set.insert("c"); }, [] { sink = walk(set); }))

#define SEEN(name, writes, statement)                                                                             \
	static void act_##name() { statement; }
EACH
#undef SEEN
#define SEEN(name, writes, statement) {#name, writes, act_##name},
const struct action actions[] = {EACH{nullptr, 0, nullptr}};
