// One illegal program for every rule, each with its exact message.
#include <catch2/catch.hpp>

#include "support/check.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

using test::checked;

struct Definitions {
  Var m{"m"}, n{"n"}, i{"i"}, j{"j"}, eps{"eps", f32};
  Buffer x{"x", f32}, w{"w", f32}, y{"y", f32}, t{"t", f32}, b{"b", boolean}, h{"h", f16};

  ProgramData data() const {
    ProgramData p;
    p.name = "p";
    p.sizes = {m, n};
    p.params = {{Role::kInput, x, {}, {m, n}, {}, {}},
                {Role::kWeight, w, {}, {n}, {}, {}},
                {Role::kScalar, {}, eps, {}, {}, {}},
                {Role::kOutput, y, {}, {n}, {}, {}},
                {Role::kOutput, b, {}, {n}, {}, {}}};
    p.body = seq({});
    return p;
  }
};

const Definitions d;

std::string error(ProgramData data) {
  const absl::Status status = verify(Program(std::move(data)));
  return status.ok() ? "" : std::string(status.message());
}

// Of a program with this body.
std::string error(const Stmt& body) {
  ProgramData data = d.data();
  data.body = body;
  return error(std::move(data));
}

// Of a program that evaluates this expression.
std::string error(const Expr& e) { return error(bind(Var("v", e.type()), e)); }

// Of a program whose data was changed.
template <class Change>
std::string error_after(Change change) {
  ProgramData data = d.data();
  change(data);
  return error(std::move(data));
}

Stmt loop(const Var& var, const Stmt& body) { return make_for(var, 0, 4, ForKind::kSerial, body); }

TEST_CASE("the program of these tests is legal, and so are all of its parts") {
  ProgramData data = d.data();
  data.body = loop(d.i, store(d.y, {d.i}, load(d.x, {0, d.i}) + load(d.w, {d.i}) * d.eps));
  checked(Program(std::move(data)));
  CHECK(error(d.data()).empty());
}

// --- The header.

TEST_CASE("a null program and a null body are refused") {
  CHECK(std::string(verify(Program()).message()) == "the Program is empty (null)");
  CHECK(error(Stmt()) == "the body is missing (null)");
}

TEST_CASE("names of the header are identifiers without a meaning of their own") {
  CHECK(error_after([](ProgramData& p) { p.name = "linear relu"; }) ==
        "program name \"linear relu\" must be made of letters, digits and underscores and not "
        "start with a digit");
  CHECK(error_after([](ProgramData& p) { p.sizes.emplace_back("2n"); }) ==
        "size name \"2n\" must be made of letters, digits and underscores and not start with a "
        "digit");
  CHECK(error_after([](ProgramData& p) { p.params[0].buffer = Buffer("x.1", f32); }) ==
        "parameter name \"x.1\" must be made of letters, digits and underscores and not start "
        "with a digit");
  CHECK(error_after([](ProgramData& p) { p.sizes.emplace_back("inf"); }) ==
        "size name inf has a meaning of its own in program text; choose another");
}

TEST_CASE("sizes and parameters have distinct names") {
  CHECK(error_after([](ProgramData& p) { p.sizes.emplace_back("n"); }) ==
        "the name n stands for two sizes, parameters or tables; each needs its own");
  CHECK(error_after([](ProgramData& p) { p.sizes.emplace_back("x"); }) ==
        "the name x stands for two sizes, parameters or tables; each needs its own");
}

TEST_CASE("sizes are i64") {
  CHECK(error_after([](ProgramData& p) { p.sizes.emplace_back("s", i32); }) ==
        "size s has type i32; sizes are i64");
  CHECK(error_after([](ProgramData& p) { p.sizes.push_back(Var()); }) ==
        "a size is missing (null)");
}

