# liburcu (C): readers, a writer that waits for grace periods, a queue and a stack without locks. Its atomic operations are inline
# assembly, its loads and stores volatile. A library, so that the program around it is ours (liburcu.c).
name=liburcu
. "$here/common.sh"
fetch liburcu

if stale "$source/program-mb" || [ "$here/liburcu.c" -nt "$source/program-mb" ]; then
	rm -f "$source/program-mb"
	cd "$source" || exit 1
	quietly ./configure CC="$sleave cc" CFLAGS="-O1 -g" --disable-shared
	# their makefiles would want another version of automake
	for folder in include src; do
		quietly make -j2 -C $folder AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=:
	done
	quietly "$sleave" cc -O1 -g -DRCU_MEMBARRIER -D_LGPL_SOURCE -Iinclude -o program-memb "$here/liburcu.c" src/.libs/liburcu-memb.a src/.libs/liburcu-common.a
	quietly "$sleave" cc -O1 -g -DRCU_MB -D_LGPL_SOURCE -Iinclude -o program-mb "$here/liburcu.c" src/.libs/liburcu-mb.a src/.libs/liburcu-common.a
fi

begin
for flavour in mb memb; do
	passes --volatile=atomic -- "$source/program-$flavour"
	passes --volatile=atomic -- "$source/program-$flavour" queue
done
# Without that option a volatile access is a plain one.
finds '^data race on (index->ctr \(struct urcu_reader\)|.*urcu_mb_reader).*T3 writer' -- "$source/program-mb"
