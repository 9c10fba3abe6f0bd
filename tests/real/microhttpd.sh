# GNU libmicrohttpd (C): starting and stopping servers with one thread, with a pool, with a thread for each connection; its own
# tests.
name=microhttpd
. "$here/common.sh"
fetch libmicrohttpd

tests=$source/src/microhttpd
if stale "$tests/test_daemon"; then
	cd "$source" || exit 1
	quietly ./configure CC="$sleave cc" CFLAGS="-O1 -g" --disable-shared --enable-static --disable-https --disable-doc \
		--disable-examples --disable-curl
	quietly make -j2
	quietly make -C src/microhttpd -j2 check TESTS=
fi

begin
# The flag that ends the server's thread is set and read without a lock.
finds '^data race on .*daemon.c:6487' -- "$tests/test_daemon"
passes --races=warn -- "$tests/test_daemon"
passes --races=warn -- "$tests/test_start_stop"
passes -- "$tests/test_shutdown_poll"
passes -- "$tests/test_shutdown_select"
