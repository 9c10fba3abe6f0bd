/*
 * What a new thread does before its first point, and a thread after its last one, where others can see it: settings of the
 * process and of threads, which libc or the kernel keeps. Each body has two outcomes: the creator looks before, or after.
 */
#include "outcome.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), abort()))
static pthread_t made;
static int fds[2] ALONE, r ALONE;
static char folder[32] ALONE, name[64] ALONE, there[256] ALONE;

/* The thread does one thing; the first thread looks, and then joins it. */
#define TWO(name_, does, sees, format)                                                                       \
	static void *name_##_does(void *argument) { does; return argument; }                                 \
	static void name_##_between(void) { sees; }                                                          \
	static void name_(void)                                                                              \
	{                                                                                                    \
		r = -1;                                                                                      \
		MUST(!pthread_create(&made, NULL, name_##_does, NULL));                                      \
		name_##_between();                                                                           \
		int seen_ = r;                                                                               \
		MUST(!pthread_join(made, NULL));                                                             \
		OUTCOME(format, seen_);                                                                      \
	}

static sem_t sem ALONE;
TWO(sem_made, sem_init(&sem, 0, 3), sem_getvalue(&sem, &r), "%d")

static volatile sig_atomic_t handled;
static void handle(int s) { (void)s; handled = 1; }
TWO(disposition, signal(SIGUSR1, handle), { struct sigaction a; sigaction(SIGUSR1, NULL, &a); r = a.sa_handler == handle; }, "%d")
static void ignored_before(void) { signal(SIGUSR1, SIG_IGN); handled = 0; }
TWO(raised, signal(SIGUSR1, handle), (raise(SIGUSR1), r = handled), "%d")
static void raised_(void) { ignored_before(); raised(); }
static void block(void) { sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); pthread_sigmask(SIG_BLOCK, &s, NULL); }
static int blocked_pending;
static void *masked_does(void *a) { sigset_t s; block(); sigpending(&s); blocked_pending = sigismember(&s, SIGUSR1); return a; }
static void masked(void)
{
	signal(SIGUSR1, handle); handled = 0; blocked_pending = 0;
	MUST(!pthread_create(&made, NULL, masked_does, NULL));
	int e = pthread_kill(made, SIGUSR1);
	MUST(!pthread_join(made, NULL));
	OUTCOME("%d%d%d", e, handled, blocked_pending);
}
/* a number that the program chooses itself */
TWO(number_chosen, MUST(dup2(STDERR_FILENO, 50) == 50), r = fcntl(50, F_GETFD) >= 0, "%d")
static void number_chosen_(void) { close(50); number_chosen(); close(50); }
/* objects of System V, by key; their numbers are the kernel's, so what is done with a number is not tried here */
#define KEY 0x51ea7e
TWO(segment_made, MUST(shmget(KEY, 64, IPC_CREAT | 0600) >= 0), r = shmget(KEY, 64, 0) >= 0, "%d")
TWO(set_made, MUST(semget(KEY, 1, IPC_CREAT | 0600) >= 0), r = semget(KEY, 1, 0) >= 0, "%d")
TWO(messages_made, MUST(msgget(KEY, IPC_CREAT | 0600) >= 0), r = msgget(KEY, 0) >= 0, "%d")
TWO(set_removed, MUST(!semctl(semget(KEY, 1, 0), 0, IPC_RMID)), r = semget(KEY, 1, 0) >= 0, "%d")
static void set_removed_(void) { MUST(semget(KEY, 1, IPC_CREAT | 0600) >= 0); set_removed(); }
TWO(environment, setenv("FIRST_STEP", "1", 1), r = getenv("FIRST_STEP") != NULL, "%d")
TWO(folder_changed, MUST(!chdir("/")), (MUST(getcwd(there, sizeof(there))), r = strcmp(there, "/") == 0), "%d")
TWO(mask_of_files, umask(077), (r = (int)umask(022)), "%o")
static void mask_of_files_(void) { umask(022); mask_of_files(); }
TWO(named, pthread_setname_np(pthread_self(), "late"), (pthread_getname_np(made, there, sizeof(there)), r = strcmp(there, "late") == 0), "%d")
TWO(named_prctl, prctl(PR_SET_NAME, "late"), (pthread_getname_np(made, there, sizeof(there)), r = strcmp(there, "late") == 0), "%d")
static void prepare(void) { strcpy(folder, "firstXXXXXX"); MUST(mkdtemp(folder)); snprintf(name, sizeof(name), "%s/name", folder); }
static void clean_up(void) { unlink(name); rmdir(name); MUST(!rmdir(folder)); }
TWO(file_made, MUST(!close(open(name, O_CREAT | O_WRONLY, 0600))), r = access(name, F_OK) == 0, "%d")
static void file_made_(void) { prepare(); file_made(); clean_up(); }
TWO(file_written, { FILE *f = fopen(name, "w"); fputs("x", f); fclose(f); }, r = access(name, F_OK) == 0, "%d")
static void file_written_(void) { prepare(); file_written(); clean_up(); }
TWO(folder_made, MUST(!mkdir(name, 0700)), r = access(name, F_OK) == 0, "%d")
static void folder_made_(void) { prepare(); folder_made(); clean_up(); }
TWO(linked, MUST(!symlink("x", name)), { struct stat s; r = lstat(name, &s) == 0; }, "%d")
static void linked_(void) { prepare(); linked(); clean_up(); }
TWO(mode_changed, MUST(!chmod(folder, 0500)), { struct stat s; stat(folder, &s); r = (s.st_mode & 0777) == 0500; }, "%d")
static void mode_changed_(void) { prepare(); mode_changed(); chmod(folder, 0700); clean_up(); }
TWO(truncated, MUST(!truncate(name, 5)), { struct stat s; stat(name, &s); r = (int)s.st_size; }, "%d")
static void truncated_(void) { prepare(); close(open(name, O_CREAT | O_WRONLY, 0600)); truncated(); clean_up(); }
TWO(fifo_made, MUST(!mkfifo(name, 0600)), r = access(name, F_OK) == 0, "%d")
static void fifo_made_(void) { prepare(); fifo_made(); clean_up(); }
static int own;
TWO(number_taken, own = open("/dev/null", O_RDONLY), r = open("/dev/null", O_RDONLY), "%d")
static void number_taken_(void) { number_taken(); close(own); }
TWO(nonblocking, fcntl(fds[0], F_SETFL, O_NONBLOCK), r = !!(fcntl(fds[0], F_GETFL) & O_NONBLOCK), "%d")
static void nonblocking_(void) { MUST(!pipe(fds)); nonblocking(); }
TWO(nonblocking_ioctl, { int on = 1; ioctl(fds[0], FIONBIO, &on); }, r = !!(fcntl(fds[0], F_GETFL) & O_NONBLOCK), "%d")
static void nonblocking_ioctl_(void) { MUST(!pipe(fds)); nonblocking_ioctl(); }
TWO(close_on_exec, fcntl(fds[0], F_SETFD, FD_CLOEXEC), r = fcntl(fds[0], F_GETFD), "%d")
static void close_on_exec_(void) { MUST(!pipe(fds)); close_on_exec(); }
TWO(option, { int size = 1; setsockopt(fds[0], SOL_SOCKET, SO_PASSCRED, &size, sizeof(size)); }, { int v = 0; socklen_t l = sizeof(v); getsockopt(fds[0], SOL_SOCKET, SO_PASSCRED, &v, &l); r = v; }, "%d")
static void option_(void) { MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds)); option(); }
TWO(shut, shutdown(fds[0], SHUT_WR), { struct pollfd p; p.fd = fds[1]; p.events = POLLIN; r = poll(&p, 1, 0); }, "%d")
static void shut_(void) { MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds)); shut(); }
TWO(closed, close(fds[0]), r = fcntl(fds[0], F_GETFD) == -1, "%d")
static void closed_(void) { MUST(!pipe(fds)); closed(); }
TWO(replaced, dup2(fds[1], fds[0]), r = fcntl(fds[0], F_GETFL) & O_ACCMODE, "%d")
static void replaced_(void) { MUST(!pipe(fds)); replaced(); }
static pthread_key_t key;
TWO(key_made, MUST(!pthread_key_create(&key, NULL)), { pthread_key_t k; MUST(!pthread_key_create(&k, NULL)); r = (int)k; }, "%d")
TWO(limit, { struct rlimit l; getrlimit(RLIMIT_CORE, &l); l.rlim_cur = 0; setrlimit(RLIMIT_CORE, &l); }, { struct rlimit l; getrlimit(RLIMIT_CORE, &l); r = (int)l.rlim_cur; }, "%d")
static void limit_(void) { struct rlimit l = {4096, RLIM_INFINITY}; getrlimit(RLIMIT_CORE, &l); l.rlim_cur = 4096; MUST(!setrlimit(RLIMIT_CORE, &l)); limit(); }
TWO(concurrency, pthread_setconcurrency(3), r = pthread_getconcurrency(), "%d")
static void concurrency_(void) { pthread_setconcurrency(0); concurrency(); }
TWO(alarmed, alarm(100), r = !!alarm(0), "%d")
static void alarmed_(void) { signal(SIGALRM, SIG_IGN); alarmed(); alarm(0); }
TWO(seeded, srand(5), r = rand() == 1804289383, "%d")
static void seeded_(void) { srand(1); seeded(); }
TWO(locale_set, setlocale(LC_ALL, "C.UTF-8"), r = strcmp(setlocale(LC_ALL, NULL), "C") != 0, "%d")
TWO(attr_default, { pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setstacksize(&a, 1 << 20); pthread_setattr_default_np(&a); }, { pthread_attr_t a; size_t s; pthread_getattr_default_np(&a); pthread_attr_getstacksize(&a, &s); r = s == 1 << 20; }, "%d")


