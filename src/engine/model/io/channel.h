/*
 * Descriptors of the program, and the pipes, sockets, counters and timers behind them.
 *
 * The kernel's own objects are used; the engine stores only what the scheduler needs besides. A *channel* is
 * something through which threads can meet: a pipe with both its ends, a connection, an eventfd. It has an address
 * that is the same in every execution with the same schedule (layout.h), so that it can be a point, be named in a
 * trace and have the clocks of its writers. A *description* is what descriptors refer to (open file description):
 * one end of a channel. Everything lives for one execution.
 *
 * Descriptors that were there before the execution are described when they are first used.
 */
#ifndef SL_ENGINE_MODEL_IO_CHANNEL_H
#define SL_ENGINE_MODEL_IO_CHANNEL_H

#include "engine/core/engine.h"

#define SL_DESCRIPTORS_MAX 4096

/* The trace refers to channels (trace/records.h). */
struct sl_channel {
	uint64_t address;
	uint32_t kind; /* enum sl_channel_kind */
	bool outside;  /* a process that is not under control may use it */
	bool output;   /* the standard output or error of the start */
	bool network;  /* the kernel delivers at any time: the engine waits for it (socket.c) */
	bool before;   /* it existed before the execution */
	struct sl_object *object;
	struct sl_clock clocks[2]; /* the clocks of the writers at ends 0 and 1 */
	/* network: bytes sent from each end and received at the other, and whether the end has finished sending */
	struct sl_description *ends[2];
	uint64_t sent[2], received[2];
	bool done[2];
	/* named pipe: the open ends, and the number of writers so far */
	uint32_t fifo_readers, fifo_writers;
	uint64_t fifo_written;
	struct sl_rights *rights[2]; /* descriptors in messages from ends 0 and 1 (socket_message.c) */
	struct sl_channel *next;     /* all */
};

struct sl_interest; /* of an epoll descriptor (poll.c) */

struct sl_description {
	struct sl_channel *channel;
	uint32_t references; /* descriptors */
	int descriptor;      /* one of them */
	int side;
	bool random; /* /dev/urandom */
	int fifo_mode;
	bool file; /* never blocks: regular files and the like */
	bool socket, stream;
	bool listens;
	int family;
	bool port_known; /* the program chose the port, or the kernel's port has a number of the engine (port.c) */
	bool bound, met; /* met: a thread of the program has connected or sent to it */
	uint32_t waiting, backlog; /* listens: connections that have not been accepted yet */
	struct sockaddr_storage *address;
	struct sl_channel *target; /* the destination of datagrams */
	bool datagram;
	struct sl_clock *in, *out;       /* the clocks that a reader joins, and that a writer extends */
	struct sl_pending *first, *last; /* listens: connections that have not been accepted yet */
	struct sl_interest *interests;
	struct sl_timer *timer;
	struct sl_sigfd *sigfd;
	struct sl_queue *queue;
	int queue_mode;              /* O_RDONLY, O_WRONLY, O_RDWR */
	bool locked;                 /* by flock(), or as an open file description by fcntl() */
	struct sl_description *next; /* all */
	uint64_t inode, device;
};

struct sl_pending {
	struct sl_channel *channel;
	struct sl_pending *next;
};

/*
 * Finds the open descriptors below 1024, in their order. The array is valid until the next call. To ask the kernel for each number
 * would take longer than all else that is saved.
 */
uint32_t sl_descriptors_open(const int **numbers);
void sl_channels_save(void);  /* the world is being saved: notes the existing descriptors */
void sl_channels_reset(void); /* an execution begins */
/*
 * An execution has ended: closes what it opened, and restores the rest. by_libc: libc may have opened descriptors
 * unseen.
 */
void sl_channels_restore(bool by_libc);
void sl_channels_refill(bool all); /* restores the content of pipes: of those that were used, or of all */
void sl_inherited_keep(int fd);    /* the program will close or replace this descriptor */
void sl_inherited_flags(int fd);   /* the program will change its flags */

/* Returns the description of a descriptor; NULL: a bad descriptor. */
struct sl_description *sl_description_find(int fd, uint64_t pc);
struct sl_description *sl_description_peek(int fd); /* the same if it exists already, else NULL */
struct sl_description *sl_description_first(void);
struct sl_channel *sl_channel_new(enum sl_channel_kind kind);
/* The descriptor is a new end of the channel. */
struct sl_description *sl_description_new(int fd, struct sl_channel *channel, int side);
void sl_description_share(int fd, struct sl_description *description);
void sl_description_hold(struct sl_description *description, bool hold); /* keeps it while it has no descriptor */
void sl_file_forget(const struct stat *info); /* the file has no name any more: its inode number is free */
struct sl_description *sl_description_drop(int fd);

/*
 * Announces that the running thread will make a channel: a point, as the numbers depend on other threads that make
 * channels.
 */
