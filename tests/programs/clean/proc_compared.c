/*
 * Reads what /proc tells about the process and the machine, as servers do, and makes as many rounds as the last digits say.
 * The numbers are the same in every execution, so the same schedule gives the same execution, in processes of their own, too.
 */
/* options: --world=exec --check-determinism=all */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int rounds;

static void
read_file(const char *name)
{
	char text[4096];
	FILE *file = fopen(name, "r");
	size_t size;

	assert(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	assert(size > 0);
	fclose(file);
	text[size] = 0;
	for (size_t i = 0; i < size; i++)
		if (text[i] >= '0' && text[i] <= '9')
			atomic_store_explicit(&rounds, (rounds * 3 + text[i]) % 7, memory_order_relaxed);
}

static void *
work(void *arg)
{
	for (int i = rounds; i > 0; i--)
		atomic_fetch_add(&rounds, 1);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int pid = 0, parent = 0, vsize = 0;
	FILE *stat = fopen("/proc/self/stat", "r");

	assert(stat && fscanf(stat, "%d (%*[^)]) %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*u %d", &pid,
			      &parent, &vsize) == 3);
	fclose(stat);
	assert(pid == getpid() && parent == getppid() && vsize > 0);
	read_file("/proc/self/stat");
	read_file("/proc/self/statm");
	read_file("/proc/self/status");
	read_file("/proc/meminfo");
	read_file("/proc/loadavg");
	read_file("/proc/uptime");
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
