//===- RingDeviceTest.cpp - The same texts on the GPU ---------*- C++ -*-===//
//
// What the emulator runs, NVRTC takes for sm_90a, and a device of compute
// capability 9.0 computes the same. Skipped with the reason where there is none.
//
//===----------------------------------------------------------------------===//

#include "RingTexts.h"

#include "tilec/Kernel/VocabularyRows.h"
#include "tilec/NVRTC/Compiler.h"
#include "tilec/Runtime/Device.h"

#include <map>

namespace tilec::emulator::test {
namespace {

using vocabulary::VocabularyEntry;
using vocabulary::VocabularyTable;

/// The kernel after the definitions of what it names, in the printer's order.
std::string withDeviceSide(const std::string &text) {
  std::map<std::string_view, std::string_view> used;
  for (const VocabularyEntry &entry : VocabularyTable)
    if (text.find(entry.function) != std::string::npos)
      used[entry.function] = entry.device;
  std::string complete;
  for (const auto &entry : used)
    complete += entry.second;
  return complete + text;
}

class RingOnDevice : public testing::Test {
protected:
  void SetUp() override {
    runtime::Result<nvrtc::Compiler> opened = nvrtc::Compiler::open(runtime::cudaSearchOfProcess());
    if (!opened)
      GTEST_SKIP() << opened.message();
    compiler.emplace(std::move(*opened));
  }

  std::vector<uint8_t> compile(const Kernel &kernel) {
    nvrtc::CompileOutput output =
        compiler->compile(withDeviceSide(kernel.text), "ring.cu", "sm_90a", {});
    EXPECT_TRUE(output.ok) << output.log;
    // Registers can change hands only if ptxas knows how many there are.
    EXPECT_EQ(output.log.find("setmaxnreg"), std::string::npos) << output.log;
    return output.cubin;
  }

  /// Runs the kernel often on the device, checking each result.
  void run(const Kernel &kernel, RingProblem &problem) {
    const std::vector<uint8_t> cubin = compile(kernel);
    runtime::Result<runtime::Device> device = runtime::Device::open(runtime::cudaSearchOfProcess());
    if (!device)
      GTEST_SKIP() << device.message();
    if (device->properties().ccMajor != 9)
      GTEST_SKIP() << device->properties().name << " is no machine for sm_90a";
    runtime::Result<runtime::Stream> stream = device->createStream();
    ASSERT_TRUE(stream) << stream.message();
    runtime::Result<runtime::Kernel> loaded = device->load(cubin, describe(kernel, problem.tensors));
    ASSERT_TRUE(loaded) << loaded.message();
    runtime::LaunchArguments arguments;
    arguments.sizes = problem.sizes();
    std::vector<runtime::DeviceBuffer> buffers;
    for (TestTensor &tensor : problem.tensors) {
      const size_t bytes = tensor.data.size() * sizeof(float);
      runtime::Result<runtime::DeviceBuffer> buffer = device->allocate(bytes, *stream);
      ASSERT_TRUE(buffer) << buffer.message();
      buffers.push_back(std::move(*buffer));
      EXPECT_FALSE(stream->copyToDevice(buffers.back(), 0, tensor.data.data(), bytes));
      arguments.tensors.push_back({buffers.back().address(), tensor.strides});
    }
    TestTensor &c = problem.tensors[2];
    constexpr uint8_t nan = 0xff;
    for (int repetition = 0; repetition < 20; ++repetition) {
      EXPECT_FALSE(stream->fill(buffers[2], nan));
      runtime::MaybeError error = loaded->launch(arguments, *stream);
      ASSERT_FALSE(error) << error->message;
      EXPECT_FALSE(stream->copyToHost(c.data.data(), buffers[2], 0, c.data.size() * sizeof(float)));
      error = stream->synchronize();
      ASSERT_FALSE(error) << error->message;
      ASSERT_TRUE(problem.isRight()) << "repetition " << repetition;
    }
  }

  std::optional<nvrtc::Compiler> compiler;
};

TEST_F(RingOnDevice, Ring) {
  RingProblem problem(1000, 333, 501);
  run(ringGemm(132), problem);
}

TEST_F(RingOnDevice, RingWithoutSteps) {
  RingProblem problem(64, 64, 0);
  run(ringGemm(4), problem);
}

TEST_F(RingOnDevice, Multicast) {
  // 10 x 11 pairs of tiles of 64 x 32.
  RingProblem problem(640, 333, 501);
  run(multicastGemm(2 * 10 * 11), problem);
}

} // namespace
} // namespace tilec::emulator::test
