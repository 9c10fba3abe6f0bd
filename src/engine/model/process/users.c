/*
 * The process's user and group, and their permissions for named objects of the engine.
 *
 * libc changes the user of all threads by a signal to each of them, which parked threads would never handle. And a
 * process can't regain given-up privileges, so the next execution in the same process could not begin like this
 * one. Calls that change nothing, or are not permitted, return their result; those that would change something are
 * refused by name.
 */
#include "engine/model/process/users.h"
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/under/poison.h"

#define SAME ((unsigned)-1)
#define GROUPS_MAX 65536

/* The real, effective and saved number of the user or the group. */
struct ids {
	unsigned real, effective, saved;
};

static bool
is_capable(unsigned capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	return sl_raw(SYS_capget, &header, data) == 0 && (data[capability / 32].effective >> capability % 32 & 1);
}

static struct ids
ids_of(bool group)
{
	struct ids now;

	sl_raw(group ? SYS_getresgid : SYS_getresuid, &now.real, &now.effective, &now.saved);
	return now;
}

/* ---- changing them ---- */

static bool
is_one_of(unsigned id, const struct ids *now)
{
	return id == now->real || id == now->effective || id == now->saved;
}

/* Returns the kernel's result if nothing changes; else refuses the call. */
static int
change(struct ids to, bool allowed, bool group, const char *name, uint64_t pc)
{
	struct ids now = ids_of(group);

	if (!allowed)
		return (int)sl_io_return(-EPERM);
	to.real = to.real == SAME ? now.real : to.real;
	to.effective = to.effective == SAME ? now.effective : to.effective;
	to.saved = to.saved == SAME ? now.saved : to.saved;
	if (to.real != now.real || to.effective != now.effective || to.saved != now.saved)
		sl_unsupported(name, pc);
	return 0;
}

/* setuid(), setgid(): all three with the privilege, otherwise the effective one. */
static int
set(unsigned id, bool group, const char *name, uint64_t pc)
{
	struct ids now = ids_of(group);

	if (id == SAME)
		return (int)sl_io_return(-EINVAL);
	if (is_capable(group ? CAP_SETGID : CAP_SETUID))
		return change((struct ids){id, id, id}, true, group, name, pc);
	return change((struct ids){SAME, id, SAME}, id == now.real || id == now.saved, group, name, pc);
}

static int
set_three(unsigned real, unsigned effective, unsigned saved, bool group, const char *name, uint64_t pc)
{
	struct ids now = ids_of(group);
	bool allowed =
		is_capable(group ? CAP_SETGID : CAP_SETUID) ||
		((real == SAME || is_one_of(real, &now)) && (effective == SAME || is_one_of(effective, &now)) &&
		 (saved == SAME || is_one_of(saved, &now)));

	return change((struct ids){real, effective, saved}, allowed, group, name, pc);
}

static int
set_effective(unsigned id, bool group, const char *name, uint64_t pc)
{
	return id == SAME ? (int)sl_io_return(-EINVAL) : set_three(SAME, id, SAME, group, name, pc);
}

/*
 * The saved number becomes the effective one if the real one is set, or if the effective one is set to another
 * number than the real one.
 */
static int
set_two(unsigned real, unsigned effective, bool group, const char *name, uint64_t pc)
{
	struct ids now = ids_of(group);
	bool allowed = is_capable(group ? CAP_SETGID : CAP_SETUID) ||
		       ((real == SAME || real == now.real || real == now.effective) &&
			(effective == SAME || is_one_of(effective, &now)));
	bool saves = real != SAME || (effective != SAME && effective != now.real);
	unsigned next = effective == SAME ? now.effective : effective;

	return change((struct ids){real, effective, saves ? next : SAME}, allowed, group, name, pc);
}

/* clang-format off */
SL_DEFINE(int, setuid, (uid_t id), (id)) { return set(id, false, "setuid", pc); }
SL_DEFINE(int, setgid, (gid_t id), (id)) { return set(id, true, "setgid", pc); }
SL_DEFINE(int, seteuid, (uid_t id), (id)) { return set_effective(id, false, "seteuid", pc); }
SL_DEFINE(int, setegid, (gid_t id), (id)) { return set_effective(id, true, "setegid", pc); }
SL_DEFINE(int, setreuid, (uid_t r, uid_t e), (r, e)) { return set_two(r, e, false, "setreuid", pc); }
SL_DEFINE(int, setregid, (gid_t r, gid_t e), (r, e)) { return set_two(r, e, true, "setregid", pc); }
SL_DEFINE(int, setresuid, (uid_t r, uid_t e, uid_t s), (r, e, s)) { return set_three(r, e, s, false, "setresuid", pc); }
SL_DEFINE(int, setresgid, (gid_t r, gid_t e, gid_t s), (r, e, s)) { return set_three(r, e, s, true, "setresgid", pc); }
/* clang-format on */

