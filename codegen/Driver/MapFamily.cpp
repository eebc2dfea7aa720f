//===- MapFamily.cpp - Kernels for shapes, and who takes which ---*- C++ -*-===//

#include "MapFamily.h"

#include "Parse.h"
#include "ProgramReport.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Mapping/FamilyRule.h"
#include "tilec/Report/BuildRecord.h"
#include "tilec/Tile/Program.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "tilec/Transforms/PlanNest.h"

#include <cmath>

using namespace tilec;
using mapping::FamilyQuestion;
using mapping::FamilyRule;

namespace {

using Sizes = std::map<std::string, int64_t>;

/// The nests of one shape, planned.
struct Member {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string text;
};

class FamilyMapper {
public:
  FamilyMapper(mlir::ModuleOp module, const std::vector<Sizes> &shapes, const MachineSpec &machine)
      : module(module), shapes(shapes), machine(machine) {}

  mlir::FailureOr<std::vector<FamilyShape>> run();

private:
  mlir::LogicalResult addMember(const Sizes &sizes);
  double predict(unsigned member, const std::vector<int64_t> &shape);
  void narrow(FamilyRule &rule, const std::vector<std::vector<int64_t>> &reaching);
  double timeOf(const FamilyRule &rule, std::vector<int64_t> shape, unsigned size, int64_t value);
  void writeRule(const FamilyRule &rule, mlir::OpBuilder &builder, tile::ProgramOp program);
  void writeMember(unsigned member, mlir::OpBuilder &builder, tile::ProgramOp program);
  mlir::Value writeQuestion(const FamilyQuestion &question, mlir::OpBuilder &builder,
                            tile::ProgramOp program);
  std::vector<FamilyShape> describe(const FamilyRule &rule);

  mlir::ModuleOp module;
  const std::vector<Sizes> &shapes;
  const MachineSpec &machine;
  /// The kernel whose mapping is open, and the names of its sizes.
  tile::KernelOp kernel;
  std::vector<std::string> names;
  std::vector<Member> members;
  mapping::FamilyTable table;
  /// What `predict` has said before.
  std::map<std::pair<unsigned, std::vector<int64_t>>, double> known;
  /// The member's number in the names of its kernels, once it is part of the program.
  std::map<unsigned, unsigned> numbers;
};

} // namespace

/// Maps and plans a copy of the kernel for `sizes`.
mlir::LogicalResult FamilyMapper::addMember(const Sizes &sizes) {
  Member member{module.clone(), ""};
  setSizes(*member.module, sizes);
  if (failed(checkSizes(*member.module)))
    return mlir::failure();
  table.shapes.push_back(getSizeValues(*member.module->getOps<tile::KernelOp>().begin()));
  mlir::FailureOr<OpenNests> nests = takeOpenNests(*member.module);
  if (failed(nests) || failed(mapKernels(*member.module, *nests, machine)) ||
      failed(planModule(*member.module)))
    return mlir::failure();
  mlir::DictionaryAttr attributes = (*member.module)->getAttrDictionary();
  (*member.module)->setAttrs(mlir::DictionaryAttr::get(member.module->getContext()));
  member.text = printIR(*member.module);
  (*member.module)->setAttrs(attributes);
  if (llvm::none_of(members, [&](const Member &other) { return other.text == member.text; }))
    members.push_back(std::move(member));
  return mlir::success();
}

