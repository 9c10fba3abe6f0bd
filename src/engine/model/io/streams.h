/*
 * Streams of <stdio.h>: shared by stdio.c, which manages them, and streams.c, which has the calls.
 */
#ifndef SL_ENGINE_MODEL_IO_STREAMS_H
#define SL_ENGINE_MODEL_IO_STREAMS_H

#include "engine/core/engine.h"

/*
 * To be called around a call of libc on the stream: waits for the holder, and replaces the stream if its
 * descriptor is a pipe or socket of the program. The result is for sl_stream_leave().
 */
struct sl_object *sl_stream_enter(FILE **stream, uint64_t pc);
bool sl_stream_is_ours(FILE *stream);
void sl_stream_leave(FILE *stream, struct sl_object *held, uint64_t pc);

#endif
