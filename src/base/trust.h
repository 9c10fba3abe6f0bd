/*
 * Files of other users. What a replay file or the file of a run says decides which program is started, and how: it is believed
 * if it belongs to the user or to root, and if not everybody may write it. The same for folders that such files are looked
 * for in. Used by the command, never inside the program under test.
 */
#ifndef SL_BASE_TRUST_H
#define SL_BASE_TRUST_H

#include "base/err.h"

#include <stdbool.h>

/* 0, or -1 and a sentence that names the path. An open file; a path, links of which are followed; a folder, which may be no link. */
int sl_trust_file(int fd, const char *path, struct sl_err *err);
int sl_trust_path(const char *path, struct sl_err *err);
int sl_trust_folder(const char *path, struct sl_err *err);

int sl_trust_plain(const char *path, struct sl_err *err); /* a file that is no link */

/*
 * For a file whose name the user has not given: makes it, or finds a plain file of the user's there, which may be written over. Else
 * another user has laid out something under that name: -1 and a sentence.
 */
int sl_trust_output(const char *path, struct sl_err *err);

#endif
