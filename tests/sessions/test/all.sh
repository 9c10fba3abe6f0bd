# The programs of a folder, with every end that there is; to be read with `.`, after fake.sh.
fake all/good <<'EOF'
report explored takes 'blocking take' 0 1 14 '' '' 5000000000
report explored takes 'non-blocking take' 0 0 12345
report ran takes 'blocking take' 0
report ran takes 'non-blocking take' 0
report explored puts '' 0 1 1
echo this is not shown
EOF
fake all/bad <<'EOF'
report explored takes first 0 1 14
report explored takes second 1 0 3 'assertion failed: n == 1 (main at some_test.c:9)' bad-1.sleave
echo 'the story of it' >&2
echo 'and more'
EOF
fake all/crash <<'EOF'
report ran takes first 0
report began takes second 0
echo 'on the way' >&2
kill -SEGV $$
EOF
fake all/left <<'EOF'
report began takes first 0
report ran takes first 0
report began takes second 0
echo 'left early'
EOF
fake all/status <<'EOF'
echo '[  FAILED  ] one test'
exit 4
EOF
fake all/plain <<'EOF'
cat
EOF
fake all/unsure <<'EOF'
report explored takes first 3 0 0 'it calls vfork(), which Sleave can not do'
EOF
fake all/twins <<'EOF'
report ran both '' 0 0 0 '' '' 0 10
report ran both '' 1 0 0 'second one' '' 0 20
report ran other '' 0 0 0 '' '' 0 30
EOF
printf '#!/bin/sh\n' >all/script
cp /bin/true all/not-ours
cp fake.c all/not-executable
chmod +x all/script
chmod -x all/not-executable
