#include "head.h"
int main(void) { two(bump); assert(getenv("WANTED")); return 0; }
