# Redis (C): the event loop, and threads that free what was unlinked and close files; two clients in threads of the same process
# (server.c).
name=redis
. "$here/common.sh"
fetch redis
build_server

program=$source/src/redis-server
if stale "$program" || [ "$here/server.c" -nt "$program" ]; then
	rm -f "$program"
	quietly make -C "$source/src" -j2 redis-server CC="$sleave cc" MALLOC=libc OPTIMIZATION=-O1 USE_SYSTEMD=no LDFLAGS="$client"
fi

begin
serve
cat >script <<'END'
>SET k abc
<+OK
>GET k
<$3
<abc
&
>RPUSH l a b c
<:3
>UNLINK l
<:1
>INCR n
<:1
END
passes -- "$program" --port 0 --unixsocket socket --save '' --lazyfree-lazy-user-del yes
