//===- LayoutOperations.cpp - What `tilec layout` computes ------*- C++ -*-===//

#include "LayoutOperations.h"

#include "tilec/Layout/Draw.h"
#include "tilec/Layout/Parse.h"
#include "tilec/Layout/Text.h"

#include <algorithm>
#include <cstdlib>

using namespace tilec::layout;

std::string quoteJson(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "\"";
}

namespace {

std::string jsonNumber(int64_t value) {
  return value == kSymbolic ? "null" : std::to_string(value);
}

/// A tuple as nested arrays, symbolic leaves as null.
std::string jsonTuple(const IntTuple &tuple) {
  if (tuple.isLeaf())
    return jsonNumber(tuple.value());
  std::string out = "[";
  for (size_t i = 0; i < tuple.rank(); ++i)
    out += (i ? "," : "") + jsonTuple(tuple.element(i));
  return out + "]";
}

class Operations {
public:
  Operations(const LayoutRequest &request, std::optional<size_t> &badArgument)
      : request(request), op(request.op), args(request.args), badArgument(badArgument) {}

  Result<LayoutOutput> run();

private:
  /// Parses argument `i`, remembering it as the place of an error.
  template <typename T>
  Result<T> read(size_t i, Result<T> (*parse)(std::string_view)) {
    Result<T> value = parse(args[i]);
    if (!value)
      badArgument = i;
    return value;
  }
  Result<Layout> readPlain(size_t i);

  /// Is the first argument the name of an instruction? Layouts start otherwise.
  bool namesInstruction() const { return !args[0].empty() && args[0][0] >= 'a' && args[0][0] <= 'z'; }
  Result<LayoutOutput> print();
  Result<LayoutOutput> printInstruction();
  Result<LayoutOutput> number(const char *key, Result<int64_t> value, const ComposedLayout &layout,
                              std::optional<int64_t> marked = std::nullopt);
  Result<LayoutOutput> offsetOf();
  Result<LayoutOutput> coordinateOf();
  Result<LayoutOutput> unflatten();
  Result<LayoutOutput> coalesced();
  Result<LayoutOutput> unary(Result<Layout> (*operation)(const Layout &), const char *name);
  Result<LayoutOutput> complemented();
  Result<LayoutOutput> composed();
  Result<LayoutOutput> divided(Result<Layout> (*operation)(const Layout &, const Tiler &));
  Result<LayoutOutput> multiplied();
  Result<LayoutOutput> swizzled();
  Result<LayoutOutput> drawn();
  Result<LayoutOutput> layoutOutput(const ComposedLayout &result, std::vector<NamedLayout> picture);
  Error noElement(const ComposedLayout &layout, int64_t offset);

  const LayoutRequest &request;
  const std::string &op;
  const std::vector<std::string> &args;
  std::optional<size_t> &badArgument;
};

} // namespace

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The members that describe a layout.
static Result<std::string> layoutJson(const ComposedLayout &layout) {
  Result<int64_t> cosize = layout.cosize();
  std::string out = "\"layout\": " + quoteJson(layout.str()) +
                    ", \"shape\": " + jsonTuple(layout.layout().shape()) +
                    ", \"stride\": " + jsonTuple(layout.layout().stride());
  if (!layout.isPlain())
    out += ", \"swizzle\": " + quoteJson(layout.swizzle().str()) +
           ", \"offset\": " + std::to_string(layout.baseOffset());
  return out + ", \"size\": " + jsonNumber(layout.size()) +
         ", \"cosize\": " + (cosize ? jsonNumber(*cosize) : "null");
}

Result<LayoutOutput> Operations::layoutOutput(const ComposedLayout &result,
                                              std::vector<NamedLayout> picture) {
  LayoutOutput output;
  output.text = result.str() + "\n";
  output.json = *layoutJson(result);
  if (!request.picture)
    return output;
  picture.push_back({"result", result});
  Result<std::string> svg = drawLayouts(picture);
  if (!svg)
    return svg.error();
  output.svg = *std::move(svg);
  return output;
}

Result<LayoutOutput> Operations::number(const char *key, Result<int64_t> value,
                                        const ComposedLayout &layout,
                                        std::optional<int64_t> marked) {
  if (!value)
    return value.error();
  LayoutOutput output;
  output.text = formatExtent(*value) + "\n";
  output.json = std::string("\"") + key + "\": " + jsonNumber(*value);
  if (!request.picture)
    return output;
  Result<std::string> svg = drawLayout(layout, marked);
  if (!svg)
    return svg.error();
  output.svg = *std::move(svg);
  return output;
}

