//===- LayoutCommand.cpp - `tilec layout` -----------------------*- C++ -*-===//

#include "LayoutCommand.h"

#include "LayoutOperations.h"
#include "OutputFiles.h"

#include <algorithm>
#include <ostream>
#include <string_view>

using namespace tilec::layout;

static constexpr const char *kHelp =
    R"help(usage: tilec layout OP ARG... [--format=text|json] [--svg=FILE]

Computes with CuTe layouts. The result comes in normal form on the first line.

  print L                 the layout, offset -> coordinate, the table of offsets
  size L | cosize L       number of elements | largest offset + 1
  offset L COORD          coordinate -> offset; (1,(0,2)), (1,4) or 9
  coord L OFFSET          memory offset -> every coordinate that lies there
  unflatten L INDEX       logical index -> coordinate, first mode fastest
  coalesce L [PROFILE]    fewest modes; by mode with a profile such as (1,1)
  compose A B             c -> A(B(c))
  complement L SIZE       what fills the gaps of L up to SIZE
  right-inverse L         R with L(R(i)) = i
  left-inverse L          R with R(L(i)) = i
  logical-divide A B      ((tile),(rest)) in each mode
  zipped-divide A B       ((tiles),(rests))
  tiled-divide A B        ((tiles),rest,rest,...)
  logical-product A B     (A, copies of A as B says)
  blocked-product A B     copies of A side by side
  raked-product A B       copies of A interleaved
  swizzle SW OFFSET | L   one offset swizzled, or a layout
  draw L [TILE]           a picture on standard output (or --svg=FILE)

L, A, B   shape:stride as "((2,2),2):((2,4),1)";
          a shape alone is column-major; ? is a symbolic extent or stride;
          "Sw<3,3,3> o 0 o (8,64):(64,1)"
B         also a tiler for each mode in compose, divides and logical-product:
          "[3:3, (2,4):(1,8), _]", where _ leaves a mode as it is
SW        "Sw<B,M,S>"
draw      with TILE, L maps (thread, value) to the elements of TILE
          print and draw also take an instruction for L: fma, shfl.bfly.1,
          mma.m16n8k16.16, ldmatrix.x4, wgmma.m64n64k16, ...

  --format=json   the result as one JSON object
  --svg=FILE      also writes a picture of the operation; - writes it alone, to standard output

Exit status: 0 done, 1 input rejected, 2 wrong command line.
)help";

