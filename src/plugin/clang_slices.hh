/*
 * For clang: the values of a function, for slices.hh. Before the first pass each local variable is a place on the stack. Those that would become
 * values are followed as such ("Simple and Efficient Construction of Static Single Assignment Form", Braun et al.), so that
 * the slices are those of SSA form at each level of optimisation. The others (their address is taken, or they are records and
 * arrays) are followed as a whole: each depends on all that is ever stored in it, and on the calls that get its address.
 */
#ifndef SL_PLUGIN_CLANG_SLICES_HH
#define SL_PLUGIN_CLANG_SLICES_HH

#include "clang_describe.hh"

#include "llvm/IR/CFG.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace describing {

class slicer {
      public:
	slicer(Function &body, describer &about, table::flow &to, const std::map<const BasicBlock *, unsigned> &numbers)
	    : body(body), about(about), to(to), numbers(numbers)
	{
	}

	/* What an instruction was written down as. */
	void note(const Instruction &one, unsigned number, const table::point &point)
	{
		points_of &p = points[&one];

		if (point.call)
			p.call = (int)number;
		else if (point.flags & TABLE_WRITES)
			p.writes.push_back(number);
		if (!point.call && point.flags & TABLE_READS)
			p.reads.push_back(number);
	}

	/* When all have been noted. is_way_on: is that variable the compiler's, for where a block goes on behind its end? */
	template <typename question> void read(question is_way_on)
	{
		for (const BasicBlock &block : body) {
			to.next.emplace_back();
			for (const BasicBlock *next : successors(&block))
				if (!next->isLandingPad())
					to.next.back().push_back(number_of(next));
			number_locals(block);
		}
		find_parameters();
		for (const BasicBlock &block : body)
			for (const Instruction &one : block)
				wishes_of(one, number_of(&block), is_way_on);
		while (!todo.empty()) {
			key one = todo.back();

			todo.pop_back();
			fill(one);
		}
	}

      private:
	using list = std::vector<unsigned>;

	struct points_of {
		list reads, writes;
		int call = -1;
	};

	/* A value; `beginning`: what the variable has where that block begins. */
	struct key {
		const Value *value;
		const BasicBlock *beginning;

		bool operator<(const key &o) const
		{
			return std::tie(value, beginning) < std::tie(o.value, o.beginning);
		}
	};

	unsigned number_of(const BasicBlock *block) const
	{
		return numbers.at(block);
	}

	/* ---- local variables that would become values ---- */

	bool is_value(const Value *place)
	{
		auto *slot = dyn_cast<AllocaInst>(place);

		if (!slot)
			return false;

		auto found = promotable.emplace(slot, false);

		if (found.second)
			found.first->second = isAllocaPromotable(slot);
		return found.first->second;
	}

	/* Which store does each load of the block see, and which one does the block end with? */
	void number_locals(const BasicBlock &block)
	{
		std::map<const Value *, const StoreInst *> last;

		for (const Instruction &one : block) {
			if (auto *store = dyn_cast<StoreInst>(&one)) {
				if (is_value(store->getPointerOperand()))
					last[store->getPointerOperand()] = store;
			} else if (auto *load = dyn_cast<LoadInst>(&one)) {
				auto found = last.find(load->getPointerOperand());

				if (found != last.end())
					seen_by[load] = found->second;
			}
		}
		for (auto &one : last)
			at_end[{one.first, &block}] = one.second;
	}

	unsigned at_end_of(const Value *place, const BasicBlock *block)
	{
		auto found = at_end.find({place, block});

		return found == at_end.end() ? at_beginning_of(place, block)
					     : value_of(found->second->getValueOperand());
	}

	unsigned at_beginning_of(const Value *place, const BasicBlock *block)
	{
		std::set<const BasicBlock *> passed;

		/* the way up as long as there is one alone */
		while (const BasicBlock *before = block->getUniquePredecessor()) {
			auto found = at_end.find({place, before});

			if (found != at_end.end())
				return value_of(found->second->getValueOperand());
			if (!passed.insert(before).second)
				return table::flow::UNKNOWN;
			block = before;
		}
		return pred_empty(block) ? (unsigned)table::flow::UNKNOWN : number({place, block});
	}

