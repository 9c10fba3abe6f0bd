/*
 * `sleave cc` includes this header before the first line of each file that gcc compiles. Programs do not include it.
 *
 * gcc expands an explicit __builtin_memset and its like into a few instructions, even at -O0, and no option prevents
 * that; no callback of -fsanitize=thread announces these accesses. This header turns such a name into a plain call of
 * the function, which libsleave sees. The function has a name of its own, because gcc would take the usual name for the
 * builtin again; its symbol is the usual one. Where a constant is needed (a length of an array, a constexpr) the
 * builtin is still used.
 *
 * The macros have parameters, so `__has_builtin(__builtin_memset)` is not affected. The functions are not declared leaf
 * or pure, because another thread may run inside of the call.
 */
#if !defined(SLEAVE_BUILTINS_H) && !defined(__ASSEMBLER__)
#define SLEAVE_BUILTINS_H
#pragma GCC system_header

/*
 * Each function is declared twice for C++: __sleave_seen_… is the call, __sleave_const_… the builtin. (Functions that
 * cannot give a constant are declared once.) The names are only pasted and quoted here and never expanded, because the
 * program may have macros of these names (-Dindex=strchr).
 */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define SLEAVE_BUILTIN(type, name, parameters, arguments)                                                         \
	extern "C" type __sleave_seen_##name parameters noexcept __asm__(#name);                                  \
	extern "C++" __attribute__((always_inline)) constexpr inline type __sleave_const_##name parameters        \
		noexcept                                                                                          \
	{                                                                                                         \
		return __builtin_##name arguments;                                                                \
	}
#define SLEAVE_ONLY_CALL(type, name, parameters)                                                                    \
	extern "C" type __sleave_seen_##name parameters noexcept __asm__(#name);
#elif defined(__cplusplus)
#define SLEAVE_BUILTIN(type, name, parameters, arguments)                                                         \
	extern "C" type __sleave_seen_##name parameters throw() __asm__(#name);
#define SLEAVE_ONLY_CALL(type, name, parameters)                                                                    \
	extern "C" type __sleave_seen_##name parameters throw() __asm__(#name);
#else
#define SLEAVE_BUILTIN(type, name, parameters, arguments)                                                         \
	extern type __sleave_seen_##name parameters __asm__(#name) __attribute__((nothrow));
#define SLEAVE_ONLY_CALL(type, name, parameters)                                                                    \
	extern type __sleave_seen_##name parameters __asm__(#name) __attribute__((nothrow));
#endif

