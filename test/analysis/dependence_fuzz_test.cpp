// Random access pairs against enumeration: no wrong answer, ever, and a report of the share that is
// decided.
#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <map>

#include "analysis/evaluate.h"
#include "analysis/random_pairs.h"

namespace tenon {
namespace {

using test::Pair;
using test::PairGenerator;
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
  const size_t sizes = values.size() - a.loops.size();
  for (size_t i = sizes; i < values.size(); ++i) e.loops.push_back(values[i].second);
  for (const Expr& index : a.indices) e.element.push_back(*evaluate(index, values));
  events.push_back(std::move(e));
}

// All of them, with these values of sizes.
std::vector<Event> events_of(const Access& a, Values values = {}) {
  std::vector<Event> events;
  enumerate(a, 0, values, events);
  return events;
}

bool fits(int64_t d, Ordering direction) {
  switch (direction) {
    case Ordering::kLess: return d < 0;
    case Ordering::kEqual: return d == 0;
    case Ordering::kGreater: return d > 0;
    case Ordering::kAny: return true;
  }
  return false;
}

bool meets(const std::vector<Event>& a, const std::vector<Event>& b,
           const std::vector<Ordering>& directions) {
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

TEST_CASE("Random access pairs are never answered wrongly") {
  constexpr int kPairs = 25000;
  Random random(20240611);
  int apart = 0, apart_proved = 0, together = 0, together_found = 0;
  for (int n = 0; n < kPairs; ++n) {
    const Pair p = PairGenerator(random, Var()).pair();
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

TEST_CASE("Pairs over a size are never answered wrongly") {
  constexpr int kPairs = 8000;
  constexpr int64_t kMaxSize = 5;
  Random random(42);
  int apart = 0, apart_proved = 0, together = 0, together_found = 0;
  for (int count = 0; count < kPairs; ++count) {
    const Var n("n");
    const Facts facts = Facts().with_size(n);
    const Pair p = PairGenerator(random, n).pair();
    const Meeting m = meet(p.a, p.b, p.directions, facts);
    INFO(text_of(p));
    bool truth = false;
    for (int64_t size = 0; size <= kMaxSize && !truth; ++size) {
      truth = meets(events_of(p.a, {{n, size}}), events_of(p.b, {{n, size}}), p.directions);
    }
    if (m.answer == Answer::kNo && truth) FAIL("wrong answer no");
    const Values sizes = m.sizes.empty() ? Values{{n, 0}} : m.sizes;
    if (m.answer == Answer::kYes && sizes[0].second <= 2 * kMaxSize &&
        !meets(events_of(p.a, sizes), events_of(p.b, sizes), p.directions)) {
      FAIL("wrong answer yes");
    }
    ++(truth ? together : apart);
    if (m.answer == Answer::kNo) ++apart_proved;
    if (m.answer == Answer::kYes && truth) ++together_found;
  }
  std::printf(
      "pairs over a size: %d, independent up to %d: %d, proved %.1f %%; dependent %d, witness %.1f "
      "%%\n",
      kPairs, static_cast<int>(kMaxSize), apart, 100.0 * apart_proved / apart, together,
      100.0 * together_found / together);
}

}  // namespace
}  // namespace tenon
