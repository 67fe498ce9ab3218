#include "tenon/base/match.h"

#include <catch2/catch.hpp>
#include <string>

namespace tenon {
namespace {

using Value = std::variant<int, std::string, double>;

std::string describe(const Value& value) {
  return match(
      value, [](int i) { return "int " + std::to_string(i); },
      [](const std::string& s) { return "text " + s; },
      [](const auto&) { return std::string("other"); });
}

TEST_CASE("match calls the case of the alternative, and the general one for all others") {
  CHECK(describe(3) == "int 3");
  CHECK(describe("a") == "text a");
  CHECK(describe(0.5) == "other");
}

TEST_CASE("match can change the alternative in place") {
  Value value = 3;
  match(
      value, [](int& i) { i = 4; }, [](auto&) {});
  CHECK(std::get<int>(value) == 4);
}

}  // namespace
}  // namespace tenon
