#!/usr/bin/env python3
"""Drives gdb as a user does: at a terminal, one command after another, each when gdb asks for it.

Usage: tests/gdb/terminal.py COMMAND... <commands

Prints what the terminal shows, and exits as the command does. Nothing depends on time: a command is typed when the prompt, or
gdb's question whether to end the program, is there.
"""
import fcntl
import os
import pty
import re
import struct
import sys
import termios

PROMPT = re.compile(r"\(gdb\) $|\(y or n\) $")
typed = [line.rstrip("\n") for line in sys.stdin] + ["quit"]
os.environ.update(TERM="dumb", INPUTRC="/dev/null")
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30000, 500, 0, 0))  # all on one page
    os.execvp(sys.argv[1], sys.argv[1:])
shown = ""
while True:
    try:
        more = os.read(terminal, 65536)
    except OSError:  # all of its processes have ended
        break
    if not more:
        break
    shown += more.decode(errors="replace").replace("\r", "")
    if PROMPT.search(shown):
        answer = "y" if shown.endswith("(y or n) ") else typed.pop(0) if typed else "quit"
        sys.stdout.write(shown)
        shown = ""
        os.write(terminal, (answer + "\n").encode())
print(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
