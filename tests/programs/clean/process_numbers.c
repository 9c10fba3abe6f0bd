/*
 * Numbers of processes and threads are the same in every execution and process, and consistent: for the
 * functions, for raw system calls, for a child and its parent, for signals, for paths in /proc, for files named
 * by a number. Nothing is to be found, and each execution is the same when it is run again in another process.
 */
/* options: --world=exec --check-determinism=all */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t sender;
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
handler(int n, siginfo_t *info, void *unused)
{
	(void)n, (void)unused;
	sender = info->si_pid;
}

static void *
count(void *unused)
{
	char *block = malloc((size_t)getpid() % 7 + 8); /* an execution that depends on the number */

	pthread_mutex_lock(&lock);
	total += getpid() % 5 + (getpid() != gettid());
	pthread_mutex_unlock(&lock);
	free(block);
	return unused;
}

int
main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	pid_t self = getpid(), child;
	int status, pipes[2];
	cpu_set_t set;
	char path[64], link[64] = "";
	struct stat info;
	pthread_t t[2];

	assert(self == gettid() && self == syscall(SYS_getpid) && self == syscall(SYS_gettid));
	assert(getppid() == syscall(SYS_getppid) && getppid() != self && getpgrp() == getpgid(0));
	assert(getsid(0) == getsid(self) && getpgid(self) == getpgrp());
	sigaction(SIGUSR1, &action, NULL);
	assert(kill(self, SIGUSR1) == 0 && sender == self && kill(self, 0) == 0);
	assert(sched_getaffinity(self, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)self);
	assert(stat(path, &info) == 0 && access(path, R_OK) == 0 && close(dup(0)) == 0);
	fclose(fopen(path, "r"));
	assert(readlink("/proc/self", link, sizeof(link) - 1) > 0 && atoi(link) == self);

	assert(pipe(pipes) == 0);
	child = fork();
	if (child == 0) {
		pid_t me = getpid(), grandchild;

		if (getppid() != self || syscall(SYS_getpid) != me || kill(me, 0) || kill(getppid(), 0))
			_exit(1);
		grandchild = fork();
		if (grandchild == 0)
			_exit(getppid() == me && getpid() != me ? 0 : 1);
		if (waitpid(grandchild, &status, 0) != grandchild || status || access(path, R_OK))
			_exit(2);
		_exit(write(pipes[1], &me, sizeof(me)) == sizeof(me) ? 0 : 3);
	}
	assert(read(pipes[0], &status, sizeof(status)) == sizeof(status) && status == child);
	assert(waitpid(child, &status, 0) == child && status == 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(total == 2 * (self % 5 + 1));
	return 0;
}
