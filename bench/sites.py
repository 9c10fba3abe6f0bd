"""What the table of sites costs: time to compile, and size."""
import glob
import os
import resource
import shutil
import struct
import subprocess
import tempfile

from measuring import HERE, Failed

# Sources of Sleave's own that need nothing but its headers.
OWN_SOURCES = ["base/*.c", "schedule/*.c", "trace/*/*.c", "report/*.c", "report/*/*.c", "version/*.c", "coverage/*.c", "strategy/*.c"]


def sections(path):
    """Bytes of the table of sites, and of the debug information without it, in an ELF file."""
    with open(path, "rb") as file:
        elf = file.read()
    at, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, at + i * size) for i in range(count)]
    table, debug = 0, 0
    for name, _, _, _, _, length in headers:
        start = headers[names][4] + name
        name = elf[start:elf.index(b"\0", start)]
        if name == b".debug_sleave":
            table += length
        elif name.startswith(b".debug_"):
            debug += length
    return table, debug


def sites(b):
    """The table of sites: what it costs to compile a file with it, against `sleave cc` without; and its size in a linked library,
    against the debug information's. On sources of Sleave's own: in C its rooms that need no other headers, in C++ the plugins."""
    source = os.path.join(HERE, "..", "src")
    files = sorted(f for pattern in OWN_SOURCES[:2 if b.quick else None] for f in glob.glob(os.path.join(source, pattern)))
    llvm = subprocess.run(["sh", "-c", "llvm-config --includedir || llvm-config-14 --includedir"], capture_output=True,
                          text=True).stdout.strip()
    programs = [("C", files, ["cc", "-std=gnu11", "-D_GNU_SOURCE"])]
    if llvm:
        plugin = [os.path.join(source, "plugin", name) for name in ("clang_bodies.cc", "clang_sites.cc", "clang.cc")]
        programs.append(("C++", plugin[1:2] if b.quick else plugin,
                         ["c++", "-std=gnu++17", "-isystem", llvm, "-D__STDC_CONSTANT_MACROS", "-D__STDC_LIMIT_MACROS"]))
    else:
        b.table.skip("table of sites, C++", "the headers of LLVM are not here")
    for compiler in ("gcc", "clang"):
        if not shutil.which(compiler):
            b.table.skip(f"table of sites, {compiler}", "is not here")
            continue
        for level in ("-O0", "-O2"):
            for language, files, how in programs:
                folder = tempfile.mkdtemp(dir=b.folder)
                command = [b.sleave, how[0], level, "-fPIC", *how[1:], f"-I{source}", f"-I{source}/../include"]

                def build(table, file):
                    """Seconds of processor time."""
                    out = os.path.join(folder, f"{table}-{os.path.relpath(file, source).replace('/', '_')}.o")
                    before = resource.getrusage(resource.RUSAGE_CHILDREN)
                    done = subprocess.run(command + ["-c", "-o", out, file], capture_output=True, text=True,
                                          env=dict(os.environ, SLEAVE_CC=compiler, SLEAVE_TABLE=table))
                    after = resource.getrusage(resource.RUSAGE_CHILDREN)
                    if done.returncode:
                        raise Failed(f"{file} does not build ({compiler}): {done.stderr.strip()[:500]}")
                    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

                best = {table: dict.fromkeys(files, 1e9) for table in ("on", "off")}
                for _ in range(2 if b.quick else 3):
                    for file in files:  # each file with the table and without, one behind the other
                        for table, seconds in best.items():
                            seconds[file] = min(seconds[file], build(table, file))
                on, off = sum(best["on"].values()), sum(best["off"].values())
                library = os.path.join(folder, "library.so")
                done = subprocess.run([b.sleave, how[0], "-shared", "-o", library, *glob.glob(f"{folder}/on-*.o")],
                                      capture_output=True, text=True, env=dict(os.environ, SLEAVE_CC=compiler))
                if done.returncode:
                    raise Failed(f"does not link: {done.stderr.strip()[:500]}")
                table, debug = sections(library)
                if not table:
                    b.table.skip(f"table of sites, {compiler}", "Sleave has no plugin for it")
                    break
                b.table.row(f"compiling with the table, {compiler} {level}, {language}",
                            f"{on:.2f} s, without {off:.2f} s, of {len(files)} files", on / off, most=1.15)
                b.table.row("  its size, against debug information", f"{table / 1024:,.0f} KiB, {debug / 1024:,.0f} KiB",
                            table / debug, most=0.2)
                shutil.rmtree(folder)
