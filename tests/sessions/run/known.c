#include "head.h"
static int x, y;
static void inc_x(void) { x++; }
static void inc_y(void) { y++; }
static void *both(void *arg) { inc_x(); inc_y(); return arg; }
int main(void) { two(both); return 0; }
