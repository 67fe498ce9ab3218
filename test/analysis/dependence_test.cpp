#include "tenon/analysis/dependence.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/check.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

constexpr Ordering kLess = Ordering::kLess;
constexpr Ordering kEqual = Ordering::kEqual;
constexpr Ordering kGreater = Ordering::kGreater;
constexpr Ordering kAny = Ordering::kAny;

const char* name_of(Answer answer) {
  switch (answer) {
    case Answer::kYes: return "they meet";
    case Answer::kNo: return "they never meet";
    case Answer::kUnknown: return "unknown";
  }
  return "";
}

// The answer over all pairs of accesses of `a`, one of them a write: kYes if some pair meets, kNo
// if none does.
Answer any_meets(const Program& p, const std::vector<Ordering>& directions) {
  const Facts facts = facts_of(p);
  const Buffer a = find_param(p, "a")->buffer;
  const std::vector<Access> accesses = accesses_of(p->body, a);
  Answer answer = Answer::kNo;
  for (const Access& x : accesses) {
    for (const Access& y : accesses) {
      if (commute(x, y, false)) continue;
      const Meeting m = meet(x, y, directions, facts);
      CHECK(never_meet(x, y, directions, facts) == (m.answer == Answer::kNo));
      if (m.answer == Answer::kYes) return Answer::kYes;
      if (m.answer == Answer::kUnknown) answer = Answer::kUnknown;
    }
  }
  return answer;
}

struct Question {
  const char* name;
  const char* declarations;  // of `a` and of sizes
  const char* body;
  std::vector<Ordering> directions;
  Answer answer;
};

