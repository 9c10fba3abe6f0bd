# What git can do with a checkout: a part of tests/versions.sh.
# shellcheck shell=sh disable=SC2086,SC2154,SC2016 # it is read by that

# ---- submodules ----

git init -q "$folder/library" && cd "$folder/library" || exit 99
echo 'int library = 1;' >library.c && commit first
project "$folder/modules"
git submodule -q add "$folder/library" lib/inner 2>/dev/null && commit module
expect 0 $get -- ./test
same "the submodule's file" 'int library = 1;' "$(cat "$(of root old)/lib/inner/library.c")"
never '^note'
first=$(of id old)
echo 'int library = 2;' >lib/inner/library.c
expect 0 $get -- ./test
says '^note the submodule lib/inner is dirty: the working tree has its files as they are' \
	'^note the submodule lib/inner is dirty: HEAD (.*) has its commit' '^pair lib/inner/library.c <- lib/inner/library.c'
same "the dirty file" 'int library = 2;' "$(cat "$(of root new)/lib/inner/library.c")"
same "the committed file" 'int library = 1;' "$(cat "$(of root old)/lib/inner/library.c")"
same "HEAD is as it was" "$first" "$(of id old)"
(cd lib/inner && commit second)
expect 0 $get --list -- ./test
says '^note the submodule lib/inner is at .* and not at '
commit moved
expect 0 $get --old HEAD~1 --new HEAD --list -- ./test
says '^pair lib/inner/library.c'
git submodule -q deinit -f lib/inner 2>/dev/null
expect 0 $get --old HEAD~1 --new HEAD~1 --list --all -- ./test
says '^text old lib/inner/library.c' # from .git/modules
rm -rf .git/modules
expect 0 $get --list -- ./test
says '^note HEAD (.*): the submodule lib/inner is not here'
git init -q lib/own && cp "$folder/library/library.c" lib/own && git -C lib/own add -A && git -C lib/own commit -qm own
expect 0 $get --list -- ./test
says '^note lib/own/ is a repository of its own' '^text new lib/own/library.c'

# ---- attributes: those of the version, not of the checkout ----

project "$folder/attributes"
printf '*.h text eol=crlf\n*.c ident\n*.bin filter=lfs\n*.dat filter=shout\n' >.gitattributes
printf '/* $Id$ */\n' >id.c
content=$(printf 'large\n' | sha256sum | cut -c 1-64)
for each in here away; do
	[ $each = here ] && sum=$content || sum=$(printf away | sha256sum | cut -c 1-64)
	printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 6\n' $sum >$each.bin
done
echo quiet >a.dat
git config filter.shout.smudge 'tr a-z A-Z'
git config filter.shout.clean 'tr A-Z a-z'
stored=.git/lfs/objects/$(echo $content | cut -c 1-2)/$(echo $content | cut -c 3-4)
mkdir -p $stored && printf 'large\n' >$stored/$content
commit attributes 2>/dev/null
git rm -q .gitattributes && commit none 2>/dev/null
expect 0 $get --old HEAD~1 --new HEAD -- ./test
old=$(of root old) new=$(of root new)
same "line ends by the old attributes" "$(printf '#define NUMBER 3\r\n' | od -c)" "$(od -c <"$old/number.h")"
same "line ends by the new ones" "$(printf '#define NUMBER 3\n' | od -c)" "$(od -c <"$new/number.h")"
same "ident" "/* \$Id: $(git rev-parse HEAD:id.c) \$ */" "$(cat "$old/id.c")"
same "content of Git LFS that is here" large "$(cat "$old/here.bin")"
holds "a pointer stays" grep -q git-lfs "$old/away.bin"
says 'note HEAD~1 (.*): the content of away.bin is in Git LFS and was not fetched' 'a.dat is as git stores it, because the filter shout is not run'
never 'here.bin is in Git LFS'

# ---- sparse, linked, bare, unborn; from a hook ----

project "$folder/sparse"
mkdir -p kept dropped && echo 'int kept;' >kept/a.c && echo 'int dropped;' >dropped/b.c
commit folders
git sparse-checkout set --no-cone '/*' '!/dropped/'
holds "the folder is left out" test ! -e dropped
expect 0 $get -- ./test
says '^identical yes' # nothing was deleted
holds "what the sparse checkout leaves out is built with" test -f "$(of root new)/dropped/b.c"

project "$folder/linked"
git checkout -q number.h
git worktree add -q ../beside v1 2>/dev/null
cd ../beside && top=$PWD || exit 99
echo '#define NUMBER 7' >number.h
expect 0 $get -- ./test
prints old 1
prints new 7
says "^home $folder/beside$"

git clone -q --bare "$folder/linked" "$folder/bare.git"
cd "$folder/bare.git" && top=$PWD || exit 99
expect 3 $get -- ./test
says 'is a bare repository, which has no working tree'
expect 0 $get --old v1 --new trunk -- ./test
prints old 1
prints new 2

git init -q "$folder/unborn" && cd "$folder/unborn" && top=$PWD || exit 99
expect 3 $get -- ./test
says 'there is no commit yet, so HEAD is no version'

cd "$folder/plain" && top=$PWD || exit 99
cat >.git/hooks/pre-commit <<END
#!/bin/sh
$get -- ./test >out 2>err
END
chmod 755 .git/hooks/pre-commit
echo '#define NUMBER 9' >number.h
git commit -qam hooked
prints old 2
prints new 9
echo 'a conflict' >number.h
git stash -q && echo '#define NUMBER 10' >number.h && git commit -q --no-verify -am ten && git stash pop -q >/dev/null 2>&1
expect 0 $get --list -- ./test
says '^text new number.h'
