#include "tenon/ir/stmt.h"

#include <catch2/catch.hpp>

#include "tenon/ir/operators.h"

namespace tenon {
namespace {

const Buffer x("x", f32), y("y", f32);
const Var i("i"), j("j");

TEST_CASE("a sequence is flat, drops nothing but emptiness, and one statement stays itself") {
  const Stmt a = store(y, {0}, 1.0f);
  const Stmt b = store(y, {1}, 2.0f);
  CHECK(seq({a}).get() == a.get());
  CHECK(seq({seq({a}), seq({})}).get() == a.get());
  const Stmt many = seq({a, seq({b, seq({a})}), Stmt()});
  REQUIRE(many.is<Seq>());
  CHECK(many.as<Seq>()->stmts.size() == 3);
  CHECK(is_empty(seq({})));
  CHECK(!is_empty(a));
  CHECK(!is_empty(Stmt()));
}

TEST_CASE("the statements of anything can be listed") {
  const Stmt a = store(y, {0}, 1.0f);
  CHECK(statements_of(a).size() == 1);
  CHECK(statements_of(seq({a, a})).size() == 2);
  CHECK(statements_of(seq({})).empty());
  CHECK(statements_of(Stmt()).empty());
}

TEST_CASE("a loop and a guard without a body have an empty one") {
  CHECK(is_empty(make_for(i, 0, 4, ForKind::kSerial, Stmt()).as<For>()->body));
  CHECK(is_empty(make_if(Expr(true), Stmt()).as<If>()->body));
}

TEST_CASE("a statement drops the mark of a literal") {
  const Stmt s = store(y, {0}, 1.0f);
  CHECK(!s.as<Store>()->value.as<Const>()->literal);
  CHECK(!s.as<Store>()->indices[0].as<Const>()->literal);
  CHECK(!make_for(i, 0, 4, ForKind::kSerial, s).as<For>()->hi.as<Const>()->literal);
  CHECK(!bind(j, 3).as<Bind>()->value.as<Const>()->literal);
  CHECK(!alloc(y, {4}).as<Alloc>()->shape[0].as<Const>()->literal);
}

TEST_CASE("value and mask of a write have the lanes of its widest part") {
  const Stmt s = store(y, {ramp(i, 1, 8)}, 1.0f, Expr(true));
  CHECK(s.as<Store>()->value.type() == f32.with_lanes(8));
  CHECK(s.as<Store>()->mask.type() == boolean.with_lanes(8));
  const Stmt a = accumulate(y, {0}, Reducer::kSum, load(x, {ramp(i, 1, 8)}), Expr(true));
  CHECK(a.as<Accumulate>()->indices[0].type() == i64);
  CHECK(a.as<Accumulate>()->mask.type() == boolean.with_lanes(8));
}

TEST_CASE("statements are equal by structure and identity") {
  const auto loop = [](const Var& var, ForKind kind, float value) {
    return make_for(var, 0, 4, kind, store(y, {var}, value));
  };
  CHECK(equal(loop(i, ForKind::kSerial, 1), loop(i, ForKind::kSerial, 1)));
  CHECK(!equal(loop(i, ForKind::kSerial, 1), loop(j, ForKind::kSerial, 1)));
  CHECK(!equal(loop(i, ForKind::kSerial, 1), loop(i, ForKind::kParallel, 1)));
  CHECK(!equal(loop(i, ForKind::kSerial, 1), loop(i, ForKind::kSerial, 2)));
  const Stmt sum = accumulate(y, {i}, Reducer::kSum, 1.0f);
  CHECK(equal(sum, accumulate(y, {i}, Reducer::kSum, 1.0f)));
  CHECK(!equal(sum, accumulate(y, {i}, Reducer::kProd, 1.0f)));
  CHECK(!equal(sum, store(y, {i}, 1.0f)));
  CHECK(!equal(sum, accumulate(x, {i}, Reducer::kSum, 1.0f)));
  CHECK(!equal(alloc(y, {4}), alloc(y, {4}, Memory::kStack)));
  CHECK(!equal(alloc(y, {4}), alloc(y, {4}, Memory::kAuto, 0)));
  CHECK(!equal(make_if(i < 3, sum), make_if(i < 4, sum)));
  CHECK(!equal(bind(i, 3), bind(i, 4)));
  CHECK(!equal(seq({sum, sum}), seq({sum, sum, sum})));
  CHECK(equal(Stmt(), Stmt()));
  CHECK(!equal(Stmt(), sum));
}

TEST_CASE("loop kinds and memories have the names of the text form") {
  CHECK(std::string(name_of(ForKind::kSerial)).empty());
  CHECK(std::string(name_of(ForKind::kParallel)) == "parallel");
  CHECK(std::string(name_of(ForKind::kVector)) == "vector");
  CHECK(std::string(name_of(ForKind::kUnroll)) == "unroll");
  CHECK(std::string(name_of(Memory::kStack)) == "stack");
  CHECK(std::string(name_of(Memory::kWorker)) == "worker");
}

}  // namespace
}  // namespace tenon
