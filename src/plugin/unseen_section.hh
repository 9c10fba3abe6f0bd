/*
 * The section of functions that must not be announced, with no_sanitize("thread"), which alone does not keep code
 * from control. For tests that count outside of what is explored.
 */
#ifndef SL_PLUGIN_UNSEEN_SECTION_HH
#define SL_PLUGIN_UNSEEN_SECTION_HH

#define UNSEEN ".text.unseen"

/* In functions that are instrumented, but may have no callback (src/engine/unseen/traps.c). */
#define MARK ".byte 0x0f, 0x1f, 0x80, 0x73, 0x6c, 0x76, 0x31" /* nopl 0x31766c73(%rax) */
#define MARK_NUMBER 0x9031766c73801f0full                     /* the same, and nop */

#endif
