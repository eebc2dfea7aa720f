//===- Orders.cpp - The order of a product that ptxas likes best *- C++ -*-===//

#include "tilec/Driver/Orders.h"

#include "DeepThread.h"
#include "Parse.h"
#include "Sass.h"
#include "mlir/IR/Verifier.h"
#include "tilec/NVRTC/Compiler.h"
#include "tilec/Tile/Access.h"
#include "tilec/Tile/ComputeClauses.h"
#include "tilec/Tile/Distribution.h"
#include "tilec/Tile/Teams.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace tilec;
using tile::ForOp;

namespace {

/// Registers of an SM for each lane of a warp, and what setmaxnreg counts by and allows (PTX ISA 9.7.20.5).
constexpr int64_t kRegistersOfLane = 2048, kRegisterStep = 8, kFewestRegisters = 24, kMostRegisters = 256;

/// An induction variable of a loop on unroll around the product.
struct Unrolled {
  ForOp loop;
  unsigned number;
};

/// The nests with one kernel in an order, and what became of it.
struct Variant {
  std::string name, nest;
  /// The kernel's CUDA text, and the instruction set that it is for.
  std::string text, arch;
  double cycles = 0;
};

/// The product of a kernel: the computation by element whose points are the most.
class Product {
public:
  explicit Product(tile::KernelOp kernel);

  explicit operator bool() const { return bool(compute); }
  /// The loops on unroll right around it whose iterations write different elements, the outermost first.
  llvm::ArrayRef<Unrolled> getUnrolled() const { return unrolled; }
  /// Walks the induction variables `order` of them from the outermost to the innermost.
  void permute(llvm::ArrayRef<unsigned> order);
  /// Are the op's first two dimensions walked in the other order, and forth and back?
  std::pair<bool, bool> getPoints() const;
  void orderPoints(bool swapped, bool snake);

private:
  mlir::linalg::LinalgOp compute;
  llvm::SmallVector<Unrolled> unrolled;
};

/// Orders of one kernel of `compiled`.
class Chooser {
public:
  /// `source`: the nests, of which kernel `number` is looked at.
  Chooser(const CompileResult &compiled, size_t number, const std::string &source, const CompileOptions &compiling, const runtime::TemporaryFolders &folders)
      : compiled(compiled), number(number), source(source), compiling(compiling), folders(folders), context(nestDialects(), mlir::MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
    context.loadAllAvailableDialects();
  }

  OrdersResult run(unsigned count);

private:
  bool isOrderWritten();
  std::vector<Variant> listOrders(unsigned count);
  std::vector<Variant> listSplits(const Variant &of);
  /// The nests with `change` of the kernel; nothing where they are none then.
  std::optional<std::string> change(const std::string &nest, llvm::function_ref<bool(tile::KernelOp)> change);
  void judge(std::vector<Variant> variants);
  /// The cubins of `variants`, empty where they do not compile.
  std::vector<std::vector<uint8_t>> assemble(llvm::ArrayRef<const Variant *> variants);
  std::optional<std::string> disassemble(const std::vector<uint8_t> &cubin);
  const Variant &findBest() const;

  const CompileResult &compiled;
  const size_t number;
  const std::string &source;
  const CompileOptions &compiling;
  const runtime::TemporaryFolders &folders;
  mlir::MLIRContext context;
  /// What was judged, and the cycles of each text that was; 0 where there are no products, registers are spilled, or it does not compile.
  std::vector<Variant> tried;
  std::map<std::string, double> known;
};

} // namespace

Product::Product(tile::KernelOp kernel) {
  double most = 0;
  kernel.walk([&](mlir::linalg::LinalgOp op) {
    double points = 1;
    for (auto loop = op->getParentOfType<ForOp>(); loop; loop = loop->getParentOfType<ForOp>())
      for (unsigned i = 0; i < loop.getNumLoops(); ++i)
        points *= double(loop.getStaticCount(i).value_or(1));
    if (op.getNumReductionLoops() > 0 && op.getNumDpsInits() == 1 && points > most) {
      most = points;
      compute = op;
    }
  });
  if (!compute)
    return;
  tile::Access written = tile::traceParts(compute.getDpsInits()[0]);
  mlir::Operation *inner = compute;
  for (auto loop = compute->getParentOfType<ForOp>(); loop && loop.getUnit() == tile::Unit::Unroll; loop = loop->getParentOfType<ForOp>()) {
    // Only loops right around each other can be walked in another order.
    if (inner != compute.getOperation() && !llvm::hasSingleElement(loop.getBody().front()))
      break;
    for (unsigned i = loop.getNumLoops(); i-- > 0;)
      if (llvm::any_of(written.subscripts, [&](const tile::LinearExpr &sum) { return sum.factorOf(loop.getInductionVar(i)) != 0; }))
        unrolled.insert(unrolled.begin(), Unrolled{loop, i});
    inner = loop;
  }
}

