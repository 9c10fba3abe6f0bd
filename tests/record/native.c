/*
 * Runs a program several times on real threads with noise, and prints of each run how many items there were, how many of
 * them were locks, how often there was noise, and how it ended.
 *
 * usage: native_runs STRATEGY PROBABILITY RUNS PROGRAM [ARGUMENT]…
 */
#include "cli/session/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static unsigned locks;

static void
each(void *data, const struct sl_item *item)
{
	(void)data;
	locks += item->kind == SL_MUTEX_LOCK;
}

int
main(int argc, char **argv)
{
	struct sl_err err = {""};
	struct sl_native *native = sl_native_new(NULL, &err);
	struct sl_native_program program = {.silent = true};
	char noise[64];

	if (argc < 5 || !native)
		return 2;
	program.path = argv[4];
	program.argv = argv + 4;
	for (int run = 0; run < atoi(argv[3]); run++) {
		struct sl_native_end end;

		if (!sl_native_noise(argv[1], atof(argv[2]), (uint64_t)run, noise, sizeof(noise)))
			return 2;
		program.noise = noise;
		locks = 0;
		if (sl_native_run(native, &program, 60000000000u, each, NULL, &end, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 3;
		}
		printf("items %llu locks %u noises %u status %d\n", (unsigned long long)end.items, locks,
		       end.reel->noises, WIFEXITED(end.status) ? WEXITSTATUS(end.status) : -1);
	}
	sl_native_free(native);
	return 0;
}
