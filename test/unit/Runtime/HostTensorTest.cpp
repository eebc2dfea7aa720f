//===- HostTensorTest.cpp - Strided tensors and .npy ----------*- C++ -*-===//
//
// Guards, element order, fills, and files as NumPy writes them.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/HostTensor.h"
#include "TemporaryFolder.h"
#include "tilec/Runtime/Npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

using namespace tilec::runtime;

namespace {

HostTensor make(ElementType type, std::vector<int64_t> shape, std::vector<int64_t> strides) {
  return *HostTensor::create(type, std::move(shape), std::move(strides));
}

void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(HostTensor, RowMajorStrides) {
  EXPECT_EQ(rowMajorStrides({2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  // Rows of 4 + 3 elements, planes of 3 such rows.
  EXPECT_EQ(rowMajorStrides({2, 3, 4}, 3), (std::vector<int64_t>{21, 7, 1}));
  EXPECT_EQ(rowMajorStrides({2, 0}), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(rowMajorStrides({}), (std::vector<int64_t>{}));
}

TEST(HostTensor, ElementsAndGuards) {
  // Two rows of 3 in rows of 5: offsets 0 1 2 5 6 7, 8 elements of 2 bytes.
  HostTensor tensor = make(ElementType::F16, {2, 3}, {5, 1});
  EXPECT_EQ(tensor.elementCount(), 6);
  EXPECT_EQ(tensor.spanBytes(), 16);
  EXPECT_EQ(tensor.offsetOf(4), 6);
  EXPECT_TRUE(std::isnan(tensor.get(4))) << "unwritten elements are NaN";
  ASSERT_FALSE(tensor.fromDoubles({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(tensor.get(4), 4.0);
  // 4 = 2^2: exponent 17, 0x4400, the element at byte 12.
  EXPECT_EQ(tensor.getBits(4), 0x4400u);
  EXPECT_EQ(tensor.data()[13], 0x44);
  EXPECT_EQ(tensor.toDoubles(), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_FALSE(tensor.checkGuards("A"));

  tensor.data()[9] = 0;
  EXPECT_EQ(tensor.checkGuards("A")->message,
            "tensor 'A' was written outside its elements: byte 9 from element 0, in a gap between "
            "its rows");
  tensor.data()[9] = 0xff;
  tensor.data()[16] = 1;
  EXPECT_EQ(tensor.checkGuards("A")->message,
            "tensor 'A' was written outside its elements: byte 16 from element 0, after its last "
            "element");
  tensor.data()[16] = 0xff;
  tensor.data()[-1] = 1;
  EXPECT_EQ(tensor.checkGuards("A")->message,
            "tensor 'A' was written outside its elements: byte -1 from element 0, before its "
            "first element");
}

TEST(HostTensor, TransposedAndScalarAndEmpty) {
  HostTensor transposed = make(ElementType::S32, {2, 3}, {1, 2});
  ASSERT_FALSE(transposed.fromDoubles({0, 1, 2, 3, 4, 5}));
  // Element (1, 0), number 3, is the second in memory.
  EXPECT_EQ(transposed.data()[4], 3);
  HostTensor scalar = make(ElementType::F32, {}, {});
  ASSERT_FALSE(scalar.fromDoubles({7}));
  EXPECT_EQ(scalar.get(0), 7.0);
  HostTensor empty = make(ElementType::F32, {0, 4}, {4, 1});
  EXPECT_EQ(empty.spanBytes(), 0);
  EXPECT_TRUE(empty.toDoubles().empty());
  EXPECT_FALSE(empty.checkGuards("E"));
}

TEST(HostTensor, OffsetMovesElementZero) {
  HostTensor tensor = *HostTensor::create(ElementType::F16, {4}, {1}, 3);
  EXPECT_EQ(tensor.dataOffset() % 256, 6);
}

TEST(HostTensor, RefusesShapesThatCannotBe) {
  auto refusal = [](std::vector<int64_t> shape, std::vector<int64_t> strides) {
    auto tensor = HostTensor::create(ElementType::F32, shape, strides);
    return tensor ? "accepted" : tensor.message();
  };
  EXPECT_EQ(refusal({2, 3}, {2, 1}),
            "tensor of shape (2, 3) with strides (2, 1) would hold two elements in one place");
  EXPECT_EQ(refusal({-1}, {1}), "tensor of shape (-1) has an extent below 0");
  EXPECT_EQ(refusal({0}, {0}), "tensor has stride 0, strides must be positive");
  // 2^40 floats are 2^42 bytes.
  EXPECT_EQ(refusal({int64_t(1) << 40}, {1}),
            "tensor of shape (1099511627776) with strides (1) takes 4398046511104 bytes, the "
            "limit is 1099511627776");
}

TEST(HostTensor, FillsAreReproducibleAndIndependentOfStrides) {
  HostTensor dense = make(ElementType::F32, {50, 40}, {40, 1});
  HostTensor strided = make(ElementType::F64, {50, 40}, {1, 64});
  fillIntegers(dense, 1);
  fillIntegers(strided, 1);
  EXPECT_EQ(dense.toDoubles(), strided.toDoubles());
  std::vector<int> seen(9, 0);
  for (double value : dense.toDoubles()) {
    ASSERT_EQ(value, std::floor(value));
    ASSERT_LE(std::fabs(value), 4.0);
    ++seen[size_t(value + 4)];
  }
  // 2000 draws of 9 values: 222 each, with a standard deviation of 14.
  for (int count : seen)
    EXPECT_NEAR(count, 222, 70);
  fillIntegers(strided, 2);
  EXPECT_NE(dense.toDoubles(), strided.toDoubles());

  fillUniform(strided, 1, 2.0, 4.0);
  double sum = 0;
  for (double value : strided.toDoubles()) {
    ASSERT_GE(value, 2.0);
    ASSERT_LT(value, 4.0);
    sum += value;
  }
  // Mean 3, standard deviation of the mean 2 / sqrt(12 * 2000) = 0.013.
  EXPECT_NEAR(sum / 2000, 3.0, 0.065);
  EXPECT_FALSE(strided.checkGuards("A"));
}

TEST(HostTensor, DistinctNumbers) {
  for (int64_t count : {1, 2, 6, 12, 37, 4096}) {
    HostTensor tensor = make(ElementType::S64, {count}, {1});
    for (uint64_t seed : {1, 2000006}) {
      fillDistinct(tensor, seed, count);
      std::vector<int> seen(size_t(count), 0);
      for (double value : tensor.toDoubles())
        ++seen[size_t(value)];
      EXPECT_EQ(seen, std::vector<int>(size_t(count), 1));
    }
  }
}

TEST(Npy, RoundTrip) {
  TemporaryFolder folder;
  std::string path = folder.path() + "/a.npy";
  for (ElementType type : {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16,
                           ElementType::E4M3, ElementType::S64, ElementType::S32, ElementType::S16, ElementType::S8}) {
    HostTensor tensor = make(type, {3, 5}, {8, 1});
    fillIntegers(tensor, 5);
    std::ofstream(path, std::ios::binary) << printNpy(tensor);
    HostTensor loaded = make(type, {3, 5}, {1, 3});
    MaybeError error = loadNpy(path, loaded);
    ASSERT_FALSE(error) << error->message;
    EXPECT_EQ(loaded.toDoubles(), tensor.toDoubles());
  }
}

// 2^53 + 1 has no double: files of 64-bit integers are read and written in all their bits, and are values of no other type beyond 2^53.
TEST(Npy, IntegersOf64Bits) {
  TemporaryFolder folder;
  std::string path = folder.path() + "/a.npy";
  HostTensor tensor = make(ElementType::S64, {2}, {1}), loaded = make(ElementType::S64, {2}, {1});
  int64_t values[] = {-(int64_t(1) << 53), (int64_t(1) << 53) + 1};
  std::memcpy(tensor.data(), values, sizeof(values));
  std::string file = printNpy(tensor);
  EXPECT_EQ(std::memcmp(file.data() + file.size() - sizeof(values), values, sizeof(values)), 0);
  std::ofstream(path, std::ios::binary) << file;
  EXPECT_FALSE(loadNpy(path, loaded));
  EXPECT_EQ(loaded.toIntegers(), (std::vector<int64_t>{values[0], values[1]}));
  HostTensor reals = make(ElementType::F64, {2}, {1});
  values[1] += 1;
  std::memcpy(tensor.data(), values, sizeof(values));
  std::ofstream(path, std::ios::binary) << printNpy(tensor);
  EXPECT_EQ(loadNpy(path, reals)->message, path + " holds an integer beyond 2^53, up to which those of 64 bits are read as f64");
}

/// A file as NumPy 1.x writes it: np.save of a 2x2 array.
std::string numpyFile(const std::string &header, const std::string &data) {
  std::string padded = header;
  padded.append(128 - 10 - 1 - header.size(), ' ');
  padded += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(padded.size()) + '\0' + padded + data;
}

TEST(Npy, ReadsNumpysFiles) {
  TemporaryFolder folder;
  std::string path = folder.path() + "/a.npy";
  std::string data({1, 2, 3, 4, 5, 6});
  writeText(path, numpyFile("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }", data));
  EXPECT_EQ(readNpy(path)->values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  // Column-major: columns (1 2) (3 4) (5 6).
  writeText(path, numpyFile("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }", data));
  EXPECT_EQ(readNpy(path)->values, (std::vector<double>{1, 3, 5, 2, 4, 6}));
  writeText(path, numpyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (6,), }", data));
  EXPECT_EQ(readNpy(path)->shape, (std::vector<int64_t>{6}));
}

TEST(Npy, Refusals) {
  TemporaryFolder folder;
  std::string path = folder.path() + "/a.npy";
  auto refusal = [&](const std::string &text) {
    writeText(path, text);
    auto array = readNpy(path);
    std::string message = array ? "accepted" : array.message();
    return message.substr(std::min(path.size() + 1, message.size()));
  };
  EXPECT_EQ(refusal(""), "is no .npy file");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\x09\x00\x00\x00", 10)),
            "is a .npy file of version 9, versions 1 to 3 are known");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\x01\x00\x40\x00", 10)), "ends inside its .npy header");
  EXPECT_EQ(refusal(numpyFile("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "")),
            "has elements of type '|O', known are <f2, <f4, <f8, |i1, |u1, |b1, <i2, <i4, <i8");
  EXPECT_EQ(refusal(numpyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "abc")),
            "holds 3 bytes of data, shape (2,) of '<f4' needs 8");
  EXPECT_EQ(refusal(numpyFile("{'descr': '<f4', 'shape': (2,), }", "abc")),
            "has a .npy header that is not a dictionary of descr, fortran_order and shape");
  EXPECT_EQ(refusal(numpyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", "")),
            "has a .npy header that is not a dictionary of descr, fortran_order and shape");
  EXPECT_EQ(readNpy(folder.path() + "/none").message(),
            "cannot read " + folder.path() + "/none: No such file or directory");
  ASSERT_EQ(mkfifo((folder.path() + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(readNpy(folder.path() + "/fifo").message(),
            "cannot read " + folder.path() + "/fifo: no regular file");

  writeText(path, numpyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "\xc8"));
  HostTensor wrongShape = make(ElementType::S8, {2}, {1});
  EXPECT_EQ(loadNpy(path, wrongShape)->message, path + " has shape (1,), expected (2,)");
  HostTensor tooNarrow = make(ElementType::S8, {1}, {1});
  EXPECT_EQ(loadNpy(path, tooNarrow)->message,
            path + " holds 200.000000, which is no value of type s8");
}

} // namespace
