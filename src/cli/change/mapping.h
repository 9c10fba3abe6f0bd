/*
 * The schedule of a replay file of one version of a program as a schedule by places (strategy/guided.h) for the other version: each
 * operation at which a thread stops is found by its line, which the alignment maps. Used by `sleave regress`.
 */
#ifndef SL_CLI_CHANGE_MAPPING_H
#define SL_CLI_CHANGE_MAPPING_H

#include "cli/change/change.h"
#include "strategy/guided.h"
#include "trace/replay/replay_file.h"

enum sl_mapping_to { SL_MAPPING_TO_NEW, SL_MAPPING_TO_OLD, SL_MAPPING_TO_SAME };

struct sl_mapping {
	unsigned mapped, lost; /* of the operations at which a thread stops */
	char first[512];       /* of those that are lost: the operation, in words */
};

/* Fills the guide. TO_SAME: the file is of the new version itself. */
void sl_mapping_make(struct sl_mapping *mapping, struct sl_guide *guide, const struct sl_replay *replay,
		     const struct sl_program_change *change, enum sl_mapping_to to);

/* Has a line of the new version changed, or has it no counterpart? */
bool sl_mapping_is_changed(const struct sl_program_change *change, const char *name, uint32_t number);

/* The counterpart of a line, which is named as places are; a changed line may have one. False: it has none. */
bool sl_mapping_line(const struct sl_program_change *change, enum sl_mapping_to to, const char *name,
		     uint32_t number, const char **file, uint32_t *line);

#endif
