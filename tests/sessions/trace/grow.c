#include <alloca.h>
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) static void use(volatile char *p)
{
	sink += *p;
}

__attribute__((noinline)) static void grows(int n)
{
	volatile char *p = alloca(n);

	*p = 1;
	use(p);
}

__attribute__((noinline)) static void again(int n) /* deeper than the engine remembers */
{
	volatile char *p = alloca(16);

	*p = 1;
	if (n)
		again(n - 1);
	sink++;
}

int main(int argc, char **argv)
{
	volatile char *p = alloca(100 * argc);

	*p = 1;
	grows(1000);
	use(p);
	if (argc > 1)
		again(atoi(argv[1]));
	return 0;
}
