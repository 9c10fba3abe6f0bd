/* What /proc and prctl() tell about the program's threads: their number and their names. */
#include "conformance.h"
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int
read_text(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);

	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Parsed by libc: the length of these files varies. */
static void
count_threads(void)
{
	FILE *status = fopen("/proc/self/status", "r"), *stat = fopen("/proc/self/stat", "r");
	int count = -1, field = -1;

	while (status && fscanf(status, " Threads: %d", &count) != 1 && fscanf(status, "%*[^\n]") == 0)
		;
	value(count);
	value(stat && fscanf(stat, "%*d (%*[^)]) %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d", &field) == 1);
	value(field);
	if (status)
		fclose(status);
	if (stat)
		fclose(stat);
}

CASE(alone)
{
	count_threads();
}

static void *
waits(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

CASE(with_two_more)
{
	pthread_t a, b;

	pthread_mutex_lock(&lock);
	pthread_create(&a, NULL, waits, NULL);
	pthread_create(&b, NULL, waits, NULL);
	count_threads();
	pthread_mutex_unlock(&lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

static int
named(void *name)
{
	char got[16] = "", known[16] = "";

	if (prctl(PR_SET_NAME, name) || prctl(PR_GET_NAME, got) || pthread_getname_np(pthread_self(), known, sizeof(known)))
		return -1;
	return !strncmp(got, name, 15) && !strcmp(got, known);
}

CASE(names)
{
	char text[64], first[16] = "", raw[16] = "";

	errno_of(pthread_setname_np(pthread_self(), "first") ? -1 : 0);
	value(other(named, (void *)"second"));
	value(other(named, (void *)"a name that is too long"));
	errno_of(prctl(PR_GET_NAME, first));
	word(first);
	errno_of(syscall(SYS_prctl, PR_GET_NAME, raw, 0, 0, 0));
	word(raw);
	value(read_text("/proc/self/comm", text, sizeof(text)));
	text[strcspn(text, "\n")] = 0;
	word(text);
	errno_of(syscall(SYS_prctl, PR_SET_NAME, "third", 0, 0, 0));
	errno_of(prctl(PR_GET_NAME, first));
	word(first);
}

CASE(missing)
{
	char text[64];

	value(read_text("/proc/self/none", text, sizeof(text)));
	returns(errno == EBADF ? 0 : errno);
}
