/*
 * The table of sites of one compiled file, as the plugin collects it, and its bytes (source/table_format.h). For
 * both compilers; it depends on neither.
 */
#ifndef SL_PLUGIN_TABLE_HH
#define SL_PLUGIN_TABLE_HH

#include "source/table_format.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <zstd.h>

#include "accessed.hh"
#include "function_bodies.hh"

namespace table {

constexpr int PACK_LEVEL = 12; /* higher levels take longer than they save (measured) */

/* A function; or, with `outer`, a place where it was inlined. */
struct frame {
	unsigned function = 0;
	int outer = -1;
	position call;
};

struct function {
	std::string name, linkage; /* linkage: "" if it equals the name */
	position at;
	bool local = false; /* known in this file alone */
	bool taken = false; /* its address is */
};

struct site {
	unsigned flags = 0;
	unsigned frame = 0;
	position at;
	unsigned size = 0;
	std::string text;
	object what;
};

class bytes {
      public:
	std::string data;

	void u(uint64_t number)
	{
		do {
			unsigned char byte = number & 0x7f;

			number >>= 7;
			data += (char)(number ? byte | 0x80 : byte);
		} while (number);
	}
	void s(int64_t number)
	{
		for (bool more = true; more;) {
			unsigned char byte = number & 0x7f;

			number >>= 7;
			more = !((number == 0 && !(byte & 0x40)) || (number == -1 && (byte & 0x40)));
			data += (char)(more ? byte | 0x80 : byte);
		}
	}
	/* Of a hash so many bytes that two functions have the same once in a million million times. */
	void hash(uint64_t number)
	{
		for (unsigned i = 0; i < TABLE_HASH; i++)
			data += (char)(number >> 8 * i & 0xff);
	}
	void fixed32(uint32_t number)
	{
		for (unsigned i = 0; i < 4; i++)
			data += (char)(number >> 8 * i & 0xff);
	}
};

/* The records of a part, field by field. */
class columns {
      public:
	bytes &operator[](unsigned column)
	{
		return of[column];
	}

	std::string all() const
	{
		bytes to;
		unsigned count = TABLE_COLUMNS;

		while (count && of[count - 1].data.empty())
			count--;
		to.u(count);
		for (unsigned i = 0; i < count; i++)
			to.u(of[i].data.size());
		for (unsigned i = 0; i < count; i++)
			to.data += of[i].data;
		return to.data;
	}

      private:
	bytes of[TABLE_COLUMNS];
};

class unit {
      public:
	unit()
	{
		string("");
	}

	unsigned add_function(const function &f)
	{
		/* a static function of C has no other name, and another file's header may have the same one */
		auto found =
			function_numbers.emplace(f.linkage.empty() ? f.name + (f.local ? "\n" + f.at.file : "")
								   : f.linkage,
						 functions.size());

		if (found.second)
			functions.push_back(f);
		return (unsigned)found.first->second;
	}

	/* Another file may have the body. */
	void take_address(unsigned function)
	{
		functions[function].taken = true;
	}

	/*
	 * Adds the code of a function. Of the variants of a constructor, the one with the most code stands for
	 * all.
	 */
	void add_code(const code &c, const position &at)
	{
		functions[c.function].at = at;

		auto found = code_numbers.emplace(c.function, codes.size());

		if (found.second)
			codes.push_back(c);
		else if (codes[found.first->second].points.size() < c.points.size())
			codes[found.first->second] = c;
	}

	unsigned add_frame(const frame &f)
	{
		auto key = std::make_tuple(f.function, f.outer, f.outer < 0 ? 0 : f.call.line,
					   f.outer < 0 ? 0 : f.call.column);
		auto found = frame_numbers.emplace(key, frames.size());

		if (found.second)
			frames.push_back(f);
		return (unsigned)found.first->second;
	}

	/* Returns the site's number. The sites of a statement that reads and writes are added in this order. */
	unsigned add_site(const site &s)
	{
		sites.push_back(s);
		return (unsigned)sites.size() - 1;
	}

	bool empty() const
	{
		return sites.empty() && codes.empty() &&
		       std::none_of(functions.begin(), functions.end(), [](const function &f) { return f.taken; });
	}

