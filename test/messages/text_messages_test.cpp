// Every text that does not read and has a golden file.
#include <catch2/catch.hpp>

#include "messages/message_case.h"
#include "support/golden.h"
#include "tenon/ir/program.h"

namespace tenon::test {
namespace {

TEST_CASE("Texts are refused as their golden files say") {
  size_t count = 0;
  for (const MessageCase& c : cases_in("text")) {
    INFO(c.name);
    const absl::StatusOr<Program> program = parse(c.text);
    CHECK_FALSE(program.ok());
    check_golden(c.name, golden_text(c, std::string(program.status().message())));
    ++count;
  }
  CHECK(count >= 70);
}

}  // namespace
}  // namespace tenon::test
