/*
 * What conditions, written values, arguments and results of a function depend on: the slice backwards, from value to value, up to
 * accesses, parameters and results of calls. A compiler says which values there are and what each is made of; the rest is
 * the same for both.
 *
 * Where several values meet, the one that comes is decided by branches: their conditions are a part of the slice, so that `ok = a && b` depends
 * on both, whether a compiler makes branches of it or not. Of a loop's variables all that decides how often the loop runs is a part.
 */
#ifndef SL_PLUGIN_SLICES_HH
#define SL_PLUGIN_SLICES_HH

#include "source/table_format.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "accessed.hh"

namespace table {

/* As it is written down. */
struct slice {
	unsigned kind = TABLE_SLICE_BRANCH, flags = 0; /* enum table_slice_kind, enum table_slice_flag */
	position at;                                   /* of a branch */
	unsigned point = 0, argument = 0;              /* of a write, of an argument */
	std::vector<unsigned> sources; /* ascending: twice a point's number, or twice a parameter's and one */

	auto key() const
	{
		return std::tie(kind, at.file, at.line, at.column, point, argument);
	}
};

/* The values of a function. */
class flow {
      public:
	static constexpr unsigned UNKNOWN = 0; /* depends on nothing that can be said */

	struct value {
		std::vector<unsigned> from;
		bool same = false;              /* as the one in `from` */
		bool more = false;              /* it depends on something else, too */
		int point = -1, parameter = -1; /* it is what is read there, or what the call returns */
		int block = -1;                 /* several meet at the beginning of that block: `from`, each by one of these blocks */
		std::vector<unsigned> by;
	};

	/* Blocks that can follow, without exceptions; the function begins with the first one. */
	std::vector<std::vector<unsigned>> next;
	std::vector<value> values = std::vector<value>(1);

	unsigned add()
	{
		values.emplace_back();
		return (unsigned)values.size() - 1;
	}

	unsigned add_point(unsigned point)
	{
		auto found = of_points.emplace(point, 0);

		if (found.second) {
			found.first->second = add();
			values[found.first->second].point = (int)point;
		}
		return found.first->second;
	}

	/* One that depends on all of these. */
	unsigned add_group(const std::vector<unsigned> &from)
	{
		unsigned number = UNKNOWN;

		if (from.size() == 1)
			return from[0];
		if (!from.empty()) {
			number = add();
			values[number].from = from;
		}
		return number;
	}

	/* What decides where the block goes on. */
	void decide(unsigned block, unsigned by)
	{
		conditions[block].push_back(by);
	}

	/*
	 * A slice is wanted. `what` has its kind, position or point; `from` is what it begins with, in that block. TABLE_SLICE_LOOP: it is of the
	 * branch at the block's end.
	 */
	void want(const slice &what, unsigned from, unsigned block)
	{
		wishes.push_back({what, from, block});
	}

	/* numbers: of the points, as they are written down. */
	std::vector<slice> find(const std::vector<unsigned> &numbers)
	{
		std::vector<slice> found;

		reached.assign(next.size(), false);
		if (next.empty())
			return found;
		order_blocks();
		find_dominators();
		find_loops();
		remove_needless();
		add_deciders();
		seen.assign(values.size(), 0);
		for (wish &one : wishes) {
			if (!reached[one.block])
				continue;
			if (one.what.kind == TABLE_SLICE_WRITE || one.what.kind == TABLE_SLICE_ARGUMENT)
				one.what.point = numbers[one.what.point];
			follow(one, numbers);
			if (one.what.flags & TABLE_SLICE_LOOP && !leaves_loop(one.block))
				one.what.flags &= ~(unsigned)TABLE_SLICE_LOOP;
		}
		/* what the compiler has copied is one */
		std::stable_sort(wishes.begin(), wishes.end(),
				 [](const wish &a, const wish &b) { return a.what.key() < b.what.key(); });
		for (const wish &one : wishes) {
			if (one.what.sources.empty() && !(one.what.flags & TABLE_SLICE_CUT))
				continue;
			if (found.empty() || found.back().key() != one.what.key()) {
				found.push_back(one.what);
				continue;
			}

			std::vector<unsigned> both;
			slice &same = found.back();

			std::set_union(same.sources.begin(), same.sources.end(), one.what.sources.begin(),
				       one.what.sources.end(), std::back_inserter(both));
			same.sources.swap(both);
			same.flags |= one.what.flags;
		}
		return found;
	}

      private:
	static constexpr size_t MOST_VALUES = 4000; /* of one slice */

	struct wish {
		slice what;
		unsigned from, block;
	};

	/* ---- the graph of blocks ---- */

