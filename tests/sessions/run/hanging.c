#include "head.h"
int main(void) { two(bump); for (;;) __asm__ volatile(""); }
