#!/bin/sh
# OpenMP by gcc: built with Sleave and started on its own a program has the real libgomp and real threads; under control it
# says and does the same, as far as that does not depend on the schedule. What the environment says counts.
# usage: tests/openmp.sh BUILD
set -u

build=$(cd "${1:?usage: tests/openmp.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
tests=$(cd "$(dirname "$0")" && pwd)
sleave=$build/sleave
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
unset SLEAVE_CXX OMP_NUM_THREADS OMP_SCHEDULE OMP_CANCELLATION OMP_NESTED OMP_MAX_ACTIVE_LEVELS OMP_DYNAMIC
SLEAVE_CC=gcc && export SLEAVE_CC
LC_ALL=C && export LC_ALL

checks=0
failures=0
fail()
{
	echo "FAIL $*"
	tail -n 5 err | cut -c 1-300
	failures=$((failures + 1))
}

# expect STATUS COMMAND…
expect()
{
	status=$1
	shift
	checks=$((checks + 1))
	timeout 60 "$@" >out 2>err </dev/null
	got=$?
	[ $got = "$status" ] || fail "status $got instead of $status: $*"
}

says() # PATTERN, in what the last command said
{
	checks=$((checks + 1))
	grep -Eq -e "$1" out err || fail "nothing like '$1'"
}

# ---- on its own, as usual ----
for program in "$tests"/programs/clean/openmp_*.c "$tests"/determinism/openmp.c; do
	case $program in */openmp_settings.c) continue ;; esac # what it asserts is of control
	expect 0 "$sleave" cc -O2 -w -fopenmp -o own "$program"
	expect 0 ./own
	expect 0 env OMP_NUM_THREADS=4 OMP_DYNAMIC=false ./own
done
cat >threads.c <<'END'
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* how many kernel threads there are, and whose barrier that is */
int
main(void)
{
	char line[256];
	int threads = 0;
	FILE *f;

#pragma omp parallel num_threads(4)
	{
#pragma omp barrier
#pragma omp single
		{
			f = fopen("/proc/self/status", "r");
			while (fgets(line, sizeof(line), f))
				sscanf(line, "Threads: %d", &threads);
			fclose(f);
		}
	}
	printf("threads %d\n", threads);
	return threads != 4;
}
END
expect 0 "$sleave" cc -fopenmp -o threads threads.c
expect 0 ./threads
checks=$((checks + 1))
readelf -d threads | grep -q 'NEEDED.*libgomp' || fail "libgomp is not linked"
# the linker sees no reference to it
expect 0 "$sleave" cc -fopenmp -c threads.c
expect 0 "$sleave" cc -o late threads.o -lgomp
expect 0 ./late
# only a plugin needs it
cat >plugin.c <<'END'
int
count(void)
{
	int n = 0;

#pragma omp parallel num_threads(3)
#pragma omp atomic
	n++;
	return n;
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>

int
main(void)
{
	void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
	int (*count)(void) = plugin ? (int (*)(void))dlsym(plugin, "count") : NULL;

	if (!count)
		puts(dlerror());
	return !count || count() != 3;
}
END
expect 0 "$sleave" cc -fopenmp -fPIC -shared -o plugin.so plugin.c
expect 0 "$sleave" cc -o host host.c -ldl
expect 0 ./host
expect 0 "$sleave" run --schedules 20 ./host

# ---- the same under control ----
expect 0 "$sleave" cc -O1 -w -fopenmp -o same "$tests/openmp/same.c"
same() # what the environment says
{
	rm -f wanted seen
	expect 0 env OMP_NUM_THREADS=2 "$@" ./same wanted
	[ -s wanted ] || fail "it says nothing"
	expect 0 env OMP_NUM_THREADS=2 "$@" "$sleave" run --races=off --schedules 20 ./same seen
	checks=$((checks + 1))
	cmp -s wanted seen || { fail "not the same: $*"; diff wanted seen | head -n 10; }
}
same A=1
same OMP_SCHEDULE=guided,3 OMP_MAX_ACTIVE_LEVELS=3
same OMP_NUM_THREADS=3,2 OMP_NESTED=true
same OMP_THREAD_LIMIT=2
same OMP_SCHEDULE=static,2 OMP_CANCELLATION=true

# ---- how many ----
cat >many.c <<'END'
#include <assert.h>
#include <omp.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
	int n = 0;

	(void)argc;
	setenv("OMP_NUM_THREADS", "5", 1); /* too late, as with libgomp */
#pragma omp parallel
#pragma omp atomic
	n++;
	assert(n == atoi(argv[1]));
	return 0;
}
END
expect 0 "$sleave" cc -fopenmp -o many many.c
expect 0 "$sleave" run ./many 2
expect 0 env OMP_NUM_THREADS=3 "$sleave" run ./many 3
expect 3 env OMP_NUM_THREADS=1 "$sleave" run ./many 1
says 'second thread'
expect 1 env OMP_NUM_THREADS=3 "$sleave" run ./many 2
expect 1 env OMP_NUM_THREADS=3 "$sleave" replay many-1.sleave
expect 0 env OMP_NUM_THREADS=3 "$sleave" run -j 2 ./many 3

# ---- in a test: what was set before counts, and everything is as it was afterwards ----
cat >test.c <<'END'
#include <assert.h>
#include <omp.h>
#include <sleave.h>
#include <stddef.h>

static int seen;

static void
body(void *threads)
{
	int n = 0;

#pragma omp parallel
#pragma omp atomic
	n++;
	assert(n == *(int *)threads && omp_get_max_threads() == n);
	omp_set_num_threads(7);
	seen = n;
}

int
main(void)
{
	int threads = 2;

	if (sleave_explore(body, &threads, NULL) != SLEAVE_CLEAN)
		return 1;
	omp_set_num_threads(threads = 3);
	if (sleave_explore(body, &threads, NULL) != SLEAVE_CLEAN)
		return 2;
	if (omp_get_max_threads() != 3 || seen)
		return 3;
#pragma omp parallel
#pragma omp atomic
	seen++;
	return seen != 3;
}
END
expect 0 "$sleave" cc -fopenmp -o test test.c
expect 0 ./test

# ---- not rebuilt ----
gcc -fopenmp -g -o foreign "$tests/programs/bug/deadlock/openmp_locks.c" || fail "gcc -fopenmp"
expect 1 "$sleave" run --sync-only ./foreign
says 'main and T1 omp worker 1 wait for each other'

# ---- refused ----
cat >cancel.c <<'END'
int
main(void)
{
	int n = 0;

#pragma omp parallel for num_threads(2)
	for (int i = 0; i < 4; i++) {
#pragma omp cancel for
#pragma omp atomic
		n++;
	}
	return 0;
}
END
expect 0 "$sleave" cc -fopenmp -o cancel cancel.c
expect 0 "$sleave" run ./cancel
expect 3 env OMP_CANCELLATION=true "$sleave" run ./cancel
says 'GOMP_cancel with OMP_CANCELLATION'

echo "$checks checks, $failures failures"
[ $failures = 0 ]