void Product::permute(llvm::ArrayRef<unsigned> order) {
  struct Role {
    int64_t extent, step;
    mlir::Location name;
    llvm::SmallVector<mlir::OpOperand *> uses;
  };
  std::vector<Role> roles;
  for (const Unrolled &one : unrolled) {
    ForOp loop = one.loop;
    mlir::Value variable = loop.getInductionVar(one.number);
    roles.push_back({loop.getStaticExtents()[one.number], loop.getSteps()[one.number], variable.getLoc(), {}});
    for (mlir::OpOperand &use : variable.getUses())
      roles.back().uses.push_back(&use);
  }
  for (auto [place, from] : llvm::enumerate(order)) {
    ForOp loop = unrolled[place].loop;
    unsigned number = unrolled[place].number;
    llvm::SmallVector<int64_t> extents(loop.getStaticExtents()), steps(loop.getSteps());
    extents[number] = roles[from].extent;
    steps[number] = roles[from].step;
    loop.setStaticExtents(extents);
    loop.setSteps(steps);
    loop.getInductionVar(number).setLoc(roles[from].name);
    for (mlir::OpOperand *use : roles[from].uses)
      use->set(loop.getInductionVar(number));
  }
}

std::pair<bool, bool> Product::getPoints() const {
  std::optional<llvm::ArrayRef<int64_t>> order = tile::getOrder(compute);
  return {order && order->size() > 1 && order->front() == 1, compute->hasAttr(tile::kSnake)};
}

void Product::orderPoints(bool swapped, bool snake) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(compute.getNumLoops()));
  if (swapped && order.size() > 1)
    std::swap(order[0], order[1]);
  compute->removeAttr(tile::kSnake);
  compute->removeAttr(tile::kOrder);
  if (swapped || snake)
    compute->setAttr(tile::kOrder, mlir::DenseI64ArrayAttr::get(compute->getContext(), order));
  if (snake)
    compute->setAttr(tile::kSnake, mlir::UnitAttr::get(compute->getContext()));
}

std::optional<std::string> Chooser::change(const std::string &nest, llvm::function_ref<bool(tile::KernelOp)> change) {
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::OwningOpRef<mlir::ModuleOp> module = parseNests(nest, compiled.fileName, context);
  auto kernel = module ? module->lookupSymbol<tile::KernelOp>(compiled.kernels[number].name) : nullptr;
  if (!kernel || !change(kernel) || failed(mlir::verify(*module)))
    return std::nullopt;
  return printIR(*module);
}

/// Does the input state an order of points? That stays.
bool Chooser::isOrderWritten() {
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::OwningOpRef<mlir::ModuleOp> module = parseNests(compiled.problem.empty() ? source : compiled.problem, compiled.fileName, context);
  return module && module->walk([](mlir::linalg::LinalgOp op) { return op->hasAttr(tile::kOrder) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance(); }).wasInterrupted();
}

/// The nest's own order first.
std::vector<Variant> Chooser::listOrders(unsigned count) {
  std::vector<Variant> variants;
  unsigned places = 0;
  std::vector<std::pair<bool, bool>> points;
  change(source, [&](tile::KernelOp kernel) {
    if (Product product(kernel); product) {
      places = product.getUnrolled().size();
      points = {product.getPoints()};
    }
    return false;
  });
  if (points.empty())
    return variants;
  if (!isOrderWritten())
    for (auto other : {std::pair(false, false), {false, true}, {true, false}, {true, true}})
      if (other != points.front())
        points.push_back(other);
  std::vector<unsigned> order(places);
  std::iota(order.begin(), order.end(), 0);
  do {
    for (auto [swapped, snake] : points) {
      if (variants.size() == count)
        break;
      std::optional<std::string> nest = change(source, [&](tile::KernelOp kernel) {
        Product product(kernel);
        product.permute(order);
        // The nest's own order may be one of more dimensions.
        if (std::pair(swapped, snake) != points.front())
          product.orderPoints(swapped, snake);
        return true;
      });
      std::string name = "loops " + llvm::join(llvm::map_range(order, [](unsigned place) { return std::to_string(place); }), ", ");
      if (nest)
        variants.push_back({(places ? name : std::string("loops as written")) + (swapped ? ", points by columns" : "") + (snake ? ", forth and back" : ""), *nest, "", ""});
    }
  } while (variants.size() < count && std::next_permutation(order.begin(), order.end()));
  return variants;
}

