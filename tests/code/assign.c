/*
 * Assignments of structs of all sizes, also through pointers: gcc announces what is written and what is read, and copies after
 * both. A thread that is to read it afterwards reads all of it, and a thread that is to write it afterwards has not written
 * yet. In `turns` a read follows a write in another statement: there the write is done, whatever the read has to wait for.
 */
#include <pthread.h>
#include <sleave.h>
#include <stdlib.h>
#include <string.h>
#define SIZES(X) X(2) X(4) X(16) X(1000) X(10000)
#define DEFINE(n)                                                                                                 \
	static struct s##n { int v[n]; } src##n, g##n, h##n;                                                      \
	static struct { int before; struct s##n s[3]; } array##n;                                                 \
	static void *set##n(void *p) { g##n = src##n; return p; }                                                 \
	static void *element##n(void *p) { array##n.s[*(int *)p] = array##n.s[*(int *)p - 1]; return NULL; }
SIZES(DEFINE)
volatile int first, second;
static void *turns(void *p) { first = 1; second = second + 1; return p; }
static void run(void *(*set)(void *), void *argument, void (*get)(void))
{
	pthread_t t;
	pthread_create(&t, NULL, set, argument);
	get();
	pthread_join(t, NULL);
}
static void must(int true) { if (!true) abort(); }
#define GET(n)                                                                                                    \
	static void get##n(void) { h##n = g##n; }                                                                 \
	static void get_element##n(void) { h##n = array##n.s[2]; }
SIZES(GET)
static void get_turns(void) { must(first == 1); second = 5; }
int main(void)
{
	int two = 2;
#define TRY(n)                                                                                                    \
	for (int i = 0; i < 8; i++) {                                                                             \
		for (int k = 0; k < n; k++)                                                                       \
			src##n.v[k] = array##n.s[1].v[k] = 7, array##n.s[2].v[k] = g##n.v[k] = 1;                 \
		SLEAVE_SCHEDULES("written", "write:g" #n "@T1 -> read:g" #n "@main") {                            \
			run(set##n, NULL, get##n);                                                                \
			must(h##n.v[0] == 7 && h##n.v[n - 1] == 7);                                               \
		}                                                                                                 \
		memset(&g##n, 0, sizeof(g##n));                                                                   \
		SLEAVE_SCHEDULES("read", "read:g" #n "@main -> write:g" #n "@T1") {                               \
			run(set##n, NULL, get##n);                                                                \
			must(h##n.v[0] == 0 && h##n.v[n - 1] == 0);                                               \
		}                                                                                                 \
		SLEAVE_SCHEDULES("element", "write:array" #n ".s[2]@T1 -> read:array" #n ".s[2]@main") {          \
			run(element##n, &two, get_element##n);                                                    \
			must(h##n.v[0] == 7 && h##n.v[n - 1] == 7);                                               \
		}                                                                                                 \
	}
	SIZES(TRY)
	for (int i = 0; i < 8; i++) {
		first = second = 0;
		SLEAVE_SCHEDULES("turns", "write:first@T1 -> read:first@main, write:second@main -> read:second@T1") {
			run(turns, NULL, get_turns);
			must(second == 6);
		}
	}
	return 0;
}
