#include <stdlib.h>
#include <unistd.h>

static void leave(int how)
{
	if (how == 'e')
		exit(3);
	if (how == 'q')
		quick_exit(3);
	_exit(3);
}

int main(int argc, char **argv)
{
	leave(*argv[argc - 1]);
	return 0;
}
