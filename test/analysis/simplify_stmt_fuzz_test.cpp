// Random loop nests with guards, names, locals and data: simplified Programs compute the same.
#include <catch2/catch.hpp>

#include "analysis/random_expr.h"
#include "support/check.h"
#include "tenon/analysis/simplify.h"
#include "tenon/interp/interp.h"
#include "tenon/ir/program.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

constexpr int64_t kLength = 16;

class Nests {
 public:
  explicit Nests(uint32_t seed) : random_(seed) {}

  Program make() {
    names_ = 0;
    body_vars_ = {m_};
    locals_.clear();
    ProgramData data;
    data.name = "nest";
    data.sizes = {m_};
    if (random_.chance(30)) data.requirements.push_back(Expr(m_) % 2 == 0);
    Param ids, x, y;
    ids.role = x.role = Role::kInput;
    y.role = Role::kOutput;
    ids.buffer = ids_, x.buffer = x_, y.buffer = y_;
    ids.shape = x.shape = y.shape = {Expr(kLength)};
    data.params = {ids, x, y};
    data.body = block(3);
    return Program(std::move(data));
  }

 private:
  Expr index() {
    Expr e = random_.index(body_vars_);
    if (random_.chance(10)) e = e + load(ids_, {random_.index(body_vars_, 1) % kLength});
    return e;
  }
  // Always inside of a buffer.
  Expr place() { return index() % kLength; }

  Expr value() {
    switch (random_.in(0, 5)) {
      case 0: return load(x_, {place()});
      case 1: return load(y_, {place()});
      case 2:
        return select(random_.condition(body_vars_), load(x_, {place()}), load(ids_, {place()}));
      case 3:
        if (!locals_.empty()) return load(random_.of(locals_), {place()});
        [[fallthrough]];
      default: return index();
    }
  }

  Expr guard() {
    if (random_.chance(20)) return load(y_, {place()}) < index();
    if (random_.chance(10)) return Expr(random_.chance(50));
    return random_.condition(body_vars_);
  }

  std::string name(const char* stem) { return stem + std::to_string(names_++); }

  Stmt leaf() {
    const Buffer& target = !locals_.empty() && random_.chance(30) ? random_.of(locals_) : y_;
    if (random_.chance(30)) return accumulate(target, {place()}, Reducer::kSum, value());
    return store(target, {place()}, value());
  }

  Stmt loop(int depth) {
    For range = random_.loop(name("i").c_str(), body_vars_);
    if (random_.chance(30)) range.lo = 0, range.hi = m_;
    if (random_.chance(20)) range.hi = range.lo + 1;
    if (random_.chance(5)) range.hi = load(ids_, {place()}) % 4;
    body_vars_.push_back(range.var);
    Stmt body = block(depth - 1);
    body_vars_.pop_back();
    return make_for(range.var, range.lo, range.hi, ForKind::kSerial, std::move(body));
  }

  Stmt statement(int depth) {
    if (depth == 0) return leaf();
    switch (random_.in(0, 6)) {
      case 0:
      case 1: return make_if(guard(), statement(random_.chance(70) ? 0 : depth - 1));
      case 2: return leaf();
      default: return loop(depth);
    }
  }

  Stmt block(int depth) {
    const std::vector<Var> vars = body_vars_;
    const std::vector<Buffer> locals = locals_;
    std::vector<Stmt> stmts;
    for (int64_t n = random_.in(1, 3); n > 0; --n) {
      if (random_.chance(15)) {
        const Var var(name("v"));
        stmts.push_back(bind(var, index()));
        body_vars_.push_back(var);
      }
      if (random_.chance(10)) {
        // Filled at once, so that what is undefined does not show.
        const Buffer local(name("t"), i64);
        stmts.push_back(alloc(local, {Expr(kLength)}));
        const Var k(name("k"));
        stmts.push_back(make_for(k, 0, kLength, ForKind::kSerial, store(local, {k}, Expr(k) * 3)));
        locals_.push_back(local);
      }
      stmts.push_back(statement(depth));
    }
    body_vars_ = vars;
    locals_ = locals;
    return seq(std::move(stmts));
  }

  test::Random random_;
  Var m_{"m"};
  Buffer ids_{"ids", i64}, x_{"x", i64}, y_{"y", i64};
  std::vector<Var> body_vars_;
  std::vector<Buffer> locals_;
  int names_ = 0;
};

std::vector<int64_t> run(const Program& program, int64_t m) {
  Array ids(i64, {kLength}), x(i64, {kLength}), y(i64, {kLength});
  for (int64_t i = 0; i < kLength; ++i) {
    ids.set_bits(i, static_cast<uint64_t>((i * 7 + m) % 11 - 3));
    x.set_bits(i, static_cast<uint64_t>(i * i - 20));
    y.set_bits(i, static_cast<uint64_t>(i % 5));
  }
  const absl::Status status = interpret(program, Sizes({{program->sizes[0], m}}), {&ids, &x, &y});
  REQUIRE(status.ok());
  return y.values<int64_t>();
}

int loops_in(const Program& program) {
  int loops = 0;
  walk(program->body, [&](const Stmt& s) { loops += s.is<For>(); });
  return loops;
}

TEST_CASE("4,000 random nests compute the same when simplified, and keep their loops") {
  Nests nests(5);
  int shorter = 0;
  for (int round = 0; round < 4000; ++round) {
    const Program p = nests.make();
    const Program kept = simplify(p), lowered = simplify(p, KeepLoops::kNo);
    CAPTURE(round, print(p), print(kept), print(lowered));
    REQUIRE(verify(kept).ok());
    REQUIRE(verify(lowered).ok());
    REQUIRE(loops_in(kept) == loops_in(p));
    REQUIRE(simplify(kept)->body.get() == kept->body.get());
    shorter += print(kept).size() < print(p).size();
    for (int64_t m : {0, 2, 6}) {
      const std::vector<int64_t> before = run(p, m);
      REQUIRE(run(kept, m) == before);
      REQUIRE(run(lowered, m) == before);
    }
  }
  CHECK(shorter > 1000);
}

TEST_CASE("what a mask says is known in the rest of the statement") {
  const Program p = test::parsed(R"(program q
  size n
  input x: f32[n]
  output y: f32[n]
{
  for i in 0..n {
    if i + 1 < n and 0.0 < x[i] {
      y[i] = select(x[0] < 1.0, x[i + 1], masked(x[i], n < 5)) where i < 9
    }
  }
})");
  CHECK(print(simplify(p, KeepLoops::kYes)) == print(p));
}

}  // namespace
}  // namespace tenon
