// Random expressions over all integer types: simplifying changes no value, and a second time
// changes nothing at all.
#include <catch2/catch.hpp>
#include <random>

#include "analysis/evaluate.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/program.h"
#include "tenon/ir/scalar_ops.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

constexpr Type kIntTypes[] = {i64, i64, i64, i64, i8, i16, i32, u8, u16, u32, u64};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {
    facts_ = Facts().with_size(n_).with_size(m_);
    facts_ = facts_.inside(LoopRange{a_, 0, 5}).inside(LoopRange{b_, -4, 9});
    facts_ = facts_.inside(LoopRange{c_, 0, n_}).inside(LoopRange{d_, c_, Expr(c_) * 2 + m_});
    facts_ = facts_.given(Expr(m_) % 4 == 0).given(Expr(a_) <= Expr(b_) + 3);
    for (Type type : kIntTypes) data_.push_back(Var("data_" + to_string(type), type));
  }

  const Facts& facts() const { return facts_; }

  size_t pick(size_t count) { return static_cast<size_t>(random_() % count); }
  bool chance(size_t one_in) { return pick(one_in) == 0; }

  Expr make(Type type, int depth) {
    if (type.is_bool()) return make_bool(depth);
    if (depth == 0 || chance(5)) return leaf(type);
    if (chance(14)) return cast_of(type, depth);
    if (chance(12)) {
      return make_select(make_bool(depth - 1), make(type, depth - 1), make(type, depth - 1));
    }
    if (chance(12)) return unary(unary_op(), make(type, depth - 1));
    if (type == i64 && chance(30)) {
      return binary(BinaryOp::kCheck, make(i64, depth - 1), make(i64, depth - 1));
    }
    const BinaryOp op = binary_op();
    const bool divides = op >= BinaryOp::kFloorDiv && op <= BinaryOp::kTruncRem;
    const Expr right = divides && !chance(4) ? small_constant(type) : make(type, depth - 1);
    return binary(op, make(type, depth - 1), right);
  }

  // Values that the facts allow.
  Values values() {
    while (true) {
      Values v;
      const int64_t n = number(0, 9), m = 4 * number(0, 3), c = number(0, 8);
      const int64_t a = number(0, 4), b = number(-4, 8), d = number(0, 30);
      if (c >= n || d < c || d >= 2 * c + m || a > b + 3) continue;
      v = {{n_, n}, {m_, m}, {a_, a}, {b_, b}, {c_, c}, {d_, d}};
      for (const Var& var : data_) {
        v.emplace_back(var, int_of_bits(var.type(), bits_of_int(var.type(), wild())));
      }
      return v;
    }
  }

 private:
  int64_t number(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(pick(static_cast<size_t>(hi - lo + 1)));
  }
  int64_t wild() {
    switch (pick(4)) {
      case 0: return static_cast<int64_t>(random_());
      case 1: return static_cast<int64_t>((uint64_t{1} << pick(64)) + pick(3) - 1);
      default: return number(-9, 9);
    }
  }
  Expr small_constant(Type type) { return constant_int(type, number(chance(4) ? -8 : 1, 12)); }

  Expr leaf(Type type) {
    if (chance(3)) return chance(8) ? constant_int(type, wild()) : small_constant(type);
    if (type == i64 && !chance(8)) {
      const Var* const vars[] = {&n_, &m_, &a_, &a_, &b_, &b_, &c_, &c_, &d_};
      return *vars[pick(std::size(vars))];
    }
    for (const Var& var : data_) {
      if (var.type() == type) return var;
    }
    return constant_int(type, 1);
  }

  Expr make_bool(int depth) {
    if (depth == 0 || chance(8)) return Expr(chance(2));
    if (chance(3)) {
      static constexpr BinaryOp kOps[] = {BinaryOp::kBitAnd, BinaryOp::kBitOr, BinaryOp::kBitXor,
                                          BinaryOp::kEq};
      if (chance(3)) return unary(UnaryOp::kNot, make_bool(depth - 1));
      return binary(kOps[pick(4)], make_bool(depth - 1), make_bool(depth - 1));
    }
    static constexpr BinaryOp kOps[] = {BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kEq, BinaryOp::kNe};
    const Type type = kIntTypes[pick(std::size(kIntTypes))];
    return binary(kOps[pick(4)], make(type, depth - 1), make(type, depth - 1));
  }

  Expr cast_of(Type type, int depth) {
    const Type from = chance(8) ? boolean : kIntTypes[pick(std::size(kIntTypes))];
    const CastMode mode = chance(4) ? CastMode::kSaturate : CastMode::kValue;
    return make_cast(mode, type, make(from, depth - 1));
  }

  UnaryOp unary_op() {
    static constexpr UnaryOp kOps[] = {UnaryOp::kNeg, UnaryOp::kNeg, UnaryOp::kNot, UnaryOp::kAbs};
    return kOps[pick(4)];
  }
  BinaryOp binary_op() {
    static constexpr BinaryOp kOps[] = {
        BinaryOp::kAdd,      BinaryOp::kAdd,      BinaryOp::kSub,      BinaryOp::kMul,
        BinaryOp::kMul,      BinaryOp::kFloorDiv, BinaryOp::kFloorMod, BinaryOp::kFloorDiv,
        BinaryOp::kFloorMod, BinaryOp::kTruncDiv, BinaryOp::kTruncRem, BinaryOp::kMin,
        BinaryOp::kMax,      BinaryOp::kAdd,      BinaryOp::kMul,      BinaryOp::kSub};
    static constexpr BinaryOp kBits[] = {BinaryOp::kBitAnd, BinaryOp::kBitOr, BinaryOp::kBitXor,
                                         BinaryOp::kShl, BinaryOp::kShr};
    return chance(12) ? kBits[pick(std::size(kBits))] : kOps[pick(std::size(kOps))];
  }

  std::mt19937_64 random_;
  Var n_{"n"}, m_{"m"}, a_{"a"}, b_{"b"}, c_{"c"}, d_{"d"};
  std::vector<Var> data_;
  Facts facts_;
};

