/* Message queues: names, attributes, access, and invalid calls. */
#include "conformance.h"
#include <fcntl.h>
#include <mqueue.h>
#include <sys/stat.h>

static char name[64];

static struct mq_attr
room(long count, long size)
{
	struct mq_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.mq_maxmsg = count;
	attr.mq_msgsize = size;
	return attr;
}

static void
opens(const char *of, int flags, struct mq_attr *attr)
{
	mqd_t q = mq_open(of, flags, 0600, attr);

	errno_of(q);
	if (q != (mqd_t)-1)
		mq_close(q);
}

CASE(names)
{
	static const int lengths[] = {1, 2, 200, NAME_MAX - 5, NAME_MAX - 1, NAME_MAX, NAME_MAX + 1, NAME_MAX + 50};
	static const char *const odd[] = {"",	 "/",	 "none", "//none", "/a/b", "/a/", "/.",
					  "/..", "/...", "none/", ".", "//"};
	struct mq_attr attr = room(2, 2);

	snprintf(name, sizeof(name), "/conformance-mq-%d", (int)getpid());
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char n[NAME_MAX + 64];

		memset(n, 'x', sizeof(n));
		memcpy(n, name, lengths[i] + 1 < (int)strlen(name) ? 1 : strlen(name));
		n[lengths[i] + 1] = 0;
		begin("name_of_%d", lengths[i]);
		opens(n, O_CREAT | O_EXCL | O_RDWR, &attr);
		opens(n, O_RDWR, NULL);
		errno_of(mq_unlink(n));
		errno_of(mq_unlink(n));
	}
	for (unsigned i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		begin("odd_name.%s", odd[i]);
		opens(odd[i], O_CREAT | O_RDWR, &attr);
		errno_of(mq_unlink(odd[i]));
	}
}

CASE(exists)
{
	struct mq_attr attr = room(2, 2);

	opens(name, O_RDWR, NULL);
	opens(name, O_CREAT | O_RDWR, &attr);
	opens(name, O_CREAT | O_EXCL | O_RDWR, &attr);
	opens(name, O_CREAT | O_RDWR, &attr);
	opens(name, O_RDONLY, NULL);
	opens(name, O_WRONLY, NULL);
	errno_of(mq_unlink(name));
	errno_of(mq_unlink(name));
}

CASE(attributes)
{
	static const long sizes[][2] = {{0, 1}, {1, 0}, {-1, 1}, {1, -1}, {1, 1}, {10, 8192}, {65537, 1}, {1, (1 << 24) + 1}};
	struct mq_attr attr, old;
	mqd_t q;

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		begin("attributes.%ld.%ld", sizes[i][0], sizes[i][1]);
		attr = room(sizes[i][0], sizes[i][1]);
		opens(name, O_CREAT | O_RDWR, &attr);
		errno_of(mq_unlink(name));
	}
	begin("default");
	q = mq_open(name, O_CREAT | O_RDWR | O_NONBLOCK, 0600, NULL);
	errno_of(mq_getattr(q, &attr));
	value(attr.mq_flags == O_NONBLOCK);
	value(attr.mq_maxmsg);
	value(attr.mq_msgsize);
	value(attr.mq_curmsgs);
	attr.mq_flags = 0;
	errno_of(mq_setattr(q, &attr, &old));
	value(old.mq_flags == O_NONBLOCK);
	attr.mq_flags = O_APPEND;
	errno_of(mq_setattr(q, &attr, NULL));
	errno_of(mq_close(q));
	errno_of(mq_close(q));
	errno_of(mq_getattr(q, &attr));
	errno_of(mq_unlink(name));
}

/* A queue that exists keeps its attributes. */
CASE(attributes_of_existing)
{
	struct mq_attr attr = room(3, 4), wrong = room(-1, 0), now;
	mqd_t q = mq_open(name, O_CREAT | O_RDWR, 0600, &attr), again = mq_open(name, O_CREAT | O_RDWR, 0600, &wrong);

	value(again != (mqd_t)-1);
	errno_of(mq_getattr(again, &now));
	value(now.mq_maxmsg);
	value(now.mq_msgsize);
	mq_close(q);
	mq_close(again);
	errno_of(mq_unlink(name));
}

CASE(modes)
{
	struct mq_attr attr = room(1, 4);
	struct timespec past = {1, 0}, wrong = {1, -1};
	char data[8] = "abc";
	unsigned priority = 77;
	mqd_t in = mq_open(name, O_CREAT | O_RDONLY, 0600, &attr), out = mq_open(name, O_WRONLY | O_NONBLOCK);

	errno_of(mq_send(in, data, 1, 0));
	errno_of(mq_receive(out, data, 4, NULL));
	errno_of(mq_send(out, data, 5, 0));
	errno_of(mq_send(out, data, 1, 32768));
	errno_of(mq_send(out, data, 4, 32767));
	errno_of(mq_send(out, data, 1, 0));
	errno_of(mq_timedsend(out, data, 1, 0, &past));
	errno_of(mq_receive(in, data, 3, NULL));
	value(mq_receive(in, data, 4, &priority));
	value(priority);
	errno_of(mq_timedreceive(in, data, 4, NULL, &past));
	errno_of(mq_timedreceive(in, data, 4, NULL, &wrong));
	errno_of(mq_send(999, data, 1, 0));
	errno_of(mq_receive(-1, data, 4, NULL));
	mq_close(in);
	mq_close(out);
	errno_of(mq_unlink(name));
}

static int
receives(void *q)
{
	char data[4];

	return (int)mq_receive(*(mqd_t *)q, data, 4, NULL);
}

CASE(by_other)
{
	struct mq_attr attr = room(1, 4);
	mqd_t q = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);

	errno_of(mq_send(q, "xyz", 3, 1));
	value(other(receives, &q));
	mq_close(q);
	errno_of(mq_unlink(name));
}

/* The name is free at once; the queue exists as long as it is open. */
CASE(unlinked)
{
	struct mq_attr attr = room(1, 4);
	char data[4];
	mqd_t q = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);

	errno_of(mq_send(q, "x", 1, 1));
	errno_of(mq_unlink(name));
	opens(name, O_RDWR, NULL);
	value(mq_receive(q, data, 4, NULL));
	opens(name, O_CREAT | O_EXCL | O_RDWR, &attr);
	errno_of(mq_unlink(name));
	mq_close(q);
}

/* What the mode does not permit is permitted to the superuser alone. */
CASE(permissions)
{
	static const unsigned given[] = {0600, 0400, 0200, 0000, 0066};
	static const int wanted[] = {O_RDONLY, O_WRONLY, O_RDWR};
	mode_t mask = umask(0022);
	struct mq_attr attr = room(1, 4);

	for (unsigned i = 0; i < sizeof(given) / sizeof(*given); i++) {
		mqd_t q = mq_open(name, O_CREAT | O_EXCL | O_RDWR, given[i], &attr);

		begin("permissions.%o", given[i]);
		errno_of(q);
		for (unsigned k = 0; k < 3; k++)
			opens(name, wanted[k], NULL);
		mq_close(q);
		errno_of(mq_unlink(name));
	}
	umask(0777);
	begin("permissions.umask");
	opens(name, O_CREAT | O_RDWR, &attr);
	opens(name, O_RDWR, NULL);
	errno_of(mq_unlink(name));
	umask(mask);
}
