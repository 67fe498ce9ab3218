#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

TEST_CASE("A weight is packed into panels") {
  const Program p = linear_relu();
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 37}, {"k", 5}}));
  s->set_layout("w", [](Index i) { return Index{i[0] / 16, i[1], i[0] % 16}; });
  s.check();
  const Param* w = find_param(s->program(), "w");
  REQUIRE(w->packing);
  CHECK(print(w->shape[0], s->program()) == "(n + 15) // 16");
  CHECK(print(w->shape[1], s->program()) == "k");
  CHECK(print(w->shape[2], s->program()) == "16");
  CHECK(s->trace().steps().back().text == "set_layout(w, [d0 // 16, d1, d0 % 16])");
}

TEST_CASE("A weight that is packed twice is packed from its logical form") {
  const Program p = linear_relu();
  Followed s(p, sizes_of(p, {{"m", 2}, {"n", 9}, {"k", 5}}), sizes_of(p, {{"n", 9}, {"k", 5}}));
  s->set_layout("w", [](Index i) { return Index{i[1], i[0]}; });
  s.check();
  s->set_layout("w", [](Index i) { return Index{i[1] / 4, i[0], i[1] % 4}; });
  s.check();
  const Param* w = find_param(s->program(), "w");
  CHECK(print(w->packing->logical_shape[0]) == "9");
  CHECK(w->packing->map.size() == 3);
}

TEST_CASE("An intermediate is declared in its new shape") {
  const Program p = linear_relu();
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 4}, {"k", 2}}));
  s->set_layout("linear", [](Index i) { return Index{i[1], i[0]}; });
  s.check();
  CHECK(body_of(s->program()).find("alloc linear: f32[n, m]") != std::string::npos);
}

TEST_CASE("A size with a value may be used in a layout") {
  const Program p = linear_relu();
  const Sizes sizes = sizes_of(p, {{"m", 3}, {"n", 4}, {"k", 2}});
  Followed s(p, sizes, sizes);
  const Expr n = sizes.values()[1].first;
  s->set_layout("linear", [&](Index i) { return Index{i[0] * n + i[1]}; });
  s.check();
  CHECK(body_of(s->program()).find("alloc linear: f32[12]") != std::string::npos);
}

TEST_CASE("A map that sends two elements to one place is refused") {
  const Program p = linear_relu();
  Schedule s(p, sizes_of(p, {{"n", 8}, {"k", 4}}));
  s.set_layout("w", [](Index i) { return Index{i[0] / 2, i[1]}; });
  CHECK(refusal_of(s) ==
        "schedule step 1: set_layout(w, [d0 // 2, d1]) refused\n"
        "  the layout stores w[0, 0] and w[1, 0] in the same place");
}

TEST_CASE("The layout of an input belongs to the caller") {
  const Program p = linear_relu();
  Schedule s(p);
  s.set_layout("x", [](Index i) { return Index{i[1], i[0]}; });
  CHECK(refusal_of(s) ==
        "schedule step 1: set_layout(x, [d1, d0]) refused\n"
        "  x is an input: its layout belongs to the caller; only weights and local buffers have a "
        "layout to choose");
}

TEST_CASE("A layout has no more dimensions than a buffer may have") {
  const Program p = linear_relu();
  Schedule s(p);
  s.set_layout("w", [](const auto& i) {
    std::vector<Expr> place(7, Expr(0));
    place.insert(place.end(), i.begin(), i.end());
    return place;
  });
  CHECK(diagnostic_of(s.status())->reason == "the layout gives w 9 dimensions, and 8 are the most");
}

TEST_CASE("An unknown buffer is answered with those that there are") {
  const Program p = linear_relu();
  Schedule s(p);
  s.set_layout("v", [](Index i) { return i; });
  CHECK(refusal_of(s) ==
        "schedule step 1: set_layout(v, []) refused\n"
        "  there is no buffer v; the stages and weights are linear, out, w");
}

TEST_CASE("A map that reads an index that is not there is refused") {
  Schedule s(linear_relu());
  s.set_layout("w", [](Index i) { return Index{i[0] * 4 + i[2]}; });
  CHECK_THAT(refusal_of(s), Catch::Contains("the layout: index 2 of an Index of 2 entries"));
  Schedule empty(linear_relu());
  empty.set_layout("w", [](Index i) { return Index{i[0], Expr()}; });
  CHECK_THAT(refusal_of(empty), Catch::Contains("an index of the layout is empty"));
}

TEST_CASE("A layout whose extent leaves 64 bits is refused") {
  const Tensor w = weight("w", f32, {4, 4});
  const Tensor y = compute("y", {4}, [&](Expr i) { return w(i, i); });
  Schedule s(program("p", {w}, {y}));
  s.set_layout("w", [](Index i) { return Index{i[0] + INT64_MAX, i[1]}; });
  CHECK_THAT(refusal_of(s), Catch::EndsWith("leaves the 64 bits of an index"));
}

}  // namespace
}  // namespace tenon::test
