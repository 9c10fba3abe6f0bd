/*
 * Locks of files: two threads that have opened the file separately exclude each other with flock(), with shared
 * locks not, and by open file descriptions (fcntl). A lock goes with its last descriptor.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static char path[] = "lockXXXXXX";
static int by_flock, by_fcntl, files[2];

static void *
worker(void *number)
{
	int fd = files[(long)number];
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1}, open = {.l_type = F_UNLCK, .l_len = 1};

	assert(!flock(fd, LOCK_EX));
	by_flock++;
	assert(!flock(fd, LOCK_UN));
	assert(!fcntl(fd, F_OFD_SETLKW, &lock));
	by_fcntl++;
	assert(!fcntl(fd, F_OFD_SETLK, &open));
	assert(!flock(fd, LOCK_SH));
	close(fd);
	return NULL;
}

int
main(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	pthread_t threads[2];

	files[0] = mkstemp(path);
	files[1] = open(path, O_RDWR);
	assert(files[0] >= 0 && files[1] >= 0);
	assert(!flock(files[0], LOCK_EX) && flock(files[1], LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK);
	assert(!flock(files[0], LOCK_SH) && !flock(files[1], LOCK_SH | LOCK_NB) && !flock(files[0], LOCK_UN));
	assert(flock(files[0], LOCK_EX | LOCK_NB) == -1 && !flock(files[1], LOCK_UN));
	assert(!fcntl(files[0], F_OFD_SETLK, &lock) && fcntl(files[1], F_OFD_SETLK, &lock) == -1 && errno == EAGAIN);
	lock.l_type = F_UNLCK;
	assert(!fcntl(files[0], F_OFD_SETLK, &lock));
	assert(!lockf(files[0], F_LOCK, 0) && !lockf(files[1], F_TEST, 0) && !lockf(files[1], F_ULOCK, 0));
	assert(flock(files[0], 99) == -1 && errno == EINVAL && flock(-1, LOCK_SH) == -1 && errno == EBADF);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(by_flock == 2 && by_fcntl == 2 && !unlink(path));
	return 0;
}
