//===- PlaceBarriers.cpp - tile-place-barriers ------------------*- C++ -*-===//
//
// A forward walk that keeps which shared arrays were read and written since the
// last barrier. A loop's body is walked with what its end leaves at its start.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Conversion/Passes.h"
#include "tilec/Kernel/Kernel.h"
#include "tilec/Kernel/Vocabulary.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tilec {
#define GEN_PASS_DEF_PLACEBARRIERSPASS
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

namespace {

/// A shared array, and the loop on threads whose iterations access it; 0 where it is not one alone. Of one such loop no
/// thread accesses what another one writes (rule I1).
using Access = std::pair<Value, int64_t>;
using AccessSet = llvm::SmallSetVector<Access, 4>;
/// An access by an atomic operation, of the function of that name.
using Update = std::pair<Access, StringRef>;
using UpdateSet = llvm::SmallSetVector<Update, 4>;

/// Accesses to shared arrays since the last barrier.
struct Accesses {
  AccessSet reads, writes;
  /// Copies and stores ahead, which nobody reads before a wait.
  AccessSet inFlight;
  /// Reads in this iteration of a pipeline's loop: its copies fill slots that it does not read.
  AccessSet ownReads;
  /// What atomic operations change. Those of one kind have no order.
  UpdateSet updates;

  void merge(const Accesses &other) {
    reads.insert(other.reads.begin(), other.reads.end());
    ownReads.insert(other.ownReads.begin(), other.ownReads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    inFlight.insert(other.inFlight.begin(), other.inFlight.end());
    updates.insert(other.updates.begin(), other.updates.end());
  }
  /// Must a barrier stand between these and `next`?
  bool conflictsWith(const Accesses &next) const { return exchangesWith(next) || overwrites(next); }
  /// Does one write what the other reads?
  bool exchangesWith(const Accesses &next) const {
    auto meets = [](const AccessSet &set, const AccessSet &other) {
      return llvm::any_of(set, [&](const Access &one) { return llvm::any_of(other, [&](const Access &two) { return canMeet(one, two); }); });
    };
    return meets(writes, next.reads) || meets(reads, next.writes) || meets(ownReads, next.writes) ||
           meets(reads, next.inFlight) || updatesMeet(next) || next.updatesMeet(*this) || disagreesOn(next);
  }
  static bool canMeet(const Access &one, const Access &two) {
    return one.first == two.first && (one.second != two.second || one.second <= 0);
  }
  /// Does an atomic operation change what the other accesses otherwise?
  bool updatesMeet(const Accesses &other) const {
    return llvm::any_of(updates, [&](const Update &update) {
      auto meets = [&](const AccessSet &set) { return llvm::any_of(set, [&](const Access &access) { return canMeet(update.first, access); }); };
      return meets(other.reads) || meets(other.ownReads) || meets(other.writes) || meets(other.inFlight);
    });
  }
  /// Do atomic operations of two kinds change one array?
  bool disagreesOn(const Accesses &other) const {
    return llvm::any_of(updates, [&](const Update &one) {
      return llvm::any_of(other.updates, [&](const Update &two) { return one.second != two.second && canMeet(one.first, two.first); });
    });
  }
  /// Do both write, in some order? What all threads copy together, each copies its own of.
  bool overwrites(const Accesses &next) const {
    return llvm::any_of(writes, [&](const Access &one) {
      return llvm::any_of(next.writes, [&](const Access &two) {
        return one.first == two.first && (one.second != two.second || one.second < 0);
      });
    });
  }
  void endIteration() {
    reads.insert(ownReads.begin(), ownReads.end());
    ownReads.clear();
  }
  /// What follows is executed anew, by threads of another iteration as well, but for accesses that are `steady`.
  void forgetLoops(llvm::function_ref<bool(const Access &)> isSteady) {
    auto forget = [&](const Access &access) { return Access(access.first, access.second == 0 || isSteady(access) ? access.second : -1); };
    for (AccessSet *set : {&reads, &writes, &inFlight, &ownReads}) {
      AccessSet accesses;
      for (const Access &access : *set)
        accesses.insert(forget(access));
      *set = std::move(accesses);
    }
    UpdateSet others;
    for (const Update &update : updates)
      others.insert({forget(update.first), update.second});
    updates = std::move(others);
  }
  /// A barrier orders what is done; asynchronous copies go on after it.
  void barrier() {
    reads.clear();
    ownReads.clear();
    writes.clear();
    updates.clear();
  }
  bool operator==(const Accesses &other) const {
    auto same = [](const auto &a, const auto &b) { return a.size() == b.size() && llvm::all_of(a, [&](const auto &access) { return b.contains(access); }); };
    return same(reads, other.reads) && same(ownReads, other.ownReads) && same(writes, other.writes) && same(inFlight, other.inFlight) &&
           same(updates, other.updates);
  }
};

struct PlaceBarriers : tilec::impl::PlaceBarriersPassBase<PlaceBarriers> {
  void runOnOperation() override {
    findDivergent();
    Accesses state;
    placing = true;
    if (failed(walkBlock(getOperation().getBody().front(), state)))
      signalPassFailure();
  }

private:
  /// Values that differ between the threads of a block, or of a team.
  void findDivergent() {
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool differs = isa<kernel::ThreadOp, kernel::LdgOp, kernel::LdcOp, kernel::LdsOp, kernel::ShflXorOp>(op) ||
                     llvm::any_of(op->getOperands(), [&](Value v) { return divergent.contains(v); });
      if (!differs)
        return;
      for (Value result : op->getResults())
        divergent.insert(result);
      if (auto loop = dyn_cast<kernel::ForOp>(op))
        divergent.insert(loop.getInductionVar());
    });
  }

