#include "cli/version/build_version.h"
