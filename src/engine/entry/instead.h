/*
 * The functions of input and output that both modes on real threads, schedules (realtime/) and recording (record/), replace in
 * sl_real.
 */
#ifndef SL_ENGINE_ENTRY_INSTEAD_H
#define SL_ENGINE_ENTRY_INSTEAD_H

/* Functions by which threads communicate outside of memory. */
#define SL_INSTEAD_OF_IO(X)                                                                                       \
	X(read)                                                                                                   \
	X(readv)                                                                                                  \
	X(write)                                                                                                  \
	X(writev)                                                                                                 \
	X(recv)                                                                                                   \
	X(recvfrom)                                                                                               \
	X(recvmsg)                                                                                                \
	X(send)                                                                                                   \
	X(sendto)                                                                                                 \
	X(sendmsg)                                                                                                \
	X(accept)                                                                                                 \
	X(accept4)                                                                                                \
	X(connect)                                                                                                \
	X(close)                                                                                                  \
	X(shutdown)                                                                                               \
	X(poll)                                                                                                   \
	X(ppoll)                                                                                                  \
	X(select)                                                                                                 \
	X(pselect)                                                                                                \
	X(epoll_wait)                                                                                             \
	X(epoll_pwait)

#endif