#define SLEAVE_SIZE __SIZE_TYPE__
SLEAVE_BUILTIN(void *, memcpy, (void *to, const void *from, SLEAVE_SIZE n), (to, from, n))
SLEAVE_BUILTIN(void *, memmove, (void *to, const void *from, SLEAVE_SIZE n), (to, from, n))
SLEAVE_BUILTIN(void *, mempcpy, (void *to, const void *from, SLEAVE_SIZE n), (to, from, n))
SLEAVE_BUILTIN(void *, memset, (void *to, int byte, SLEAVE_SIZE n), (to, byte, n))
SLEAVE_BUILTIN(int, memcmp, (const void *a, const void *b, SLEAVE_SIZE n), (a, b, n))
SLEAVE_BUILTIN(void *, memchr, (const void *s, int byte, SLEAVE_SIZE n), (s, byte, n))
SLEAVE_BUILTIN(int, bcmp, (const void *a, const void *b, SLEAVE_SIZE n), (a, b, n))
SLEAVE_ONLY_CALL(void, bcopy, (const void *from, void *to, SLEAVE_SIZE n))
SLEAVE_ONLY_CALL(void, bzero, (void *to, SLEAVE_SIZE n))
SLEAVE_BUILTIN(char *, strcpy, (char *to, const char *from), (to, from))
SLEAVE_BUILTIN(char *, stpcpy, (char *to, const char *from), (to, from))
SLEAVE_BUILTIN(char *, strncpy, (char *to, const char *from, SLEAVE_SIZE n), (to, from, n))
SLEAVE_BUILTIN(char *, stpncpy, (char *to, const char *from, SLEAVE_SIZE n), (to, from, n))
SLEAVE_BUILTIN(char *, strcat, (char *to, const char *from), (to, from))
SLEAVE_BUILTIN(char *, strncat, (char *to, const char *from, SLEAVE_SIZE n), (to, from, n))
SLEAVE_BUILTIN(SLEAVE_SIZE, strlen, (const char *s), (s))
SLEAVE_BUILTIN(SLEAVE_SIZE, strnlen, (const char *s, SLEAVE_SIZE n), (s, n))
SLEAVE_BUILTIN(int, strcmp, (const char *a, const char *b), (a, b))
SLEAVE_BUILTIN(int, strncmp, (const char *a, const char *b, SLEAVE_SIZE n), (a, b, n))
SLEAVE_BUILTIN(int, strcasecmp, (const char *a, const char *b), (a, b))
SLEAVE_BUILTIN(int, strncasecmp, (const char *a, const char *b, SLEAVE_SIZE n), (a, b, n))
SLEAVE_BUILTIN(char *, strchr, (const char *s, int byte), (s, byte))
SLEAVE_BUILTIN(char *, strrchr, (const char *s, int byte), (s, byte))
SLEAVE_BUILTIN(char *, index, (const char *s, int byte), (s, byte))
SLEAVE_BUILTIN(char *, rindex, (const char *s, int byte), (s, byte))
SLEAVE_BUILTIN(char *, strstr, (const char *s, const char *t), (s, t))
SLEAVE_BUILTIN(char *, strpbrk, (const char *s, const char *t), (s, t))
SLEAVE_BUILTIN(SLEAVE_SIZE, strspn, (const char *s, const char *t), (s, t))
SLEAVE_BUILTIN(SLEAVE_SIZE, strcspn, (const char *s, const char *t), (s, t))
SLEAVE_ONLY_CALL(void *, __memcpy_chk, (void *to, const void *from, SLEAVE_SIZE n, SLEAVE_SIZE room))
SLEAVE_ONLY_CALL(void *, __memmove_chk, (void *to, const void *from, SLEAVE_SIZE n, SLEAVE_SIZE room))
SLEAVE_ONLY_CALL(void *, __mempcpy_chk, (void *to, const void *from, SLEAVE_SIZE n, SLEAVE_SIZE room))
SLEAVE_ONLY_CALL(void *, __memset_chk, (void *to, int byte, SLEAVE_SIZE n, SLEAVE_SIZE room))
SLEAVE_ONLY_CALL(char *, __strcpy_chk, (char *to, const char *from, SLEAVE_SIZE room))
SLEAVE_ONLY_CALL(char *, __stpcpy_chk, (char *to, const char *from, SLEAVE_SIZE room))
SLEAVE_ONLY_CALL(char *, __strncpy_chk, (char *to, const char *from, SLEAVE_SIZE n, SLEAVE_SIZE room))
SLEAVE_ONLY_CALL(char *, __stpncpy_chk, (char *to, const char *from, SLEAVE_SIZE n, SLEAVE_SIZE room))
SLEAVE_ONLY_CALL(char *, __strcat_chk, (char *to, const char *from, SLEAVE_SIZE room))
SLEAVE_ONLY_CALL(char *, __strncat_chk, (char *to, const char *from, SLEAVE_SIZE n, SLEAVE_SIZE room))

#undef SLEAVE_BUILTIN
#undef SLEAVE_ONLY_CALL
#undef SLEAVE_SIZE

