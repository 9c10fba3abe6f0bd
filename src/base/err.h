/*
 * A sentence for a person who can act on it: the environment or the user is at fault, not Sleave.
 * Functions that may fail return a negative number and fill one of these. Never used inside the
 * program under test while it is in control.
 */
#ifndef SL_BASE_ERR_H
#define SL_BASE_ERR_H

struct sl_err {
	char text[512];
};

/* Sets the sentence; returns -1, so that a function can end with `return sl_err_set(err, …)`. */
int sl_err_set(struct sl_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
