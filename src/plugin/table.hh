/*
 * The table of sites of one compiled file, as the plugin collects it, and its bytes (source/table_format.h). For
 * both compilers; it depends on neither.
 */
#ifndef SL_PLUGIN_TABLE_HH
#define SL_PLUGIN_TABLE_HH

#include "source/table_records.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "accessed.hh"
#include "function_bodies.hh"

namespace table {

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

/* A contribution, but for its runs. */
struct contribution {
	std::string body; /* empty: there was no memory */
	size_t numbers = 0;

	/* Assembler text. The size of the whole and the place in .debug_info are what the assembler can compute. */
	std::string text(enum table_join join, const std::string &size, const std::string &info) const
	{
		return "\t.ascii\t\"" TABLE_MAGIC "\"\n\t.long\t" + size + "\n\t.byte\t" +
		       std::to_string(TABLE_VERSION) + "," + std::to_string(join) + "\n\t.short\t" +
		       std::to_string(sl_coder_sum(body.data(), body.size())) + "\n\t.long\t" + info + "," +
		       std::to_string(body.size()) + "," + std::to_string(numbers) + "\n" + as_text(body);
	}
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

	contribution finish()
	{
		struct sl_records all = {};
		struct sl_coder plain, packed;
		contribution made;

		fill(all);
		/* to have them counted */
		sl_coder_write(&plain, true, 0);
		sl_records_code(&all, &plain);
		sl_coder_write(&packed, false, plain.numbers);
		sl_records_code(&all, &packed);
		sl_coder_finish(&packed);
		if (!plain.bad && !packed.bad) {
			made.body.assign((const char *)packed.bytes, packed.size);
			made.body.append(plain.numbers / TABLE_NUMBERS_PER_BYTE > made.body.size()
						 ? plain.numbers / TABLE_NUMBERS_PER_BYTE - made.body.size()
						 : 0,
					 '\0');
			made.numbers = plain.numbers;
		}
		sl_coder_release(&plain);
		sl_coder_release(&packed);
		sl_records_release(&all);
		return made;
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
	}

	template <typename record> static record &added(struct sl_record_list &to)
	{
		return *static_cast<record *>(sl_records_add(&to, sizeof(record)));
	}

	uint32_t number_of(struct sl_records &to, const object &o)
	{
		auto known = object_numbers.emplace(o, object_numbers.size());

		if (known.second) {
			auto &record = added<struct sl_record_object>(to.objects);
			unsigned at = 0;

			record.kind = o.kind;
			for (const std::string *text :
			     {&o.variable, &o.scope, &o.container, &o.path, &o.holder, &o.member, &o.type})
				record.texts[at++] = string(*text);
		}
		return known.first->second;
	}

	void fill(struct sl_records &to)
	{
		const char *defined = getenv("SLEAVE_CC_MACROS"); /* see src/cli/cc/cc.c */

		to.file = string(file);
		to.directory = string(directory);
		to.compiler = string(compiler);
		to.macros = string(defined ? defined : "");
		for (const function &f : functions)
			added<struct sl_record_function>(to.functions) = {string(f.name), string(f.linkage),
									  string(f.at.file), f.at.line, f.taken};
		for (const frame &f : frames)
			added<struct sl_record_frame>(to.frames) = {f.function, (uint32_t)(f.outer + 1),
								    string(f.call.file), f.call.line,
								    f.call.column};
		for (const code &c : codes)
			fill_code(to, c);
		find_points();
		for (const site &s : sites)
			fill_site(to, s);
		for (const std::vector<unsigned> &run : runs) {
			added<uint32_t>(to.runs) = (uint32_t)run.size();
			for (unsigned site : run)
				added<uint32_t>(to.run_sites) = site;
		}
		for (const std::string *text : strings) {
			added<uint32_t>(to.strings) = (uint32_t)to.characters.count;
			for (size_t i = 0; i <= text->size(); i++)
				added<char>(to.characters) = text->c_str()[i];
		}
	}

