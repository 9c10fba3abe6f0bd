#include "head.h"
__attribute__((constructor)) static void before_main(void) { abort(); }
int main(void) { two(bump); return 0; }
