#!/usr/bin/env python3
"""
Runs sessions with the command: tests/sessions/SUBJECT/NAME.session is a text of what a user types and of all that the
terminal then shows. What is shown has to be the same again, byte by byte, but for what is listed under "what varies".

A session is prose with commands in it. A line that is indented by two spaces belongs to a command: "  $ " begins one,
"  > " continues it, and all others up to the next command are its output, on both streams. An exit status other than 0 is
the last line of the output, in brackets: "  [1]". Empty lines at the end of an output are not compared.

A session runs in bash, in a new folder with copies of all the other files of its subject's folder: sources, scripts, data. Its
standard input is /dev/null, `sleave` is the command under test, and a command has two minutes. A pipeline has the last status
in it that is not 0. Where a session exits with 77, its rest is skipped: something that it needs is not there. tests/sessions/commands.sh has what sessions have in common: run, show, count, json, items, await, numbers.

What varies is replaced by a letter in capitals before it is compared:
	the folder of the session, the build's, the source tree	FOLDER, BUILD, TREE
	how long something took ("in 0.12 s")			in N s
	an address (0x and more than five digits)		0xN
	what identifies a build					build-id:N
	where a file ends, or is damaged			at byte N of N
	the number of an item in a trace			N
	how many bytes an item of a trace has			N bytes
	the key of a version that is kept			versions/KEY
	a commit, after HEAD, v1 or trunk			COMMIT
	what a search has done ("under control: 3 threads, 358	N operations, N accesses in N executions; after N
	operations, …", "after 31 executions", "compared: …",	executions; compared: N executions twice
	"… not show it in 69 executions", "1 tried in 9 executions")
A control character, or a byte that is not UTF-8, is written \\xNN. For all else that varies there is `numbers`, sed, and the
choice of lines by `show`.

`UPDATE=1` writes the output that was seen into the sessions. Read the difference (git diff) before it is committed.

usage: tests/sessions.py BUILD [SUBJECT | SUBJECT/NAME]...
"""

import difflib, os, re, select, shutil, signal, subprocess, sys, tempfile, time

LIMIT = 120  # seconds for a command
MARK = "\x01session\x02"  # is in no output
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SESSIONS = os.path.join(HERE, "sessions")


class Command:
    def __init__(self, line):
        self.lines = [line]  # what is typed
        self.output = []  # what is shown, and the status


def parse(path):
    """The session as a list of lines of prose and commands."""
    parts, command, empty = [], None, 0
    for line in open(path, encoding="utf-8").read().splitlines():
        if line.startswith("  $ "):
            command = Command(line[4:])
            parts.append(command)
        elif line.startswith("  > ") and command and not command.output:
            command.lines.append(line[4:])
        elif line.startswith("  ") and command:  # empty lines before it are of the output as well
            command.output += [""] * empty + [line[2:]]
            del parts[len(parts) - empty :]
        elif not line and command:
            empty += 1
            parts.append(line)
            continue
        else:
            command = None
            parts.append(line)
        empty = 0
    return parts


def text_of(parts):
    lines = []
    for part in parts:
        if isinstance(part, str):
            lines.append(part)
        else:
            lines.append("  $ " + part.lines[0])
            lines += ["  > " + line for line in part.lines[1:]]
            lines += ["  " + line for line in part.output]
    return "".join(line.rstrip(" ") + "\n" for line in lines)


class Skipped(Exception):
    pass


