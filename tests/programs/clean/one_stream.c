/*
 * Two threads read records of two lines from one stream, and lock it for that (flockfile): each gets a whole one.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static FILE *records;

static void *
read_record(void *arg)
{
	char name[8], value[8];

	flockfile(records);
	assert(fgets(name, sizeof(name), records) && fgets(value, sizeof(value), records));
	funlockfile(records);
	assert(name[0] == value[0]);
	return arg;
}

int
main(void)
{
	pthread_t t;

	records = tmpfile();
	fputs("a\na1\nb\nb1\n", records);
	rewind(records);
	pthread_create(&t, NULL, read_record, NULL);
	read_record(NULL);
	pthread_join(t, NULL);
	fclose(records);
	return 0;
}