TEST_CASE("a parameter is a buffer, or a scalar by role") {
  const std::string message =
      "a parameter must be a scalar with a variable, or an input, weight, output or inout with a "
      "buffer";
  CHECK(error_after([](ProgramData& p) { p.params[0].role = Role::kScalar; }) == message);
  CHECK(error_after([](ProgramData& p) { p.params[2].role = Role::kInput; }) == message);
  CHECK(error_after([](ProgramData& p) { p.params[0].scalar = Var("both", f32); }) == message);
  CHECK(error_after([](ProgramData& p) { p.params[0].buffer = Buffer(); }) == message);
}

TEST_CASE("parameters have elements of one lane") {
  CHECK(error_after([](ProgramData& p) { p.params[2].scalar = Var("v", f32.with_lanes(4)); }) ==
        "parameter v: has type f32x4; elements and scalars have one lane");
  CHECK(error_after([](ProgramData& p) { p.params[0].buffer = Buffer("v", f32.with_lanes(4)); }) ==
        "parameter v: has type f32x4; elements and scalars have one lane");
}

TEST_CASE("a scalar has no shape") {
  CHECK(error_after([](ProgramData& p) { p.params[2].shape = {d.n}; }) ==
        "parameter eps: a scalar has no shape, strides or packing, and is not streamed");
}

TEST_CASE("ranks are at most eight") {
  CHECK(error_after([](ProgramData& p) { p.params[0].shape.assign(8, d.n); }).empty());
  CHECK(error_after([](ProgramData& p) { p.params[0].shape.assign(9, d.n); }) ==
        "parameter x: has 9 dimensions; at most 8 are supported");
  CHECK(error(alloc(d.t, std::vector<Expr>(9, d.n))) ==
        "in `alloc t: f32[n, n, n, n, n, n, n, n, n]`: the buffer has 9 dimensions; at most 8 are "
        "supported");
}

TEST_CASE("shapes are i64 expressions over sizes") {
  const auto with_extent = [](const Expr& extent) {
    return error_after([&](ProgramData& p) { p.params[0].shape[0] = extent; });
  };
  CHECK(with_extent(Expr(d.n) * 2 + 1).empty());
  CHECK(with_extent(constant_int(i32, 3)) ==
        "parameter x: the extent 3i32 has type i32; it must be i64");
  CHECK(with_extent(d.i) ==
        "parameter x: variable i is used where it is not declared; declare it by a loop or a let "
        "around this");
  CHECK(with_extent(cast(i64, d.eps)) ==
        "parameter x: variable eps is used where it is not declared; declare it by a loop or a let "
        "around this");
  CHECK(with_extent(Expr(-3)) == "parameter x: the extent -3 must be at least 0");
  CHECK(with_extent(~Expr(0) * 2) == "parameter x: the extent ~0 * 2 must be at least 0");
  CHECK(with_extent(Expr()) == "parameter x: an expression is missing (null)");
  CHECK(with_extent(invalid("operator + on u64 and i32: ...")) ==
        "parameter x: operator + on u64 and i32: ...");
  CHECK(error_after([](ProgramData& p) {
          p.params[1].shape = {cast(i64, load(d.x, {0, 0}))};
        }) == "parameter w: the extent cast<i64>(x[0, 0]) reads a buffer");
}

TEST_CASE("strides are one for each dimension, or none") {
  CHECK(error_after([](ProgramData& p) { p.params[0].strides = {1, d.m}; }).empty());
  CHECK(error_after([](ProgramData& p) { p.params[0].strides = {1}; }) ==
        "parameter x: has 1 stride and 2 dimensions; give one stride for each, or none");
  CHECK(error_after([](ProgramData& p) {
          p.params[0].strides = {1, 0.5f};
        }) == "parameter x: the stride 0.5 has type f32; it must be i64");
}

