/*
 * Files between threads: names that are created, looked up and removed;
 * the position that all threads share; asking how much there is to read.
 */
#include "outcome.h"
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

static int a[2] ALONE, fd ALONE, r1 ALONE, data ALONE;
static int first[3] ALONE;
static char folder[32] ALONE, name[64] ALONE, text[8] ALONE;

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), abort()))

static void prepare(void)
{
	strcpy(folder, "filesXXXXXX");
	MUST(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/name", folder);
}
static void clean_up(void)
{
	unlink(name);
	rmdir(name);
	MUST(!rmdir(folder));
}

/* one of them creates it */
THREAD(makes) { if (!mkdir(name, 0700)) r1 = self; else MUST(errno == EEXIST); }
static void who_makes(void)
{
	prepare();
	RUN(makes, makes);
	clean_up();
	OUTCOME("%d", r1);
}

/* looks, then creates: both may believe that they are the first */
THREAD(looks_then_makes)
{
	if (access(name, F_OK)) {
		MUST(!mkdir(name, 0700) || errno == EEXIST);
		first[self] = 1;
	}
}
static void looked_before(void)
{
	prepare();
	RUN(looks_then_makes, looks_then_makes);
	clean_up();
	OUTCOME("%d %d", first[1], first[2]);
}

/* a lock: the thread that creates the file has it */
THREAD(locks_with_file)
{
	int own;

	while ((own = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0) {
		MUST(errno == EEXIST);
		sched_yield();
	}
	data++;
	MUST(!close(own) && !unlink(name));
}
static void lock_file(void)
{
	prepare();
	RUN(locks_with_file, locks_with_file);
	clean_up();
	OUTCOME("%d", data);
}

/* waits until a file exists, and the file never does */
THREAD(waits_for_file) { while (access(name, F_OK)) sched_yield(); r1 = 1; }
THREAD(makes_file) { MUST(close(open(name, O_CREAT | O_WRONLY, 0600)) == 0); }
static void flag_file(void)
{
	prepare();
	RUN(waits_for_file, makes_file);
	clean_up();
	OUTCOME("%d", r1);
}
static void no_flag_file(void)
{
	snprintf(name, sizeof(name), "nowhere");
	RUN(waits_for_file);
	OUTCOME("%d", r1);
}

/* one position for all */
THREAD(reads_at_2) { MUST(lseek(fd, 2, SEEK_SET) == 2 && read(fd, text, 1) == 1); }
THREAD(reads_at_5) { MUST(lseek(fd, 5, SEEK_SET) == 5 && read(fd, text + 1, 1) == 1); }
THREAD(reads_there)
{
	struct iovec part = {text + (self == 1 ? 0 : 1), 1};

	MUST((self == 1 ? pread(fd, text, 1, 2) : preadv(fd, &part, 1, 5)) == 1);
}
static void open_numbers(void)
{
	prepare();
	MUST((fd = open(name, O_CREAT | O_RDWR, 0600)) >= 0 && write(fd, "0123456789", 10) == 10);
}
static void position(void)
{
	open_numbers();
	RUN(reads_at_2, reads_at_5);
	clean_up();
	OUTCOME("%s", text);
}
static void no_position(void)
{
	open_numbers();
	RUN(reads_there, reads_there);
	clean_up();
	OUTCOME("%s", text);
}

/* how much is there to read */
THREAD(asks) { MUST(!ioctl(a[0], FIONREAD, &r1)); }
THREAD(asks_until) { while (!r1) MUST(!ioctl(a[0], FIONREAD, &r1)); }
THREAD(writes) { MUST(write(a[1], "abc", 3) == 3); }
static void asked(void)
{
	MUST(!pipe(a));
	RUN(asks, writes);
	OUTCOME("%d", r1);
}
static void asked_until(void)
{
	MUST(!pipe(a));
	RUN(asks_until, writes);
	OUTCOME("%d", r1);
}
/* without a position it may have to wait */
THREAD(reads_anywhere) { struct iovec part = {text, 8}; r1 = (int)preadv2(a[0], &part, 1, -1, 0); }
static void anywhere(void)
{
	MUST(!pipe(a));
	RUN(reads_anywhere, writes);
	OUTCOME("%d %s", r1, text);
}

/* invented names are the same in each execution */
THREAD(makes_up)
{
	char own[16] = "tempXXXXXX";
	int made = mkstemp(own);

	MUST(made >= 0 && !unlink(own) && !close(made));
	for (const char *c = own; *c; c++)
		data = data * 31 + *c;
	errno = 0;
	MUST(mkstemp(strcpy(own, "temp")) < 0 && errno == EINVAL);
}
static void made_up(void)
{
	RUN(makes_up);
	OUTCOME("%d", data);
}

int main(void)
{
	EXPECT(who_makes, "1", "2");
	EXPECT(looked_before, "1 0", "0 1", "1 1");
	RACY(lock_file, "2"); /* it excludes, but files order nothing */
	EXPECT(flag_file, "1");
	EXPECT_FINDING(no_flag_file, "deadlock", NULL);
	EXPECT_N(position, 6, "25", "56", "65", "23", "32");
	EXPECT(no_position, "25");
	EXPECT(asked, "0", "3");
	EXPECT(asked_until, "3");
	EXPECT(anywhere, "3 abc");
	EXPECT(made_up, "-308825291"); /* whatever it is, it stays */
	return done();
}
