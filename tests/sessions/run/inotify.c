#include "head.h"
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>
static void *watch(void *arg) { char b[512]; if (read(inotify_init(), b, sizeof(b)) < 0) abort(); return arg; }
int main(void) { two(watch); return 0; }
