/*
 * What functions of libc read and write in memory that they are given.
 */
#define _GNU_SOURCE
#define SHARED 16384
#include "accesses.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

char shared[SHARED] __attribute__((aligned(16))) = "17 rest of the text";
char elsewhere[SHARED] __attribute__((aligned(16))) = "other text";
volatile long sink;
static const wchar_t wide_text[] = L"17 wide";

/* ---- with files, pipes, sockets ---- */

static void
from_pipe(void (*reads)(int fd))
{
	int ends[2];

	if (pipe(ends))
		return;
	sink = write(ends[1], "12 34 text\n", 11);
	reads(ends[0]);
	close(ends[0]);
	close(ends[1]);
}

static void
from_socket(void (*reads)(int fd))
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return;
	sink = write(ends[1], "12 34 text\n", 11);
	reads(ends[0]);
	close(ends[0]);
	close(ends[1]);
}

static void
from_stream(void (*reads)(FILE *stream))
{
	static char text[] = "12 34 text\n";
	FILE *stream = fmemopen(text, sizeof(text) - 1, "r");

	reads(stream);
	fclose(stream);
}

static void
from_queue(void (*reads)(mqd_t queue))
{
	struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 64};
	mqd_t queue = mq_open("/sleave_seen", O_CREAT | O_RDWR, 0600, &attributes);

	mq_send(queue, "text", 5, 0);
	reads(queue);
	mq_close(queue);
	mq_unlink("/sleave_seen");
}

static int
listed_print(const char *format, ...)
{
	va_list list;
	int result;

	va_start(list, format);
	result = vsnprintf(shared, 20, format, list);
	va_end(list);
	return result;
}

static int
listed_scan(const char *text, const char *format, ...)
{
	va_list list;
	int result;

	va_start(list, format);
	result = vsscanf(text, format, list);
	va_end(list);
	return result;
}

static int
descending(const void *a, const void *b)
{
	return *(const char *)b - *(const char *)a;
}

static int
apart(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* A stream of wide characters: those on memory can't be. */
static void
from_wide(void (*reads)(FILE *stream))
{
	FILE *stream = fopen("/usr/include/stdio.h", "r");

	reads(stream);
	fclose(stream);
}

#define FROM(kind, name, type, ...)                                                                               \
	static void kind##_##name(type from)                                                                      \
	{                                                                                                         \
		__VA_ARGS__;                                                                                      \
	}
FROM(pipe, read, int, sink = read(from, shared, 4))
FROM(pipe, readv, int, struct iovec v[2] = {{elsewhere, 2}, {shared, 2}}; sink = readv(from, v, 2))
FROM(pipe, ioctl, int, ioctl(from, FIONREAD, shared))
FROM(pipe, fstat, int, fstat(from, (struct stat *)shared))
FROM(pipe, fgets, int, FILE *f = fdopen(dup(from), "r"); sink = (long)fgets(shared, 20, f); fclose(f))
FROM(pipe, fscanf, int, FILE *f = fdopen(dup(from), "r"); sink = fscanf(f, "%d", (int *)shared); fclose(f))
FROM(socket, recv, int, sink = recv(from, shared, 4, 0))
FROM(socket, recvfrom, int, sink = recvfrom(from, shared, 4, 0, NULL, NULL))
FROM(socket, recvmsg, int, struct iovec v = {shared, 4}; struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1}; sink = recvmsg(from, &m, 0))
FROM(socket, getsockopt, int, socklen_t n = 4; getsockopt(from, SOL_SOCKET, SO_TYPE, shared, &n))
FROM(socket, getsockopt_size, int, int type; getsockopt(from, SOL_SOCKET, SO_TYPE, &type, (socklen_t *)shared))
FROM(socket, getsockname, int, socklen_t n = sizeof(struct sockaddr_un); getsockname(from, (struct sockaddr *)shared, &n))
FROM(socket, getpeername, int, socklen_t n = sizeof(struct sockaddr_un); getpeername(from, (struct sockaddr *)shared, &n))
FROM(stream, fread, FILE *, sink = (long)fread(shared, 1, 4, from))
FROM(stream, fgets, FILE *, sink = (long)fgets(shared, 20, from))
FROM(stream, getline, FILE *, size_t n = 4096; char *line = shared; sink = getline(&line, &n, from))
FROM(stream, fscanf, FILE *, sink = fscanf(from, "%d %s", (int *)elsewhere, shared))
FROM(stream, fgetpos, FILE *, fgetpos(from, (fpos_t *)shared))
FROM(stream, fgetws, FILE *, sink = (long)fgetws((wchar_t *)shared, 20, from))
FROM(stream, fwscanf, FILE *, sink = fwscanf(from, L"%lc", (wchar_t *)shared))
FROM(queue, receive, mqd_t, sink = mq_receive(from, shared, 64, NULL))
FROM(queue, getattr, mqd_t, mq_getattr(from, (struct mq_attr *)shared))