  /// Slots that barriers of their own say are full or empty.
  static bool isGuarded(Value buffer) {
    auto array = buffer.getDefiningOp<kernel::SharedOp>();
    return array && array.getGuarded();
  }

  /// The loop on threads that `op` belongs to, as Access has it.
  static int64_t getThreadLoop(Operation *op) {
    auto member = dyn_cast<kernel::ThreadLoopMember>(op);
    return member ? static_cast<int64_t>(member.getThreadLoop()) : 0;
  }

  static Accesses accessesOf(Operation *op) {
    Accesses result;
    op->walk([&](kernel::VocabularyCall call) {
      auto interface = dyn_cast<MemoryEffectOpInterface>(call.getOperation());
      if (!interface)
        return;
      SmallVector<MemoryEffects::EffectInstance> effects;
      interface.getEffectsOnResource(kernel::SharedMemory::get(), effects);
      auto has = [&](Value buffer, auto kind) {
        return llvm::any_of(effects, [&](const MemoryEffects::EffectInstance &effect) { return effect.getValue() == buffer && isa<decltype(kind)>(effect.getEffect()); });
      };
      for (const MemoryEffects::EffectInstance &effect : effects) {
        Value buffer = effect.getValue();
        if (!buffer || isGuarded(buffer))
          continue;
        if (has(buffer, MemoryEffects::Read()) && has(buffer, MemoryEffects::Write())) {
          result.updates.insert({{buffer, getThreadLoop(call)}, call.getCallee()});
          continue;
        }
        auto store = dyn_cast<kernel::StsOp>(call.getOperation());
        bool asynchronous = isa<kernel::CpAsyncOp>(call) || (store && store.getAhead());
        AccessSet &set = isa<MemoryEffects::Read>(effect.getEffect()) ? result.reads : asynchronous ? result.inFlight : result.writes;
        set.insert({buffer, getThreadLoop(call)});
      }
    });
    return result;
  }

