#include "tenon/analysis/solver.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <random>

namespace tenon {
namespace {

using Row = IntegerSystem::Row;

TEST_CASE("a split index is injective: 12 d_io + d_ii == 0 has only the zero solution") {
  IntegerSystem s;
  const int io = s.variable(std::nullopt, std::nullopt);
  const int ii = s.variable(-11, 11);
  s.equal_zero({{{io, 12}, {ii, 1}}, 0});
  IntegerSystem positive = s, both = s;
  positive.at_least_zero({{{io, 1}}, -1});
  CHECK(positive.solve().answer == Answer::kNo);
  const auto solution = both.solve();
  REQUIRE(solution.answer == Answer::kYes);
  CHECK(solution.witness == std::vector<int64_t>{0, 0});
}

TEST_CASE("three levels of splits stay injective with an open outer extent") {
  IntegerSystem s;
  const int a = s.variable(std::nullopt, std::nullopt);
  const int b = s.variable(-3, 3), c = s.variable(-7, 7);
  s.equal_zero({{{a, 32}, {b, 8}, {c, 1}}, 0});
  s.at_least_zero({{{c, 1}}, -1});
  CHECK(s.solve().answer == Answer::kNo);
}

TEST_CASE("equations without a unit coefficient are decided by their gcd and by Euclid's steps") {
  {
    IntegerSystem s;
    const int x = s.variable(std::nullopt, std::nullopt),
              y = s.variable(std::nullopt, std::nullopt);
    s.equal_zero({{{x, 6}, {y, 10}}, 3});
    CHECK(s.solve().answer == Answer::kNo);
  }
  {
    IntegerSystem s;
    const int x = s.variable(std::nullopt, std::nullopt),
              y = s.variable(std::nullopt, std::nullopt);
    s.equal_zero({{{x, 6}, {y, 10}}, 4});
    CHECK(s.solve().answer == Answer::kYes);
  }
  {
    // 7x + 12y = 1 and x - y = 2 (mod 5 arithmetic hides it): 7x + 12(x - 2) = 1, 19x = 25.
    IntegerSystem s;
    const int x = s.variable(std::nullopt, std::nullopt),
              y = s.variable(std::nullopt, std::nullopt);
    s.equal_zero({{{x, 7}, {y, 12}}, -1});
    s.equal_zero({{{x, 3}, {y, -3}}, -6});
    CHECK(s.solve().answer == Answer::kNo);
  }
}

TEST_CASE("rows that chase each other are decided without running along the range") {
  IntegerSystem s;
  const int x = s.variable(0, int64_t{1} << 40), y = s.variable(0, int64_t{1} << 40);
  s.at_least_zero({{{x, 1}, {y, -1}}, -1});
  s.at_least_zero({{{x, -1}, {y, 1}}, -1});
  CHECK(s.solve().answer == Answer::kNo);
}

TEST_CASE("pairs of rows that pin a form act as an equation") {
  IntegerSystem s;
  const int x = s.variable(std::nullopt, std::nullopt), y = s.variable(std::nullopt, std::nullopt);
  const int z = s.variable(std::nullopt, std::nullopt);
  s.at_least_zero({{{x, 4}, {y, -6}, {z, 1}}, -1});
  s.at_least_zero({{{x, -4}, {y, 6}, {z, -1}}, 1});
  s.equal_zero({{{z, 1}}, 0});
  CHECK(s.solve().answer == Answer::kNo);
}

TEST_CASE("the same floor quotient and the same remainder mean the same number") {
  IntegerSystem s;
  const int j = s.variable(0, std::nullopt), d = s.variable(1, std::nullopt);
  const int q1 = s.variable(std::nullopt, std::nullopt),
            q2 = s.variable(std::nullopt, std::nullopt);
  s.at_least_zero({{{j, 1}, {q1, -32}}, 0});
  s.at_least_zero({{{j, -1}, {q1, 32}}, 31});
  s.at_least_zero({{{j, 1}, {d, 1}, {q2, -32}}, 0});
  s.at_least_zero({{{j, -1}, {d, -1}, {q2, 32}}, 31});
  s.equal_zero({{{q1, 1}, {q2, -1}}, 0});
  IntegerSystem quotient_alone = s;
  s.equal_zero({{{d, 1}, {q1, 32}, {q2, -32}}, 0});
  CHECK(s.solve(false).answer == Answer::kNo);
  CHECK(quotient_alone.solve().answer == Answer::kYes);
}

TEST_CASE("numbers near the ends of int64 never give a wrong answer") {
  const int64_t big = std::numeric_limits<int64_t>::max();
  IntegerSystem s;
  const int x = s.variable(0, big), y = s.variable(-big - 1, big);
  s.equal_zero({{{x, big}, {y, big - 1}}, -5});
  s.at_least_zero({{{x, big}, {y, -big}}, -big});
  CHECK(s.solve().answer != Answer::kNo);
  IntegerSystem feasible;
  const int z = feasible.variable(big - 1, big);
  feasible.at_least_zero({{{z, 1}}, -(big - 1)});
  CHECK(feasible.solve().answer == Answer::kYes);
}

TEST_CASE("a system without unknowns is decided by its constants") {
  IntegerSystem s;
  CHECK(s.solve().answer == Answer::kYes);
  s.at_least_zero({{}, 3});
  CHECK(s.solve().answer == Answer::kYes);
  s.equal_zero({{}, 1});
  CHECK(s.solve().answer == Answer::kNo);
}

// --- Against brute force.

struct RandomSystem {
  IntegerSystem system;
  std::vector<std::pair<int, int>> boxes;
  std::vector<Row> equations, inequalities;

