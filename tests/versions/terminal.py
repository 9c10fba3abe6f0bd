#!/usr/bin/env python3
"""Runs a command on a terminal, waits for words, then does something and prints all that the terminal was sent, with \\r and ESC by
their names. Ends with the command's status.

Usage: terminal.py WORDS remove FILE|type KEY COMMAND…
"""
import os
import pty
import sys

words, action, what, command = sys.argv[1].encode(), sys.argv[2], sys.argv[3], sys.argv[4:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
said = b""
while True:
    try:
        more = os.read(terminal, 4096)
    except OSError:  # the command has ended
        break
    if not more:
        break
    said += more
    if words and words in said:
        words = b""
        if action == "remove":
            os.unlink(what)
        else:
            os.write(terminal, b"\x03")
_, status = os.waitpid(pid, 0)
print(said.decode().replace("\r\n", "\n").replace("\r", "<CR>").replace("\033", "<ESC>"))
print("words were said" if not words else "words were not said")
sys.exit(os.waitstatus_to_exitcode(status))
