/*
 * What libc and the dynamic linker map by themselves (locales, conversions, libraries of name services),
 * and what is left of a mapping that was moved or unmapped in part, is gone when the next execution begins.
 */
/* options: --strategy=random --schedules=1500 --world=memory */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <iconv.h>
#include <locale.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
map(void *arg)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char *at = mmap(NULL, 8 * 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	iconv_t cd;

	pthread_mutex_lock(&lock);
	assert(fd >= 0 && at != MAP_FAILED);
	assert(munmap(at, 4096) == 0);
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert(mremap(at, 4096, 8 * 4096, MREMAP_MAYMOVE) != MAP_FAILED);
	close(fd);
	setlocale(LC_ALL, "C.UTF-8");
	cd = iconv_open("UTF-16", "ISO-8859-15");
	assert(cd != (iconv_t)-1);
	getpwnam("nobody");
	dlopen("libm.so.6", RTLD_NOW);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	pthread_t threads[2];
	char line[512];

	while (fgets(line, sizeof(line), maps))
		assert(!strstr(line, "gconv") && !strstr(line, "/locale/") && !strstr(line, "passwd"));
	fclose(maps);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, map, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
