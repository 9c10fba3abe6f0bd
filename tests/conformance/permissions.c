/* user: nobody */
/* What a user without privileges may open, create and change; root may do everything. */
#include <fcntl.h>
#include <grp.h>
#include <mqueue.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "conformance.h"

static char name[64], folder[64], path[96];
static const unsigned modes[] = {0600, 0400, 0200, 0000, 0066, 0606};
static const int ways[] = {O_RDONLY, O_WRONLY, O_RDWR};

#define EACH(array, i) for (size_t i = 0; i < sizeof(array) / sizeof(*(array)); i++)

CASE(user)
{
	if (geteuid() == 0) {
		fputs("permissions: not for root, who may do all of it; tests/conformance.sh runs it as the user nobody\n",
		      stderr);
		exit(2);
	}
	snprintf(name, sizeof(name), "/conformance-permissions-%d", (int)getpid());
	strcpy(folder, "/tmp/permissionsXXXXXX");
	value(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/file", folder);
	value(geteuid() != 0);
}

static void
try_open(int fd)
{
	value(fd >= 0);
	if (fd < 0)
		returns(errno);
	else
		close(fd);
}

CASE(files)
{
	EACH(modes, i)
	{
		begin("files.mode_%o", modes[i]);
		try_open(open(path, O_CREAT | O_EXCL | O_RDWR, modes[i])); /* the creator has it open in any mode */
		EACH(ways, k) try_open(open(path, ways[k]));
		try_open(open(path, O_CREAT | O_RDWR, 0600));
		errno_of(access(path, R_OK));
		errno_of(access(path, W_OK));
		errno_of(unlink(path));
	}
}

CASE(folders)
{
	close(open(path, O_CREAT | O_RDWR, 0600));
	chmod(folder, 0600);
	try_open(open(path, O_RDWR));
	errno_of(access(path, F_OK));
	chmod(folder, 0500);
	try_open(open(path, O_RDWR));
	errno_of(unlink(path));
	errno_of(mkdir(strcat(path, "2"), 0700));
	try_open(open(path, O_CREAT | O_RDWR, 0600));
	path[strlen(path) - 1] = '\0';
	chmod(folder, 0700);
	errno_of(unlink(path));
	/* not the user's own files, and where even root could do no harm */
	try_open(open("/proc/sleave-conformance", O_CREAT | O_RDWR, 0600));
	errno_of(mkdir("/proc/sleave-conformance", 0700));
	errno_of(unlink("/proc/version"));
	try_open(open("/proc/version", O_RDWR));
}

CASE(memory)
{
	EACH(modes, i)
	{
		begin("memory.mode_%o", modes[i]);
		try_open(shm_open(name, O_CREAT | O_EXCL | O_RDWR, modes[i]));
		try_open(shm_open(name, O_RDONLY, 0));
		try_open(shm_open(name, O_RDWR, 0));
		try_open(shm_open(name, O_CREAT | O_RDWR, 0600));
		try_open(shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600));
		errno_of(shm_unlink(name));
	}
}

static void
try_semaphore(sem_t *s)
{
	value(s != SEM_FAILED);
	if (s == SEM_FAILED)
		returns(errno);
	else
		sem_close(s);
}

static int
makes_hidden(void *unused)
{
	int fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0);

	(void)unused;
	return fd < 0 ? errno : close(fd);
}

CASE(by_other)
{
	returns(other(makes_hidden, NULL));
	try_open(shm_open(name, O_RDWR, 0));
	errno_of(shm_unlink(name));
}

CASE(semaphores)
{
	EACH(modes, i)
	{
		begin("semaphores.mode_%o", modes[i]);
		try_semaphore(sem_open(name, O_CREAT | O_EXCL, modes[i], 1));
		try_semaphore(sem_open(name, 0));
		try_semaphore(sem_open(name, O_CREAT, 0600, 1));
		try_semaphore(sem_open(name, O_CREAT | O_EXCL, 0600, 1));
		errno_of(sem_unlink(name));
	}
}

static void
try_queue(mqd_t q)
{
	value(q != (mqd_t)-1);
	if (q == (mqd_t)-1)
		returns(errno);
	else
		mq_close(q);
}

CASE(queues)
{
	struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 8};

	EACH(modes, i)
	{
		begin("queues.mode_%o", modes[i]);
		try_queue(mq_open(name, O_CREAT | O_EXCL | O_RDWR, modes[i], &attr));
		EACH(ways, k) try_queue(mq_open(name, ways[k]));
		try_queue(mq_open(name, O_CREAT | O_RDWR, 0600, &attr));
		try_queue(mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attr));
		errno_of(mq_unlink(name));
	}
}

CASE(queue_sizes)
{
	static const long sizes[][2] = {{10, 8192}, {11, 8}, {2, 8193}, {0, 8}, {2, 0}, {65537, 8}};

	EACH(sizes, i)
	{
		struct mq_attr attr = {.mq_maxmsg = sizes[i][0], .mq_msgsize = sizes[i][1]};

		begin("queue_sizes.%ld_%ld", sizes[i][0], sizes[i][1]);
		try_queue(mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attr));
		errno_of(mq_unlink(name));
	}
}

CASE(masks)
{
	struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 8};
	mode_t before = umask(0700);

	try_open(open(path, O_CREAT | O_RDWR, 0666));
	try_open(open(path, O_RDWR));
	try_open(shm_open(name, O_CREAT | O_RDWR, 0666));
	try_open(shm_open(name, O_RDWR, 0));
	try_semaphore(sem_open(name, O_CREAT, 0666, 1));
	try_semaphore(sem_open(name, 0));
	try_queue(mq_open(name, O_CREAT | O_RDWR, 0666, &attr));
	try_queue(mq_open(name, O_RDWR));
	umask(before);
	errno_of(unlink(path));
	errno_of(shm_unlink(name));
	errno_of(sem_unlink(name));
	errno_of(mq_unlink(name));
}

CASE(privileges)
{
	struct rlimit limit;
	gid_t group = getgid();

	errno_of(setuid(0));
	errno_of(seteuid(geteuid()));
	errno_of(setgid(0));
	errno_of(setgroups(1, &group));
	errno_of(chown("/tmp", 0, 0));
	errno_of(mknod("/tmp/sleave-device", S_IFCHR | 0600, 0x103));
	getrlimit(RLIMIT_CORE, &limit);
	limit.rlim_max = limit.rlim_cur = 4096;
	errno_of(setrlimit(RLIMIT_CORE, &limit));
	limit.rlim_max = 8192;
	errno_of(setrlimit(RLIMIT_CORE, &limit));
}

CASE(gone)
{
	errno_of(rmdir(folder));
}
