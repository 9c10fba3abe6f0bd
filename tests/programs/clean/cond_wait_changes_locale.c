/*
 * A thread loads a conversion and a locale while another waits for it on a condition: what libc maps for that goes with the
 * execution.
 */
/* options: --races=off */
#include <assert.h>
#include <iconv.h>
#include <locale.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int converted;

static void *
convert(void *arg)
{
	char from[] = "\344", to[8], *in = from, *out = to;
	size_t left = 1, room = sizeof(to);
	iconv_t cd;

	setlocale(LC_ALL, "C.UTF-8");
	cd = iconv_open("UTF-8", "ISO-8859-1");
	assert(cd != (iconv_t)-1);
	assert(iconv(cd, &in, &left, &out, &room) == 0);
	iconv_close(cd);
	pthread_mutex_lock(&lock);
	converted = to[0] == '\303';
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, convert, NULL);
	pthread_mutex_lock(&lock);
	while (!converted)
		pthread_cond_wait(&ready, &lock);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
