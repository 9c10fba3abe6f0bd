#include "trace/name/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

char *
sl_demangle(const char *symbol)
{
	static char *(*demangle)(const char *, char *, size_t *, int *);
	static bool tried;

	if (strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	if (!tried) {
		void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

		tried = true;
		if (library)
			*(void **)&demangle = dlsym(library, "__cxa_demangle");
	}
	return demangle ? demangle(symbol, NULL, NULL, NULL) : NULL;
}
