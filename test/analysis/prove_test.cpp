#include "tenon/analysis/prove.h"

#include <catch2/catch.hpp>

#include "tenon/ir/operators.h"
#include "tenon/ir/program.h"

namespace tenon {
namespace {

struct Names {
  Var n{"n"}, m{"m"}, io{"io"}, ii{"ii"}, j{"j"}, k{"k"}, data{"data"};
  Facts facts = Facts()
                    .with_size(n)
                    .with_size(m)
                    .inside(LoopRange{io, 0, ceildiv(m, 12)})
                    .inside(LoopRange{ii, 0, 12})
                    .inside(LoopRange{j, 0, n})
                    .inside(LoopRange{k, j, min(n, Expr(j) + 8)});

  Answer ask(const Expr& condition) const {
    const Answer answer = prove(facts, condition);
    CHECK(proved(facts, condition) == (answer == Answer::kYes));
    return answer;
  }
};

TEST_CASE_METHOD(Names, "loops, symbolic ends included, bound their variables") {
  CHECK(ask(Expr(ii) < 12) == Answer::kYes);
  CHECK(ask(Expr(ii) < 11) == Answer::kNo);
  CHECK(ask(Expr(j) < n) == Answer::kYes);
  CHECK(ask(Expr(j) + 1 <= n) == Answer::kYes);
  CHECK(ask(Expr(j) + 1 < n) == Answer::kNo);
  CHECK(ask(Expr(k) < n) == Answer::kYes);
  CHECK(ask(Expr(k) - j < 8) == Answer::kYes);
  CHECK(ask(Expr(k) - j < 7) == Answer::kNo);
  CHECK(ask(Expr(j) <= k) == Answer::kYes);
}

TEST_CASE_METHOD(Names, "a loop around runs at least once") {
  CHECK(ask(1 <= Expr(n)) == Answer::kYes);
  CHECK(ask(1 <= Expr(m)) == Answer::kYes);
  CHECK(ask(2 <= Expr(m)) == Answer::kNo);
}

TEST_CASE_METHOD(Names, "quotients and remainders by constants are understood") {
  CHECK(ask(Expr(io) * 12 < m) == Answer::kYes);
  CHECK(ask(Expr(io) * 12 + ii < m) == Answer::kNo);
  CHECK(ask(Expr(io) * 12 + ii < Expr(m) + 11) == Answer::kYes);
  CHECK(ask(Expr(j) / 8 * 8 + Expr(j) % 8 == j) == Answer::kYes);
  CHECK(ask(Expr(j) / 8 <= Expr(n) / 8) == Answer::kYes);
  CHECK(ask(Expr(j) % 8 < 8) == Answer::kYes);
  CHECK(ask(Expr(j) % 8 < 7) == Answer::kNo);
  CHECK(ask(Expr(io) < (Expr(m) + 11) / 12) == Answer::kYes);
}

TEST_CASE_METHOD(Names, "guards and requirements are facts") {
  const Facts guarded = facts.given((Expr(io) * 12 + ii < m) & (Expr(n) % 4 == 0));
  CHECK(prove(guarded, Expr(io) * 12 + ii < m) == Answer::kYes);
  CHECK(prove(guarded, Expr(io) * 12 + ii <= m) == Answer::kYes);
  CHECK(prove(guarded, Expr(n) / 4 * 4 == n) == Answer::kYes);
  CHECK(prove(guarded, Expr(n) != 6) == Answer::kYes);
  CHECK(prove(guarded, Expr(n) != 8) == Answer::kNo);
  CHECK(prove(facts.given(~(Expr(ii) < 5)), 5 <= Expr(ii)) == Answer::kYes);
  // One of two alternatives holds; both give the same.
  const Facts either = facts.given((Expr(ii) < 3) | (8 < Expr(ii)));
  CHECK(prove(either, Expr(ii) != 5) == Answer::kYes);
  CHECK(prove(facts.given(Expr(ii) != 0), 1 <= Expr(ii)) == Answer::kYes);
}

TEST_CASE_METHOD(Names, "conditions of several parts are proved part by part") {
  CHECK(ask((Expr(ii) < 12) & (Expr(j) < n)) == Answer::kYes);
  CHECK(ask((Expr(ii) < 5) | (4 < Expr(ii))) == Answer::kYes);
  CHECK(ask((Expr(ii) < 5) | (5 < Expr(ii))) == Answer::kNo);
  CHECK(ask(~((Expr(ii) < 0) | (Expr(j) == n))) == Answer::kYes);
  CHECK(ask((Expr(ii) == 3) == (Expr(ii) * 2 == 6)) == Answer::kUnknown);
}

TEST_CASE_METHOD(Names, "minima and maxima are their cases") {
  CHECK(ask(min(Expr(ii), Expr(j)) <= ii) == Answer::kYes);
  CHECK(ask(Expr(j) <= max(Expr(j), Expr(ii))) == Answer::kYes);
  CHECK(ask(min(Expr(n), Expr(m)) < Expr(n) + 1) == Answer::kYes);
  CHECK(ask(max(Expr(j), Expr(ii)) < max(Expr(n), 12)) == Answer::kYes);
  CHECK(ask(min(Expr(j), Expr(ii)) < 11) == Answer::kNo);
}

TEST_CASE_METHOD(Names, "a loop may end at a maximum, and a claim may end there too") {
  const Facts inside = facts.inside(LoopRange{data, 0, max(Expr(n) + n - 1, 0)});
  const auto ask_inside = [&](const Expr& condition) { return prove(inside, condition); };
  CHECK(ask_inside(Expr(data) < max(2 * Expr(n) - 1, 0)) == Answer::kYes);
  CHECK(ask_inside(Expr(data) < 2 * Expr(n)) == Answer::kYes);
  CHECK(ask_inside(Expr(data) + 1 < max(2 * Expr(n) - 1, 0)) == Answer::kNo);
  CHECK(ask_inside(Expr(data) < max(2 * Expr(m) - 1, 0)) == Answer::kNo);
  CHECK(ask_inside(Expr(data) + max(Expr(n), 3) < max(3 * Expr(n) - 1, 2 * Expr(n) + 2)) ==
        Answer::kYes);
  CHECK(ask_inside(max(Expr(n), 3) + min(Expr(n), 3) == Expr(n) + 3) == Answer::kYes);
  CHECK(ask_inside(max(Expr(n), 3) + min(Expr(n), 2) == Expr(n) + 3) == Answer::kNo);
}

TEST_CASE_METHOD(Names, "a select is the arm that its condition says") {
  const Expr before = select(0 < Expr(j), Expr(j) - 1, Expr(n) - 1);
  CHECK(ask((0 <= before) & (before < n)) == Answer::kYes);
  CHECK(ask(before != j) == Answer::kNo);  // n == 1
  CHECK(prove(facts.given(2 <= Expr(n)), before != j) == Answer::kYes);
  CHECK(ask(select(Expr(j) == 0, 0, Expr(j) - 1) <= j) == Answer::kYes);
  CHECK(ask(select(Expr(j) < ii, Expr(j), ii) == min(Expr(j), Expr(ii))) == Answer::kYes);
  CHECK(ask(select(Expr(j) < ii, Expr(ii), j) == min(Expr(j), Expr(ii))) == Answer::kNo);
  CHECK(ask(select((2 < Expr(ii)) & (Expr(ii) < 5), Expr(ii), 3) < 5) == Answer::kYes);
  CHECK(ask(select(Expr(ii) < 4, select(Expr(ii) < 2, 1, Expr(ii)), 3) * 2 < 7) == Answer::kYes);
  // Whatever a condition on data says, it is one of the two; and it says one thing.
  const Buffer flags("flags", boolean);
  const Expr either = select(load(flags, {ii}), Expr(j), Expr(j) + 1);
  CHECK(ask((Expr(j) <= either) & (either <= Expr(j) + 1)) == Answer::kYes);
  CHECK(ask(either <= j) == Answer::kUnknown);
  CHECK(prove(facts.with_fixed(flags), either - either == 0) == Answer::kYes);
}

TEST_CASE_METHOD(Names,
                 "products of sizes and loops: equal ones are equal, a witness has numbers") {
  CHECK(ask(Expr(j) * m == Expr(m) * j) == Answer::kYes);
  CHECK(ask(Expr(j) * m + ii < Expr(j) * m + 12) == Answer::kYes);
  CHECK(ask(0 <= Expr(j) * m) == Answer::kYes);
  CHECK(ask(Expr(j) * m < 5) == Answer::kNo);
}

TEST_CASE_METHOD(Names, "data may be anything of its type, and wraps") {
  CHECK(ask(Expr(data) < Expr(data) + 1) != Answer::kYes);
  CHECK(ask(Expr(data) <= data) == Answer::kYes);
  CHECK(ask(0 <= Expr(data)) == Answer::kNo);
  const Buffer ids("ids", i64), bytes("bytes", u8);
  const Facts with_inputs = facts.with_fixed(ids).with_fixed(bytes);
  const Expr id = load(ids, {ii});
  CHECK(prove(with_inputs, cast(i64, load(bytes, {ii})) <= 255) == Answer::kYes);
  CHECK(prove(with_inputs.given((0 <= id) & (id < n)), id < Expr(n) + 3) == Answer::kYes);
  CHECK(prove(facts, binary(BinaryOp::kCheck, id, n) < n) == Answer::kYes);
  // What a buffer holds is for the call to check: that it could be wrong is no refutation.
  CHECK(prove(with_inputs, id < n) == Answer::kUnknown);
  CHECK(prove(facts, id < n) == Answer::kUnknown);
  CHECK(prove(with_inputs.given(id < n), Expr(j) + 1 < n) == Answer::kNo);
}

TEST_CASE_METHOD(Names, "a conjunction that no values satisfy") {
  CHECK(never(facts, {Expr(j) < ii, Expr(ii) < j}) == Answer::kYes);
  CHECK(never(facts, {Expr(j) < ii, Expr(ii) < n}) == Answer::kNo);
  CHECK(never(facts, {Expr(ii) == 5, Expr(ii) % 2 == 0}) == Answer::kYes);
  CHECK(never(facts, {}) == Answer::kNo);
}

TEST_CASE_METHOD(Names, "in a place that is never reached everything holds") {
  const Facts nowhere = facts.given(Expr(n) < 0);
  CHECK(prove(nowhere, Expr(ii) < 0) != Answer::kNo);
  CHECK(prove(nowhere, Expr(n) == 12) != Answer::kNo);
}

TEST_CASE("What is known of other variables plays no part, whatever numbers they got") {
  const Var i("i");
  const Facts loop = Facts().inside(LoopRange{i, 0, 9});
  // Nothing holds where this is asked, which nobody needs to see: but each time the same.
  for (int k = 0; k < 200; ++k) {
    const Var other("other");
    const Facts facts = loop.with_size(other).given(Expr(other) < 3).given(Expr(7) < Expr(other));
    CHECK_FALSE(proved(facts, Expr(i) < 5));
    CHECK(never(facts, {Expr(i) < 5}) != Answer::kYes);
  }
}

}  // namespace
}  // namespace tenon
