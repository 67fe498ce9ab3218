// Steps around a literal table.
#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

const Size n("n");

// y[i] = x[i] * taps[0] + x[i + 1] * taps[1] + ..., as a sum over the taps.
Program filter() {
  const Tensor x = input("x", f32, {n + 3}), taps = table("taps", {0.25f, 0.5f, -1.0f, 2.0f});
  return checked(program("p", {x}, {compute("y", {n}, [&](Expr i) {
                           return sum(4, [&](Expr r) { return x(i + r) * taps(r); });
                         })}));
}

std::string reason(const Schedule& schedule) {
  const std::string text = refusal_of(schedule);
  return text.substr(text.find('\n') + 3);
}

TEST_CASE("A sum over taps is tiled and unrolled, and its taps become numbers") {
  for (const int64_t length : {1, 16, 21}) {
    Followed s(filter(), sizes_of(filter(), {{"n", length}}));
    const Loop i = s->all_loops("y")[0], r = s->all_loops("y")[1];
    const auto [outer, inner] = s->split(i, 8);
    s->vectorize(inner);
    s.check();
    s->parallelize(outer);
    s.check();
    s->unroll(r);
    s.check();
  }
}

TEST_CASE("A table is staged like an input") {
  Followed s(filter(), sizes_of(filter(), {{"n", 9}}));
  const Staged local = s->stage("taps", s->loops<1>("y")[0]);
  s.check();
  CHECK(local.copy_in.size() == 1);
  CHECK(local.copy_out.empty());
  CHECK(body_of(s->program()) == R"(  for i in 0..n {
    y[i] = -0.0
    alloc taps_local: f32[4]
    for r in 0..4 {
      taps_local[r] = taps[r]
    }
    for r_1 in 0..4 {
      y[i] += x[i + r_1] * taps_local[r_1]
    }
  }
)");
}

TEST_CASE("A table is no stage, and has its layout from its values") {
  Schedule s(filter());
  s.set_layout("taps", [](const Index& i) -> std::vector<Expr> { return {3 - i[0]}; });
  CHECK(reason(s) ==
        "taps is a table: its values stand in the program as they are; only weights and local "
        "buffers have a layout to choose");
  Schedule t(filter());
  t.inline_into("taps");
  CHECK(reason(t) == "taps is a table, not a stage; the stages are y");
  Schedule u(filter());
  u.reorder_storage("taps", {0});
  CHECK(reason(u) ==
        "set_layout(taps, [d0]): taps is a table: its values stand in the program as they are; "
        "only weights and local buffers have a layout to choose");
  Schedule v(filter());
  v.stage("tap", v.loops<1>("y")[0]);
  CHECK(reason(v) == "there is no buffer tap; the buffers are x, taps, y");
}

TEST_CASE("A stage that reads a table is inlined and computed elsewhere") {
  const Tensor x = input("x", u8, {n}), levels = table("levels", std::vector<float>(16, 0.5f));
  const Tensor decoded =
      compute("decoded", {n}, [&](Expr i) { return levels(x(i) & cast(u8, Expr(15))); });
  const Program p = checked(
      program("p", {x}, {compute("y", {n}, [&](Expr i) { return decoded(i) * decoded(i); })}));
  Followed s(p, sizes_of(p, {{"n", 7}}));
  s->inline_into("decoded");
  s.check();
  Followed t(p, sizes_of(p, {{"n", 7}}));
  t->compute_at("decoded", t->loops<1>("y")[0]);
  t.check();
}

}  // namespace
}  // namespace tenon::test