const Question kQuestions[] = {
    {"a split with a symbolic outer extent",
     "size n output a: f32[n * 12]",
     "for io in 0..n { for ii in 0..12 { a[io * 12 + ii] = 0.0 } }",
     {kGreater},
     Answer::kNo},
    {"the inner loop of a split",
     "size n output a: f32[n * 12]",
     "for io in 0..n { for ii in 0..12 { a[io * 12 + ii] = 0.0 } }",
     {kEqual, kGreater},
     Answer::kNo},
    {"a split of a split",
     "size n output a: f32[n * 48]",
     "for io in 0..n { for im in 0..4 { for ii in 0..12 { a[(io * 4 + im) * 12 + ii] = 0.0 } } }",
     {kGreater},
     Answer::kNo},
    {"a split of a split, reordered",
     "size n output a: f32[n * 48]",
     "for ii in 0..12 { for io in 0..n { for im in 0..4 { a[(io * 4 + im) * 12 + ii] = 0.0 } } }",
     {kGreater},
     Answer::kNo},
    {"a split of a split, against the order",
     "size n output a: f32[n * 48]",
     "for ii in 0..12 { for io in 0..n { for im in 0..4 { a[(io * 4 + im) * 12 + ii] = 0.0 } } }",
     {kGreater, kAny, kLess},
     Answer::kNo},
    {"a guarded split",
     "size n output a: f32[n]",
     "for io in 0..(n + 11) // 12 { for ii in 0..12 { if io * 12 + ii < n {\n"
     "a[io * 12 + ii] = 0.0 } } }",
     {kGreater},
     Answer::kNo},
    {"a tile that overlaps the next one",
     "size n output a: f32[n * 8 + 4]",
     "for io in 0..n { for ii in 0..12 { a[io * 8 + ii] = 0.0 } }",
     {kGreater},
     Answer::kYes},
    {"a fused loop",
     "size n output a: f32[n, 8]",
     "for f in 0..n * 8 { a[f // 8, f % 8] = 0.0 }",
     {kGreater},
     Answer::kNo},
    {"three fused loops",
     "size n output a: f32[n, 3, 8]",
     "for f in 0..n * 24 { a[f // 24, f // 8 % 3, f % 8] = 0.0 }",
     {kGreater},
     Answer::kNo},
    {"a fused loop split by what does not divide it",
     "size n output a: f32[n, 8]",
     "for fo in 0..(n * 8 + 11) // 12 { for fi in 0..12 { if fo * 12 + fi < n * 8 {\n"
     "a[(fo * 12 + fi) // 8, (fo * 12 + fi) % 8] = 0.0 } } }",
     {kGreater},
     Answer::kNo},
    {"the quotient alone",
     "size n output a: f32[n]",
     "for f in 0..n { a[f // 8] = 0.0 }",
     {kGreater},
     Answer::kYes},
    {"the remainder alone",
     "output a: f32[8]",
     "for f in 0..9 { a[f % 8] = 0.0 }",
     {kGreater},
     Answer::kYes},
    {"a remainder that is the value",
     "output a: f32[8]",
     "for f in 0..8 { a[f % 8] = 0.0 }",
     {kGreater},
     Answer::kNo},
    {"a rotation",
     "output a: f32[8]",
     "for f in 0..8 { a[(f + 3) % 8] = 0.0 }",
     {kGreater},
     Answer::kNo},
    {"packed panels",
     "size n, k output a: f32[n, k, 32]",
     "for r in 0..k { for j in 0..n * 32 { a[j // 32, r, j % 32] = 0.0 } }",
     {kAny, kGreater},
     Answer::kNo},
    {"packed panels after a split",
     "size n, k output a: f32[n, k, 32]",
     "for jo in 0..n { for r in 0..k { for ji in 0..32 {\n"
     "a[(jo * 32 + ji) // 32, r, (jo * 32 + ji) % 32] = 0.0 } } }",
     {kGreater},
     Answer::kNo},
    {"even and odd elements",
     "size n output a: f32[2 * n + 2]",
     "for i in 0..n { a[2 * i] = a[2 * i + 1] }",
     {kGreater},
     Answer::kNo},
    {"even elements and every fourth",
     "size n output a: f32[4 * n]",
     "for i in 0..n { a[2 * i] = a[4 * i + 2] }",
     {kLess},
     Answer::kYes},
    {"the upper half from the lower",
     "size n output a: f32[2 * n]",
     "for i in 0..n { a[n + i] = a[i] }",
     {kAny},
     Answer::kYes},  // each write with itself
    {"the upper half from the lower, in other iterations",
     "size n output a: f32[2 * n]",
     "for i in 0..n { a[n + i] = a[i] }",
     {kGreater},
     Answer::kNo},
    {"reversing the lower half",
     "size n output a: f32[n]",
     "for i in 0..n // 2 { a[i] = a[n - 1 - i] }",
     {kGreater},
     Answer::kNo},
    {"reversing all",
     "size n output a: f32[n]",
     "for i in 0..n { a[i] = a[n - 1 - i] }",
     {kGreater},
     Answer::kYes},
    {"a transpose in place below the diagonal, by the bound",
     "size n output a: f32[n, n]",
     "for i in 0..n { for j in 0..i { a[i, j] = a[j, i] } }",
     {kGreater},
     Answer::kNo},
    {"a transpose in place below the diagonal, by a guard",
     "size n output a: f32[n, n]",
     "for i in 0..n { for j in 0..n { if j < i { a[i, j] = a[j, i] } } }",
     {kGreater},
     Answer::kNo},
    {"a transpose in place of all",
     "size n output a: f32[n, n]",
     "for i in 0..n { for j in 0..n { a[i, j] = a[j, i] } }",
     {kGreater},
     Answer::kYes},
    {"sum and difference of the loops",
     "size n output a: f32[2 * n, 2 * n]",
     "for i in 0..n { for j in 0..n { a[i + j, i - j + n] = 0.0 } }",
     {kGreater},
     Answer::kNo},
    {"the sum alone",
     "size n output a: f32[2 * n]",
     "for i in 0..n { for j in 0..n { a[i + j] = 0.0 } }",
     {kGreater, kLess},
     Answer::kYes},
    {"the sum alone, both upwards",
     "size n output a: f32[2 * n]",
     "for i in 0..n { for j in 0..n { a[i + j] = 0.0 } }",
     {kGreater, kGreater},
     Answer::kNo},
    {"a wave front against the order",
     "size n output a: f32[n + 1, n + 1]",
     "for i in 0..n { for j in 0..n { a[i + 1, j] = a[i, j + 1] } }",
     {kGreater, kLess},
     Answer::kYes},
    {"a wave front in the column",
     "size n output a: f32[n + 1, n + 1]",
     "for i in 0..n { for j in 0..n { a[i + 1, j] = a[i, j + 1] } }",
     {kGreater, kEqual},
     Answer::kNo},
    {"neighbours in even iterations only",
     "size n output a: f32[n + 1]",
     "for i in 0..n { if i % 2 == 0 { a[i] = a[i + 1] } }",
     {kAny},
     Answer::kYes},
    {"neighbours in even iterations only, carried",
     "size n output a: f32[n + 1]",
     "for i in 0..n { if i % 2 == 0 { a[i] = a[i + 1] } }",
     {kLess},
     Answer::kNo},
    {"the arm of a select",
     "output a: f32[16]",
     "for i in 0..8 { a[i] = select(i < 4, a[i + 8], a[i]) }",
     {kGreater},
     Answer::kNo},
    {"the other arm of a select",
     "output a: f32[16]",
     "for i in 0..8 { a[i] = select(i < 4, 0.0, a[i - 4]) }",
     {kGreater},
     Answer::kYes},
    {"an index that is a select: a rotation",
     "size n output a: f32[n]",
     "for i in 0..n { a[select(i + 1 < n, i + 1, 0)] = 1.0 }",
     {kGreater},
     Answer::kNo},
    {"an index that is a select: two halves on top of each other",
     "size n output a: f32[n]",
     "for i in 0..2 * n { a[select(i < n, i, i - n)] = 1.0 }",
     {kGreater},
     Answer::kYes},
    {"an index that is a select: two halves apart",
     "size n output a: f32[2 * n]",
     "for i in 0..2 * n { a[select(i < n, i + n, i - n)] = 1.0 }",
     {kGreater},
     Answer::kNo},
    {"an index clamped from above",
     "output a: f32[16]",
     "for i in 0..8 { a[min(i, 5)] = 0.0 }",
     {kGreater},
     Answer::kYes},
    {"an index whose clamp does nothing",
     "output a: f32[16]",
     "for i in 0..8 { a[min(i, 11)] = 0.0 }",
     {kGreater},
     Answer::kNo},
    {"three interleaved streams",
     "size n output a: f32[3 * n]",
     "for i in 0..n { a[3 * i] = a[3 * i + 1] + a[3 * i + 2] }",
     {kGreater},
     Answer::kNo},
    {"a stride as wide as the block",
     "output a: f32[64]",
     "for i in 0..8 { for j in 0..8 { a[i * 8 + j] = 0.0 } }",
     {kGreater},
     Answer::kNo},
    {"a stride narrower than the block",
     "output a: f32[65]",
     "for i in 0..8 { for j in 0..9 { a[i * 8 + j] = 0.0 } }",
     {kGreater},
     Answer::kYes},
    {"a distance longer than the loop",
     "output a: f32[16]",
     "for i in 3..7 { a[i] = a[i + 4] }",
     {kLess},
     Answer::kNo},
    {"a distance as long as the loop allows",
     "output a: f32[16]",
     "for i in 3..8 { a[i] = a[i + 4] }",
     {kLess},
     Answer::kYes},
    {"a requirement makes the distance too long",
     "size n output a: f32[n + 8] require n <= 8",
     "for i in 0..n { a[i] = a[i + 8] }",
     {kLess},
     Answer::kNo},
    {"an empty loop", "output a: f32[16]", "for i in 5..5 { a[0] = 0.0 }", {kAny}, Answer::kNo},
    {"one iteration", "output a: f32[16]", "for i in 5..6 { a[0] = 0.0 }", {kGreater}, Answer::kNo},
    {"a row of a matrix flattened by a size",
     "size n output a: f32[n * n]",
     "for i in 0..n { for j in 0..n { a[i * n + j] = 0.0 } }",
     {kGreater},
     Answer::kNo},
    {"a column of a matrix flattened by a size",
     "size n output a: f32[n * n]",
     "for j in 0..n { for i in 0..n { a[i * n + j] = 0.0 } }",
     {kGreater},
     Answer::kNo},
    {"a split by a size",
     "size n, f output a: f32[n * f]",
     "for io in 0..n { for ii in 0..f { a[io * f + ii] = 0.0 } }",
     {kGreater},
     Answer::kNo},
    {"rows by a size that overlap",
     "size n output a: f32[n * n + 1]",
     "for i in 0..n { for j in 0..n + 1 { a[i * n + j] = 0.0 } }",
     {kGreater},
     Answer::kYes},
    {"indirect stores",
     "size n input idx: i64[n] output a: f32[100]",
     "for i in 0..n { a[idx[i]] = 0.0 }",
     {kGreater},
     Answer::kUnknown},
    {"indirect stores with a promise",
     "size n input idx: i64[n] output a: f32[100]",
     "for i in 0..n { a[check(idx[i], 100)] = 0.0 }",
     {kGreater},
     Answer::kUnknown},
    {"columns of indirect rows",
     "size n, m input idx: i64[n] output a: f32[100, m]",
     "for i in 0..n { for j in 0..m { a[idx[i], j] = 0.0 } }",
     {kAny, kGreater},
     Answer::kNo},
    {"columns of one indirect flat row",
     "size n input idx: i32[n] output a: f32[6400]",
     "for i in 0..n { for j in 0..64 { a[cast<i64>(idx[i]) * 64 + j] = 0.0 } }",
     {kEqual, kGreater},
     Answer::kNo},
    {"a guard on data",
     "size n input x: f32[n] output a: f32[n + 1]",
     "for i in 0..n { if 0.0 < x[i] { a[i + 1] = a[i] } }",
     {kGreater},
     Answer::kUnknown},
    {"an allocation inside the loop",
     "size n output a: f32[1]",
     "for i in 0..n { alloc t: f32[4]\n for j in 0..4 { t[j] = 0.0 } }",
     {kGreater},
     Answer::kNo},
    {"a name for the index",
     "size n output a: f32[2 * n + 1]",
     "for i in 0..n { let t = 2 * i\n a[t] = a[t + 1] }",
     {kGreater},
     Answer::kNo},
};