TEST_CASE("a packing agrees with the packed shape and with the logical one") {
  const auto with_packing = [](size_t param, Packing packing) {
    return error_after([&](ProgramData& p) { p.params[param].packing = packing; });
  };
  CHECK(with_packing(1, {{d.n, 2}, {d.i, d.j}, {Expr(d.i) * 2 + d.j}}).empty());
  CHECK(with_packing(0, {{d.n}, {d.i}, {d.i, 0}}) == "parameter x: only a weight can be packed");
  CHECK(with_packing(1, {{d.n, 2}, {d.i}, {d.i}}) ==
        "parameter w: its packing has 1 variable and 2 logical dimensions; give one variable for "
        "each");
  CHECK(with_packing(1, {{d.n}, {d.i}, {d.i, 0}}) ==
        "parameter w: its packing maps to 2 dimensions and it has 1; give one expression for each");
  CHECK(with_packing(1, {{d.n, 2}, {d.i, d.i}, {d.i}}) ==
        "parameter w: the variables of its packing must be distinct and i64");
  CHECK(with_packing(1, {{d.n}, {d.i}, {d.j}}) ==
        "parameter w: variable j is used where it is not declared; declare it by a loop or a let "
        "around this");
  CHECK(with_packing(1, {{d.i}, {d.i}, {d.i}}) ==
        "parameter w: variable i is used where it is not declared; declare it by a loop or a let "
        "around this");
}

TEST_CASE("a buffer or variable is one parameter only") {
  CHECK(error_after([](ProgramData& p) {
          const Buffer again = p.params[0].buffer;
          p.params.erase(p.params.begin() + 1, p.params.end());
          p.params.push_back({Role::kOutput, Buffer("y", f32), {}, {}, {}, {}});
          p.params[1].buffer = again;
        }) == "the name x stands for two sizes, parameters or tables; each needs its own");
}

TEST_CASE("requirements are bool over sizes") {
  const auto with_requirement = [](const Expr& e) {
    return error_after([&](ProgramData& p) { p.requirements = {e}; });
  };
  CHECK(with_requirement(Expr(d.n) % 2 == 0 & d.m < d.n).empty());
  CHECK(with_requirement(d.n) == "requirement n: has type i64; it must be bool");
  CHECK(with_requirement(d.eps < 1.0f) ==
        "requirement eps < 1.0: variable eps is used where it is not declared; declare it by a "
        "loop or a let around this");
  CHECK(with_requirement(load(d.b, {0})) ==
        "requirement b[0]: reads a buffer; it may only use sizes");
  CHECK(with_requirement(invalid("wrong")) == "a requirement: wrong");
  CHECK(with_requirement(Expr()) == "a requirement: an expression is missing (null)");
}

// --- Statements.

TEST_CASE("variables are declared before use and not used outside of their scope") {
  CHECK(error(store(d.y, {d.i}, 1.0f)) ==
        "in `y[i] = 1.0`: variable i is used where it is not declared; declare it by a loop or a "
        "let around this");
  CHECK(error(seq({loop(d.i, store(d.y, {d.i}, 1.0f)), store(d.y, {d.i}, 2.0f)})) ==
        "in `y[i] = 2.0`: variable i is used where it is not declared; declare it by a loop or a "
        "let around this");
  CHECK(error(make_for(d.i, 0, d.i, ForKind::kSerial, seq({}))) ==
        "in `for i in 0..i`: variable i is used where it is not declared; declare it by a loop or "
        "a let around this");
  CHECK(error(bind(d.i, Expr(d.i) + 1)) ==
        "in `let i = i + 1`: variable i is used where it is not declared; declare it by a loop or "
        "a let around this");
  const Stmt inner = make_if(Expr(true), bind(d.j, 3));
  CHECK(error(seq({inner, store(d.y, {d.j}, 1.0f)})) ==
        "in `y[j] = 1.0`: variable j is used where it is not declared; declare it by a loop or a "
        "let around this");
}

