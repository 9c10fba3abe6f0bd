/* Events of objects that have a name, or are global variables; names that were given in a section end with it. */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>

struct queue {
	int taken;
};
static struct queue first, second;

static void
take(struct queue *queue)
{
	sleave_event_on("takes", queue);
	queue->taken = first.taken + second.taken + 1;
	sleave_event_on("taken", queue);
}

static void *
takes(void *queue)
{
	take(queue);
	return NULL;
}

int
main(void)
{
	sleave_name(&first, "first");
	for (int i = 0; i < 2; i++)
		SLEAVE_SCHEDULES("first, second", "taken{first} -> takes{second}", "second, first",
				 "taken{second} -> takes{first}") {
			pthread_t thread;

			first.taken = second.taken = 0;
			sleave_name(&second, "second");
			pthread_create(&thread, NULL, takes, &first);
			take(&second);
			pthread_join(thread, NULL);
			assert((first.taken == 1) == (sleave_schedule_name()[0] == 'f') && first.taken + second.taken == 3);
		}
	return 0;
}