  /// The numbers that say which element of an array `op` accesses; nothing of other ops than loads and stores.
  static std::optional<OperandRange> getPlace(Operation *op) {
    return llvm::TypeSwitch<Operation *, std::optional<OperandRange>>(op)
        .Case<kernel::LdsOp, kernel::StsOp>([](auto access) { return access.getIndices(); })
        .Case([](kernel::LdsVectorOp load) { return load.getSourceIndices(); })
        .Case([](kernel::StsVectorOp store) { return store.getDestIndices(); })
        .Default([](Operation *) { return std::nullopt; });
  }

  /// Is `value` the same in each iteration of `loop`, or does it take the same values there in loops in it?
  static bool isSame(Value value, kernel::ForOp loop) {
    Operation *owner = value.getParentBlock()->getParentOp();
    if (!loop->isAncestor(owner))
      return true;
    if (isa<BlockArgument>(value))
      return owner != loop && isa<kernel::ForOp>(owner) && llvm::all_of(owner->getOperands(), [&](Value bound) { return isSame(bound, loop); });
    Operation *op = value.getDefiningOp();
    return isa<arith::ArithDialect>(op->getDialect()) && llvm::all_of(op->getOperands(), [&](Value operand) { return isSame(operand, loop); });
  }

  /// Does a thread access the same elements in each iteration of `loop`, by all that a loop on threads in it does with the array? Then no
  /// other one accesses what it writes, in other iterations either (rule I1).
  static bool isSteady(const Access &access, kernel::ForOp loop) {
    auto [array, number] = access;
    if (number <= 0)
      return false;
    WalkResult result = loop.getBody()->walk([&, array = array, number = number](Operation *op) -> WalkResult {
      if (!isa<kernel::VocabularyCall>(op) || getThreadLoop(op) != number || !llvm::is_contained(op->getOperands(), array))
        return WalkResult::advance();
      std::optional<OperandRange> place = getPlace(op);
      bool same = place && llvm::all_of(*place, [&](Value index) { return isSame(index, loop); });
      return same ? WalkResult::advance() : WalkResult::interrupt();
    });
    return !result.wasInterrupted();
  }

  static void forgetLoops(Accesses &accesses, kernel::ForOp loop) {
    accesses.forgetLoops([&](const Access &access) { return isSteady(access, loop); });
  }

  /// Must threads wait for each other within `op`, whose accesses are `own`?
  static bool conflictsInside(Operation *op, const Accesses &own) {
    if (getThreadLoop(op) > 0) // Of a loop, all of it is one thread's.
      return false;
    auto loop = dyn_cast<kernel::ForOp>(op);
    if (!loop)
      return own.exchangesWith(own);
    Accesses before = own;
    forgetLoops(before, loop);
    return before.conflictsWith(own) || own.exchangesWith(own);
  }

  /// Do the threads of the block, or of the part of it that is walked, wait for each other?
  static bool waitsForThreads(Operation &op) {
    auto call = dyn_cast<kernel::VocabularyCall>(op);
    const kernel::VocabularyEntry *entry = call ? kernel::lookupFunction(call.getCallee()) : nullptr;
    return entry && (entry->order == kernel::OrderGroup || entry->order == kernel::OrderBlock || entry->order == kernel::OrderCluster);
  }

