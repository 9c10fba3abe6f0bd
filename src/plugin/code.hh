/*
 * What the functions of one compiled file do as they were written, before anything is inlined or optimised away: their points
 * (accesses and calls), the regions of locks, their hashes. What a compiler knows of a function's body it says as a graph of
 * blocks with steps; the rest is the same for both.
 */
#ifndef SL_PLUGIN_CODE_HH
#define SL_PLUGIN_CODE_HH

#include "source/table_format.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "object.hh"

namespace table {

/* A hash of what is put in, in that order. */
class hasher {
      public:
	void add(uint64_t number)
	{
		state ^= number + 0x9e3779b97f4a7c15 + (state << 6) + (state >> 2);
		state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
		state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
		state ^= state >> 31;
	}

	void add(const char *text, size_t size)
	{
		uint64_t sum = 0xcbf29ce484222325;

		for (size_t i = 0; i < size; i++)
			sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3;
		add(size);
		add(sum);
	}

	void add(const std::string &text)
	{
		add(text.data(), text.size());
	}

	/* 0 stands for "not known". */
	uint64_t value() const
	{
		return state ? state : 1;
	}

      private:
	uint64_t state = 0x5851f42d4c957f2d;
};

struct point {
	position at;
	unsigned flags = 0, call = 0;
	bool has_object = false;
	object what;
	int callee = -1; /* a function of the unit */
	std::string type;

	auto key() const
	{
		return std::tie(at.file, at.line, at.column, call, flags, callee, type, has_object, what);
	}
	bool operator<(const point &o) const
	{
		return key() < o.key();
	}
};

/* A lock: what is locked, as the program writes it. */
struct lock {
	object what;
	std::string text;

	bool same(const lock &o) const
	{
		return text == o.text && what.key() == o.what.key();
	}
	/* Of two that are reached through different pointers: may they be one? */
	bool alike(const lock &o) const
	{
		return what.holder == o.what.holder && what.member == o.what.member &&
		       (!what.holder.empty() || what.variable == o.what.variable);
	}
};

/* What a call does to locks. */
struct lock_call {
	enum { TAKES, GIVES, ADOPTS } kind = TAKES; /* ADOPTS: a guard gets a lock that is, or is not yet, taken */
	bool shared = false, tries = false;
	std::vector<lock> locks; /* none: those of the guard */
	std::string guard;       /* the variable that will give it back; "": none */
	int fails_in = -1, fails_to = -1; /* the edge that is taken if it was not successful: block, number of successor */
};

struct step {
	position at;
	bool quiet = false; /* made by the compiler: its line says nothing */
	int point = -1;     /* as it was added */
	int lock = -1;      /* number of a lock call */
};

struct block {
	std::vector<step> steps;
	std::vector<unsigned> next;
	bool returns = false;
};

/* The body of a function. */
struct body {
	std::vector<block> blocks; /* the first one is where it begins */
	std::vector<point> points;
	std::vector<lock_call> locks;
};

struct region {
	lock what;
	unsigned flags = 0;
	std::vector<std::tuple<std::string, unsigned, unsigned>> lines;
	std::vector<unsigned> points;
};

/* A function with a body, as it is written down. */
struct code {
	unsigned function = 0, last_line = 0, flags = 0;
	std::string type, class_name;
	uint64_t own_hash = 0;
	std::vector<point> points; /* in the order of the source */
	std::vector<region> regions;
};

/* Finds the regions of a body. */
class region_finder {
      public:
	explicit region_finder(const body &in) : in(in)
	{
		for (const lock_call &l : in.locks)
			if (!l.guard.empty())
				for (const lock &one : l.locks)
					guarded[l.guard].push_back(one);
		for (size_t b = 0; b < in.blocks.size(); b++)
			for (unsigned next : in.blocks[b].next)
				before.emplace(next, (unsigned)b);
	}

	std::vector<region> find()
	{
		for (size_t b = 0; b < in.blocks.size(); b++)
			for (size_t s = 0; s < in.blocks[b].steps.size(); s++)
				if (const lock_call *call = at(b, s); call && call->kind == lock_call::TAKES)
					for (const lock &one : locks_of(*call))
						taken(b, s, *call, one);
		for (size_t b = 0; b < in.blocks.size(); b++)
			for (size_t s = 0; s < in.blocks[b].steps.size(); s++)
				if (const lock_call *call = at(b, s); call && call->kind == lock_call::GIVES)
					for (const lock &one : locks_of(*call))
						if (!ends.count({b, s}))
							given(b, s, *call, one);
		return found;
	}

