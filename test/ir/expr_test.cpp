#include "tenon/ir/expr.h"

#include <catch2/catch.hpp>
#include <limits>
#include <unordered_map>

#include "tenon/ir/operators.h"
#include "tenon/ir/size.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

TEST_CASE("a variable is an identity, not a name") {
  const Var a("i"), b("i");
  const Var copy = a;
  CHECK(a == copy);
  CHECK(!(a == b));
  CHECK(std::less<Var>()(a, b));
  CHECK(print(a < b) == "i < i_1");
  CHECK(!Var());
  CHECK(a.name() == "i");
  CHECK(a.type() == i64);
  CHECK(Var("s", f32).type() == f32);
}

TEST_CASE("a buffer is an identity with an element type") {
  const Buffer a("x", f32), b("x", f32);
  const Buffer copy = a;
  CHECK(a == copy);
  CHECK(!(a == b));
  CHECK(a < b);
  CHECK(!Buffer());
  CHECK(a.type() == f32);
  CHECK(a.definition() == nullptr);
}

TEST_CASE("a literal alone is an i64, an f32 or a bool") {
  CHECK(Expr(3).type() == i64);
  CHECK(Expr(int64_t{3}).type() == i64);
  CHECK(Expr(3LL).type() == i64);
  CHECK(Expr(0.5f).type() == f32);
  CHECK(Expr(0.5).type() == f32);
  CHECK(Expr(true).type() == boolean);
  CHECK(as_int(Expr(-3)) == -3);
  CHECK(as_float(Expr(0.1)) == static_cast<double>(0.1f));
}

TEST_CASE("a constant holds the bits of its type") {
  CHECK(constant_int(i8, -1).as<Const>()->bits == 0xff);
  CHECK(constant_int(u8, 300).as<Const>()->bits == 44);
  CHECK(constant_int(boolean, 5).as<Const>()->bits == 1);
  CHECK(constant_int(f32, 16777217).as<Const>()->bits == 0x4b800000u);
  CHECK(constant_float(f16, 1.5).as<Const>()->bits == 0x3e00);
  CHECK(constant_float(f64, 1.0).as<Const>()->bits == 0x3ff0000000000000u);
}

TEST_CASE("a constant of a vector type is a broadcast") {
  const Expr e = constant_int(i32.with_lanes(4), 7);
  REQUIRE(e.is<Broadcast>());
  CHECK(e.type() == i32.with_lanes(4));
  CHECK(is_constant(e));
  CHECK(is_constant(e, 7));
  CHECK(!as_int(e).has_value());
}

TEST_CASE("values of constants are read back sign- or zero-extended") {
  CHECK(as_int(constant_int(i8, -1)) == -1);
  CHECK(as_int(constant_int(u8, -1)) == 255);
  CHECK(as_int(constant_int(boolean, 1)) == 1);
  CHECK(!as_int(constant_bits(u64, UINT64_MAX)).has_value());
  CHECK(as_int(constant_bits(u64, 5)) == 5);
  CHECK(!as_int(constant_float(f32, 1.0)).has_value());
  CHECK(!as_float(constant_int(i32, 1)).has_value());
  CHECK(as_float(constant_float(bf16, 3.0)) == 3.0);
  CHECK(!as_int(Expr(Var("i"))).has_value());
  CHECK(!as_int(Expr()).has_value());
}

TEST_CASE("is_constant compares integers and bools by value, and floats never") {
  CHECK(is_constant(constant_int(i8, -1), -1));
  CHECK(!is_constant(constant_int(u8, -1), -1));
  CHECK(is_constant(constant_int(boolean, 1), 1));
  CHECK(!is_constant(constant_float(f32, 1.0), 1));
  CHECK(is_constant(constant_float(f32, 1.0)));
  CHECK(!is_constant(Expr(Var("i"))));
  CHECK(!is_constant(Expr()));
}

TEST_CASE("equality is by structure and identity") {
  const Var i("i"), j("j");
  const Buffer x("x", f32), y("x", f32);
  CHECK(equal(load(x, {i}) + 1.0f, load(x, {i}) + 1.0f));
  CHECK(!equal(load(x, {i}) + 1.0f, load(x, {i}) + 2.0f));
  CHECK(!equal(load(x, {i}), load(x, {j})));
  CHECK(!equal(load(x, {i}), load(y, {i})));
  CHECK(!equal(load(x, {i}), load(x, {i, i})));
  CHECK(!equal(load(x, {i}), load(x, {i}, Expr(true))));
  CHECK(!equal(Expr(i) + j, Expr(j) + i));
  CHECK(!equal(Expr(i) + j, Expr(i) - j));
  CHECK(!equal(constant_int(i32, 1), constant_int(i64, 1)));
  CHECK(!equal(constant_float(f32, 0.0), constant_float(f32, -0.0)));
  CHECK(!equal(cast(i32, i), saturating_cast(i32, i)));
  CHECK(equal(Expr(), Expr()));
  CHECK(!equal(Expr(), Expr(i)));
}

