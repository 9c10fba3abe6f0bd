/* Named semaphores. */
#include "conformance.h"
#include <fcntl.h>

static char name[64];

CASE(missing)
{
	snprintf(name, sizeof(name), "/conformance-%d", (int)getpid());
	value(sem_open(name, 0) == SEM_FAILED);
	returns(errno);
	errno_of(sem_unlink(name));
}

CASE(created)
{
	sem_t *s = sem_open(name, O_CREAT | O_EXCL, 0600, 2);
	int v = -1;

	value(s != SEM_FAILED);
	errno_of(sem_getvalue(s, &v));
	value(v);
	errno_of(sem_wait(s));
	errno_of(sem_trywait(s));
	errno_of(sem_trywait(s));
	errno_of(sem_post(s));
	errno_of(sem_timedwait(s, &limits[0].time));
	errno_of(sem_timedwait(s, &limits[0].time));
	errno_of(sem_close(s));
	errno_of(sem_unlink(name));
	errno_of(sem_unlink(name));
}

CASE(exclusive)
{
	sem_t *s = sem_open(name, O_CREAT, 0600, 1);

	value(s != SEM_FAILED);
	value(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED);
	returns(errno);
	errno_of(sem_close(s));
	errno_of(sem_unlink(name));
}

/* The same name is the same semaphore, at the same address. */
CASE(opened_twice)
{
	sem_t *a = sem_open(name, O_CREAT, 0600, 0), *b = sem_open(name, 0);

	value(a == b);
	errno_of(sem_post(a));
	errno_of(sem_trywait(b));
	errno_of(sem_trywait(a));
	errno_of(sem_close(a));
	errno_of(sem_post(b));
	errno_of(sem_close(b));
	errno_of(sem_unlink(name));
}

CASE(bad_arguments)
{
	value(sem_open("/", O_CREAT, 0600, 1) == SEM_FAILED);
	returns(errno);
	value(sem_open("/a/b", O_CREAT, 0600, 1) == SEM_FAILED);
	returns(errno);
	value(sem_open(name, O_CREAT, 0600, SEM_VALUE_MAX + 1u) == SEM_FAILED);
	returns(errno);
	errno_of(sem_unlink("/"));
}

static int
post_named(void *s)
{
	return sem_post(s);
}

CASE(by_other)
{
	sem_t *s = sem_open(name, O_CREAT, 0600, 0);

	value(other(post_named, s));
	errno_of(sem_wait(s));
	errno_of(sem_close(s));
	errno_of(sem_unlink(name));
}
