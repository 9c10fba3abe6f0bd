#include "head.h"
int main(void) { two(bump); signal(SIGSEGV, SIG_DFL); *(volatile int *)8 = 1; return 0; }
