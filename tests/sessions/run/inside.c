#include "head.h"
#include <sleave.h>
static void *read_write(void *arg) { int n; pthread_mutex_lock(&lock); n = count; pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock); count = n + 1; pthread_mutex_unlock(&lock); return arg; }
static void good(void *arg) { (void)arg; count = 0; two(bump); assert(count == 2); }
/* leaves a file open when it fails: the shared memory must not be closed with it */
static void bad(void *arg) { FILE *f = fopen("/dev/null", "w"); (void)arg; count = 0; two(read_write);
	assert(count == 2); fclose(f); }
int main(int argc, char **argv)
{
	struct sleave_result result;
	struct sleave_options options = {.result = &result, .quiet = argc > 1};
	(void)argv;
	assert(sleave_explore(good, NULL, NULL) == SLEAVE_CLEAN);
	assert(sleave_explore(bad, NULL, &options) == SLEAVE_FINDING && result.findings == 1);
	printf("%s\n%s\n", result.message, result.replay_file);
	return count;
}
