//===- RunPlan.cpp - What a kernel is run on ---------------------*- C++ -*-===//
//
// Extents come from the shape, else from files, else from the default. Strides
// that the kernel fixes cannot be asked to be others.
//
//===----------------------------------------------------------------------===//

#include "RunPlan.h"

#include "tilec/Analysis/LaunchLayouts.h"
#include "tilec/Runtime/Npy.h"
#include "tilec/Transforms/ModuleTarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstdlib>

using namespace tilec;
using namespace tilec::runtime;
using llvm::StringRef;

namespace {

/// What --arg says about one tensor.
struct TensorWords {
  std::string file;
  std::optional<bool> columns;
  int64_t gap = 0;
  int64_t offset = 0;
};

class Planner {
public:
  Planner(const KernelDescription &kernel, const RunOptions &options, const std::vector<int64_t> &defaultExtents)
      : kernel(kernel), options(options), defaultExtents(defaultExtents), words(kernel.tensors.size()),
        sizes(kernel.sizes.size()) {
    plan.scalars.assign(kernel.scalars.size(), 1.0);
  }

  Result<RunPlan> make() {
    if (MaybeError error = readArguments())
      return *error;
    if (MaybeError error = readShape())
      return *error;
    if (MaybeError error = readFiles())
      return *error;
    if (MaybeError error = checkSaves())
      return *error;
    for (auto [size, byDefault] : llvm::zip_equal(sizes, defaultExtents))
      plan.sizes.push_back(size.value_or(byDefault));
    for (size_t i = 0; i < kernel.tensors.size(); ++i)
      if (MaybeError error = layOut(kernel.tensors[i], words[i]))
        return *error;
    return plan;
  }

private:
  Error unknown(StringRef flag, StringRef name) const;
  MaybeError readArguments();
  MaybeError readScalar(const ScalarArgument &scalar, const std::string &text, double &value) const;
  MaybeError readSetting(StringRef tensor, StringRef setting, const std::string &text, TensorWords &to) const;
  MaybeError readShape();
  MaybeError readFiles();
  MaybeError checkSaves() const;
  MaybeError layOut(const TensorArgument &tensor, const TensorWords &wanted);

  const KernelDescription &kernel;
  const RunOptions &options;
  const std::vector<int64_t> &defaultExtents;
  std::vector<TensorWords> words;
  std::vector<std::optional<int64_t>> sizes;
  RunPlan plan;
};

/// The argument called `name`; where there is none, the only one that differs
/// from it in upper and lower case alone.
template <typename Arguments>
std::optional<size_t> findArgument(const Arguments &arguments, StringRef name) {
  std::optional<size_t> similar;
  bool several = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == name)
      return i;
    if (name.equals_insensitive(arguments[i].name)) {
      several |= similar.has_value();
      similar = i;
    }
  }
  return several ? std::nullopt : similar;
}

/// The argument called `name`, no other.
template <typename Arguments>
std::optional<size_t> findExactly(const Arguments &arguments, StringRef name) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name == name)
      return i;
  return std::nullopt;
}

std::string quote(StringRef text) { return ("'" + text + "'").str(); }

std::string listNumbers(const std::vector<int64_t> &numbers) {
  return "(" + llvm::join(llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }), ", ") + ")";
}

} // namespace

Error Planner::unknown(StringRef flag, StringRef name) const {
  std::vector<std::string> known;
  if (flag == "--shape") {
    for (const SizeArgument &size : kernel.sizes)
      known.push_back(size.name);
  } else {
    for (const TensorArgument &tensor : kernel.tensors)
      known.push_back(tensor.name);
  }
  if (flag == "--arg")
    for (const ScalarArgument &scalar : kernel.scalars)
      known.push_back(scalar.name);
  std::string has = known.empty() ? "none" : llvm::join(known, ", ");
  if (flag == "--arg" && findArgument(kernel.sizes, name))
    has += "; the extent " + name.str() + " is given with --shape";
  return Error{flag.str() + ": kernel " + quote(kernel.symbol) + " has no argument " + quote(name) + " of that kind; it has " + has};
}

MaybeError Planner::readScalar(const ScalarArgument &scalar, const std::string &text, double &value) const {
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  std::string type(elementTypeName(scalar.type));
  if (text.empty() || *end)
    return Error{"--arg " + scalar.name + ": " + quote(text) + " is no number; the argument is of type " + type};
  double rounded = roundToType(scalar.type, value);
  if (!isFloatingPoint(scalar.type) && std::fabs(value) > mostExactInteger)
    return Error{"--arg " + scalar.name + ": " + quote(text) + " is beyond 2^53, up to which integers are read"};
  if (!isFloatingPoint(scalar.type) && rounded != value)
    return Error{"--arg " + scalar.name + ": " + quote(text) + " is no value of type " + type};
  value = rounded;
  return std::nullopt;
}

