# GLib (C): its own tests of queues between threads, condition variables and mutexes made of futexes, read-write locks, once, a
# bit as a lock (inline assembly), thread pools.
name=glib
. "$here/common.sh"
needs libpcre2-dev libffi-dev zlib1g-dev
fetch glib2.0
compilers

tests=$source/b/glib/tests
if stale "$tests/asyncqueue" || [ "$here/glib_locks.c" -nt "$tests/asyncqueue" ]; then
	cd "$source" || exit 1
	rm -rf b
	CC=$cc quietly meson setup b -Dbuildtype=plain -Dc_args="-O1 -g" -Dselinux=disabled -Dlibmount=disabled -Dman=false \
		-Dxattr=false -Dnls=disabled -Dlibelf=disabled --default-library=static
	quietly ninja -C b glib/tests/asyncqueue glib/tests/cond glib/tests/once glib/tests/thread glib/tests/thread-pool glib/tests/1bit-mutex
	for test in mutex rwlock rec-mutex; do
		quietly "$cc" -O1 -g -w -DTEST="\"$test.c\"" -Iglib -I. -Ib/glib -Ib -Iglib/tests -o "$tests/few-$test" "$here/glib_locks.c" \
			b/glib/libglib-2.0.a -lm -lpcre2-8
	done
fi

begin
for test in mutex rwlock rec-mutex; do
	passes -- "$tests/few-$test"
done
# Each of ten threads must get at least one of a thousand messages.
finds 'sums\[i\] > 0' -- "$tests/asyncqueue" -p /asyncqueue/threads
passes -- "$tests/cond" -p /thread/cond1
passes -- "$tests/cond" -p /thread/cond2
passes -- "$tests/thread"
passes -- "$tests/once" -p /once-init/multi-threaded
passes -- "$tests/thread-pool" -p /thread_pool/shared
passes -- "$tests/thread-pool" -p /thread_pool/exclusive
# g_once() reads the status as an atomic variable and writes it as a plain one.
finds '^data race on once_multi_threaded.status' -- "$tests/once" -p /once/multi-threaded
