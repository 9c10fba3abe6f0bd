/*
 * Assembly outside of functions: a function of its own, or only directives.
 */
#include <pthread.h>

#ifdef DIRECTIVES
__asm__(".section .note.test, \"\", @progbits\n.long 1\n.previous");
static void
bump(void)
{
}
#else
void bump(void);
__asm__(".text\n.globl bump\nbump:\n\tlock; incl counter(%rip)\n\tret\n");
#endif
int counter;

static void *
run(void *arg)
{
	bump();
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	run(NULL);
	pthread_join(thread, NULL);
	return 0;
}
