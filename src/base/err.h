/*
 * An error of the environment or of the user, as a sentence that tells the user what to do. Functions that may fail
 * return a negative number and fill one of these. It is not used in the program under test while that is under control.
 */
#ifndef SL_BASE_ERR_H
#define SL_BASE_ERR_H

struct sl_err {
	char text[512];
};

/* Sets the sentence; returns -1, so that a function can end with `return sl_err_set(err, …)`. */
int sl_err_set(struct sl_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
