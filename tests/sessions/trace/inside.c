#define main unused
#include "turns.c"
#undef main
#include <sleave.h>

static void body(void *arg)
{
	(void)arg;
	unused();
}

int main(void)
{
	struct sleave_options options = {.strategy = "stateful-dfs"};

	return sleave_explore(body, NULL, &options);
}
