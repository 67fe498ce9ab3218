// Every operator on every type and lane count, against the definition in scalar_ops.h, bit for bit.
#include <catch2/catch.hpp>
#include <random>

#include "support/native.h"
#include "tenon/ir/scalar_ops.h"

using namespace tenon;
using test::native_targets;

namespace {

const std::vector<int> kLanes = {1, 2, 4, 8, 16, 32};
constexpr int64_t kElements = 1024;

// Values where something happens.
std::vector<uint64_t> special_bits(Type type) {
  std::vector<uint64_t> bits;
  if (type.is_bool()) return {0, 1};
  if (type.is_int()) {
    for (int64_t v : {0, 1, -1, 2, -2, 3, 7, 8, 10, 31, 32, 63, 64, 100, -100}) {
      bits.push_back(bits_of_int(type, v));
    }
    for (int shift = 6; shift < type.bits(); shift += 5) {
      bits.push_back(bits_of_int(type, int64_t{1} << shift));
    }
    const uint64_t top = uint64_t{1} << (type.bits() - 1);
    for (uint64_t v : {top, top - 1, top + 1, top + top - 2}) {
      bits.push_back(bits_of_int(type, static_cast<int64_t>(v)));
    }
    return bits;
  }
  const double inf = std::numeric_limits<double>::infinity();
  for (double v : {0.0,
                   -0.0,
                   1.0,
                   -1.0,
                   0.5,
                   -0.5,
                   1.5,
                   2.5,
                   -2.5,
                   3.0,
                   255.0,
                   256.5,
                   65504.0,
                   65520.0,
                   1e-3,
                   127.5,
                   -128.5,
                   2147483648.0,
                   -2147483648.0,
                   4294967296.0,
                   1e10,
                   9223372036854775808.0,
                   18446744073709551616.0,
                   -1e20,
                   6e-8,
                   1e-40,
                   3e38,
                   inf,
                   -inf,
                   static_cast<double>(NAN)}) {
    bits.push_back(bits_of_float(type, v));
  }
  bits.push_back(1);  // the smallest subnormal
  bits.push_back(bits_of_float(type, -NAN));
  return bits;
}

// Pairs of special values first, then random bits, with every other value of moderate size.
Array operand(Type type, int which) {
  Array array(type, {kElements});
  const std::vector<uint64_t> special = special_bits(type);
  const auto n = static_cast<int64_t>(special.size());
  std::mt19937_64 random(static_cast<uint64_t>(which) + 17);
  for (int64_t i = 0; i < kElements; ++i) {
    uint64_t bits = random();
    if (i < std::min<int64_t>(n * n, 900)) {
      bits = special[static_cast<size_t>(which == 0 ? i % n : i / n % n)];
    } else if (type.is_float() && i % 2 == 0) {
      bits = bits_of_float(type, static_cast<double>(static_cast<int64_t>(bits)) * 0x1p-59);
    } else {
      bits = type.bits() == 64 ? bits : bits & ((uint64_t{1} << type.bits()) - 1);
    }
    array.set_bits(i, bits);
  }
  return array;
}

struct Case {
  std::string name;
  Type result;
  std::function<Expr(const Expr&, const Expr&)> build;
};

// One Program with an output per case: out_k[i] = case k of (a[i], b[i]).
struct Batch {
  Program program;
  std::vector<Array> outputs;
};

Batch make_batch(Type type, int lanes, const std::vector<Case>& cases) {
  Batch batch;
  ProgramData data;
  data.name = "batch";
  const Buffer a("a", type), b("b", type);
  data.params.push_back({.role = Role::kInput, .buffer = a, .shape = {kElements}});
  data.params.push_back({.role = Role::kInput, .buffer = b, .shape = {kElements}});
  std::vector<Stmt> body;
  for (const Case& c : cases) {
    const Buffer out("out" + std::to_string(body.size()), c.result);
    data.params.push_back({.role = Role::kOutput, .buffer = out, .shape = {kElements}});
    batch.outputs.emplace_back(c.result, std::vector<int64_t>{kElements});
    const Var i("i");
    const Expr first = binary(BinaryOp::kMul, i, Expr(lanes));
    const Expr index = lanes == 1 ? first : ramp(first, Expr(1), lanes);
    const Expr value = c.build(load(a, {index}), load(b, {index}));
    body.push_back(make_for(i, Expr(0), Expr(kElements / lanes), ForKind::kSerial,
                            store(out, {index}, value)));
  }
  data.body = seq(std::move(body));
  batch.program = Program(std::move(data));
  return batch;
}

std::string as_text(Type type, uint64_t bits) { return print(constant_bits(type, bits)); }

// Runs the cases at every level and lane count. `expected(k, a, b)` gives the bits of case k.
void check_cases(Type type, const std::vector<Case>& cases,
                 const std::function<uint64_t(size_t, uint64_t, uint64_t)>& expected,
                 const std::vector<int>& lane_counts = kLanes) {
  if (cases.empty()) return;
  Array a = operand(type, 0), b = operand(type, 1);
  std::vector<Array> reference;
  for (size_t k = 0; k < cases.size(); ++k) {
    reference.emplace_back(cases[k].result, std::vector<int64_t>{kElements});
    for (int64_t i = 0; i < kElements; ++i) {
      reference[k].set_bits(i, expected(k, a.bits(i), b.bits(i)));
    }
  }
  for (int lanes : lane_counts) {
    Batch batch = make_batch(type, lanes, cases);
    REQUIRE(verify(batch.program).message() == "");
    for (const Target& target : native_targets()) {
      std::vector<InterpArgument> arguments = {&a, &b};
      for (Array& out : batch.outputs) arguments.emplace_back(&out);
      const absl::Status status = test::run_native(batch.program, target, {}, arguments);
      INFO(to_string(type) << " x " << lanes << " on " << target.to_string());
      REQUIRE(status.message() == "");
      for (size_t k = 0; k < cases.size(); ++k) {
        if (same_values(reference[k], batch.outputs[k])) continue;
        for (int64_t i = 0; i < kElements; ++i) {
          const uint64_t want = reference[k].bits(i), got = batch.outputs[k].bits(i);
          if (as_text(cases[k].result, want) == as_text(cases[k].result, got)) continue;
          FAIL_CHECK(cases[k].name << " of " << as_text(type, a.bits(i)) << " and "
                                   << as_text(type, b.bits(i)) << ": "
                                   << as_text(cases[k].result, got) << " instead of "
                                   << as_text(cases[k].result, want));
          break;
        }
      }
    }
  }
}

std::vector<UnaryOp> unary_ops(Type type) {
  std::vector<UnaryOp> ops;
  for (int i = 0; i < kUnaryOpCount; ++i) {
    if (accepts(static_cast<UnaryOp>(i), type)) ops.push_back(static_cast<UnaryOp>(i));
  }
  return ops;
}

std::vector<BinaryOp> binary_ops(Type type) {
  std::vector<BinaryOp> ops;
  for (int i = 0; i < static_cast<int>(BinaryOp::kCheck); ++i) {
    if (accepts(static_cast<BinaryOp>(i), type)) ops.push_back(static_cast<BinaryOp>(i));
  }
  return ops;
}

Type result_type(BinaryOp op, Type type) { return is_comparison(op) ? boolean : type; }

}  // namespace

