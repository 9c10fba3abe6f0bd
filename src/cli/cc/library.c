#include "cli/cc/library.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef SL_LIBDIR
#define SL_LIBDIR "/usr/local/lib"
#endif

int
sl_library_find(char *folder, size_t room, struct sl_err *err)
{
	char self[PATH_MAX - 256], file[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const size_t tail = strlen("/" SL_BIN);

	if (length > 0) {
		self[length] = 0;
		*strrchr(self, '/') = 0;
		snprintf(file, sizeof(file), "%s/" SL_LIBRARY, self);
		if (access(file, R_OK) == 0) {
			snprintf(folder, room, "%s", self);
			return 0;
		}
		if (strlen(self) > tail && strcmp(self + strlen(self) - tail, "/" SL_BIN) == 0) {
			self[strlen(self) - tail] = 0;
			snprintf(file, sizeof(file), "%s/" SL_LIB "/" SL_LIBRARY, self);
			if (access(file, R_OK) == 0) {
				snprintf(folder, room, "%s/" SL_LIB, self);
				return 0;
			}
		}
	}
	snprintf(folder, room, "%s", SL_LIBDIR);
	if (access(SL_LIBDIR "/" SL_LIBRARY, R_OK) == 0)
		return 0;
	return sl_err_set(err, SL_LIBRARY " is neither beside the sleave command nor in " SL_LIBDIR
					  ": build it with `make`, or install it with `make install`");
}