MaybeError Planner::readSetting(StringRef tensor, StringRef setting, const std::string &text, TensorWords &to) const {
  std::string where = ("--arg " + tensor + "." + setting + ": ").str();
  if (setting == "order") {
    if (text != "rows" && text != "columns")
      return Error{where + quote(text) + " is no order, expected rows or columns"};
    to.columns = text == "columns";
    return std::nullopt;
  }
  if (setting != "gap" && setting != "offset")
    return Error{where + "no such setting; a tensor has order, gap and offset"};
  constexpr int64_t most = int64_t(1) << 31;
  int64_t &number = setting == "gap" ? to.gap : to.offset;
  if (StringRef(text).getAsInteger(10, number) || number < 0 || number > most)
    return Error{where + quote(text) + " is no number of elements from 0 to " + std::to_string(most)};
  return std::nullopt;
}

MaybeError Planner::readArguments() {
  for (const auto &[name, text] : options.arguments) {
    if (std::optional<size_t> scalar = findExactly(kernel.scalars, name)) {
      if (MaybeError error = readScalar(kernel.scalars[*scalar], text, plan.scalars[*scalar]))
        return error;
      continue;
    }
    if (std::optional<size_t> tensor = findExactly(kernel.tensors, name)) {
      words[*tensor].file = text;
      continue;
    }
    auto [tensorName, setting] = StringRef(name).rsplit('.');
    std::optional<size_t> tensor = findExactly(kernel.tensors, tensorName);
    if (setting.empty() || !tensor)
      return unknown("--arg", name);
    if (MaybeError error = readSetting(tensorName, setting, text, words[*tensor]))
      return error;
  }
  return std::nullopt;
}

MaybeError Planner::readShape() {
  for (const auto &[name, value] : options.shape) {
    std::optional<size_t> size = findArgument(kernel.sizes, name);
    if (!size)
      return unknown("--shape", name);
    if (value < 0 || value > maxExtent)
      return Error{"--shape " + name + "=" + std::to_string(value) + ": an extent lies within 0.." + std::to_string(maxExtent)};
    if (sizes[*size] && *sizes[*size] != value)
      return Error{"--shape gives " + kernel.sizes[*size].name + " twice: " + std::to_string(*sizes[*size]) + " and " + std::to_string(value)};
    sizes[*size] = value;
  }
  return std::nullopt;
}

MaybeError Planner::readFiles() {
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const TensorArgument &tensor = kernel.tensors[i];
    if (words[i].file.empty())
      continue;
    Result<NpyArray> array = readNpy(words[i].file);
    if (!array)
      return Error{"--arg " + tensor.name + ": " + array.message()};
    std::string has = words[i].file + " holds an array of shape " + listNumbers(array->shape);
    if (array->shape.size() != tensor.shape.size())
      return Error{"--arg " + tensor.name + ": " + has + ", the operand has " + std::to_string(tensor.shape.size()) + " dimensions"};
    for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
      const Extent &extent = tensor.shape[dim];
      int64_t inFile = array->shape[dim];
      if (extent.size && !sizes[*extent.size]) {
        if (inFile > maxExtent)
          return Error{"--arg " + tensor.name + ": " + has + ", an extent lies within 0.." + std::to_string(maxExtent)};
        sizes[*extent.size] = inFile;
      }
      int64_t expected = extent.size ? *sizes[*extent.size] : extent.value;
      if (inFile != expected)
        return Error{"--arg " + tensor.name + ": " + has + ", the operand has " + std::to_string(expected) + " elements along dimension " +
                     std::to_string(dim) + (extent.size ? " (" + kernel.sizes[*extent.size].name + ")" : "")};
    }
  }
  return std::nullopt;
}

MaybeError Planner::checkSaves() const {
  for (const std::string &name : options.saves)
    if (!findExactly(kernel.tensors, name))
      return unknown("--save", name);
  return std::nullopt;
}