TEST_CASE("equal expressions have equal hashes, and being a literal plays no part") {
  const Var i("i");
  CHECK(hash_of(Expr(i) * 2 + 1) == hash_of(Expr(i) * 2 + 1));
  CHECK(hash_of(Expr(i) * 2 + 1) != hash_of(Expr(i) * 2 + 2));
  CHECK(equal(Expr(3), constant_int(i64, 3)));
  CHECK(hash_of(Expr(3)) == hash_of(constant_int(i64, 3)));
  CHECK(hash_of(Expr()) == 0);
}

TEST_CASE("expressions are keys of tables") {
  const Var i("i");
  std::unordered_map<Expr, int, ExprHash, ExprEqual> table;
  table[Expr(i) + 1] = 5;
  CHECK(table.at(Expr(i) + 1) == 5);
  CHECK(table.count(Expr(i) + 2) == 0);
}

TEST_CASE("a node drops the mark of a literal from its operands") {
  const Buffer x("x", f32);
  const Expr one(1);
  CHECK(one.as<Const>()->literal);
  CHECK(!load(x, {one}).as<Load>()->indices[0].as<Const>()->literal);
  CHECK(!binary(BinaryOp::kAdd, one, one).as<Binary>()->a.as<Const>()->literal);
  CHECK(!unary(UnaryOp::kNeg, one).as<Unary>()->a.as<Const>()->literal);
  CHECK(!ramp(one, one, 4).as<Ramp>()->base.as<Const>()->literal);
  CHECK(!broadcast_lanes(one, 4).as<Broadcast>()->a.as<Const>()->literal);
  CHECK(!make_select(Expr(true), one, one).as<Select>()->on_true.as<Const>()->literal);
  CHECK(!make_cast(CastMode::kValue, i32, one).as<Cast>()->a.as<Const>()->literal);
}

TEST_CASE("nodes know their types") {
  const Var i("i");
  const Buffer x("x", f32);
  CHECK(load(x, {i}).type() == f32);
  CHECK(load(x, {ramp(i, 1, 8)}).type() == f32.with_lanes(8));
  CHECK(load(x, {i}, broadcast_lanes(Expr(true), 8)).type() == f32.with_lanes(8));
  CHECK(ramp(i, 1, 8).type() == i64.with_lanes(8));
  CHECK(broadcast_lanes(i, 4).type() == i64.with_lanes(4));
  CHECK(equal(broadcast_lanes(i, 1), i));
  CHECK(binary(BinaryOp::kLt, i, Expr(3)).type() == boolean);
  CHECK(binary(BinaryOp::kLt, ramp(i, 1, 8), Expr(3)).type() == boolean.with_lanes(8));
  CHECK(binary(BinaryOp::kCheck, i, Expr(3)).type() == i64);
}

TEST_CASE("an operand of one lane next to a vector is broadcast") {
  const Var i("i");
  const Expr sum = binary(BinaryOp::kAdd, ramp(i, 1, 8), Expr(3));
  CHECK(sum.as<Binary>()->b.is<Broadcast>());
  CHECK(sum.type() == i64.with_lanes(8));
  const Expr chosen = make_select(ramp(i, 1, 8) < 3, Expr(1), Expr(2));
  CHECK(chosen.type() == i64.with_lanes(8));
  const Buffer x("x", f32);
  CHECK(load(x, {ramp(i, 1, 8)}, Expr(true)).as<Load>()->mask.type() == boolean.with_lanes(8));
}

