#include "head.h"
int main(void) { bump(NULL); return 0; }
