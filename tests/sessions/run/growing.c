#include "head.h"
int main(void) { FILE *f; long n; two(bump); f = fopen("grown", "a+"); fputc('x', f); fseek(f, 0, SEEK_END); n = ftell(f);
	fclose(f); while (n--) bump(NULL); return 0; }
