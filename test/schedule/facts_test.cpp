// assume and specialize.
#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("An assumed fact is a requirement, and what was not known before") {
  const Program p = chain();
  const Expr n = p->sizes[0];
  Schedule unknown(p), s(p);
  unknown.split(unknown.loops<1>("out")[0], 8, Tail::kPerfect);
  CHECK(refusal_of(unknown) ==
        "schedule step 1: split(i_1, 8, perfect) refused\n"
        "  cannot prove that 8 divides n, the number of iterations of loop i_1\n"
        "  missing fact: n % 8 == 0");
  s.assume((n % 8 == 0) & (Expr(0) < n));
  s.assume(n % 4 == 0);  // known already
  s.split(s.loops<1>("out")[0], 8, Tail::kPerfect);
  REQUIRE(s.status().ok());
  const Program q = checked(s.program());
  REQUIRE(q->requirements.size() == 2);
  CHECK(print(q->requirements[0], q) == "n % 8 == 0");
  check_same(p, q, sizes_of(p, {{"n", 16}}));
  CHECK(s.trace().to_string().find("assume(n % 8 == 0 & 0 < n)") != std::string::npos);
}

TEST_CASE("A fact that comes after a split takes its guard away") {
  const Program p = chain();
  Schedule s(p);
  const auto [outer, inner] = s.split(s.loops<1>("out")[0], 8);
  CHECK(print(s.program()).find("if ") != std::string::npos);
  s.assume(Expr(p->sizes[0]) % 8 == 0);
  CHECK(print(s.program()).find("if ") == std::string::npos);
}

TEST_CASE("A call without the fact is refused") {
  const Program p = chain();
  Schedule s(p);
  s.assume(Expr(p->sizes[0]) % 8 == 0);
  Array x(f32, {7}), out(f32, {7});
  const absl::Status status =
      interpret(s.program(), sizes_of(p, {{"n", 7}}), std::vector<InterpArgument>{&x, &out});
  CHECK(status.message().find("n % 8 == 0") != absl::string_view::npos);
}

TEST_CASE("What cannot be assumed") {
  const Program p = parsed(
      "program p\n  size n\n  input x: f32[n]\n  scalar a: f32\n  output y: f32[n]\n"
      "  require n % 2 == 0\n{ for i in 0..n { y[i] = x[i] * a } }");
  const auto refused = [&](const Expr& fact) {
    Schedule s(p);
    s.assume(fact);
    return refusal_of(s);
  };
  const Expr n = p->sizes[0];
  CHECK(refused(n % 2 == 1) ==
        "schedule step 1: assume(n % 2 == 1) refused\n"
        "  the fact n % 2 == 1 never holds for sizes that the program allows");
  CHECK(refused(n + 1) ==
        "schedule step 1: assume(n + 1) refused\n"
        "  the fact n + 1 has type i64; it must be bool");
  CHECK(refused(p->params[1].scalar < 1.0f) ==
        "schedule step 1: assume(a < 1.0) refused\n"
        "  the fact uses a, which is not a size of the program");
  CHECK(refused(load(p->params[0].buffer, {Expr(0)}) < 1.0f) ==
        "schedule step 1: assume(x[0] < 1.0) refused\n"
        "  the fact x[0] < 1.0 depends on the contents of a buffer");
  CHECK(refused(Expr(Var("k")) < n) ==
        "schedule step 1: assume(k < n) refused\n"
        "  the fact uses k, which is not a size of the program");
  CHECK(refused((n < 3) | (Expr(5) < n)) ==
        "schedule step 1: assume(n < 3 | 5 < n) refused\n"
        "  the fact n < 3 | 5 < n cannot be checked when a kernel is called: it must be made of "
        "sizes and constants with + - * // % min max select and comparisons, joined by &");
  CHECK(refused(Expr()) ==
        "schedule step 1: assume(?) refused\n"
        "  the fact is empty");
}

