/*
 * Writes the files of a version into a folder. For tree.c.
 */
#ifndef SL_VERSION_CHECKOUT_H
#define SL_VERSION_CHECKOUT_H

#include "version/listing.h"

/* The folder must exist and be empty. */
int sl_listing_write(const struct sl_listing *listing, const char *folder, struct sl_err *err);

#endif
