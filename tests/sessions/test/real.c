#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sleave.h>
static int order[2], count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf out;
static void *second(void *arg)
{
	sleave_event("b");
	pthread_mutex_lock(&lock);
	order[count++ % 2] = 2;
	pthread_mutex_unlock(&lock);
	sleave_event("b_done");
	return arg;
}
static void *idle(void *arg)
{
	return arg;
}
static void body(const char *what)
{
	pthread_t thread;
	count = 0;
	pthread_create(&thread, NULL, second, NULL);
	sleave_event("a");
	pthread_mutex_lock(&lock);
	order[count++ % 2] = 1;
	pthread_mutex_unlock(&lock);
	sleave_event("a_done");
	pthread_join(thread, NULL);
	if (strcmp(sleave_schedule_name(), "crashes") == 0)
		abort();
	if (strcmp(sleave_schedule_name(), "leaves") == 0)
		_exit(0);
	if (strcmp(sleave_schedule_name(), "ends") == 0)
		exit(0);
	if (strcmp(sleave_schedule_name(), "jumps") == 0)
		longjmp(out, 1);
	(void)what;
}
/* What the engine needs for itself is not to be copied and compared by each search: it is where layout.h has it. */
static int strange_memory(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long low, high;
	char line[512], kind[8];
	int found = 0;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %7s", &low, &high, kind) == 3 && !strcmp(kind, "rw-p") &&
		    high - low > 32ul << 20 && (low < 0x600000000000ul || high > 0x6f0000000000ul))
			found += printf("%s", line);
	fclose(f);
	return found;
}
/* As Check and Criterion do: each test in a process of its own. */
static int in_child(void (*test)(void))
{
	int status;
	pid_t pid = fork();
	if (!pid) {
		test();
		exit(0);
	}
	while (waitpid(pid, &status, 0) < 0)
		;
	return status;
}
static void forked(void)
{
	SLEAVE_SCHEDULES("one two", "a_done -> b", "two one", "b_done -> a")
		body("");
}
static void forked_badly(void)
{
	SLEAVE_SCHEDULES("fine", "a_done -> b", "two one", "b_done -> a") {
		body("");
		assert(order[0] == 1);
	}
}
static void jumps(void)
{
	SLEAVE_SCHEDULES("jumps", "a_done -> b")
		body("");
}
int main(int argc, char **argv)
{
	const char *what = strrchr(argv[0], '/') + 1;
	(void)argc;
	if (strcmp(what, "orders") == 0) {
		SLEAVE_SCHEDULES("one two", "a_done -> b", "two one", "b_done -> a") {
			body(what);
			assert(order[0] == (strcmp(sleave_schedule_name(), "one two") ? 2 : 1));
		}
		SLEAVE_INFEASIBLE("both first", "a_done -> b, b_done -> a")
			body(what);
	}
	if (strcmp(what, "asserts") == 0)
		SLEAVE_SCHEDULES("one two", "a_done -> b", "two one", "b_done -> a") {
			body(what);
			assert(order[0] == 1);
		}
	if (strcmp(what, "infeasible") == 0)
		SLEAVE_SCHEDULES("fine", "a_done -> b", "both first", "a_done -> b, b_done -> a")
			body(what);
	if (strcmp(what, "feasible") == 0)
		SLEAVE_INFEASIBLE("one two", "a_done -> b")
			body(what);
	if (strcmp(what, "wrong") == 0)
		SLEAVE_SCHEDULES("a typo", "a_done > b")
			body(what);
	if (strcmp(what, "crashes") == 0)
		SLEAVE_SCHEDULES("fine", "a_done -> b", "crashes", "a_done -> b")
			body(what);
	if (strcmp(what, "leaves") == 0)
		SLEAVE_SCHEDULES("leaves", "a_done -> b")
			body(what);
	if (strcmp(what, "ends") == 0)
		SLEAVE_SCHEDULES("ends", "a_done -> b")
			body(what);
	if (strncmp(what, "jumps", 5) == 0) {
		if (!setjmp(out))
			jumps();
		return what[5] != 0;
	}
	if (strcmp(what, "mute") == 0) { /* what can't be reported does not pass */
		setenv("SLEAVE_RESULTS", "/nowhere/at/all", 1);
		SLEAVE_SCHEDULES("fine", "a_done -> b")
			body(what);
	}
	if (strcmp(what, "forks") == 0) {
		int status = in_child(forked);
		return !!(in_child(forked_badly) | status);
	}
	if (strcmp(what, "memory") == 0)
		SLEAVE_SCHEDULE("a_done -> b") {
			int found = strange_memory();
			body(what);
			assert(!found);
		}
	if (strcmp(what, "more") == 0) /* threads in each section than in those before */
		for (int i = 1; i < 6; i++)
			SLEAVE_SCHEDULES("one two", "a_done -> b") {
				pthread_t threads[5];
				for (int k = 0; k < i - 1; k++)
					pthread_create(&threads[k], NULL, idle, NULL);
				body(what);
				for (int k = 0; k < i - 1; k++)
					pthread_join(threads[k], NULL);
			}
	if (strcmp(what, "often") == 0)
		for (int i = 0; i < 300; i++)
			SLEAVE_SCHEDULES("one two", "a_done -> b", "two one", "b_done -> a")
				body(what);
}
