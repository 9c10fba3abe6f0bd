/*
 * Segments and message queues of System V (sets of semaphores: engine/model/sync/semaphore_set.c). They belong to the machine, and outlive each process that does not
 * remove them: thousands of executions of a program that leaves that to its user would use up what the machine has, and the
 * program would be blamed for it. So what an execution has made goes with it.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/model/process/settings.h"
#include "engine/under/poison.h"

#define MADE_MAX 4096

static struct {
	int id;
	long remove; /* system call */
} made[MADE_MAX];

static uint32_t made_count;

static int
answer(long result)
{
	if (result >= 0)
		return (int)result;
	errno = (int)-result;
	return -1;
}

/* get: shmget and its like; size is of the second argument's type, which is the same register for all. */
static int
make(long get, key_t key, size_t size, int flags, long remove, uint64_t pc)
{
	bool three = get != SYS_msgget, creates = key == IPC_PRIVATE || (flags & IPC_CREAT);
	int exclusive = key == IPC_PRIVATE ? flags : flags | IPC_EXCL;
	long id;

	if (E.control && key != IPC_PRIVATE)
		sl_meet(&process_settings.keys_of_system_v, creates ? SL_OP_WRITES : SL_OP_READS, pc);
	if (!E.control || !creates)
		return answer(three ? sl_raw(get, key, size, flags) : sl_raw(get, key, flags));
	if (made_count == MADE_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "more than 4096 objects of System V in one execution");
	id = three ? sl_raw(get, key, size, exclusive) : sl_raw(get, key, exclusive);
	if (id == -EEXIST && !(flags & IPC_EXCL)) /* it is there: not made by this call */
		return answer(three ? sl_raw(get, key, size, flags) : sl_raw(get, key, flags));
	if (id >= 0) {
		made[made_count].id = (int)id;
		made[made_count++].remove = remove;
	}
	return answer(id);
}

SL_EXPORT int
shmget(key_t key, size_t size, int flags)
{
	return make(SYS_shmget, key, size, flags, SYS_shmctl, SL_PC);
}

SL_EXPORT int
msgget(key_t key, int flags)
{
	return make(SYS_msgget, key, 0, flags, SYS_msgctl, SL_PC);
}

/* Removing one: threads that look for its key find it before, and not after. */
static int
control(long call, int id, int command, const void *argument, uint64_t pc)
{
	if (E.control && command == IPC_RMID)
		sl_meet(&process_settings.keys_of_system_v, SL_OP_WRITES, pc);
	return answer(sl_raw(call, id, command, argument));
}

SL_EXPORT int
shmctl(int id, int command, struct shmid_ds *argument)
{
	return control(SYS_shmctl, id, command, argument, SL_PC);
}

SL_EXPORT int
msgctl(int id, int command, struct msqid_ds *argument)
{
	return control(SYS_msgctl, id, command, argument, SL_PC);
}

/* One that the execution has removed itself is gone, and its number is not given out again soon. */
void
sl_sysv_reset(void)
{
	for (; made_count; made_count--)
		sl_raw(made[made_count - 1].remove, made[made_count - 1].id, IPC_RMID, NULL);
}
