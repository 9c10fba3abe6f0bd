/*
 * popen in both directions, system, waitid, kill of a child, beside a thread that feeds one of them through a pipe.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int fds[2];

static void *
feeds(void *arg)
{
	assert(write(fds[1], "fed\n", 4) == 4);
	return arg;
}

int
main(void)
{
	char line[32], command[64];
	siginfo_t info;
	pthread_t thread;
	FILE *stream;
	pid_t child;

	assert(!pipe(fds));
	snprintf(command, sizeof(command), "read x <&%d; echo got $x; exit 2", fds[0]);
	stream = popen(command, "r");
	pthread_create(&thread, NULL, feeds, NULL);
	assert(stream && fgets(line, sizeof(line), stream) && !strcmp(line, "got fed\n"));
	assert(!fgets(line, sizeof(line), stream) && feof(stream));
	assert(WEXITSTATUS(pclose(stream)) == 2);
	stream = popen("read x; test $x = 5", "we");
	assert(fprintf(stream, "5\n") == 2 && pclose(stream) == 0);
	assert(!popen("true", "x"));
	assert(WEXITSTATUS(system("exit 3")) == 3 && system(NULL));
	child = fork();
	if (child == 0) {
		read(fds[0], line, 1);
		_exit(1);
	}
	assert(!waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG) && !info.si_pid);
	assert(!kill(child, SIGTERM));
	assert(!waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) && info.si_pid == child && info.si_signo == SIGCHLD);
	assert(info.si_code == CLD_KILLED && info.si_status == SIGTERM);
	assert(!waitid(P_PID, (id_t)child, &info, WEXITED) && waitid(P_ALL, 0, &info, WEXITED) == -1);
	pthread_join(thread, NULL);
	return 0;
}
