#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

// s[0] = the sum of x, exact in any order.
Program total() {
  const Size n("n");
  const Tensor x = input("x", i32, {n});
  const Tensor s = compute("s", {1}, [&](Expr) { return sum(n, [&](Expr r) { return x(r); }); });
  return checked(program("total", {x}, {s}));
}

TEST_CASE("Each iteration of a split reduction gets a partial sum") {
  const Program p = total();
  Followed s(p, sizes_of(p, {{"n", 32}}), sizes_of(p, {{"n", 32}}));
  const auto [ro, ri] = s->split(s->all_loops("s").back(), 16);
  (void)ro;
  const Partials made = s->rfactor(ri);
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..1 {
    s[i] = 0i32
    alloc s_ri: i32[16]
    for ri_init in 0..16 {
      s_ri[ri_init] = 0i32
    }
    for ro in 0..2 {
      for ri in 0..16 {
        s_ri[ri] += x[ro * 16 + ri]
      }
    }
    for ri_fold in 0..16 {
      s[i] += s_ri[ri_fold]
    }
  }
)");
  CHECK(made.stage == "s_ri");
  CHECK(made.init.size() == 1);
  CHECK(made.fold.size() == 1);
  CHECK(s->trace().steps().back().text == "rfactor(ri) -> s_ri");
  CHECK_FALSE(s->program()->reassociated);
  s->vectorize(made.init[0]);
  s->vectorize(ri);
  s->unroll(made.fold[0]);
  s.check();
}

// Accumulators x lanes: the lanes first, then the accumulators.
void make_tree(Followed& s, int64_t accumulators, int64_t lanes) {
  const auto [ro, rest] = s->split(s->all_loops("s").back(), lanes * accumulators);
  (void)ro;
  const auto [accumulator, lane] = s->split(rest, lanes);
  const Partials lane_parts = s->rfactor(lane);
  s.check();
  const Partials tree = s->rfactor(accumulator);
  s.check();
  for (const Loop& loop : {lane, lane_parts.init[0], tree.init[1], tree.fold[1]}) {
    s->vectorize(loop);
    s.check();
  }
  for (const Loop& loop : {accumulator, tree.init[0], tree.fold[0]}) {
    s->unroll(loop);
    s.check();
  }
}

TEST_CASE("Applied twice, rfactor makes a tree of accumulators and lanes") {
  const Program p = total();
  Followed s(p, sizes_of(p, {{"n", 200}}));
  make_tree(s, 4, 16);
  CHECK(body_of(s->program()) == R"(  for i in 0..1 {
    s[i] = 0i32
    alloc s_rii: i32[16]
    vector for rii_init in 0..16 {
      s_rii[rii_init] = 0i32
    }
    alloc s_rii_rio: i32[4, 16]
    unroll for rio_init in 0..4 {
      vector for rii_init_1 in 0..16 {
        s_rii_rio[rio_init, rii_init_1] = 0i32
      }
    }
    for ro in 0..(n + 63) // 64 {
      unroll for rio in 0..4 {
        vector for rii in 0..16 {
          if ro * 64 + rio * 16 + rii < n {
            s_rii_rio[rio, rii] += x[ro * 64 + rio * 16 + rii]
          }
        }
      }
    }
    unroll for rio_fold in 0..4 {
      vector for rii_fold in 0..16 {
        s_rii[rii_fold] += s_rii_rio[rio_fold, rii_fold]
      }
    }
    for rii_fold_1 in 0..16 {
      s[i] += s_rii[rii_fold_1]
    }
  }
)");
  for (const int64_t n : {0, 1, 15, 16, 17, 63, 64, 65, 500}) {
    Followed at(p, sizes_of(p, {{"n", n}}));
    make_tree(at, 4, 16);
    Followed known(p, sizes_of(p, {{"n", n}}), sizes_of(p, {{"n", n}}));
    make_tree(known, 4, 16);
  }
}