void sl_announce_open(uint64_t pc);
/* The channel has changed: its waiters are updated. */
void sl_channel_changed(struct sl_channel *channel);
void sl_channels_changed(void); /* the waiters of all channels are updated */
/* Uses the channel: its object, shared from the second thread on. */
struct sl_object *sl_channel_object(struct sl_channel *channel);

/* ---- the numbers of descriptors (descriptor.c) ---- */

/*
 * Using a number and closing it are accesses to file_descriptor[number]: if nothing orders them they race, as in
 * ThreadSanitizer. This applies only to instrumented code: the synchronisation of other code may not be seen.
 */
void sl_descriptor_used(int fd, uint64_t pc);
void sl_descriptor_goes(int fd, uint64_t pc); /* it is about to be closed, or replaced */
void sl_descriptor_comes(int fd, bool made);  /* made: the running thread has made it; else it existed */
/* Reads or changes settings of the open file: O_NONBLOCK, options of a socket (settings.h). */
void sl_descriptor_flags(const struct sl_description *description, unsigned flags, uint64_t pc);

/* ---- waiting (io.c) ---- */

/*
 * Announces the operation and waits until the descriptor is ready for it. Returns 0 when it can be performed (if the
 * descriptor is non-blocking: tried), or a negative errno.
 */
struct sl_io {
	struct pollfd poll;
	struct sl_description *description;
	struct sl_channel *channel; /* if it differs from the description's */
	enum sl_op_kind kind;
	const char *name;
	uint64_t pc;
	bool nonblocking;
	bool kept;      /* poll.fd is a copy for this call */
	bool tried;     /* the call failed with EAGAIN, although the descriptor looked ready */
	uint64_t limit; /* virtual deadline; 0: none */
	/*
	 * the program's memory that was offered to the kernel (sl_access_offer()); sl_io_done() checks the part
	 * that was read
	 */
	const struct iovec *offered;
	size_t offered_count;
};
long sl_io_begin(struct sl_io *io);
/* The result of the system call: false if the thread has to wait and try again. */
bool sl_io_done(struct sl_io *io, long result);
/* Blocks in the announced operation until one of the descriptors is ready (1), the time limit expires (0), or a
 * signal arrives (-EINTR; by: SL_BY_…). shared: this is a point even if the thread need not wait. */
int sl_io_await(struct pollfd *fds, unsigned count, bool shared, uint64_t deadline, unsigned by);
/* Waits until a condition holds, which is checked when channels change. */
int sl_io_await_test(bool (*test)(const void *), const void *argument, bool shared);
/* The same with a time limit: 0 when it has expired. */
int sl_io_await_test_until(bool (*test)(const void *), const void *argument, bool shared, uint64_t deadline);
bool sl_io_outside(int fd);     /* whether another process may make it ready */
long sl_io_return(long result); /* sets errno */

void sl_opened(struct sl_channel *channel, int first, int second); /* notes the new descriptors for the trace */
/*
 * Reads a device of random numbers with the system call: as many bytes as the kernel writes, but of the engine's
 * numbers.
 */
long sl_random_read(int fd, long call, const struct iovec *parts, int count, off_t position, uint64_t pc);
long sl_read_parts(int fd, const struct iovec *parts, int count, const char *name, uint64_t pc);
long sl_write_parts(int fd, const struct iovec *parts, int count, const char *name, uint64_t pc);
ssize_t sl_read(int fd, void *to, size_t size, uint64_t pc);
ssize_t sl_write(int fd, const void *from, size_t size, uint64_t pc);
int sl_close(int fd, uint64_t pc);
int sl_open(const char *path, int flags, unsigned mode, uint64_t pc);
int sl_open_uncancelled(const char *path, int flags, unsigned mode,
			uint64_t pc); /* the same without a cancellation point */
void sl_shm_end(void);                /* removes names of shared memory at the end of an execution (shm.c) */
int sl_pipe(int fds[2], int flags, uint64_t pc);
void sl_streams_flush(uint64_t pc);                          /* flushes all streams under control */
FILE *sl_stream_make(int fd, const char *mode, uint64_t pc); /* under control (stdio.c) */
void sl_forget(int fd);                                      /* the descriptor was closed */
int sl_fcntl(int fd, int command, long argument, uint64_t pc);

void sl_path_announce(uint64_t pc); /* a name is created or looked up as part of another call (file_names.c) */
bool sl_is_random_device(const char *path);

/* ---- sockets (socket.c) ---- */

/* Returns the program's socket that is bound to the address; for a connection only one that listens. */
struct sl_description *sl_socket_bound(const struct sockaddr *to, socklen_t length, bool datagram);
void sl_socket_sent(struct sl_description *description, long result);
void sl_socket_received(struct sl_description *description, long result);
void sl_socket_closed(struct sl_description *description);
/* ports that the kernel chooses (port.c) */
bool sl_port_is_free(const struct sockaddr *address, socklen_t length); /* whether the kernel chooses the port */
void sl_port_chosen(struct sl_description *description, uint64_t pc);
/* replaces the port by the number that the program sees */
void sl_port_show(struct sockaddr *address, socklen_t length);
const struct sockaddr *sl_port_real(const struct sockaddr *address, socklen_t length,
				    struct sockaddr_storage *copy);

