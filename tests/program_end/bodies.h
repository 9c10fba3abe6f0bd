/*
 * What a program notes while it ends, in a file that is mapped: written by code that the compiler does not
 * instrument and that calls nothing, so that an execution does not depend on what an earlier one left there.
 */
#ifndef EXITS_H
#define EXITS_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOTES 64
#define NOTE 64
static char (*noted)[NOTE];

__attribute__((no_sanitize("thread"), section(".text.unseen"), noinline)) static void
note(const volatile char *text)
{
	volatile char(*n)[NOTE] = noted;

	for (int i = 0; i < NOTES; i++) {
		int k = 0;

		while (text[k] && n[i][k] == text[k])
			k++;
		if (n[i][0] && !text[k] && n[i][k] == '\n')
			return;
		if (n[i][0])
			continue;
		for (k = 0; text[k]; k++)
			n[i][k] = text[k];
		n[i][k] = '\n';
		return;
	}
}

__attribute__((format(printf, 1, 2))) static void
OUTCOME(const char *format, ...)
{
	char text[NOTE] = "=";
	va_list list;

	va_start(list, format);
	vsnprintf(text + 1, sizeof(text) - 2, format, list);
	va_end(list);
	note(text);
}

static void
open_notes(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, NOTES * NOTE))
		abort();
	noted = (char(*)[NOTE])mmap(NULL, NOTES * NOTE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
}

#endif
