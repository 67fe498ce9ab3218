// may_stage against its definition, on random small nests: all iterations are run. What the copy
// holds is what the body touches; where it is not filled, every read finds a value that was stored
// before in the same iteration, and everything that is copied back was stored.
#include <catch2/catch.hpp>
#include <cstdio>
#include <set>

#include "analysis/events.h"
#include "analysis/random_expr.h"
#include "support/check.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

using test::Event;
using test::output_of_16;
using test::Random;
using test::Tracer;

using Element = std::vector<int64_t>;

// for o { for v { statements over a and b } }
struct Sample {
  Program program;
  Buffer a;
  Var o, v;
};

class Generator {
 public:
  explicit Generator(Random& random) : random_(random) {}

  Sample sample() {
    Sample s{{}, Buffer("a", f32), Var("o"), Var("v")};
    a_ = s.a;
    b_ = Buffer("b", f32);
    std::vector<Stmt> body;
    for (int64_t n = random_.in(1, 3); n > 0; --n) body.push_back(part({s.o, s.v}));
    ProgramData data;
    data.name = "q";
    data.params = {output_of_16(a_), output_of_16(b_)};
    data.body = make_for(s.o, 0, 2, ForKind::kSerial,
                         make_for(s.v, 0, 3, ForKind::kSerial, seq(std::move(body))));
    s.program = Program(std::move(data));
    return s;
  }

 private:
  // A leaf, or one or two loops around some.
  Stmt part(std::vector<Var> vars) {
    if (random_.chance(25)) return leaf(vars);
    const Var w("w");
    const Expr extent = random_.chance(15) ? Expr(vars.back()) + 1 : Expr(random_.in(1, 4));
    vars.push_back(w);
    std::vector<Stmt> body;
    for (int64_t n = random_.in(1, 2); n > 0; --n) {
      const bool nested = vars.size() < 4 && random_.chance(30);
      body.push_back(nested ? part(vars) : leaf(vars));
    }
    return make_for(w, 0, extent, ForKind::kSerial, seq(std::move(body)));
  }

  // Most often one loop and a constant, as in programs; the same few forms, so that they meet.
  Expr index(const std::vector<Var>& vars) {
    const Expr inner = vars.back();
    switch (random_.in(0, 6)) {
      case 0: return inner + 2;
      case 1: return Expr(vars[1]) * 4 + inner;
      case 2: return Expr(vars[1]) + inner;
      case 3: return Expr(random_.in(0, 3));
      case 4: return vars.size() > 3 ? Expr(vars[2]) * 3 + inner : inner * 2;
      case 5: return 9 - inner;
      default: return inner;
    }
  }

  Expr condition(const std::vector<Var>& vars) {
    switch (random_.in(0, 3)) {
      case 0: return Expr(vars.back()) < Expr(random_.in(1, 3));
      case 1: return Expr(vars[1]) < Expr(random_.in(1, 3));
      case 2: return Expr(0) < Expr(vars[1]);
      default: return random_.condition(vars);
    }
  }

  Stmt leaf(const std::vector<Var>& vars) {
    const Buffer target = random_.chance(75) ? a_ : b_;
    Expr value = 1.0f;
    if (random_.chance(40)) value = value + load(random_.chance(75) ? a_ : b_, {index(vars)});
    const Stmt s = random_.chance(40) ? accumulate(target, {index(vars)}, Reducer::kSum, value)
                                      : store(target, {index(vars)}, value);
    return random_.chance(25) ? make_if(condition(vars), s) : s;
  }

  Random& random_;
  Buffer a_, b_;
};

// What happens to the buffer in one iteration of the body.
struct Iteration {
  Values loops;
  std::vector<Event> events;
};

std::vector<Iteration> iterations_of(const Sample& s) {
  std::vector<Iteration> all;
  for (const Event& e : Tracer().run(s.program->body)) {
    const Values loops = {{s.o, e.at(s.o)}, {s.v, e.at(s.v)}};
    if (all.empty() || all.back().loops != loops) all.push_back({loops, {}});
    if (e.buffer == s.a.id()) all.back().events.push_back(e);
  }
  return all;
}

class Check {
 public:
  Check(const Sample& s, const Staging& staging) : s_(s), staging_(staging) {}

  // Empty when all is well.
  std::string run() {
    for (const Iteration& one : iterations_of(s_)) {
      const std::string wrong = iteration(one);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }
  // Would a copy that is not filled have been right?
  bool never_needed() {
    for (const Iteration& one : iterations_of(s_)) {
      if (!unfilled(one).empty()) return false;
    }
    return true;
  }

 private:
  const StagedCopy& copy() const { return staging_.copies.front(); }

  // The elements of the buffer that the copy stands for.
  std::set<Element> copied(const Iteration& one) const {
    std::set<Element> elements;
    const int64_t lo = *evaluate(staging_.region.lo[0], one.loops);
    for (int64_t c = 0; c < *evaluate(staging_.region.extent[0], one.loops); ++c) {
      Values values = one.loops;
      values.emplace_back(staging_.vars[0], c);
      bool holds = true;
      for (const Expr& guard : copy().guards) holds = holds && *evaluate(guard, values) != 0;
      if (holds) elements.insert({lo + c});
    }
    return elements;
  }

  std::string unfilled(const Iteration& one) const {
    std::set<Element> stored;
    bool writes = false;
    for (const Event& e : one.events) {
      writes = writes || e.kind != Access::Kind::kRead;
      if (e.kind == Access::Kind::kWrite) {
        stored.insert(e.element);
      } else if (stored.count(e.element) == 0) {
        return "reads what was not stored before";
      }
    }
    if (!copy().copy_out) return "";
    for (const Element& element : copied(one)) {
      if (stored.count(element) == 0) return "copies back what was not stored";
    }
    return "";
  }

  std::string iteration(const Iteration& one) const {
    const std::set<Element> elements = copied(one);
    for (const Event& e : one.events) {
      if (elements.count(e.element) == 0) return "touches what is not in the copy";
      if (e.kind != Access::Kind::kRead && !copy().copy_out) return "loses what it writes";
    }
    for (const Element& element : elements) {
      if (element[0] < 0 || element[0] >= 16) return "copies what is not in the buffer";
    }
    return copy().copy_in ? "" : unfilled(one);
  }

  const Sample& s_;
  const Staging& staging_;
};

TEST_CASE("may_stage copies what its definition asks for") {
  Random random(23);
  int asked = 0, allowed = 0, unfilled = 0, could_be = 0;
  for (int n = 0; n < 6000; ++n) {
    const Sample s = Generator(random).sample();
    if (n < 200) test::checked(s.program);
    if (!uses(s.program->body, s.a)) continue;
    ++asked;
    const auto staging = may_stage(s.program, s.a, find_loop(s.program, s.v));
    if (!staging.ok()) continue;
    ++allowed;
    Check check(s, *staging);
    INFO(print(s.program));
    if (const std::string wrong = check.run(); !wrong.empty()) FAIL(wrong);
    unfilled += !staging->copies.front().copy_in;
    could_be += check.never_needed();
  }
  std::printf("stage: allowed %.1f %%; copies not filled %d, where %d need not be\n",
              100.0 * allowed / asked, unfilled, could_be);
  CHECK(allowed > asked / 3);
  CHECK(unfilled > could_be * 3 / 4);
}

}  // namespace
}  // namespace tenon
