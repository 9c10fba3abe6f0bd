/*
 * The folder .sleave, in which runs and coverage are kept between commands. It has a file that keeps it out of version control: what is
 * in it can be large, and is of no use to others.
 */
#ifndef SL_BASE_OWN_FOLDER_H
#define SL_BASE_OWN_FOLDER_H

/* As mkdir(): 0 if it was made; else -1, and errno is EEXIST if it is there. */
int sl_own_folder_make(const char *path);
/* Removes the folder if nothing else is in it. */
void sl_own_folder_remove(const char *path);

#endif
