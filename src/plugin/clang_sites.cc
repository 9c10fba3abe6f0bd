/*
 * For clang: the table of sites, of the final code; and the writing of the whole table.
 *
 * A place of the running program leads to its site by the discriminator of the instruction's line, which is the
 * site's number. clang's pass gives it to the call that it inserts, and so it gets into the line table.
 */
#include "clang_sites.hh"

#include "announced_calls.hh"
#include "clang_bodies.hh"
#include "clang_describe.hh"

using namespace describing;

struct site_collector::implementation {
	explicit implementation(Module &module) : module(module), about(describer_of(module)), unit(about.unit)
	{
	}

	void add(Instruction &at, const description &d, unsigned flags, uint64_t size, bool second = false)
	{
		const DILocation *location = at.getDebugLoc();
		table::site s;

		if (!location || !location->getLine())
			return;
		if (second && !(location->getDiscriminator() && location->getDiscriminator() == unit.sites.size()))
			return;
		s.flags = flags;
		s.frame = about.frame_of(location);
		s.at = about.position_of(location);
		s.size = size < 1 << 30 ? (unsigned)size : 0;
		s.text = d.text;
		s.what = d.what;
		if (second) {
			unit.sites.back().flags |= TABLE_PAIR;
			unit.add_site(s);
			return;
		}
		at.setDebugLoc(location->cloneWithDiscriminator(unit.add_site(s) + 1));
	}

	void memory(Instruction &at, const Value *pointer, Type *type, unsigned flags)
	{
		if (about.may_be_shared(pointer))
			add(at, about.access(pointer, type, at.getMetadata(LLVMContext::MD_tbaa), DEPTH), flags,
			    about.layout.getTypeStoreSize(type).getKnownMinSize());
	}

	void call(CallBase &one)
	{
		const Function *callee = one.getCalledFunction();

		if (auto *copy = dyn_cast<AnyMemTransferInst>(&one)) {
			auto *length = dyn_cast<ConstantInt>(copy->getLength());
			uint64_t size = length ? length->getZExtValue() : 0;

			add(one, about.whole(copy->getRawSource(), size), TABLE_READS, size);
			add(one, about.whole(copy->getRawDest(), size), TABLE_WRITES, size, true);
			return;
		}
		if (auto *fill = dyn_cast<AnyMemSetInst>(&one)) {
			add(one, about.argument(fill->getRawDest()), TABLE_WRITES, 0);
			return;
		}
		if (isa<IntrinsicInst>(one))
			return;
		if (one.isInlineAsm()) {
			for (unsigned i = 0; i < one.arg_size(); i++)
				if (one.getArgOperand(i)->getType()->isPointerTy() &&
				    about.may_be_shared(one.getArgOperand(i))) {
					add(one, about.argument(one.getArgOperand(i)),
					    TABLE_READS | TABLE_WRITES | TABLE_ATOMIC, 0);
					return;
				}
			return;
		}
		if (callee && callee->hasName() && one.arg_size() &&
		    one.getArgOperand(0)->getType()->isPointerTy() &&
		    is_announced_call(callee->getName().str().c_str())) {
			add(one, about.argument(one.getArgOperand(0)), TABLE_CALL, 0);
			if (is_condition_wait(callee->getName().str().c_str()) && one.arg_size() > 1)
				add(one, about.argument(one.getArgOperand(1)), TABLE_CALL, 0, true);
			return;
		}
		for (unsigned i = 0; i < one.arg_size(); i++)
			if (one.isByValArgument(i) && about.may_be_shared(one.getArgOperand(i))) {
				uint64_t size =
					about.layout.getTypeAllocSize(one.getParamByValType(i)).getKnownMinSize();

				add(one, about.whole(one.getArgOperand(i), size), TABLE_READS, size);
				return;
			}
	}

	void visit(Instruction &one)
	{
		if (auto *load = dyn_cast<LoadInst>(&one))
			memory(one, load->getPointerOperand(), load->getType(),
			       TABLE_READS | (load->isAtomic() ? TABLE_ATOMIC : 0));
		else if (auto *store = dyn_cast<StoreInst>(&one))
			memory(one, store->getPointerOperand(), store->getValueOperand()->getType(),
			       TABLE_WRITES | (store->isAtomic() ? TABLE_ATOMIC : 0));
		else if (auto *update = dyn_cast<AtomicRMWInst>(&one))
			memory(one, update->getPointerOperand(), update->getValOperand()->getType(),
			       TABLE_READS | TABLE_WRITES | TABLE_ATOMIC);
		else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&one))
			memory(one, swap->getPointerOperand(), swap->getNewValOperand()->getType(),
			       TABLE_READS | TABLE_WRITES | TABLE_ATOMIC);
		else if (auto *callee = dyn_cast<CallBase>(&one))
			call(*callee);
	}

	void collect(Function &function)
	{
		SmallVector<Instruction *, 64> all;

		if (!about.enter(function))
			return;
		for (Instruction &one : instructions(function))
			all.push_back(&one);
		for (Instruction *one : all)
			visit(*one);
	}

	void write()
	{
		if (about.units != 1 || unit.empty())
			return;

		table::contribution made = unit.finish();

		if (made.body.empty())
			return;
		/* a numeric label, since -flto joins the assembly of several files */
		module.appendModuleInlineAsm(
			"\t.pushsection .debug_info,\"\",@progbits\n77:\n\t.popsection\n"
			"\t.pushsection " TABLE_SECTION ",\"\",@progbits\n" +
			made.text(TABLE_BY_LINE, std::to_string(TABLE_HEADER + made.body.size()), "77b") +
			"\t.popsection\n");
		forget_describer(module);
	}

	Module &module;
	describer &about;
	table::unit &unit;
};

site_collector::site_collector(Module &module) : inside(new implementation(module))
{
}

site_collector::~site_collector() = default;

void
site_collector::collect(Function &function)
{
	inside->collect(function);
}

void
site_collector::write()
{
	inside->write();
}
