// may_merge against its definition, on random small pairs of loops: all iterations are run, all
// pairs of events are compared. What it allows keeps the order of every two events that conflict,
// and what it refuses for a reason has no legal form at all.
#include <catch2/catch.hpp>
#include <cstdio>

#include "analysis/events.h"
#include "analysis/random_expr.h"
#include "support/check.h"
#include "tenon/analysis/legality.h"

namespace tenon {
namespace {

using test::Event;
using test::output_of_16;
using test::Random;
using test::Tracer;
using test::Truth;
using test::truth_of;

// for o { for v {A}, statements, for w {B} }
struct Sample {
  Program program;
  std::vector<Stmt> stmts;
  Var v, w;
};

class Generator {
 public:
  explicit Generator(Random& random) : random_(random) {}

  Sample sample() {
    const Type type = random_.chance(50) ? f32 : i32;
    buffers_ = {Buffer("a", type), Buffer("b", type), Buffer("c", type)};
    const Var o("o");
    Sample s{{}, {}, Var("v"), Var("w")};
    const Expr extent = random_.chance(20) ? Expr(o) + 2 : Expr(random_.in(1, 4));
    s.stmts.push_back(loop(s.v, extent, o));
    for (int64_t n = random_.in(0, 3); n > 0; --n) s.stmts.push_back(leaf({o}));
    s.stmts.push_back(loop(s.w, extent, o));
    ProgramData data;
    data.name = "q";
    for (const Buffer& buffer : buffers_) data.params.push_back(output_of_16(buffer));
    data.body = make_for(o, 0, 2, ForKind::kSerial, seq(s.stmts));
    s.program = Program(std::move(data));
    return s;
  }

 private:
  Stmt loop(const Var& var, const Expr& extent, const Var& around) {
    std::vector<Stmt> body;
    for (int64_t n = random_.in(1, 2); n > 0; --n) body.push_back(leaf({around, var}));
    return make_for(var, 0, extent, ForKind::kSerial, seq(body));
  }

  Expr index(const std::vector<Var>& vars) {
    return random_.chance(40) ? Expr(vars.back()) + Expr(random_.in(-1, 1))
                              : random_.index(vars, 1);
  }

  Stmt leaf(const std::vector<Var>& vars) {
    const Buffer target = random_.of(buffers_);
    Expr value = constant_int(target.type(), 1);
    if (random_.chance(60)) value = value + load(random_.of(buffers_), {index(vars)});
    const Reducer op = random_.chance(70) ? Reducer::kSum : Reducer::kMax;
    const Stmt s = random_.chance(50) ? accumulate(target, {index(vars)}, op, value)
                                      : store(target, {index(vars)}, value);
    return random_.chance(25) ? make_if(random_.condition(vars), s) : s;
  }

  Random& random_;
  std::vector<Buffer> buffers_;
};

// The truth of the merge where bit k of `below` says that statement k goes below the loop.
Truth merge_truth(const Sample& s, const std::vector<Event>& events, uint32_t below) {
  const size_t last = s.stmts.size() - 1;
  const auto position = [&](const Event& e) {
    size_t k = 0;
    while (&s.stmts[k] != e.top) ++k;
    return k;
  };
  // Above, in an iteration of the merged loop, or below.
  const auto time = [&](const Event& e) {
    const size_t k = position(e);
    const bool in_loop = k == 0 || k == last;
    const int64_t section = in_loop ? 1 : (below >> k & 1) ? 2 : 0;
    const int64_t iteration = in_loop ? e.at(k == 0 ? s.v : s.w) : 0;
    return std::vector<int64_t>{section, iteration, static_cast<int64_t>(k)};
  };
  const Var o = s.program->body.as<For>()->var;
  return truth_of(events, [&](const Event& a, const Event& b) {
    return a.at(o) == b.at(o) && time(b) < time(a);
  });
}

uint32_t placed_below(const Sample& s, const Merge& merge) {
  uint32_t below = 0;
  for (size_t k = 0; k < s.stmts.size(); ++k) {
    for (const Stmt& stmt : merge.below) below |= (stmt.get() == s.stmts[k].get() ? 1u : 0u) << k;
  }
  return below;
}

bool has_legal_form(const Sample& s, const std::vector<Event>& events) {
  for (uint32_t below = 0; below < 1u << s.stmts.size(); ++below) {
    if (merge_truth(s, events, below) != Truth::kNo) return true;
  }
  return false;
}

TEST_CASE("may_merge never allows what its definition forbids") {
  Random random(11);
  int legal = 0, allowed = 0, illegal = 0;
  for (int n = 0; n < 4000; ++n) {
    const Sample s = Generator(random).sample();
    if (n < 200) test::checked(s.program);
    std::vector<const Stmt*> parts;
    for (const Stmt& part : s.stmts) parts.push_back(&part);
    const std::vector<Event> events = Tracer(parts).run(s.program->body);
    const auto merge = may_merge(*find_loop(s.program, s.v), *find_loop(s.program, s.w));
    INFO(print(s.program) << merge.status().message());
    const bool possible = has_legal_form(s, events);
    ++(possible ? legal : illegal);
    if (merge.ok()) {
      ++allowed;
      const Truth truth = merge_truth(s, events, placed_below(s, *merge));
      if (truth == Truth::kNo) FAIL("allowed what is not legal");
      if (truth == Truth::kReassociating && !merge->reassociates) {
        FAIL("did not say that it reassociates");
      }
    } else if (possible && merge.status().message().find("both may") == absl::string_view::npos &&
               merge.status().message().find("cannot tell") == absl::string_view::npos) {
      FAIL("a wrong reason for a refusal");
    }
  }
  std::printf("merge        legal %d, allowed %.1f %%; illegal %d, all refused\n", legal,
              100.0 * allowed / legal, illegal);
}

}  // namespace
}  // namespace tenon
