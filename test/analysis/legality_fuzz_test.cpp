// The predicates about order against their definition, on random small nests: all iterations are
// run, all pairs of events are compared. A predicate never allows what the definition forbids.
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

// --- Random nests.

struct Sample {
  Program program;
  std::vector<For> nest;   // perfect, outermost first
  std::vector<Stmt> body;  // of the innermost loop
  const For& innermost() const { return nest.back(); }
};

class Generator {
 public:
  explicit Generator(Random& random) : random_(random) {}

  Sample sample() {
    const Type type = random_.chance(50) ? f32 : i32;
    buffers_ = {Buffer("a", type), Buffer("b", type)};
    const bool has_local = random_.chance(40);
    const Buffer local("t", type);
    const char* const names[] = {"i", "j", "k"};
    Sample s;
    std::vector<Var> vars;
    const int64_t depth = random_.in(1, 3);
    for (int64_t d = 0; d < depth; ++d) {
      s.nest.push_back(loop(names[d], vars));
      vars.push_back(s.nest.back().var);
    }
    if (has_local) buffers_.push_back(local);
    const bool inside = has_local && random_.chance(50);
    if (inside) s.body.push_back(alloc(local, {16}));
    for (int64_t n = random_.in(1, 3); n > 0; --n) s.body.push_back(statement(vars));
    Stmt nest = seq(s.body);
    for (size_t d = s.nest.size(); d-- > 0;) {
      For& l = s.nest[d];
      l.body = nest;
      nest = make_for(l.var, l.lo, l.hi, l.kind, nest);
    }
    if (has_local && !inside) nest = seq({alloc(local, {16}), nest});
    ProgramData data;
    data.name = "q";
    data.params = {output_of_16(buffers_[0]), output_of_16(buffers_[1])};
    data.body = nest;
    s.program = Program(std::move(data));
    return s;
  }

 private:
  For loop(const char* name, const std::vector<Var>& around) {
    For l{Var(name), 0, Expr(random_.in(1, 4)), ForKind::kSerial, {}};
    if (!around.empty() && random_.chance(15)) l.hi = Expr(random_.of(around)) + 1;
    return l;
  }

  Expr index(const std::vector<Var>& vars) {
    return random_.chance(50) ? random_.layout_index(vars) : random_.index(vars, 1);
  }

  Stmt statement(std::vector<Var> vars) {
    if (random_.chance(15)) {
      const For inner = loop("p", vars);
      vars.push_back(inner.var);
      return make_for(inner.var, inner.lo, inner.hi, inner.kind, leaf(vars));
    }
    return leaf(vars);
  }

  Stmt leaf(const std::vector<Var>& vars) {
    const Buffer target = random_.of(buffers_);
    const Type type = target.type();
    Expr value = constant_int(type, 1);
    if (random_.chance(60)) value = value + load(random_.of(buffers_), {index(vars)});
    Stmt s;
    // Targets of accumulations often leave a loop out.
    if (random_.chance(40)) {
      std::vector<Var> some = vars;
      if (random_.chance(60))
        some.erase(some.begin() + random_.in(0, static_cast<int64_t>(some.size()) - 1));
      const Expr at = some.empty() ? Expr(0) : index(some);
      s = accumulate(target, {at}, random_.chance(70) ? Reducer::kSum : Reducer::kMax, value);
    } else {
      s = store(target, {index(vars)}, value);
    }
    return random_.chance(25) ? make_if(random_.condition(vars), s) : s;
  }

  Random& random_;
  std::vector<Buffer> buffers_;
};

// --- Truth.

bool equal_outside(const Event& a, const Event& b, const std::vector<For>& nest, size_t depth) {
  for (size_t d = 0; d < depth; ++d) {
    if (a.at(nest[d].var) != b.at(nest[d].var)) return false;
  }
  return true;
}

std::vector<int64_t> time_of(const Event& e, const std::vector<Var>& order) {
  std::vector<int64_t> time;
  for (const Var& var : order) time.push_back(e.at(var));
  return time;
}

// --- Comparing.

struct Tally {
  const char* name;
  int legal = 0, accepted = 0, illegal = 0, unknown = 0;

  void add(const Verdict& v, Truth truth, const Sample& s) {
    INFO(name << "\n" << print(s.program) << v.status.message());
    const bool says_why =
        !v.ok() && v.status.message().find("cannot tell") == absl::string_view::npos;
    if (v.ok() && truth == Truth::kNo) FAIL("allowed what is not legal");
    if (v.ok() && truth == Truth::kReassociating && !v.reassociates) {
      FAIL("did not say that it reassociates");
    }
    if (v.ok() && truth == Truth::kYes && v.reassociates) ++unknown;  // careful, not wrong
    if (says_why && truth != Truth::kNo) FAIL("a wrong reason for a refusal");
    if (truth == Truth::kNo) {
      ++illegal;
    } else {
      ++legal;
      accepted += v.ok();
    }
  }

  ~Tally() {
    std::printf(
        "%-12s legal %d, allowed %.1f %%; illegal %d, all refused; reassociating in doubt %d\n",
        name, legal, 100.0 * accepted / std::max(legal, 1), illegal, unknown);
  }
};

// --- One sample, one predicate.

struct Case {
  const Sample& sample;
  const std::vector<Event>& events;
  std::vector<const Stmt*> parts;
  size_t depth;  // of the loop that is asked about

