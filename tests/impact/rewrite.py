#!/usr/bin/env python3
"""
Writes a program anew so that nothing in it has changed: other white space and comments, functions and declarations in another
order, other names of local variables.

usage: rewrite.py PROGRAM >REWRITTEN

What is changed is decided by the program's text, so it is the same each time. The program has the layout of tests/programs:
top-level declarations are separated by empty lines, and functions end with a brace at the beginning of a line. What would be a
change is left alone: what assert() and other macros make a string of, lines of the preprocessor, assembly.
"""
import random, re, sys

TOKEN = re.compile(
    r"""(?P<raw>R"(?P<mark>[^(]*)\(.*?\)(?P=mark)")|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<character>'(?:\\.|[^'\\\n])+')"""
    r"""|(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<directive>(?:(?<=\n)|^)[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)|(?P<space>\s+)"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)|(?P<other>.)""",
    re.X | re.S,
)
KEYWORDS = set(
    """auto break case catch class const constexpr continue default delete do double else enum extern false float for goto if inline int
    long namespace new nullptr operator private protected public register return short signed sizeof static struct switch template this
    throw true try typedef typename union unsigned using virtual void volatile while char bool main""".split()
)


def tokens(text):
    return [(match.lastgroup, match[0]) for match in TOKEN.finditer(text)]


def names_in(text):
    found = set()
    for kind, value in tokens(text):
        if kind == "name":
            found.add(value)
        elif kind == "directive":
            found.update(re.findall(r"[A-Za-z_]\w*", value))
    return found


def blocks(text):
    """Top-level declarations: what is between empty lines, at the beginning of a line and outside of braces."""
    result, depth, current = [], 0, ""
    for kind, value in tokens(text):
        if kind == "other":
            depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(value, 0)
        if kind == "space" and depth == 0 and value.count("\n") > 1:
            result.append(current)
            current = ""
        else:
            current += value
    result.append(current.rstrip("\n"))
    return result


def function_name(block):
    """Of a function with its body, and nothing else; else None."""
    code = "".join(value for kind, value in tokens(block) if kind != "comment")
    match = re.match(r"\s*(?:[\w:<>,*&~ \t\n]|\[\[[^]]*\]\])*?([A-Za-z_][\w:~]*)\s*\((?:[^(){}]|\([^()]*\))*\)[\w\s]*\{", code)
    if not match or code.find("\n}") != len(code) - 2 or re.search(r"^\s*#|\b__attribute|\bTEST|\boperator", code, re.M):
        return None
    if re.match(r"\s*(struct|class|union|enum|namespace|extern\s*\"|template)\b[^(]*\{", code):
        return None
    return match[1].split("::")[-1].lstrip("~")


def swap_functions(parts, chance):
    """Neighbours that do not name each other."""
    at = 0
    while at + 1 < len(parts):
        first, second = function_name(parts[at]), function_name(parts[at + 1])
        if first and second and first != second and first not in names_in(parts[at + 1]) and second not in names_in(parts[at]) and chance.random() < 0.8:
            parts[at], parts[at + 1] = parts[at + 1], parts[at]
            at += 1
        at += 1


def swap_declarations(part, chance):
    """Plain variables on lines of their own."""
    lines = part.split("\n")
    plain = re.compile(r"static (?:unsigned |volatile )?(?:int|long|char|unsigned|pthread_mutex_t|pthread_t) \w+(?: = (?:\d+|PTHREAD_MUTEX_INITIALIZER))?;")
    for at in range(len(lines) - 1):
        if plain.fullmatch(lines[at]) and plain.fullmatch(lines[at + 1]) and chance.random() < 0.5:
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return "\n".join(lines)


DECLARED = re.compile(r"[{};(]\s*((?:(?:const|unsigned|struct|volatile)\s+)*[A-Za-z_]\w*)[\s*]+([a-z_]\w*)\s*(?=[=;,\[])")


def rename_locals(part, whole, chance):
    """Variables of a function whose name stands for nothing else in the file."""
    if not function_name(part):
        return part
    elsewhere = names_in(whole.replace(part, " ", 1))
    code = "".join(value if kind not in ("comment", "string", "raw", "character") else " " for kind, value in tokens(part))
    in_macros = set()
    for match in re.finditer(r"\b(?:assert|static_assert|asm|__asm__|[A-Z][A-Z_0-9]+)\b[^;]*;", code):
        in_macros.update(re.findall(r"[A-Za-z_]\w*", match[0]))
    members = set(re.findall(r"(?:\.|->|::)\s*([A-Za-z_]\w*)", code)) | set(re.findall(r"\b([A-Za-z_]\w*)\s*::", code))
    labels = set(re.findall(r"\bgoto\s+(\w+)", code))
    chosen = {}
    for kind, name in DECLARED.findall(code):
        if kind.split()[-1] in ("return", "goto", "else", "case", "throw", "delete", "new", "using", "static", "extern") or kind in KEYWORDS - {"int", "long", "char", "bool", "auto", "double", "float", "short", "unsigned"}:
            continue
        if name in KEYWORDS or name in elsewhere or name in in_macros or name in members or name in labels:
            continue
        if re.search(r"\b(?:static|extern|thread_local)\b[^;{}]*\b%s\b" % name, code):
            continue
        chosen.setdefault(name, "another_" + name if chance.random() < 0.5 else name[::-1] + "_")
    return "".join(chosen.get(value, value) if kind == "name" else value for kind, value in tokens(part))


def lay_out(text, chance):
    """Other white space and comments where there are some, for what is no line of the preprocessor."""
    result, assembly, depth = [], False, 0
    list_of = tokens(text)
    for i, (kind, value) in enumerate(list_of):
        if kind == "name" and value in ("asm", "__asm__", "__asm"):
            assembly = True
        if kind == "other" and value == ";":
            assembly = False
        beside = {list_of[k][0] for k in (i - 1, i + 1) if 0 <= k < len(list_of)}
        if kind == "comment" and chance.random() < 0.5:
            result.append("/* another comment */" if value.startswith("/*") else "// another comment")
        elif kind == "space" and not assembly and "directive" not in beside and "comment" not in beside:
            result.append(chance.choice([" ", "\n", "\n\n  ", "\t", " /* a comment */ ", "\n// a comment\n", "   "]))
        else:
            result.append(value)
    return "".join(result)


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    chance = random.Random(text)
    parts = blocks(text)
    parts = [rename_locals(part, text, chance) for part in parts]
    parts = [swap_declarations(part, chance) for part in parts]
    swap_functions(parts, chance)
    sys.stdout.write(lay_out("\n\n".join(parts), chance) + "\n")


if __name__ == "__main__":
    main()
