//===- draw_mappings.cpp - Mappings to measure, fixed beforehand ----*- C++ -*-===//
//
//   tilec-draw-mappings LIST TARGET BEST DRAWN FOLDER
//
// The file LIST has lines "FILE <tab> SHAPE", a shape as "m=64,n=8"; each FILE holds one computation. For each that is mapped to one launch,
// writes to FOLDER the nests that the analysis puts first for TARGET at SHAPE, at most BEST, the chosen one first, and at most DRAWN
// others, drawn at random from all candidates that can be planned, fit the machine and can be lowered; and FOLDER/list.txt, which
// tilec-measure reads. One line of JSON for each nest: {"line", "mapping", "predicted", "drawn"}, with the number of the line in LIST, from 0.
//
// Draws are those of mt19937 with the line's number as seed: the same input gives the same nests.
//
//===----------------------------------------------------------------------===//

#include "NestList.h"
#include "Parse.h"
#include "Target.h"
#include "Trial.h"

#include "mlir/IR/Verifier.h"
#include "tilec/Mapping/Import.h"
#include "tilec/Mapping/Mapping.h"
#include "tilec/Mapping/RowGroup.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <random>
#include <set>

using namespace tilec;
using mapping::Mapping;
using mapping::Problem;

namespace {

/// So many draws that come to nothing are enough.
constexpr unsigned kMostFailures = 400;

struct Drawn {
  std::string nest, mapping;
  double seconds;
  bool isDrawn;
};

class Drawer {
public:
  Drawer(const std::string &target, unsigned best, unsigned drawn) : target(target), best(best), drawn(drawn) {}

  /// Empty where nothing is found.
  std::vector<Drawn> draw(const std::string &text, const ListedNest &nest, unsigned seed) const;

private:
  std::string target;
  unsigned best, drawn;
};

} // namespace

/// What becomes of `mapping`; nothing where it is refused.
static std::optional<Drawn> tryMapping(const Problem &problem, const Mapping &mapping, mlir::ModuleOp around, const MachineSpec &machine) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(around.getLoc());
  (*module)->setAttrs(around->getAttrDictionary());
  mlir::OpBuilder builder(around.getContext());
  builder.setInsertionPointToStart(module->getBody());
  if (!writeNest(problem, nullptr, mapping, builder) || failed(mlir::verify(*module)))
    return std::nullopt;
  mlir::OwningOpRef<mlir::ModuleOp> plain = module->clone();
  std::optional<report::Analyses> analyses = planAndAnalyze(*module, machine, machine);
  if (!analyses || !analyses->prediction.seconds)
    return std::nullopt;
  Drawn drawn{"", mapping.toString(), *analyses->prediction.seconds, true};
  if (!lowers(*module, *analyses))
    return std::nullopt;
  (*plain)->setAttrs(mlir::DictionaryAttr::get(around.getContext()));
  drawn.nest = printIR(*plain);
  return drawn;
}

std::vector<Drawn> Drawer::draw(const std::string &text, const ListedNest &nest, unsigned seed) const {
  CompileOptions options;
  options.target = target;
  options.shape = nest.shape;
  options.cuda = options.cubin = false;
  CompileResult compiled = compile(text, nest.file, options);
  if (compiled.searches.size() != 1)
    return {};
  std::vector<Drawn> all;
  std::set<std::string> known;
  for (const Candidate &candidate : compiled.searches.front().best)
    if (all.size() < best && known.insert(candidate.nest).second)
      all.push_back({candidate.nest, candidate.mapping, candidate.seconds, false});

  mlir::MLIRContext context(nestDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::OwningOpRef<mlir::ModuleOp> module = parseNests(text, nest.file, context);
  Status status;
  if (!module || failed(mapping::importFunctions(*module)))
    return all;
  TargetResult machine = targetModule(*module, options, status);
  tile::KernelOp kernel = *module->getOps<tile::KernelOp>().begin();
  if (!mapping::isOpen(kernel))
    return all;
  mlir::FailureOr<Problem> problem = Problem::get(kernel, getArguments(kernel));
  if (failed(problem))
    problem = mapping::getRowProblem(kernel, getArguments(kernel));
  if (!machine || failed(problem))
    return all;
  size_t considered = 0;
  std::vector<Mapping> mappings = listMappings(*problem, nullptr, *machine.spec, std::numeric_limits<size_t>::max(), considered);
  std::mt19937 random(seed);
  size_t most = all.size() + drawn;
  for (unsigned failures = 0; all.size() < most && failures < kMostFailures && !mappings.empty();) {
    // Not uniform_int_distribution, which libraries differ in.
    size_t chosen = random() % mappings.size();
    std::optional<Drawn> tried = tryMapping(*problem, mappings[chosen], *module, *machine.spec);
    mappings[chosen] = mappings.back();
    mappings.pop_back();
    if (tried && known.insert(tried->nest).second)
      all.push_back(std::move(*tried));
    else
      ++failures;
  }
  return all;
}

int main(int argc, char **argv) {
  unsigned best = 0, drawn = 0;
  if (argc != 6 || llvm::StringRef(argv[3]).getAsInteger(10, best) || llvm::StringRef(argv[4]).getAsInteger(10, drawn)) {
    llvm::errs() << "usage: tilec-draw-mappings LIST TARGET BEST DRAWN FOLDER\n";
    return 2;
  }
  auto list = llvm::MemoryBuffer::getFile(argv[1]);
  std::string folder = argv[5];
  std::error_code error = llvm::sys::fs::create_directories(folder);
  llvm::raw_fd_ostream index(folder + "/list.txt", error);
  if (!list || error) {
    llvm::errs() << "tilec-draw-mappings: " << (list ? "cannot write to " + folder : std::string("no such list")) << "\n";
    return 1;
  }
  Drawer drawer(argv[2], best, drawn);
  unsigned line = 0;
  for (const ListedNest &nest : readNestList((*list)->getBuffer())) {
    auto text = llvm::MemoryBuffer::getFile(nest.file);
    std::vector<Drawn> nests;
    if (text)
      nests = drawer.draw((*text)->getBuffer().str(), nest, line);
    if (nests.empty())
      llvm::errs() << "tilec-draw-mappings: line " << line << ", " << nest.file << ", is not mapped to one launch and left out\n";
    std::string shape;
    for (const auto &[name, extent] : nest.shape)
      shape += (shape.empty() ? "" : ",") + name + "=" + std::to_string(extent);
    for (auto [number, each] : llvm::enumerate(nests)) {
      std::string path = folder + "/" + std::to_string(line) + "-" + std::to_string(number) + ".mlir";
      llvm::raw_fd_ostream(path, error) << each.nest;
      index << path << "\t" << shape << "\n";
      llvm::outs() << llvm::json::Value(llvm::json::Object{{"line", int64_t(line)}, {"mapping", each.mapping}, {"predicted", each.seconds}, {"drawn", each.isDrawn}}) << "\n";
    }
    ++line;
  }
  return 0;
}
