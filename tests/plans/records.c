/* Two threads read records of two lines from one stream, each line by a call of its own: they may get half of one each. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static FILE *records;

static void *
read_record(void *arg)
{
	char name[8], value[8];

	assert(fgets(name, sizeof(name), records));
	assert(fgets(value, sizeof(value), records));
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