// A loop is its variable: a handle could mean either of two loops that share one.
TEST_CASE("a variable is declared once, also in disjoint scopes") {
  CHECK(error(loop(d.i, loop(d.i, seq({})))) ==
        "in `for i in 0..4`: variable i is declared already; use another for this loop");
  CHECK(error(loop(d.n, seq({}))) ==
        "in `for n in 0..4`: variable n is declared already; use another for this loop");
  CHECK(error(seq({bind(d.j, 1), bind(d.j, 2)})) ==
        "in `let j = 2`: variable j is declared already; use another");
  CHECK(error(seq({bind(d.j, 1), loop(d.j, seq({}))})) ==
        "in `for j in 0..4`: variable j is declared already; use another for this loop");
  const Stmt write = store(d.y, {d.i}, 1.0f);
  CHECK(error(seq({loop(d.i, write), loop(d.i, write)})) ==
        "in `for i in 0..4`: variable i is declared already; use another for this loop");
}

TEST_CASE("buffers are declared before use and once on every path") {
  CHECK(error(store(d.t, {0}, 1.0f)) ==
        "in `t[0] = 1.0`: buffer t is used where it is not declared; make it a parameter or put an "
        "alloc before this");
  CHECK(error(store(d.y, {0}, load(d.t, {0}))) ==
        "in `y[0] = t[0]`: buffer t is used where it is not declared; make it a parameter or put "
        "an alloc before this");
  CHECK(error(seq({alloc(d.t, {4}), alloc(d.t, {4})})) ==
        "in `alloc t: f32[4]`: buffer t is declared already; give each copy its own buffer");
  CHECK(error(alloc(d.x, {4})) ==
        "in `alloc x: f32[4]`: buffer x is declared already; give each copy its own buffer");
  const Stmt scope = seq({alloc(d.t, {4}), store(d.t, {0}, 1.0f)});
  CHECK(error(seq({loop(d.i, scope), loop(d.j, scope)})).empty());
  CHECK(error(seq({loop(d.i, scope), store(d.t, {0}, 1.0f)})) ==
        "in `t[0] = 1.0`: buffer t is used where it is not declared; make it a parameter or put an "
        "alloc before this");
}

TEST_CASE("accesses have one i64 index for each dimension") {
  CHECK(error(store(d.y, {0, 0}, 1.0f)) ==
        "in `y[0, 0] = 1.0`: y: f32[n] has 1 dimension and is accessed with 2 indices; give one "
        "index for each");
  CHECK(error(load(d.x, {0})) ==
        "in `let v = x[0]`: x: f32[m, n] has 2 dimensions and is accessed with 1 index; give one "
        "index for each");
  CHECK(error(store(d.y, {constant_int(i32, 0)}, 1.0f)) ==
        "in `y[0i32] = 1.0`: the index 0i32 of y has type i32; indices are i64");
  CHECK(error(load(d.w, {d.eps})) ==
        "in `let v = w[eps]`: the index eps of w has type f32; indices are i64");
  CHECK(error(load(d.x, {ramp(0, 1, 4), ramp(0, 1, 8)})) ==
        "in `let v = x[ramp(0, 1, 4), ramp(0, 1, 8)]`: the indices of x have 4 and 8 lanes; all "
        "vectors among them need the same number");
}

TEST_CASE("inputs and weights are not written") {
  CHECK(error(store(d.x, {0, 0}, 1.0f)) ==
        "in `x[0, 0] = 1.0`: x is an input and cannot be written; write an output, an inout or "
        "a local buffer");
  CHECK(error(accumulate(d.w, {0}, Reducer::kSum, 1.0f)) ==
        "in `w[0] += 1.0`: w is a weight and cannot be written; write an output, an inout or a "
        "local buffer");
}

TEST_CASE("a written value has the type of the buffer") {
  CHECK(error(store(d.y, {0}, 1)) ==
        "in `y[0] = 1`: the value has type i64 and y: f32[n] holds f32; cast the value");
  CHECK(error(accumulate(d.y, {0}, Reducer::kSum, cast(f16, d.eps))) ==
        "in `y[0] += cast<f16>(eps)`: the value has type f16 and y: f32[n] holds f32; cast the "
        "value");
}