TEST_CASE("The named questions") {
  for (const Question& q : kQuestions) {
    INFO(q.name);
    const Program p =
        test::parsed("program q " + std::string(q.declarations) + " {\n" + q.body + "\n}");
    CHECK(std::string(name_of(any_meets(p, q.directions))) == name_of(q.answer));
  }
}

// --- What a meeting says.

struct Pair {
  Program program;
  std::vector<Access> accesses;
  Meeting meet(size_t x, size_t y, const std::vector<Ordering>& directions) const {
    return tenon::meet(accesses[x], accesses[y], directions, facts_of(program));
  }
};

Pair accesses_to_a(const std::string& text) {
  const Program p = test::parsed(text);
  return {p, accesses_of(p->body, find_param(p, "a")->buffer)};
}

TEST_CASE("A meeting names the iterations and the element") {
  const Pair q = accesses_to_a(R"(
    program q output a: f32[9, 4] {
      for i in 0..8 {
        for j in 0..4 { a[i + 1, j] = a[i, j] }
      }
    })");
  const Meeting m = q.meet(1, 0, {kGreater});
  REQUIRE(m.answer == Answer::kYes);
  REQUIRE(m.a_values.size() == 2);
  CHECK(m.a_values[0].first.name() == "i");
  CHECK(m.b_values[0].second == m.a_values[0].second + 1);
  CHECK(m.b_values[1].second == m.a_values[1].second);
  CHECK(m.element == std::vector<int64_t>{m.a_values[0].second + 1, m.a_values[1].second});
  CHECK(m.sizes.empty());
}

