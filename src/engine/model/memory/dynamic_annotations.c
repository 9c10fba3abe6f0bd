/*
 * The functions of dynamic_annotations.h, as in ThreadSanitizer: happens-before edges, reused memory, and benign
 * races. Benign races are not reported, but they are interleaved.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/core/race.h"
#include "engine/under/poison.h"

#define READ_LOCK 8 /* as in <sanitizer/tsan_interface.h> */
#define MEANT_MAX 256

void __tsan_acquire(void *at);
void __tsan_release(void *at);
void __tsan_mutex_post_lock(void *at, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *at, unsigned flags);

bool sl_annotated;

static struct {
	uint64_t address, size;
	uint32_t sequence; /* the execution; 0: annotated outside of control, valid for all executions */
} meant[MEANT_MAX];

#define UNUSED __attribute__((unused))
#define ANNOTATION(name, ...)                                                                                     \
	SL_EXPORT void name(const char *file, int line, ##__VA_ARGS__);                                           \
	void name(UNUSED const char *file, UNUSED int line, ##__VA_ARGS__)

bool
sl_race_is_meant(uint64_t granule, uint64_t mask)
{
	uint64_t first = granule + (uint64_t)__builtin_ctzll(mask);

	if (E.current->ignores)
		return true;
	for (int i = 0; i < MEANT_MAX; i++)
		if (meant[i].size && (!meant[i].sequence || meant[i].sequence == E.sequence) &&
		    first - meant[i].address < meant[i].size)
			return true;
	return false;
}

void
sl_race_ignore(uint64_t address, uint64_t size)
{
	for (uint64_t at = address & ~7ul; at < address + size; at += 8)
		sl_mark_bytes(at, sl_granule_bytes(at, address, size));
}

static void
mean(const volatile void *at, size_t size)
{
	uint32_t sequence = E.control ? E.sequence : 0;

	for (int i = 0; i < MEANT_MAX; i++) {
		if (meant[i].size && (!meant[i].sequence || meant[i].sequence == E.sequence))
			continue;
		meant[i].address = (uint64_t)at;
		meant[i].size = size;
		meant[i].sequence = sequence;
		sl_annotated = true;
		return;
	}
	if (E.control)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, SL_PC, "more than 256 benign races (AnnotateBenignRace)");
}

static void
ignore(unsigned what, bool begins)
{
	struct sl_thread *t = E.current;

	if (!E.control)
		return;
	t->ignores = (uint8_t)(begins ? t->ignores | what : t->ignores & ~what);
	E.uses.annotations = E.slow = sl_annotated = true;
}

/* clang-format off */
ANNOTATION(AnnotateHappensBefore, void *at) { __tsan_release(at); }
ANNOTATION(AnnotateHappensAfter, void *at) { __tsan_acquire(at); }
ANNOTATION(AnnotateRWLockCreate, UNUSED void *at) { }
ANNOTATION(AnnotateRWLockCreateStatic, UNUSED void *at) { }
ANNOTATION(AnnotateRWLockDestroy, UNUSED void *at) { }
ANNOTATION(AnnotateRWLockAcquired, void *at, long writes) { __tsan_mutex_post_lock(at, writes ? 0 : READ_LOCK, 0); }
ANNOTATION(AnnotateRWLockReleased, void *at, long writes) { __tsan_mutex_pre_unlock(at, writes ? 0 : READ_LOCK); }
ANNOTATION(AnnotateBenignRaceSized, const volatile void *at, size_t size, UNUSED const char *why) { mean(at, size); }
ANNOTATION(AnnotateBenignRace, const volatile void *at, UNUSED const char *why) { mean(at, 8); }
ANNOTATION(AnnotateExpectRace, const volatile void *at, UNUSED const char *why) { mean(at, 1); }
ANNOTATION(WTFAnnotateBenignRaceSized, const volatile void *at, size_t size, UNUSED const char *why) { mean(at, size); }
ANNOTATION(AnnotateIgnoreReadsBegin) { ignore(SL_OP_READS, true); }
ANNOTATION(AnnotateIgnoreReadsEnd) { ignore(SL_OP_READS, false); }
ANNOTATION(AnnotateIgnoreWritesBegin) { ignore(SL_OP_WRITES, true); }
ANNOTATION(AnnotateIgnoreWritesEnd) { ignore(SL_OP_WRITES, false); }
ANNOTATION(AnnotateNewMemory, const volatile void *at, size_t size) { if (E.control) sl_race_forget((uint64_t)at, size); }
/* ThreadSanitizer ignores these, too, or they have no effect here (docs/limits.md). */
ANNOTATION(WTFAnnotateHappensBefore, UNUSED void *at) { }
ANNOTATION(WTFAnnotateHappensAfter, UNUSED void *at) { }
ANNOTATION(AnnotateCondVarSignal, UNUSED void *at) { }
ANNOTATION(AnnotateCondVarSignalAll, UNUSED void *at) { }
ANNOTATION(AnnotateCondVarWait, UNUSED void *at, UNUSED void *lock) { }
ANNOTATION(AnnotateMutexIsNotPHB, UNUSED void *at) { }
ANNOTATION(AnnotateMutexIsUsedAsCondVar, UNUSED void *at) { }
ANNOTATION(AnnotateTraceMemory, UNUSED const volatile void *at) { }
ANNOTATION(AnnotateFlushState) { }
ANNOTATION(AnnotateFlushExpectedRaces) { }
ANNOTATION(AnnotateNoOp, UNUSED void *at) { }
ANNOTATION(AnnotateEnableRaceDetection, UNUSED int on) { }
ANNOTATION(AnnotatePCQCreate, UNUSED void *at) { }
ANNOTATION(AnnotatePCQDestroy, UNUSED void *at) { }
ANNOTATION(AnnotatePCQPut, UNUSED void *at) { }
ANNOTATION(AnnotatePCQGet, UNUSED void *at) { }
ANNOTATION(AnnotatePublishMemoryRange, UNUSED void *at, UNUSED size_t size) { }
ANNOTATION(AnnotateUnpublishMemoryRange, UNUSED void *at, UNUSED size_t size) { }
ANNOTATION(AnnotateIgnoreSyncBegin) { }
ANNOTATION(AnnotateIgnoreSyncEnd) { }
ANNOTATION(AnnotateThreadName, UNUSED const char *name) { }
ANNOTATION(AnnotateMemoryIsInitialized, UNUSED const volatile void *at, UNUSED size_t size) { }
ANNOTATION(AnnotateMemoryIsUninitialized, UNUSED const volatile void *at, UNUSED size_t size) { }
/* clang-format on */

SL_EXPORT int RunningOnValgrind(void);
SL_EXPORT double ValgrindSlowdown(void);

int
RunningOnValgrind(void)
{
	return 0;
}

double
ValgrindSlowdown(void)
{
	return 10;
}