	void fill_site(struct sl_records &to, const site &s)
	{
		unsigned function = frames[s.frame].function;
		auto &record = added<struct sl_record_site>(to.sites);
		auto point = points_of.find({function, s.at.line, s.at.column, s.flags & ACCESS, &s.what});

		record.frame = s.frame;
		if (point != points_of.end() && point->second->at.file == s.at.file) {
			record.flags = (s.flags & ~ACCESS) | TABLE_AS_POINT;
			record.point = (uint32_t)(point->second - codes[code_numbers[function]].points.data());
		} else {
			record.flags = s.flags;
			record.file = string(s.at.file);
			record.line = s.at.line;
			record.column = s.at.column;
		}
		record.object = number_of(to, s.what);
		record.size = s.size;
		record.text = text(s.text, s.what, record.ending);
	}

	/* A text mostly ends with what the object says already. Returns what stands before it. */
	uint32_t text(const std::string &whole, const object &o, uint32_t &ending)
	{
		ending = TABLE_ENDS_AS_WRITTEN;
		for (const std::string *end : {&o.path, &o.variable})
			if (!end->empty() && whole.size() >= end->size() &&
			    !whole.compare(whole.size() - end->size(), end->size(), *end)) {
				ending = end == &o.path ? TABLE_ENDS_WITH_PATH : TABLE_ENDS_WITH_VARIABLE;
				return string(whole.substr(0, whole.size() - end->size()));
			}
		return string(whole);
	}

	std::map<same_place, const point *> points_of;

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

	void fill_code(struct sl_records &to, const code &c)
	{
		unsigned begin = functions[c.function].at.line;
		uint64_t hash = whole_hash(c);
		auto &record = added<struct sl_record_code>(to.codes);

		record.function = c.function;
		record.flags = c.flags | (hash == c.own_hash ? 0 : TABLE_TWO_HASHES);
		record.lines = c.last_line > begin ? c.last_line - begin : 0;
		record.type = string(c.type);
		record.class_name = string(c.class_name);
		record.hash = hash;
		record.own_hash = c.own_hash;
		record.point_count = (uint32_t)c.points.size();
		record.region_count = (uint32_t)c.regions.size();
		record.slice_count = (uint32_t)c.slices.size();
		for (const point &p : c.points) {
			uint32_t object = p.has_object ? number_of(to, p.what) + 1 : 0;

			added<struct sl_record_point>(to.points) = {p.flags,
								    p.call,
								    string(p.at.file),
								    p.at.line,
								    p.at.column,
								    (uint32_t)(p.callee + 1),
								    object,
								    p.call & TABLE_CALL_POINTER ? string(p.type)
												: 0,
								    {}};
		}
		for (const region &r : c.regions) {
			uint32_t object = number_of(to, r.what.what), ending,
				 prefix = text(r.what.text, r.what.what, ending);

			added<struct sl_record_region>(to.regions) = {r.flags,
								      object,
								      prefix,
								      ending,
								      (uint32_t)r.lines.size(),
								      (uint32_t)r.points.size()};
			for (const auto &[file, first, last] : r.lines)
				added<struct sl_record_lines>(to.lines) = {string(file), first, last};
			for (unsigned point : r.points)
				added<uint32_t>(to.region_points) = point;
		}
		fill_slices(to, c);
	}

	/* Many slices have the same sources: each set is there once. */
	void fill_slices(struct sl_records &to, const code &c)
	{
		std::map<std::vector<unsigned>, unsigned> numbers;

		for (const slice &s : c.slices) {
			auto found = numbers.emplace(s.sources, numbers.size());

			if (found.second) {
				added<uint32_t>(to.sets) = (uint32_t)s.sources.size();
				for (unsigned source : s.sources)
					added<uint32_t>(to.sources) = source;
			}
			added<struct sl_record_slice>(
				to.slices) = {s.kind | s.flags,
					      s.kind == TABLE_SLICE_BRANCH ? string(s.at.file) : 0,
					      s.at.line,
					      s.at.column,
					      s.point,
					      s.argument,
					      found.first->second};
		}
	}

	std::map<unsigned, const code *> code_of;
	std::map<unsigned, size_t> code_numbers;
	unsigned string(const std::string &text)
	{
		auto found = string_numbers.emplace(text, string_numbers.size());

		if (found.second)
			strings.push_back(&found.first->first);
		return found.first->second;
	}

	std::vector<const std::string *> strings;
	std::unordered_map<std::string, unsigned> string_numbers;
	std::map<object, unsigned> object_numbers;
	std::vector<function> functions;
	std::unordered_map<std::string, size_t> function_numbers;
	std::vector<frame> frames;
	std::map<std::tuple<unsigned, int, unsigned, unsigned>, size_t> frame_numbers;
};

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