TEST_CASE("the identity of a reducer changes nothing, in every type") {
  for (Type type : kAllTypes) {
    if (type.is_bool()) continue;
    INFO(to_string(type));
    CHECK(is_constant(identity_of(Reducer::kSum, type)));
    CHECK(identity_of(Reducer::kProd, type).type() == type);
    if (type.is_float()) {
      CHECK(equal(identity_of(Reducer::kSum, type), constant_float(type, -0.0)));
      CHECK(equal(identity_of(Reducer::kProd, type), constant_float(type, 1.0)));
      CHECK(as_float(identity_of(Reducer::kMax, type)) == -std::numeric_limits<double>::infinity());
      CHECK(as_float(identity_of(Reducer::kMin, type)) == std::numeric_limits<double>::infinity());
    } else {
      CHECK(as_int(identity_of(Reducer::kSum, type)) == 0);
      CHECK(as_int(identity_of(Reducer::kProd, type)) == 1);
    }
  }
  CHECK(as_int(identity_of(Reducer::kMax, i8)) == -128);
  CHECK(as_int(identity_of(Reducer::kMin, i8)) == 127);
  CHECK(as_int(identity_of(Reducer::kMax, u16)) == 0);
  CHECK(as_int(identity_of(Reducer::kMin, u16)) == 65535);
  CHECK(as_int(identity_of(Reducer::kMax, i64)) == INT64_MIN);
  CHECK(as_int(identity_of(Reducer::kMin, i64)) == INT64_MAX);
  CHECK(identity_of(Reducer::kMin, u64).as<Const>()->bits == UINT64_MAX);
  CHECK(identity_of(Reducer::kSum, f32.with_lanes(4)).type() == f32.with_lanes(4));
}

TEST_CASE("a reducer names its operator") {
  CHECK(operator_of(Reducer::kSum) == BinaryOp::kAdd);
  CHECK(operator_of(Reducer::kProd) == BinaryOp::kMul);
  CHECK(std::string(name_of(Reducer::kMax)) == "max");
  CHECK(std::string(name_of(Reducer::kSum)) == "+");
}

// --- Depth.

Expr chain(int length) {
  const Buffer x("x", f32);
  Expr e = load(x, {0});
  for (int i = 1; i < length; ++i) e = e + load(x, {i});
  return e;
}

TEST_CASE("a sum of two thousand terms is hashed, compared, walked, rewritten and printed") {
  const Expr a = chain(kMaxExprDepth - 1);
  const Expr b = rewrite(a, [](const Expr& e) {
    const std::optional<int64_t> value = as_int(e);
    return value ? constant_int(i64, *value + 1) : e;
  });
  REQUIRE(!a.is<Invalid>());
  CHECK(!equal(a, b));
  CHECK(equal(b, rewrite(b, [](const Expr& e) { return e; })));
  int loads = 0;
  walk(b, [&](const Expr& e) { loads += e.is<Load>(); });
  CHECK(loads == kMaxExprDepth - 1);
  CHECK(print(b).find(" + x[1999]") != std::string::npos);
  CHECK(free_vars(b).empty());
}

TEST_CASE("an expression that is too deep for recursion is not made and says so") {
  const Expr e = chain(10000);
  REQUIRE(e.is<Invalid>());
  CHECK(e.as<Invalid>()->message ==
        "the expression is nested more than 2000 operations deep; store a part of it in a buffer");
  const Var v("v", f32);
  Expr nested = v;
  for (int i = 0; i < 10000; ++i) nested = exp(nested);
  CHECK(nested.is<Invalid>());
  Expr right = v;
  for (int i = 0; i < 10000; ++i) right = max(v, right);
  CHECK(right.is<Invalid>());
}

TEST_CASE("an expression that is too large a tree is not made, however much of it is shared") {
  Expr e = Var("v", f32);
  int doublings = 0;
  while (!e.is<Invalid>() && doublings < 64) {
    e = e * e;
    ++doublings;
  }
  CHECK(doublings == 18);
  CHECK(e.as<Invalid>()->message ==
        "the expression has more than 262144 operations, with shared parts counted wherever they "
        "are used; store a part of it in a buffer");
}

TEST_CASE("null handles can be asked") {
  CHECK(Var().name().empty());
  CHECK(Var().id() == 0);
  CHECK(Buffer().name().empty());
  CHECK(Expr(Var()).get() == nullptr);
  CHECK((Expr(Var()) + 1).is<Invalid>());
  CHECK(Expr().type() == Type());
  const Program none;
  CHECK_FALSE(none);
  CHECK(print(none) == print(Program()));
  CHECK(structurally_equal(none, Program()));
  CHECK(structural_hash(none) == structural_hash(Program()));
  CHECK(find_param(none, "x") == nullptr);
  CHECK_FALSE(verify(none).ok());
  CHECK_FALSE(verify(*specialize(none, {})).ok());
  Size n("n");
  const Size moved = std::move(n);
  CHECK(n.name() == "n");
}

}  // namespace
}  // namespace tenon
