/*
 * The engine's start: resolves the real functions, and takes over before main().
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/model/io/channel.h"
#include "engine/realtime/rt_follow.h"
#include "engine/section/criterion_tests.h"
#include "engine/section/section.h"

struct sl_real sl_real;

/* glibc has two versions of condition variables; without a version the old one may be found. */
void *
sl_resolve(const char *name)
{
	void *found = NULL;

	if (sl_text_begins(name, "pthread_cond_"))
		found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
	if (!found)
		found = dlsym(RTLD_NEXT, name);
	return found ? found : dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5"); /* for old programs only */
}

void
sl_boot(void)
{
	if (E.process.booted)
		return;
	E.process.booted = true;
#define SL_REAL(type, name, args) *(void **)&sl_real.name = sl_resolve(#name);
#include "engine/interpose/real.inc"
#include "engine/under/poison.h"
#undef SL_REAL
	sl_unsupported_boot();
	sl_process_boot();
	sl_libraries_boot();
	sl_new_boot();
	sl_touched_boot();
	sl_terminate_boot();
	sl_setjmp_boot();
}

/*
 * Another runtime in this process would define the same functions, use the same addresses, or get the callbacks
 * instead of the engine. It is recognised by the name of its library or, if it is linked into the program, by the
 * function that starts it.
 */
#define BESIDE(name)                                                                                              \
	name " is linked into the program, and can't run in one process with Sleave, in any mode: build the "     \
	     "program for Sleave separately, with `sleave cc` or just with -lsleave, without "
static const struct {
	const char *name, *symbol, *reason;
} runtimes[] = {
	{"tsan", "__tsan_init", BESIDE("the compiler's own ThreadSanitizer") "-fsanitize=thread or -ltsan"},
	{"asan", "__asan_init", BESIDE("AddressSanitizer") "-fsanitize=address"},
	{"hwasan", "__hwasan_init", BESIDE("HWAddressSanitizer") "-fsanitize=hwaddress"},
	{"lsan", "__lsan_init", BESIDE("LeakSanitizer") "-fsanitize=leak"},
	{"msan", "__msan_init", BESIDE("MemorySanitizer") "-fsanitize=memory"},
};
#define RUNTIMES (sizeof(runtimes) / sizeof(*runtimes))

/* Recognises libraries like libtsan.so.2 and libclang_rt.asan-x86_64.so. */
static int
find_runtime(struct dl_phdr_info *info, size_t size, void *reason)
{
	const char *path = info->dlpi_name, *name = path;

	(void)size;
	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	if (!sl_text_begins(name, "lib"))
		return 0;
	name += sl_text_begins(name, "libclang_rt.") ? sizeof("libclang_rt.") - 1 : sizeof("lib") - 1;
	for (size_t i = 0; i < RUNTIMES; i++) {
		char next = sl_text_begins(name, runtimes[i].name) ? name[sl_strlen(runtimes[i].name)] : 0;

		if (next == '.' || next == '-') {
			*(const char **)reason = runtimes[i].reason;
			return 1;
		}
	}
	return 0;
}

static const char *
other_runtime(void)
{
	const char *reason = NULL;
	Dl_info us, found;

	if (dl_iterate_phdr(find_runtime, &reason) || !dladdr(runtimes, &us))
		return reason;
	for (size_t i = 0; i < RUNTIMES; i++) {
		void *symbol = dlsym(RTLD_DEFAULT, runtimes[i].symbol);

		if (symbol && dladdr(symbol, &found) && found.dli_fbase != us.dli_fbase)
			return runtimes[i].reason;
	}
	return NULL;
}

/*
 * Looks for sections with schedules: an object with sections refers to sleave_section_next(). Undefined symbols
 * are at the front of an object's symbol table; defined symbols, the only ones in the hash table, follow.
 */
static int
find_sections(struct dl_phdr_info *info, size_t size, void *unused)
{
	const ElfW(Dyn) *dynamic = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *names = NULL;
	const uint32_t *hash = NULL;

	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		ElfW(Addr) at = dynamic->d_un.d_ptr;

		if (at < info->dlpi_addr) /* the dynamic linker has not relocated it: the vDSO */
			at += info->dlpi_addr;
		if (dynamic->d_tag == DT_SYMTAB)
			symbols = (const void *)at;
		else if (dynamic->d_tag == DT_STRTAB)
			names = (const void *)at;
		else if (dynamic->d_tag == DT_GNU_HASH)
			hash = (const void *)at;
	}
	for (uint32_t i = 1; symbols && names && hash && i < hash[1]; i++)
		if (sl_text_begins(names + symbols[i].st_name, "sleave_section_next"))
			return 1;
	return 0;
}

/*
 * If the program is started without standard input, output or error, a file of the engine must not take the free
 * descriptor: the program would read or write it. So missing descriptors are opened on /dev/null.
 */
void
sl_descriptors_fill(void)
{
	for (long fd = 0; fd < 3; fd++)
		if (sl_raw(SYS_fcntl, fd, F_GETFD) == -EBADF &&
		    sl_raw(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR) != fd)
			return; /* there is no /dev/null: the descriptor stays closed */
}

