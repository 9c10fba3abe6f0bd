#include "head.h"
int main(void) { two(lots); two(lots); two(lots); return 0; }
