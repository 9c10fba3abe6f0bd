# FastTree (C, with OpenMP): loops with a dynamic schedule, sections that try the three ways to exchange neighbours, a
# critical section. Its counters for statistics race (docs/real-programs.md).
name=fasttree
. "$here/common.sh"
fetch fasttree
build_check

program=$source/fasttreeMP
if stale "$program"; then
	cd "$source" || exit 1
	rm -f fasttreeMP
	quietly make fasttreeMP CC="$sleave cc" CFLAGS="-O1 -g -w" LDFLAGS="$check"
fi

begin
cat >in.fa <<'END'
>a
TCGATTTT
>b
CAGATTTA
>c
CAGGTATT
>d
AAGATTTT
END
OMP_NUM_THREADS=2 && export OMP_NUM_THREADS
"$program" -nt -quiet -nosupport -nocat -out expected in.fa || die "does not work by itself"
grep -q '^(.*a:.*);$' expected || die "that is not a tree"
finds 'data race on (szAllAlloc|mymallocUsed|nProfileFreqAlloc|nPosteriorCompute|nLkCompute)' -- "$program" -nt -quiet -nosupport \
	-nocat -out out in.fa
explore out expected --races=off -- "$program" -nt -quiet -nosupport -nocat -out out in.fa
# without the counters: by neighbour joining alone nothing is found
"$program" -nt -quiet -nosupport -noml -nome -out expected in.fa || die "does not work by itself"
explore out expected -- "$program" -nt -quiet -nosupport -noml -nome -out out in.fa
