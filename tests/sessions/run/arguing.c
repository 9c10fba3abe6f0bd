#include "head.h"
int main(int argc, char **argv) { volatile char first = argv[0][0]; two(bump); assert(argc == 1 && !first); return 0; }
