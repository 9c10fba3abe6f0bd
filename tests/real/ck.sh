# Concurrency Kit (C): locks and barriers whose atomic operations are inline assembly; its own regression tests, with two threads
# and a few rounds.
name=ck
. "$here/common.sh"
fetch ck

tests=$source/sleave-tests
if stale "$tests/built"; then
	cd "$source" || exit 1
	CC="$sleave cc" quietly ./configure
	quietly make -C src -j2 CC="$sleave cc"
	mkdir -p "$tests"
	for lock in ticket mcs dec cas fas clh anderson ticket_pb; do
		quietly "$sleave" cc -O1 -g -D_GNU_SOURCE -DITERATE=2 -Iinclude -Iregressions -o "$tests/$lock" \
			"regressions/ck_spinlock/validate/ck_$lock.c" -lm
	done
	for barrier in centralized combining dissemination mcs tournament; do
		quietly "$sleave" cc -O1 -g -D_GNU_SOURCE -DITERATE=3 -Iinclude -Iregressions -o "$tests/barrier_$barrier" \
			"regressions/ck_barrier/validate/barrier_$barrier.c" src/libck.a -lm
	done
	quietly "$sleave" cc -O1 -g -D_GNU_SOURCE -DITERATE=2 -Iinclude -o "$tests/rwlock" regressions/ck_rwlock/validate/validate.c
	touch "$tests/built"
fi

begin
for lock in ticket mcs dec cas fas clh anderson ticket_pb rwlock; do
	passes -- "$tests/$lock" 2 1
done
for barrier in centralized combining dissemination mcs tournament; do
	passes -- "$tests/barrier_$barrier" 2 1 1
done