/* ---- processes (child.c, command.c) ---- */

enum sl_children { SL_CHILDREN_NONE, SL_CHILDREN_SETTLED, SL_CHILDREN_BUSY };

void sl_children_setup(void); /* called when the library is loaded */
/* waits until all children have ended or wait; BUSY: that took too long */
enum sl_children sl_children_settle(void);
bool sl_children_stir(void);           /* all children seem to wait: whether one of them continues nevertheless */
pid_t sl_child_process(pid_t number);  /* the kernel's number of a child; 0: there is none */
pid_t sl_child_number(pid_t process);  /* the child's number here */
pid_t sl_child_elder(pid_t number);    /* in a child: the kernel's number of an earlier child */
bool sl_child_is_known(pid_t process); /* whether it is a child whose end was not waited for yet */
void sl_children_end(void);
/* child_signals.c: signals of children to the program */
/* in a handler: notes a signal of a child; false: it is from elsewhere */
bool sl_child_sent(const siginfo_t *info);
void sl_child_signals_begin(uint64_t pc);
void sl_child_signals_settle(uint64_t slept); /* a child was seen to sleep before, at most this long */
void sl_child_signals_flush(bool stuck);
void sl_child_signals_reset(void);
bool sl_children_are_there(void);  /* whether the execution has started any */
bool sl_children_are_others(void); /* whether a running child is another program */
/* Operations of children after sleeping happen at points of virtual time. */
uint64_t sl_child_moment(uint32_t child, uint64_t slept);
uint64_t sl_children_next(void); /* the next time at which a child's end is due; UINT64_MAX: none */
void sl_children_reach(uint64_t moment, bool at_once);
void sl_children_waited(void); /* the running thread has waited for something that may come from a child */
/* the next time of an end or a signal of a child; later ends of sleeps wait for it */
uint64_t sl_children_moment(void);
bool sl_child_signals_are_left(void);
/* child_tells.c: in the child */
void sl_tells_begin(uint32_t child, pid_t parent);
void sl_tell(unsigned what);
void sl_tell_signal(pid_t process, int signal);
/* … and in the program */
void sl_told_reset(void);
uint64_t sl_told_slept(uint32_t child);
bool sl_told_signal(pid_t process, int signal, uint32_t *child, uint64_t *slept);
bool sl_told_check(uint64_t pc);
#define SL_TOLD(name, function, used, opened) bool function(bool named);
#include "search/told.def"
void sl_told_started(uint64_t pc);
void sl_told_named(unsigned what, uint64_t pc);
bool sl_is_named_semaphore(uint64_t address);
pid_t sl_child_kill(pid_t number, int signal, uint64_t pc); /* 0, an error, or -1: it is no child of the program */
bool sl_child_spawn(const char *command, int from, int to, pid_t *number, uint64_t pc);
pid_t sl_child_wait(pid_t number, int *status, uint64_t pc);
void sl_child_become(void);   /* after a fork: the engine is off in the child */
void sl_channels_leave(void); /* closes what the execution has opened */

/* ---- descendants of children, and shared memory (child_family.c) ---- */

void sl_family_adopt(void);                         /* before a process is started */
void sl_family_grows(void);                         /* … after it was started */
void sl_family_share(void);                         /* … after it was started by fork() */
void sl_family_maps(uintptr_t low, uintptr_t high); /* memory was mapped after that */
bool sl_family_is_there(void);                      /* whether there may be descendants whose parent has ended */
bool sl_family_waits(bool grows, uint64_t *mark);   /* as sl_process_waits(); grows: there may be new ones */
void sl_family_end(void);
void sl_family_give_back(void); /* control ends */

/* ---- locks of files (filelock.c) ---- */

int sl_file_lock(int fd, int command, struct flock *lock, uint64_t pc); /* fcntl */
void sl_file_unlocked(struct sl_description *description);              /* the description is closed */

/* ---- signals (signalfd.c) ---- */

/* to be called before the kernel is asked what is ready for the thread */
void sl_sigfd_show(const struct sl_thread *thread);
void sl_sigfd_posted(int signal);
long sl_sigfd_read(const struct sl_description *description, const struct iovec *parts, int count);

/* ---- time (timerfd in eventfd.c) ---- */

void sl_timers_run(void);
bool sl_timer_next(const struct sl_description *description, uint64_t *next);
/*
 * Returns the first expiry of a timer among these descriptors, including those that an epoll descriptor watches.
 */
uint64_t sl_timers_next(const struct pollfd *fds, unsigned count); /* UINT64_MAX: none */

#endif
