/* A parent that waits for its child to stop is not told of it: that is reported, and not that the wait never ends. */
/* expect: waitpid for processes that stop or go on */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		raise(SIGSTOP);
		_exit(3);
	}
	assert(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
	kill(child, SIGCONT);
	assert(waitpid(child, &status, 0) == child);
	return 0;
}
