/*
 * Names of source files, as debug information has them.
 */
#ifndef SL_TRACE_NAME_SOURCE_PATH_H
#define SL_TRACE_NAME_SOURCE_PATH_H

const char *sl_path_file(const char *path);        /* without its folder */
const char *sl_path_with_folder(const char *path); /* with the last one */

/* Takes "/./", "//" and "/x/.." out of an absolute path, in place: debug information is full of them. */
void sl_path_tidy(char *path);

/*
 * Relative to the directory, if that is not far: below it, or beside it, as where something is built in a folder of its own. Else
 * the file with its folder. Both are absolute; no directory: NULL. To be freed.
 */
char *sl_path_from(const char *path, const char *directory);
/* … but all of it if it is far: no two files have one name. */
char *sl_path_apart(const char *path, const char *directory);

#endif