TEST_CASE("D4: a factored sum of a split reduction, run twice over the same output") {
  const Tensor a = input("a", i32, {256});
  const Tensor y = compute("y", {1}, [&](Expr) { return sum(256, [&](Expr r) { return a(r); }); });
  const Program p = program("total", {a}, {y});
  std::vector<int32_t> values(256);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
  for (const int64_t factor : {1, 3, 4, 8, 16, 17, 255, 256, 300}) {
    for (const bool inner_first : {true, false}) {
      Schedule s(p);
      const auto [outer, inner] = s.split(s.all_loops("y").back(), factor);
      s.rfactor(inner_first ? inner : outer);
      REQUIRE(s.status().ok());
      Array in = Array::of<int32_t>({256}, values), out(i32, {1});
      for (int run = 0; run < 2; ++run) {
        REQUIRE(interpret(checked(s.program()), {}, {&in, &out}).ok());
        CHECK(out.at<int32_t>(0) == 32640);
      }
    }
  }
}

TEST_CASE("Loops of the target inside of the reduction become dimensions of the partial results") {
  const Size m("m"), n("n"), k("k");
  const Tensor x = input("x", i32, {m, k}), w = input("w", i32, {k, n});
  const Tensor c = compute("c", {m, n}, [&](Expr i, Expr j) {
    return sum(k, [&](Expr r) { return x(i, r) * w(r, j); });
  });
  const Program p = checked(program("matmul", {x, w}, {c}));
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 5}, {"k", 7}}));
  const auto [i, j] = s->loops<2>("c");
  (void)j;
  const InitAndUpdate nests = s->decompose_init(i);
  s.check();
  const auto [ro, ri] = s->split(s->all_loops("c").back(), 4);
  const auto [jo, ji] = s->split(nests.update[1], 2);
  s->reorder({ro, jo, ji, ri});
  s.check();
  const Partials made = s->rfactor(ri);
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..m {
    for j in 0..n {
      c[i, j] = 0i32
    }
  }
  for i_1 in 0..m {
    alloc c_ri: i32[4, (n + 1) // 2, 2]
    for ri_init in 0..4 {
      for jo_init in 0..(n + 1) // 2 {
        for ji_init in 0..2 {
          c_ri[ri_init, jo_init, ji_init] = 0i32
        }
      }
    }
    for ro in 0..(k + 3) // 4 {
      for jo in 0..(n + 1) // 2 {
        for ji in 0..2 {
          for ri in 0..4 {
            if jo * 2 + ji < n and ro * 4 + ri < k {
              c_ri[ri, jo, ji] += x[i_1, ro * 4 + ri] * w[ro * 4 + ri, jo * 2 + ji]
            }
          }
        }
      }
    }
    for ri_fold in 0..4 {
      for jo_fold in 0..(n + 1) // 2 {
        for ji_fold in 0..2 {
          if jo_fold * 2 + ji_fold < n {
            c[i_1, jo_fold * 2 + ji_fold] += c_ri[ri_fold, jo_fold, ji_fold]
          }
        }
      }
    }
  }
)");
  s->parallelize(nests.update[0]);
  s->vectorize(made.fold[2]);
  s.check();
}

TEST_CASE("A factored float sum is a reassociation, a maximum is exact") {
  const Program p = program_of(
      "out[0] = -0.0\n for r in 0..n { out[0] += x[r] }\n"
      "out[1] = -inf\n for q in 0..n { out[1] max= x[q] }",
      0, 2);
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 21}}));
  const Loop maximum = s->all_loops("out").back();
  s->rfactor(s->split(maximum, 8).second);
  s.check();
  CHECK_FALSE(s->program()->reassociated);
  const Var sum_loop = s->program()->body.as<Seq>()->stmts[1].as<For>()->var;
  s->rfactor(s->split(Loop(sum_loop), 8).second);
  REQUIRE(s->status().ok());
  CHECK(checked(s->program())->reassociated);
  // One sum in eight parts rounds a little differently.
  const std::vector<Array> a = outputs_of(p, sizes_of(p, {{"m", 1}, {"n", 21}}));
  const std::vector<Array> b = outputs_of(s->program(), sizes_of(p, {{"m", 1}, {"n", 21}}));
  CHECK(b[0].at<float>(0) == Approx(a[0].at<float>(0)).epsilon(1e-5));
  CHECK(b[0].at<float>(1) == a[0].at<float>(1));
}