/*
 * In C++ the macro chooses between two functions, not between two calls, so that the arguments are written once. C and
 * C++98 cannot ask whether a constant is needed: a call that can be folded at once is folded.
 */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define SLEAVE_CALL(name) (__builtin_is_constant_evaluated() ? __sleave_const_##name : __sleave_seen_##name)
#define SLEAVE_VALUE(name, ...)                                                                                   \
	(__builtin_is_constant_evaluated() ? __sleave_const_##name : __sleave_seen_##name)(__VA_ARGS__)
#else
#define SLEAVE_CALL(name) __sleave_seen_##name
#if defined(__cplusplus)
#define SLEAVE_IF(constant, yes, no) (constant ? yes : no)
#else
#define SLEAVE_IF(constant, yes, no) __builtin_choose_expr(constant, yes, no)
#endif
#define SLEAVE_VALUE(name, ...)                                                                                   \
	SLEAVE_IF(__builtin_constant_p(__builtin_##name(__VA_ARGS__)), __builtin_##name(__VA_ARGS__),             \
		  __sleave_seen_##name(__VA_ARGS__))
#endif

#define __builtin_memcpy(...) SLEAVE_CALL(memcpy)(__VA_ARGS__)
#define __builtin_memmove(...) SLEAVE_CALL(memmove)(__VA_ARGS__)
#define __builtin_mempcpy(...) SLEAVE_CALL(mempcpy)(__VA_ARGS__)
#define __builtin_memset(...) SLEAVE_CALL(memset)(__VA_ARGS__)
#define __builtin_bcopy(...) __sleave_seen_bcopy(__VA_ARGS__)
#define __builtin_bzero(...) __sleave_seen_bzero(__VA_ARGS__)
#define __builtin_strcpy(...) SLEAVE_CALL(strcpy)(__VA_ARGS__)
#define __builtin_stpcpy(...) SLEAVE_CALL(stpcpy)(__VA_ARGS__)
#define __builtin_strncpy(...) SLEAVE_CALL(strncpy)(__VA_ARGS__)
#define __builtin_stpncpy(...) SLEAVE_CALL(stpncpy)(__VA_ARGS__)
#define __builtin_strcat(...) SLEAVE_CALL(strcat)(__VA_ARGS__)
#define __builtin_strncat(...) SLEAVE_CALL(strncat)(__VA_ARGS__)
#define __builtin_memcmp(...) SLEAVE_VALUE(memcmp, __VA_ARGS__)
#define __builtin_memchr(...) SLEAVE_VALUE(memchr, __VA_ARGS__)
#define __builtin_bcmp(...) SLEAVE_VALUE(bcmp, __VA_ARGS__)
#define __builtin_strlen(...) SLEAVE_VALUE(strlen, __VA_ARGS__)
#define __builtin_strnlen(...) SLEAVE_VALUE(strnlen, __VA_ARGS__)
#define __builtin_strcmp(...) SLEAVE_VALUE(strcmp, __VA_ARGS__)
#define __builtin_strncmp(...) SLEAVE_VALUE(strncmp, __VA_ARGS__)
#define __builtin_strcasecmp(...) SLEAVE_VALUE(strcasecmp, __VA_ARGS__)
#define __builtin_strncasecmp(...) SLEAVE_VALUE(strncasecmp, __VA_ARGS__)
#define __builtin_strchr(...) SLEAVE_VALUE(strchr, __VA_ARGS__)
#define __builtin_strrchr(...) SLEAVE_VALUE(strrchr, __VA_ARGS__)
#define __builtin_index(...) SLEAVE_VALUE(index, __VA_ARGS__)
#define __builtin_rindex(...) SLEAVE_VALUE(rindex, __VA_ARGS__)
#define __builtin_strstr(...) SLEAVE_VALUE(strstr, __VA_ARGS__)
#define __builtin_strpbrk(...) SLEAVE_VALUE(strpbrk, __VA_ARGS__)
#define __builtin_strspn(...) SLEAVE_VALUE(strspn, __VA_ARGS__)
#define __builtin_strcspn(...) SLEAVE_VALUE(strcspn, __VA_ARGS__)
#define __builtin___memcpy_chk(...) __sleave_seen___memcpy_chk(__VA_ARGS__)
#define __builtin___memmove_chk(...) __sleave_seen___memmove_chk(__VA_ARGS__)
#define __builtin___mempcpy_chk(...) __sleave_seen___mempcpy_chk(__VA_ARGS__)
#define __builtin___memset_chk(...) __sleave_seen___memset_chk(__VA_ARGS__)
#define __builtin___strcpy_chk(...) __sleave_seen___strcpy_chk(__VA_ARGS__)
#define __builtin___stpcpy_chk(...) __sleave_seen___stpcpy_chk(__VA_ARGS__)
#define __builtin___strncpy_chk(...) __sleave_seen___strncpy_chk(__VA_ARGS__)
#define __builtin___stpncpy_chk(...) __sleave_seen___stpncpy_chk(__VA_ARGS__)
#define __builtin___strcat_chk(...) __sleave_seen___strcat_chk(__VA_ARGS__)
#define __builtin___strncat_chk(...) __sleave_seen___strncat_chk(__VA_ARGS__)

#endif
