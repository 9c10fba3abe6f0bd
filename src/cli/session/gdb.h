/*
 * gdb, for `sleave replay --gdb`: it runs the program up to the failure, and shows it without Sleave's own frames (gdb.py).
 */
#ifndef SL_CLI_SESSION_GDB_H
#define SL_CLI_SESSION_GDB_H

#include "base/err.h"
#include "cli/session/session.h"

#include <stdint.h>

/*
 * until: the operation before which gdb also stops; 0: none. message: the failure. If standard input is not a
 * terminal, gdb prints the stacks of all threads and ends. Returns the exit status of the command, or -1.
 */
int sl_gdb_run(struct sl_session *session, uint64_t until, const char *message, struct sl_err *err);

#endif