TEST_CASE("A fast path has loops and stages of its own, and knows its condition") {
  const Program p = chain();
  const Expr n = p->sizes[0];
  for (const int64_t length : {0, 1, 8, 9, 16}) {
    Followed s(p, sizes_of(p, {{"n", length}}));
    const auto [io, ii] = s->split(s->loops<1>("out")[0], 8);
    const Loop i = s->compute_at<1>("t", io)[0];
    s.check();
    const FastPath fast = s->specialize(n % 8 == 0);
    s.check();
    CHECK(fast.loops().size() == 3);
    CHECK(fast.of("t") == "t_fast");
    CHECK(fast.of("out") == "out");
    s->vectorize(fast.of(ii));
    s.check();
    s->vectorize(fast.of(i));
    s->parallelize(fast.of(io));
    s.check();
    s->compute_root("t");
    s.check();
  }
  Schedule s(p);
  const auto [io, ii] = s.split(s.loops<1>("out")[0], 8);
  s.compute_at("t", io);
  const FastPath fast = s.specialize(n % 8 == 0);
  s.compute_root(fast.of("t"));
  REQUIRE(s.status().ok());
  CHECK(body_of(s.program()) == R"(  if n % 8 == 0 {
    alloc t_fast: f32[n]
    for i in 0..n {
      t_fast[i] = x[i] * 2.0
    }
    for io in 0..n // 8 {
      for ii in 0..8 {
        out[io * 8 + ii] = t_fast[io * 8 + ii] + 1.0
      }
    }
  }
  if n % 8 != 0 {
    for io_1 in 0..(n + 7) // 8 {
      alloc t: f32[8]
      for i_1 in 0..8 {
        if io_1 * 8 + i_1 < n {
          t[i_1] = x[io_1 * 8 + i_1] * 2.0
        }
      }
      for ii_1 in 0..8 {
        if io_1 * 8 + ii_1 < n {
          out[io_1 * 8 + ii_1] = t[ii_1] + 1.0
        }
      }
    }
  }
)");
  const FastPath again = s.specialize(n < 100);
  REQUIRE(s.status().ok());
  check_same(p, checked(s.program()), sizes_of(p, {{"n", 16}}));
  check_same(p, checked(s.program()), sizes_of(p, {{"n", 104}}));
  check_same(p, checked(s.program()), sizes_of(p, {{"n", 103}}));
}

TEST_CASE("What nothing is chosen by") {
  const Program p = parsed(
      "program p\n  size n\n  input x: f32[n]\n  scalar a: f32\n  output y: f32[n]\n"
      "  require n % 2 == 0\n{ for i in 0..n { y[i] = x[i] * a } }");
  const auto refused = [&](const Expr& condition) {
    Schedule s(p);
    s.specialize(condition);
    return refusal_of(s);
  };
  const Expr n = p->sizes[0];
  CHECK(refused(n % 2 == 0) ==
        "schedule step 1: specialize(n % 2 == 0) refused\n"
        "  the condition n % 2 == 0 always holds: there is nothing to choose between");
  CHECK(refused(n % 2 == 1) ==
        "schedule step 1: specialize(n % 2 == 1) refused\n"
        "  the condition n % 2 == 1 never holds: there is nothing to choose between");
  CHECK(refused(n * 2) ==
        "schedule step 1: specialize(n * 2) refused\n"
        "  the condition n * 2 has type i64; it must be bool");
  CHECK(refused(load(p->params[0].buffer, {Expr(0)}) < 1.0f) ==
        "schedule step 1: specialize(x[0] < 1.0) refused\n"
        "  the condition x[0] < 1.0 depends on the contents of a buffer");
  Schedule s(p);
  s.specialize(Expr(p->params[1].scalar) == 1.0f);
  REQUIRE(s.status().ok());
  CHECK(body_of(checked(s.program())) == R"(  if a == 1.0 {
    for i in 0..n {
      y[i] = x[i] * a
    }
  }
  if a != 1.0 {
    for i_1 in 0..n {
      y[i_1] = x[i_1] * a
    }
  }
)");
  CHECK(s.loops<1>("y")[0].var() == p->body.as<For>()->var);
}

}  // namespace
}  // namespace tenon::test
