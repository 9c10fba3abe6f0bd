/*
 * Files of other users. A replay file, or the file of a run, says which program is started, and how: it is trusted
 * if it belongs to the user or to root, and if not every user may write it. The same holds for folders in which such files
 * are looked up. Used by the command, never inside the program under test.
 */
#ifndef SL_BASE_TRUST_H
#define SL_BASE_TRUST_H

#include "base/err.h"

#include <stdbool.h>

/* These return 0, or -1 and a sentence that names the path: for an open file; for a path, following links; for a folder that is not a
 * link. */
int sl_trust_file(int fd, const char *path, struct sl_err *err);
int sl_trust_path(const char *path, struct sl_err *err);
int sl_trust_folder(const char *path, struct sl_err *err);

int sl_trust_plain(const char *path, struct sl_err *err); /* for a file that is not a link */

/*
 * For a file whose name the user has not given: creates it, or accepts a plain file of the user's, which may be overwritten. In other
 * cases another user may have put something there: -1 and a sentence.
 */
int sl_trust_output(const char *path, struct sl_err *err);

#endif
