#include "head.h"
int main(void) { two(bump); assert(count == 2); return 0; }
