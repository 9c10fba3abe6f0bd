/*
 * GLib's own tests of locks (glib/tests/mutex.c, rwlock.c, rec-mutex.c: $TEST) with less to do: their acquire() takes one of 48
 * locks, checks that it is the only owner and gives it back, in 100 threads, 10,000 times in each. Here three threads take two locks.
 */
#define main test_main
#include TEST
#undef main

static gpointer
take(gpointer data)
{
	acquire(GPOINTER_TO_INT(data));
	acquire(0);
	return NULL;
}

int
main(void)
{
	GThread *threads[3];

	for (int i = 0; i < 3; i++)
		threads[i] = g_thread_new("test", take, GINT_TO_POINTER(i % 2));
	for (int i = 0; i < 3; i++)
		g_thread_join(threads[i]);
	for (int i = 0; i < LOCKS; i++)
		g_assert(owners[i] == NULL);
	return 0;
}
