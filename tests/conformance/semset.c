/* Sets of semaphores: semget, semop, semtimedop, semctl. */
#include "conformance.h"
#include <signal.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#define KEY 0x534c5345

union argument {
	int value;
	struct semid_ds *set;
	unsigned short *values;
};

static int
fresh(int count)
{
	int id = semget(IPC_PRIVATE, count, 0600);

	if (id < 0)
		abort();
	return id;
}

static int
get(int id, int number, int command)
{
	return semctl(id, number, command);
}

static int
set(int id, int number, int to)
{
	return semctl(id, number, SETVAL, (union argument){.value = to});
}

static void
gone(int id)
{
	errno_of(semctl(id, 0, IPC_RMID));
}

static int
one(int id, unsigned short number, int operation, int flags)
{
	struct sembuf o = {number, (short)operation, (short)flags};

	return semop(id, &o, 1);
}

static void
values_of(int id, int count)
{
	for (int i = 0; i < count; i++)
		value(get(id, i, GETVAL));
}

CASE(counts)
{
	static const int counts[] = {-1, 0, 1, 2, 250};

	for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		int id;

		begin("count.%d", counts[i]);
		errno_of(id = semget(IPC_PRIVATE, counts[i], 0600));
		if (id != -1)
			gone(id);
	}
}

CASE(keys)
{
	int id, again;

	errno_of(semget(KEY, 1, 0600));
	errno_of(id = semget(KEY, 2, IPC_CREAT | 0600));
	again = semget(KEY, 0, 0);
	value(again == id);
	value(semget(KEY, 2, IPC_CREAT | 0600) == id);
	errno_of(semget(KEY, 3, 0));
	errno_of(semget(KEY, 1, IPC_CREAT | IPC_EXCL | 0600));
	gone(id);
	errno_of(semget(KEY, 1, 0));
	errno_of(semget(KEY, 0, IPC_CREAT | 0600));
	gone(id);
}

CASE(set_values)
{
	static const int to[] = {0, 1, 32767, 32768, -1};
	int id = fresh(2);

	values_of(id, 2);
	for (unsigned i = 0; i < sizeof(to) / sizeof(*to); i++) {
		begin("set.%d", to[i]);
		errno_of(set(id, 1, to[i]));
		values_of(id, 2);
	}
	begin("set.rest");
	errno_of(set(id, 2, 1));
	errno_of(set(id, -1, 1));
	errno_of(get(id, 2, GETVAL));
	errno_of(get(id, -1, GETPID));
	errno_of(get(id, 2, GETNCNT));
	errno_of(get(id, 0, 4711));
	gone(id);
}

CASE(all_values)
{
	unsigned short to[3] = {1, 2, 3}, seen[3] = {9, 9, 9}, wrong[3] = {4, 40000, 5};
	int id = fresh(3);

	errno_of(semctl(id, 0, SETALL, (union argument){.values = to}));
	errno_of(semctl(id, 0, SETALL, (union argument){.values = wrong}));
	errno_of(semctl(id, 77, GETALL, (union argument){.values = seen}));
	for (int i = 0; i < 3; i++)
		value(seen[i]);
	gone(id);
}

CASE(described)
{
	struct semid_ds d;
	int id = fresh(3);

	memset(&d, 0xff, sizeof(d));
	errno_of(semctl(id, 0, IPC_STAT, (union argument){.set = &d}));
	value((long)d.sem_nsems);
	value(d.sem_perm.mode & 0777);
	value(d.sem_perm.uid == geteuid());
	value(d.sem_perm.cgid == getegid());
	value(d.sem_perm.__key);
	value(d.sem_otime != 0);
	value(d.sem_ctime > 1000000);
	errno_of(one(id, 0, 1, 0));
	d.sem_perm.mode = 0640;
	errno_of(semctl(id, 0, IPC_SET, (union argument){.set = &d}));
	errno_of(semctl(id, 0, IPC_STAT, (union argument){.set = &d}));
	value(d.sem_perm.mode & 0777);
	value(d.sem_otime != 0);
	gone(id);
}

CASE(operations)
{
	int id = fresh(2);

	errno_of(one(id, 0, 3, 0));
	errno_of(one(id, 0, -2, 0));
	errno_of(one(id, 1, 0, 0));
	errno_of(one(id, 0, -2, IPC_NOWAIT));
	errno_of(one(id, 0, 0, IPC_NOWAIT));
	errno_of(one(id, 0, 32766, 0));
	errno_of(one(id, 0, 1, 0));
	errno_of(one(id, 0, -32767, 0));
	values_of(id, 2);
	value(get(id, 0, GETPID) == getpid());
	gone(id);
}

CASE(wrong_operations)
{
	static struct sembuf many[501];
	struct sembuf o = {0, 1, 0};
	int id = fresh(1);

	errno_of(semop(id, &o, 0));
	errno_of(semop(id, many, 501));
	errno_of(semop(id, many, 500));
	errno_of(one(id, 1, 1, 0));
	errno_of(one(-1, 0, 1, 0));
	gone(id);
	errno_of(one(id, 0, 1, 0));
	errno_of(get(id, 0, GETVAL));
	gone(id);
}

