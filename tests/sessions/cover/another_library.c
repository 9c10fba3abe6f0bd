#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
	void *library = dlopen(access("again", F_OK) ? "./first.so" : "./second.so", RTLD_NOW);
	((void (*)(pthread_mutex_t *))dlsym(library, "work"))(&m);
	return fclose(fopen("again", "w"));
}