/* ---- how threads are scheduled: each has its own ---- */

static int policy_of(pthread_t t) { struct sched_param p; int policy = -1; return pthread_getschedparam(t, &policy, &p) == ESRCH ? -1 : policy; }
TWO(policy, { struct sched_param p = {.sched_priority = 0}; MUST(!pthread_setschedparam(pthread_self(), SCHED_BATCH, &p)); }, r = policy_of(made), "%d")
static int processors_of(pthread_t t) { cpu_set_t s; return pthread_getaffinity_np(t, sizeof(s), &s) ? -1 : CPU_ISSET(0, &s) && CPU_COUNT(&s) == 1; }
static void first_only(cpu_set_t *s) { CPU_ZERO(s); CPU_SET(0, s); }
TWO(processors, { cpu_set_t s; first_only(&s); MUST(!pthread_setaffinity_np(pthread_self(), sizeof(s), &s)); }, r = processors_of(made) , "%d")
static int base, first; /* a setting of one thread does not apply to the others, nor to the next execution */
TWO(nice_of_own, { if (geteuid() == 0) { first = nice(5); errno = 0; MUST(nice(0) == first); } }, r = getpriority(PRIO_PROCESS, 0) - base, "%d")
static void nice_of_own_(void) { base = getpriority(PRIO_PROCESS, 0); nice_of_own(); }
TWO(policy_of_own, { struct sched_param p = {.sched_priority = 0}; MUST(!sched_setscheduler(0, SCHED_BATCH, &p)); MUST(sched_getscheduler(0) == SCHED_BATCH); }, r = sched_getscheduler(0), "%d")
static void *inherits(void *a) { return (void *)((intptr_t)sched_getscheduler(0) + (a == NULL)); }
static void *sets_and_makes(void *a)
{
	struct sched_param p = {.sched_priority = 0};
	pthread_t t;
	void *result;
	MUST(!sched_setscheduler(0, SCHED_BATCH, &p)); MUST(!pthread_create(&t, NULL, inherits, &p)); MUST(!pthread_join(t, &result));
	return a ? a : result;
}
static void inherited(void)
{
	void *result;
	MUST(!pthread_create(&made, NULL, sets_and_makes, NULL)); MUST(!pthread_join(made, &result));
	OUTCOME("%d %d", (int)(intptr_t)result, sched_getscheduler(0));
}

