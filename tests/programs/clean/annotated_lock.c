/*
 * A lock that Sleave does not understand, annotated for ThreadSanitizer; a counter whose race is intended, and one to be ignored.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void AnnotateHappensBefore(const char *file, int line, const volatile void *at);
void AnnotateHappensAfter(const char *file, int line, const volatile void *at);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, size_t size, const char *why);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);

static int ready;
int data, statistics, ignored;

static void
count(void)
{
	statistics++;
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
	ignored++;
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

static void *
writer(void *arg)
{
	data = 1;
	AnnotateHappensBefore(__FILE__, __LINE__, &ready);
	__atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
	count();
	return arg;
}

int
main(void)
{
	pthread_t thread;

	AnnotateBenignRaceSized(__FILE__, __LINE__, &statistics, sizeof(statistics), "only statistics");
	pthread_create(&thread, NULL, writer, NULL);
	if (__atomic_load_n(&ready, __ATOMIC_RELAXED)) {
		AnnotateHappensAfter(__FILE__, __LINE__, &ready);
		assert(data == 1);
	}
	count();
	pthread_join(thread, NULL);
	return 0;
}
