#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *const arguments[] = {"true", NULL};
static volatile int before, after;

int main(int argc, char **argv)
{
	const char *how = argv[argc - 1];
	pid_t child = 0;
	FILE *f;

	before = 1;
	if (!strcmp(how, "fork") && !(child = fork()))
		_exit(0);
	if (!strcmp(how, "vfork") && !(child = vfork()))
		_exit(0);
	if (!strcmp(how, "spawn") && posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ))
		return 1;
	if (!strcmp(how, "spawnp") && posix_spawnp(&child, "true", NULL, NULL, arguments, environ))
		return 1;
	if (!strcmp(how, "nobody") && !posix_spawn(&child, "/nowhere/true", NULL, NULL, arguments, environ))
		return 1;
	if (!strcmp(how, "system") && system("true"))
		return 1;
	if (!strcmp(how, "popen") && (!(f = popen("true", "r")) || pclose(f)))
		return 1;
	if (child > 0 && strcmp(how, "nobody") && waitpid(child, NULL, 0) != child)
		return 1;
	after = 1;
	return !system(NULL);
}