/// What else producers can leave to the others than what the plan of `of` says.
std::vector<Variant> Chooser::listSplits(const Variant &of) {
  CompileOptions planning = compiling;
  planning.onDiagnostic = nullptr;
  planning.cuda = planning.cubin = false;
  CompileResult planned = compile(of.nest, compiled.fileName, planning);
  std::vector<Variant> variants;
  auto findRing = [](tile::KernelOp kernel) {
    ForOp ring;
    kernel.walk([&](ForOp loop) { ring = loop.getProducers() ? loop : ring; });
    return ring;
  };
  int64_t own = 0, producers = 0, others = 0;
  bool written = false;
  change(of.nest, [&](tile::KernelOp kernel) {
    ForOp ring = findRing(kernel);
    written = ring && ring.getRegisters();
    return false;
  });
  change(planned.plan, [&](tile::KernelOp kernel) {
    ForOp ring = findRing(kernel);
    if (!ring || !ring.getRegisters())
      return false;
    own = (*ring.getRegisters())[1];
    producers = *ring.getProducers();
    others = tile::getComputeThreads(kernel) * tile::getTeams(kernel) / tile::kWarpThreads;
    return false;
  });
  if (own == 0 || written)
    return variants;
  // All threads begin with the same number, which is one of setmaxnreg's.
  int64_t warps = producers + others, all = kRegistersOfLane / warps / kRegisterStep * kRegisterStep * warps;
  for (int64_t more : {-2, -1, 1, 2}) {
    int64_t wanted = own + more * kRegisterStep;
    int64_t left = (all - wanted * others) / producers / kRegisterStep * kRegisterStep;
    if (wanted > kMostRegisters || left < kFewestRegisters)
      continue;
    std::optional<std::string> nest = change(of.nest, [&](tile::KernelOp kernel) {
      findRing(kernel).setRegisters(llvm::ArrayRef<int64_t>{std::min(left, wanted), wanted});
      return true;
    });
    if (nest)
      variants.push_back({of.name + ", " + std::to_string(wanted) + " registers", *nest});
  }
  return variants;
}

/// A program that disassembles cubins: in PATH, or of a toolkit.
static std::string findDisassembler(const CompileOptions &compiling, bool &hex) {
  for (llvm::StringRef name : {"cuobjdump", "nvdisasm"}) {
    hex = name == "nvdisasm";
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
      return *found;
    for (const runtime::LibraryPlace &place : runtime::toolkitPlaces(runtime::cudaSearchOfProcess(compiling.cudaPath)))
      for (llvm::StringRef below : {"bin", "../bin"}) {
        llvm::SmallString<128> path(place.folder);
        llvm::sys::path::append(path, below, name);
        if (!place.folder.empty() && llvm::sys::fs::can_execute(path))
          return std::string(path);
      }
  }
  return "";
}

std::optional<std::string> Chooser::disassemble(const std::vector<uint8_t> &cubin) {
  bool hex = false;
  std::string program = findDisassembler(compiling, hex);
  std::string folder = "/tmp/tilec-XXXXXX";
  if (program.empty() || !(folders.make ? folders.make(folder) : mkdtemp(folder.data()) != nullptr))
    return std::nullopt;
  std::string binary = folder + "/kernel.cubin", text = folder + "/kernel.sass";
  std::error_code error;
  llvm::raw_fd_ostream(binary, error).write(reinterpret_cast<const char *>(cubin.data()), cubin.size());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(text), llvm::StringRef("")};
  int status = error ? 1 : llvm::sys::ExecuteAndWait(program, {program, hex ? "-hex" : "-sass", binary}, std::nullopt, redirects);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> read = llvm::MemoryBuffer::getFile(text);
  std::optional<std::string> disassembly;
  if (status == 0 && read)
    disassembly = (*read)->getBuffer().str();
  llvm::sys::fs::remove_directories(folder);
  if (folders.gone)
    folders.gone(folder);
  return disassembly;
}

std::vector<std::vector<uint8_t>> Chooser::assemble(llvm::ArrayRef<const Variant *> variants) {
  std::vector<std::vector<uint8_t>> cubins(variants.size());
  runDeep(variants.size(), [&](unsigned item) {
    if (runtime::Result<nvrtc::Compiler> compiler = nvrtc::Compiler::open(runtime::cudaSearchOfProcess(compiling.cudaPath)))
      cubins[item] = compiler->compile(variants[item]->text, compiled.fileName, variants[item]->arch, {}).cubin;
  });
  return cubins;
}