/// The time of a member at a shape that it may not be made for; infinite where it does not run
/// there.
double FamilyMapper::predict(unsigned member, const std::vector<int64_t> &shape) {
  auto [entry, isNew] = known.try_emplace({member, shape}, INFINITY);
  if (!isNew)
    return entry->second;
  mlir::ModuleOp made = *members[member].module;
  Sizes sizes;
  for (auto [name, value] : llvm::zip_equal(names, shape))
    sizes[name] = value;
  setSizes(made, sizes);
  // What does not fit at this shape is no mistake of anybody.
  mlir::ScopedDiagnosticHandler quiet(made.getContext(),
                                      [](mlir::Diagnostic &) { return mlir::success(); });
  std::optional<double> seconds;
  if (auto programs = made.getOps<tile::ProgramOp>(); !programs.empty()) {
    seconds = predictTime(*programs.begin(), machine);
  } else {
    tile::KernelOp alone = *made.getOps<tile::KernelOp>().begin();
    if (mlir::FailureOr<report::Analyses> analyses =
            report::analyzeKernel(alone, getArguments(alone), machine);
        succeeded(analyses))
      seconds = analyses->prediction.seconds;
  }
  return entry->second = seconds.value_or(INFINITY);
}

/// The time of what `rule` chooses at `shape` with another value of one size.
double FamilyMapper::timeOf(const FamilyRule &rule, std::vector<int64_t> shape, unsigned size,
                            int64_t value) {
  shape[size] = value;
  return predict(rule.choose(shape), shape);
}

/// Moves limits from the shapes that were mapped to where what is on their two sides takes the same
/// time.
void FamilyMapper::narrow(FamilyRule &rule, const std::vector<std::vector<int64_t>> &reaching) {
  if (!rule.question)
    return;
  FamilyQuestion &question = *rule.question;
  std::vector<std::vector<int64_t>> holds, others;
  for (const std::vector<int64_t> &shape : reaching)
    (question.holds(shape) ? holds : others).push_back(shape);
  narrow(*rule.yes, holds);
  narrow(*rule.no, others);
  if (question.kind != FamilyQuestion::Kind::Less)
    return;
  int64_t low = 0, high = question.number;
  for (const std::vector<int64_t> &shape : holds)
    low = std::max(low, shape[question.size]);
  // The least value from which the second answer is as fast, where there is one such value: both
  // are asked at all shapes.
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    double lower = 0, upper = 0;
    for (const std::vector<int64_t> &shape : reaching) {
      lower += std::log(timeOf(*rule.yes, shape, question.size, middle));
      upper += std::log(timeOf(*rule.no, shape, question.size, middle));
    }
    (upper <= lower ? high : low) = middle;
  }
  question.number = high;
}

mlir::Value FamilyMapper::writeQuestion(const FamilyQuestion &question, mlir::OpBuilder &builder,
                                        tile::ProgramOp program) {
  auto sizes =
      llvm::make_filter_range(program.getBody().getArguments(), [](mlir::BlockArgument argument) {
        return argument.getType().isIndex();
      });
  mlir::Value size = *std::next(sizes.begin(), question.size);
  mlir::Location loc = program.getLoc();
  auto constant = [&](int64_t number) -> mlir::Value {
    return mlir::arith::ConstantIndexOp::create(builder, loc, number);
  };
  mlir::Value number = constant(question.number);
  if (question.kind == FamilyQuestion::Kind::Less)
    return mlir::arith::CmpIOp::create(builder, loc, mlir::arith::CmpIPredicate::ult, size, number);
  mlir::Value rest = mlir::arith::RemUIOp::create(builder, loc, size, number);
  return mlir::arith::CmpIOp::create(builder, loc, mlir::arith::CmpIPredicate::eq, rest,
                                     constant(0));
}

