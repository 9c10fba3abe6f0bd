/*
 * An execution of one of two versions, whose places have the names of files that the alignment of the versions has.
 */
#ifndef SL_CLI_CHANGE_RENAMED_H
#define SL_CLI_CHANGE_RENAMED_H

#include "cli/change/change.h"
#include "predict/predict.h"

struct sl_renamed {
	struct sl_observed inner;
	const struct sl_binaries *files; /* of that version */
};

/* renamed must live as long. */
struct sl_observed sl_renamed_observed(struct sl_renamed *renamed);

/* RECONTEST's relation ~, from the new version to the old one. */
struct sl_place_map sl_renamed_map(const struct sl_program_change *change);

#endif