	/* ---- variables in memory ---- */

	/* A pointer to the variable; or, `holds`, to memory that may have such a pointer in it. */
	struct reference {
		const Value *pointer;
		bool holds;

		bool operator<(const reference &o) const
		{
			return std::tie(pointer, holds) < std::tie(o.pointer, o.holds);
		}
	};

	/* All that is stored there, and the calls that get the address. */
	void stores_of(const Value *place, table::flow::value &v)
	{
		std::vector<reference> todo = {{place, false}};
		std::set<reference> known = {{place, false}};
		auto also = [&](const Value *pointer, bool holds) {
			if (pointer->getType()->isPointerTy() && known.insert({pointer, holds}).second)
				todo.push_back({pointer, holds});
		};

		while (!todo.empty()) {
			auto [pointer, holds] = todo.back();

			todo.pop_back();
			for (const User *user : pointer->users()) {
				if (auto *store = dyn_cast<StoreInst>(user)) {
					if (store->getPointerOperand() == pointer && !holds)
						stored(*store, v.from);
					if (store->getValueOperand() != pointer)
						continue;
					if (is_value(store->getPointerOperand())) {
						for (const User *other : store->getPointerOperand()->users())
							if (isa<LoadInst>(other))
								also(other, holds);
					} else if (auto *other = dyn_cast<AllocaInst>(
							   getUnderlyingObject(store->getPointerOperand()))) {
						also(other, true);
					} else {
						v.more = true; /* others know the address */
					}
				} else if (isa<LoadInst>(user)) {
					if (holds) {
						also(user, false);
						also(user, true);
					}
				} else if (auto *call = dyn_cast<CallBase>(user)) {
					auto *memory = dyn_cast<AnyMemIntrinsic>(call);
					auto *copy = dyn_cast<AnyMemTransferInst>(call);

					if (isa<DbgInfoIntrinsic>(call) || call->isLifetimeStartOrEnd())
						continue;
					if (memory && memory->getRawDest() != pointer) {
						/* a copy of what may have the address in it */
						if (auto *other = dyn_cast<AllocaInst>(getUnderlyingObject(memory->getRawDest())); other && holds)
							also(other, true);
						continue;
					}
					if (copy && holds)
						continue;
					if (copy)
						copied(*copy, v.from);
					else
						result_of(*call, v.from);
				} else if (isa<GetElementPtrInst>(user) || isa<CastInst>(user) || isa<PHINode>(user) ||
					   isa<SelectInst>(user)) {
					also(user, holds);
				} else if (isa<AtomicRMWInst>(user) || isa<AtomicCmpXchgInst>(user)) {
					v.from.push_back(value_of(user));
				}
			}
		}
	}

	/* Which parameter of the source is it? */
	void find_parameters()
	{
		for (const Argument &one : body.args()) {
			int number = (int)one.getArgNo() - (body.hasStructRetAttr() ? 1 : 0);
			const DILocalVariable *variable = about.variable_at(&one);

			if (one.hasStructRetAttr())
				continue;
			for (const User *user : one.users())
				if (auto *store = dyn_cast<StoreInst>(user); store && !variable)
					variable = about.variable_at(getUnderlyingObject(store->getPointerOperand()));
			if (variable && variable->getArg())
				number = (int)variable->getArg() - 1;
			parameters[&one] = number;
		}
	}

	/* ---- values ---- */

	unsigned number(const key &one)
	{
		auto found = known.emplace(one, 0);

		if (found.second) {
			found.first->second = to.add();
			todo.push_back(one);
		}
		return found.first->second;
	}

	unsigned value_of(const Value *value)
	{
		return number({value, nullptr});
	}

	void operand(const Value *value, list &from)
	{
		if (isa<Instruction>(value) || isa<Argument>(value))
			from.push_back(value_of(value));
	}

	void operands(const Instruction &one, list &from)
	{
		for (const Use &use : one.operands())
			operand(use.get(), from);
	}

