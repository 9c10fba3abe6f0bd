# Which levels of optimisation a test builds with: to be read with `.`.
# shellcheck shell=sh

# levels COMPILER: gcc -O0 and clang -O2, so that both compilers and both levels are seen; with LEVELS=all, or where there is
# one compiler alone, both levels for each.
levels()
{
	case ${LEVELS-}$1 in
	gcc | g++) command -v clang >/dev/null && echo -O0 || echo -O0 -O2 ;;
	clang | clang++) command -v gcc >/dev/null && echo -O2 || echo -O0 -O2 ;;
	*) echo -O0 -O2 ;;
	esac
}