/* All or nothing; each operation sees what those before it have done. */
CASE(several)
{
	struct sembuf both[2] = {{0, -1, IPC_NOWAIT}, {1, -1, IPC_NOWAIT}};
	struct sembuf same[3] = {{0, 1, 0}, {0, -1, 0}, {0, 0, IPC_NOWAIT}};
	struct sembuf last[2] = {{0, 5, 0}, {1, 32767, 0}};
	int id = fresh(2);

	errno_of(set(id, 0, 1));
	errno_of(semop(id, both, 2));
	values_of(id, 2);
	errno_of(set(id, 1, 1));
	errno_of(semop(id, both, 2));
	values_of(id, 2);
	errno_of(semop(id, same, 3));
	values_of(id, 2);
	errno_of(set(id, 1, 1));
	errno_of(semop(id, last, 2));
	values_of(id, 2);
	gone(id);
}

CASE(undo)
{
	int id = fresh(1);

	errno_of(one(id, 0, 2, SEM_UNDO));
	errno_of(one(id, 0, -1, SEM_UNDO));
	errno_of(one(id, 0, -1, 0));
	values_of(id, 1);
	errno_of(set(id, 0, 32767));
	errno_of(one(id, 0, -32767, SEM_UNDO));
	errno_of(one(id, 0, 1, 0));
	errno_of(one(id, 0, -1, SEM_UNDO));
	values_of(id, 1);
	gone(id);
}

CASE(time_limits)
{
	static const struct limit relative[] = {
		{"now", {0, 0}}, {"soon", {0, 1000}}, {"negative", {-1, 0}}, {"nsec_too_big", {0, 1000000000}}, {"nsec_negative", {0, -1}},
	};

	for (unsigned free = 0; free < 2; free++)
		for (unsigned i = 0; i < sizeof(relative) / sizeof(*relative); i++) {
			struct sembuf o = {0, -1, 0};
			int id = fresh(1);

			begin("limit.%s.%s", free ? "free" : "taken", relative[i].name);
			set(id, 0, (int)free);
			errno_of(semtimedop(id, &o, 1, &relative[i].time));
			values_of(id, 1);
			gone(id);
		}
}

/* ---- threads ---- */

struct waiter {
	int id, error;
	struct sembuf operation;
	const struct timespec *limit;
	pthread_t thread;
};

static void *
wait_(void *argument)
{
	struct waiter *w = argument;

	w->error = semtimedop(w->id, &w->operation, 1, w->limit) ? errno : 0;
	return NULL;
}

/* Until it sleeps. */
static void
begins(struct waiter *w, int id, int operation)
{
	int command = operation ? GETNCNT : GETZCNT, before = get(id, 0, command);

	*w = (struct waiter){.id = id, .operation = {0, (short)operation, 0}};
	pthread_create(&w->thread, NULL, wait_, w);
	while (get(id, 0, command) == before)
		sched_yield();
}

static void
ends(struct waiter *w)
{
	pthread_join(w->thread, NULL);
	returns(w->error);
}

CASE(posted)
{
	struct waiter w;
	int id = fresh(1);

	begins(&w, id, -2);
	value(get(id, 0, GETNCNT));
	value(get(id, 0, GETZCNT));
	errno_of(one(id, 0, 1, 0));
	value(get(id, 0, GETNCNT));
	errno_of(one(id, 0, 1, 0));
	ends(&w);
	value(get(id, 0, GETNCNT));
	values_of(id, 1);
	gone(id);
}

/* What a waiter was given no other thread can take. */
CASE(handed_over)
{
	struct waiter w, z;
	int id = fresh(1);

	begins(&w, id, -1);
	errno_of(one(id, 0, 1, 0));
	errno_of(one(id, 0, -1, IPC_NOWAIT));
	ends(&w);
	errno_of(one(id, 0, 1, 0));
	begins(&z, id, 0);
	value(get(id, 0, GETZCNT));
	errno_of(one(id, 0, -1, 0));
	errno_of(one(id, 0, 1, 0));
	ends(&z);
	values_of(id, 1);
	gone(id);
}

/* The first comes first; one that asks for less may go before. */
CASE(in_order)
{
	struct waiter w, v;
	int id = fresh(1);

	begins(&w, id, -3);
	begins(&v, id, -1);
	value(get(id, 0, GETNCNT));
	errno_of(one(id, 0, 2, 0));
	ends(&v);
	value(get(id, 0, GETNCNT));
	values_of(id, 1);
	errno_of(one(id, 0, 2, 0));
	ends(&w);
	values_of(id, 1);
	gone(id);
}

CASE(set_by_control)
{
	unsigned short to[1] = {4};
	struct waiter w, v;
	int id = fresh(1);

	begins(&w, id, -2);
	errno_of(set(id, 0, 2));
	ends(&w);
	begins(&v, id, -3);
	errno_of(semctl(id, 0, SETALL, (union argument){.values = to}));
	ends(&v);
	values_of(id, 1);
	gone(id);
}

CASE(removed)
{
	struct waiter w, z;
	int id = fresh(1);

	errno_of(set(id, 0, 1));
	begins(&w, id, -2);
	begins(&z, id, 0);
	gone(id);
	ends(&w);
	ends(&z);
	errno_of(one(id, 0, 1, 0));
}

static void
handle(int signal)
{
	(void)signal;
}

CASE(interrupted)
{
	struct sigaction a = {.sa_handler = handle, .sa_flags = SA_RESTART}, before;
	struct waiter w;
	int id = fresh(1);

	sigaction(SIGUSR1, &a, &before);
	begins(&w, id, -1);
	pthread_kill(w.thread, SIGUSR1);
	ends(&w);
	value(get(id, 0, GETNCNT));
	values_of(id, 1);
	sigaction(SIGUSR1, &before, NULL);
	gone(id);
}
