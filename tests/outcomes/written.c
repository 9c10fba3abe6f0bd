/*
 * Memory that the kernel or libc writes during a call, of which the size is known only afterwards: another thread sees it
 * as it was before, or as it is then. Nothing else in these bodies is shared, so the call itself is no point of choice.
 */
#include "outcome.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), abort()))
static char text[64] ALONE;
static int ends[2];

/* The thread writes "x" over "a", by a call; the first thread looks. */
#define TWO(name, ...)                                                                                       \
	static void *name##_does(void *argument) { __VA_ARGS__; return argument; }                           \
	static void name(void)                                                                               \
	{                                                                                                    \
		pthread_t made;                                                                              \
		char seen;                                                                                   \
		text[0] = 'a';                                                                               \
		MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));                                            \
		MUST(write(ends[1], "x\n", 2) == 2);                                                         \
		MUST(!pthread_create(&made, NULL, name##_does, NULL));                                       \
		seen = text[0];                                                                              \
		MUST(!pthread_join(made, NULL));                                                             \
		close(ends[0]);                                                                              \
		close(ends[1]);                                                                              \
		OUTCOME("%c%c", seen, text[0]);                                                              \
	}

TWO(by_read, MUST(read(ends[0], text, sizeof(text)) == 2))
TWO(by_readv, struct iovec v = {text, 1}; MUST(readv(ends[0], &v, 1) == 1))
TWO(by_recv, MUST(recv(ends[0], text, 1, 0) == 1))
TWO(by_recvfrom, MUST(recvfrom(ends[0], text, 1, 0, NULL, NULL) == 1))
TWO(by_recvmsg, struct iovec v = {text, 1}; struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1}; MUST(recvmsg(ends[0], &m, 0) == 1))
static char given[] = "x\n";
TWO(by_fread, FILE *f = fmemopen(given, 2, "r"); MUST(fread(text, 1, 1, f) == 1); fclose(f))
TWO(by_fgets, FILE *f = fmemopen(given, 2, "r"); MUST(fgets(text, 9, f)); fclose(f))
TWO(by_fscanf, FILE *f = fmemopen(given, 2, "r"); MUST(fscanf(f, "%s", text) == 1); fclose(f))
TWO(by_sscanf, MUST(sscanf(given, "%c", text) == 1))
TWO(by_snprintf, snprintf(text, 9, "%c", given[0]))
TWO(by_sprintf, sprintf(text, "%c", given[0]))
TWO(by_readlink, MUST(readlink("/proc/self/exe", text + 1, 8) > 0); sprintf(text, "x"))

#define TRY(body) EXPECT_WITH(body, 0, NULL, OPTIONS(.races = SLEAVE_RACES_OFF), "ax", "xx")

int main(void)
{
	TRY(by_read);
	TRY(by_readv);
	TRY(by_recv);
	TRY(by_recvfrom);
	TRY(by_recvmsg);
	TRY(by_fread);
	TRY(by_fgets);
	TRY(by_fscanf);
	TRY(by_sscanf);
	TRY(by_snprintf);
	TRY(by_sprintf);
	TRY(by_readlink);
	return done();
}
