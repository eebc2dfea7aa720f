//===- Harness.cpp - Running small kernel texts in tests ------*- C++ -*-===//
//
// See Harness.h.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <algorithm>
#include <map>

namespace tilec::emulator::test {

using runtime::KernelDescription;
using runtime::Parameter;

TestTensor TestTensor::matrix(int64_t rows, int64_t columns, int64_t pitch) {
  pitch = std::max(pitch, columns);
  TestTensor tensor{{rows, columns}, {std::max<int64_t>(pitch, 1), 1}, {}};
  tensor.data.assign(std::max<int64_t>(rows * pitch, 1), 1e30f);
  int value = 0;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      tensor.at(row, column) = float(value++ % 7 - 3);
  return tensor;
}

TestTensor TestTensor::vector(int64_t size) {
  TestTensor tensor = matrix(1, size);
  tensor.shape = {size};
  tensor.strides = {1};
  return tensor;
}

const HostModule *compile(const std::string &text) {
  static std::map<std::string, HostModule> modules;
  auto found = modules.find(text);
  if (found != modules.end())
    return &found->second;
  runtime::Result<std::string> compiler = findHostCompiler();
  if (!compiler) {
    ADD_FAILURE() << compiler.message();
    return nullptr;
  }
  runtime::Result<HostModule> module = compileForHost(text, "test", *compiler);
  if (!module) {
    ADD_FAILURE() << module.message();
    return nullptr;
  }
  // Each keeps stacks of its own, and a process has a limit of mappings (vm.max_map_count).
  constexpr size_t mostModules = 64;
  if (modules.size() == mostModules)
    modules.clear();
  return &modules.emplace(text, *module).first->second;
}

KernelDescription describe(const Kernel &kernel, const std::vector<TestTensor> &tensors) {
  KernelDescription description;
  description.symbol = "test";
  description.blockThreads = kernel.blockThreads;
  description.staticSharedBytes = kernel.staticSharedBytes;
  description.dynamicSharedBytes = kernel.dynamicSharedBytes;
  description.clusterBlocks = kernel.clusterBlocks;
  description.dependent = kernel.dependent;
  description.tensorMaps = kernel.tensorMaps;
  description.grid = {{runtime::Extent::constant(kernel.blocks), 1}};
  for (size_t i = 0; i < tensors.size(); ++i) {
    runtime::TensorArgument tensor;
    tensor.name = kernel.tensors[i].substr(0, 1);
    const char role = kernel.tensors[i].back();
    if (kernel.tensors[i].find('#') != std::string::npos)
      tensor.type = runtime::ElementType::S32;
    tensor.read = role != '=';
    tensor.written = role == '=' || role == '+';
    for (int64_t extent : tensors[i].shape)
      tensor.shape.push_back(runtime::Extent::constant(extent));
    tensor.strides.assign(tensors[i].shape.size(), runtime::Stride::dynamic());
    if (role == '!') {
      tensor.constant = true;
      tensor.symbol = tensor.name;
      tensor.strides = {runtime::Stride::constant(1)};
    } else {
      description.parameters.push_back(Parameter::tensorBase(i));
    }
    description.tensors.push_back(tensor);
  }
  for (size_t i = 0; i < kernel.tensorMaps.size(); ++i)
    description.parameters.push_back(Parameter::tensorMap(i));
  for (size_t i = 0; i < kernel.sizes.size(); ++i) {
    description.sizes.push_back({kernel.sizes[i]});
    description.parameters.push_back(Parameter::size(i));
  }
  if (kernel.passStrides)
    for (size_t i = 0; i < tensors.size(); ++i)
      for (size_t dim = 0; dim < tensors[i].shape.size(); ++dim)
        description.parameters.push_back(Parameter::tensorStride(i, dim));
  for (size_t i = 0; i < kernel.scalars.size(); ++i) {
    description.scalars.push_back({kernel.scalars[i], runtime::ElementType::F32});
    description.parameters.push_back(Parameter::scalar(i));
  }
  return description;
}

Report launch(const Kernel &kernel, std::vector<TestTensor> &tensors,
              const std::vector<int64_t> &sizes, const std::vector<double> &scalars,
              const RunOptions &options) {
  const HostModule *module = compile(kernel.text);
  if (!module)
    return {};
  runtime::LaunchArguments arguments;
  arguments.sizes = sizes;
  arguments.scalars = scalars;
  for (TestTensor &tensor : tensors)
    arguments.tensors.push_back({reinterpret_cast<uint64_t>(tensor.data.data()), tensor.strides});
  runtime::Result<Report> report = run(*module, describe(kernel, tensors), arguments, options);
  if (!report) {
    ADD_FAILURE() << report.message();
    return {};
  }
  return std::move(*report);
}

std::string replaced(const std::string &text, const std::string &from, const std::string &to) {
  const size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << "no \"" << from << "\" in the text";
  if (place == std::string::npos)
    return text;
  EXPECT_EQ(text.find(from, place + 1), std::string::npos) << "\"" << from << "\" is not unique";
  return text.substr(0, place) + to + text.substr(place + from.size());
}

int lineOf(const std::string &text, const std::string &what) {
  const size_t place = text.find(what);
  EXPECT_NE(place, std::string::npos) << "no \"" << what << "\" in the text";
  return 1 + std::count(text.begin(), text.begin() + std::min(place, text.size()), '\n');
}

SiteCounters siteAt(const Report &report, const std::string &text, const std::string &what,
                    const std::string &object) {
  SiteCounters result;
  int matches = 0;
  for (const SiteCounters &site : report.sites)
    if (site.line == lineOf(text, what) && site.object == object) {
      result = site;
      ++matches;
    }
  EXPECT_EQ(matches, 1) << "call sites of " << object << " at \"" << what << "\"";
  return result;
}

testing::AssertionResult hasFinding(const Report &report, FindingKind kind, int line,
                                    const std::string &words) {
  for (const Finding &finding : report.findings)
    if (finding.kind == kind && finding.line == line &&
        finding.message.find(words) != std::string::npos)
      return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no finding \"" << findingKindName(kind) << "\" at line "
                                     << line << " with \"" << words << "\" in:\n"
                                     << report.describeFindings("kernel.cu");
}

} // namespace tilec::emulator::test