	void order_blocks()
	{
		std::vector<std::pair<unsigned, size_t>> path = {{0, 0}};

		place.assign(next.size(), 0);
		reached[0] = true;
		while (!path.empty()) {
			auto &[block, edge] = path.back();

			if (edge == next[block].size()) {
				order.push_back(block);
				path.pop_back();
				continue;
			}

			unsigned to = next[block][edge++];

			if (!reached[to]) {
				reached[to] = true;
				path.push_back({to, 0});
			}
		}
		std::reverse(order.begin(), order.end());
		for (size_t i = 0; i < order.size(); i++)
			place[order[i]] = (unsigned)i;
		before.resize(next.size());
		for (unsigned block : order)
			for (unsigned to : next[block])
				before[to].push_back(block);
	}

	/* After Cooper, Harvey and Kennedy: "A Simple, Fast Dominance Algorithm". `from`: of each in the order those that lead to it, all by place. */
	static std::vector<unsigned> dominators(const std::vector<std::vector<unsigned>> &from)
	{
		constexpr unsigned NONE = ~0u;
		std::vector<unsigned> above(from.size(), NONE);
		bool changed = true;

		above[0] = 0;
		while (changed) {
			changed = false;
			for (unsigned at = 1; at < from.size(); at++) {
				unsigned common = NONE;

				for (unsigned other : from[at]) {
					if (above[other] == NONE)
						continue;
					if (common == NONE) {
						common = other;
						continue;
					}
					while (common != other)
						if (common > other)
							common = above[common];
						else
							other = above[other];
				}
				changed |= above[at] != common;
				above[at] = common;
			}
		}
		return above;
	}

	void find_dominators()
	{
		size_t count = order.size();
		std::vector<std::vector<unsigned>> from(count);

		for (unsigned block : order)
			for (unsigned other : before[block])
				from[place[block]].push_back(place[other]);
		above = dominators(from);

		/* backwards, from an end that all have in common; a loop without an end leads there, too */
		std::vector<std::vector<unsigned>> back(count + 1), ahead(count + 1);
		std::vector<unsigned> ends, sequence, number(count + 1, 0);
		std::vector<bool> known(count + 1, false);

		for (unsigned block : order) {
			for (unsigned other : before[block])
				back[place[block]].push_back(place[other]);
			if (next[block].empty())
				ends.push_back(place[block]);
		}
		auto visit = [&](unsigned start) {
			std::vector<std::pair<unsigned, size_t>> path = {{start, 0}};

			known[start] = true;
			while (!path.empty()) {
				auto &[at, edge] = path.back();

				if (edge == back[at].size()) {
					sequence.push_back(at);
					path.pop_back();
					continue;
				}

				unsigned to = back[at][edge++];

				if (!known[to]) {
					known[to] = true;
					path.push_back({to, 0});
				}
			}
		};

		for (unsigned end : ends)
			visit(end);
		for (size_t at = count; at-- > 0;)
			if (!known[at]) {
				ends.push_back((unsigned)at);
				visit((unsigned)at);
			}
		sequence.push_back((unsigned)count);
		std::reverse(sequence.begin(), sequence.end());
		for (size_t i = 0; i < sequence.size(); i++)
			number[sequence[i]] = (unsigned)i;
		std::vector<std::vector<unsigned>> after(count + 1);

		for (unsigned block : order)
			for (unsigned to : next[block])
				after[number[place[block]]].push_back(number[place[to]]);
		for (unsigned end : ends)
			after[number[end]].push_back(0);

		std::vector<unsigned> below = dominators(after);

		/* what decides whether a block is reached: "The program dependence graph", Ferrante, Ottenstein and Warren */
		decided_by.resize(next.size());
		for (unsigned block : order) {
			if (next[block].size() < 2)
				continue;

			unsigned end = below[number[place[block]]];

			for (unsigned to : next[block])
				for (unsigned at = number[place[to]]; at != end && at; at = below[at]) {
					std::vector<unsigned> &by = decided_by[order[sequence[at]]];

					if (by.empty() || by.back() != block)
						by.push_back(block);
				}
		}
	}

	bool dominates(unsigned a, unsigned b) const
	{
		unsigned top = place[a], at = place[b];

		while (at > top)
			at = above[at];
		return at == top;
	}

	void find_loops()
	{
		std::map<unsigned, std::set<unsigned>> by_head;

		for (unsigned block : order)
			for (unsigned head : next[block]) {
				if (!dominates(head, block))
					continue;

				std::set<unsigned> &loop = by_head[head];
				std::vector<unsigned> todo = {block};

				loop.insert(head);
				while (!todo.empty()) {
					unsigned one = todo.back();

					todo.pop_back();
					if (loop.insert(one).second)
						todo.insert(todo.end(), before[one].begin(), before[one].end());
				}
			}
		for (auto &one : by_head)
			loops.push_back(std::move(one.second));
	}

