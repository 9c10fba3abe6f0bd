/*
 * Included before everything else in all files of libsleave: calls that the compiler generates (copying a large
 * struct) must not reach the program's memcpy, which is interposed and counts as an access.
 */
__asm__("memcpy = sl_memcpy");
__asm__("memset = sl_memset");
__asm__("memmove = sl_memmove");
