//===- Workspaces.cpp - Arrays that take the place of others ----*- C++ -*-===//

#include "tilec/Mapping/Launches.h"

#include "tilec/Tile/Program.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

using namespace mlir;
using namespace tilec;

/// The runs that use `array`, or a view of it, by their numbers.
static void addUses(Value array, const DenseMap<Operation *, unsigned> &runs, std::pair<unsigned, unsigned> &uses) {
  for (Operation *user : array.getUsers()) {
    if (tile::isView(user)) {
      addUses(user->getResult(0), runs, uses);
    } else if (auto run = runs.find(user); run != runs.end()) {
      uses.first = std::min(uses.first, run->second);
      uses.second = std::max(uses.second, run->second);
    }
  }
}

void mapping::shareWorkspaces(tile::ProgramOp program) {
  Block &body = program.getBody().front();
  if (llvm::any_of(body, [](Operation &op) { return op.getNumRegions() > 0; }))
    return;
  DenseMap<Operation *, unsigned> runs;
  for (auto run : body.getOps<tile::RunOp>())
    runs.insert({run, unsigned(runs.size())});
  // In the order of the runs that write them first.
  std::map<std::pair<unsigned, unsigned>, std::pair<tile::WorkspaceOp, unsigned>> spaces;
  for (auto [number, space] : llvm::enumerate(body.getOps<tile::WorkspaceOp>())) {
    std::pair<unsigned, unsigned> uses = {~0u, 0};
    addUses(space, runs, uses);
    spaces[{uses.first, unsigned(number)}] = {space, uses.second};
  }
  std::vector<std::pair<tile::WorkspaceOp, unsigned>> kept;
  for (auto &[order, space] : spaces) {
    unsigned first = order.first;
    auto [array, last] = space;
    auto isFree = [&](const std::pair<tile::WorkspaceOp, unsigned> &other) {
      tile::WorkspaceOp before = other.first;
      return other.second < first && before.getType() == array.getType() && before->getOperands() == array->getOperands() &&
             before->getAttrDictionary() == array->getAttrDictionary() && before->isBeforeInBlock(array);
    };
    auto free = llvm::find_if(kept, isFree);
    if (free == kept.end()) {
      kept.push_back(space);
      continue;
    }
    array.getResult().replaceAllUsesWith(free->first.getResult());
    array.erase();
    free->second = last;
  }
}
