/*
 * With restartable sequences the kernel writes the number of the processor into the memory of each thread whenever
 * it changes, so that equal states would differ. The engine unregisters them while it is in control.
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

/* Applies to the calling thread. A libc without restartable sequences has not registered anything. */
void
sl_rseq(bool on)
{
	const ptrdiff_t *offset = sl_resolve("__rseq_offset");
	const unsigned *size = sl_resolve("__rseq_size");

	if (offset && size && *size)
		sl_raw(SYS_rseq, (char *)__builtin_thread_pointer() + *offset, SIZE, on ? 0 : UNREGISTER,
		       SIGNATURE);
}
