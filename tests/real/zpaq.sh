# zpaq (C++): compresses blocks in threads, and writes them in order from another one, with a semaphore of its own making.
name=zpaq
. "$here/common.sh"
fetch zpaq
build_check

zpaq=$source/zpaq asserting=$source/zpaq-asserting
if stale "$asserting"; then
	cd "$source" || exit 1
	rm -f ./*.o
	quietly make -j2 zpaq CXX="$sleave c++" CPPFLAGS="-Dunix -DNOJIT" CXXFLAGS="-O1 -g" LDFLAGS="$check"
	# shellcheck disable=SC2086
	quietly "$sleave" c++ -O1 -g -Dunix -DNOJIT -DDEBUG -o "$asserting" zpaq.cpp libzpaq.o $check
fi

begin
for i in 1 2 3 4 5; do
	head -c ${i}00 text | tail -c 60 >$i
	touch -d @1000000000 $i
done
"$zpaq" add expected.zpaq 1 2 3 4 5 -ms0 -t2 -f >/dev/null 2>&1 &&
	"$zpaq" extract expected.zpaq -to back >/dev/null 2>&1 || die "does not work by itself"
for i in 1 2 3 4 5; do
	cmp $i back/$i || die "does not work by itself"
done
explore out.zpaq expected.zpaq -- "$zpaq" add out.zpaq 1 2 3 4 5 -ms0 -t2 -f
explore back/2 2 -- "$zpaq" extract expected.zpaq -to back -f -t2
# Who waits on its semaphore looks at the count once, and not again when woken.
rm -f out.zpaq
CHECK_OUTPUT=out.zpaq CHECK_EXPECTED=expected.zpaq CHECK_COUNT=count && export CHECK_OUTPUT CHECK_EXPECTED CHECK_COUNT
finds '^assertion failed: sem>0' --races=off --schedules 5000 -- "$asserting" add out.zpaq 1 2 3 4 5 -ms0 -t2 -f
