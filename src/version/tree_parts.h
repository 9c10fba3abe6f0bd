/* What tree.c and program_sources.c share. */
#ifndef SL_VERSION_TREE_PARTS_H
#define SL_VERSION_TREE_PARTS_H

#include "version/tree.h"

/* The version takes ownership of the bytes. The caller sorts the texts by path when all are there. */
void sl_version_add_text(struct sl_version *version, const char *path, char *bytes, size_t size);
/* endings: paths that differ only in their beginnings are the same. */
int sl_versions_pair(struct sl_versions *versions, bool endings, struct sl_err *err);

/* Returns the rest of the path below the folder, "" for the folder itself; NULL: it is elsewhere. */
const char *sl_path_below(const char *path, const char *folder);

#endif
