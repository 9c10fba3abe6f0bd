/*
 * The standard streams of the program under test. Used by cli/session/session.h.
 */
#ifndef SL_CLI_TARGET_STD_STREAMS_H
#define SL_CLI_TARGET_STD_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The output of a program: a file in memory, so that the program sees neither a terminal nor a full pipe. */
struct sl_capture {
	int fd;
	off_t done; /* up to here the output was shown or dropped */
};

int sl_capture_open(struct sl_capture *capture, const char *name);
void sl_capture_drain(struct sl_capture *capture, int to);
bool sl_capture_find(const struct sl_capture *capture, const char *head, char *text, size_t room);

/*
 * A copy of standard input that every execution can read from its beginning, for session.input; -1 if there is
 * nothing to read. It may serve several sessions.
 */
int sl_input_copy(bool quiet);

#endif
