// Calls of extern functions as statements: text, identity, substitution.
#include <catch2/catch.hpp>

#include "support/check.h"
#include "support/extern_functions.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

constexpr const char* kText = R"(program p
  size m, n
  input x: f32[m, n]
  input out: f32[]
  output y: f32[m, n]
  extern reversed
  extern other
{
  alloc call: f32[n]
  for i in 0..m {
    call reversed(out call[0..n], x[m - 1 - i, 0..n])
    call other(out y[i, 0..n], call[0..n], out[], x[i..i + 1, 0..0])
    call[0] = 1.0
  }
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("A call prints and reads back, bound to the functions of the process") {
  const Program p = test::parsed(kText);
  CHECK(print(p) == kText);
  const std::vector<ExternFunction> functions = externs_of(p->body);
  REQUIRE(functions.size() == 2);
  CHECK(functions[0] == ExternFunction{"reversed"});
  const absl::StatusOr<Program> bound = parse(kText, test::extern_functions());
  REQUIRE(bound.ok());
  CHECK(externs_of((*bound)->body)[0] == test::reversed());
  CHECK_FALSE(structurally_equal(p, *bound));
  CHECK(structurally_equal(*bound, *parse(print(*bound), test::extern_functions())));
}

TEST_CASE("Calls are the same with the same function and parts") {
  const Program p = test::parsed(kText);
  CHECK(structurally_equal(p, p.with_body(with_fresh_names(p->body))));
  CHECK(equal(p->body, rewrite(p->body, [](const Expr& e) { return e; })));
  for (const auto& [from, to] : {std::pair("m - 1 - i, 0..n]", "m - 1 - i, 1..n]"),
                                 {"i..i + 1, 0..0", "i, 0..0"},
                                 {"i..i + 1", "i..i + 2"},
                                 {"call reversed(", "call other("},
                                 {", out[]", ""},
                                 {"other(out y",
                                  "other(out y[i, 0..n], x[i, 0..n], call[0..n], "
                                  "out[])\n    call other(out y"}}) {
    INFO(from);
    const Program changed = test::parsed(replaced(kText, from, to));
    CHECK_FALSE(structurally_equal(p, changed));
    CHECK(structural_hash(p) != structural_hash(changed));
  }
}

TEST_CASE("The buffers of a call are replaced, and used") {
  const Program p = test::parsed(kText);
  const Buffer x = p->params[0].buffer, y = p->params[2].buffer, z("z", f32);
  const Stmt body = substitute(p->body, BufferMap{{x, z}, {y, x}});
  CHECK(uses(body, z));
  CHECK(uses(body, x));
  CHECK_FALSE(uses(body, y));
  CHECK_THAT(print(body), Catch::Contains("out x[i, 0..n]"));
  CHECK(equal(substitute(body, BufferMap{{x, y}, {z, x}}), p->body));
}

}  // namespace
}  // namespace tenon
