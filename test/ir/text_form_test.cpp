// docs/text_form.md shows a program; it has to be one.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "support/check.h"

namespace tenon {
namespace {

std::string first_code_block(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  const std::string page = text.str();
  const size_t start = page.find("```\n") + 4;
  return page.substr(start, page.find("```", start) - start);
}

TEST_CASE("the program of the page about the text form prints as it stands there") {
  const std::string text = first_code_block(TENON_SOURCE_DIR "/docs/text_form.md");
  CHECK(print(test::parsed(text)) == text);
}

}  // namespace
}  // namespace tenon
