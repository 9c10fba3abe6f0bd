/*
 * Findings of earlier versions: the replay files in the user's folders. `sleave regress` tries their schedules first.
 */
#ifndef SL_CLI_CHANGE_EARLIER_H
#define SL_CLI_CHANGE_EARLIER_H

#include "cli/change/change.h"
#include "cli/change/mapping.h"
#include "trace/replay/replay_file.h"

#define SL_EARLIER_MAX 100

struct sl_earlier {
	char *paths[SL_EARLIER_MAX]; /* relative to the current folder if they are below it */
	struct sl_replay replays[SL_EARLIER_MAX];
	enum sl_mapping_to to[SL_EARLIER_MAX];
	size_t count;
	bool more;     /* than there is room for */
	size_t others; /* are of the program with other arguments */
};

/*
 * Those of the program, by its name, with the arguments that argv has behind its first word: below the root of the checkout, or without
 * one in the current folder. By their paths.
 */
void sl_earlier_find(struct sl_earlier *earlier, const struct sl_change *change,
		     const struct sl_program_change *program, char *const *argv);
void sl_earlier_release(struct sl_earlier *earlier);

#endif
