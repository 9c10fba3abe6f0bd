/*
 * operator new and delete, in all their forms, under their names in the C++ ABI: so a block has its place of
 * allocation in the program, and freeing it by a wrong function is detected.
 *
 * A program may define some of them itself. Then none of these is used: libstdc++'s forms call each other, and so
 * those of the program, as the standard requires.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/block.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/under/poison.h"

static bool ours; /* the program defines none */

/*
 * Under control the engine allocates. Otherwise, or if there is no memory, the real function does: it throws, or
 * calls the program's handler.
 */
#define NEW(name, family, alignment, parameters, arguments)                                                       \
	SL_EXPORT void *name parameters;                                                                          \
	void *name parameters                                                                                     \
	{                                                                                                         \
		void *block = NULL;                                                                               \
                                                                                                                  \
		if (E.control && ours)                                                                            \
			block = sl_heap_allocate(size, alignment, family, SL_PC);                                 \
		SL_RT_CALL();                                                                                   \
		if (!block && SL_CALL(name))                                                                      \
			block = sl_real.name arguments;                                                           \
		return block;                                                                                     \
	}
#define DELETE(name, family, parameters, arguments)                                                               \
	SL_EXPORT void name parameters;                                                                           \
	void name parameters                                                                                      \
	{                                                                                                         \
		SL_RT_CALL();                                                                                   \
		if (E.control && ours)                                                                            \
			sl_heap_release(block, family, SL_PC);                                                    \
		else if (SL_CALL(name))                                                                           \
			sl_real.name arguments;                                                                   \
	}

/* clang-format off */
#define BOTH(w, l, family)                                                                                        \
	NEW(_Zn##w##m, family, 16, (size_t size), (size))                                                         \
	NEW(_Zn##w##mRKSt9nothrow_t, family, 16, (size_t size, const void *nothrow), (size, nothrow))             \
	NEW(_Zn##w##mSt11align_val_t, family, alignment, (size_t size, size_t alignment), (size, alignment))      \
	NEW(_Zn##w##mSt11align_val_tRKSt9nothrow_t, family, alignment,                                            \
	    (size_t size, size_t alignment, const void *nothrow), (size, alignment, nothrow))                     \
	DELETE(_Zd##l##Pv, family, (void *block), (block))                                                        \
	DELETE(_Zd##l##Pvm, family, (void *block, size_t size), (block, size))                                    \
	DELETE(_Zd##l##PvRKSt9nothrow_t, family, (void *block, const void *nothrow), (block, nothrow))            \
	DELETE(_Zd##l##PvSt11align_val_t, family, (void *block, size_t alignment), (block, alignment))            \
	DELETE(_Zd##l##PvmSt11align_val_t, family, (void *block, size_t size, size_t alignment),                  \
	       (block, size, alignment))                                                                          \
	DELETE(_Zd##l##PvSt11align_val_tRKSt9nothrow_t, family,                                                   \
	       (void *block, size_t alignment, const void *nothrow), (block, alignment, nothrow))
BOTH(w, l, SL_BLOCK_NEW)
BOTH(a, a, SL_BLOCK_NEW_ARRAY)
/* clang-format on */

/* The exported names may be the program's functions; these aliases are always the engine's. */
extern __typeof__(_Znwm) own_new __attribute__((alias("_Znwm"), visibility("hidden")));
extern __typeof__(_ZdlPv) own_delete __attribute__((alias("_ZdlPv"), visibility("hidden")));

void
sl_new_boot(void)
{
	ours = dlsym(RTLD_DEFAULT, "_Znwm") == (void *)own_new &&
	       dlsym(RTLD_DEFAULT, "_ZdlPv") == (void *)own_delete;
}