TEST_CASE("a store writes one element for each lane") {
  const Expr lanes = ramp(0, 1, 4);
  CHECK(error(store(d.y, {lanes}, load(d.w, {lanes}))).empty());
  CHECK(error(store(d.y, {lanes}, 1.0f)).empty());
  CHECK(error(store(d.y, {0}, load(d.w, {lanes}))) ==
        "in `y[0] = w[ramp(0, 1, 4)]`: the value has 4 lanes and the indices name 1 element; a "
        "store writes one element for each lane");
  CHECK(error(store(d.y, {lanes}, load(d.w, {ramp(0, 1, 8)}))) ==
        "in `y[ramp(0, 1, 4)] = w[ramp(0, 1, 8)]`: the value has 8 lanes and the indices name 4 "
        "elements; a store writes one element for each lane");
}

TEST_CASE("an accumulation folds its lanes into one element or keeps them apart") {
  const Expr lanes = ramp(0, 1, 4);
  CHECK(error(accumulate(d.y, {0}, Reducer::kSum, load(d.w, {lanes}))).empty());
  CHECK(error(accumulate(d.y, {lanes}, Reducer::kSum, load(d.w, {lanes}))).empty());
  CHECK(error(accumulate(d.y, {lanes}, Reducer::kSum, load(d.w, {ramp(0, 1, 8)}))) ==
        "in `y[ramp(0, 1, 4)] += w[ramp(0, 1, 8)]`: the value has 8 lanes and the indices name 4 "
        "elements; both need the same number, or one element");
}

TEST_CASE("an accumulation takes numbers") {
  CHECK(error(accumulate(d.b, {0}, Reducer::kMax, Expr(true))) ==
        "in `b[0] max= true`: an accumulation takes numbers, not bool; store a value made with & "
        "or |");
}

TEST_CASE("masks are bool with the lanes of the access") {
  const Expr lanes = ramp(0, 1, 4);
  CHECK(error(store(d.y, {0}, 1.0f, Expr(1))) ==
        "in `y[0] = 1.0 where 1`: the mask 1 has type i64; it must be bool");
  CHECK(error(store(d.y, {lanes}, 1.0f, ramp(0, 1, 8) < 3)) ==
        "in `y[ramp(0, 1, 4)] = broadcast(1.0, 8) where ramp(0, 1, 8) < broadcast(3, 8)`: the "
        "value has 8 lanes and the indices name 4 elements; a store writes one element for each "
        "lane");
  CHECK(error(accumulate(d.y, {0}, Reducer::kSum, load(d.w, {lanes}), lanes)) ==
        "in `y[0] += w[ramp(0, 1, 4)] where ramp(0, 1, 4)`: the mask ramp(0, 1, 4) has type i64x4; "
        "it must be boolx4");
  CHECK(error(load(d.w, {lanes}, lanes)) ==
        "in `let v = masked(w[ramp(0, 1, 4)], ramp(0, 1, 4))`: the mask of masked(w[ramp(0, 1, "
        "4)], ramp(0, 1, 4)) has type i64x4; it must be boolx4");
  CHECK(error(load(d.w, {lanes}, lanes < 3)).empty());
  CHECK(error(load(d.w, {0}, lanes < 3)).empty());
}

TEST_CASE("loop bounds and variables are i64 with one lane") {
  CHECK(error(make_for(d.i, constant_int(i32, 0), 4, ForKind::kSerial, seq({}))) ==
        "in `for i in 0i32..4`: the lower bound 0i32 has type i32; it must be i64");
  CHECK(error(make_for(d.i, 0, ramp(0, 1, 4), ForKind::kSerial, seq({}))) ==
        "in `for i in 0..ramp(0, 1, 4)`: the upper bound ramp(0, 1, 4) has type i64x4; it must be "
        "i64");
  CHECK(error(loop(Var("k", i32), seq({}))) ==
        "in `for k in 0..4`: the loop variable has type i32; it must be i64");
}