/// The launches of a member, and its kernels ahead of the program the first time.
void FamilyMapper::writeMember(unsigned member, mlir::OpBuilder &builder, tile::ProgramOp program) {
  auto [entry, isNew] = numbers.try_emplace(member, numbers.size());
  mlir::ModuleOp made = *members[member].module;
  auto nameOf = [&, number = entry->second](llvm::StringRef name) {
    llvm::StringRef own = kernel.getSymName();
    return (own + "_" + llvm::Twine(number) +
            (name.starts_with(own) ? name.drop_front(own.size()) : name))
        .str();
  };
  if (isNew) {
    mlir::OpBuilder ahead(program);
    for (auto part : made.getOps<tile::KernelOp>())
      mlir::cast<tile::KernelOp>(ahead.clone(*part)).setSymName(nameOf(part.getSymName()));
  }
  auto programs = made.getOps<tile::ProgramOp>();
  if (programs.empty()) {
    llvm::SmallVector<mlir::Value> arguments(program.getBody().getArguments());
    tile::RunOp::create(builder, program.getLoc(), nameOf(kernel.getSymName()), arguments);
    return;
  }
  mlir::IRMapping copied;
  copied.map((*programs.begin()).getBody().getArguments(), program.getBody().getArguments());
  for (mlir::Operation &op : (*programs.begin()).getBody().front())
    builder.clone(op, copied)->walk([&](tile::RunOp run) { run.setKernel(nameOf(run.getKernel())); });
}

void FamilyMapper::writeRule(const FamilyRule &rule, mlir::OpBuilder &builder,
                             tile::ProgramOp program) {
  if (!rule.question)
    return writeMember(rule.candidate, builder, program);
  auto choice = mlir::scf::IfOp::create(builder, program.getLoc(),
                                        writeQuestion(*rule.question, builder, program),
                                        /*withElseRegion=*/true);
  mlir::OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
  writeRule(*rule.yes, then, program);
  writeRule(*rule.no, otherwise, program);
}

std::vector<FamilyShape> FamilyMapper::describe(const FamilyRule &rule) {
  std::vector<FamilyShape> told;
  for (const std::vector<int64_t> &shape : table.shapes) {
    FamilyShape &one = told.emplace_back();
    for (auto [name, value] : llvm::zip_equal(names, shape))
      one.sizes.push_back({name, value});
    unsigned chosen = rule.choose(shape);
    one.seconds = predict(chosen, shape);
    one.best = INFINITY;
    for (unsigned member = 0; member < members.size(); ++member)
      one.best = std::min(one.best, predict(member, shape));
    one.member = numbers.empty() ? 0 : numbers.at(chosen);
  }
  return told;
}

mlir::FailureOr<std::vector<FamilyShape>> FamilyMapper::run() {
  auto kernels = module.getOps<tile::KernelOp>();
  if (!llvm::hasSingleElement(module.getBody()->getOperations()) || kernels.empty()) {
    module.emitError("a family is made of a file's only kernel or function");
    return mlir::failure();
  }
  if (shapes.size() > kMostFamilyShapes) {
    module.emitError("a family is asked for at ")
        << shapes.size() << " shapes, which are more than " << kMostFamilyShapes;
    return mlir::failure();
  }
  kernel = *kernels.begin();
  for (mlir::BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex())
      names.push_back(analysis::nameOf(argument));
  for (const Sizes &sizes : shapes)
    if (failed(addMember(sizes)))
      return mlir::failure();
  for (unsigned member = 0; member < members.size(); ++member) {
    std::vector<double> &row = table.seconds.emplace_back();
    for (const std::vector<int64_t> &shape : table.shapes)
      row.push_back(predict(member, shape));
  }
  FamilyRule rule = mapping::findRule(table);
  narrow(rule, table.shapes);
  if (rule.question) {
    mlir::OpBuilder builder(kernel);
    tile::ProgramOp program = tile::createProgram(builder, kernel);
    mlir::OpBuilder inside = mlir::OpBuilder::atBlockEnd(&program.getBody().front());
    writeRule(rule, inside, program);
    kernel.erase();
  } else {
    module.getBodyRegion().takeBody(members[rule.candidate].module->getBodyRegion());
  }
  return describe(rule);
}

mlir::FailureOr<std::vector<FamilyShape>> tilec::mapFamily(mlir::ModuleOp module,
                                                           const std::vector<Sizes> &shapes,
                                                           const MachineSpec &machine) {
  return FamilyMapper(module, shapes, machine).run();
}
