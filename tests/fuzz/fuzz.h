/*
 * What the targets share. A target is a file with the entry that libFuzzer calls; drive.c calls it too, with the
 * corpus and mutations of it, so that every `make test` has some of it without clang.
 */
#ifndef SL_TESTS_FUZZ_H
#define SL_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that does not hold ends the process as a crash does, so that libFuzzer keeps the input. */
#define HOLDS(condition)                                                                                          \
	do {                                                                                                      \
		if (!(condition)) {                                                                               \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                                  \
		}                                                                                                 \
	} while (0)

#endif
