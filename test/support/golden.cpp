#include "support/golden.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

fs::path path_of(std::string_view name) {
  return fs::path(TENON_SOURCE_DIR) / "test" / "golden" / (std::string(name) + ".txt");
}

bool updating() {
  const char* value = std::getenv("TENON_UPDATE_GOLDEN");
  return value && std::string_view(value) == "1";
}

void write_golden(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// "line 3: expected `a`, got `b`"; empty for equal texts.
std::string first_difference(std::string_view expected, std::string_view got) {
  std::istringstream a{std::string(expected)}, b{std::string(got)};
  std::string x, y;
  for (int line = 1;; ++line) {
    const bool more_x = static_cast<bool>(std::getline(a, x));
    const bool more_y = static_cast<bool>(std::getline(b, y));
    if (!more_x && !more_y) return expected == got ? "" : "the end of the last line";
    if (more_x != more_y || x != y) {
      return "line " + std::to_string(line) + ": expected `" + (more_x ? x : "end of text") +
             "`, got `" + (more_y ? y : "end of text") + "`";
    }
  }
}

}  // namespace

std::string read_golden(std::string_view name) {
  std::ifstream in(path_of(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void check_golden(std::string_view name, std::string_view text) {
  if (updating()) return write_golden(path_of(name), text);
  const std::string difference = first_difference(read_golden(name), text);
  INFO("test/golden/" << name << ".txt, " << difference);
  INFO("the text now:\n" << text);
  INFO("TENON_UPDATE_GOLDEN=1 in the environment of this test writes the file");
  CHECK(difference.empty());
}

}  // namespace tenon::test