def default_signals():
    """A test that was started by nohup, or in the background of a script, has some of these ignored; its programs would, too."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


class Shell:
    """bash in the folder of a session, command by command."""

    def __init__(self, folder, build):
        self.folder, self.build = folder, build
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SLEAVE_", "MAKE", "MESON_")) and name not in ("NO_COLOR", "GLIBC_TUNABLES", "UPDATE")
        }
        environment.update(LC_ALL="C.UTF-8", BUILD=build, TREE=ROOT, PATH=build + ":" + environment["PATH"])
        self.process = subprocess.Popen(
            ["bash", "--norc"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=default_signals)
        self.left = b""
        self.run(Command(f". '{SESSIONS}/commands.sh'"))

    def run(self, command):
        """Types it; returns its output as lines."""
        mark = MARK.encode()
        text = "\n".join(command.lines)
        self.process.stdin.write(f"{{ {text}\n}} </dev/null; printf '%s%d\\n' $'{MARK_TYPED}' $?\n".encode())
        self.process.stdin.flush()
        end = time.monotonic() + LIMIT
        while mark not in self.left or b"\n" not in self.left.split(mark, 1)[1]:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                return self.lines(self.left) + ["[it did not end in %d seconds]" % LIMIT], False
            some = os.read(self.process.stdout.fileno(), 1 << 16)
            if not some:
                if self.process.wait() == 77:
                    raise Skipped
                return self.lines(self.left) + ["[the shell ended]"], False
            self.left += some
        shown, rest = self.left.split(mark, 1)
        status, self.left = rest.split(b"\n", 1)
        lines = self.lines(shown)
        if status != b"0":
            lines.append("[%s]" % status.decode())
        return lines, True

    def lines(self, shown):
        text = shown.decode("utf-8", "surrogateescape")
        text = re.sub("[\x00-\x08\x0b-\x1f\x7f]", lambda m: "\\x%02x" % ord(m[0]), text)
        text = re.sub("[\udc80-\udcff]", lambda m: "\\x%02x" % (ord(m[0]) - 0xDC00), text)
        if text and not text.endswith("\n"):
            text += " (no end of line)"
        for path, name in ((self.folder, "FOLDER"), (self.build, "BUILD"), (ROOT, "TREE")):
            text = text.replace(path, name)
        text = re.sub(r"\bin [\d.,]+ (ns|µs|ms|s|min)\b", "in N s", text)
        text = re.sub(r"^( *)under control: (\S+ threads?), .* executions?\b", r"\1under control: \2, N operations, N accesses in N executions", text, flags=re.M)
        text = re.sub(r"does not show it in [\d,]+ executions?", "does not show it in N executions", text)
        text = re.sub(r"tried in [\d,]+ executions?", "tried in N executions", text)
        text = re.sub(r"; after [\d,]+ executions? ", "; after N executions ", text)
        text = re.sub(r"^compared: [\d,]+ executions?", "compared: N executions", text, flags=re.M)
        text = re.sub(r"0x[0-9a-f]{6,}\b", "0xN", text)
        text = re.sub(r"\.sleave/versions/[0-9a-f]{16}\b", ".sleave/versions/KEY", text)
        text = re.sub(r"\b((?:HEAD|v\d|trunk)[~\d]*(?: \(|, ))[0-9a-f]{7}\)", r"\1COMMIT)", text)
        text = re.sub(r"build-id:[0-9a-f]+", "build-id:N", text)
        text = re.sub(r"at byte \d+ of \d+\b", "at byte N of N", text)
        text = re.sub(r"[\d.,]+ (bytes each|an item$)", r"N \1", text, flags=re.M)
        text = re.sub(r"^ {1,7}\d+ (main|T\d+|\?)( |$)", r"N \1\2", text, flags=re.M)
        text = text.rstrip("\n")
        return [line.rstrip(" ") for line in text.split("\n")] if text else []

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.stdin.close()
        self.process.wait()


MARK_TYPED = MARK.replace("\x01", "\\001").replace("\x02", "\\002")  # as $'…' has it


def run(path, build, update):
    """Returns whether all was shown as it is written."""
    name = os.path.relpath(path, SESSIONS)[: -len(".session")]
    subject = os.path.dirname(path)
    parts = parse(path)
    before = text_of(parts)
    folder = os.path.realpath(tempfile.mkdtemp(prefix="session-"))
    shell, skipped = None, ""
    try:
        for file in os.listdir(subject):
            if os.path.isfile(os.path.join(subject, file)) and not file.endswith(".session"):
                shutil.copy(os.path.join(subject, file), folder)
        shell = Shell(folder, build)
        for part in parts:
            if isinstance(part, Command):
                part.output, goes_on = shell.run(part)
                if not goes_on:
                    break
    except Skipped:
        skipped = " (the rest is skipped)"
    finally:
        if shell:
            shell.end()
        subprocess.run(["umount", os.path.join(folder, "disk")], stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)
    after = text_of(parts)
    if after == before:
        print(f"ok   {name}{skipped}", flush=True)
        return True
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write(after)
        print(f"updated {name}", flush=True)
        return True
    print(f"FAIL {name}", flush=True)
    sys.stdout.writelines(
        difflib.unified_diff(before.splitlines(True), after.splitlines(True), name + ", expected", name + ", shown"))
    sys.stdout.flush()
    return False


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: tests/sessions.py BUILD [SUBJECT | SUBJECT/NAME]...")
    build = os.path.realpath(sys.argv[1])
    if not os.path.exists(build + "/libsleave.so") or not os.path.exists(build + "/sleave"):
        print(f"skipped: no libsleave.so or no sleave in {build}")
        sys.exit(77)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8") if stream else None
    paths = []
    for wanted in sys.argv[2:] or sorted(os.listdir(SESSIONS)):
        place = os.path.join(SESSIONS, wanted)
        if os.path.isdir(place):
            paths += sorted(os.path.join(place, file) for file in os.listdir(place) if file.endswith(".session"))
        elif os.path.exists(place + ".session"):
            paths.append(place + ".session")
        elif len(sys.argv) > 2:
            sys.exit(f"there is no session {wanted}")
    passed = sum([run(path, build, os.environ.get("UPDATE") == "1") for path in paths])
    print(f"{passed} passed, {len(paths) - passed} failed")
    sys.exit(not paths or passed != len(paths))


if __name__ == "__main__":
    main()
