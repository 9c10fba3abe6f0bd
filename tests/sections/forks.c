/* A child process that the block creates is not part of the section: its events count neither here nor there. */
#include <assert.h>
#include <sleave.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(void)
{
	SLEAVE_SCHEDULE("a -> b") {
		int status;
		pid_t child = fork();

		if (!child) {
			sleave_event("b"); /* would be held for ever */
			_exit(sleave_schedule_name() ? 1 : 7);
		}
		assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
		sleave_event("a");
		child = fork();
		if (!child)
			break; /* out of the section, which is not its own */
		assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9);
		sleave_event("b");
		return 0;
	}
	return 9;
}
