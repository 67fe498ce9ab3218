// pad and reorder_storage.
#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("The extent of a local stage is rounded up") {
  const Program p = linear_relu();
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}, {"k", 2}}));
  s->pad("linear", 1, 16);
  s.check();
  CHECK_THAT(body_of(s->program()), Catch::Contains("alloc linear: f32[m, (n + 15) // 16 * 16]"));
  CHECK(s->trace().steps().back().text == "pad(linear, 1, 16)");
}

TEST_CASE("A constant extent stays a constant") {
  const Program p = linear_relu();
  for (const auto& [n, padded] : {std::pair{0, "0"}, {1, "8"}, {8, "8"}, {9, "16"}}) {
    const Sizes sizes = sizes_of(p, {{"m", 3}, {"n", n}, {"k", 2}});
    Followed s(p, sizes, sizes);
    s->pad("linear", 1, 8);
    s.check();
    INFO(s->program());
    CHECK(body_of(s->program()).find("alloc linear: f32[3, " + std::string(padded) + "]") !=
          std::string::npos);
  }
}

TEST_CASE("Only dimensions of local stages are padded, to a positive multiple") {
  const auto refused = [](std::string_view stage, int dim, int64_t multiple) {
    Schedule s(linear_relu());
    s.pad(stage, dim, multiple);
    return diagnostic_of(s.status())->reason;
  };
  CHECK(refused("out", 0, 8) == "out is a parameter: its shape belongs to the caller");
  CHECK(refused("x", 0, 8) == "x is a parameter, not a stage; the stages are linear, out");
  CHECK(refused("linear", 2, 8) == "linear has 2 dimensions, and dimension 2 was asked for");
  CHECK(refused("linear", -1, 8) == "linear has 2 dimensions, and dimension -1 was asked for");
  CHECK(refused("linear", 0, 0) ==
        "an extent is padded to a multiple of at least 1 and at most 2147483648, and it is 0");
}

TEST_CASE("A stage without dimensions has none to pad") {
  Schedule s(program_of("alloc t: f32[]\n t[] = 1.0\n for i in 0..n { out[i] = t[] }"));
  s.pad("t", 0, 8);
  CHECK(diagnostic_of(s.status())->reason == "t has 0 dimensions, and dimension 0 was asked for");
}

TEST_CASE("The dimensions of a stage or weight are permuted") {
  const Program p = linear_relu();
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}, {"k", 2}}));
  s->reorder_storage("linear", {1, 0});
  s.check();
  CHECK(body_of(s->program()).find("alloc linear: f32[n, m]") != std::string::npos);
  s->reorder_storage("w", {1, 0});
  s.check();
  CHECK(s->trace().steps()[0].text == "reorder_storage(linear, {1, 0})");
  CHECK(s->trace().steps()[1].text == "set_layout(linear, [d1, d0])");
}

TEST_CASE("What is no permutation is refused") {
  for (const std::vector<int>& order :
       std::vector<std::vector<int>>{{}, {0}, {0, 0}, {0, 2}, {-1, 0}, {0, 1, 2}}) {
    Schedule s(linear_relu());
    s.reorder_storage("linear", order);
    CHECK(diagnostic_of(s.status())->reason ==
          "the order names each of the 2 dimensions of linear once");
  }
  Schedule s(linear_relu());
  s.reorder_storage("x", {1, 0});
  CHECK(refusal_of(s) ==
        "schedule step 1: reorder_storage(x, {1, 0}) refused\n"
        "  set_layout(x, [d1, d0]): x is an input: its layout belongs to the caller; only weights "
        "and local buffers have a layout to choose");
}

}  // namespace
}  // namespace tenon::test
