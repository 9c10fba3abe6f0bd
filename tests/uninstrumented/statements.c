/*
 * Asm statements whose accesses are not known, and those for which that does not matter: the argument says in which way.
 */
#include <pthread.h>
#include <string.h>

int counter;
static const char *way;

static void
by_register(void)
{
	__asm__ volatile("leaq %0, %%rdx; lock; incl (%%rdx)" : : "m"(counter) : "memory", "cc", "rdx");
}

static void
by_name(void)
{
	__asm__ volatile("lock; incl counter(%%rip)" : : : "memory", "cc");
}

/* The other thread has to go before this one can. */
static void
waits(void)
{
	int seen;

	by_name();
	do
		__asm__ volatile("movl counter(%%rip), %0" : "=r"(seen) : : "memory");
	while (seen < 2);
}

/* The engine catches it (Linux 5.11). */
static void
system_call(void)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(186L) : "rcx", "r11", "memory");
}

/* A loop inside of one statement: no other thread gets a turn. */
static void
stuck(void)
{
	__asm__ volatile("lock; incl %0\n1:\tcmpl $2, %0\n\tjne 1b" : "+m"(counter) : : "memory", "cc");
}

static void
many(void)
{
#define ONE by_name(); __asm__ volatile("movl $0, counter(%%rip)" : : : "memory")
	ONE;
	ONE;
	ONE;
	ONE;
	ONE;
	__asm__ volatile("movl $0, counter(%%rip)" : : : "memory");
}

/* Registers, barriers, hints, the thread's own stack and thread-local storage. */
static void
nothing(void)
{
	unsigned int a, d;
	unsigned long self;

	__asm__ volatile("rdtsc" : "=a"(a), "=d"(d) : : "memory");
	__asm__ volatile("" : : : "memory");
	__asm__ volatile("pause\n\tnop\n1:\tmfence" : : : "memory");
	__asm__ volatile("movq %%fs:0, %0" : "=r"(self) : : "memory");
	__asm__ volatile("push %0\n\tpop %0" : "+r"(self) : : "memory");
	__asm__ volatile("bsfl %1, %0" : "=r"(d) : "r"(a | 1) : "cc");
}

static void *
run(void *arg)
{
	if (strcmp(way, "register") == 0)
		by_register();
	else if (strcmp(way, "name") == 0)
		by_name();
	else if (strcmp(way, "waits") == 0)
		waits();
	else if (strcmp(way, "system") == 0)
		system_call();
	else if (strcmp(way, "stuck") == 0)
		stuck();
	else if (strcmp(way, "many") == 0)
		many();
	else if (strcmp(way, "nothing") == 0)
		nothing();
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t thread;

	way = argc > 1 ? argv[1] : "nothing";
	if (strcmp(way, "before") == 0)
		by_register();
	pthread_create(&thread, NULL, run, NULL);
	run(NULL);
	pthread_join(thread, NULL);
	return 0;
}