/* Maps the arena that the command's environment variable names. Returns false if there is none. */
bool
sl_arena_map(const char *path)
{
	struct stat info;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct sl_arena *a;

	if (fd < 0 || fstat(fd, &info) != 0)
		return false;
	a = mmap((void *)SL_ARENA_ADDRESS, (size_t)info.st_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
	/*
	 * A lock that lasts as long as the process: while one of the run's processes exists, no other run may
	 * resume the file (cli/session/resume.c).
	 */
	struct flock lock = {.l_type = F_RDLCK,
			     .l_whence = SEEK_SET,
			     .l_start = SL_ARENA_LOCK_WORKERS,
			     .l_len = 1};

	sl_raw(SYS_fcntl, fd, F_OFD_SETLK, &lock);
	close(fd);
	if (a != SL_ARENA || a->magic != SL_ARENA_MAGIC)
		return false;
	sl_raw(SYS_madvise, a, info.st_size,
	       MADV_RANDOM); /* a file must not be read ahead: neighbouring pages are unrelated */
	E.arena = a;
	sl_asked_move();
	return true;
}

static void
end(const char *why, int status)
{
	static const char head[] = "sleave: ";

	sl_raw(SYS_write, 2, head, sizeof(head) - 1);
	sl_raw(SYS_write, 2, why, sl_strlen(why));
	sl_raw(SYS_write, 2, "\n", 1);
	sl_raw(SYS_exit_group, status);
}

static void
refuse(const char *why)
{
	end(why, 3);
}

/*
 * A page of the arena's file can't be allocated. Ends the process as if it had been killed, so that the run can be
 * resumed.
 */
void
sl_arena_lost(void)
{
	end("there is no more room for the file of the run in .sleave (is the disk full?)", SL_ARENA_LOST_STATUS);
}

static unsigned
parse_number(const char *text)
{
	unsigned n = 0;

	while (text && *text >= '0' && *text <= '9')
		n = n * 10 + (unsigned)(*text++ - '0');
	return n;
}

/* --sync-only: removes libsleave, the first of the preloaded libraries, from the environment. */
static void
unpreload(void)
{
	char *at = getenv("LD_PRELOAD"), *rest = at;

	while (rest && *rest && *rest != ':')
		rest++;
	if (rest && *rest)
		while ((*at++ = *++rest)) /* in place: setenv() would allocate memory */
			;
	else
		unsetenv("LD_PRELOAD");
	unsetenv("LD_BIND_NOW");
}

/*
 * Removes the padding variables. Their texts are consecutive, behind those of the other variables, and not used
 * any more.
 */
static void
unpad(void)
{
	uintptr_t low = UINTPTR_MAX, high = 0, sum = 0;
	char **to = environ;

	for (char **from = environ; from && *from; from++) {
		uintptr_t at = (uintptr_t)*from, end;

		if (!sl_text_begins(*from, SL_PAD_ENV)) {
			*to++ = *from;
			continue;
		}
		end = at + sl_strlen(*from) + 1;
		low = at < low ? at : low;
		high = end > high ? end : high;
		sum += end - at;
	}
	if (to)
		*to = NULL;
	if (sum && high - low == sum)
		sl_world_padding(low, high);
}

__attribute__((constructor(101))) static void
constructor(void)
{
	const char *path, *reason = other_runtime();

	if (reason)
		refuse(reason); /* also if the program is started on its own: the other runtime breaks every mode */
	sl_boot();
	sl_exit_setup();
	sl_children_setup();
	path = getenv(SL_ARENA_ENV);
	if (!path) {
		bool sections = dl_iterate_phdr(find_sections, NULL) != 0;

		if (sections || getenv("SLEAVE_LOG") || getenv("SLEAVE_REEL") || getenv(SL_FOLLOW_ENV))
			sl_descriptors_fill();
		if (sl_rt_follow_open() || getenv("SLEAVE_LOG") || sections)
			sl_rt_install();
		if (getenv("SLEAVE_PRELOADED") && getenv("SLEAVE_REEL")) {
			unsetenv("SLEAVE_PRELOADED");
			unpreload();
		}
		sl_lane_start();
		return;
	}
	sl_descriptors_fill();
	if (!sl_arena_map(path))
		refuse("the arena that " SL_ARENA_ENV
		       " names can't be mapped: was this program built with another version of Sleave?");
	E.worker_number = parse_number(getenv("SLEAVE_WORKER"));
	E.worker = &E.arena->workers[E.worker_number % SL_WORKERS_MAX];
	E.worker->pid = (int32_t)sl_raw(SYS_getpid);
	E.arena->program.has_control = 1;
	E.process.called = true;
	sl_threads_early();
	sl_process_called();
	unpad();
	sl_recorder_environment(environ);
	unsetenv(SL_ARENA_ENV); /* programs that the program starts are not controlled */
	unsetenv("SLEAVE_WORKER");
	if (E.arena->config.sync_only)
		unpreload();
}

/* ---- main ---- */

static struct {
	int (*main)(int, char **, char **);
	int argc;
	char **argv, **env;
} program;

uint64_t
sl_main_place(void)
{
	return program.main ? (uint64_t)program.main + 1 : 0;
}

static void
whole_program(void *unused)
{
	(void)unused;
	int status = program.main(program.argc, program.argv, program.env);

	if (E.arena->config.void_main)
		status = 0;
	sl_exit(status, sl_main_place()); /* the place where main returned is unknown */
}

static int
main_in_control(int argc, char **argv, char **env)
{
	int status = 0;

	program.argc = argc;
	program.argv = argv;
	program.env = env;

	if (!E.arena && sl_rt_follow_main(program.main, argc, argv, env, &status))
		return status;
	if (!E.arena || E.arena->config.explore_call)
		return program.main(argc, argv, env);
	if (sl_criterion_has(program.main))
		return program.main(argc, argv, env);
	E.body.whole_program = true;
	if (!E.worker->trouble.kind)
		sl_explore(whole_program, NULL);
	sl_raw(SYS_exit_group, 0);
	return 0;
}

SL_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
				void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int
__libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
		  void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
		    void *) = dlsym(RTLD_NEXT, "__libc_start_main");

	program.main = main;
	return real(main_in_control, argc, argv, init, fini, rtld_fini, stack_end);
}
