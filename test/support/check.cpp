#include "support/check.h"

#include <catch2/catch.hpp>

namespace tenon::test {

Program checked(Program program) {
  REQUIRE(problem_of(program) == "");
  return program;
}

Program checked(absl::StatusOr<Program> program) {
  INFO(program.status().message());
  REQUIRE(program.ok());
  return checked(*std::move(program));
}

Program parsed(std::string_view text) { return checked(parse(text)); }

}  // namespace tenon::test