TEST_CASE("every unary operator gives the bits of its definition") {
  for (Type type : kAllTypes) {
    const std::vector<UnaryOp> ops = unary_ops(type);
    std::vector<Case> cases;
    for (UnaryOp op : ops) {
      cases.push_back(
          {name_of(op), type, [op](const Expr& a, const Expr&) { return unary(op, a); }});
    }
    check_cases(type, cases,
                [&](size_t k, uint64_t a, uint64_t) { return apply_unary(ops[k], type, a); });
  }
}

TEST_CASE("every binary operator gives the bits of its definition") {
  for (Type type : kAllTypes) {
    const std::vector<BinaryOp> ops = binary_ops(type);
    std::vector<Case> cases;
    for (BinaryOp op : ops) {
      cases.push_back({name_of(op), result_type(op, type),
                       [op](const Expr& a, const Expr& b) { return binary(op, a, b); }});
    }
    check_cases(type, cases,
                [&](size_t k, uint64_t a, uint64_t b) { return apply_binary(ops[k], type, a, b); });
  }
}

TEST_CASE("a constant operand changes the code and not the result") {
  for (Type type : kAllTypes) {
    struct Constant {
      BinaryOp op;
      uint64_t bits;
      bool is_left;
    };
    std::vector<Constant> constants;
    std::vector<uint64_t> values = special_bits(type);
    if (type.is_float()) values.resize(12);
    values.push_back(special_bits(type).back());
    for (BinaryOp op : binary_ops(type)) {
      const bool divides = op >= BinaryOp::kDiv && op <= BinaryOp::kTruncRem;
      const bool chooses = op == BinaryOp::kMin || op == BinaryOp::kMax;
      const bool shifts = op == BinaryOp::kShl || op == BinaryOp::kShr;
      if (!divides && !chooses && !shifts) continue;
      for (uint64_t bits : values) {
        constants.push_back({op, bits, false});
        if (chooses) constants.push_back({op, bits, true});
      }
    }
    std::vector<Case> cases;
    for (const Constant& c : constants) {
      const std::string name = std::string(name_of(c.op)) + " with " + as_text(type, c.bits);
      cases.push_back({name, type, [c, type](const Expr& a, const Expr&) {
                         const Expr k = constant_bits(type.with_lanes(a.type().lanes), c.bits);
                         return c.is_left ? binary(c.op, k, a) : binary(c.op, a, k);
                       }});
    }
    check_cases(type, cases,
                [&](size_t k, uint64_t a, uint64_t) {
                  const Constant& c = constants[k];
                  return c.is_left ? apply_binary(c.op, type, c.bits, a)
                                   : apply_binary(c.op, type, a, c.bits);
                },
                {1, 4, 16});
  }
}

