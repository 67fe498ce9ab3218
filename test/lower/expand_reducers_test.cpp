#include <catch2/catch.hpp>

#include "lower/lowering.h"
#include "lower/passes.h"
#include "support/check.h"
#include "support/reducers.h"

namespace tenon {
namespace {

std::string expanded(const std::string& body) {
  const Program p = test::parsed(
      "program p\n  input x: f32[8]\n  output y: f32[8]\n"
      "  output k: i64[8]\n  output t: f32[1]\n  reducer greatest(s: f32) = "
      "(-inf) update (v: f32) -> (select(s < v, v, s)) combine (t2) -> "
      "(select(s < t2, t2, s))\n{\n" +
      body + "\n}\n");
  const absl::StatusOr<Program> q = expand_reducers(p, Target());
  REQUIRE(q.ok());
  const std::string text = print(test::checked(*q));
  return text.substr(text.find("{\n"));
}

TEST_CASE("an update reads the state, names the next one, and stores it") {
  CHECK(expanded("for i in 0..8 { (y)[i] greatest= (x[i] + 1.0) }") == R"({
  for i in 0..8 {
    let y_1 = y[i]
    let v = x[i] + 1.0
    let y_2 = select(y_1 < v, v, y_1)
    y[i] = y_2
  }
}
)");
}

TEST_CASE("a mask stays on loads and stores, and a scalar one becomes an if") {
  CHECK(expanded("(y)[ramp(0, 1, 8)] greatest= (x[ramp(0, 1, 8)]) where ramp(0, 1, 8) < "
                 "broadcast(3, 8)") == R"({
  let y_1 = masked(y[ramp(0, 1, 8)], ramp(0, 1, 8) < broadcast(3, 8))
  let v = x[ramp(0, 1, 8)]
  let y_2 = select(y_1 < v, v, y_1)
  y[ramp(0, 1, 8)] = y_2 where ramp(0, 1, 8) < broadcast(3, 8)
}
)");
  CHECK(expanded("(y)[0] greatest= (x[0]) where x[1] < 2.0") == R"({
  if x[1] < 2.0 {
    let y_1 = y[0]
    let v = x[0]
    let y_2 = select(y_1 < v, v, y_1)
    y[0] = y_2
  }
}
)");
}

TEST_CASE("an index that is data is read before the results are stored") {
  CHECK(expanded("(y)[k[0] % 4] greatest= (x[0])") == R"({
  let at = k[0] % 4
  let y_1 = y[at]
  let v = x[0]
  let y_2 = select(y_1 < v, v, y_1)
  y[at] = y_2
}
)");
}

TEST_CASE("lanes meet in a local, halves onto halves, and once with the target") {
  CHECK(expanded("(t)[0] greatest= (x[ramp(0, 1, 4)])") == R"({
  alloc t_lanes: f32[4]
  let v = x[ramp(0, 1, 4)]
  t_lanes[ramp(0, 1, 4)] = select(broadcast(-inf, 4) < v, v, broadcast(-inf, 4))
  let t_lanes_1 = t_lanes[ramp(0, 1, 2)]
  let t_lanes_2 = t_lanes[ramp(2, 1, 2)]
  t_lanes[ramp(0, 1, 2)] = select(t_lanes_1 < t_lanes_2, t_lanes_2, t_lanes_1)
  let t_lanes_3 = t_lanes[0]
  let t_lanes_4 = t_lanes[1]
  t_lanes[0] = select(t_lanes_3 < t_lanes_4, t_lanes_4, t_lanes_3)
  let t_lanes_5 = t_lanes[0]
  let t_1 = t[0]
  let t_2 = select(t_1 < t_lanes_5, t_lanes_5, t_1)
  t[0] = t_2
}
)");
}

}  // namespace
}  // namespace tenon
