#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char **argv)
{
	int fd = open("which", O_RDWR | O_CREAT, 0600);
	char which = 0, *paths[] = {"./this.so", "./that.so"}, *names[] = {"run_this", "run_that"};
	pthread_t thread;
	if (argc < 2 || *argv[1] != 'x' || read(fd, &which, 1) < 0)
		return 1;
	which ^= 1;
	if (pwrite(fd, &which, 1, 0) != 1)
		return 1;
	void *(*run)(void *) = dlsym(dlopen(paths[(int)which], RTLD_NOW), names[(int)which]);
	pthread_create(&thread, 0, run, &m);
	run(&m);
	return pthread_join(thread, 0);
}
