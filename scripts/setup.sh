#!/bin/sh
# Installs what building and testing Sleave needs, if it is missing. Does nothing, and needs neither network nor
# rights, when everything is there.
set -eu

packages="
	gcc g++ clang libc6-dev make
	meson ninja-build pkg-config
	libdw-dev libelf-dev libzstd-dev libcmocka-dev check libcriterion-dev
	libsqlite3-dev libgit2-dev
	gdb clang-tidy cppcheck procps libclang-rt-dev
	cmake autoconf automake libtool ccache git
"
# The headers for src/plugin are those of the very compilers; without compilers, what Debian 12 is about to install.
packages="$packages
	gcc-$(gcc -dumpversion 2>/dev/null | cut -d . -f 1 | grep . || echo 12)-plugin-dev
	llvm-$(clang -dumpversion 2>/dev/null | cut -d . -f 1 | grep . || echo 14)-dev
"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	# shellcheck disable=SC2086 # on one line
	echo "setup: not a Debian system; see to it yourself that there are (Debian's names):" $packages >&2
	exit 0
fi

missing=
for package in $packages; do
	# shellcheck disable=SC2016 # the dollar is dpkg's
	case $(dpkg-query -W -f '${db:Status-Status} ' "$package" 2>/dev/null || true) in
	installed\ * | *\ installed\ *) ;; # one word for each architecture; "not-installed" is another word
	*) missing="$missing $package" ;;
	esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	root=
elif command -v sudo >/dev/null; then
	root=sudo
else
	echo "setup: missing packages; install them as root: apt-get install$missing" >&2
	exit 1
fi

echo "setup: installing$missing"
$root apt-get update -qq
# Not everything that is recommended: clang alone would bring a gigabyte.
# shellcheck disable=SC2086 # these are lists
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