      private:
	using place = std::pair<size_t, size_t>; /* block, step */

	const lock_call *at(size_t b, size_t s) const
	{
		int number = in.blocks[b].steps[s].lock;

		return number < 0 ? nullptr : &in.locks[(size_t)number];
	}

	const std::vector<lock> &locks_of(const lock_call &call) const
	{
		static const std::vector<lock> none;

		if (!call.locks.empty() || call.guard.empty())
			return call.locks;

		auto known = guarded.find(call.guard);

		return known == guarded.end() ? none : known->second;
	}

	bool concerns(const lock_call &call, const lock &what, const std::string &guard, bool loose) const
	{
		if (!guard.empty() && call.guard == guard)
			return true;
		for (const lock &one : locks_of(call))
			if (one.same(what) || (loose && one.alike(what)))
				return true;
		return false;
	}

	void taken(size_t b, size_t s, const lock_call &call, const lock &what)
	{
		std::set<place> steps, stops;
		bool open = walk(b, s, call, what, false, steps, stops);

		if (stops.empty()) {
			std::set<place> other;
			bool still = walk(b, s, call, what, true, other, stops);

			if (!stops.empty()) {
				steps.swap(other);
				open = still;
			}
		}
		ends.insert(stops.begin(), stops.end());
		add(what, steps,
		    (open ? TABLE_OPEN_END : 0) | (call.shared ? TABLE_SHARED : 0) | (call.tries ? TABLE_TRIED : 0));
	}

	/* From behind the call on. Returns whether the function can end there with the lock. */
	bool walk(size_t b, size_t s, const lock_call &call, const lock &what, bool loose, std::set<place> &steps,
		  std::set<place> &stops) const
	{
		std::vector<bool> seen(in.blocks.size());
		std::vector<place> todo = {{b, s + 1}};
		bool open = false;

		steps.insert({b, s});
		while (!todo.empty()) {
			auto [block, step] = todo.back();
			bool ended = false;

			todo.pop_back();
			for (; step < in.blocks[block].steps.size() && !ended; step++) {
				const lock_call *other = at(block, step);

				if (other && other->kind == lock_call::TAKES && concerns(*other, what, "", false)) {
					ended = true; /* again: the way to there has given it back in a manner that is not seen */
					break;
				}
				steps.insert({block, step});
				if (other && other->kind == lock_call::GIVES &&
				    concerns(*other, what, call.guard, loose)) {
					stops.insert({block, step});
					ended = true;
				}
			}
			if (ended)
				continue;
			open |= in.blocks[block].returns;
			for (size_t i = 0; i < in.blocks[block].next.size(); i++) {
				unsigned next = in.blocks[block].next[i];

				if (call.fails_in == (int)block && call.fails_to == (int)i)
					continue;
				if (!seen[next])
					todo.push_back({next, 0});
				seen[next] = true;
			}
		}
		return open;
	}

	/* From the beginning of the function, or wherever else the lock may have come from, to the call. */
	void given(size_t b, size_t s, const lock_call &call, const lock &what)
	{
		std::vector<bool> seen(in.blocks.size());
		std::vector<place> todo = {{b, s}};
		std::set<place> steps = {{b, s}};
		bool open = false;

		while (!todo.empty()) {
			auto [block, step] = todo.back();
			bool ended = false;

			todo.pop_back();
			while (step-- > 0) {
				const lock_call *other = at(block, step);

				if (other && concerns(*other, what, call.guard, false) && other->kind != lock_call::ADOPTS) {
					ended = true;
					break;
				}
				steps.insert({block, step});
			}
			if (ended)
				continue;
			open |= block == 0;
			for (auto [from, to] = before.equal_range((unsigned)block); from != to; ++from) {
				if (!seen[from->second])
					todo.push_back({from->second, in.blocks[from->second].steps.size()});
				seen[from->second] = true;
			}
		}
		if (open)
			add(what, steps, TABLE_OPEN_START | (call.shared ? TABLE_SHARED : 0));
	}