	/* The body, of which the first bytes (`texts`) are those of strings. */
	std::string body(size_t &texts)
	{
		columns of_functions, of_frames, of_objects, of_sites;
		bytes all;
		std::map<object, unsigned> numbers;
		std::vector<const object *> objects;
		unsigned line = 0;

		for (const function &f : functions) {
			of_functions[TABLE_FUNCTION_NAME].u(string(f.name));
			of_functions[TABLE_FUNCTION_LINKAGE].u(string(f.linkage));
			of_functions[TABLE_FUNCTION_FILE].u(string(f.at.file));
			of_functions[TABLE_FUNCTION_LINE].u((uint64_t)f.at.line * 2 + f.taken);
		}
		for (const frame &f : frames) {
			of_frames[TABLE_FRAME_FUNCTION].u(f.function);
			of_frames[TABLE_FRAME_OUTER].u((unsigned)(f.outer + 1));
			if (f.outer >= 0) {
				of_frames[TABLE_FRAME_FILE].u(string(f.call.file));
				of_frames[TABLE_FRAME_PLACE].u(f.call.line);
				of_frames[TABLE_FRAME_PLACE].u(f.call.column);
			}
		}
		columns of_code, of_runs;
		auto number_of = [&](const object &o) {
			auto known = numbers.emplace(o, objects.size());

			if (known.second)
				objects.push_back(&known.first->first);
			return known.first->second;
		};

		for (const code &c : codes)
			add_code(of_code, c, number_of);
		find_points();
		for (const site &s : sites) {
			unsigned function = frames[s.frame].function;
			bool elsewhere = s.at.file != functions[function].at.file;
			auto point = points_of.find({function, s.at.line, s.at.column, s.flags & ACCESS, &s.what});

			if (point != points_of.end() && point->second->at.file == s.at.file) {
				unsigned number =
					(unsigned)(point->second - codes[code_numbers[function]].points.data());

				of_sites[TABLE_SITE_FLAGS].u((s.flags & ~ACCESS) | TABLE_AS_POINT);
				of_sites[TABLE_SITE_FRAME].u(s.frame);
				of_sites[TABLE_SITE_POINT].s((int64_t)number - (int64_t)behind[s.frame]);
				behind[s.frame] = number + 1;
			} else {
				of_sites[TABLE_SITE_FLAGS].u(s.flags | (elsewhere ? TABLE_FILE : 0));
				of_sites[TABLE_SITE_FRAME].u(s.frame);
				if (elsewhere)
					of_sites[TABLE_SITE_PLACE].u(string(s.at.file));
				of_sites[TABLE_SITE_PLACE].s((int64_t)s.at.line - (int64_t)line);
				line = s.at.line;
				of_sites[TABLE_SITE_PLACE].u(s.at.column);
				of_sites[TABLE_SITE_PLACE].u(number_of(s.what));
			}
			of_sites[TABLE_SITE_SIZE].u(s.size);
			of_sites[TABLE_SITE_TEXT].u(text(s.text, s.what));
		}
		for (const std::vector<unsigned> &run : runs) {
			unsigned before = 0;

			of_runs[TABLE_RUN_LENGTH].u(run.size());
			for (unsigned site : run) {
				of_runs[TABLE_RUN_SITE].s((int64_t)site - (int64_t)before);
				before = site + 1;
			}
		}

		for (const object *o : objects) {
			unsigned column = TABLE_OBJECT_VARIABLE;

			of_objects[TABLE_OBJECT_KIND].u(o->kind);
			for (const std::string *text :
			     {&o->variable, &o->scope, &o->container, &o->path, &o->holder, &o->member, &o->type})
				of_objects[column++].u(string(*text));
		}
		columns of_strings, of_unit, of_slices;
		size_t sliced = 0;

		for (const code &c : codes)
			if (!c.slices.empty()) {
				add_slices(of_slices, c);
				sliced++;
			}

		const char *defined = getenv("SLEAVE_CC_MACROS"); /* see src/cli/cc/cc.c */

		for (const std::string &text : {file, directory, compiler, std::string(defined ? defined : "")})
			of_unit[TABLE_UNIT_TEXT].u(string(text));
		of_strings[TABLE_STRING_BYTES].data = strings;
		part(all, TABLE_STRINGS, string_numbers.size(),
		     of_strings); /* each part refers only to earlier ones */
		texts = all.data.size();
		part(all, TABLE_UNIT, 1, of_unit);
		part(all, TABLE_FUNCTIONS, functions.size(), of_functions);
		part(all, TABLE_FRAMES, frames.size(), of_frames);
		part(all, TABLE_OBJECTS, objects.size(), of_objects);
		part(all, TABLE_CODE, codes.size(), of_code);
		part(all, TABLE_SITES, sites.size(), of_sites);
		part(all, TABLE_RUNS, runs.size(), of_runs);
		part(all, TABLE_SLICES, sliced, of_slices);
		return all.data;
	}

