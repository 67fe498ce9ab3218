#include "tenon/ir/operators.h"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <map>
#include <type_traits>

#include "tenon/ir/visit.h"

namespace tenon {
namespace {

Expr var(Type type) { return Var("v_" + to_string(type), type); }

std::string message(const Expr& e) {
  REQUIRE(e.is<Invalid>());
  return e.as<Invalid>()->message;
}

// --- The promotion table, written out.

constexpr char kTable[] = R"(
       f64   f32   f16   bf16  i8    i16   i32   i64   u8    u16   u32   u64   bool
f64    f64   f64   f64   f64   f64   f64   f64   f64   f64   f64   f64   f64   f64
f32    f64   f32   f32   f32   f32   f32   f32   f32   f32   f32   f32   f32   f32
f16    f64   f32   f16   f32   f16   f16   f16   f16   f16   f16   f16   f16   f16
bf16   f64   f32   f32   bf16  bf16  bf16  bf16  bf16  bf16  bf16  bf16  bf16  bf16
i8     f64   f32   f16   bf16  i8    i16   i32   i64   i16   i32   i64   -     i8
i16    f64   f32   f16   bf16  i16   i16   i32   i64   i16   i32   i64   -     i16
i32    f64   f32   f16   bf16  i32   i32   i32   i64   i32   i32   i64   -     i32
i64    f64   f32   f16   bf16  i64   i64   i64   i64   i64   i64   i64   -     i64
u8     f64   f32   f16   bf16  i16   i16   i32   i64   u8    u16   u32   u64   u8
u16    f64   f32   f16   bf16  i32   i32   i32   i64   u16   u16   u32   u64   u16
u32    f64   f32   f16   bf16  i64   i64   i64   i64   u32   u32   u32   u64   u32
u64    f64   f32   f16   bf16  -     -     -     -     u64   u64   u64   u64   u64
bool   f64   f32   f16   bf16  i8    i16   i32   i64   u8    u16   u32   u64   bool
)";

std::map<std::pair<std::string, std::string>, std::string> read_table() {
  std::istringstream in(kTable);
  std::vector<std::string> columns(13);
  for (std::string& column : columns) in >> column;
  std::map<std::pair<std::string, std::string>, std::string> table;
  for (std::string row; in >> row;) {
    for (const std::string& column : columns) in >> table[{row, column}];
  }
  return table;
}

std::string text(std::optional<Type> type) { return type ? to_string(*type) : "-"; }

TEST_CASE("two types meet where the promotion table says") {
  const auto table = read_table();
  REQUIRE(table.size() == 13 * 13);
  for (Type a : kAllTypes) {
    for (Type b : kAllTypes) {
      INFO(to_string(a) << " with " << to_string(b));
      CHECK(text(promote(a, b)) == table.at({to_string(a), to_string(b)}));
    }
  }
}

struct Operator {
  const char* name;
  std::function<Expr(const Expr&, const Expr&)> apply;
  BinaryOp op;
};

const Operator kOperators[] = {
    {"+", [](const Expr& a, const Expr& b) { return a + b; }, BinaryOp::kAdd},
    {"-", [](const Expr& a, const Expr& b) { return a - b; }, BinaryOp::kSub},
    {"*", [](const Expr& a, const Expr& b) { return a * b; }, BinaryOp::kMul},
    {"%", [](const Expr& a, const Expr& b) { return a % b; }, BinaryOp::kFloorMod},
    {"min", [](const Expr& a, const Expr& b) { return min(a, b); }, BinaryOp::kMin},
    {"max", [](const Expr& a, const Expr& b) { return max(a, b); }, BinaryOp::kMax},
    {"truncdiv", [](const Expr& a, const Expr& b) { return truncdiv(a, b); }, BinaryOp::kTruncDiv},
    {"truncrem", [](const Expr& a, const Expr& b) { return truncrem(a, b); }, BinaryOp::kTruncRem},
    {"&", [](const Expr& a, const Expr& b) { return a & b; }, BinaryOp::kBitAnd},
    {"|", [](const Expr& a, const Expr& b) { return a | b; }, BinaryOp::kBitOr},
    {"^", [](const Expr& a, const Expr& b) { return a ^ b; }, BinaryOp::kBitXor},
    {"<<", [](const Expr& a, const Expr& b) { return a << b; }, BinaryOp::kShl},
    {">>", [](const Expr& a, const Expr& b) { return a >> b; }, BinaryOp::kShr},
    {"<", [](const Expr& a, const Expr& b) { return a < b; }, BinaryOp::kLt},
    {"<=", [](const Expr& a, const Expr& b) { return a <= b; }, BinaryOp::kLe},
    {"==", [](const Expr& a, const Expr& b) { return a == b; }, BinaryOp::kEq},
    {"!=", [](const Expr& a, const Expr& b) { return a != b; }, BinaryOp::kNe},
};

// Which types an operator takes after promotion, by its name.
bool takes(const std::string& name, Type type) {
  const std::string numbers = " + - * min max truncrem ", ints = " % truncdiv << >> ",
                    bits = " & | ^ ";
  if (numbers.find(" " + name + " ") != std::string::npos) return !type.is_bool();
  if (ints.find(" " + name + " ") != std::string::npos) return type.is_int();
  if (bits.find(" " + name + " ") != std::string::npos) return !type.is_float();
  return true;  // comparisons
}

TEST_CASE("every operator promotes every pair of types, or refuses it") {
  const auto table = read_table();
  for (const Operator& o : kOperators) {
    for (Type a : kAllTypes) {
      for (Type b : kAllTypes) {
        INFO(o.name << " on " << to_string(a) << " and " << to_string(b));
        const std::string meeting = table.at({to_string(a), to_string(b)});
        const Expr result = o.apply(var(a), var(b));
        if (meeting == "-" || !takes(o.name, *parse_type(meeting))) {
          CHECK(result.is<Invalid>());
          continue;
        }
        const Binary* node = result.as<Binary>();
        REQUIRE(node != nullptr);
        CHECK(node->op == o.op);
        CHECK(to_string(node->a.type()) == meeting);
        CHECK(to_string(node->b.type()) == meeting);
        CHECK(result.type() == (is_comparison(o.op) ? boolean : node->a.type()));
        CHECK(node->a.is<Cast>() == (to_string(a) != meeting));
        CHECK(node->b.is<Cast>() == (to_string(b) != meeting));
      }
    }
  }
}

TEST_CASE("division is IEEE on floats and floors on integers") {
  for (Type a : kAllTypes) {
    for (Type b : kAllTypes) {
      INFO(to_string(a) << " and " << to_string(b));
      const Expr result = var(a) / var(b);
      const std::optional<Type> meeting = promote(a, b);
      if (!meeting || meeting->is_bool()) {
        CHECK(result.is<Invalid>());
        continue;
      }
      REQUIRE(result.is<Binary>());
      CHECK(result.as<Binary>()->op ==
            (meeting->is_float() ? BinaryOp::kDiv : BinaryOp::kFloorDiv));
      CHECK(result.type() == *meeting);
    }
  }
}

TEST_CASE("greater-than is less-than with the operands exchanged") {
  const Var i("i"), j("j");
  CHECK(equal(Expr(i) > j, Expr(j) < i));
  CHECK(equal(Expr(i) >= j, Expr(j) <= i));
}

// --- Literals.

TEST_CASE("an integer literal takes the type of the other side") {
  for (Type type : kAllTypes) {
    if (type.is_bool()) continue;
    INFO(to_string(type));
    for (const Expr& sum : {var(type) + 100, 100 + var(type)}) {
      CHECK(sum.type() == type);
      const Binary* node = sum.as<Binary>();
      REQUIRE(node != nullptr);
      const Expr& literal = node->a.is<Const>() ? node->a : node->b;
      CHECK(equal(literal, constant_int(type, 100)));
      CHECK(!literal.as<Const>()->literal);
    }
  }
}

TEST_CASE("a floating-point literal takes the float type of the other side") {
  for (Type type : {f64, f32, f16, bf16}) {
    const Expr sum = var(type) + 0.1;
    CHECK(sum.type() == type);
    CHECK(equal(sum.as<Binary>()->b, constant_float(type, 0.1)));
  }
}

TEST_CASE("a double literal keeps its precision next to an f64") {
  CHECK(as_float((var(f64) * 0.1).as<Binary>()->b) == 0.1);
  CHECK(as_float((var(f64) * -0.1).as<Binary>()->b) == -0.1);
  CHECK(as_float((var(f64) * -Expr(0.1)).as<Binary>()->b) == -0.1);
  CHECK(as_float((var(f64) * 1e300).as<Binary>()->b) == 1e300);
}

TEST_CASE("a floating-point literal with an integer gives f32") {
  for (Type type : {i8, i64, u8, u64, boolean}) {
    INFO(to_string(type));
    CHECK((var(type) + 0.5f).type() == f32);
    CHECK((var(type) * 0.5).type() == f32);
  }
  CHECK((var(i64) + 0.5f).as<Binary>()->a.is<Cast>());
}

TEST_CASE("two literals meet in i64 or f32") {
  CHECK((Expr(1) + 2).type() == i64);
  CHECK((Expr(1) + 0.5f).type() == f32);
  CHECK((Expr(0.5) + 0.25f).type() == f32);
  CHECK(!(Expr(1) + 2).is<Invalid>());
}

TEST_CASE("an integer literal next to a bool is an i64") {
  CHECK((var(boolean) + 1).type() == i64);
  CHECK((var(boolean) == 1).as<Binary>()->a.type() == i64);
}

TEST_CASE("a literal that does not fit is refused and says which type would do") {
  CHECK(message(var(u8) + 300) ==
        "operator +: the literal 300 does not fit the other operand's type u8; cast that operand "
        "to a wider type");
  CHECK(message(var(u8) - -1) ==
        "operator -: the literal -1 does not fit the other operand's type u8; cast that operand "
        "to a wider type");
  CHECK(message(Expr(128) * var(i8)) ==
        "operator *: the literal 128 does not fit the other operand's type i8; cast that operand "
        "to a wider type");
  CHECK(message(var(u64) + -1) ==
        "operator +: the literal -1 does not fit the other operand's type u64; cast that operand "
        "to a wider type");
  CHECK(message(var(f16) + 70000) ==
        "operator +: the literal 70000 does not fit the other operand's type f16; cast that "
        "operand to a wider type");
  CHECK(message(var(f16) * 1e6f) ==
        "operator *: the literal is too large for the other operand's type f16; cast that operand "
        "to a wider type");
}

TEST_CASE("the extremes of a type fit it, and infinity fits every float type") {
  CHECK(!(var(i8) + 127).is<Invalid>());
  CHECK(!(var(i8) + -128).is<Invalid>());
  CHECK(!(var(u8) + 255).is<Invalid>());
  CHECK(!(var(i64) + INT64_MIN).is<Invalid>());
  CHECK(!(var(u64) + INT64_MAX).is<Invalid>());
  CHECK(!(max(var(f16), -std::numeric_limits<float>::infinity())).is<Invalid>());
  CHECK(!(var(f16) + 65504).is<Invalid>());
}

TEST_CASE("the negative of a literal is a literal") {
  CHECK((var(i8) + -Expr(5)).type() == i8);
  CHECK((-Expr(5)).as<Const>()->literal);
  CHECK(as_int(-Expr(INT64_MIN)) == INT64_MIN);
  CHECK(as_float(-Expr(0.0f)) == 0.0);
  CHECK(equal(-Expr(0.0f), constant_float(f32, -0.0)));
}

TEST_CASE("a literal adapts in select, comparisons and functions of two operands") {
  CHECK(select(var(boolean), var(f16), 0).type() == f16);
  CHECK(select(var(boolean), 0.0f, var(f64)).type() == f64);
  CHECK((var(u8) < 3).as<Binary>()->b.type() == u8);
  CHECK(max(var(bf16), 0.0f).type() == bf16);
  CHECK(pow(var(f16), 2).type() == f16);
}

// --- Wrong uses.

TEST_CASE("a wrong use says the operator, both types and what would be right") {
  CHECK(message(var(u64) + var(i32)) ==
        "operator + on u64 and i32: no integer type holds both; cast one side");
  CHECK(message(var(f32) & var(f32)) ==
        "operator & on f32 and f32: it takes integers or bool; bitcast to an integer first");
  CHECK(message(var(f32) << var(i32)) ==
        "operator << on f32 and i32: it takes integers; cast first");
  CHECK(message(var(f32) % var(f16)) ==
        "operator % on f32 and f16: it takes integers; write x - floor(x / y) * y, or truncrem");
  CHECK(message(var(boolean) + var(boolean)) ==
        "operator + on bool and bool: it takes numbers; use & and |, or cast to an integer");
  CHECK(message(var(boolean) / var(boolean)) ==
        "operator / on bool and bool: it takes integers; use & and |, or cast to an integer");
  CHECK(message(~var(f32)) == "operator ~ on f32: it takes integers or bool; cast first");
  CHECK(message(-var(boolean)) == "operator - on bool: it takes numbers; cast first");
  CHECK(message(exp(var(boolean))) == "operator exp on bool: it takes floats; cast first");
  CHECK(message(floor(var(boolean))) == "operator floor on bool: it takes numbers; cast first");
  CHECK(message(select(var(i32), 1, 2)) ==
        "select: the condition has type i32 and must be bool; compare with 0");
  CHECK(message(select(var(boolean), var(u64), var(i8))) ==
        "operator select on u64 and i8: no integer type holds both; cast one side");
  CHECK(message(bitcast(i64, var(f32))) ==
        "bitcast of f32 to i64: both must have the same size; use cast to convert the value");
  CHECK(message(ceildiv(var(f32), 2)) ==
        "operator ceildiv on f32 and i64: it takes integers; cast first");
  CHECK(message(Expr() + 1) == "an operand is empty: a default-made Expr has no value");
}

TEST_CASE("the first wrong use travels through everything built on it") {
  const Expr wrong = var(u64) + var(i32);
  const std::string first = message(wrong);
  CHECK(message(wrong + 1) == first);
  CHECK(message(1.0f * wrong) == first);
  CHECK(message(wrong + (var(f32) & var(f32))) == first);
  CHECK(message(-wrong) == first);
  CHECK(message(exp(wrong)) == first);
  CHECK(message(floor(wrong)) == first);
  CHECK(message(pow(wrong, 2)) == first);
  CHECK(message(ceildiv(wrong, 2)) == first);
  CHECK(message(cast(f32, wrong)) == first);
  CHECK(message(bitcast(f32, wrong)) == first);
  CHECK(message(select(wrong, 1, 2)) == first);
  CHECK(message(select(var(boolean), 1, wrong)) == first);
  CHECK(message(wrong / 2) == first);
}

// --- Functions.

TEST_CASE("a mathematical function of an integer is computed in f32") {
  for (auto* f : {&sqrt, &rsqrt, &exp,  &expm1, &log,  &log1p, &sin,   &cos,   &tan, &asin,
                  &acos, &atan,  &sinh, &cosh,  &tanh, &asinh, &acosh, &atanh, &erf, &sigmoid}) {
    for (Type type : {f64, f32, f16, bf16}) CHECK(f(var(type)).type() == type);
    for (Type type : {i8, i64, u32}) {
      const Expr e = f(var(type));
      REQUIRE(e.is<Unary>());
      CHECK(e.type() == f32);
      CHECK(e.as<Unary>()->a.is<Cast>());
    }
  }
  CHECK(pow(var(i32), var(i32)).type() == f32);
  CHECK(pow(var(i32), var(f16)).type() == f16);
}

TEST_CASE("rounding an integer changes nothing") {
  const Expr i = var(i32);
  for (auto* f : {&floor, &ceil, &round, &trunc}) CHECK(equal(f(i), i));
  CHECK(floor(var(f32)).is<Unary>());
}

TEST_CASE("ceildiv is a floor division of the operand moved up") {
  const Var n("n");
  CHECK(print(ceildiv(n, 4)) == "(n + 3) // 4");
  CHECK(print(ceildiv(var(i32), 4)) == "(v_i32 + 3i32) // 4i32");
  const Var d("d");
  CHECK(print(ceildiv(n, d)) == "(n + (d - 1)) // d");
}

TEST_CASE("a cast of a literal is a constant, converted once") {
  CHECK(equal(cast(f64, 0.1), constant_float(f64, 0.1)));
  CHECK(equal(cast(u8, 300), constant_int(u8, 44)));
  CHECK(equal(saturating_cast(u8, 300), constant_int(u8, 255)));
  CHECK(equal(cast(i32, 2.7f), constant_int(i32, 2)));
  CHECK(equal(cast(f16, 0), constant_float(f16, 0.0)));
  CHECK(equal(cast(boolean, 2), constant_int(boolean, 1)));
}

TEST_CASE("a cast to the own type is nothing, and keeps the lanes of a vector") {
  const Expr x = var(f32);
  CHECK(equal(cast(f32, x), x));
  const Expr v = ramp(Var("i"), 1, 8);
  CHECK(cast(f32, v).type() == f32.with_lanes(8));
  CHECK(cast(f32.with_lanes(8), x).type() == f32.with_lanes(8));
  CHECK(message(cast(f32.with_lanes(4), v)) ==
        "cast of i64x8 to f32x4: the numbers of lanes differ");
}

TEST_CASE("an operand of one lane is spread over the lanes of the other") {
  const Expr v = ramp(Var("i"), 1, 8);
  CHECK((v + 1).type() == i64.with_lanes(8));
  CHECK((v + 1).as<Binary>()->b.is<Broadcast>());
  CHECK((var(f16) * v).type() == f16.with_lanes(8));
  CHECK((v < var(i32)).type() == boolean.with_lanes(8));
  CHECK(promote(f32.with_lanes(8), i32) == f32.with_lanes(8));
  CHECK(!promote(f32.with_lanes(8), f32.with_lanes(4)).has_value());
  CHECK(message(v + ramp(Var("j"), 1, 4)) ==
        "operator + on i64x8 and i64x4: vectors of different lengths do not combine");
}

// What would silently ask whether there is an expression does not compile.
template <class A, class B>
concept HasLazyAnd = requires(A a, B b) {
  a&& b;
};
template <class A, class B>
concept HasLazyOr = requires(A a, B b) {
  a || b;
};
static_assert(!std::is_constructible_v<bool, Expr>);  // if (i < n), (i < n) ? a : b, !(i < n)
static_assert(std::is_constructible_v<bool, const Expr&>);
static_assert(!HasLazyAnd<Expr, Expr> && !HasLazyOr<Expr, Expr>);
static_assert(HasLazyAnd<Expr, bool>);

}  // namespace
}  // namespace tenon
