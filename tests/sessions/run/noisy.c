#include "head.h"
int main(void) { char line[64]; two(bump); puts("on output"); fputs("on error\n", stderr);
	while (fgets(line, sizeof(line), stdin)) printf("read %s", line); return 0; }