TEST_CASE("A meeting on symbolic sizes names only the sizes that matter") {
  const Pair q = accesses_to_a(R"(
    program q size m, n output a: f32[n] {
      for i in 0..n { a[i] = a[n - 1 - i] }
    })");
  const Meeting m = q.meet(0, 1, {kGreater});
  REQUIRE(m.answer == Answer::kYes);
  REQUIRE(m.sizes.size() == 1);
  CHECK(m.sizes[0].first.name() == "n");
}

TEST_CASE("An unknown meeting names what was left open") {
  const Pair q = accesses_to_a(R"(
    program q size n input idx: i64[n] output a: f32[n] {
      for i in 0..n { a[idx[i]] = 0.0 }
    })");
  const Meeting m = q.meet(0, 0, {kGreater});
  CHECK(m.answer == Answer::kUnknown);
  REQUIRE(!m.open.empty());
  CHECK(print(m.open[0]) == "idx[i]");
}

TEST_CASE("What is known about outer loops holds for both accesses") {
  const Program p = test::parsed(R"(
    program q size n output a: f32[n] {
      for i in 0..n {
        for j in 0..n { a[i] = a[j] }
      }
    })");
  const For& i = *p->body.as<For>();
  const Buffer a = find_param(p, "a")->buffer;
  const std::vector<Access> inner = accesses_of(i.body, a);
  const Facts facts = facts_of(p).inside(i);
  CHECK(meet(inner[1], inner[1], {kGreater}, facts).answer == Answer::kYes);
  CHECK(meet(inner[1], inner[0], {kGreater}, facts.given(Expr(i.var) == p->sizes[0] - 1)).answer ==
        Answer::kYes);
  CHECK(meet(inner[1], inner[0], {kGreater}, facts.given(Expr(i.var) == Expr(0))).answer ==
        Answer::kNo);
}

TEST_CASE("Accumulations with the same reducer commute") {
  const auto pair = [](const std::string& type, const std::string& second, const char* one) {
    return accesses_to_a("program q output a: " + type + "[4] {\nfor i in 0..4 { a[i] += " + one +
                         "\na[i] " + second + " " + one + " } }");
  };
  const Pair floats = pair("f32", "+=", "1.0"), ints = pair("i32", "+=", "1i32"),
             mixed = pair("f32", "max=", "1.0");
  CHECK(commute(floats.accesses[0], floats.accesses[1], false));
  CHECK(!commute(floats.accesses[0], floats.accesses[1], true));
  CHECK(commute(ints.accesses[0], ints.accesses[1], true));
  CHECK(!commute(mixed.accesses[0], mixed.accesses[1], false));
  CHECK(commute(mixed.accesses[1], mixed.accesses[1], true));  // max of floats is exact
}

}  // namespace
}  // namespace tenon
