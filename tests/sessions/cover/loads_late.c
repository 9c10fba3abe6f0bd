#include <dlfcn.h>
#include <pthread.h>
static void (*work)(void);
static void *run(void *unused) { work(); return unused; }
int main(void)
{
	void *library = dlopen("./late_library.so", RTLD_NOW);
	pthread_t a;
	work = (void (*)(void))dlsym(library, "work");
	pthread_create(&a, 0, run, 0);
	work();
	pthread_join(a, 0);
	return dlclose(library);
}
