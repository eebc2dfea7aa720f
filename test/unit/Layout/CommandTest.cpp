//===- CommandTest.cpp - `tilec layout` in process --------------*- C++ -*-===//

#include "LayoutCommand.h"

#include "gtest/gtest.h"

#include <chrono>
#include <fstream>
#include <sstream>

namespace {

struct Outcome {
  int status;
  std::string out, err;
};

Outcome run(const std::vector<std::string> &args) {
  std::vector<const char *> argv;
  for (const std::string &arg : args)
    argv.push_back(arg.c_str());
  std::ostringstream out, err;
  int status = runLayoutCommand(static_cast<int>(argv.size()), argv.data(), out, err);
  return {status, out.str(), err.str()};
}

/// The text before the empty line that parts the map from the table.
std::string mapOf(const char *layout) {
  Outcome outcome = run({"print", layout});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out.substr(0, outcome.out.find("\n\n") + 1);
}

// The five layouts of "Intuition behind Hierarchical Layouts", as CuTe prints them.
TEST(LayoutCommand, PrintsTheFiveLayoutsOfTheNote) {
  EXPECT_EQ(mapOf("(2,2,2):(2,1,4)"), "(2,2,2):(2,1,4)\n0 -> (0,0,0)\n1 -> (0,1,0)\n2 -> (1,0,0)\n"
                                      "3 -> (1,1,0)\n4 -> (0,0,1)\n5 -> (0,1,1)\n6 -> (1,0,1)\n"
                                      "7 -> (1,1,1)\n");
  EXPECT_EQ(mapOf("((2,2),2):((2,4),1)"),
            "((2,2),2):((2,4),1)\n0 -> ((0,0),0)\n1 -> ((0,0),1)\n2 -> ((1,0),0)\n3 -> ((1,0),1)\n"
            "4 -> ((0,1),0)\n5 -> ((0,1),1)\n6 -> ((1,1),0)\n7 -> ((1,1),1)\n");
  EXPECT_EQ(mapOf("(2,(2,2)):(2,(1,4))"),
            "(2,(2,2)):(2,(1,4))\n0 -> (0,(0,0))\n1 -> (0,(1,0))\n2 -> (1,(0,0))\n3 -> (1,(1,0))\n"
            "4 -> (0,(0,1))\n5 -> (0,(1,1))\n6 -> (1,(0,1))\n7 -> (1,(1,1))\n");
  EXPECT_EQ(mapOf("(2,(2,2)):(1,(4,2))"),
            "(2,(2,2)):(1,(4,2))\n0 -> (0,(0,0))\n1 -> (1,(0,0))\n2 -> (0,(0,1))\n3 -> (1,(0,1))\n"
            "4 -> (0,(1,0))\n5 -> (1,(1,0))\n6 -> (0,(1,1))\n7 -> (1,(1,1))\n");
  EXPECT_EQ(mapOf("((2,2),(2,2)):((1,8),(2,4))"),
            "((2,2),(2,2)):((1,8),(2,4))\n0 -> ((0,0),(0,0))\n1 -> ((1,0),(0,0))\n"
            "2 -> ((0,0),(1,0))\n3 -> ((1,0),(1,0))\n4 -> ((0,0),(0,1))\n5 -> ((1,0),(0,1))\n"
            "6 -> ((0,0),(1,1))\n7 -> ((1,0),(1,1))\n8 -> ((0,1),(0,0))\n9 -> ((1,1),(0,0))\n"
            "10 -> ((0,1),(1,0))\n11 -> ((1,1),(1,0))\n12 -> ((0,1),(0,1))\n13 -> ((1,1),(0,1))\n"
            "14 -> ((0,1),(1,1))\n15 -> ((1,1),(1,1))\n");
}

TEST(LayoutCommand, SaysWhatIsNotCompact) {
  EXPECT_EQ(mapOf("(2,2):(1,4)"),
            "(2,2):(1,4)\n0 -> (0,0)\n1 -> (1,0)\n2 -> -\n3 -> -\n4 -> (0,1)\n5 -> (1,1)\n"
            "not compact: 2 of 6 offsets have no element (2..3)\n");
  // 0:0 -> both rows; offset 1 is a gap.
  EXPECT_EQ(mapOf("(2,2):(0,2)"),
            "(2,2):(0,2)\n0 -> (0,0) (1,0)\n1 -> -\n2 -> (0,1) (1,1)\n"
            "not compact: 1 of 3 offsets have no element (1); 2 of 3 offsets have more than one "
            "element (0, 2)\n");
  EXPECT_EQ(run({"print", "(?,4)"}).out,
            "(?,4):(1,?)\nno map and no table: the layout is symbolic: (?,4):(1,?)\n");
}

/// First line of the output of an operation that must succeed.
std::string first(const std::vector<std::string> &args) {
  Outcome outcome = run(args);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out.substr(0, outcome.out.find('\n'));
}

TEST(LayoutCommand, EveryOperation) {
  EXPECT_EQ(first({"print", " ( 4 , 2 ) : ( 2 , 1 ) "}), "(4,2):(2,1)");
  EXPECT_EQ(first({"size", "((2,2),2):((2,4),1)"}), "8");
  EXPECT_EQ(first({"cosize", "(4,2):(2,1)"}), "8");
  EXPECT_EQ(first({"size", "(?,2)"}), "?");
  EXPECT_EQ(first({"offset", "((2,2),2):((2,4),1)", "((1,1),0)"}), "6");
  EXPECT_EQ(first({"offset", "Sw<3,3,3> o 0 o (8,64):(64,1)", "(1,0)"}), "72");
  EXPECT_EQ(first({"coord", "((2,2),2):((2,4),1)", "6"}), "((1,1),0)");
  EXPECT_EQ(first({"coord", "(4,4):(1,2)", "2"}), "(2,0) (0,1)");
  EXPECT_EQ(first({"unflatten", "((2,2),2):((2,4),1)", "6"}), "((0,1),1)");
  EXPECT_EQ(first({"coalesce", "(2,(1,6)):(1,(6,2))"}), "12:1");
  EXPECT_EQ(first({"coalesce", "(2,(1,6)):(1,(6,2))", "(1,1)"}), "(2,6):(1,2)");
  EXPECT_EQ(first({"compose", "(6,2):(8,2)", "(4,3):(3,1)"}), "((2,2),3):((24,2),8)");
  EXPECT_EQ(first({"compose", "(8,4):(4,1)", "[_, 2:1]"}), "(8,2):(4,1)");
  EXPECT_EQ(first({"complement", "4:2", "24"}), "(2,3):(1,8)");
  EXPECT_EQ(first({"complement", "4:1", "?"}), "?:4");
  EXPECT_EQ(first({"right-inverse", "(4,8):(8,1)"}), "(8,4):(4,1)");
  EXPECT_EQ(first({"left-inverse", "4:2"}), "(2,4):(0,1)");
  EXPECT_EQ(first({"logical-divide", "(4,2,3):(2,1,8)", "4:2"}), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(first({"zipped-divide", "(9,(4,8)):(59,(13,1))", "[3:3, (2,4):(1,8)]"}),
            "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
  EXPECT_EQ(first({"tiled-divide", "(8,6,5)", "[4:1, _]"}), "((4),2,6,5):((1),4,8,48)");
  EXPECT_EQ(first({"logical-product", "(2,2):(4,1)", "6:1"}), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(first({"blocked-product", "(2,5):(5,1)", "(3,4)"}), "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(first({"raked-product", "(2,5):(5,1)", "(3,4)"}), "((3,2),(4,5)):((10,5),(30,1))");
  EXPECT_EQ(first({"swizzle", "Sw<3,3,3>", "64"}), "72");
  EXPECT_EQ(first({"swizzle", "Sw<3,3,3>", "(8,64):(64,1)"}), "Sw<3,3,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(first({"draw", "(2,2)"}).substr(0, 4), "<svg");
}

TEST(LayoutCommand, Json) {
  EXPECT_EQ(run({"compose", "?:3", "(4,?)", "--format=json"}).out,
            "{\"op\": \"compose\", \"layout\": \"(4,?):(3,12)\", \"shape\": [4,null], \"stride\": "
            "[3,12], \"size\": null, \"cosize\": null}\n");
  EXPECT_EQ(
      run({"coord", "--format=json", "(4,4):(1,2)", "2"}).out,
      "{\"op\": \"coord\", \"offset\": 2, \"coordinates\": [\"(2,0)\",\"(0,1)\"], \"complete\": "
      "true}\n");
  EXPECT_EQ(run({"print", "2:2", "--format=json"}).out,
            "{\"op\": \"print\", \"layout\": \"2:2\", \"shape\": 2, \"stride\": 2, \"size\": 2, "
            "\"cosize\": 3, \"compact\": false, \"map\": [[0,\"0\"],[2,\"1\"]]}\n");
}

TEST(LayoutCommand, RejectsInput) {
  Outcome gap = run({"coord", "(2,2):(1,4)", "2"});
  EXPECT_EQ(gap.status, 1);
  EXPECT_EQ(gap.out, "");
  EXPECT_EQ(gap.err, "tilec layout: error: no element of (2,2):(1,4) lies at offset 2: the nearest "
                     "are 1 at (1,0) and 4 at (0,1)\n");
  Outcome place = run({"compose", "(4,2)", "(2,(3,x))"});
  EXPECT_EQ(place.status, 1);
  EXPECT_EQ(place.err, "tilec layout: error: argument 2, column 7: expected a number, got 'x'\n"
                       "  (2,(3,x))\n"
                       "        ^\n");
  EXPECT_EQ(run({"complement", "Sw<1,0,1> o 0 o 4:1", "8"}).err,
            "tilec layout: error: argument 1: complement needs a layout without a swizzle, got "
            "Sw<1,0,1> o 0 o 4:1\n");
  EXPECT_EQ(run({"print", "\xef\xbc\x88"
                          "2,2)"})
                .status,
            1);
}

TEST(LayoutCommand, RejectsHugeTextShortlyAndQuickly) {
  auto start = std::chrono::steady_clock::now();
  for (const std::string &text : {std::string(1 << 20, '9'), std::string(10000, '('),
                                  std::string(1 << 20, '['), "(1" + std::string(1 << 20, ',')}) {
    Outcome outcome = run({"compose", "(4,2)", text});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_LT(outcome.err.size(), 600u);
    EXPECT_NE(outcome.err.find("argument 2, column "), std::string::npos) << outcome.err;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(LayoutCommand, WrongCommandLines) {
  EXPECT_EQ(run({}).status, 2);
  EXPECT_EQ(run({"frobnicate", "4"}).status, 2);
  EXPECT_EQ(run({"size"}).status, 2);
  EXPECT_EQ(run({"size", "4", "5"}).err, "tilec layout: error: size takes 1 argument, got 2\n"
                                         "see tilec layout --help\n");
  EXPECT_EQ(run({"size", "4", "--colour"}).status, 2);
  EXPECT_EQ(run({"size", "4", "--svg="}).status, 2);
  EXPECT_EQ(run({"draw", "4", "--format=json"}).status, 2);
  Outcome help = run({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_LT(std::count(help.out.begin(), help.out.end(), '\n'), 60);
}

TEST(LayoutCommand, WritesPictures) {
  std::string path = testing::TempDir() + "tilec-layout-command.svg";
  std::remove(path.c_str());
  Outcome outcome = run({"zipped-divide", "(8,12):(12,1)", "[4:2,6:1]", "--svg=" + path});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "((4,6),(2,2)):((24,1),(12,6))\n");
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text.substr(0, 4), "<svg");
  std::remove(path.c_str());

  // No file on failure.
  EXPECT_EQ(run({"print", "(512,512)", "--svg=" + path}).status, 1);
  EXPECT_FALSE(std::ifstream(path).good());
  EXPECT_EQ(run({"print", "(2,2)", "--svg=/nonexistent/folder/x.svg"}).status, 1);
}

} // namespace