Result<Layout> Operations::readPlain(size_t i) {
  Result<ComposedLayout> layout = read(i, parseComposedLayout);
  if (!layout)
    return layout.error();
  if (layout->isPlain())
    return layout->layout();
  badArgument = i;
  return Error{op + " needs a layout without a swizzle, got " + layout->str()};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The record of an instruction.
Result<LayoutOutput> Operations::printInstruction() {
  Result<InstructionLayout> instruction = read(0, instructionLayout);
  if (!instruction)
    return instruction.error();
  LayoutOutput output;
  output.text = describeInstruction(*instruction);
  output.json = "\"instruction\": " + quoteJson(instruction->name) + ", \"threads\": " +
                std::to_string(instruction->threads) + ", \"operands\": [";
  const char *separator = "";
  for (const auto *operands : {&instruction->operands, &instruction->shared})
    for (const OperandLayout &operand : *operands) {
      output.json += separator + std::string("{\"name\": ") + quoteJson(operand.name) + ", \"tile\": [" +
                     std::to_string(operand.rows) + "," + std::to_string(operand.columns) + "], \"shared\": " +
                     (operand.sharedAlignment ? "true" : "false") + ", \"layout\": " +
                     quoteJson(operand.threadValue.str()) + "}";
      separator = ",";
    }
  output.json += "]";
  return output;
}

Result<LayoutOutput> Operations::print() {
  if (namesInstruction())
    return printInstruction();
  Result<ComposedLayout> layout = read(0, parseComposedLayout);
  if (!layout)
    return layout.error();
  constexpr int64_t kListed = 65536;
  LayoutOutput output;
  output.text = layout->str() + "\n";
  output.json = *layoutJson(*layout);
  Result<OffsetMap> map = mapOffsets(*layout, kListed);
  if (!map) {
    output.text += "no map and no table: " + map.error().message + "\n";
    output.json += ", \"compact\": null, \"map\": null";
  } else {
    output.text += formatOffsetMap(*layout, *map) + "\n" + formatOffsetTable(*layout);
    output.json +=
        std::string(", \"compact\": ") + (map->isCompact() ? "true" : "false") + ", \"map\": [";
    for (size_t i = 0; i < map->entries.size(); ++i)
      output.json += (i ? "," : "") + std::string("[") + std::to_string(map->entries[i].offset) +
                     "," + quoteJson(layout->layout().unflatten(map->entries[i].index)->str()) +
                     "]";
    output.json += "]";
  }
  if (request.picture) {
    Result<std::string> svg = drawLayout(*layout);
    if (!svg)
      return svg.error();
    output.svg = *std::move(svg);
  }
  return output;
}

Result<LayoutOutput> Operations::offsetOf() {
  Result<ComposedLayout> layout = read(0, parseComposedLayout);
  if (!layout)
    return layout.error();
  Result<IntTuple> coordinate = read(1, parseIntTuple);
  if (!coordinate)
    return coordinate.error();
  Result<int64_t> offset = layout->offset(*coordinate);
  return number("offset", offset, *layout, offset ? *offset : 0);
}

Error Operations::noElement(const ComposedLayout &layout, int64_t offset) {
  std::string message =
      "no element of " + layout.str() + " lies at offset " + std::to_string(offset);
  constexpr int64_t kSearched = 1 << 20;
  Result<OffsetMap> map = mapOffsets(layout, kSearched);
  if (!map)
    return Error{message};
  auto above = std::find_if(map->entries.begin(), map->entries.end(),
                            [&](const OffsetMap::Entry &entry) { return entry.offset > offset; });
  auto describe = [&](const OffsetMap::Entry &entry) {
    return std::to_string(entry.offset) + " at " + layout.layout().unflatten(entry.index)->str();
  };
  if (above == map->entries.end())
    return Error{message + ": the last offset is " + describe(map->entries.back())};
  if (above == map->entries.begin())
    return Error{message + ": the first offset is " + describe(*above)};
  return Error{message + ": the nearest are " + describe(*(above - 1)) + " and " +
               describe(*above)};
}

Result<LayoutOutput> Operations::coordinateOf() {
  Result<ComposedLayout> layout = read(0, parseComposedLayout);
  if (!layout)
    return layout.error();
  Result<int64_t> offset = read(1, parseInteger);
  if (!offset)
    return offset.error();
  constexpr size_t kListed = 64;
  Result<CoordinateList> list = coordinatesAt(*layout, *offset, kListed);
  if (!list)
    return list.error();
  if (list->coordinates.empty())
    return noElement(*layout, *offset);
  Result<LayoutOutput> output = number("offset", *offset, *layout, *offset);
  if (!output)
    return output;
  LayoutOutput result = *std::move(output);
  result.text.clear();
  result.json += ", \"coordinates\": [";
  for (size_t i = 0; i < list->coordinates.size(); ++i) {
    std::string coordinate = list->coordinates[i].str();
    result.text += (i ? " " : "") + coordinate;
    result.json += (i ? "," : "") + quoteJson(coordinate);
  }
  result.json += std::string("], \"complete\": ") + (list->complete ? "true" : "false");
  result.text += "\n";
  if (list->coordinates.size() > 1)
    result.text += (list->complete ? "" : "more than ") + std::to_string(list->coordinates.size()) +
                   " coordinates share offset " + std::to_string(*offset) + "\n";
  return result;
}

Result<LayoutOutput> Operations::unflatten() {
  Result<ComposedLayout> layout = read(0, parseComposedLayout);
  if (!layout)
    return layout.error();
  Result<int64_t> index = read(1, parseInteger);
  if (!index)
    return index.error();
  Result<IntTuple> coordinate = layout->layout().unflatten(*index);
  if (!coordinate)
    return coordinate.error();
  std::optional<int64_t> marked;
  if (layout->layout().isStatic())
    marked = (*layout)(*index);
  Result<LayoutOutput> output = number("index", *index, *layout, marked);
  if (!output)
    return output;
  LayoutOutput result = *std::move(output);
  result.text = coordinate->str() + "\n";
  result.json += ", \"coordinate\": " + quoteJson(coordinate->str());
  return result;
}

Result<LayoutOutput> Operations::coalesced() {
  Result<ComposedLayout> layout = read(0, parseComposedLayout);
  if (!layout)
    return layout.error();
  Result<Layout> inner = coalesce(layout->layout());
  if (args.size() == 2) {
    Result<IntTuple> profile = read(1, parseIntTuple);
    if (!profile)
      return profile.error();
    inner = coalesce(layout->layout(), *profile);
  }
  Result<ComposedLayout> result =
      inner ? layout->withLayout(*inner) : Result<ComposedLayout>(inner.error());
  if (!result)
    return result.error();
  return layoutOutput(*result, {{"L", *layout}});
}

Result<LayoutOutput> Operations::unary(Result<Layout> (*operation)(const Layout &),
                                       const char *name) {
  Result<Layout> layout = readPlain(0);
  if (!layout)
    return layout.error();
  Result<Layout> result = operation(*layout);
  if (!result)
    return result.error();
  return layoutOutput(*result, {{name, *layout}});
}

Result<LayoutOutput> Operations::complemented() {
  Result<Layout> layout = readPlain(0);
  if (!layout)
    return layout.error();
  Result<int64_t> size = args[1] == "?" ? Result<int64_t>(kSymbolic) : read(1, parseInteger);
  if (!size)
    return size.error();
  Result<Layout> result = complement(*layout, *size);
  if (!result)
    return result.error();
  return layoutOutput(*result, {{"L", *layout}});
}

Result<LayoutOutput> Operations::composed() {
  Result<ComposedLayout> a = read(0, parseComposedLayout);
  if (!a)
    return a.error();
  Result<Tiler> b = read(1, parseTiler);
  if (!b)
    return b.error();
  Result<Layout> inner = composition(a->layout(), *b);
  Result<ComposedLayout> result =
      inner ? a->withLayout(*inner) : Result<ComposedLayout>(inner.error());
  if (!result)
    return result.error();
  std::vector<NamedLayout> picture{{"A", *a}};
  if (!b->isByMode() && !b->isKeep())
    picture.push_back({"B", b->layout()});
  return layoutOutput(*result, picture);
}

Result<LayoutOutput> Operations::divided(Result<Layout> (*operation)(const Layout &,
                                                                     const Tiler &)) {
  Result<ComposedLayout> a = read(0, parseComposedLayout);
  if (!a)
    return a.error();
  Result<Tiler> b = read(1, parseTiler);
  if (!b)
    return b.error();
  Result<Layout> inner = operation(a->layout(), *b);
  Result<ComposedLayout> result =
      inner ? a->withLayout(*inner) : Result<ComposedLayout>(inner.error());
  if (!result)
    return result.error();
  LayoutOutput output;
  output.text = result->str() + "\n";
  output.json = *layoutJson(*result);
  if (request.picture) {
    Result<std::string> svg = drawDivide(*a, *b);
    if (!svg)
      return svg.error();
    output.svg = *std::move(svg);
  }
  return output;
}

Result<LayoutOutput> Operations::multiplied() {
  Result<Layout> a = readPlain(0);
  if (!a)
    return a.error();
  if (op == "logical-product") {
    Result<Tiler> b = read(1, parseTiler);
    if (!b)
      return b.error();
    Result<Layout> result = logicalProduct(*a, *b);
    if (!result)
      return result.error();
    return layoutOutput(*result, {{"A", *a}});
  }
  Result<Layout> b = readPlain(1);
  if (!b)
    return b.error();
  Result<Layout> result = op == "blocked-product" ? blockedProduct(*a, *b) : rakedProduct(*a, *b);
  if (!result)
    return result.error();
  return layoutOutput(*result, {{"A", *a}, {"B", *b}});
}

Result<LayoutOutput> Operations::swizzled() {
  Result<Swizzle> swizzle = read(0, parseSwizzle);
  if (!swizzle)
    return swizzle.error();
  // A number alone is an offset, not the layout of that many elements.
  if (args[1].find_first_not_of("0123456789 ") == std::string::npos) {
    Result<int64_t> offset = read(1, parseInteger);
    if (!offset)
      return offset.error();
    int64_t rows = int64_t(1) << swizzle->bits();
    int64_t columns = int64_t(1) << (swizzle->base() + std::abs(swizzle->shift()));
    Result<Layout> block = Layout::rowMajor(IntTuple::tuple({rows, columns}));
    Result<ComposedLayout> picture =
        block ? ComposedLayout::get(*swizzle, 0, *block) : Result<ComposedLayout>(block.error());
    if (!picture)
      return picture.error();
    return number("offset", (*swizzle)(*offset), *picture);
  }
  Result<Layout> layout = readPlain(1);
  if (!layout)
    return layout.error();
  Result<ComposedLayout> result = ComposedLayout::get(*swizzle, 0, *layout);
  if (!result)
    return result.error();
  return layoutOutput(*result, {});
}

Result<LayoutOutput> Operations::drawn() {
  LayoutOutput output;
  Result<std::string> svg = Error{};
  if (namesInstruction()) {
    Result<InstructionLayout> instruction = instructionLayout(args[0]);
    if (!instruction || args.size() == 2) {
      badArgument = instruction ? 1 : 0;
      return instruction ? Error{"an instruction brings its own tiles"} : instruction.error();
    }
    output.text = instruction->name + "\n";
    svg = drawInstruction(*instruction);
  } else if (args.size() == 1) {
    Result<ComposedLayout> layout = read(0, parseComposedLayout);
    if (!layout)
      return layout.error();
    output.text = layout->str() + "\n";
    svg = drawLayout(*layout);
  } else {
    Result<Layout> threadValue = readPlain(0);
    if (!threadValue)
      return threadValue.error();
    Result<Layout> tile = readPlain(1);
    if (!tile)
      return tile.error();
    output.text = threadValue->str() + "\n";
    svg = drawThreadValue(*threadValue, *tile);
  }
  if (!svg)
    return svg.error();
  output.svg = *std::move(svg);
  // Without a file the picture itself is the output.
  if (!request.picture)
    output.text = output.svg;
  return output;
}

Result<LayoutOutput> Operations::run() {
  if (op == "print")
    return print();
  if (op == "size" || op == "cosize") {
    Result<ComposedLayout> layout = read(0, parseComposedLayout);
    if (!layout)
      return layout.error();
    return number(op.c_str(), op == "size" ? Result<int64_t>(layout->size()) : layout->cosize(),
                  *layout);
  }
  if (op == "offset")
    return offsetOf();
  if (op == "coord")
    return coordinateOf();
  if (op == "unflatten")
    return unflatten();
  if (op == "coalesce")
    return coalesced();
  if (op == "compose")
    return composed();
  if (op == "complement")
    return complemented();
  if (op == "right-inverse")
    return unary(rightInverse, "L");
  if (op == "left-inverse")
    return unary(leftInverse, "L");
  if (op == "logical-divide")
    return divided(logicalDivide);
  if (op == "zipped-divide")
    return divided(zippedDivide);
  if (op == "tiled-divide")
    return divided(tiledDivide);
  if (op == "swizzle")
    return swizzled();
  if (op == "draw")
    return drawn();
  return multiplied();
}

Result<LayoutOutput> runLayoutOperation(const LayoutRequest &request,
                                        std::optional<size_t> &badArgument) {
  return Operations(request, badArgument).run();
}
