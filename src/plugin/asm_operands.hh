/*
 * What an asm statement does to memory, as far as its text tells: which of its operands it reads and writes, whether an
 * instruction is locked, whether it is a fence, and whether it may touch memory that can't be named. Both plugins ask here; each
 * brings the text into gcc's form (%0, %k1, %%eax).
 *
 * The rules:
 *  - An instruction with a lock prefix, and xchg with memory, is one atomic operation that reads and writes.
 *  - A load or a store of 1, 2, 4 or 8 bytes in a statement with a "memory" clobber is atomic: that is how programs from before
 *    C11 write it, and what the processor does. Without the clobber it is an access like any other of the program's.
 *  - An instruction that reads and writes without a lock is not atomic, even if the statement clobbers memory: its read is a plain one.
 *  - An empty text touches nothing. Neither do lea, prefetches and the like, or what is on the stack of the thread.
 *  - What the kernel does for a system call by assembly is not known, nor is that another thread would have to go first.
 *  - What has its address in a register that is no operand, or is computed, is not known.
 */
#ifndef SL_PLUGIN_ASM_OPERANDS_HH
#define SL_PLUGIN_ASM_OPERANDS_HH

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace assembly {

/* How an access is told to the engine (src/engine/model/memory/assembly.h). */
enum { READS = 1, WRITES = 2, ATOMIC = 4, LOCKED = 8, SWAPS = 16 };

/* What the compiler knows of an operand. */
struct operand {
	bool memory = false;                 /* is a place in memory, else a value */
	bool reads = false, writes = false;  /* as the constraint says */
	unsigned size = 0;                   /* in bytes; 0: not known */
	char fixed = 0;                      /* the letter of the register that it has to be in: a, c, D, S */
	int same = -1;                       /* an output that is an input, too: the number of that */
};

struct access {
	int operand;
	bool through = false; /* the operand is the address */
	long offset = 0;
	unsigned size = 0; /* 0: that of the operand */
	unsigned how = 0;
	int times = -1; /* so many of them, as this operand says */
	int bit = -1;   /* what is accessed is where this bit is, as this operand says */
};

struct meaning {
	std::vector<access> accesses;
	int fence = 0;       /* __ATOMIC_… */
	bool unseen = false; /* it may access more than that */
};

class reader
{
public:
	reader(const std::vector<operand> &operands, bool clobbers) : operands(operands), clobbers(clobbers)
	{
	}

	/* opaque: not in the syntax that is known here. */
	meaning
	read(const std::string &text, bool opaque)
	{
		this->opaque = opaque;
		for (const std::string &line : lines(plain(text)))
			statement(line);
		if (this->opaque)
			by_constraints(text);
		else if (implicit)
			unmentioned();
		for (access &one : result.accesses)
			finish(one);
		return result;
	}

	/* Are there instructions in it, or only directives and labels? */
	static bool
	has_instructions(const std::string &text)
	{
		std::vector<operand> none;
		reader r(none, false);

		for (const std::string &line : r.lines(r.plain(text)))
			r.statement(line);
		return r.instructions || r.opaque;
	}

private:
	/* Of alternatives for several syntaxes the first; no comments. */
	static std::string
	plain(const std::string &text)
	{
		std::string to;
		int depth = 0, part = 0;

		for (size_t i = 0; i < text.size(); i++) {
			char c = text[i];

			if (c == '%' && i + 1 < text.size() && strchr("{|}", text[i + 1])) {
				c = text[++i];
			} else if (c == '{') {
				depth++;
				part = 0;
				continue;
			} else if (c == '|' && depth) {
				part++;
				continue;
			} else if (c == '}' && depth) {
				depth--;
				part = 0;
				continue;
			} else if (c == '#') {
				while (i < text.size() && text[i] != '\n')
					i++;
				c = '\n';
			} else if (c == '/' && i + 1 < text.size() && text[i + 1] == '*') {
				size_t end = text.find("*/", i + 2);

				i = end == std::string::npos ? text.size() : end + 1;
				c = ' ';
			}
			if (!part)
				to += c;
		}
		return to;
	}

	static std::vector<std::string>
	lines(const std::string &text)
	{
		std::vector<std::string> all(1);
		bool quoted = false;

		for (char c : text) {
			quoted ^= c == '"';
			if (!quoted && (c == ';' || c == '\n'))
				all.emplace_back();
			else
				all.back() += c;
		}
		return all;
	}

	static std::string
	trim(const std::string &text)
	{
		size_t from = text.find_first_not_of(" \t\r"), to = text.find_last_not_of(" \t\r");

		return from == std::string::npos ? "" : text.substr(from, to - from + 1);
	}

	static bool
	is_one_of(const std::string &what, std::initializer_list<const char *> known)
	{
		for (const char *one : known)
			if (what == one)
				return true;
		return false;
	}

	/* Takes the first word of the line. */
	static std::string
	word(std::string &line)
	{
		size_t end = 0;
		std::string first;

		while (end < line.size() && (isalnum((unsigned char)line[end]) || strchr("._$", line[end])))
			first += (char)tolower((unsigned char)line[end++]);
		line = trim(line.substr(end));
		return first;
	}

	void
	statement(std::string line)
	{
		line = trim(line);
		for (;;) { /* labels */
			size_t end = 0;

			while (end < line.size() && (isalnum((unsigned char)line[end]) || strchr("._$%=", line[end])))
				end++;
			if (!end || end >= line.size() || line[end] != ':' || line.compare(0, 2, "%%") == 0)
				break;
			line = trim(line.substr(end + 1));
		}
		if (line.empty())
			return;
		if (line[0] == '.') {
			directive(line);
			return;
		}
		if (elsewhere)
			return;
		instructions++;
		for (;;) {
			std::string first = word(line);

			if (first.empty()) { /* the text begins with an operand, or with something that is not known here */
				opaque = true;
				return;
			}
			if (first == "lock") {
				locked = true;
			} else if (first.compare(0, 3, "rep") == 0 && first.size() <= 5) {
				repeated = true;
			} else if (is_one_of(first, {"xacquire", "xrelease", "bnd", "notrack", "data16", "data32", "addr32",
						     "cs", "ds", "es", "fs", "gs", "ss", "rex64", "wait"})) {
				segment |= first == "fs" || first == "gs";
			} else {
				instruction(first, arguments(line));
				locked = repeated = segment = false;
				count++;
				return;
			}
			if (line.empty())
				return; /* "lock;": it is for the next one */
		}
	}

	void
	directive(const std::string &line)
	{
		std::string rest = line, name = word(rest);

		if (is_one_of(name, {".pushsection", ".section", ".data", ".bss", ".rodata"}))
			elsewhere = name != ".section" || rest.compare(0, 5, ".text") != 0;
		else if (is_one_of(name, {".popsection", ".previous", ".text"}))
			elsewhere = false;
		else if (!elsewhere && is_one_of(name, {".byte", ".value", ".short", ".word", ".hword", ".long", ".int", ".quad",
							".octa", ".2byte", ".4byte", ".8byte", ".insn", ".inst", ".macro",
							".rept", ".irp", ".include", ".incbin", ".intel_syntax"}))
			opaque = true; /* instructions by their numbers, or by other words */
	}

	static std::vector<std::string>
	arguments(const std::string &line)
	{
		std::vector<std::string> all;
		int depth = 0;

		if (line.empty())
			return all;
		all.emplace_back();
		for (char c : line) {
			depth += c == '(';
			depth -= c == ')';
			if (c == ',' && !depth)
				all.emplace_back();
			else
				all.back() += c;
		}
		for (std::string &one : all)
			one = trim(one);
		return all;
	}

	/* ---- instructions ---- */

	/* "addl" is add, of 4 bytes. */
	static bool
	is(const std::string &name, const char *base, unsigned *size)
	{
		size_t length = strlen(base);
		static const char letters[] = "bwlq";

		if (name.compare(0, length, base) != 0)
			return false;
		if (name.size() == length)
			return true;
		const char *letter = name.size() == length + 1 ? strchr(letters, name[length]) : NULL;

		if (!letter)
			return false;
		*size = 1u << (letter - letters);
		return true;
	}

	static bool
	is_any(const std::string &name, std::initializer_list<const char *> bases, unsigned *size)
	{
		for (const char *base : bases)
			if (is(name, base, size))
				return true;
		return false;
	}

	/* Of vectors: what the name says. */
	static unsigned
	vector_size(const std::string &name)
	{
		std::string base = name[0] == 'v' ? name.substr(1) : name;

		if (is_one_of(base, {"movss", "movd"}))
			return 4;
		if (is_one_of(base, {"movsd", "movlps", "movhps", "movlpd", "movhpd"}))
			return 8;
		return 0;
	}

	/* How the last argument is accessed; the others are read. -1: as its constraint says. */
	int
	destination(const std::string &name, size_t arguments, unsigned *size)
	{
		if (name == "cmpxchg16b" || name == "cmpxchg8b") {
			*size = name == "cmpxchg8b" ? 8 : 16;
			return READS | WRITES;
		}
		if (is_any(name, {"add", "sub", "and", "or", "xor", "adc", "sbb", "inc", "dec", "neg", "not", "xadd", "xchg",
				  "cmpxchg", "bts", "btr", "btc", "shl", "shr", "sal", "sar", "rol", "ror", "rcl", "rcr",
				  "shld", "shrd"},
			   size))
			return READS | WRITES;
		if (is_any(name, {"cmp", "test", "bt", "push", "div", "idiv", "mul"}, size))
			return READS;
		if (is(name, "imul", size))
			return arguments == 1 ? READS : READS | WRITES;
		if (is_any(name, {"mov", "movnti", "pop", "movbe", "movabs"}, size))
			return WRITES;
		if (name.size() == 6 && (name.compare(0, 4, "movz") == 0 || name.compare(0, 4, "movs") == 0)) {
			*size = name[4] == 'b' ? 1 : name[4] == 'w' ? 2 : 4;
			return WRITES;
		}
		if (name.compare(0, 3, "set") == 0) {
			*size = 1;
			return WRITES;
		}
		if (name.compare(0, 4, "cmov") == 0)
			return READS | WRITES;
		*size = vector_size(name);
		if (name.compare(0, 3, "mov") == 0 || name.compare(0, 4, "vmov") == 0)
			return WRITES;
		return -1;
	}

	static bool
	touches_nothing(const std::string &name)
	{
		return name.compare(0, 8, "prefetch") == 0 || name.compare(0, 3, "lea") == 0 || name.compare(0, 3, "nop") == 0 ||
		       name.compare(0, 7, "clflush") == 0 || is_one_of(name, {"clwb", "cldemote", "ud2", "hlt"});
	}

	static bool
	branches(const std::string &name)
	{
		return name[0] == 'j' || name.compare(0, 4, "loop") == 0 || name == "xbegin";
	}

	/* Accesses what a register points to that is no argument. */
	bool
	string_instruction(const std::string &name, size_t arguments)
	{
		unsigned size = 0;

		if (arguments && is_one_of(name, {"movsd", "cmpsd", "movsbl", "movswl", "movslq"}))
			return false;
		if (is(name, "movs", &size) || name == "movsd") {
			string_access('S', READS, size ? size : 4);
			string_access('D', WRITES, size ? size : 4);
		} else if (is(name, "stos", &size) || name == "stosd") {
			string_access('D', WRITES, size ? size : 4);
		} else if (is(name, "lods", &size)) {
			string_access('S', READS, size);
		} else if (is(name, "scas", &size) || is(name, "cmps", &size) || is(name, "ins", &size) ||
			   is(name, "outs", &size) || name.compare(0, 4, "xlat") == 0 ||
			   name.find("maskmov") != std::string::npos ||
			   is_one_of(name, {"clzero", "monitor", "umonitor", "monitorx", "movdir64b", "enqcmd"})) {
			implicit = true;
		} else {
			return false;
		}
		return true;
	}

	int
	in_register(char letter) const
	{
		for (size_t i = 0; i < operands.size(); i++)
			if (operands[i].fixed == letter && operands[i].reads)
				return (int)i;
		return -1;
	}

	void
	string_access(char letter, unsigned how, unsigned size)
	{
		access a;

		a.operand = in_register(letter);
		a.times = repeated ? in_register('c') : -1;
		if (a.operand < 0 || (repeated && a.times < 0) || count || !size) {
			implicit = true; /* what was in the registers before is not known */
			return;
		}
		a.through = true;
		a.size = size;
		a.how = how;
		result.accesses.push_back(a);
	}

	void
	instruction(const std::string &name, const std::vector<std::string> &arguments)
	{
		unsigned size = 0;
		int how;

		if (name == "mfence" || name == "serialize" || (name == "cpuid" && clobbers)) {
			result.fence = __ATOMIC_SEQ_CST;
			return;
		}
		if (name == "lfence" || name == "sfence") {
			int kind = name == "lfence" ? __ATOMIC_ACQUIRE : __ATOMIC_RELEASE;

			result.fence = result.fence && result.fence != kind ? __ATOMIC_SEQ_CST : kind;
			return;
		}
		if (name == "syscall") /* the engine catches it (dispatch.c) */
			return;
		if (is_one_of(name, {"sysenter", "int"})) {
			result.unseen = true; /* what the kernel does is not seen */
			return;
		}
		if (touches_nothing(name) || string_instruction(name, arguments.size()))
			return;
		if (name.compare(0, 4, "call") == 0 || name.compare(0, 3, "ret") == 0) {
			result.unseen |= clobbers;
			return;
		}
		if (branches(name)) {
			for (const std::string &one : arguments)
				if (one[0] == '*')
					argument(one.substr(1), READS, 8, name, -1);
			return;
		}
		how = destination(name, arguments.size(), &size);
		if (!size)
			size = by_registers(arguments);
		for (size_t i = 0; i < arguments.size(); i++) {
			bool last = i + 1 == arguments.size();
			bool both = is(name, "xchg", &size) || (is(name, "xadd", &size) && last);
			int bit = -1;

			if (last && arguments.size() == 2 && name.compare(0, 2, "bt") == 0)
				bit = value(arguments[0]);
			argument(arguments[i], both ? READS | WRITES : last ? how : how < 0 ? -1 : READS, size, name, bit);
		}
	}

	/* The operand that an argument is, if that is a value; -1: it is not. */
	int
	value(const std::string &text) const
	{
		int number;
		char modifier;

		return reference(text, &number, &modifier) && !operands[(size_t)number].memory ? number : -1;
	}

	/* "%k1" */
	bool
	reference(const std::string &text, int *number, char *modifier) const
	{
		size_t i = 1;

		*modifier = 0;
		if (text.size() < 2 || text[0] != '%')
			return false;
		if (isalpha((unsigned char)text[i]))
			*modifier = text[i++];
		if (i >= text.size() || !isdigit((unsigned char)text[i]))
			return false;
		*number = atoi(text.c_str() + i);
		while (i < text.size() && isdigit((unsigned char)text[i]))
			i++;
		return i == text.size() && (size_t)*number < operands.size();
	}

	/* The width of the registers among the arguments is that of the memory. */
	unsigned
	by_registers(const std::vector<std::string> &arguments) const
	{
		for (const std::string &one : arguments) {
			int number;
			char modifier;

			if (one.compare(0, 2, "%%") == 0 && one.find(':') == std::string::npos) {
				std::string name = one.substr(2);

				if (name.compare(0, 3, "xmm") == 0)
					return 16;
				if (name.compare(0, 3, "ymm") == 0)
					return 32;
				if (name.compare(0, 3, "zmm") == 0)
					return 64;
				if (name[0] == 'e' || (name[0] == 'r' && name.back() == 'd'))
					return 4;
				if (name[0] == 'r')
					return name.back() == 'b' ? 1 : name.back() == 'w' ? 2 : 8;
				return name.back() == 'l' || name.back() == 'h' ? 1 : 2;
			}
			if (!reference(one, &number, &modifier) || operands[(size_t)number].memory || modifier == 'a')
				continue;
			switch (modifier) {
			case 'b':
			case 'h':
				return 1;
			case 'w':
				return 2;
			case 'k':
				return 4;
			case 'q':
				return 8;
			case 'x':
				return 16;
			case 't':
				return 32;
			case 'g':
				return 64;
			}
		}
		for (const std::string &one : arguments) {
			int number;
			char modifier;

			if (reference(one, &number, &modifier) && !operands[(size_t)number].memory && !modifier &&
			    operands[(size_t)number].writes)
				return operands[(size_t)number].size; /* not of a constant */
		}
		for (const std::string &one : arguments) {
			int number;
			char modifier;

			if (reference(one, &number, &modifier) && operands[(size_t)number].memory)
				return 0; /* it has one itself */
		}
		for (const std::string &one : arguments) {
			int number = value(one);

			if (number >= 0)
				return operands[(size_t)number].size;
		}
		return 0;
	}

	/* how: -1 if only a constraint can say. */
	void
	argument(const std::string &text, int how, unsigned size, const std::string &name, int bit)
	{
		int number;
		char modifier;
		access a;

		if (text.empty() || text[0] == '$' || segment)
			return;
		a.size = size;
		a.bit = bit;
		if (reference(text, &number, &modifier)) {
			const operand &o = operands[(size_t)number];

			a.operand = number;
			a.through = modifier == 'a';
			a.offset = modifier == 'H' ? 8 : 0;
			if (modifier == 'l' || modifier == 'c' || modifier == 'P' || modifier == 'p' || (!o.memory && !a.through))
				return;
			if (how < 0)
				how = (o.reads ? READS : 0) | (o.writes ? WRITES : 0);
			note(a, how, name);
			return;
		}

		size_t open = text.find('(');

		if (open == std::string::npos) {
			/* a register, or a variable by its name */
			bool is_register = text.compare(0, 2, "%%") == 0 && text.find(':') == std::string::npos;

			if (!is_register && text.compare(0, 2, "%%") != 0)
				result.unseen = true;
			return;
		}

		std::string before = trim(text.substr(0, open)), inside = text.substr(open + 1);
		char *end;

		if (before.compare(0, 2, "%%") == 0) /* %%fs:8(…): of the thread itself */
			return;
		inside = trim(inside.substr(0, inside.find(')')));
		if (is_one_of(inside, {"%%rsp", "%%esp", "%%rbp", "%%ebp"})) {
			if (locked)
				result.fence = __ATOMIC_SEQ_CST;
			return;
		}
		a.offset = strtol(before.c_str(), &end, 0);
		if (*end || !reference(inside, &number, &modifier) || operands[(size_t)number].memory || how < 0 ||
		    (modifier && modifier != 'q') || !size) {
			result.unseen = true;
			return;
		}
		a.operand = number;
		a.through = true;
		note(a, how, name);
	}

	void
	note(access a, int how, const std::string &name)
	{
		unsigned size = 0;
		bool swaps = is(name, "cmpxchg", &size);

		if (locked || is(name, "xchg", &size))
			how = READS | WRITES | LOCKED | (swaps && !count ? SWAPS : 0);
		for (access &known : result.accesses)
			if (known.operand == a.operand && known.through == a.through && known.offset == a.offset && known.times < 0) {
				known.how |= (unsigned)how & ~SWAPS;
				known.how &= ~SWAPS; /* what several instructions find is not known */
				if (a.size > known.size)
					known.size = a.size;
				return;
			}
		a.how = (unsigned)how;
		result.accesses.push_back(a);
	}

	/* ---- at the end ---- */

	/* What the text does not mention, and some instruction accesses by registers. */
	void
	unmentioned()
	{
		bool any = false;

		for (size_t i = 0; i < operands.size(); i++) {
			access a;
			bool known = !operands[i].memory;

			for (const access &one : result.accesses)
				known |= one.operand == (int)i && !one.through;
			if (known)
				continue;
			a.operand = (int)i;
			a.how = (operands[i].reads ? READS : 0) | (operands[i].writes ? WRITES : 0);
			if (a.how)
				result.accesses.push_back(a);
			any = true;
		}
		result.unseen |= !any;
	}

	/* The text is not understood: each operand in memory is accessed as its constraint says. */
	void
	by_constraints(const std::string &text)
	{
		bool lock = text.find("lock") != std::string::npos || text.find("xchg") != std::string::npos;

		result.accesses.clear();
		for (size_t i = 0; i < operands.size(); i++) {
			access a;

			a.operand = (int)i;
			a.how = (operands[i].reads ? READS : 0) | (operands[i].writes ? WRITES : 0);
			if (!operands[i].memory || !a.how)
				continue;
			if (lock && (a.how & WRITES))
				a.how = READS | WRITES | LOCKED;
			result.accesses.push_back(a);
		}
		result.unseen |= clobbers;
	}

	void
	finish(access &a)
	{
		if (!a.size)
			a.size = operands[(size_t)a.operand].size;
		if (a.how & LOCKED)
			a.how |= ATOMIC;
		else if (clobbers && a.times < 0 && a.size && a.size <= 8 && !(a.size & (a.size - 1)))
			a.how |= ATOMIC;
	}

	const std::vector<operand> &operands;
	bool clobbers;
	meaning result;
	bool opaque = false;
	bool implicit = false;                               /* some instruction goes by registers that are not known */
	bool elsewhere = false;                              /* in another section */
	bool locked = false, repeated = false, segment = false; /* prefixes of the next instruction */
	int count = 0, instructions = 0;
};

} // namespace assembly

#endif