/* ---- libraries, streams, the time zone, names of shared memory ---- */

static void *library;
TWO(loaded, MUST(dlopen("libutil.so.1", RTLD_NOW)), { library = dlopen("libutil.so.1", RTLD_NOW | RTLD_NOLOAD); r = library != NULL; }, "%d")
TWO(unloaded, dlclose(library), r = dlopen("libutil.so.1", RTLD_NOW | RTLD_NOLOAD) != NULL, "%d")
static void unloaded_(void) { library = dlopen("libutil.so.1", RTLD_NOW); MUST(library); unloaded(); }
static FILE *stream;
TWO(reopened, MUST(freopen("/dev/null", "r", stream)), { char b; r = (int)fread(&b, 1, 1, stream); }, "%d")
static void reopened_(void) { stream = fopen("/proc/version", "r"); reopened(); fclose(stream); }
TWO(unbuffered, setvbuf(stream, NULL, _IONBF, 0), { struct stat s; fputs("x", stream); stat(name, &s); r = (int)s.st_size; }, "%d")
static void unbuffered_(void) { prepare(); stream = fopen(name, "w"); unbuffered(); fclose(stream); clean_up(); }
TWO(zone, { setenv("TZ", "EST5", 1); tzset(); }, { time_t t = 0; struct tm m; localtime_r(&t, &m); r = m.tm_hour; }, "%d")
static void zone_(void) { setenv("TZ", "UTC0", 1); tzset(); zone(); }
static char put[] = "FIRST_PUT=1";
TWO(put_there, putenv(put), r = getenv("FIRST_PUT") != NULL, "%d")
TWO(memory_named, close(shm_open("/sleave_settings", O_CREAT | O_RDWR, 0600)), { int fd = shm_open("/sleave_settings", O_RDWR, 0); r = fd >= 0; if (fd >= 0) close(fd); }, "%d")
static void memory_named_(void) { memory_named(); MUST(!shm_unlink("/sleave_settings")); }
static void memory_left(void) { memory_named(); } /* nothing of it is there in the next execution */

