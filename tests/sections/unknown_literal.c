/* A name that nothing has is an error wherever it stands: also where an ordering about it would hold for ever. */
/* exits: 1 */
/* with: SLEAVE_MODE=check */
/* says: schedule "or" was not followed */
/* says: `added#2` never occurred (only 1 time) */
/* says: `tken` never occurred; did you mean `taken`? */
/* says: schedule "right, literal" was not followed */
/* says: `tken` never occurred; did you mean `taken`? */
/* says: schedule "not" was not followed */
/* says: `added@worke` never occurred; there is no thread `worke`; did you mean `worker`? */
/* says: schedule "brackets" was not followed */
/* says: there is no thread `workr`; did you mean `worker`? */
/* says: schedule "each" was not followed */
/* says: `tken#*` never occurred; did you mean `taken`? */
/* says: schedule "thread in brackets" was followed */
/* says: schedule "nothing like it" was not followed */
/* says: `q` never occurred */
/* says: schedule "object" was not followed */
/* says: `added{quue}` never occurred; sleave_name() has given no object the name `quue`; did you mean `queue`? */
#include <pthread.h>
#include <sleave.h>

static int object;

static void *
work(void *unused)
{
	sleave_thread_name("worker");
	sleave_event_on("added", &object);
	sleave_event("x");
	return unused;
}

int
main(void)
{
	sleave_name(&object, "queue");
	SLEAVE_SCHEDULES("or", "(added || tken) -> x, x -> added#2", "right, literal", "(added && [@worker]) -> tken",
			 "not", "!added@worke", "brackets", "!([@workr] -> added)", "each", "tken#* -> x",
			 "thread in brackets", "!(taken && [worker])", "nothing like it", "(q || added) -> x",
			 "object", "x -> added{quue}") {
		pthread_t thread;

		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
		sleave_event("taken");
	}
	return 0;
}
