#!/bin/sh
# Makes a git checkout: `before` is committed, the changes of `after` are not.
# usage: checkout.sh FOLDER
set -e
here=$(cd "$(dirname "$0")" && pwd)
git init -q "${1:?usage: checkout.sh FOLDER}"
cp "$here"/before/* "$1"
git -C "$1" add .
git -C "$1" -c user.name=example -c user.email=example@example.org commit -q -m "A mailbox"
cp "$here"/after/* "$1"
