/*
 * Noise on real threads: at random a thread yields, or sleeps, before an operation. These are the random baselines
 * for coverage: RND-y, RND-s10, RND-s100 of Hong et al., "Testing concurrent programs to achieve high
 * synchronization coverage" (ISSTA 2012).
 *
 * Operations are those that synchronise, atomics, and accesses to shared data: eight bytes count as shared as soon
 * as a second thread has accessed them.
 *
 * SLEAVE_NOISE: y, or the longest sleep in milliseconds; the probability in thousandths; a seed: "y:300:1",
 * "10:500:7".
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define GRANULES (1u << 18)

bool sl_lane_noisy __attribute__((visibility("hidden")));
static uint32_t longest; /* milliseconds; 0: threads yield */
static uint32_t chance;  /* probability in thousandths */
static uint64_t seed;

/* By address of eight bytes. Threads write it without synchronisation: lost updates are acceptable. */
static struct {
	uint32_t tag;
	uint16_t by; /* the first thread, plus one */
	uint16_t shared;
} granules[GRANULES];

static uint64_t
number(const char **text)
{
	uint64_t n = 0;

	while (**text >= '0' && **text <= '9')
		n = n * 10 + (uint64_t)(*(*text)++ - '0');
	if (**text == ':')
		++*text;
	return n;
}

void
sl_lane_noise_start(const char *text)
{
	if (!text)
		return;
	if (*text == 'y')
		text += 1 + (text[1] == ':');
	else
		longest = (uint32_t)number(&text) % 1000;
	chance = (uint32_t)number(&text);
	seed = number(&text);
	sl_lane_noisy = true;
}

/* Each thread has its own stream of random numbers, independent of the others. */
static uint32_t
below(uint32_t n)
{
	struct sl_rng rng = {sl_lane_self.random};
	uint32_t drawn;

	if (!rng.state)
		rng = sl_rng_derive(seed, sl_lane_self.number);
	drawn = sl_rng_below(&rng, n);
	sl_lane_self.random = rng.state;
	return drawn;
}

void
sl_lane_noise(void)
{
	struct timespec time = {0};

	if (!sl_lane_open() || below(1000) >= chance)
		return;
	__atomic_add_fetch(&sl_reel->noises, 1, __ATOMIC_RELAXED);
	if (!longest) {
		sl_raw(SYS_sched_yield);
		return;
	}
	time.tv_nsec = below(longest * 1000000u + 1);
	sl_raw(SYS_nanosleep, &time, NULL);
}

void
sl_lane_noise_access(uint64_t address)
{
	uint64_t hash = (address >> 3) * 0x9e3779b97f4a7c15u;
	uint32_t at = (uint32_t)(hash >> 46), tag = (uint32_t)(hash >> 14);
	uint16_t me = (uint16_t)(sl_lane_self.number + 1);

	if (!sl_lane_open())
		return;
	if (granules[at].tag != tag) {
		granules[at].tag = tag;
		granules[at].by = me;
		granules[at].shared = 0;
		return;
	}
	if (granules[at].by != me)
		granules[at].shared = 1;
	if (granules[at].shared)
		sl_lane_noise();
}
