/*
 * Builtins that a program writes itself, functions of <string.h>, and what the compiler makes of assignments.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifdef FORTIFY
#define _FORTIFY_SOURCE 2 /* in the source, so that no option undefines it */
#endif
#include "accesses.h"
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

struct whole {
	char bytes[40];
};

char shared[64] = "xell, no, a b c text of some length";
char elsewhere[64] = "other text";
volatile long sink;
volatile size_t unknown = 11;
static struct whole *const whole = (struct whole *)shared;
static const struct whole blank;
#define numbers ((int *)shared)
int wanted[16] = {1, 0, 1}, places[16] = {3, 0, 5}, sixteen = 16;

#ifdef __clang__
#define ONE_FAMILY SEEN(builtin_memcpy_inline, 1, __builtin_memcpy_inline(other, elsewhere + unknown, 24))
#else
#define ONE_FAMILY                                                                                                  \
	SEEN(builtin_bcopy, 1, __builtin_bcopy(elsewhere, shared, 24))                                            \
	SEEN(builtin_strnlen, 0, sink = (long)__builtin_strnlen(shared, 20))
#endif
#define EACH                                                                                                      \
	SEEN(builtin_memset_4, 1, __builtin_memset(shared, 0, 4))                                                 \
	SEEN(builtin_memset_8, 1, __builtin_memset(shared, 0, 8))                                                 \
	SEEN(builtin_memset_40, 1, __builtin_memset(shared, 'c', 40))                                             \
	SEEN(builtin_memset_n, 1, __builtin_memset(shared, 'c', unknown))                                         \
	SEEN(builtin_memcpy_8, 1, __builtin_memcpy(shared, elsewhere, 8))                                         \
	SEEN(builtin_memcpy_13, 1, __builtin_memcpy(shared, elsewhere, 13))                                       \
	SEEN(builtin_memcpy_from, 0, __builtin_memcpy(elsewhere, shared, 13))                                     \
	SEEN(builtin_memmove_40, 1, __builtin_memmove(shared, elsewhere, 40))                                     \
	SEEN(builtin_mempcpy, 1, sink = (long)__builtin_mempcpy(shared, elsewhere, 24))                           \
	SEEN(builtin_bzero, 1, __builtin_bzero(shared, 24))                                                       \
	SEEN(builtin_strcpy, 1, __builtin_strcpy(shared, "hello world"))                                          \
	SEEN(builtin_stpcpy, 1, sink = (long)__builtin_stpcpy(shared, "hello"))                                   \
	SEEN(builtin_strncpy, 1, __builtin_strncpy(shared, "hello", 12))                                          \
	SEEN(builtin_stpncpy, 1, sink = (long)__builtin_stpncpy(shared, "hello", 12))                             \
	SEEN(builtin_strcat, 0, __builtin_strcat(shared, "hello"))                                                \
	SEEN(builtin_strncat, 0, __builtin_strncat(shared, "hello", unknown))                                     \
	SEEN(builtin_strlen, 0, sink = (long)__builtin_strlen(shared))                                            \
	SEEN(strnlen, 0, sink = (long)strnlen(shared, 20))                                                        \
	ONE_FAMILY                                                                                                \
	SEEN(builtin_memcmp_eq, 0, sink = __builtin_memcmp(shared, elsewhere, 16) == 0)                           \
	SEEN(builtin_memcmp, 0, sink = __builtin_memcmp(shared, elsewhere, 12))                                   \
	SEEN(builtin_bcmp, 0, sink = __builtin_bcmp(shared, elsewhere, 4))                                        \
	SEEN(builtin_memchr, 0, sink = __builtin_memchr(shared, 'c', 9) != NULL)                                  \
	SEEN(builtin_strcmp, 0, sink = __builtin_strcmp(shared, "ab"))                                            \
	SEEN(builtin_strncmp, 0, sink = __builtin_strncmp(shared, "ab", 2))                                       \
	SEEN(builtin_strcasecmp, 0, sink = __builtin_strcasecmp(shared, "ab"))                                    \
	SEEN(builtin_strncasecmp, 0, sink = __builtin_strncasecmp(shared, "ab", 2))                               \
	SEEN(builtin_strchr, 0, sink = (long)__builtin_strchr(shared, 'c'))                                       \
	SEEN(builtin_strrchr, 0, sink = (long)__builtin_strrchr(shared, 0))                                       \
	SEEN(builtin_index, 0, sink = (long)__builtin_index(shared, 'c'))                                         \
	SEEN(builtin_rindex, 0, sink = (long)__builtin_rindex(shared, 'c'))                                       \
	SEEN(builtin_strstr, 0, sink = (long)__builtin_strstr(shared, "no"))                                      \
	SEEN(builtin_strpbrk, 0, sink = (long)__builtin_strpbrk(shared, "no"))                                    \
	SEEN(builtin_strspn, 0, sink = (long)__builtin_strspn(shared, "xe"))                                      \
	SEEN(builtin_strcspn, 0, sink = (long)__builtin_strcspn(shared, "ab"))                                    \
	SEEN(builtin_memcpy_chk, 1, __builtin___memcpy_chk(shared, elsewhere, 24, sizeof(shared)))                \
	SEEN(builtin_memmove_chk, 1, __builtin___memmove_chk(shared, elsewhere, 24, sizeof(shared)))              \
	SEEN(builtin_mempcpy_chk, 1,                                                                              \
	     sink = (long)__builtin___mempcpy_chk(shared, elsewhere, 24, sizeof(shared)))                         \
	SEEN(builtin_memset_chk, 1, __builtin___memset_chk(shared, 0, 24, sizeof(shared)))                        \
	SEEN(builtin_strcpy_chk, 1, __builtin___strcpy_chk(shared, "hello", sizeof(shared)))                      \
	SEEN(builtin_stpcpy_chk, 1, sink = (long)__builtin___stpcpy_chk(shared, "hello", sizeof(shared)))         \
	SEEN(builtin_strncpy_chk, 1, __builtin___strncpy_chk(shared, "hello", 9, sizeof(shared)))                 \
	SEEN(builtin_stpncpy_chk, 1, sink = (long)__builtin___stpncpy_chk(shared, "hello", 9, sizeof(shared)))    \
	SEEN(builtin_strcat_chk, 0, __builtin___strcat_chk(shared, "hello", sizeof(shared)))                      \
	SEEN(builtin_strncat_chk, 0, __builtin___strncat_chk(shared, "hello", unknown, sizeof(shared)))           \
	SEEN(memset, 1, memset(shared, 0, 8))                                                                     \
	SEEN(memcpy, 1, memcpy(shared, elsewhere, 16))                                                            \
	SEEN(memmove, 1, memmove(shared, elsewhere, 16))                                                          \
	SEEN(mempcpy, 1, sink = (long)mempcpy(shared, elsewhere, 16))                                             \
	SEEN(explicit_bzero, 1, explicit_bzero(shared, 16))                                                       \
	SEEN(strcpy, 1, strcpy(shared, "hello"))                                                                  \
	SEEN(stpcpy, 1, sink = (long)stpcpy(shared, "hello"))                                                     \
	SEEN(strncpy, 1, strncpy(shared, elsewhere, 9))                                                           \
	SEEN(strncat, 0, strncat(shared, "hello", unknown))                                                       \
	SEEN(strlen, 0, sink = (long)strlen(shared))                                                              \
	SEEN(strdup, 0, sink = (long)strdup(shared))                                                              \
	SEEN(strtok, 0, sink = (long)strtok(shared, " "))                                                         \
	SEEN(strtok_r, 0, {                                                                                       \
		char *rest;                                                                                       \
		sink = (long)strtok_r(shared, " ", &rest);                                                        \
	})                                                                                                        \
	SEEN(strsep, 0, {                                                                                         \
		char *rest = shared;                                                                              \
		sink = (long)strsep(&rest, " ");                                                                  \
	})                                                                                                        \
	SEEN(strchrnul, 0, sink = (long)strchrnul(shared, 'q'))                                                   \
	SEEN(rawmemchr, 0, sink = (long)rawmemchr(shared, 'l'))                                                   \
	SEEN(memrchr, 0, sink = (long)memrchr(shared, 'l', 40))                                                   \
	SEEN(memmem, 0, sink = (long)memmem(shared, 40, "no", 2))                                                 \
	SEEN(strcasestr, 0, sink = (long)strcasestr(shared, "NO"))                                                \
	SEEN(strcoll, 0, sink = strcoll(shared, "no"))                                                            \
	SEEN(strverscmp, 0, sink = strverscmp(shared, "no"))                                                      \
	SEEN(strxfrm_from, 0, sink = (long)strxfrm(elsewhere, shared, sizeof(elsewhere)))                         \
	SEEN(strxfrm, 1, sink = (long)strxfrm(shared, elsewhere, sizeof(shared)))                                 \
	SEEN(swab, 1, swab(elsewhere, shared, 10))                                                                \
	SEEN(struct_copy, 1, *whole = *(struct whole *)elsewhere)                                                 \
	SEEN(struct_read, 0, *(struct whole *)elsewhere = *whole)                                                 \
	SEEN(struct_blank, 1, *whole = blank)                                                                     \
	SEEN(struct_literal, 1, *whole = (struct whole){{0}})                                                     \
	SEEN(loop_clear, 1, for (int i = 0; i < 40; i++) shared[i] = 0)                                           \
	SEEN(loop_copy, 1, for (int i = 0; i < 40; i++) shared[i] = elsewhere[i])                                 \
	SEEN(loop_some, 1, for (int i = 0; i < sixteen; i++) if (wanted[i]) numbers[i] = i)                            \
	SEEN(loop_some_read, 0, for (int i = 0; i < sixteen; i++) if (wanted[i]) ((int *)elsewhere)[i] = numbers[i])                  \
	SEEN(not_loop_others, 1, for (int i = 0; i < sixteen; i++) if (!wanted[i]) numbers[i] = i)                     \
	SEEN(loop_scattered, 1, for (int i = 0; i < sixteen; i++) numbers[places[i]] = i)                              \
	SEEN(loop_gathered, 0, for (int i = 0; i < sixteen; i++) ((int *)elsewhere)[i] = numbers[places[i]])

#define SEEN(name, writes, statement)                                                                             \
	static void act_##name(void)                                                                              \
	{                                                                                                         \
		statement;                                                                                        \
	}
EACH
#undef SEEN
#define SEEN(name, writes, statement) {#name, writes, act_##name},
const struct action actions[] = {EACH{NULL, 0, NULL}};
