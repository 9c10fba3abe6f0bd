/* A block that is left by break or return has ended: what has not happened by then did not happen. */
/* aborts */
/* says: schedule "happens" happened, although it is declared infeasible */
#include <pthread.h>
#include <sleave.h>

static pthread_t thread;

static void *
work(void *unused)
{
	sleave_event("begun");
	sleave_event("finished");
	return unused;
}

static void
returns(void)
{
	SLEAVE_INFEASIBLE("returns", "finished -> begun") {
		pthread_create(&thread, NULL, work, NULL);
		return;
	}
}

int
main(void)
{
	SLEAVE_INFEASIBLE("breaks", "finished -> begun") {
		pthread_create(&thread, NULL, work, NULL);
		break;
	}
	returns();
	SLEAVE_INFEASIBLE("happens", "begun -> finished") {
		pthread_create(&thread, NULL, work, NULL);
		break;
	}
	return 0;
}
