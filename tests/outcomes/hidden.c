/*
 * What libc keeps between calls, unseen by any callback: the numbers of rand(), the position in a stream, the
 * environment, the locale, results in memory that the next call overwrites. Two threads' calls are tried in both orders.
 */
#include "outcome.h"
#include <dirent.h>
#include <locale.h>
#include <sys/stat.h>

static int r1 ALONE, r2 ALONE;
static FILE *stream ALONE;
static char text[16] ALONE;

#define MUST(condition) ((condition) ? (void)0 : abort())

/* which thread gets the first number */
static int numbers[2] ALONE;
static int number(int value) { return value == numbers[0] ? 1 : value == numbers[1] ? 2 : 0; }
THREAD(draws_1) { r1 = number(rand()); }
THREAD(draws_2) { r2 = number((int)random()); }
static void turns(void)
{
	srand(5);
	numbers[0] = rand();
	numbers[1] = rand();
	srand(5);
	RUN(draws_1, draws_2);
	OUTCOME("%d %d", r1, r2);
}

/* before the seed, or after it */
THREAD(seeds) { srandom(5); }
static void seeded(void)
{
	srand(5);
	numbers[0] = rand();
	numbers[1] = rand();
	srand(5);
	MUST(number(rand()) == 1);
	RUN(draws_1, seeds);
	OUTCOME("%d", r1);
}

/* one reads a line, one a character of it */
THREAD(reads_1) { char line[8]; MUST(fgets(line, sizeof(line), stream)); r1 = line[0]; }
THREAD(reads_2) { r2 = fgetc(stream); }
static void lines(void)
{
	MUST((stream = tmpfile()));
	fputs("1\n2\n", stream);
	rewind(stream);
	RUN(reads_1, reads_2);
	fclose(stream);
	OUTCOME("%c %c", r1 == '\n' ? '.' : r1, r2);
}

/* which thread writes first: to a file, to memory */
THREAD(writes_1) { fputs("1", stream); }
THREAD(writes_2) { fprintf(stream, "%d", 2); }
static void written(void)
{
	MUST((stream = tmpfile()));
	RUN(writes_1, writes_2);
	rewind(stream);
	MUST(fread(text, 1, 3, stream) == 2);
	fclose(stream);
	OUTCOME("%s", text);
}
static void in_memory(void)
{
	MUST((stream = fmemopen(text, sizeof(text), "w")));
	RUN(writes_1, writes_2);
	fclose(stream);
	OUTCOME("%s", text);
}

/* standard output: in any order, which this test cannot see */
THREAD(says) { printf("%s", ""); fputs("", stderr); }
static void said(void)
{
	RUN(says, says);
	OUTCOME("said");
}

/* each gets another one */
static DIR *folder ALONE;
THREAD(looks_1) { r1 = readdir(folder) != NULL; }
THREAD(looks_2) { r2 = readdir(folder) != NULL; }
static void entries(void)
{
	char name[] = "hiddenXXXXXX";

	MUST(mkdtemp(name));
	MUST((folder = opendir(name))); /* itself and the one above it */
	MUST(readdir(folder));
	RUN(looks_1, looks_2);
	closedir(folder);
	rmdir(name);
	OUTCOME("%d %d", r1, r2);
}

/* races, each shown by both orders: POSIX does not permit these calls at the same time */
THREAD(sets) { setenv("HIDDEN", "1", 1); }
THREAD(gets) { r1 = getenv("HIDDEN") != NULL; }
static void environment(void)
{
	RUN(sets, gets);
	OUTCOME("%d", r1);
}
THREAD(changes_locale) { MUST(setlocale(LC_ALL, "C.UTF-8")); }
THREAD(asks_locale) { r1 = strcmp(setlocale(LC_ALL, NULL), "C") != 0; }
static void the_locale(void)
{
	RUN(changes_locale, asks_locale);
	OUTCOME("%d", r1);
}
THREAD(breaks_down) { time_t day = 86400 * 400; r1 = gmtime(&day)->tm_year; }
THREAD(breaks_down_another) { time_t day = 0; MUST(localtime(&day)); }
static void calendar(void)
{
	RUN(breaks_down, breaks_down_another);
	OUTCOME("%d", r1);
}
THREAD(prints_time) { time_t day = 86400 * 400; strncpy(text, ctime(&day) + 20, 4); }
THREAD(prints_another) { struct tm day = {.tm_year = 70, .tm_mday = 1}; MUST(asctime(&day)); }
static void printed_time(void)
{
	RUN(prints_time, prints_another);
	OUTCOME("%s", text);
}
THREAD(draws_48) { r1 = (int)(lrand48() % 97); }
THREAD(seeds_48) { srand48(1); }
static void seeded_48(void)
{
	srand48(3);
	RUN(draws_48, seeds_48);
	OUTCOME("%d", r1);
}

/* reading is no race */
THREAD(only_looks) { MUST(!getenv("HIDDEN") && !strcmp(setlocale(LC_ALL, NULL), "C")); }
static void looked(void)
{
	RUN(only_looks, only_looks);
	OUTCOME("%d", r1);
}

int main(void)
{
	EXPECT_N(turns, 2, "1 2", "2 1");
	EXPECT_N(seeded, 2, "1", "2");
	EXPECT_N(lines, 2, "1 2", ". 1");
	EXPECT_N(written, 2, "12", "21");
	EXPECT_N(in_memory, 2, "12", "21");
	EXPECT_N(said, 1, "said");
	EXPECT_N(entries, 2, "1 0", "0 1");
	RACY_N(environment, 2, "0", "1");
	RACY_N(the_locale, 2, "0", "1");
	RACY(calendar, "71", "70");
	RACY(printed_time, "1971", "1970");
	RACY_N(seeded_48, 2, "5", "46");
	EXPECT_N(looked, 1, "0");
	return done();
}