/* For the file system alone; the result is the previous number, and there is no error. */
#define FOR_FILES(function, number, is_group)                                                                     \
	SL_DEFINE(int, function, (uid_t id), (id))                                                                \
	{                                                                                                         \
		unsigned now = (unsigned)sl_raw(number, SAME); /* a query: no user has that number */             \
		struct ids others = ids_of(is_group);                                                             \
                                                                                                                  \
		if (id != SAME && id != now &&                                                                    \
		    (is_one_of(id, &others) || is_capable((is_group) ? CAP_SETGID : CAP_SETUID)))                 \
			sl_unsupported(#function, pc);                                                            \
		return (int)now;                                                                                  \
	}
FOR_FILES(setfsuid, SYS_setfsuid, false)
FOR_FILES(setfsgid, SYS_setfsgid, true)

static bool
is_member(gid_t group, const gid_t *groups, long count)
{
	for (long i = 0; i < count; i++)
		if (groups[i] == group)
			return true;
	return false;
}

SL_DEFINE(int, setgroups, (size_t count, const gid_t *groups), (count, groups))
{
	long now = sl_raw(SYS_getgroups, 0, NULL);
	gid_t *known = sl_scratch_alloc((size_t)(now > 0 ? now : 1) * sizeof(*known));

	if (!is_capable(CAP_SETGID))
		return (int)sl_io_return(-EPERM);
	if (count > GROUPS_MAX)
		return (int)sl_io_return(-EINVAL);
	now = sl_raw(SYS_getgroups, now, known);
	for (size_t i = 0; i < count; i++)
		if (!is_member(groups[i], known, now))
			sl_unsupported("setgroups", pc);
	for (long i = 0; i < now; i++)
		if (!is_member(known[i], groups, (long)count))
			sl_unsupported("setgroups", pc);
	return 0;
}

/* The groups of a user are defined outside of the program. */
SL_DEFINE(int, initgroups, (const char *user, gid_t group), (user, group))
{
	(void)user;
	(void)group;
	if (!is_capable(CAP_SETGID))
		return (int)sl_io_return(-EPERM);
	sl_unsupported("initgroups", pc);
}

/* System calls by syscall() or an instruction of the program, which in the kernel apply to one thread alone. */
bool
sl_users_call(long number, const long a[6], long *result)
{
	int done;

	switch (number) {
	case SYS_setuid:
		done = setuid((uid_t)a[0]);
		break;
	case SYS_setgid:
		done = setgid((gid_t)a[0]);
		break;
	case SYS_setreuid:
		done = setreuid((uid_t)a[0], (uid_t)a[1]);
		break;
	case SYS_setregid:
		done = setregid((gid_t)a[0], (gid_t)a[1]);
		break;
	case SYS_setresuid:
		done = setresuid((uid_t)a[0], (uid_t)a[1], (uid_t)a[2]);
		break;
	case SYS_setresgid:
		done = setresgid((gid_t)a[0], (gid_t)a[1], (gid_t)a[2]);
		break;
	case SYS_setfsuid:
		done = setfsuid((uid_t)a[0]);
		break;
	case SYS_setfsgid:
		done = setfsgid((gid_t)a[0]);
		break;
	case SYS_setgroups:
		done = setgroups((size_t)a[0], (const gid_t *)a[1]);
		break;
	default:
		return false;
	}
	*result = done == -1 ? -errno : done;
	return true;
}

/* ---- named objects ---- */

struct sl_owner
sl_owner_new(unsigned mode)
{
	long mask = sl_raw(SYS_umask, 0);

	sl_raw(SYS_umask, mask);
	return (struct sl_owner){.user = ids_of(false).effective,
				 .group = ids_of(true).effective,
				 .mode = mode & 0777 & ~(unsigned)mask};
}

bool
sl_owner_allows(const struct sl_owner *owner, bool reads, bool writes)
{
	unsigned wanted = (reads ? 4u : 0) | (writes ? 2u : 0), mode = owner->mode;
	gid_t groups[256] = {0}; /* the analyser does not see that the kernel fills it in */
	long count = sl_raw(SYS_getgroups, 256, groups);

	if (owner->user == ids_of(false).effective)
		mode >>= 6;
	else if (owner->group == ids_of(true).effective || is_member((gid_t)owner->group, groups, count))
		mode >>= 3;
	return !(wanted & ~mode) || is_capable(CAP_DAC_OVERRIDE);
}

bool
sl_may_schedule(void)
{
	return is_capable(CAP_SYS_NICE);
}

bool
sl_may_use_more(void)
{
	return is_capable(CAP_SYS_RESOURCE);
}