	const function &function_at(unsigned number) const
	{
		return functions[number];
	}

	std::vector<site> sites;
	std::vector<std::vector<unsigned>> runs; /* TABLE_BY_PC: the sites, in the order of the code */
	std::vector<code> codes;
	std::string file, directory, compiler;

      private:
	static constexpr unsigned ACCESS = TABLE_READS | TABLE_WRITES | TABLE_ATOMIC | TABLE_CALL;

	/* Most sites are where a point is, and say the same. */
	struct same_place {
		unsigned function, line, column, access;
		const object *what;

		bool operator<(const same_place &o) const
		{
			return std::tie(function, line, column, access, *what) <
			       std::tie(o.function, o.line, o.column, o.access, *o.what);
		}
	};

	void find_points()
	{
		for (const code &c : codes)
			for (const point &p : c.points)
				if (p.has_object)
					points_of.emplace(same_place{c.function, p.at.line, p.at.column,
								     p.flags & ACCESS, &p.what},
							  &p);
		behind.resize(frames.size());
	}

	/* A text mostly ends with what the object says already. */
	unsigned text(const std::string &whole, const object &o)
	{
		unsigned how = 0;

		for (const std::string *end : {&o.path, &o.variable}) {
			how++;
			if (!end->empty() && whole.size() >= end->size() &&
			    !whole.compare(whole.size() - end->size(), end->size(), *end))
				return string(whole.substr(0, whole.size() - end->size())) * 3 + how;
		}
		return string(whole) * 3;
	}

	std::map<same_place, const point *> points_of;
	std::vector<unsigned> behind; /* of each frame: the point that comes next */

	/* The hash of a function together with those of all functions that may be inlined into it. */
	uint64_t whole_hash(const code &c)
	{
		std::set<unsigned> reached;
		std::vector<const code *> todo = {&c};
		std::set<uint64_t> hashes;
		hasher all;

		if (code_of.empty())
			for (const code &one : codes)
				code_of.emplace(one.function, &one);
		while (!todo.empty()) {
			const code *one = todo.back();

			todo.pop_back();
			for (const point &p : one->points) {
				auto known = p.callee < 0 ? code_of.end() : code_of.find((unsigned)p.callee);

				if (known != code_of.end() && known->second->flags & TABLE_INLINED &&
				    known->second != &c && reached.insert(known->first).second) {
					hashes.insert(known->second->own_hash);
					todo.push_back(known->second);
				}
			}
		}
		if (hashes.empty() || !c.own_hash)
			return c.own_hash;
		all.add(c.own_hash);
		for (uint64_t hash : hashes)
			all.add(hash);
		return all.value();
	}