TEST_CASE("conditions are bool with one lane") {
  CHECK(error(make_if(d.n, seq({}))) ==
        "in `if n`: the condition n has type i64; it must be bool with one lane");
  CHECK(error(make_if(ramp(0, 1, 4) < 3, seq({}))) ==
        "in `if ramp(0, 1, 4) < broadcast(3, 4)`: the condition ramp(0, 1, 4) < broadcast(3, 4) "
        "has type boolx4; it must be bool with one lane");
}

TEST_CASE("local buffers have i64 extents, and an offset only where a workspace is") {
  CHECK(error(alloc(d.t, {0.5f})) ==
        "in `alloc t: f32[0.5]`: the extent 0.5 has type f32; it must be i64");
  CHECK(error(alloc(Buffer("t", f32.with_lanes(4)), {4})) ==
        "in `alloc t: f32x4[4]`: the elements have type f32x4; elements have one lane");
  CHECK(error(alloc(d.t, {4}, Memory::kStack, 64)) ==
        "in `alloc t: f32[4] in stack at 64`: an offset needs shared or worker memory");
  CHECK(error(alloc(d.t, {4}, Memory::kShared, 0.5f)) ==
        "in `alloc t: f32[4] in shared at 0.5`: the offset 0.5 has type f32; it must be i64");
  CHECK(error(alloc(d.t, {4}, Memory::kWorker, 64)).empty());
  CHECK(error(loop(d.i, alloc(d.t, {d.i}))).empty());
}

TEST_CASE("a let gives its name the type of the value") {
  CHECK(error(bind(Var("v", f32), 3)) ==
        "in `let v = 3`: the name has type f32 and the value i64; both must have the same type");
}

// --- Expressions.

TEST_CASE("the message of a wrong operator comes before all others") {
  const Var u("u", u64), s("s", i32);
  const Expr wrong = Expr(u) + s;
  REQUIRE(wrong.is<Invalid>());
  CHECK(error(store(d.y, {0}, wrong)) ==
        "in `y[0] = invalid(\"operator + on u64 and i32: no integer type holds both; cast one "
        "side\")`: operator + on u64 and i32: no integer type holds both; cast one side");
  CHECK(error(make_cast(CastMode::kValue, f32, wrong))
            .find(": operator + on u64 and i32: no integer type holds both; cast one side") !=
        std::string::npos);
}

TEST_CASE("a reduction inside of an expression is refused") {
  const Expr sum = make_reduce(Reducer::kSum, {{d.i, d.n}}, {d.eps});
  CHECK(error(store(d.y, {0}, sum)) ==
        "in `y[0] = reduce(+, i in 0..n, eps)`: reduce(+, i in 0..n, eps) is a reduction inside of "
        "an expression; a Program has a loop with an accumulation instead");
}

TEST_CASE("operators get operands of one type that they take") {
  CHECK(error(binary(BinaryOp::kAdd, d.n, d.eps)) ==
        "in `let v = n + eps`: operator + in n + eps is applied to i64 and f32; both sides must "
        "have the same type");
  CHECK(error(binary(BinaryOp::kFloorMod, d.eps, d.eps)) ==
        "in `let v = eps % eps`: operator % in eps % eps is applied to f32 and f32; it takes "
        "integers");
  CHECK(error(binary(BinaryOp::kAdd, ramp(0, 1, 4), ramp(0, 1, 8))) ==
        "in `let v = ramp(0, 1, 4) + ramp(0, 1, 8)`: operator + in ramp(0, 1, 4) + ramp(0, 1, 8) "
        "is applied to i64x4 and i64x8; both sides must have the same type");
  CHECK(error(binary(BinaryOp::kCheck, constant_int(i32, 1), constant_int(i32, 2))) ==
        "in `let v = check(1i32, 2i32)`: operator check in check(1i32, 2i32) is applied to i32 and "
        "i32; it takes i64");
  CHECK(error(unary(UnaryOp::kExp, d.n)) ==
        "in `let v = exp(n)`: operator exp in exp(n) is applied to i64; it takes floats");
}