namespace {

/// The exit statuses of tilec that this command can end with.
enum Status { kDone = 0, kRejected = 1, kUsage = 2 };

/// At most 300 characters, so that a megabyte of input stays readable.
std::string shortened(const std::string &text) {
  constexpr size_t kLongest = 300;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

class Command {
public:
  Command(std::ostream &out, std::ostream &err) : out(out), err(err) {}
  int run(int argc, const char *const *argv);

private:
  int usage(const std::string &message) {
    err << "tilec layout: error: " << shortened(message) << "\nsee tilec layout --help\n";
    return kUsage;
  }
  bool readOptions(int argc, const char *const *argv);
  int finish(const LayoutOutput &output);
  int reject(const Error &error, std::optional<size_t> badArgument);

  std::ostream &out;
  std::ostream &err;
  LayoutRequest request;
  bool json = false;
  std::string svgFile;
  std::string optionError;
};

struct Operation {
  const char *name;
  size_t minArgs;
  size_t maxArgs;
};

constexpr Operation kOperations[] = {
    {"print", 1, 1},
    {"size", 1, 1},
    {"cosize", 1, 1},
    {"offset", 2, 2},
    {"coord", 2, 2},
    {"unflatten", 2, 2},
    {"coalesce", 1, 2},
    {"compose", 2, 2},
    {"complement", 2, 2},
    {"right-inverse", 1, 1},
    {"left-inverse", 1, 1},
    {"logical-divide", 2, 2},
    {"zipped-divide", 2, 2},
    {"tiled-divide", 2, 2},
    {"logical-product", 2, 2},
    {"blocked-product", 2, 2},
    {"raked-product", 2, 2},
    {"swizzle", 2, 2},
    {"draw", 1, 2},
};

} // namespace

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

/// Splits options from arguments; false with optionError set for an unknown option.
bool Command::readOptions(int argc, const char *const *argv) {
  for (int i = 0; i < argc; ++i) {
    std::string_view arg = argv[i];
    if (arg.substr(0, 2) != "--") {
      request.args.emplace_back(arg);
      continue;
    }
    constexpr std::string_view svg = "--svg=";
    if (arg == "--format=json") {
      json = true;
    } else if (arg == "--format=text") {
      json = false;
    } else if (arg.substr(0, svg.size()) == svg && arg.size() > svg.size()) {
      svgFile = arg.substr(svg.size());
      request.picture = true;
    } else {
      optionError = "unknown option " + std::string(arg);
      return false;
    }
  }
  return true;
}

int Command::reject(const Error &error, std::optional<size_t> badArgument) {
  err << "tilec layout: error: ";
  if (badArgument)
    err << "argument " << *badArgument + 1 << (error.column ? ", " : ": ");
  if (error.column)
    err << "column " << error.column << ": ";
  err << shortened(error.message) << "\n";
  if (!badArgument || error.column == 0)
    return kRejected;

  // The text around the place, and a caret below it; other bytes than ASCII would shift the caret.
  constexpr size_t kAround = 30;
  const std::string &text = request.args[*badArgument];
  size_t place = error.column - 1, start = place > kAround ? place - kAround : 0;
  std::string excerpt = text.substr(std::min(start, text.size()), 2 * kAround);
  for (char &c : excerpt)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
      c = '.';
  err << "  " << excerpt << "\n  " << std::string(place - start, ' ') << "^\n";
  return kRejected;
}

int Command::finish(const LayoutOutput &output) {
  if (!svgFile.empty()) {
    tilec::OutputFiles files;
    files.add(svgFile, output.svg);
    if (std::optional<std::string> error = files.commit()) {
      err << "tilec layout: error: " << *error << "\n";
      return kRejected;
    }
    // The picture is what standard output was asked for.
    if (svgFile == "-")
      return kDone;
  }
  if (json)
    out << "{\"op\": " << quoteJson(request.op) << ", " << output.json << "}\n";
  else
    out << output.text;
  return kDone;
}

int Command::run(int argc, const char *const *argv) {
  for (int i = 0; i < argc; ++i)
    if (std::string_view(argv[i]) == "--help" || std::string_view(argv[i]) == "-h") {
      out << kHelp;
      return kDone;
    }
  if (!readOptions(argc, argv))
    return usage(optionError);
  std::vector<std::string> &args = request.args;
  if (args.empty())
    return usage("no operation given");
  const std::string op = request.op = args.front();
  args.erase(args.begin());
  auto known = std::find_if(std::begin(kOperations), std::end(kOperations),
                            [&](const Operation &operation) { return op == operation.name; });
  if (known == std::end(kOperations))
    return usage("unknown operation " + op);
  if (args.size() < known->minArgs || args.size() > known->maxArgs)
    return usage(op + " takes " + std::to_string(known->minArgs) +
                 (known->minArgs == known->maxArgs ? "" : " or " + std::to_string(known->maxArgs)) +
                 (known->maxArgs == 1 ? " argument" : " arguments") + ", got " +
                 std::to_string(args.size()));
  if (op == "draw" && json)
    return usage("draw makes a picture, not JSON");
  std::optional<size_t> badArgument;
  Result<LayoutOutput> output = runLayoutOperation(request, badArgument);
  if (!output)
    return reject(output.error(), badArgument);
  return finish(*output);
}

int runLayoutCommand(int argc, const char *const *argv, std::ostream &out, std::ostream &err) {
  return Command(out, err).run(argc, argv);
}
