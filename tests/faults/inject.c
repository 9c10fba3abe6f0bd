/*
 * Runs a command and lets the n-th of its system calls of one kind fail; its children are left alone.
 *
 *	inject KIND N COMMAND…		KIND: open, write, map, truncate, rename, fork, sync, remove
 *
 * Counted from when the command's main begins: its first fcntl(), by which it looks whether its descriptors are there. Ends with the
 * command's status (128 + the signal); "injected: NAME" in the file that INJECTED names says that there was an n-th.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct kind {
	const char *name;
	int error;
	long calls[10]; /* one more than the number; -1 ends them */
} kinds[] = {
	{"open", EMFILE, {SYS_open, SYS_openat, SYS_creat, SYS_memfd_create, SYS_pipe2, SYS_pipe, SYS_dup, -1}},
	{"write", ENOSPC, {SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, -1}},
	{"map", ENOMEM, {SYS_mmap, SYS_mremap, -1}},
	{"truncate", ENOSPC, {SYS_ftruncate, SYS_fallocate, -1}},
	{"rename", EACCES, {SYS_rename, SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat, -1}},
	{"fork", EAGAIN, {SYS_fork, SYS_vfork, SYS_clone, SYS_clone3, -1}},
	{"sync", EIO, {SYS_fsync, SYS_fdatasync, SYS_read, SYS_pread64, -1}},
	{"remove", EACCES, {SYS_unlink, SYS_unlinkat, SYS_rmdir, SYS_mkdir, -1}},
};

static const struct kind *
kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static int
is_of(const struct kind *kind, long call, const struct user_regs_struct *regs)
{
	if (call == SYS_mmap && (int)regs->r8 < 0 && !(regs->r10 & MAP_ANONYMOUS))
		return 0;
	for (const long *c = kind->calls; *c >= 0; c++)
		if (*c == call)
			return 1;
	return 0;
}

static void
say(const char *what, long call)
{
	const char *path = getenv("INJECTED");
	FILE *out = path ? fopen(path, "w") : NULL;

	if (!out)
		return;
	fprintf(out, "injected: %s of system call %ld\n", what, call);
	fclose(out);
}

/* Threads of the command: in a system call or not, and whether that is to fail. */
static struct thread {
	pid_t id;
	int inside, fails;
} threads[64];

static struct thread *
thread_of(pid_t id)
{
	struct thread *free = NULL;

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		if (threads[i].id == id)
			return &threads[i];
		if (!threads[i].id && !free)
			free = &threads[i];
	}
	if (free)
		*free = (struct thread){.id = id};
	return free;
}

static const struct kind *kind;
static long left;

/* At the beginning of a system call, and at its end. */
static void
system_call(struct thread *t)
{
	static int begun;
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, t->id, NULL, &regs) < 0)
		return;
	t->inside = !t->inside;
	if (t->inside && (long)regs.orig_rax == SYS_fcntl)
		begun = 1;
	if (t->inside && begun && is_of(kind, (long)regs.orig_rax, &regs) && --left == 0) {
		say(kind->name, (long)regs.orig_rax);
		t->fails = 1;
		regs.orig_rax = (unsigned long long)-1; /* none: it is not performed */
		ptrace(PTRACE_SETREGS, t->id, NULL, &regs);
	} else if (!t->inside && t->fails) {
		t->fails = 0;
		regs.rax = (unsigned long long)-(long long)kind->error;
		ptrace(PTRACE_SETREGS, t->id, NULL, &regs);
	}
}

int
main(int argc, char **argv)
{
	int status;
	pid_t child;

	kind = argc > 3 ? kind_of(argv[1]) : NULL;
	left = argc > 3 ? atol(argv[2]) : 0;
	if (!kind || left < 1)
		return 99;
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(77);
		raise(SIGSTOP);
		execvp(argv[3], argv + 3);
		_exit(98);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 99;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* a clone whose end sends no SIGCHLD is a thread; other children are not followed */
	if (ptrace(PTRACE_SETOPTIONS, child, NULL,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE) < 0)
		return 77;
	ptrace(PTRACE_SYSCALL, child, NULL, 0);
	for (;;) {
		pid_t id = waitpid(-1, &status, __WALL);
		struct thread *t = id > 0 ? thread_of(id) : NULL;
		int signal;

		if (!t)
			return 99;
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (id == child)
				return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			t->id = 0;
			continue;
		}
		signal = WSTOPSIG(status);
		if (signal == (SIGTRAP | 0x80))
			system_call(t);
		/* neither those of ptrace itself, nor the stop by which a new thread begins */
		if (signal == (SIGTRAP | 0x80) || signal == SIGTRAP || signal == SIGSTOP)
			signal = 0;
		ptrace(PTRACE_SYSCALL, id, NULL, signal);
	}
}