/// Compiles `variants` and reads what became of them. Many have one text, since loops that run once have no order.
void Chooser::judge(std::vector<Variant> variants) {
  CompileOptions silent = compiling;
  silent.onDiagnostic = nullptr;
  silent.cuda = true;
  silent.cubin = false;
  runDeep(variants.size(), [&](unsigned item) {
    CompileResult built = compile(variants[item].nest, compiled.fileName, silent);
    if (built.status != Status::Done || number >= built.kernels.size())
      return;
    variants[item].text = built.kernels[number].cuda;
    variants[item].arch = built.kernels[number].arch;
  });
  std::vector<const Variant *> unread;
  for (const Variant &variant : variants)
    if (!variant.text.empty() && known.insert({variant.text, 0}).second)
      unread.push_back(&variant);
  for (auto [variant, cubin] : llvm::zip(unread, assemble(unread))) {
    SassFigures figures = readSass(cubin.empty() ? "" : disassemble(cubin).value_or(""));
    if (figures.spills == 0)
      known[variant->text] = figures.getCyclesPerProduct().value_or(0);
  }
  for (Variant &variant : variants)
    if (auto found = known.find(variant.text); found != known.end() && found->second > 0) {
      variant.cycles = found->second;
      tried.push_back(std::move(variant));
    }
}

/// Of equal ones the first.
const Variant &Chooser::findBest() const {
  return *std::min_element(tried.begin(), tried.end(), [](const Variant &a, const Variant &b) { return a.cycles < b.cycles; });
}

OrdersResult Chooser::run(unsigned count) {
  OrdersResult result;
  judge(listOrders(count));
  if (tried.empty())
    return result;
  judge(listSplits(findBest()));
  result.lines = {"cycles a product  order" + (compiled.kernels.size() > 1 ? " of " + compiled.kernels[number].name : "")};
  for (const Variant &variant : tried) {
    std::string line;
    llvm::raw_string_ostream(line) << llvm::format("%16.4f  ", variant.cycles) << variant.name;
    result.lines.push_back(line);
  }
  result.lines.push_back("taken: " + findBest().name);
  result.nest = findBest().nest;
  return result;
}

/// Orders of all kernels, one after the other.
static OrdersResult chooseOrders(const CompileResult &compiled, const CompileOptions &compiling, unsigned count, const runtime::TemporaryFolders &folders) {
  OrdersResult all;
  bool hex = false;
  if (findDisassembler(compiling, hex).empty()) {
    all.lines = {"neither cuobjdump nor nvdisasm is there to read what the compiler made; the order stays as it is"};
    return all;
  }
  for (size_t number = 0; number < compiled.kernels.size(); ++number) {
    OrdersResult one = Chooser(compiled, number, all.nest.empty() ? compiled.source : all.nest, compiling, folders).run(count);
    all.lines.insert(all.lines.end(), one.lines.begin(), one.lines.end());
    if (!one.nest.empty())
      all.nest = one.nest;
  }
  if (all.lines.empty())
    all.lines = {compiled.kernels.size() == 1 ? "the kernel has no loop of fused multiply-adds whose order could matter"
                                              : "no kernel has a loop of fused multiply-adds whose order could matter"};
  return all;
}

OrdersResult tilec::chooseOrder(const CompileResult &compiled, const CompileOptions &compiling, unsigned count, const Answers &answers,
                                const runtime::TemporaryFolders &folders) {
  runtime::Result<nvrtc::Compiler> compiler = nvrtc::Compiler::open(runtime::cudaSearchOfProcess(compiling.cudaPath));
  if (!compiler)
    return {Status::Missing, {compiler.message()}, ""};
  std::string question = "orders, tilec " TILEC_VERSION ", NVRTC " + std::to_string(compiler->versionMajor()) + "." + std::to_string(compiler->versionMinor()) + ", " +
                         compiled.kernels.front().arch + ", " + compiling.target + ", " + std::to_string(count) + "\n";
  for (const auto &[name, extent] : compiling.shape)
    question += name + "=" + std::to_string(extent) + "\n";
  question += compiled.source;
  if (std::optional<std::string> known = answers.find(question))
    return {Status::Done, {"as it was found before; --cache=off reads again"}, *known};
  OrdersResult result = chooseOrders(compiled, compiling, count, folders);
  if (!result.nest.empty())
    answers.keep(question, result.nest);
  return result;
}
