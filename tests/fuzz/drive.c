/*
 * Calls a target with every file of its corpus, as it is and cut off at every byte, then with a number of mutations
 * that are the same everywhere. The file LAST, which is mapped and so survives a crash, has the input that was tried
 * last, after its size in eight bytes.
 *
 * usage: drive LAST MUTATIONS FILE…
 */
#include "base/rng.h"
#include "fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define INPUT_MAX 65536

static struct {
	uint64_t size;
	uint8_t bytes[INPUT_MAX];
} *last;

struct input {
	uint8_t *bytes;
	size_t size;
};

/* In memory of exactly that size, so that the sanitizer sees a byte too many. */
static void
try(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size + !size);

	HOLDS(copy);
	last->size = size;
	memcpy(last->bytes, bytes, size);
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static struct input
read_input(const char *path)
{
	struct input input = {malloc(INPUT_MAX), 0};
	FILE *f = fopen(path, "r");

	if (!f || !input.bytes) {
		perror(path);
		exit(1);
	}
	input.size = fread(input.bytes, 1, INPUT_MAX, f);
	HOLDS(input.size < INPUT_MAX && !ferror(f));
	fclose(f);
	return input;
}

/* One change: a bit, a byte, a piece left out, doubled, or taken from another input. */
static size_t
mutate(struct sl_rng *rng, uint8_t *bytes, size_t size, const struct input *other)
{
	static const char bytes_of_interest[] = "\0\n\r\\ \"'#*$^@:T09fx\x7f\xff";
	uint32_t at = size ? sl_rng_below(rng, (uint32_t)size) : 0, left = (uint32_t)size - at;
	uint32_t from, length;

	switch (sl_rng_below(rng, size ? 6 : 1)) {
	case 0: /* a piece of another goes in */
		from = other->size ? sl_rng_below(rng, (uint32_t)other->size) : 0;
		length = sl_rng_below(rng, (uint32_t)(other->size - from) + 1);
		if (size + length >= INPUT_MAX)
			return size;
		memmove(bytes + at + length, bytes + at, left);
		memcpy(bytes + at, other->bytes + from, length);
		return size + length;
	case 1:
		bytes[at] ^= (uint8_t)(1u << sl_rng_below(rng, 8));
		return size;
	case 2:
		bytes[at] = (uint8_t)bytes_of_interest[sl_rng_below(rng, sizeof(bytes_of_interest) - 1)];
		return size;
	case 3: /* a piece is left out */
		length = 1 + sl_rng_below(rng, left);
		memmove(bytes + at, bytes + at + length, left - length);
		return size - length;
	case 4: /* or is doubled */
		length = 1 + sl_rng_below(rng, left);
		if (size + length >= INPUT_MAX)
			return size;
		memmove(bytes + at + length, bytes + at, left);
		return size + length;
	default: /* a line is doubled: one that may occur only once, or another one */
		while (at && bytes[at - 1] != '\n')
			at--;
		for (length = 0; at + length < size && bytes[at + length] != '\n';)
			length++;
		length += at + length < size;
		if (size + length >= INPUT_MAX)
			return size;
		memmove(bytes + at + length, bytes + at, size - at);
		return size + length;
	}
}

int
main(int argc, char **argv)
{
	static uint8_t bytes[INPUT_MAX];
	struct input *inputs;
	int count = argc - 3;
	long mutations;
	int fd;

	if (count < 1) {
		fprintf(stderr, "usage: %s LAST MUTATIONS FILE...\n", argv[0]);
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	HOLDS(fd >= 0 && ftruncate(fd, sizeof(*last)) == 0);
	last = mmap(NULL, sizeof(*last), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	HOLDS(last != MAP_FAILED);
	mutations = strtol(argv[2], NULL, 10);
	inputs = calloc((size_t)count, sizeof(*inputs));
	HOLDS(inputs);
	for (int i = 0; i < count; i++) {
		inputs[i] = read_input(argv[3 + i]);
		for (size_t size = 0; size <= inputs[i].size; size++)
			try(inputs[i].bytes, size);
	}
	for (long i = 0; i < mutations; i++) {
		struct sl_rng rng = sl_rng_derive(1, (uint64_t)i);
		const struct input *from = &inputs[sl_rng_below(&rng, (uint32_t)count)];
		size_t size = from->size;

		memcpy(bytes, from->bytes, size);
		for (uint32_t changes = 1 + sl_rng_below(&rng, 4); changes; changes--)
			size = mutate(&rng, bytes, size, &inputs[sl_rng_below(&rng, (uint32_t)count)]);
		try(bytes, size);
	}
	for (int i = 0; i < count; i++)
		free(inputs[i].bytes);
	free(inputs);
	printf("%d files and %ld mutations\n", count, mutations);
	return 0;
}