	bool is_in_loop(unsigned block) const
	{
		return std::any_of(loops.begin(), loops.end(),
				   [&](const std::set<unsigned> &loop) { return loop.count(block); });
	}

	bool leaves_loop(unsigned block) const
	{
		for (const std::set<unsigned> &loop : loops)
			if (loop.count(block))
				for (unsigned to : next[block])
					if (!loop.count(to))
						return true;
		return false;
	}

	/* ---- values ---- */

	unsigned last_of(unsigned number) const
	{
		while (values[number].same)
			number = values[number].from[0];
		return number;
	}

	/* Where only one value meets itself. */
	void remove_needless()
	{
		for (bool changed = true; changed;) {
			changed = false;
			for (unsigned i = 0; i < values.size(); i++) {
				value &v = values[i];
				unsigned only = i;
				bool several = v.block < 0;

				for (size_t k = 0; k < v.from.size() && !several; k++) {
					unsigned one = last_of(v.from[k]);

					several = one != i && only != i && only != one;
					if (one != i)
						only = one;
				}
				if (several)
					continue;
				v.block = -1;
				v.by.clear();
				v.from.clear();
				if ((v.same = only != i))
					v.from.push_back(only);
				changed = true;
			}
		}
	}

	/* The branches that decide whether that block is reached, of those behind `top`. */
	void climb(unsigned block, unsigned top, std::set<unsigned> &into) const
	{
		std::vector<unsigned> todo = {block};

		while (!todo.empty()) {
			unsigned one = todo.back();

			todo.pop_back();
			for (unsigned by : decided_by[one])
				if (dominates(top, by) && into.insert(by).second)
					todo.push_back(by);
		}
	}

	void add_deciders()
	{
		for (unsigned i = 0; i < values.size(); i++) {
			int block = values[i].block;
			std::set<unsigned> by, sides;

			if (block < 0 || !reached[(unsigned)block])
				continue;
			for (size_t k = 0; k < values[i].by.size(); k++) {
				unsigned from = values[i].by[k];

				if (!reached[from])
					continue;
				if (!dominates((unsigned)block, from)) {
					sides.insert(last_of(values[i].from[k]));
					continue;
				}
				if (next[from].size() > 1)
					by.insert(from);
				climb(from, (unsigned)block, by);
			}
			for (size_t k = 0; k < values[i].by.size() && sides.size() > 1; k++) {
				unsigned from = values[i].by[k];

				if (!reached[from] || dominates((unsigned)block, from))
					continue;
				if (next[from].size() > 1)
					by.insert(from);
				climb(from, order[above[place[(unsigned)block]]], by);
			}
			for (unsigned one : by) {
				auto known = conditions.find(one);

				if (known != conditions.end())
					values[i].from.insert(values[i].from.end(), known->second.begin(),
							      known->second.end());
			}
		}
	}

	void follow(wish &one, const std::vector<unsigned> &numbers)
	{
		std::vector<unsigned> todo = {one.from};
		std::set<unsigned> sources;
		size_t count = 0;

		round++;
		seen[one.from] = round;
		while (!todo.empty()) {
			const value &v = values[todo.back()];

			todo.pop_back();
			if (++count > MOST_VALUES) {
				one.what.flags |= TABLE_SLICE_CUT;
				break;
			}
			if (v.more)
				one.what.flags |= TABLE_SLICE_CUT;
			if (v.point >= 0)
				sources.insert(numbers[(unsigned)v.point] * 2);
			if (v.parameter >= 0)
				sources.insert((unsigned)v.parameter * 2 + 1);
			for (unsigned from : v.from)
				if (seen[from] != round) {
					seen[from] = round;
					todo.push_back(from);
				}
		}
		/* a call does not depend on itself, unless it comes again */
		if (one.what.kind == TABLE_SLICE_ARGUMENT && !is_in_loop(one.block))
			sources.erase(one.what.point * 2);
		one.what.sources.assign(sources.begin(), sources.end());
	}

	std::vector<wish> wishes;
	std::map<unsigned, unsigned> of_points;
	std::map<unsigned, std::vector<unsigned>> conditions; /* of blocks */
	std::vector<bool> reached;
	std::vector<unsigned> order, place, above; /* blocks, each behind those that dominate it; the places of blocks there; dominators, by place */
	std::vector<std::vector<unsigned>> before, decided_by;
	std::vector<std::set<unsigned>> loops;
	std::vector<unsigned> seen;
	unsigned round = 0;
};

} // namespace table

#endif