/* ---- the end of a thread ---- */

TWO(ended, (void)0, r = pthread_kill(made, 0), "%d")
static void *detaches(void *a) { pthread_detach(pthread_self()); return a; }
static void detached(void)
{
	MUST(!pthread_create(&made, NULL, detaches, NULL));
	int e = pthread_join(made, NULL);
	OUTCOME("%s", e == 0 ? "joined" : e == EINVAL ? "detached" : e == ESRCH ? "gone" : "?");
}
static pthread_key_t ends;
static void at_end(void *a) { (void)a; MUST(!chdir("/")); }
static void *sets(void *a) { pthread_setspecific(ends, &ends); return a; }
static void end_seen(void)
{
	MUST(!pthread_key_create(&ends, at_end));
	MUST(!pthread_create(&made, NULL, sets, NULL));
	MUST(getcwd(there, sizeof(there))); r = strcmp(there, "/") == 0;
	MUST(!pthread_join(made, NULL));
	pthread_key_delete(ends);
	OUTCOME("%d", r);
}

#define TRY(body, ...)                                                                                       \
	EXPECT_WITH(body, 0, NULL, OPTIONS(.races = SLEAVE_RACES_OFF, .misuse = SLEAVE_RACES_OFF), __VA_ARGS__)

int main(void)
{
	TRY(sem_made, "0", "3");
	TRY(disposition, "0", "1");
	TRY(raised_, "0", "1");
	TRY(masked, "000", "001", "010");
	TRY(environment, "0", "1");
	TRY(folder_changed, "0", "1");
	TRY(mask_of_files_, "22", "77");
	TRY(named, "0", "1");
	TRY(named_prctl, "0", "1");
	TRY(file_made_, "0", "1");
	TRY(file_written_, "0", "1");
	TRY(folder_made_, "0", "1");
	TRY(linked_, "0", "1");
	TRY(mode_changed_, "0", "1");
	TRY(truncated_, "0", "5");
	TRY(fifo_made_, "0", "1");
	TRY(number_taken_, "3", "4");
	TRY(number_chosen_, "0", "1");
	TRY(segment_made, "0", "1");
	TRY(set_made, "0", "1");
	TRY(messages_made, "0", "1");
	TRY(set_removed_, "0", "1");
	TRY(nonblocking_, "0", "1");
	TRY(nonblocking_ioctl_, "0", "1");
	TRY(close_on_exec_, "0", "1");
	TRY(option_, "0", "1");
	TRY(shut_, "0", "1");
	TRY(closed_, "0", "1");
	TRY(replaced_, "0", "1");
	TRY(key_made, "0", "1");
	TRY(limit_, "0", "4096");
	TRY(concurrency_, "0", "3");
	TRY(alarmed_, "0", "1");
	TRY(seeded_, "0", "1");
	TRY(locale_set, "0", "1");
	TRY(attr_default, "0", "1");
	TRY(policy, "-1", "0", "3");
	TRY(processors, "-1", "0", "1");
	TRY(nice_of_own_, "0");
	TRY(policy_of_own, "0");
	TRY(inherited, "3 0");
	TRY(loaded, "0", "1");
	TRY(unloaded_, "0", "1");
	TRY(reopened_, "0", "1");
	TRY(unbuffered_, "0", "1");
	TRY(zone_, "0", "19");
	TRY(put_there, "0", "1");
	TRY(memory_named_, "0", "1");
	TRY(memory_left, "0", "1");
	TRY(ended, "0");
	TRY(detached, "joined", "detached");
	TRY(end_seen, "0", "1");
	return done();
}
