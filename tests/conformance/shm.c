/* Named shared memory. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "conformance.h"

static char name[64], long_name[NAME_MAX + 8];

static int
opened(const char *path, int flags, unsigned mode)
{
	int fd = shm_open(path, flags, mode);

	value(fd >= 0);
	if (fd < 0)
		returns(errno);
	return fd;
}

CASE(missing)
{
	snprintf(name, sizeof(name), "/conformance-shm-%d", (int)getpid());
	opened(name, O_RDWR, 0);
	errno_of(shm_unlink(name));
}

CASE(created)
{
	int fd = opened(name, O_CREAT | O_EXCL | O_RDWR, 0640), *at;
	struct stat info;

	fstat(fd, &info);
	value(info.st_mode & 0777);
	value((long)info.st_size);
	value(fcntl(fd, F_GETFD));
	errno_of(ftruncate(fd, 4096));
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	value(*at);
	*at = 7;
	errno_of(close(fd));
	fd = opened(name, O_RDONLY, 0);
	munmap(at, 4096);
	at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	value(*at);
	value(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	munmap(at, 4096);
	errno_of(close(fd));
	errno_of(shm_unlink(name));
	errno_of(shm_unlink(name));
	opened(name, O_RDWR, 0);
}

CASE(exclusive)
{
	int fd = opened(name, O_CREAT | O_EXCL | O_RDWR, 0600);

	opened(name, O_CREAT | O_EXCL | O_RDWR, 0600);
	close(opened(name, O_CREAT | O_RDWR, 0600));
	close(fd);
	errno_of(shm_unlink(name));
}

/* A removed object exists while it is in use, and a new one of its name is another object. */
CASE(unlinked)
{
	int a = opened(name, O_CREAT | O_RDWR, 0600), b;
	struct stat info;

	errno_of(ftruncate(a, 100));
	errno_of(shm_unlink(name));
	b = opened(name, O_CREAT | O_EXCL | O_RDWR, 0600);
	fstat(b, &info);
	value((long)info.st_size);
	fstat(a, &info);
	value((long)info.st_size);
	close(a);
	close(b);
	errno_of(shm_unlink(name));
}

CASE(truncated)
{
	int fd = opened(name, O_CREAT | O_RDWR, 0600);
	struct stat info;

	errno_of(ftruncate(fd, 100));
	close(fd);
	fd = opened(name, O_RDWR | O_TRUNC, 0);
	fstat(fd, &info);
	value((long)info.st_size);
	close(fd);
	errno_of(shm_unlink(name));
}

CASE(names)
{
	static const char *const bad[] = {"/", "", "//", "/a/b", "a/b", "/a/", "/.", "/.."};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		begin("names.bad_%zu", i);
		opened(bad[i], O_CREAT | O_RDWR, 0600);
		errno_of(shm_unlink(bad[i]));
	}
	for (int more = 0; more < 7; more++) {
		begin("names.long_%d", more);
		memset(long_name, 'x', sizeof(long_name));
		long_name[0] = '/';
		long_name[NAME_MAX + more] = '\0';
		close(opened(long_name, O_CREAT | O_RDWR, 0600));
		errno_of(shm_unlink(long_name));
	}
	begin("names.bare");
	close(opened(name + 1, O_CREAT | O_RDWR, 0600)); /* without a slash it is the same name */
	errno_of(shm_unlink(name));
}

CASE(mask)
{
	mode_t before = umask(077);
	int fd = opened(name, O_CREAT | O_RDWR, 0666);
	struct stat info;

	umask(before);
	fstat(fd, &info);
	value(info.st_mode & 0777);
	close(fd);
	errno_of(shm_unlink(name));
}

static int
makes(void *flags)
{
	int fd = shm_open(name, (int)(long)flags, 0600);

	return fd < 0 ? errno : close(fd);
}

CASE(by_other)
{
	returns(other(makes, (void *)(long)(O_CREAT | O_EXCL | O_RDWR)));
	returns(other(makes, (void *)(long)(O_CREAT | O_EXCL | O_RDWR)));
	returns(other(makes, (void *)(long)O_RDWR));
	errno_of(shm_unlink(name));
	returns(other(makes, (void *)(long)O_RDWR));
}