TEST_CASE("20,000 random expressions keep their values, and simplify only once") {
  Generator generator(2024);
  int shorter = 0;
  for (int round = 0; round < 20000; ++round) {
    const Type type =
        generator.chance(4) ? boolean : kIntTypes[generator.pick(std::size(kIntTypes))];
    const Expr e = generator.make(type, 4);
    const Expr simple = simplify(e, generator.facts());
    CAPTURE(round, print(e), print(simple));
    REQUIRE(simple.type() == e.type());
    const Expr again = simplify(simple, generator.facts());
    CAPTURE(print(again));
    REQUIRE(again.get() == simple.get());
    shorter += print(simple).size() < print(e).size();
    for (int point = 0; point < 6; ++point) {
      const Values values = generator.values();
      const std::optional<int64_t> before = evaluate(e, values);
      if (!before) continue;  // a broken promise
      const std::optional<int64_t> after = evaluate(simple, values);
      if (before != after) {
        std::string text;
        for (const auto& [var, value] : values) {
          if (uses(e, var)) text += var.name() + " = " + std::to_string(value) + " ";
        }
        CAPTURE(text, *before, after.value_or(-777));
        FAIL();
      }
    }
  }
  std::printf("simplify: %d of 20000 random expressions became shorter\n", shorter);
}

TEST_CASE("5,000 quotients of a multiple, written as y - y % c, keep their values") {
  Generator generator(31);
  const auto number = [&](int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(generator.pick(static_cast<size_t>(hi - lo + 1)));
  };
  int gone = 0;
  for (int round = 0; round < 5000; ++round) {
    const Expr y = generator.make(i64, 2), c(number(1, 8));
    const Expr sum = Expr(number(-3, 3)) * (y - y % c) + generator.make(i64, 1);
    const Expr divisor = generator.chance(4) ? c * number(1, 3) : Expr(number(1, 12));
    const Expr e = generator.chance(3) ? sum % divisor : sum / divisor;
    const Expr simple = simplify(e, generator.facts());
    CAPTURE(round, print(e), print(simple));
    REQUIRE(simplify(simple, generator.facts()).get() == simple.get());
    gone += print(simple).find('%') == std::string::npos;
    for (int point = 0; point < 6; ++point) {
      const Values values = generator.values();
      if (const std::optional<int64_t> before = evaluate(e, values)) {
        REQUIRE(evaluate(simple, values) == before);
      }
    }
  }
  std::printf("simplify: %d of 5000 quotients lost their remainder\n", gone);
  CHECK(gone > 500);
}

TEST_CASE("5,000 random conditions are proved and refuted truthfully") {
  Generator generator(77);
  int yes = 0, no = 0, unknown = 0;
  for (int round = 0; round < 5000; ++round) {
    const Expr condition = generator.make(boolean, 3);
    const Answer answer = prove(generator.facts(), condition);
    CAPTURE(round, print(condition));
    bool always = true;
    for (int point = 0; point < 20; ++point) {
      const std::optional<int64_t> value = evaluate(condition, generator.values());
      if (!value) continue;
      if (answer == Answer::kYes) REQUIRE(*value == 1);
      always = always && *value == 1;
    }
    REQUIRE(proved(generator.facts(), condition) == (answer == Answer::kYes));
    if (answer == Answer::kNo) ++no;
    if (answer == Answer::kYes) ++yes;
    if (answer == Answer::kUnknown) ++unknown;
  }
  std::printf("prove: %d yes, %d no, %d unknown\n", yes, no, unknown);
}

}  // namespace
}  // namespace tenon
