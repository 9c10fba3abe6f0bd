/*
 * A program that counts its threads in /proc until there is only one: the kernel's list differs from the program's.
 */
/* expect: /proc/self/task */
#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

static void *
worker(void *arg)
{
	return arg;
}

static int
count_threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	const struct dirent *entry;
	int count = 0;

	while (folder && (entry = readdir(folder)))
		count += entry->d_name[0] != '.';
	if (folder)
		closedir(folder);
	return count;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	while (count_threads() > 1)
		usleep(1000);
	pthread_join(t, NULL);
	return 0;
}