MaybeError Planner::layOut(const TensorArgument &tensor, const TensorWords &wanted) {
  Result<std::vector<int64_t>> shape = tensorShape(kernel, tensor, plan.sizes);
  if (!shape)
    return shape.error();
  size_t rank = shape->size();
  if (rank < 2 && wanted.gap > 0)
    return Error{"--arg " + tensor.name + ".gap: an operand with " + std::to_string(rank) + " dimensions has no rows"};
  if (int64_t bytes = wanted.offset * byteWidth(tensor.type); bytes % tensor.alignment)
    return Error{"--arg " + tensor.name + ".offset: the kernel takes addresses that are multiples of " + std::to_string(tensor.alignment) +
                 " bytes, the offset is " + std::to_string(bytes) + " bytes"};
  std::vector<std::optional<int64_t>> strides;
  std::vector<int64_t> dense = rowMajorStrides(*shape);
  for (auto [stride, next] : llvm::zip_equal(tensor.strides, dense))
    strides.push_back(tensor.dense ? std::optional(next) : stride.value);
  analysis::OpenLayout open = {wanted.columns.value_or(analysis::takesColumns(strides)), wanted.gap};
  llvm::SmallVector<int64_t> laidOut = analysis::layOut(*shape, strides, open);
  for (auto [stride, extent] : llvm::zip_equal(laidOut, *shape))
    if (int64_t span; llvm::MulOverflow(stride, std::max<int64_t>(extent, 1), span))
      return Error{"operand " + quote(tensor.name) + " of shape " + listNumbers(*shape) + " is too large"};
  if (wanted.columns.value_or(false) || wanted.gap > 0) {
    llvm::SmallVector<int64_t> asked = analysis::layOut(*shape, std::vector<std::optional<int64_t>>(rank), open);
    for (size_t i = 0; i < rank; ++i)
      if (size_t dim = open.columns ? i : rank - 1 - i; laidOut[dim] != asked[dim])
        return Error{"--arg " + tensor.name + ": the kernel takes stride " + std::to_string(laidOut[dim]) + " along dimension " +
                     std::to_string(dim) + " only, not " + std::to_string(asked[dim])};
  }
  plan.tensors.push_back({*shape, {laidOut.begin(), laidOut.end()}, wanted.offset, wanted.file});
  return std::nullopt;
}

/// An extent for `kernel` to be verified at: edges in each direction, and two blocks or more that might race.
static int64_t getVerifiedExtent(const KernelDescription &kernel, size_t size, int64_t usual) {
  int64_t extent = usual > 8 ? usual - 4 : usual;
  for (const GridTerm &term : kernel.grid)
    if (term.extent.size == size) {
      // Rows stay whole 16 bytes of f32 where blocks are that wide.
      int64_t width = term.step > 4 ? 4 : 1;
      if (extent < term.step + term.step / 2)
        extent = int64_t(llvm::alignTo(term.step + term.step / 2, width));
      while (term.step > 1 && extent % term.step == 0)
        extent += width;
    }
  return extent;
}

std::vector<int64_t> tilec::getDefaultExtents(const KernelDescription &kernel, const RunOptions &options, RunPlace place) {
  size_t open = llvm::count_if(kernel.sizes, [&](const SizeArgument &size) {
    return llvm::none_of(options.shape, [&](const auto &given) { return StringRef(given.first).equals_insensitive(size.name); });
  });
  int64_t usual = getDefaultExtent(open, place == RunPlace::GPU ? defaultExtentOnGPU : defaultExtentOnCPU);
  std::vector<int64_t> extents;
  for (size_t size = 0; size < kernel.sizes.size(); ++size)
    extents.push_back(options.verify ? getVerifiedExtent(kernel, size, usual) : usual);
  return extents;
}

Result<RunPlan> tilec::planRun(const KernelDescription &kernel, const RunOptions &options, const std::vector<int64_t> &defaultExtents) {
  return Planner(kernel, options, defaultExtents).make();
}

RunPlan tilec::addGaps(const KernelDescription &kernel, const RunOptions &options, const RunPlan &plan) {
  RunPlan result = plan;
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const TensorArgument &tensor = kernel.tensors[i];
    RunOptions wider = options;
    if (!wider.arguments.try_emplace(tensor.name + ".gap", std::to_string(16 / byteWidth(tensor.type))).second)
      continue;
    // Extents are known; what a file says about them was said.
    for (size_t size = 0; size < kernel.sizes.size(); ++size)
      wider.shape[kernel.sizes[size].name] = plan.sizes[size];
    if (Result<RunPlan> planned = planRun(kernel, wider, plan.sizes))
      result.tensors[i].strides = planned->tensors[i].strides;
  }
  return result;
}

Result<std::vector<HostTensor>> tilec::createTensors(const KernelDescription &kernel, const RunPlan &plan) {
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const TensorPlan &tensor = plan.tensors[i];
    Result<HostTensor> created = HostTensor::create(kernel.tensors[i].type, tensor.shape, tensor.strides, tensor.offset);
    if (!created)
      return Error{"operand " + quote(kernel.tensors[i].name) + ": " + created.message()};
    tensors.push_back(std::move(*created));
  }
  return tensors;
}
