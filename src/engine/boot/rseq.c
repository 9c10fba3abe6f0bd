/*
 * libc has the kernel write the number of the processor into the memory of each thread, whenever that changes (restartable
 * sequences): two states that are the same would differ by it. The engine turns that off while it is at work.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/interpose.h"
#include "engine/under/poison.h"

#define UNREGISTER 1
#define SIZE 32
#define SIGNATURE 0x53053053 /* as libc registers it */

/* For the calling thread. A libc that has nothing of the kind has not registered anything. */
void
sl_rseq(bool on)
{
	const ptrdiff_t *offset = sl_resolve("__rseq_offset");
	const unsigned *size = sl_resolve("__rseq_size");

	if (offset && size && *size)
		sl_raw(SYS_rseq, (char *)__builtin_thread_pointer() + *offset, SIZE, on ? 0 : UNREGISTER,
		       SIGNATURE);
}
