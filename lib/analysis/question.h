// One question about two accesses as an integer system: are there an iteration v of a and a
// distance d, so that both accesses happen, at v and at v + d, and touch the same element?
#pragma once

#include <optional>
#include <vector>

#include "analysis/cases.h"
#include "analysis/encode.h"
#include "analysis/evaluate.h"
#include "tenon/analysis/dependence.h"

namespace tenon {

class Question {
 public:
  // One direction per common loop. The arguments outlive the question.
  Question(const Access& a, const Access& b, const std::vector<Ordering>& directions,
           const Facts& facts);

  // Gives a size this value. Before encode().
  void fix(const Var& size, int64_t value);
  // Loops, equal indices, and these literals in place of the guards of a and of b.
  void encode(const Case& guards_of_a, const Case& guards_of_b);

  // Proved that there are none?
  bool refuted();
  // A solution that evaluation confirms.
  std::optional<Meeting> witness();

  const std::vector<Expr>& open() const { return encoder_.open(); }

 private:
  void add_equal_loop(const For& loop);
  void add_common_loop(const For& loop, Ordering direction);
  int difference(const For& loop, Ordering direction);
  void add_rest(const Access& x, const Case& guards, Environment& env);
  std::optional<Meeting> confirmed(const std::vector<int64_t>& witness);
  Values loop_values(const Access& x, Environment& env, const std::vector<int64_t>& witness);
  bool confirm_facts(const Values& outer) const;

  const Access& a_;
  const Access& b_;
  const std::vector<Ordering>& directions_;
  const Facts& facts_;
  Encoder encoder_;
  Environment env_a_, env_b_;
  bool apart_ = false;  // some common loop is in two iterations
};

}  // namespace tenon
