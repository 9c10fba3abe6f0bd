#include "head.h"
int main(void) { two(bump); raise(SIGKILL); return 0; }
