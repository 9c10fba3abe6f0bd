/*
 * Names of source files, as in debug information.
 */
#ifndef SL_TRACE_NAME_SOURCE_PATH_H
#define SL_TRACE_NAME_SOURCE_PATH_H

const char *sl_path_file(const char *path);        /* without its directory */
const char *sl_path_with_folder(const char *path); /* with its last directory */

/* Of a version that Sleave has checked out aside: the path in that version. NULL: it is in none. */
const char *sl_path_in_version(const char *path);

/* Removes "/./", "//" and "/x/.." from an absolute path, in place: debug information is full of them. */
void sl_path_tidy(char *path);

/*
 * The path relative to the directory if it is near: below the directory, or beside it, as after a build in a
 * separate directory. Otherwise the file with its last directory. Both are absolute; directory may be NULL. The
 * caller frees it.
 */
char *sl_path_from(const char *path, const char *directory);
/* … but the whole path if it is not near: no two files share a name. */
char *sl_path_apart(const char *path, const char *directory);

#endif
