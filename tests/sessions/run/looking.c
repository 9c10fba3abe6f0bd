#include "head.h"
extern char **environ;
int main(void) { int n = 1; for (char **e = environ; *e; e++) n &= strcmp(*e, "LOOKED=1") != 0; two(bump); if (!n) bump(NULL);
	assert(count == 2); return 0; }
