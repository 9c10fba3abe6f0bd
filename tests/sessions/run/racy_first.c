#include "head.h"
static void *once(void *arg) { static int n; if (arg == NULL) n++; return lots(arg); }
int main(void) { two(once); two(lots); two(lots); return 0; }
