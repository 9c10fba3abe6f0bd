/* Users and groups: calls that change nothing, and calls that are not permitted. Other calls are refused by name. */
#include "conformance.h"
#include <grp.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>

static void *
waits(void *mutex)
{
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	return NULL;
}

/* While there is another thread: libc tells it by a signal. */
CASE(with_another_thread)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_t t;

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, waits, &m);
	errno_of(setresuid(-1, -1, -1));
	errno_of(setresgid(-1, -1, -1));
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
}

CASE(the_same)
{
	uid_t u[3];
	gid_t g[3];

	errno_of(getresuid(&u[0], &u[1], &u[2]));
	errno_of(getresgid(&g[0], &g[1], &g[2]));
	errno_of(setuid(u[1]));
	errno_of(seteuid(u[1]));
	errno_of(setreuid(u[0], u[1]));
	errno_of(setreuid(-1, -1));
	errno_of(setresuid(u[0], u[1], u[2]));
	errno_of(setgid(g[1]));
	errno_of(setegid(g[1]));
	errno_of(setregid(g[0], g[1]));
	errno_of(setregid(-1, -1));
	errno_of(setresgid(g[0], g[1], g[2]));
	value(setfsuid(u[1]) == (int)u[1]);
	value(setfsgid(g[1]) == (int)g[1]);
}

CASE(none)
{
	errno_of(setuid(-1));
	errno_of(setgid(-1));
	errno_of(seteuid(-1));
	errno_of(setegid(-1));
}

CASE(raw)
{
	errno_of(syscall(SYS_setuid, geteuid()));
	errno_of(syscall(SYS_setgid, getegid()));
	errno_of(syscall(SYS_setreuid, -1, -1));
	errno_of(syscall(SYS_setregid, -1, -1));
	errno_of(syscall(SYS_setresuid, -1, -1, -1));
	errno_of(syscall(SYS_setresgid, -1, -1, -1));
	value(syscall(SYS_setfsuid, -1) == (long)geteuid());
	value(syscall(SYS_setfsgid, -1) == (long)getegid());
}

/* Not permitted, except to the superuser. */
CASE(others)
{
	gid_t groups[NGROUPS_MAX];
	int count = getgroups(NGROUPS_MAX, groups);

	errno_of(geteuid() ? setuid(geteuid() + 1) : setuid(0));
	errno_of(geteuid() ? setresuid(0, 0, 0) : setresuid(0, 0, 0));
	errno_of(geteuid() ? setgid(getegid() + 1) : setgid(getegid()));
	errno_of(setgroups((size_t)count, groups));
}
