/* What has no symbol: memory behind wrappers of malloc(), a mapped file, a thread-local and a local variable of another thread. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct job {
	int state;
	int count;
};

static void *
xmalloc(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		abort();
	return memory;
}

static void *
xcalloc(size_t size)
{
	return memset(xmalloc(size), 0, size);
}

static struct job *
job_new(void)
{
	return xcalloc(sizeof(struct job));
}

static __thread int own;
struct job *job;
int *shown, *page, *number;

static void *
run(void *way)
{
	switch (*(char *)way) {
	case 'j':
		job->count++;
		break;
	case 'o':
		*shown = 3;
		break;
	case 'p':
		page[1] = 1;
		break;
	default:
		*number = 5;
		break;
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	int fd = open("page.data", O_RDWR | O_CREAT | O_TRUNC, 0600), local = argc;
	pthread_t t;

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		return 1;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	job = job_new();
	shown = &own;
	number = &local;
	pthread_create(&t, NULL, run, argv[1]);
	job->count += *argv[1] == 'j';
	own += *argv[1] == 'o';
	page[1] += *argv[1] == 'p';
	local += *argv[1] == 'l';
	pthread_join(t, NULL);
	return 0;
}
