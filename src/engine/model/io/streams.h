/*
 * Streams of <stdio.h>: what the file that keeps them (stdio.c) and the one with all the calls (streams.c) share.
 */
#ifndef SL_ENGINE_MODEL_IO_STREAMS_H
#define SL_ENGINE_MODEL_IO_STREAMS_H

#include "engine/core/engine.h"

/*
 * Around a call of libc's on the stream: waits for its holder, and puts in its place the stream that stands for it, if its
 * descriptor is a pipe or socket of the program's. The result is for sl_stream_leave().
 */
struct sl_object *sl_stream_enter(FILE **stream, uint64_t pc);
bool sl_stream_is_ours(FILE *stream);
void sl_stream_leave(FILE *stream, struct sl_object *held, uint64_t pc);

#endif
