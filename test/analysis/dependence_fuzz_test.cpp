// Random access pairs against enumeration: no wrong answer, ever, and a report of the share that is
// decided.
#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <map>

#include "analysis/evaluate.h"
#include "analysis/random_expr.h"
#include "tenon/analysis/dependence.h"
#include "tenon/ir/program.h"

namespace tenon {
namespace {

using test::Random;

// Where an access happens, and which element it touches there.
struct Event {
  std::vector<int64_t> loops;
  std::vector<int64_t> element;
};

void enumerate(const Access& a, size_t depth, Values& values, std::vector<Event>& events) {
  if (depth < a.loops.size()) {
    const For& loop = a.loops[depth];
    const int64_t lo = *evaluate(loop.lo, values), hi = *evaluate(loop.hi, values);
    for (int64_t i = lo; i < hi; ++i) {
      values.emplace_back(loop.var, i);
      enumerate(a, depth + 1, values, events);
      values.pop_back();
    }
    return;
  }
  for (const Expr& guard : a.guards) {
    if (evaluate(guard, values) != 1) return;
  }
  Event e;
  for (const auto& [var, value] : values) e.loops.push_back(value);
  for (const Expr& index : a.indices) e.element.push_back(*evaluate(index, values));
  events.push_back(std::move(e));
}

std::vector<Event> events_of(const Access& a) {
  std::vector<Event> events;
  Values values;
  enumerate(a, 0, values, events);
  return events;
}

bool fits(int64_t d, Direction direction) {
  switch (direction) {
    case Direction::kLess: return d < 0;
    case Direction::kEqual: return d == 0;
    case Direction::kGreater: return d > 0;
    case Direction::kAny: return true;
  }
  return false;
}

bool meets(const std::vector<Event>& a, const std::vector<Event>& b,
           const std::vector<Direction>& directions) {
  for (const Event& x : a) {
    for (const Event& y : b) {
      bool apart = false;
      for (size_t i = 0; i < directions.size() && !apart; ++i) {
        apart = !fits(y.loops[i] - x.loops[i], directions[i]);
      }
      if (!apart && x.element == y.element) return true;
    }
  }
  return false;
}

struct Pair {
  Access a, b;
  std::vector<Direction> directions;
};

Access random_access(Random& random, const std::vector<For>& common, const Buffer& buffer,
                     size_t rank, bool as_layout) {
  Access a;
  a.kind = Access::Kind::kWrite;
  a.buffer = buffer;
  a.loops = common;
  std::vector<Var> vars;
  for (const For& loop : common) vars.push_back(loop.var);
  if (random.chance(25)) {
    a.loops.push_back(random.loop("p", vars));
    vars.push_back(a.loops.back().var);
  }
  for (size_t d = 0; d < rank; ++d) {
    a.indices.push_back(as_layout ? random.layout_index(vars) : random.index(vars));
  }
  while (random.chance(35)) a.guards.push_back(random.condition(vars));
  return a;
}

Pair random_pair(Random& random) {
  static const char* const kNames[] = {"i", "j", "k"};
  Pair p;
  std::vector<For> common;
  std::vector<Var> vars;
  const int64_t depth = random.in(1, 3);
  for (int64_t i = 0; i < depth; ++i) {
    common.push_back(random.loop(kNames[i], vars));
    vars.push_back(common.back().var);
  }
  const Buffer buffer("a", f32);
  const size_t rank = static_cast<size_t>(random.in(1, 2));
  const bool as_layout = random.chance(60);
  p.a = random_access(random, common, buffer, rank, as_layout);
  p.b = random.chance(60) ? p.a : random_access(random, common, buffer, rank, as_layout);
  const size_t carried = static_cast<size_t>(random.in(0, depth - 1));
  for (size_t i = 0; i < carried; ++i) {
    p.directions.push_back(random.chance(85) ? Direction::kEqual : Direction::kAny);
  }
  p.directions.push_back(random.chance(85) ? Direction::kGreater : Direction::kAny);
  if (random.chance(30)) p.directions.push_back(Direction::kLess);
  if (p.directions.size() > common.size()) p.directions.pop_back();
  return p;
}

std::string text_of(const Access& a) {
  std::string text = print(load(a.buffer, a.indices));
  for (const For& l : a.loops) {
    text += " for " + l.var.name() + " in " + print(l.lo) + ".." + print(l.hi);
  }
  for (const Expr& guard : a.guards) text += " if " + print(guard);
  return text;
}

std::string text_of(const Pair& p) {
  std::string text = text_of(p.a) + "\n" + text_of(p.b) + "\n";
  for (Direction d : p.directions) text += "<=>*"[static_cast<int>(d)];
  return text;
}

TEST_CASE("Random access pairs are never answered wrongly") {
  constexpr int kPairs = 25000;
  Random random(20240611);
  int apart = 0, apart_proved = 0, together = 0, together_found = 0;
  for (int n = 0; n < kPairs; ++n) {
    const Pair p = random_pair(random);
    const bool truth = meets(events_of(p.a), events_of(p.b), p.directions);
    const Meeting m = meet(p.a, p.b, p.directions, Facts());
    if (m.answer != Answer::kUnknown && (m.answer == Answer::kYes) != truth) {
      FAIL("wrong answer " << (m.answer == Answer::kYes ? "yes" : "no") << " for\n" << text_of(p));
    }
    ++(truth ? together : apart);
    if (m.answer == Answer::kNo) ++apart_proved;
    if (m.answer == Answer::kYes) ++together_found;
  }
  const double independent = 100.0 * apart_proved / apart;
  const double dependent = 100.0 * together_found / together;
  std::printf("access pairs: %d, independent %d, proved %.1f %%; dependent %d, witness %.1f %%\n",
              kPairs, apart, independent, together, dependent);
  CHECK(independent > 90);
  CHECK(dependent > 90);
}

}  // namespace
}  // namespace tenon
