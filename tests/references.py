#!/usr/bin/env python3
"""Files that comments and documents name exist, and each test has its place in tests/README.md.

Usage: tests/references.py ROOT

Prints each name of a source file that is in a comment, or in a document, and is not the name of a file of the tree. A name
with a folder is a path from the root, from one of TOPS, or from the folder of the file that names it. A name without a folder
is a file beside that one, or a file of src, where no two files have one name. A name of one letter, or in capitals, stands for
any; a name in quotes, or with a line (queue.c:35), is an example of what a user sees.

Documents are those about the tree: the READMEs of its folders, docs/ARCHITECTURE.md, docs/decisions.

And the other way round: each script of tests is named in tests/README.md, with or without its ending.
"""
import os
import re
import subprocess
import sys

NAME = re.compile(r'(?<![\w./<$…*@%{}"-])((?:[\w.-]+/)*[\w-]+\.(?:c|h|cc|hh|def|inc|py|sh|md))(?![\w/*]|\.\w|:\d)')
TOPS = ["src", "include", "tests", "examples", "docs"]
ANY = re.compile(r"(.*/)?([a-z]|.*[A-Z]{3}.*)\.")  # "a.c", "unit/NAME_test.c"
SOURCE = re.compile(r"(?:src|include|tests(?!/programs/|/corpus/|/real/))/.*\.(?:c|h|cc|hh|def|inc|py|sh|md)$|docs/(?:ARCHITECTURE|decisions/.*)\.md$")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
ELSEWHERE = {
    "dynamic_annotations.h",  # ThreadSanitizer's
    "test.c",  # a file that tests/readme.sh makes of README.md
}


def comments(path, text):
    """The text of comments, or of a whole document, with the position of each."""
    if path.endswith((".c", ".h", ".cc", ".hh", ".def", ".inc")):
        for match in COMMENT.finditer(text):
            if match[0].startswith("/"):
                yield match.start(), match[0]
    elif path.endswith((".py", ".sh")):
        for match in re.finditer(r'^[ \t]*"""(.*?)"""|(?:^|[ \t])#(?!include)[^\n]*', text, re.M | re.S):
            yield match.start(), match[0]
    else:
        yield 0, text


def main():
    root = sys.argv[1]
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=False).stdout
    if listed:
        files = {name for name in listed.decode().split("\0") if name and os.path.exists(os.path.join(root, name))}
    else:
        files = {os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names}
    bare = {os.path.basename(name) for name in files if name.startswith(("src/", "include/", "examples/"))}
    seen, wrong = 0, []
    for path in sorted(files):
        if not SOURCE.match(path):
            continue
        with open(os.path.join(root, path), errors="replace") as file:
            text = file.read()
        folder = os.path.dirname(path)
        for start, comment in comments(path, text):
            for match in NAME.finditer(comment):
                name = match[1]
                seen += 1
                places = [name, os.path.normpath(os.path.join(folder, name))] + [top + "/" + name for top in TOPS]
                if ANY.match(name) or any(place in files for place in places) or "/" not in name and name in bare or name in ELSEWHERE:
                    continue
                wrong.append(f"{path}:{text.count(chr(10), 0, start + match.start()) + 1}: there is no {name}")
    with open(os.path.join(root, "tests/README.md")) as file:
        named = set(re.findall(r"[\w/]+", file.read()))
    for path in sorted(files):
        if re.fullmatch(r"tests/\w+\.(sh|py)", path) and os.path.basename(path).split(".")[0] not in named:
            wrong.append(f"{path} is not named in tests/README.md")
    if seen < 300:
        wrong.append(f"only {seen} names of files were seen")
    print("\n".join(wrong))


if __name__ == "__main__":
    main()