	bool reads(const Instruction &one, list &from)
	{
		auto found = points.find(&one);

		if (found == points.end() || found->second.reads.empty())
			return false;
		for (unsigned point : found->second.reads)
			from.push_back(to.add_point(point));
		return true;
	}

	void stored(const StoreInst &store, list &from)
	{
		operand(store.getValueOperand(), from);
		operand(store.getPointerOperand(), from); /* which of it */
	}

	void copied(const AnyMemTransferInst &copy, list &from)
	{
		reads(copy, from);
		operand(copy.getRawSource(), from);
		operand(copy.getLength(), from);
	}

	/* What a call returns, or writes. */
	void result_of(const CallBase &call, list &from)
	{
		auto found = points.find(&call);

		if (found != points.end() && found->second.call >= 0) {
			from.push_back(to.add_point((unsigned)found->second.call));
			return;
		}
		reads(call, from);
		for (const Use &use : call.args())
			operand(use.get(), from);
	}

	void fill(const key &what)
	{
		table::flow::value v;

		if (what.beginning)
			meeting(what, v);
		else if (auto *argument = dyn_cast<Argument>(what.value))
			of_argument(*argument, v);
		else if (auto *one = dyn_cast<Instruction>(what.value))
			of_instruction(*one, v);
		to.values[known[what]] = v;
	}

	void meeting(const key &what, table::flow::value &v)
	{
		for (const BasicBlock *before : predecessors(what.beginning)) {
			v.from.push_back(at_end_of(what.value, before));
			v.by.push_back(number_of(before));
		}
		v.block = (int)number_of(what.beginning);
	}

	void of_argument(const Argument &argument, table::flow::value &v)
	{
		auto found = parameters.find(&argument);

		if (found != parameters.end())
			v.parameter = found->second;
		else
			stores_of(&argument, v); /* where a result goes */
	}

