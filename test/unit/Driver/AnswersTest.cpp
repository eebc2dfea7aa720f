//===- AnswersTest.cpp - What was found out once ----------------*- C++ -*-===//

#include "tilec/Driver/Answers.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tilec;
namespace fs = std::filesystem;

namespace {

class AnswersTest : public testing::Test {
protected:
  AnswersTest() {
    std::string name = fs::temp_directory_path() / "tilec-answers-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~AnswersTest() override { fs::remove_all(folder); }

  /// The only file there.
  fs::path getFile() const {
    fs::directory_iterator entry(folder / "made");
    EXPECT_NE(entry, fs::directory_iterator());
    return entry->path();
  }

  fs::path folder;
};

std::string read(const fs::path &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_F(AnswersTest, keepsAnAnswerUnderItsQuestion) {
  Answers answers(folder / "made" );
  EXPECT_EQ(answers.find("who\nare you"), std::nullopt);
  answers.keep("who\nare you", "line 1\nline 2\n");
  EXPECT_EQ(answers.find("who\nare you"), "line 1\nline 2\n");
  EXPECT_EQ(Answers(folder / "made").find("who\nare you"), "line 1\nline 2\n");
  EXPECT_EQ(answers.find("who\nare you?"), std::nullopt);
  answers.keep("who\nare you", "");
  EXPECT_EQ(answers.find("who\nare you"), "");
}

TEST_F(AnswersTest, believesNoDamagedFile) {
  Answers answers(folder / "made");
  answers.keep("question", "answer");
  std::string whole = read(getFile());
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    std::string damaged = whole;
    damaged[byte] ^= 1;
    std::ofstream(getFile()) << damaged;
    EXPECT_EQ(answers.find("question"), std::nullopt) << "byte " << byte;
    std::ofstream(getFile()) << whole.substr(0, byte);
    EXPECT_EQ(answers.find("question"), std::nullopt) << byte << " bytes";
  }
  answers.keep("question", "another");
  EXPECT_EQ(answers.find("question"), "another");
}

TEST_F(AnswersTest, keepsNothingWhereItCannot) {
  Answers none("");
  none.keep("question", "answer");
  EXPECT_EQ(none.find("question"), std::nullopt);
  // A file stands where the folder would be.
  std::ofstream(folder / "made") << "text";
  Answers blocked(folder / "made");
  blocked.keep("question", "answer");
  EXPECT_EQ(blocked.find("question"), std::nullopt);
  EXPECT_EQ(read(folder / "made"), "text");
}

TEST_F(AnswersTest, liesWhereTheUsersCacheIs) {
  setenv("HOME", "/home/somebody", 1);
  setenv("XDG_CACHE_HOME", "/var/cache/somebody", 1);
  EXPECT_EQ(Answers::getDefaultFolder(), "/var/cache/somebody/tilec");
  // The specification ignores what is no absolute path.
  setenv("XDG_CACHE_HOME", "cache", 1);
  EXPECT_EQ(Answers::getDefaultFolder(), "/home/somebody/.cache/tilec");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(Answers::getDefaultFolder(), "/home/somebody/.cache/tilec");
  setenv("HOME", "", 1);
  EXPECT_EQ(Answers::getDefaultFolder(), "");
  unsetenv("HOME");
  EXPECT_EQ(Answers::getDefaultFolder(), "");
}

} // namespace
