/* Loaded by program.c during every execution: a constructor, data, thread-local storage. */
int library_counter;
static int made;
static __thread int mine = 5;

__attribute__((constructor)) static void
start(void)
{
	made++;
}

int library_add(int by);

int
library_add(int by)
{
	library_counter += by;
	return made == 1 ? ++mine : -1;
}