  LogicalResult walkBlock(Block &block, Accesses &state) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(walkOp(op, state)))
        return failure();
    return success();
  }

  LogicalResult walkOp(Operation &op, Accesses &state) {
    if (waitsForThreads(op)) {
      state.barrier();
      return success();
    }
    if (isa<kernel::CpAsyncWaitOp>(op)) { // What was on its way is written now.
      state.writes.insert(state.inFlight.begin(), state.inFlight.end());
      state.endIteration(); // What is copied from here on may go to the slot that was read before.
      return success();
    }
    if (auto roles = dyn_cast<kernel::RolesOp>(op)) {
      // What the parts of the block exchange with each other is ordered by their own barriers.
      Accesses before = state;
      for (auto [region, threads] : llvm::zip_equal(op.getRegions(), roles.getThreads())) {
        int64_t teams = region.getRegionNumber() == 1 ? roles.getTeams().value_or(1) : 1;
        llvm::SaveAndRestore<int64_t> part(group, threads / teams);
        llvm::SaveAndRestore<bool> ofTeam(inTeam, teams > 1);
        Accesses end = before;
        if (failed(walkBlock(region.front(), end)))
          return failure();
        state.merge(end);
      }
      return success();
    }
    Accesses own = accessesOf(&op);
    // A wait for what is on its way, if anything is.
    bool holdsWait = (!state.inFlight.empty() || !own.inFlight.empty()) &&
                     op.walk([](kernel::CpAsyncWaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
    bool touches = !own.reads.empty() || !own.writes.empty() || !own.inFlight.empty() || !own.updates.empty() || holdsWait;
    if (!touches)
      return success();
    bool internal = conflictsInside(&op, own);
    if (op.getNumRegions() != 0 && (internal || holdsWait)) {
      if (isDivergent(&op)) // limit_x15
        return emitError(op.getLoc(), "threads that exchange data through shared memory may not all come here");
      return walkRegions(op, state);
    }
    if (state.conflictsWith(own)) {
      if (placing) {
        OpBuilder builder(&op);
        if (group == 0) {
          kernel::SyncBlockOp::create(builder, op.getLoc());
        } else {
          Value number = createBarrierNumber(builder, op.getLoc());
          kernel::SyncNamedOp::create(builder, op.getLoc(), number, arith::ConstantIndexOp::create(builder, op.getLoc(), group));
        }
        ++numBarriers;
      }
      state.barrier();
    }
    if (inRing)
      std::swap(own.reads, own.ownReads);
    state.merge(own);
    return success();
  }

  /// The barrier of the threads that are walked: of several teams each has its own (Threads::wait).
  Value createBarrierNumber(OpBuilder &builder, Location loc) const {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    if (!inTeam)
      return one;
    Value team = kernel::TeamOp::create(builder, loc, builder.getIndexType(), builder.getI64IntegerAttr(group));
    return arith::AddIOp::create(builder, loc, team, one);
  }

  bool isDivergent(Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value v) { return divergent.contains(v); });
  }

  LogicalResult walkIteration(kernel::ForOp loop, Accesses &state) {
    LogicalResult result = walkBlock(*loop.getBody(), state);
    if (loop.getPipeline())
      state.endIteration();
    return result;
  }

  LogicalResult walkRegions(Operation &op, Accesses &state) {
    if (auto loop = dyn_cast<kernel::ForOp>(op)) {
      // What may arrive over the back edge is found first, so that one barrier can serve
      // all accesses of an iteration.
      llvm::SaveAndRestore<bool> dry(placing, false);
      llvm::SaveAndRestore<bool> ring(inRing, inRing || loop.getPipeline());
      Accesses before = state, entry = state;
      for (Accesses end = entry;; end = entry) {
        if (failed(walkIteration(loop, end)))
          return failure();
        forgetLoops(end, loop);
        end.merge(entry);
        if (end == entry)
          break;
        entry = end;
      }
      placing = dry.get();
      state = entry;
      if (failed(walkIteration(loop, state)))
        return failure();
      forgetLoops(state, loop);
      state.merge(before); // The loop may run no iteration.
      return success();
    }
    Accesses before = state;
    for (Region &region : op.getRegions()) {
      Accesses end = before;
      if (!region.empty() && failed(walkBlock(region.front(), end)))
        return failure();
      state.merge(end);
    }
    return success();
  }

  llvm::DenseSet<Value> divergent;
  /// False while a loop's body is walked only to learn what its end leaves.
  bool placing = true;
  /// The threads of the part of the block that is walked, of one team where it has several; 0 for all.
  int64_t group = 0;
  bool inTeam = false;
  /// Inside of a pipeline's loop.
  bool inRing = false;
};

} // namespace