	void of_instruction(const Instruction &one, table::flow::value &v)
	{
		if (isa<AllocaInst>(one)) {
			stores_of(&one, v);
		} else if (auto *load = dyn_cast<LoadInst>(&one)) {
			if (is_value(load->getPointerOperand())) {
				auto found = seen_by.find(load);

				v.from.push_back(found != seen_by.end()
							 ? value_of(found->second->getValueOperand())
							 : at_beginning_of(load->getPointerOperand(), load->getParent()));
				v.same = true;
				return;
			}
			reads(*load, v.from);
			operand(load->getPointerOperand(), v.from);
		} else if (auto *phi = dyn_cast<PHINode>(&one)) {
			for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
				v.from.push_back(value_of(phi->getIncomingValue(i))); /* two constants are two values */
				v.by.push_back(number_of(phi->getIncomingBlock(i)));
			}
			v.block = (int)number_of(phi->getParent());
		} else if (auto *call = dyn_cast<CallBase>(&one)) {
			result_of(*call, v.from);
		} else {
			reads(one, v.from);
			operands(one, v.from);
		}
	}

	/* ---- what is wanted ---- */

	void branch(const Instruction &one, unsigned block, const Value *condition, bool at_end)
	{
		/* a value that meets others has no line of its own */
		auto *itself = isa<PHINode>(one) ? dyn_cast<Instruction>(condition) : &one;
		const DILocation *location = itself ? itself->getDebugLoc().get() : nullptr;
		unsigned value = isa<Instruction>(condition) || isa<Argument>(condition)
					 ? value_of(condition)
					 : (unsigned)table::flow::UNKNOWN;
		table::slice s;

		if (at_end)
			to.decide(block, value);
		if (!location || !location->getLine())
			return;
		s.at = about.position_of(location);
		s.flags = at_end ? TABLE_SLICE_LOOP : 0;
		to.want(s, value, block);
	}

	void write(const Instruction &one, unsigned block, const list &from)
	{
		auto found = points.find(&one);
		table::slice s;

		s.kind = TABLE_SLICE_WRITE;
		if (found != points.end())
			for (unsigned point : found->second.writes) {
				s.point = point;
				to.want(s, to.add_group(from), block);
			}
	}

	template <typename question> void wishes_of(const Instruction &one, unsigned block, question is_way_on)
	{
		list from;

		if (auto *jump = dyn_cast<BranchInst>(&one)) {
			if (jump->isConditional())
				branch(one, block, jump->getCondition(), true);
		} else if (auto *choice = dyn_cast<SwitchInst>(&one)) {
			auto *load = dyn_cast<LoadInst>(choice->getCondition());

			if (!load || !is_way_on(load->getPointerOperand()))
				branch(one, block, choice->getCondition(), true);
		} else if (auto *select = dyn_cast<SelectInst>(&one)) {
			branch(one, block, select->getCondition(), false);
		} else if (auto *phi = dyn_cast<PHINode>(&one); phi && phi->getType()->isIntegerTy(1)) {
			for (const Use &use : phi->incoming_values()) /* of && and ||: gcc has a branch for the last one, too */
				branch(one, block, use.get(), false);
		} else if (auto *store = dyn_cast<StoreInst>(&one)) {
			stored(*store, from);
			write(one, block, from);
		} else if (isa<AtomicRMWInst>(one) || isa<AtomicCmpXchgInst>(one)) {
			reads(one, from);
			operands(one, from);
			write(one, block, from);
		} else if (auto *call = dyn_cast<CallBase>(&one)) {
			call_wishes(*call, block);
		} else if (auto *end = dyn_cast<ReturnInst>(&one)) {
			table::slice s;

			s.kind = TABLE_SLICE_RESULT;
			if (end->getReturnValue())
				operand(end->getReturnValue(), from);
			for (const Argument &argument : body.args())
				if (argument.hasStructRetAttr())
					operand(&argument, from);
			to.want(s, to.add_group(from), block);
		}
	}

	/* A struct that is passed in two registers is one argument. */
	static bool is_second_half(const CallBase &call, unsigned i)
	{
		auto half = [&](unsigned k) -> const GEPOperator * {
			auto *load = dyn_cast<LoadInst>(call.getArgOperand(k));
			auto *sum = load ? dyn_cast<GEPOperator>(load->getPointerOperand()) : nullptr;

			if (!sum || sum->getNumIndices() != 2)
				return nullptr;

			auto *record = dyn_cast<StructType>(sum->getSourceElementType());

			return record && record->isLiteral() && record->getNumElements() == 2 ? sum : nullptr;
		};
		const GEPOperator *first = i ? half(i - 1) : nullptr, *second = half(i);

		return first && second && first->getPointerOperand() == second->getPointerOperand() &&
		       cast<ConstantInt>(first->getOperand(2))->isZero() &&
		       cast<ConstantInt>(second->getOperand(2))->isOne();
	}

	void call_wishes(const CallBase &call, unsigned block)
	{
		auto found = points.find(&call);
		unsigned argument = 0;
		table::slice s;
		list from;

		if (found == points.end())
			return;
		if (found->second.call < 0) { /* of memory, or atomic */
			reads(call, from);
			for (const Use &use : call.args())
				operand(use.get(), from);
			write(call, block, from);
			return;
		}
		s.kind = TABLE_SLICE_ARGUMENT;
		s.point = (unsigned)found->second.call;
		for (unsigned i = 0; i < call.arg_size(); i++) {
			if (call.paramHasAttr(i, Attribute::StructRet))
				continue;
			from.clear();
			if (call.isByValArgument(i))
				reads(call, from);
			operand(call.getArgOperand(i), from);
			s.argument = is_second_half(call, i) && argument ? argument - 1 : argument++;
			to.want(s, to.add_group(from), block);
		}
		from.assign(1, to.add_point((unsigned)found->second.call));
		write(call, block, from);
	}

	Function &body;
	describer &about;
	table::flow &to;
	const std::map<const BasicBlock *, unsigned> &numbers;
	std::map<const Instruction *, points_of> points;
	std::map<const AllocaInst *, bool> promotable;
	std::map<const LoadInst *, const StoreInst *> seen_by;
	std::map<std::pair<const Value *, const BasicBlock *>, const StoreInst *> at_end;
	std::map<const Argument *, int> parameters;
	std::map<key, unsigned> known;
	std::vector<key> todo;
};

} // namespace describing

#endif
