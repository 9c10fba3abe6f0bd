# memcached (C): an event loop and two workers; two clients in threads of the same process (server.c) set, get and count.
# libevent is Debian's own: its code is not instrumented, what it waits for is under control.
name=memcached
. "$here/common.sh"
needs libevent-dev
fetch memcached
build_server

program=$source/memcached
if stale "$program" || [ "$here/server.c" -nt "$program" ]; then
	rm -f "$program"
	cd "$source" || exit 1
	quietly ./configure CC="$sleave cc" CFLAGS="-O1 -g" LIBS="$client" --disable-docs --disable-dependency-tracking
	quietly make -j2 memcached
fi

begin
serve
cat >script <<'END'
>set k 0 0 3
>abc
<STORED
>get k
<VALUE k 0 3
<abc
<END
&
>set n 0 0 1
>5
<STORED
>incr n 2
<7
END
# The clock is a volatile variable that one thread sets and all read.
finds '^data race on current_time' -- "$program" -u root -t 2 -s socket -m 2 -o no_lru_crawler,no_lru_maintainer
passes --races=warn -- "$program" -u root -t 2 -s socket -m 2 -o no_lru_crawler,no_lru_maintainer
