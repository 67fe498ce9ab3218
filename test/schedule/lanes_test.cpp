#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "support/reducers.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

// The sum of each row, exact in any order.
Program rows() {
  const Size m("m"), n("n");
  const Tensor x = input("x", i32, {m, n});
  return checked(program("rows", {x}, {compute("s", {m}, [&](Expr i) {
                           return sum(n, [&](Expr r) { return x(i, r); });
                         })}));
}

TEST_CASE("A row is summed in accumulators of lanes") {
  const Program p = rows();
  for (const int64_t n : {1, 8, 32, 45, 100}) {
    Followed s(p, sizes_of(p, {{"m", 2}, {"n", n}}), sizes_of(p, {{"n", n}}));
    const auto [blocks, accumulators, lanes] = s->lanes(s->all_loops("s")[1], 4, 256);
    s.check();
    CHECK(blocks.var());
    CHECK(accumulators.var());
    CHECK(lanes.var());
    if (n == 32)
      CHECK(body_of(s->program()) == R"(  for i in 0..m {
    s[i] = 0i32
    alloc s_rii: i32[8]
    vector for rii_init in 0..8 {
      s_rii[rii_init] = 0i32
    }
    alloc s_rii_rio: i32[4, 8]
    unroll for rio_init in 0..4 {
      vector for rii_init_1 in 0..8 {
        s_rii_rio[rio_init, rii_init_1] = 0i32
      }
    }
    for ro in 0..1 {
      unroll for rio in 0..4 {
        vector for rii in 0..8 {
          s_rii_rio[rio, rii] += x[i, ro * 32 + rio * 8 + rii]
        }
      }
    }
    unroll for rio_fold in 0..4 {
      vector for rii_fold in 0..8 {
        s_rii[rii_fold] += s_rii_rio[rio_fold, rii_fold]
      }
    }
    vector for rii_fold_1 in 0..8 {
      s[i] += s_rii[rii_fold_1]
    }
  }
)");
    CHECK(s->trace().steps()[0].text == "lanes(r, 4, 256)");
    CHECK_FALSE(s->program()->reassociated);
  }
}

TEST_CASE("One accumulator is a vector of lanes") {
  const Program p = rows();
  Followed s(p, sizes_of(p, {{"m", 2}, {"n", 37}}));
  s->lanes(s->all_loops("s")[1], 1, 128);
  s.check();
  CHECK(body_of(s->program()).find("rio_init") == std::string::npos);
}

TEST_CASE("The widest result of a reduction by functions counts") {
  const Program p = parsed(R"(
program best
  size n
  input x: f32[n]
  output top: f32[]
  output place: i64[])" + std::string(kArgmax) +
                           R"(
{
  top[] = -inf
  place[] = -1
  for r in 0..n { (top, place)[] argmax= (x[r], r) }
})");
  for (const int64_t n : {1, 37, 64}) {
    Followed s(p, sizes_of(p, {{"n", n}}));
    s->lanes(s->all_loops("top")[0], 2, 512);
    s.check();
    CHECK(body_of(s->program()).find("alloc top_rii: f32[8]") != std::string::npos);
  }
}

TEST_CASE("What is no row of a reduction is refused, and nothing is done") {
  const auto refused = [](const Program& p, const char* stage, size_t loop, int64_t accumulators,
                          int64_t bits) {
    Schedule s(p);
    s.lanes(s.all_loops(stage)[loop], accumulators, bits);
    CHECK(s.trace().steps().empty());
    return refusal_of(s);
  };
  const Program columns = program_of("for r in 0..m { for j in 0..n { out[j] += y[r, j] } }", 0, 0);
  CHECK(refused(rows(), "s", 1, 0, 256) ==
        "schedule step 1: lanes(r, 0, 256) refused\n"
        "  there are at least 1 and at most 64 accumulators, and 0 were asked for");
  CHECK(refused(rows(), "s", 1, 4, 384) ==
        "schedule step 1: lanes(r, 4, 384) refused\n"
        "  the bits of a vector are a power of two, and 1 to 256 lanes of 32 bits; 384 were asked "
        "for");
  CHECK(refused(chain(), "t", 0, 4, 256) ==
        "schedule step 1: lanes(i, 4, 256) refused\n"
        "  nothing is accumulated in loop i");
  CHECK(refused(columns, "out", 0, 4, 256) ==
        "schedule step 1: lanes(r, 4, 256) refused\n"
        "  loop j inside of loop r indexes what is accumulated: its iterations are lanes without "
        "partial results\n"
        "  legal here: vectorize(j)");
  CHECK(refused(columns, "out", 1, 4, 256) ==
        "schedule step 1: lanes(j, 4, 256) refused\n"
        "  rfactor(jii): the iterations of loop jii accumulate into out[jo * 32 + jio * 8 + jii], "
        "each into another element: there is nothing to fold");
}

}  // namespace
}  // namespace tenon::test
