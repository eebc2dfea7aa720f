//===- Npy.cpp - NumPy array files ----------------------------*- C++ -*-===//
//
// The header is a Python dictionary literal; exactly the three keys that NumPy
// writes are read, anything else is refused.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Npy.h"

#include "FileIO.h"

#include <cmath>
#include <cstring>
#include <string_view>

namespace tilec::runtime {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

std::string describe(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (int64_t extent : shape)
    text += std::to_string(extent) + ", ";
  if (shape.size() > 1)
    text.resize(text.size() - 2);
  else if (shape.size() == 1)
    text.pop_back();
  return text + ")";
}

struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }".
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : rest(text) {}

  bool read(Header &header) {
    if (!eat("{"))
      return false;
    bool haveDescr = false, haveOrder = false, haveShape = false;
    while (!eat("}")) {
      std::string key;
      if (!readString(key) || !eat(":"))
        return false;
      bool known = false;
      if (key == "descr" && !haveDescr)
        known = haveDescr = readString(header.descr);
      else if (key == "fortran_order" && !haveOrder)
        known = haveOrder = readBool(header.fortranOrder);
      else if (key == "shape" && !haveShape)
        known = haveShape = readShape(header.shape);
      if (!known)
        return false;
      if (!eat(",") && peek() != '}')
        return false;
    }
    skipSpace();
    return rest.empty() && haveDescr && haveOrder && haveShape;
  }

private:
  void skipSpace() {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\n'))
      rest.remove_prefix(1);
  }

  char peek() {
    skipSpace();
    return rest.empty() ? '\0' : rest[0];
  }

  bool eat(std::string_view token) {
    skipSpace();
    if (rest.substr(0, token.size()) != token)
      return false;
    rest.remove_prefix(token.size());
    return true;
  }

  bool readString(std::string &value) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = rest.find(quote, 1);
    if (end == std::string_view::npos)
      return false;
    value = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }

  bool readBool(bool &value) {
    value = eat("True");
    return value || eat("False");
  }

  bool readShape(std::vector<int64_t> &shape) {
    if (!eat("("))
      return false;
    while (!eat(")")) {
      char first = peek();
      if (first < '0' || first > '9')
        return false;
      int64_t extent = 0;
      for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(1)) {
        extent = extent * 10 + (rest[0] - '0');
        if (extent > int64_t(1) << 40)
          return false;
      }
      shape.push_back(extent);
      if (shape.size() > 32 || (!eat(",") && peek() != ')'))
        return false;
    }
    return true;
  }

  std::string_view rest;
};

/// One element of the file as a double; nothing for a dtype not listed.
using Decoder = double (*)(const unsigned char *);

template <typename T>
double decodeAs(const unsigned char *source) {
  T value;
  std::memcpy(&value, source, sizeof(T));
  return double(value);
}

struct FileType {
  std::string_view descr;
  unsigned bytes;
  Decoder decode;
};

constexpr FileType fileTypes[] = {
    {"<f8", 8, decodeAs<double>},
    {"<f4", 4, decodeAs<float>},
    {"<f2", 2, [](const unsigned char *source) { return decodeElement(ElementType::F16, source); }},
    // As NumPy writes arrays of ml_dtypes.bfloat16.
    {"<V2", 2, [](const unsigned char *source) { return decodeElement(ElementType::BF16, source); }},
    {"|V2", 2, [](const unsigned char *source) { return decodeElement(ElementType::BF16, source); }},
    {"|i1", 1, decodeAs<int8_t>},
    {"|u1", 1, decodeAs<uint8_t>},
    {"|b1", 1, decodeAs<uint8_t>},
    {"<i2", 2, decodeAs<int16_t>},
    {"<i4", 4, decodeAs<int32_t>},
    {"<i8", 8, decodeAs<int64_t>},
};

/// The type that a tensor is stored as.
struct StoredType {
  std::string_view descr;
  ElementType type;
};

StoredType storedType(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return {"<f8", ElementType::F64};
  case ElementType::F16:
    return {"<f2", ElementType::F16};
  case ElementType::S64:
    return {"<i8", ElementType::S64};
  case ElementType::S32:
    return {"<i4", ElementType::S32};
  case ElementType::S16:
    return {"<i2", ElementType::S16};
  case ElementType::S8:
    return {"|i1", ElementType::S8};
  case ElementType::U8:
    return {"|u1", ElementType::U8};
  default:
    return {"<f4", ElementType::F32};
  }
}

/// Reorders column-major values to row-major ones.
template <typename T>
std::vector<T> transposed(const std::vector<T> &values, const std::vector<int64_t> &shape) {
  std::vector<T> result(values.size());
  std::vector<int64_t> coordinate(shape.size(), 0);
  for (T value : values) {
    int64_t index = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      index = index * shape[dim] + coordinate[dim];
    result[size_t(index)] = value;
    for (size_t dim = 0; dim < shape.size() && ++coordinate[dim] == shape[dim]; ++dim)
      coordinate[dim] = 0;
  }
  return result;
}

} // namespace

