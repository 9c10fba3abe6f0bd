/*
 * Runs a program and prints what it does on real threads, one item a line: thread, kind, size, object, pc, value. For
 * tests of the recording itself, without a file in between.
 *
 * usage: drain [-w WORDS] [-q] [-k MILLIONS] PROGRAM [ARGUMENT]…
 *	-w: of a lane (a power of two); -q: prints only how many there were; -k: kills the program after so many thousand items
 */
#include "trace/lane/merge.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *
word_of(uint8_t kind)
{
	static const char *const words[] = {
#define SL_OP(name, verb, flags, traits, event) #name,
#include "base/op.def"
	};
	static const char *const more[] = {"CALL", "RETURN", "BRANCH", "REQUEST"};

	return kind < SL_OP_KIND_COUNT ? words[kind] : kind >= SL_ITEM_CALL && kind < SL_ITEM_KIND_END ? more[kind - SL_ITEM_CALL] : "?";
}

static struct sl_reel *reel;
static uint64_t counts[256], items, nested, kill_after;
static int quiet;
static pid_t pid;

static uint64_t
take(void *context, uint32_t thread, const uint64_t *words, uint64_t count, uint64_t limit)
{
	uint64_t i = 0;

	(void)context;
	while (i < count) {
		uint8_t kind = (uint8_t)words[i];
		unsigned n = sl_reel_words(words + i);
		struct sl_item item;

		if (sl_merge_stops(words[i], limit))
			break;
		if (kind == SL_REEL_NAME && !quiet)
			printf("%u NAME %s\n", thread, reel->names.words[(words[i] >> 8) - 1]);
		if (kind < SL_REEL_SWITCH) {
			counts[kind]++;
			items++;
			if (!quiet) {
				sl_reel_read(words + i, &item);
				printf("%u %s %u %lx %lx %lx\n", thread, word_of(kind), item.size, (long)item.object,
				       (long)item.pc, (long)item.value);
			}
		}
		i += n;
	}
	if (kill_after && items > kill_after) {
		kill_after = 0;
		kill(pid, SIGKILL);
	}
	return i;
}

static void
take_loop(void *context, uint32_t thread, const struct sl_reel_loop *loop, uint64_t first, uint64_t last)
{
	nested += sl_reel_around(loop) ? last - first : 0;
	for (; first < last; first++) {
		uint64_t words[3];

		sl_reel_loop_item(loop, first, words);
		take(context, thread, words, sl_reel_words(words), 0);
	}
}

int
main(int argc, char **argv)
{
	uint32_t words = 1 << 15;
	int option, status = 0;

	while ((option = getopt(argc, argv, "+w:qk:")) != -1) {
		if (option == 'w')
			words = (uint32_t)atoi(optarg);
		else if (option == 'q')
			quiet = 1;
		else
			kill_after = strtoul(optarg, NULL, 10) * 1000;
	}
	uint64_t rings = (sizeof(struct sl_reel) + 4095) & ~4095ul, size = rings + (uint64_t)SL_REEL_LANES * words * 8;
	int fd = memfd_create("reel", 0);
	char text[16];

	if (fd < 0 || ftruncate(fd, (off_t)size) || argc == optind)
		return 2;
	reel = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (reel == MAP_FAILED)
		return 2;
	reel->lane_count = SL_REEL_LANES;
	reel->lane_words = words;
	reel->rings = rings;
	reel->size = size;
	reel->magic = SL_REEL_MAGIC;
	snprintf(text, sizeof(text), "%d", fd);
	setenv("SLEAVE_REEL", text, 1);
	pid = fork();
	if (!pid) {
		execv(argv[optind], argv + optind);
		_exit(127);
	}
	static struct sl_merge merge;
	int dead = 0;

	sl_merge_init(&merge, reel);
	for (;;) {
		static const struct timespec while_ = {.tv_nsec = 1000000};

		if (!dead && waitpid(pid, &status, WNOHANG) == pid)
			dead = 1;
		if (sl_merge_round(&merge, dead, take, take_loop, NULL))
			continue;
		if (dead)
			break;
		__atomic_store_n(&reel->news, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &reel->news, FUTEX_WAIT, 1, &while_, NULL, 0);
	}
	for (int kind = 0; kind < 256; kind++)
		if (counts[kind])
			printf("= %s %lu\n", word_of((uint8_t)kind), counts[kind]);
	printf("items %lu nested %lu threads %u modules %u forked %u unrecorded %u complete %u ", items, nested, reel->thread_count,
	       reel->module_count, reel->forked, reel->unrecorded, reel->complete);
	if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else
		printf("status %d\n", WEXITSTATUS(status));
	return 0;
}
