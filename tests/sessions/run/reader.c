#include "head.h"
int main(int argc, char **argv) { char line[64] = ""; two(bump); assert(fgets(line, sizeof(line), stdin) && argc == 3);
	assert(strcmp(line, "hello\n") == 0 && strcmp(argv[1], "-k") == 0 && strcmp(argv[2], "a b") == 0); return 0; }
