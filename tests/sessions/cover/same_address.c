#include <dlfcn.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void use(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	((void (*)(pthread_mutex_t *))dlsym(library, "work"))(&m);
	dlclose(library);
}
static void *run(void *unused) { use("./first.so"); use("./second.so"); return unused; }
int main(void)
{
	pthread_t a;
	pthread_create(&a, 0, run, 0);
	return pthread_join(a, 0);
}
