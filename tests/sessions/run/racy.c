#include "head.h"
static void *plain(void *arg) { count++; return arg; }
int main(void) { two(plain); return 0; }
