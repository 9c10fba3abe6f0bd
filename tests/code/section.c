/* A section of a test whose schedules name only code. */
#include <pthread.h>
#include <sleave.h>
#include <stdlib.h>
#include <string.h>
static int balance, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *reader(void *p)
{
	pthread_mutex_lock(&m);
	seen = balance;
	pthread_mutex_unlock(&m);
	return p;
}
static void deposit(void)
{
	pthread_mutex_lock(&m);
	balance = 7;
	pthread_mutex_unlock(&m);
}
int main(void)
{
	SLEAVE_SCHEDULES("before", "lock:m@T1 -> enter:deposit", "after", "exit:deposit -> lock:m@T1")
	{
		pthread_t a;
		balance = 0;
		pthread_create(&a, NULL, reader, NULL);
		deposit();
		pthread_join(a, NULL);
		if (seen != (strcmp(sleave_schedule_name(), "before") ? 7 : 0))
			abort();
	}
	return 0;
}