TEST_CASE("every conversion gives the bits of its definition") {
  for (Type from : kAllTypes) {
    std::vector<std::pair<CastMode, Type>> casts;
    for (Type to : kAllTypes) {
      casts.emplace_back(CastMode::kValue, to);
      casts.emplace_back(CastMode::kSaturate, to);
      if (from.bits() == to.bits()) casts.emplace_back(CastMode::kBits, to);
    }
    std::vector<Case> cases;
    for (const auto& cast : casts) {
      const CastMode mode = cast.first;
      const Type to = cast.second;
      cases.push_back({"to " + to_string(to) + " in mode " + std::to_string(static_cast<int>(mode)),
                       to, [mode, to](const Expr& a, const Expr&) {
                         return make_cast(mode, to.with_lanes(a.type().lanes), a);
                       }});
    }
    check_cases(from, cases, [&](size_t k, uint64_t a, uint64_t) {
      return apply_cast(casts[k].first, from, casts[k].second, a);
    });
  }
}

TEST_CASE("all 65536 values of the small floats convert both ways") {
  for (Type type : {f16, bf16}) {
    const int64_t n = 65536;
    for (int lanes : kLanes) {
      const Buffer x("x", type), wide("wide", f32), back("back", type);
      const Var i("i");
      const Expr first = binary(BinaryOp::kMul, i, Expr(lanes));
      const Expr index = lanes == 1 ? first : ramp(first, Expr(1), lanes);
      const Expr widened = make_cast(CastMode::kValue, f32.with_lanes(lanes), load(x, {index}));
      const Expr scale = constant_float(f32.with_lanes(lanes), 1.0009765625);
      const Expr narrowed = make_cast(CastMode::kValue, type.with_lanes(lanes),
                                      binary(BinaryOp::kMul, widened, scale));
      ProgramData data;
      data.name = "small";
      data.params = {{.role = Role::kInput, .buffer = x, .shape = {Expr(n)}},
                     {.role = Role::kOutput, .buffer = wide, .shape = {Expr(n)}},
                     {.role = Role::kOutput, .buffer = back, .shape = {Expr(n)}}};
      data.body = make_for(i, Expr(0), Expr(n / lanes), ForKind::kSerial,
                           seq({store(wide, {index}, widened), store(back, {index}, narrowed)}));
      Array input(type, {n}), output(f32, {n}), again(type, {n});
      for (int64_t k = 0; k < n; ++k) input.set_bits(k, static_cast<uint64_t>(k));
      CHECK(test::native_difference(Program(std::move(data)), {}, {&input, &output, &again}) == "");
    }
  }
}

// Sums of widened operands that saturate on their way back: some are one instruction, and the
// others must not be taken for it (a difference that wraps first, a sign that is lost).
TEST_CASE("a saturated sum of widened operands gives the bits of its definition") {
  for (Type type : {i8, u8, i16, u16, i32, u32}) {
    struct Form {
      BinaryOp op;
      Type wide;
    };
    std::vector<Form> forms;
    std::vector<Case> cases;
    for (BinaryOp op : {BinaryOp::kAdd, BinaryOp::kSub}) {
      for (Type wide : {i16, u16, i32, u32, i64, u64}) {
        if (wide.bits() <= type.bits()) continue;
        forms.push_back({op, wide});
        cases.push_back({std::string(name_of(op)) + " in " + to_string(wide), type,
                         [=](const Expr& a, const Expr& b) {
                           const Type w = wide.with_lanes(a.type().lanes);
                           const Expr sum = binary(op, make_cast(CastMode::kValue, w, a),
                                                   make_cast(CastMode::kValue, w, b));
                           return make_cast(CastMode::kSaturate, a.type(), sum);
                         }});
      }
    }
    check_cases(type, cases, [&](size_t k, uint64_t a, uint64_t b) {
      const auto [op, wide] = forms[k];
      const uint64_t sum = apply_binary(op, wide, apply_cast(CastMode::kValue, type, wide, a),
                                        apply_cast(CastMode::kValue, type, wide, b));
      return apply_cast(CastMode::kSaturate, wide, type, sum);
    });
  }
}
