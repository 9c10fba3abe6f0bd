# Faults one by one, while two versions are got and built: a part of tests/versions.sh.
# shellcheck shell=sh disable=SC2086,SC2154 # it is read by that
#
# The first, second, … open, write, rename, … fails. Each failure ends well or with a sentence, and what is kept as complete is whole.

cc -O1 -o "$folder/inject" "$here/tests/faults/inject.c" || exit 99
git init -q "$folder/faulty" && cd "$folder/faulty" && top=$PWD || exit 99
for name in a b c; do
	echo "int $name;" >$name.c
done
printf 'out\nerr\ninjected\n' >.gitignore
commit sources
echo 'int more;' >>a.c
if "$folder/inject" open 100000 true; then
	for kind in open write truncate rename fork sync remove; do
		n=1
		while [ $n -lt 400 ]; do
			rm -rf .sleave "$XDG_STATE_HOME" injected
			checks=$((checks + 1))
			# the sanitizer looks for leaks by the same means as inject
			ASAN_OPTIONS=detect_leaks=0 INJECTED=injected timeout 60 "$folder/inject" $kind $n \
				$get --build 'echo "#!/bin/sh" >test; chmod 755 test' -- ./test >out 2>err <"$input"
			status=$?
			[ -e injected ] || break
			case $status in
			0) ;;
			3) grep -q '^error ' out || fail "nothing is said when $kind number $n fails" ;;
			*) fail "status $status when $kind number $n fails" && tail -n 5 out err ;;
			esac
			for each in .sleave/versions/*/complete; do
				[ ! -e "$each" ] || [ "$(find "${each%/complete}/tree" -type f | wc -l)" = 5 ] ||
					fail "a version is not whole when $kind number $n fails"
			done
			n=$((n + 1))
		done
		[ $n -gt 1 ] || [ $kind = truncate ] || fail "no $kind was made to fail"
	done
	same "the status without a fault" 0 $status
else
	echo "note: this system does not allow ptrace: no faults are injected"
fi