  void equal_zero(Row row) {
    system.equal_zero(row);
    equations.push_back(std::move(row));
  }
  void at_least_zero(Row row) {
    system.at_least_zero(row);
    inequalities.push_back(std::move(row));
  }
};

int64_t value_of(const Row& row, const std::vector<int64_t>& point) {
  int64_t sum = row.constant;
  for (const auto& [v, a] : row.terms) sum += a * point[v];
  return sum;
}

bool holds(const RandomSystem& s, const std::vector<int64_t>& point) {
  for (const Row& row : s.equations) {
    if (value_of(row, point) != 0) return false;
  }
  for (const Row& row : s.inequalities) {
    if (value_of(row, point) < 0) return false;
  }
  return true;
}

bool feasible(const RandomSystem& s, std::vector<int64_t>& point) {
  if (point.size() == s.boxes.size()) return holds(s, point);
  const auto [lo, hi] = s.boxes[point.size()];
  for (int value = lo; value <= hi; ++value) {
    point.push_back(value);
    const bool found = feasible(s, point);
    point.pop_back();
    if (found) return true;
  }
  return false;
}

// Free unknowns in small boxes, quotients with their two slack rows, and equations and inequalities
// over all of them, as index expressions with // and % make them.
RandomSystem random_system(std::mt19937& random) {
  const auto pick = [&](int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(random);
  };
  RandomSystem s;
  const auto unknown = [&](int lo, int hi) {
    s.boxes.emplace_back(lo, hi);
    return s.system.variable(lo, hi);
  };
  const int free = pick(2, 4);
  for (int v = 0; v < free; ++v) {
    const int lo = pick(-4, 1);
    unknown(lo, lo + pick(0, 6));
  }
  const auto random_row = [&] {
    Row row;
    for (int v = 0; v < static_cast<int>(s.boxes.size()); ++v) {
      if (pick(0, 2) == 0) continue;
      row.terms.emplace_back(v, pick(0, 2) == 0 ? pick(-12, 12) : pick(-2, 2));
    }
    row.constant = pick(-8, 8);
    return row;
  };
  for (int quotients = pick(0, 2); quotients > 0; --quotients) {
    Row x = random_row();
    const int c = pick(2, 5);
    // The quotient's own box is left wide: the solver has to find it.
    int64_t lo = x.constant, hi = x.constant;
    for (const auto& [v, a] : x.terms) {
      const auto [l, h] = s.boxes[v];
      lo += a * (a > 0 ? l : h);
      hi += a * (a > 0 ? h : l);
    }
    const auto floor = [&](int64_t y) { return static_cast<int>((y - ((y % c) + c) % c) / c); };
    s.boxes.emplace_back(floor(lo), floor(hi));
    const int q = s.system.variable(std::nullopt, std::nullopt);
    Row low = x, high{{}, c - 1 - x.constant};
    low.terms.emplace_back(q, -c);
    for (const auto& [v, a] : x.terms) high.terms.emplace_back(v, -a);
    high.terms.emplace_back(q, c);
    s.at_least_zero(low);
    s.at_least_zero(high);
    if (s.boxes.size() > 5) break;
  }
  // Half of the systems are built around a point, so that both answers are frequent.
  std::vector<int64_t> point;
  for (const auto& [lo, hi] : s.boxes) point.push_back(pick(lo, hi));
  const bool around_point = pick(0, 1) == 0;
  for (int n = pick(0, 2); n > 0; --n) {
    Row row = random_row();
    if (around_point) row.constant -= value_of(row, point);
    s.equal_zero(row);
  }
  for (int n = pick(1, 4); n > 0; --n) {
    Row row = random_row();
    if (around_point) row.constant += std::max<int64_t>(0, -value_of(row, point));
    s.at_least_zero(row);
  }
  return s;
}

TEST_CASE("20,000 random systems agree with brute force") {
  std::mt19937 random(1);
  int yes = 0, no = 0, unknown = 0, missed_no = 0, cheap_no = 0;
  for (int i = 0; i < 20000; ++i) {
    RandomSystem s = random_system(random);
    const auto solution = s.system.solve();
    std::vector<int64_t> point;
    const bool truth = feasible(s, point);
    cheap_no += s.system.solve(false).answer == Answer::kNo;
    if (solution.answer == Answer::kYes) {
      ++yes;
      REQUIRE(truth);
      REQUIRE(holds(s, solution.witness));
    } else if (solution.answer == Answer::kNo) {
      ++no;
      REQUIRE_FALSE(truth);
    } else {
      ++unknown;
      missed_no += !truth;
    }
  }
  std::printf("random systems: feasible %d, infeasible %d, undecided %d (of them infeasible %d)\n",
              yes, no, unknown, missed_no);
  CHECK(no == cheap_no);
  CHECK(unknown < 200);
}

}  // namespace
}  // namespace tenon