	template <typename numbering> void add_code(columns &to, const code &c, numbering number_of)
	{
		const position &begin = functions[c.function].at;
		uint64_t hash = whole_hash(c);
		unsigned line = begin.line;

		to[TABLE_CODE_FUNCTION].u(c.function);
		to[TABLE_CODE_FUNCTION].u(c.flags | (hash == c.own_hash ? 0 : TABLE_TWO_HASHES));
		to[TABLE_CODE_FUNCTION].u(c.last_line > begin.line ? c.last_line - begin.line : 0);
		to[TABLE_CODE_FUNCTION].u(string(c.type));
		to[TABLE_CODE_FUNCTION].u(string(c.class_name));
		to[TABLE_CODE_HASH].hash(c.own_hash);
		if (hash != c.own_hash)
			to[TABLE_CODE_HASH].hash(hash);
		to[TABLE_CODE_FUNCTION].u(c.points.size());
		for (const point &p : c.points) {
			bool elsewhere = p.at.file != begin.file;

			to[TABLE_POINT_FLAGS].u(p.flags | (elsewhere ? TABLE_FILE : 0) |
						(p.has_object ? TABLE_OF_OBJECT : 0));
			if (elsewhere)
				to[TABLE_POINT_REST].u(string(p.at.file));
			to[TABLE_POINT_LINE].s((int64_t)p.at.line - (int64_t)line);
			line = p.at.line;
			to[TABLE_POINT_COLUMN].u(p.at.column);
			if (p.flags & TABLE_CALL) {
				to[TABLE_POINT_CALL].u(p.call);
				to[TABLE_POINT_CALLEE].u((unsigned)(p.callee + 1));
				if (p.call & TABLE_CALL_POINTER)
					to[TABLE_POINT_REST].u(string(p.type));
			}
			if (p.has_object)
				to[TABLE_POINT_OBJECT].u(number_of(p.what));
		}
		to[TABLE_CODE_FUNCTION].u(c.regions.size());
		for (const region &r : c.regions) {
			unsigned before = 0;

			to[TABLE_REGION_FIELDS].u(r.flags);
			to[TABLE_REGION_FIELDS].u(number_of(r.what.what));
			to[TABLE_REGION_FIELDS].u(text(r.what.text, r.what.what));
			to[TABLE_REGION_FIELDS].u(r.lines.size());
			line = begin.line;
			for (const auto &[file, first, last] : r.lines) {
				bool elsewhere = file != begin.file;

				to[TABLE_REGION_FIELDS].u((last - first) * 2 + elsewhere);
				if (elsewhere)
					to[TABLE_REGION_FIELDS].u(string(file));
				to[TABLE_REGION_FIELDS].s((int64_t)first - (int64_t)line);
				line = last;
			}
			to[TABLE_REGION_FIELDS].u(r.points.size());
			for (unsigned point : r.points) {
				to[TABLE_REGION_POINTS].u(point - before);
				before = point;
			}
		}
	}

	/* Many slices have the same sources: each set is there once. */
	void add_slices(columns &to, const code &c)
	{
		std::map<std::vector<unsigned>, unsigned> numbers;
		unsigned line = functions[c.function].at.line, point = 0;

		to[TABLE_SLICED_FUNCTION].u(c.function);

		for (const slice &s : c.slices) {
			bool branch = s.kind == TABLE_SLICE_BRANCH;
			bool elsewhere = branch && s.at.file != functions[c.function].at.file;
			auto found = numbers.emplace(s.sources, numbers.size());

			if (found.second) {
				unsigned before = 0;

				to[TABLE_SET_SIZE].u(s.sources.size());
				for (unsigned source : s.sources) {
					to[TABLE_SET_SOURCE].u(source - before);
					before = source;
				}
			}
			to[TABLE_SLICED_KIND].u(s.kind | s.flags | (elsewhere ? TABLE_SLICE_FILE : 0));
			if (elsewhere)
				to[TABLE_SLICED_PLACE].u(string(s.at.file));
			if (branch) {
				to[TABLE_SLICED_PLACE].s((int64_t)s.at.line - (int64_t)line);
				to[TABLE_SLICED_COLUMN].u(s.at.column);
				line = s.at.line;
			} else if (s.kind != TABLE_SLICE_RESULT) {
				to[TABLE_SLICED_POINT].s((int64_t)s.point - (int64_t)point);
				point = s.point;
			}
			if (s.kind == TABLE_SLICE_ARGUMENT)
				to[TABLE_SLICED_ARGUMENT].u(s.argument);
			/* most are new: 0, or how far behind the last one it is */
			to[TABLE_SLICED_SET].u(found.second ? 0 : numbers.size() - found.first->second);
		}
		to[TABLE_SLICED_FUNCTION].u(numbers.size());
		to[TABLE_SLICED_FUNCTION].u(c.slices.size());
	}