	void add(const lock &what, const std::set<place> &steps, unsigned flags)
	{
		std::set<std::pair<std::string, unsigned>> lines, others;
		std::set<unsigned> points;
		region r;

		r.what = what;
		r.flags = flags;
		for (size_t b = 0; b < in.blocks.size(); b++)
			for (size_t s = 0; s < in.blocks[b].steps.size(); s++) {
				const step &one = in.blocks[b].steps[s];
				bool inside = steps.count({b, s});

				if (inside && one.point >= 0)
					points.insert((unsigned)one.point);
				if (!one.quiet && one.at.line)
					(inside ? lines : others).insert({one.at.file, one.at.line});
			}
		r.points.assign(points.begin(), points.end());
		/* lines without code, and what stands on several, are between those of the region */
		for (const auto &line : lines) {
			if (!r.lines.empty() && std::get<0>(r.lines.back()) == line.first) {
				auto between = others.upper_bound({line.first, std::get<2>(r.lines.back())});

				if (between == others.end() || !(*between < line)) {
					std::get<2>(r.lines.back()) = line.second;
					continue;
				}
			}
			r.lines.emplace_back(line.first, line.second, line.second);
		}
		if (!r.lines.empty())
			found.push_back(r);
	}

	const body &in;
	std::map<std::string, std::vector<lock>> guarded;
	std::multimap<unsigned, unsigned> before;
	std::set<place> ends;
	std::vector<region> found;
};

/*
 * The points in the order of the source, each once: what the compiler has copied (the end of a block that has several ways out)
 * is one.
 */
inline void
finish(code &to, body &from)
{
	region_finder finder(from);
	std::map<point, unsigned> numbers;
	std::set<std::tuple<std::vector<std::tuple<std::string, unsigned, unsigned>>, unsigned, std::string>> known;
	unsigned count = 0;

	for (const point &one : from.points)
		numbers.emplace(one, 0);
	for (auto &one : numbers) {
		one.second = count++;
		to.points.push_back(one.first);
	}
	for (region &r : finder.find()) {
		std::set<unsigned> points;

		for (unsigned number : r.points)
			points.insert(numbers[from.points[number]]);
		r.points.assign(points.begin(), points.end());
		if (known.emplace(r.lines, r.flags, r.what.text).second)
			to.regions.push_back(std::move(r));
	}
	std::sort(to.regions.begin(), to.regions.end(),
		  [](const region &a, const region &b) { return a.lines < b.lines; });
}

/* "C1", "C2" of a constructor's name become "C4"; "D0" to "D2" of a destructor's "D4". */
inline std::string
common_variant(std::string name)
{
	size_t at = 2;

	if (name.compare(0, 3, "_ZN") != 0)
		return name;
	while (at + 2 < name.size()) {
		if (name[at] >= '0' && name[at] <= '9') {
			size_t length = 0;

			for (; at < name.size() && name[at] >= '0' && name[at] <= '9'; at++)
				length = length * 10 + (size_t)(name[at] - '0');
			if (length > name.size() - at)
				return name;
			at += length;
			continue;
		}
		if ((name[at] == 'C' && name[at + 1] >= '1' && name[at + 1] <= '3' && name[at + 2] == 'E') ||
		    (name[at] == 'D' && name[at + 1] >= '0' && name[at + 1] <= '2' && name[at + 2] == 'E')) {
			name[at + 1] = '4';
			return name;
		}
		at++;
	}
	return name;
}

/* Of the compilers' libraries: what functions there do is not written down. */
inline bool
is_system_file(const std::string &file)
{
	return !file.compare(0, 13, "/usr/include/") || !file.compare(0, 9, "/usr/lib/") ||
	       !file.compare(0, 15, "/usr/bin/../lib");
}

/* Made by the compilers for what happens before main() and at the end, and for exceptions: they differ. */
inline bool
is_made_up(const std::string &name)
{
	for (const char *prefix : {"_GLOBAL__", "_sub_I_", "_sub_D_", "__static_initialization_and_destruction", "__cxx_global", "__tls_init",
				   "_ZTH", "_ZTW", "__cxa_", "_Unwind_", "__clang_call_terminate", "__gxx_", "__builtin_",
				   "llvm.", "_ZSt9terminatev", "__tsan_", "__sanitizer"})
		if (!name.compare(0, std::string(prefix).size(), prefix))
			return true;
	return false;
}

} // namespace table

#endif
