/* That a child has stopped is not told to who waits for it: that is said, and not that it never ends. */
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