	std::map<unsigned, const code *> code_of;
	std::map<unsigned, size_t> code_numbers;
	unsigned string(const std::string &text)
	{
		auto found = string_numbers.emplace(text, string_numbers.size());

		if (found.second) {
			strings += text;
			strings += '\0';
		}
		return found.first->second;
	}

	static void part(bytes &to, unsigned number, size_t count, columns &of)
	{
		std::string content;

		of[TABLE_COUNT].u(count);
		content = of.all();
		to.u(number);
		to.u(content.size());
		to.data += content;
	}

	std::string strings;
	std::unordered_map<std::string, unsigned> string_numbers;
	std::vector<function> functions;
	std::unordered_map<std::string, size_t> function_numbers;
	std::vector<frame> frames;
	std::map<std::tuple<unsigned, int, unsigned, unsigned>, size_t> frame_numbers;
};

/* Returns zstd frames, if they are smaller: one for the texts, which are at the beginning, and one for the numbers. */
inline std::string
packed(const std::string &body, size_t texts)
{
	std::string all;

	for (size_t i = 0; i < 2; i++) {
		const std::string of = i ? body.substr(texts) : body.substr(0, texts);
		std::string frame(ZSTD_compressBound(of.size()), '\0');
		size_t size = ZSTD_compress(&frame[0], frame.size(), of.data(), of.size(), PACK_LEVEL);

		if (ZSTD_isError(size))
			return body;
		all.append(frame, 0, size);
	}
	return all.size() < body.size() ? all : body;
}

/* Assembler text for bytes. */
inline std::string
as_text(const std::string &data)
{
	std::string text;

	for (size_t i = 0; i < data.size(); i++) {
		char octal[5];

		if (i % 64 == 0)
			text += i ? "\"\n\t.ascii \"" : "\t.ascii \"";
		snprintf(octal, sizeof(octal), "\\%03o", (unsigned char)data[i]);
		text += octal;
	}
	return data.empty() ? text : text + "\"\n";
}

/* A path of members within a type: "stats.count", "[].x". */
inline void
append_member(std::string &path, const std::string &name)
{
	if (!path.empty() && !name.empty() && name[0] != '[')
		path += '.';
	path += name;
}

/* Names of the compiler and its library: no program writes them. */
inline bool
is_reserved(const std::string &name)
{
	return name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/* A description that is extended step by step. */
struct description {
	std::string text; /* as the program would write it */
	object what;
	bool pointer = false; /* text is that of a pointer to it: a member is written with "->" */
	bool element = false; /* … to an element: the text has its index */

	/* A member of a type of that name; either may have none. */
	void member(const std::string &type, const std::string &name)
	{
		if (!name.empty() && !is_reserved(name)) {
			text += (text.empty() ? "" : pointer && !element ? "->" : ".") + name;
			pointer = element = false;
		}
		if (what.container.empty() && what.path.empty())
			what.container = type;
		if (!type.empty()) {
			what.holder = type;
			what.member.clear();
		}
		if (!name.empty()) {
			append_member(what.path, name);
			append_member(what.member, name);
		}
	}

	/* What a lambda has captured: the program writes the variable's name alone. */
	void capture(const std::string &name)
	{
		text = name;
		pointer = element = false;
	}

	void index(const std::string &number)
	{
		if (pointer && !element)
			text = "(*" + text + ")";
		pointer = element = false;
		text += "[" + number + "]";
		if (!what.path.empty())
			what.path += "[]";
		if (!what.member.empty())
			what.member += "[]";
	}

	/* Nothing more comes. */
	void finish()
	{
		if (pointer && !element && !text.empty())
			text = "*" + text;
		pointer = element = false;
	}
};

/* What a point is about, unless it is of the function alone. */
inline void
object_to(point &p, const description &d)
{
	unsigned kind = d.what.kind % TABLE_THREAD_LOCAL;

	if (kind == TABLE_UNKNOWN || ((kind == TABLE_LOCAL || kind == TABLE_PARAMETER) &&
				      (d.what.holder.empty() || d.what.variable.empty())))
		return;
	p.has_object = true;
	p.what = d.what;
}

/* What a method of the library is for: a member or variable. */
inline void
used_by(point &p, const description &d)
{
	if (!d.what.holder.empty() || !d.what.variable.empty())
		object_to(p, d);
}

} // namespace table

#endif