  const Var& loop() const { return sample.nest[depth].var; }
  LoopSite site() const { return *find_loop(sample.program, loop()); }
  bool other_iteration(const Event& a, const Event& b) const {
    return equal_outside(a, b, sample.nest, depth) && a.at(loop()) != b.at(loop());
  }
  // Whether some pair satisfies this; the first came first.
  template <class Holds>
  bool any_pair(const Holds& holds) const {
    for (size_t i = 0; i < events.size(); ++i) {
      for (size_t j = i + 1; j < events.size(); ++j) {
        if (holds(events[i], events[j])) return true;
      }
    }
    return false;
  }
};

Truth any_order_truth(const Case& c) {
  return truth_of(c.events,
                  [&](const Event& a, const Event& b) { return c.other_iteration(a, b); });
}

// A race of accumulations is a race.
Truth parallel_truth(const Case& c) {
  const bool races = c.any_pair(
      [&](const Event& a, const Event& b) { return c.other_iteration(a, b) && touch(a, b); });
  return races ? Truth::kNo : Truth::kYes;
}

// A statement must not meet itself in another lane unless its target is the same for all lanes,
// and no store has such a target.
Truth vector_truth(const Case& c) {
  const std::optional<int64_t> lanes = as_int(c.sample.nest[c.depth].hi);
  bool shared = false;
  walk(c.sample.nest[c.depth].body, [&](const Stmt& s) {
    const Store* x = s.as<Store>();
    shared = shared || (x && lanes != 1 && !uses(x->indices[0], c.loop()));
  });
  if (shared) return Truth::kNo;
  const bool collide = c.any_pair([&](const Event& a, const Event& b) {
    if (a.statement != b.statement || !c.other_iteration(a, b) || !touch(a, b)) return false;
    const Accumulate* x = std::get_if<Accumulate>(&a.statement->kind);
    return x && uses(x->indices[0], c.loop());
  });
  return collide ? Truth::kNo : any_order_truth(c);
}

// Whether the loop has the form of a vector, so that only dependences decide. (Three lanes do not
// fold.)
bool could_be_vector(const Case& c) {
  const std::optional<int64_t> extent = as_int(c.sample.nest[c.depth].hi);
  if (!extent || *extent == 3) return false;
  for (size_t d = c.depth + 1; d < c.sample.nest.size(); ++d) {
    if (uses(c.sample.nest[d].hi, c.loop())) return false;
  }
  for (const Stmt& part : c.sample.body) {
    const For* inner = part.as<For>();
    if (part.is<Alloc>() || (inner && uses(inner->hi, c.loop()))) return false;
  }
  return true;
}

std::vector<Var> random_order(Random& random, const std::vector<For>& nest) {
  std::vector<Var> order;
  for (const For& loop : nest) {
    order.insert(order.begin() + random.in(0, static_cast<int64_t>(order.size())), loop.var);
  }
  return order;
}

bool in_scope(const std::vector<For>& nest, const std::vector<Var>& order) {
  for (const For& loop : nest) {
    for (auto at = std::find(order.begin(), order.end(), loop.var); at != order.end(); ++at) {
      if (uses(loop.hi, *at)) return false;
    }
  }
  return true;
}

Truth reorder_truth(const Case& c, const std::vector<Var>& order) {
  return truth_of(c.events, [&](const Event& a, const Event& b) {
    return time_of(b, order) < time_of(a, order);
  });
}

// The innermost loop in two, the first `first` statements apart.
Truth distribute_truth(const Case& c, size_t first) {
  const auto position = [&](const Event& e) {
    return static_cast<size_t>(std::find(c.parts.begin(), c.parts.end(), e.top) - c.parts.begin());
  };
  return truth_of(c.events, [&](const Event& a, const Event& b) {
    return equal_outside(a, b, c.sample.nest, c.sample.nest.size() - 1) && position(a) >= first &&
           position(b) < first;
  });
}

constexpr int kSamples = 4000;

TEST_CASE("Predicates about order never allow what their definitions forbid") {
  Random random(7);
  Tally any{"any order"}, reordered{"reorder"}, distributed{"distribute"}, lanes{"vectorize"},
      parallel{"parallelize"};
  for (int n = 0; n < kSamples; ++n) {
    const Sample s = Generator(random).sample();
    std::vector<const Stmt*> parts;
    for (const Stmt& part : s.body) parts.push_back(&part);
    const std::vector<Event> events = Tracer(parts).run(s.program->body);
    if (n < 200) test::checked(s.program);

    const int64_t innermost = static_cast<int64_t>(s.nest.size()) - 1;
    const Case c{s, events, parts, static_cast<size_t>(random.in(0, innermost))};
    any.add(may_run_in_any_order(c.site()), any_order_truth(c), s);
    parallel.add(may_parallelize(c.site()), parallel_truth(c), s);
    if (could_be_vector(c)) lanes.add(may_vectorize(c.site()), vector_truth(c), s);

    const std::vector<Var> order = random_order(random, s.nest);
    if (in_scope(s.nest, order)) {
      const LoopSite site = *find_loop(s.program, s.nest[0].var);
      reordered.add(may_reorder(site, order), reorder_truth(c, order), s);
    }
    if (s.body.size() > 1 && !s.body[0].is<Alloc>()) {
      const size_t first =
          static_cast<size_t>(random.in(1, static_cast<int64_t>(s.body.size()) - 1));
      const LoopSite site = *find_loop(s.program, s.innermost().var);
      distributed.add(may_distribute(site, first), distribute_truth(c, first), s);
    }
  }
}

}  // namespace
}  // namespace tenon