static void
waited_for(int by_wait)
{
	pid_t child = fork();

	if (!child)
		_exit(3);
	if (by_wait)
		wait((int *)shared);
	else
		waitpid(child, (int *)shared, 0);
}

static void
accepted(void)
{
	int from = socket(AF_INET, SOCK_STREAM, 0), to = socket(AF_INET, SOCK_STREAM, 0), got;
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(address);

	bind(from, (struct sockaddr *)&address, sizeof(address));
	listen(from, 1);
	getsockname(from, (struct sockaddr *)&address, &n);
	connect(to, (struct sockaddr *)&address, sizeof(address));
	got = accept(from, (struct sockaddr *)shared, &n);
	close(got);
	close(to);
	close(from);
}

static void
awaited(void)
{
	int ends[2], set = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	if (pipe(ends))
		return;
	epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
	sink = write(ends[1], "x", 1);
	epoll_wait(set, (struct epoll_event *)shared, 1, 0);
	close(set);
	close(ends[0]);
	close(ends[1]);
}

static void
signalled(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	sigwait(&set, (int *)shared);
}

static void *
nothing(void *arg)
{
	return arg;
}

#define TM ((struct tm *)shared)
#define EACH                                                                                                      \
	SEEN(sprintf, 1, sprintf(shared, "%d", 12))                                                               \
	SEEN(snprintf, 1, sink = snprintf(shared, 20, "%d and %s", 12, "more"))                                   \
	SEEN(vsnprintf, 1, listed_print("%d %f %Lf %s", 1, 2.0, 3.0L, "four"))                                    \
	SEEN(not_snprintf_0, 1, sink = snprintf(shared, 0, "%d", 12))                                             \
	SEEN(not_snprintf_far, 1, sink = snprintf(shared + 8, 20, "%d", 12))                                      \
	SEEN(swprintf, 1, swprintf((wchar_t *)shared, 20, L"%d", 12))                                             \
	SEEN(asprintf, 1, sink = asprintf((char **)shared, "%d", 12))                                             \
	SEEN(snprintf_string, 0, sink = snprintf(elsewhere, 40, "%d %g %s", 1, 2.0, shared))                      \
	SEEN(snprintf_part, 0, sink = snprintf(elsewhere, 40, "%*d %.*s", 9, 1, 2, shared))                       \
	SEEN(not_snprintf_part, 0, sink = snprintf(elsewhere, 40, "%.3s", shared + 4))                            \
	SEEN(snprintf_wide, 0, sink = snprintf(elsewhere, 40, "%.1ls", (wchar_t *)shared))                        \
	SEEN(snprintf_count, 1, sink = snprintf(elsewhere, 40, "12%n", (int *)shared))                            \
	SEEN(fprintf_string, 0, fprintf(stderr, "%s\n", shared))                                                \
	SEEN(printf_string, 0, printf("%.0f%.2s", 1.0, shared))                                                   \
	SEEN(dprintf_string, 0, dprintf(1, "%.2s", shared))                                                       \
	SEEN(sscanf_int, 1, sink = sscanf("12", "%d", (int *)shared))                                             \
	SEEN(sscanf_long, 1, sink = sscanf("1 12", "%*d %ld", (long *)shared))                                    \
	SEEN(sscanf_double, 1, sink = sscanf("1 12", "%hhd %lf", elsewhere, (double *)shared))                    \
	SEEN(sscanf_string, 1, sink = sscanf("a text", "%c %9s", elsewhere, shared))                              \
	SEEN(sscanf_set, 1, sink = sscanf("text", "%[]a-z]", shared))                                             \
	SEEN(sscanf_chars, 1, sink = sscanf("text", "%3c", shared))                                               \
	SEEN(sscanf_made, 1, sink = sscanf("text", "%ms", (char **)shared))                                       \
	SEEN(sscanf_count, 1, sink = sscanf("text", "te%n", (int *)shared))                                       \
	SEEN(sscanf_from, 0, sink = sscanf(shared, "%d", (int *)elsewhere))                                       \
	SEEN(vsscanf, 1, listed_scan("12", "%d", (int *)shared))                                                  \
	SEEN(not_sscanf_no_match, 1, sink = sscanf("x", "%d", (int *)shared))                                     \
	SEEN(swscanf, 1, sink = swscanf(L"12", L"%d", (int *)shared))                                             \
	SEEN(read, 1, from_pipe(pipe_read))                                                                       \
	SEEN(readv, 1, from_pipe(pipe_readv))                                                                     \
	SEEN(ioctl, 1, from_pipe(pipe_ioctl))                                                                     \
	SEEN(fstat, 1, from_pipe(pipe_fstat))                                                                     \
	SEEN(pipe_fgets, 1, from_pipe(pipe_fgets))                                                                \
	SEEN(pipe_fscanf, 1, from_pipe(pipe_fscanf))                                                              \
	SEEN(recv, 1, from_socket(socket_recv))                                                                   \
	SEEN(recvfrom, 1, from_socket(socket_recvfrom))                                                           \
	SEEN(recvmsg, 1, from_socket(socket_recvmsg))                                                             \
	SEEN(getsockopt, 1, from_socket(socket_getsockopt))                                                       \
	SEEN(getsockopt_size, 1, from_socket(socket_getsockopt_size))                                             \
	SEEN(getsockname, 1, from_socket(socket_getsockname))                                                     \
	SEEN(getpeername, 1, from_socket(socket_getpeername))                                                     \
	SEEN(fread, 1, from_stream(stream_fread))                                                                 \
	SEEN(fgets, 1, from_stream(stream_fgets))                                                                 \
	SEEN(getline, 1, from_stream(stream_getline))                                                             \
	SEEN(fscanf, 1, from_stream(stream_fscanf))                                                               \
	SEEN(fgetpos, 1, from_stream(stream_fgetpos))                                                             \
	SEEN(fgetws, 1, from_wide(stream_fgetws))                                                                 \
	SEEN(fwscanf, 1, from_wide(stream_fwscanf))                                                               \
	SEEN(fputs, 0, fputs(shared, stderr))                                                                     \
	SEEN(mq_receive, 1, from_queue(queue_receive))                                                            \
	SEEN(mq_getattr, 1, from_queue(queue_getattr))                                                            \
	SEEN(accept, 1, accepted())                                                                               \
	SEEN(poll, 0, poll((struct pollfd *)shared, 1, 0))                                                        \
	SEEN(select, 1, {                                                                                         \
		struct timeval none = {0, 0};                                                                     \
		select(1, (fd_set *)shared, NULL, NULL, &none);                                                   \
	})                                                                                                        \
	SEEN(epoll_wait, 1, awaited())                                                                            \
	SEEN(pipe, 1, sink = pipe((int *)shared))                                                                 \
	SEEN(socketpair, 1, socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)shared))                                   \
	SEEN(getcwd, 1, sink = (long)getcwd(shared, sizeof(shared)))                                              \
	SEEN(readlink, 1, sink = readlink("/proc/self/exe", shared, 100))                                         \
	SEEN(readlinkat, 1, sink = readlinkat(AT_FDCWD, "/proc/self/exe", shared, 100))                           \
	SEEN(realpath, 1, sink = (long)realpath("/usr/..", shared))                                               \
	SEEN(realpath_from, 0, sink = (long)realpath(shared, elsewhere))                                          \
	SEEN(open_path, 0, sink = open(shared, O_RDONLY))                                                         \
	SEEN(stat_path, 0, sink = stat(shared, (struct stat *)elsewhere))                                         \
	SEEN(access_path, 0, sink = access(shared, R_OK))                                                         \
	SEEN(unlink_path, 0, sink = unlink(shared))                                                               \
	SEEN(fopen_path, 0, sink = (long)fopen(shared, "r"))                                                      \
	SEEN(stat, 1, stat("/", (struct stat *)shared))                                                           \
	SEEN(statfs, 1, statfs("/", (struct statfs *)shared))                                                     \
	SEEN(statvfs, 1, statvfs("/", (struct statvfs *)shared))                                                  \
	SEEN(uname, 1, uname((struct utsname *)shared))                                                           \
	SEEN(gethostname, 1, gethostname(shared, 100))                                                            \
	SEEN(getdomainname, 1, sink = getdomainname(shared, 100))                                                 \
	SEEN(sysinfo, 1, sysinfo((struct sysinfo *)shared))                                                       \
	SEEN(getrlimit, 1, getrlimit(RLIMIT_NOFILE, (struct rlimit *)shared))                                     \
	SEEN(getrusage, 1, getrusage(RUSAGE_SELF, (struct rusage *)shared))                                       \
	SEEN(times, 1, times((struct tms *)shared))                                                               \
	SEEN(getresuid, 1, getresuid((uid_t *)shared, (uid_t *)elsewhere, (uid_t *)elsewhere))                    \
	SEEN(getloadavg, 1, getloadavg((double *)shared, 1))                                                      \
	SEEN(confstr, 1, sink = (long)confstr(_CS_PATH, shared, 100))                                             \
	SEEN(gettimeofday, 1, gettimeofday((struct timeval *)shared, NULL))                                       \
	SEEN(clock_gettime, 1, clock_gettime(CLOCK_REALTIME, (struct timespec *)shared))                          \
	SEEN(clock_getres, 1, clock_getres(CLOCK_REALTIME, (struct timespec *)shared))                            \
	SEEN(timespec_get, 1, sink = timespec_get((struct timespec *)shared, TIME_UTC))                           \
	SEEN(time, 1, time((time_t *)shared))                                                                     \
	SEEN(localtime_r, 1, localtime_r(&(time_t){0}, TM))                                                       \
	SEEN(gmtime_r, 1, gmtime_r(&(time_t){0}, TM))                                                             \
	SEEN(gmtime_r_from, 0, gmtime_r((time_t *)shared, (struct tm *)elsewhere))                                \
	SEEN(asctime_r, 1, asctime_r(&(struct tm){0}, shared))                                                    \
	SEEN(ctime_r, 1, ctime_r(&(time_t){0}, shared))                                                           \
	SEEN(strftime, 1, sink = (long)strftime(shared, 40, "%Y", &(struct tm){0}))                               \
	SEEN(strftime_from, 0, sink = (long)strftime(elsewhere, 40, "%Y", TM))                                    \
	SEEN(strptime, 1, sink = (long)strptime("12", "%S", TM))                                                  \
	SEEN(mktime, 0, sink = mktime(TM))                                                                        \
	SEEN(timegm, 0, sink = timegm(TM))                                                                        \
	SEEN(getpwuid_r, 1, {                                                                                     \
		struct passwd *found;                                                                             \
		getpwuid_r(0, (struct passwd *)elsewhere, shared, 4096, &found);                                  \
	})                                                                                                        \
	SEEN(getpwnam_r, 1, {                                                                                     \
		struct passwd *found;                                                                             \
		getpwnam_r("root", (struct passwd *)shared, elsewhere, 4096, &found);                             \
	})                                                                                                        \
	SEEN(getgrnam_r, 1, {                                                                                     \
		struct group *found;                                                                              \
		getgrnam_r("root", (struct group *)shared, elsewhere, 4096, &found);                              \
	})                                                                                                        \
	SEEN(strerror_r, 1, sink = (long)strerror_r(99999, shared, 100))                                          \
	SEEN(inet_ntop, 1, inet_ntop(AF_INET, elsewhere, shared, 100))                                            \
	SEEN(inet_ntop_from, 0, inet_ntop(AF_INET, shared, elsewhere, 100))                                       \
	SEEN(inet_pton, 1, inet_pton(AF_INET, "127.0.0.1", shared))                                               \
	SEEN(inet_aton, 1, inet_aton("127.0.0.1", (struct in_addr *)shared))                                      \
	SEEN(getnameinfo, 1, {                                                                                    \
		struct sockaddr_in a = {.sin_family = AF_INET};                                                   \
		getnameinfo((struct sockaddr *)&a, sizeof(a), shared, 100, NULL, 0, NI_NUMERICHOST);              \
	})                                                                                                        \
	SEEN(strtol, 0, sink = strtol(shared, NULL, 10))                                                          \
	SEEN(strtol_end, 1, sink = strtol("12", (char **)shared, 10))                                             \
	SEEN(strtoul_end, 1, sink = (long)strtoul("12", (char **)shared, 10))                                     \
	SEEN(strtoll_end, 1, sink = strtoll("12", (char **)shared, 10))                                           \
	SEEN(strtoull_end, 1, sink = (long)strtoull("12", (char **)shared, 10))                                   \
	SEEN(strtoimax_end, 1, sink = strtoimax("12", (char **)shared, 10))                                       \
	SEEN(strtod_end, 1, sink = (long)strtod("12", (char **)shared))                                           \
	SEEN(strtof_end, 1, sink = (long)strtof("12", (char **)shared))                                           \
	SEEN(strtold_end, 1, sink = (long)strtold("12", (char **)shared))                                         \
	SEEN(atoi, 0, sink = atoi(shared))                                                                        \
	SEEN(atol, 0, sink = atol(shared))                                                                        \
	SEEN(atof, 0, sink = (long)atof(shared))                                                                  \
	SEEN(frexp, 1, sink = (long)frexp((double)sink, (int *)shared))                                           \
	SEEN(modf, 1, sink = (long)modf((double)sink, (double *)shared))                                          \
	SEEN(getrandom, 1, sink = getrandom(shared, 4, 0))                                                        \
	SEEN(getentropy, 1, sink = getentropy(shared, 4))                                                         \
	SEEN(rand_r, 1, sink = rand_r((unsigned *)shared))                                                        \
	SEEN(nrand48, 1, sink = nrand48((unsigned short *)shared))                                                \
	SEEN(sigaction_old, 1, sigaction(SIGUSR2, NULL, (struct sigaction *)shared))                              \
	SEEN(sigmask_old, 1, pthread_sigmask(SIG_BLOCK, NULL, (sigset_t *)shared))                                \
	SEEN(sigprocmask_old, 1, sigprocmask(SIG_BLOCK, NULL, (sigset_t *)shared))                                \
	SEEN(sigpending, 1, sigpending((sigset_t *)shared))                                                       \
	SEEN(sigwait, 1, signalled())                                                                             \
	SEEN(sigemptyset, 1, sigemptyset((sigset_t *)shared))                                                     \
	SEEN(sigfillset, 1, sigfillset((sigset_t *)shared))                                                       \
	SEEN(sigaddset, 1, sigaddset((sigset_t *)shared, SIGUSR1))                                                \
	SEEN(sigismember, 0, sink = sigismember((sigset_t *)shared, SIGUSR1))                                     \
	SEEN(getname, 1, pthread_getname_np(pthread_self(), shared, 16))                                          \
	SEEN(create, 1, {                                                                                         \
		pthread_create((pthread_t *)shared, NULL, nothing, NULL);                              \
	})                                                                                                        \
	SEEN(join, 1, {                                                                                           \
		pthread_t thread;                                                                                 \
		pthread_create(&thread, NULL, nothing, NULL);                                          \
		pthread_join(thread, (void **)shared);                                                            \
	})                                                                                                        \
	SEEN(key_create, 1, pthread_key_create((pthread_key_t *)shared, NULL))                                    \
	SEEN(setcancelstate, 1, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, (int *)shared))                     \
	SEEN(sem_getvalue, 1, {                                                                                   \
		static sem_t semaphore;                                                                           \
		sem_init(&semaphore, 0, 3);                                                                       \
		sem_getvalue(&semaphore, (int *)shared);                                                          \
	})                                                                                                        \
	SEEN(timer_create, 1, {                                                                                   \
		struct sigevent event = {.sigev_notify = SIGEV_NONE};                                             \
		timer_create(CLOCK_REALTIME, &event, (timer_t *)shared);                                          \
	})                                                                                                        \
	SEEN(getitimer, 1, getitimer(ITIMER_REAL, (struct itimerval *)shared))                                    \
	SEEN(setitimer_old, 1, setitimer(ITIMER_REAL, &(struct itimerval){{0}}, (struct itimerval *)shared))      \
	SEEN(sched_getaffinity, 1, sched_getaffinity(0, 8, (cpu_set_t *)shared))                                  \
	SEEN(wait, 1, waited_for(1))                                                                              \
	SEEN(waitpid, 1, waited_for(0))                                                                           \
	SEEN(mbstowcs, 1, sink = (long)mbstowcs((wchar_t *)shared, "text", 5))                                    \
	SEEN(wcstombs, 1, sink = (long)wcstombs(shared, L"text", 5))                                              \
	SEEN(mbtowc, 1, sink = mbtowc((wchar_t *)shared, "t", 1))                                                 \
	SEEN(wctomb, 1, sink = wctomb(shared, L't'))                                                              \
	SEEN(wcscpy, 1, wcscpy((wchar_t *)shared, wide_text))                                                     \
	SEEN(wcsncpy, 1, wcsncpy((wchar_t *)shared, wide_text, 3))                                                \
	SEEN(wcscat, 0, wcscat((wchar_t *)shared, wide_text))                                                                \
	SEEN(wcslen, 0, sink = (long)wcsnlen((wchar_t *)shared, 1))                                               \
	SEEN(wcscmp, 0, sink = wcscmp((wchar_t *)shared, wide_text))                                              \
	SEEN(wmemcpy, 1, wmemcpy((wchar_t *)shared, wide_text, 3))                                                \
	SEEN(wmemset, 1, wmemset((wchar_t *)shared, L'x', 3))                                                     \
	SEEN(wmemcmp, 0, sink = wmemcmp((wchar_t *)shared, wide_text, 2))                                         \
	SEEN(wcschr, 0, sink = (long)wcschr((wchar_t *)shared, 0))                                                \
	SEEN(wcstol_end, 1, sink = wcstol(wide_text, (wchar_t **)shared, 10))                                     \
	SEEN(qsort, 1, qsort(shared, 8, 1, descending))                                                           \
	SEEN(regexec, 1, {                                                                                        \
		regex_t regex;                                                                                    \
		regcomp(&regex, "x", 0);                                                                          \
		regexec(&regex, "axa", 1, (regmatch_t *)shared, 0);                                               \
		regfree(&regex);                                                                                  \
	})                                                                                                        \
	SEEN(getsubopt, 1, {                                                                                      \
		char *const words[] = {"x", NULL};                                                                \
		static char text[] = "x=1";                                                                       \
		char *at = text;                                                                                  \
		sink = getsubopt(&at, words, (char **)shared);                                                    \
	})

#define SEEN(name, writes, ...)                                                                                   \
	static void act_##name(void)                                                                              \
	{                                                                                                         \
		__VA_ARGS__;                                                                                        \
	}
EACH
#undef SEEN
#define SEEN(name, writes, ...) {#name, writes, act_##name},
const struct action actions[] = {EACH{NULL, 0, NULL}};
