#include "support/check.h"

#include <catch2/catch.hpp>

namespace tenon::test {

Program checked(Program program) {
  REQUIRE(program);
  INFO(print(program));
  const absl::Status status = verify(program);
  INFO(status.message());
  REQUIRE(status.ok());
  const absl::StatusOr<Program> read = parse(print(program));
  INFO(read.status().message());
  REQUIRE(read.ok());
  REQUIRE(print(*read) == print(program));
  REQUIRE(structurally_equal(*read, program));
  REQUIRE(structural_hash(*read) == structural_hash(program));
  return program;
}

Program checked(absl::StatusOr<Program> program) {
  INFO(program.status().message());
  REQUIRE(program.ok());
  return checked(*std::move(program));
}

Program parsed(std::string_view text) { return checked(parse(text)); }

}  // namespace tenon::test
