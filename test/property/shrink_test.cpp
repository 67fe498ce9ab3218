// What the property test prints of a failure: tried with checks that are wrong on purpose.
#include "support/shrink.h"

#include <catch2/catch.hpp>

#include "support/pair_check.h"
#include "tenon/ir/visit.h"

using namespace tenon;
using namespace tenon::test;

namespace {

bool has_step(const Pair& pair, const std::string& name) {
  for (const std::string& step : pair.steps) {
    if (step.substr(0, step.find('(')) == name) return true;
  }
  return false;
}

bool has_operator(const Pair& pair, BinaryOp op) {
  bool found = false;
  walk_exprs(pair.c.program->body, [&](const Expr& e) {
    const Binary* b = e.as<Binary>();
    found = found || (b && b->op == op && e.type().is_float());
  });
  return found;
}

int statements_in(const Pair& pair) {
  int count = 0;
  walk(pair.c.program->body, [&](const Stmt&) { ++count; });
  return count;
}

// The first pair with many steps of which this holds.
Pair find_pair(const std::function<bool(const Pair&)>& holds) {
  PairOptions options;
  options.long_percent = 100;
  for (uint64_t seed = 1; seed < 2000; ++seed) {
    const Pair pair = draw_pair(seed, options);
    if (pair.steps.size() >= 8 && holds(pair)) return pair;
  }
  FAIL("no such pair");
  return {};
}

}  // namespace

TEST_CASE("a failure of one step shrinks to that step on the smallest program that has it") {
  const auto fails = [](const Pair& p) { return has_step(p, "split"); };
  const Pair small = shrink(find_pair(fails), fails);
  INFO(to_string(small));
  CHECK(small.steps.size() == 1);
  CHECK(small.c.program->params.size() == 1);  // an output
  CHECK(small.c.program->sizes.empty());
  // One loop around nothing.
  CHECK(statements_in(small) == 2);
  CHECK(small.c.program->body.is<For>());
}

TEST_CASE("a failure of two steps and an operator keeps them, and nothing else") {
  const auto fails = [](const Pair& p) {
    return has_step(p, "vectorize") && has_step(p, "split") && has_operator(p, BinaryOp::kMul);
  };
  const Pair small = shrink(find_pair(fails), fails);
  INFO(to_string(small));
  CHECK(small.steps.size() <= 3);  // a third where it makes the loop that one of the two names
  CHECK(small.c.program->params.size() == 1);
  CHECK(statements_in(small) <= 7);
  // The product is one of constants, and the only operation on floats.
  int operations = 0;
  walk_exprs(small.c.program->body,
             [&](const Expr& e) { operations += e.type().is_float() && !e.is<Const>(); });
  CHECK(operations == 1);
}

TEST_CASE("a failure that needs a size keeps it at its threshold") {
  const auto fails = [](const Pair& p) {
    for (const auto& [size, value] : p.c.sizes.values()) {
      if (value >= 5) return true;
    }
    return false;
  };
  const Pair small = shrink(find_pair(fails), fails);
  CHECK(small.steps.empty());
  REQUIRE(small.c.sizes.values().size() == 1);
  CHECK(small.c.sizes.values()[0].second == 5);
  CHECK(small.c.program->params.size() == 1);
}

TEST_CASE("the text of a pair reads back as the same pair") {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Pair pair = draw_pair(seed, {});
    if (!pair.instructions.empty()) continue;  // the text has only their names
    const std::string text = to_string(pair);
    INFO(text);
    const absl::StatusOr<Pair> again = parse_pair("# Notes may stand between.\n" + text);
    REQUIRE(again.status() == absl::OkStatus());
    CHECK(to_string(*again) == text);
    PairOptions options;
    options.native_every = 0;
    PairCounts counts;
    const auto failure = check_pair(*again, options, counts);
    if (failure) FAIL(failure->to_string());
    CHECK(counts.pairs == 1);
  }
}

TEST_CASE("a step that is refused is a failure that says so") {
  Pair pair = draw_pair(1, {});
  pair.steps = {"split(nothing, 4) -> a, b"};
  PairCounts counts;
  const auto failure = check_pair(pair, {}, counts);
  REQUIRE(failure.has_value());
  CHECK(failure->where == "a refused step");
  CHECK(failure->what.find("there is no loop nothing") != std::string::npos);
}

TEST_CASE("texts that are no pairs are refused") {
  const std::string program = "program p\n  size m\n  output y: f32[m]\n{\n}\n";
  const auto error = [&](const std::string& rest) {
    return std::string(parse_pair(program + rest).status().message());
  };
  CHECK(error("size m = 3\nsteps\n") == "");
  CHECK(error("size n = 3\n") == "`size n = 3`: expected a size of the program, = and a number");
  CHECK(error("size m 3\n") == "`size m 3`: expected a size of the program, = and a number");
  CHECK(error("data x\n") == "`data x`: expected data and a number");
  CHECK(error("colour\n") == "`colour`: expected size, constant, exact, data or steps");
}