TEST_CASE("a select chooses between values of one type by a bool") {
  CHECK(error(make_select(d.n, 1.0f, 2.0f)) ==
        "in `let v = select(n, 1.0, 2.0)`: the condition of select(n, 1.0, 2.0) has type i64; it "
        "must be bool, with one lane or those of the values");
  CHECK(error(make_select(Expr(true), 1.0f, 2)) ==
        "in `let v = select(true, 1.0, 2)`: the values of select(true, 1.0, 2) have types f32 and "
        "i64; both must have the same type");
  CHECK(error(make_select(Expr(true), ramp(0, 1, 4), ramp(1, 1, 4))).empty());
}

TEST_CASE("a bit cast keeps the size and every cast keeps the lanes") {
  CHECK(error(make_cast(CastMode::kBits, i64, d.eps)) ==
        "in `let v = bitcast<i64>(eps)`: bitcast<i64>(eps) reinterprets f32 as i64; both must have "
        "the same size");
  CHECK(error(make_cast(CastMode::kValue, f32.with_lanes(4), d.n)) ==
        "in `let v = cast<f32>(n)`: cast<f32>(n) changes the number of lanes from 1 to 4; a cast "
        "keeps it");
}

TEST_CASE("vectors are made of one lane and have at least two") {
  CHECK(error(ramp(0, constant_int(i32, 1), 4)) ==
        "in `let v = ramp(0, 1i32, 4)`: base and stride of ramp(0, 1i32, 4) must be integers of "
        "one type with one lane, spread over 2 to 65536");
  CHECK(error(ramp(0.5f, 1.0f, 4)) ==
        "in `let v = ramp(0.5, 1.0, 4)`: base and stride of ramp(0.5, 1.0, 4) must be integers of "
        "one type with one lane, spread over 2 to 65536");
  CHECK(error(ramp(0, 1, 1)) ==
        "in `let v = ramp(0, 1, 1)`: base and stride of ramp(0, 1, 1) must be integers of one type "
        "with one lane, spread over 2 to 65536");
  CHECK(error(broadcast_lanes(0, 100000)) ==
        "in `let v = broadcast(0, 100000)`: broadcast(0, 100000) must spread one lane over 2 to "
        "65536");
}

TEST_CASE("a constant has no bits beyond its type") {
  CHECK(error(constant_bits(u8, 256)) ==
        "in `let v = 256u8`: the constant 256u8 must have one lane and no bits beyond its type u8");
}

TEST_CASE("a null expression is refused where one is needed") {
  CHECK(error(make_if(Expr(), seq({}))) == "in `if <null>`: an expression is missing (null)");
}

TEST_CASE("things of the same name are told apart in messages as in the text") {
  const Var first("i"), second("i");
  CHECK(error(loop(first, loop(second, store(d.x, {first, second}, 1.0f)))) ==
        "in `x[i, i_1] = 1.0`: x is an input and cannot be written; write an output, an inout or "
        "a local buffer");
}

TEST_CASE("long expressions are cut in messages") {
  Expr sum = d.eps;
  for (int k = 0; k < 1000; ++k) sum = sum + d.eps;
  const std::string message = error(store(d.x, {0, 0}, sum));
  CHECK(message.size() < 400);
  CHECK(message.find(" ...`: x is an input") != std::string::npos);
}

TEST_CASE("a refusal carries its reason as a diagnostic") {
  const std::optional<Diagnostic> found = diagnostic_of(verify(Program()));
  REQUIRE(found.has_value());
  CHECK(found->reason == "the Program is empty (null)");
}

}  // namespace
}  // namespace tenon