TEST_CASE("Every reducer and type has an identity to start partial results from") {
  for (const Type type : {f64, f32, f16, bf16, i8, i32, i64, u8, u64}) {
    const Size n("n");
    const Tensor x = input("x", type, {n});
    const Tensor lo =
        compute("lo", {2}, [&](Expr) { return min_over(n, [&](Expr r) { return x(r); }); });
    const Tensor hi =
        compute("hi", {2}, [&](Expr) { return max_over(n, [&](Expr r) { return x(r); }); });
    const Program p = checked(program("range", {x}, {lo, hi}));
    for (const int64_t length : {0, 1, 9}) {
      Followed s(p, sizes_of(p, {{"n", length}}));
      for (const char* stage : {"lo", "hi"}) {
        s->rfactor(s->split(s->all_loops(stage).back(), 4).second);
        s.check();
      }
      CHECK_FALSE(s->program()->reassociated);
    }
  }
}

TEST_CASE("A whole reduction loop may be factored, whatever its extent") {
  const Program p = total();
  for (const int64_t n : {0, 1, 5}) {
    Followed s(p, sizes_of(p, {{"n", n}}));
    s->rfactor(s->all_loops("s").back());
    s.check();
    CHECK(body_of(s->program()).find("alloc s_r: i32[n]") != std::string::npos);
  }
}

TEST_CASE("A loop that the target uses is not factored") {
  const Program p = program_of("for i in 0..n { out[i] += x[i] }");
  Schedule s(p);
  s.rfactor(s.loops<1>("out")[0]);
  CHECK(refusal_of(s) ==
        "schedule step 1: rfactor(i) refused\n"
        "  the iterations of loop i accumulate into out[i], each into another element: there is "
        "nothing to fold");
}

TEST_CASE("Lanes that fold already are not factored") {
  const Program p = program_of("out[0] = 0.0\n for r in 0..8 { out[0] += x[r] }", 0, 8);
  Schedule s(p);
  const Loop r = s.all_loops("out")[0];
  s.vectorize(r);
  s.rfactor(r);
  CHECK(refusal_of(s) ==
        "schedule step 2: rfactor(r) refused\n"
        "  loop r is a vector loop already; rfactor takes a serial one");
}

TEST_CASE("A parallel loop around stays legal or the step is refused") {
  const Program p = parsed(R"(
program p
  input x: f32[4]
  output out: f32[4]
{
  for i in 0..4 { out[i] = 0.0 }
  parallel for b in 0..8 {
    for r in 0..4 {
      if r + b % 2 * 8 < 4 { out[b // 2] += x[r] }
    }
  }
}
)");
  Schedule s(p);
  s.rfactor(s.all_loops("out").back());
  CHECK(refusal_of(s) ==
        "schedule step 1: rfactor(r) refused\n"
        "  loop b would not stay parallel: iterations (b = 0, r_fold = 0) and (b = 1, r_fold "
        "= 0) both accumulate into out[0]: a race");
}

TEST_CASE("A refused rfactor returns handles that are safe to use") {
  Schedule s(total());
  const Partials made = s.rfactor(Loop());
  s.vectorize(made.init[1]);
  s.loops(made.stage);
  CHECK(refusal_of(s) ==
        "schedule step 1: rfactor(?) refused\n"
        "  the loop handle is empty");
}

TEST_CASE("A loop that is gone is explained") {
  Schedule s(total());
  const Loop r = s.all_loops("s").back();
  s.split(r, 4);
  s.rfactor(r);
  CHECK(refusal_of(s) ==
        "schedule step 2: rfactor(r) refused\n"
        "  loop r no longer exists: step 1 split it into ro, ri");
}

TEST_CASE("Partial results of a number that is data, by a name, are refused") {
  const Program p = parsed(R"(program p
  size n
  input x: f32[n]
  input len: i64[4]
  output o: f32[4]
{
  for i in 0..4 {
    let l = min(len[i], n)
    o[i] = 0.0
    for r in 0..l { o[i] += x[r] }
  }
})");
  Schedule s(p);
  s.rfactor(s.all_loops("o").back());
  CHECK_THAT(refusal_of(s), Catch::Contains("is read from memory: l"));
}

}  // namespace
}  // namespace tenon::test
