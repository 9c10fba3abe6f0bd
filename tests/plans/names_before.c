/*
 * Names that were given before the section are valid inside it, under control as on real threads:
 * of objects, and of the thread that has the section. PART says which of them, and how; if WRONG
 * the assertion fails, so that there is a schedule to be replayed, which has the same names.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sleave.h>
#include <string.h>
#include <sys/prctl.h>

static int first, second;
static _Atomic int order;

static void *
uses(void *object)
{
	sleave_event_on("use", object);
	order = order * 10 + (object == &first ? 1 : 2);
	sleave_event_on("used", object);
	return NULL;
}

static void
objects(void)
{
	char name[8] = "one";

	sleave_name(&first, name);
	strcpy(name, "two");
	sleave_name(&second, name);
	strcpy(name, "none");
	SLEAVE_SCHEDULES("objects", "used{one} -> use{two}") {
		pthread_t a, b;

		order = 0;
		pthread_create(&a, NULL, uses, &first);
		pthread_create(&b, NULL, uses, &second);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		assert(order == (WRONG ? 21 : 12));
	}
}

static void
thread(void)
{
	SLEAVE_SCHEDULES("thread", "used@T1 -> use@boss") {
		pthread_t a;

		order = 0;
		pthread_create(&a, NULL, uses, &first);
		uses(&second);
		pthread_join(a, NULL);
		assert(order == (WRONG ? 21 : 12));
	}
}

int
main(void)
{
	if (!strcmp(PART, "sleave"))
		sleave_thread_name("boss");
	else if (!strcmp(PART, "pthread"))
		pthread_setname_np(pthread_self(), "boss");
	else if (!strcmp(PART, "prctl"))
		prctl(PR_SET_NAME, "boss");
	if (strcmp(PART, "objects"))
		thread();
	else
		objects();
	return 0;
}
