/*
 * Destructors of global, local static and thread_local objects, while threads go on. The argument names the body:
 *
 * outcomes: global_beside: =global_0 =global_1
 * outcomes: global_after_join: =global_1
 * outcomes: static_before_global: =static =global_1
 * outcomes: thread_local_beside: =thread =global_0 =global_1 =global_2
 * outcomes: made_by_thread: =static =global_0 =global_1
 */
#include "bodies.h"
#include <atomic>
#include <cstdlib>
#include <thread>

static std::atomic<int> x;
static bool tells;

struct global {
	~global()
	{
		if (tells)
			OUTCOME("global_%d", x.load());
	}
};
static global of_program;

struct local_static {
	int value = 1;
	~local_static()
	{
		if (tells)
			OUTCOME("static");
	}
};
static int
make()
{
	static local_static made;
	return made.value;
}

struct of_thread {
	int value = 1;
	~of_thread()
	{
		OUTCOME("thread");
		x++;
	}
};
static thread_local of_thread own;

static void adds() { x++; }
static void makes() { x += make(); }
static void has_own() { x += own.value; }

int
main(int argc, char **argv)
{
	const char *body = argc == 3 ? argv[1] : "";

	if (argc != 3)
		return 2;
	open_notes(argv[2]);
	tells = true;
	std::thread t(!strcmp(body, "made_by_thread")	     ? makes
		      : !strcmp(body, "thread_local_beside") ? has_own
							     : adds);
	if (!strcmp(body, "global_after_join") || !strcmp(body, "static_before_global")) {
		t.join();
		if (!strcmp(body, "static_before_global"))
			make();
	} else {
		t.detach();
	}
	exit(0);
}
