/*
 * Included before everything else in all that is linked into libsleave: calls that the compiler makes up itself
 * (a large struct copy) must not reach the program's memcpy, which is interposed and counts as an access.
 */
__asm__("memcpy = sl_memcpy");
__asm__("memset = sl_memset");
__asm__("memmove = sl_memmove");