Result<NpyArray> readNpy(const std::string &path) {
  Result<std::string> file = readFile(path);
  if (!file)
    return file.error();
  std::string_view text = *file;
  if (text.substr(0, magic.size()) != magic || text.size() < 10)
    return Error{path + " is no .npy file"};
  unsigned char major = text[6];
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (major < 1 || major > 3)
    return Error{path + " is a .npy file of version " + std::to_string(major) +
                 ", versions 1 to 3 are known"};
  if (text.size() < 8 + lengthBytes)
    return Error{path + " ends inside its .npy header"};
  size_t headerLength = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    headerLength |= size_t(static_cast<unsigned char>(text[8 + i])) << (8 * i);
  if (headerLength > text.size() - 8 - lengthBytes)
    return Error{path + " ends inside its .npy header"};
  Header header;
  if (!HeaderReader(text.substr(8 + lengthBytes, headerLength)).read(header))
    return Error{path + " has a .npy header that is not a dictionary of descr, fortran_order "
                        "and shape"};
  const FileType *type = nullptr;
  for (const FileType &candidate : fileTypes)
    if (candidate.descr == header.descr)
      type = &candidate;
  if (!type)
    return Error{path + " has elements of type '" + header.descr +
                 "', known are <f2, <f4, <f8, |i1, |u1, |b1, <i2, <i4, <i8"};

  std::string_view data = text.substr(8 + lengthBytes + headerLength);
  size_t count = 1;
  bool fits = true;
  for (int64_t extent : header.shape)
    fits &= !__builtin_mul_overflow(count, size_t(extent), &count);
  size_t bytes = 0;
  fits &= !__builtin_mul_overflow(count, size_t(type->bytes), &bytes);
  if (!fits || data.size() != bytes)
    return Error{path + " holds " + std::to_string(data.size()) + " bytes of data, shape " +
                 describe(header.shape) + " of '" + header.descr + "' needs " +
                 (fits ? std::to_string(bytes) : std::string("more than 2^64"))};
  NpyArray array;
  array.shape = header.shape;
  array.values.reserve(count);
  for (size_t i = 0; i < count; ++i)
    array.values.push_back(
        type->decode(reinterpret_cast<const unsigned char *>(data.data()) + i * type->bytes));
  if (header.descr == "<i8") {
    array.integers.resize(count);
    std::memcpy(array.integers.data(), data.data(), bytes);
  }
  if (header.fortranOrder && array.shape.size() > 1) {
    array.values = transposed(array.values, array.shape);
    if (!array.integers.empty())
      array.integers = transposed(array.integers, array.shape);
  }
  return array;
}

MaybeError loadNpy(const std::string &path, HostTensor &tensor) {
  Result<NpyArray> array = readNpy(path);
  if (!array)
    return array.error();
  if (array->shape != tensor.shape())
    return Error{path + " has shape " + describe(array->shape) + ", expected " +
                 describe(tensor.shape())};
  if (tensor.type() == ElementType::S64 && !array->integers.empty())
    return tensor.fromIntegers(array->integers);
  if (!array->integers.empty())
    for (double value : array->values)
      if (std::fabs(value) > mostExactInteger)
        return Error{path + " holds an integer beyond 2^53, up to which those of 64 bits are read as " + std::string(elementTypeName(tensor.type()))};
  if (!isFloatingPoint(tensor.type()))
    for (double value : array->values)
      if (roundToType(tensor.type(), value) != value)
        return Error{path + " holds " + std::to_string(value) + ", which is no value of type " +
                     std::string(elementTypeName(tensor.type()))};
  return tensor.fromDoubles(array->values);
}

std::string printNpy(const HostTensor &tensor) {
  StoredType stored = storedType(tensor.type());
  std::string header = "{'descr': '" + std::string(stored.descr) +
                       "', 'fortran_order': False, 'shape': " + describe(tensor.shape()) + ", }";
  // The data must start at a multiple of 64: 10 bytes go in front, 1 ends it.
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string file(magic);
  file += '\x01';
  file += '\x00';
  file += char(header.size() & 0xff);
  file += char(header.size() >> 8);
  file += header;
  unsigned width = byteWidth(stored.type);
  size_t position = file.size();
  int64_t count = tensor.elementCount();
  file.resize(position + size_t(count) * width);
  for (int64_t index = 0; index < count; ++index, position += width) {
    if (stored.type == tensor.type())
      std::memcpy(&file[position], tensor.data() + tensor.offsetOf(index) * width, width);
    else
      encodeElement(stored.type, tensor.get(index), &file[position]);
  }
  return file;
}

} // namespace tilec::runtime
