// Reductions as loops. What stands inside a larger expression becomes a stage of its own, over just
// the indices that it uses, and the expression reads the result.
//
//   Hoister hoister("y", names);
//   hoister.enter(axes);
//   Expr value = hoister.hoist(e);        // without Reduce
//   hoister.take();                       // y_max, y_sum: what has to run before
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dsl/bounded.h"
#include "tenon/ir/stmt.h"

namespace tenon::dsl {

using Axes = std::vector<Bounded::Axis>;

// [0, extent) for each variable.
Axes box(const std::vector<Var>& vars, const std::vector<Expr>& shape);
std::vector<Expr> indices_of(const Axes& axes);
std::vector<Expr> extents_of(const Axes& axes);
Stmt nest(const Axes& axes, Stmt body);
Stmt guarded(const std::vector<Expr>& conditions, Stmt s);

class Hoister {
 public:
  // Stages are named after the owner; they take names that are free, and put them among the
  // `taken` ones.
  Hoister(std::string owner, std::set<std::string>& taken)
      : owner_(std::move(owner)), taken_(taken) {}

  // Loops around what follows, inside those entered before.
  void enter(const Axes& axes) { scope_.insert(scope_.end(), axes.begin(), axes.end()); }
  void leave(const Axes& axes) { scope_.resize(scope_.size() - axes.size()); }
  Facts facts() const;  // of the loops entered

  Expr hoist(const Expr& e);
  // Of what is evaluated only where these hold.
  Expr hoist_under(const std::vector<Expr>& conditions, const Expr& e);

  // buffers[indices] = identity; for axes { buffers[indices] op= values }. The buffers hold the
  // results of the reduction, also for what is hoisted later under no condition.
  Stmt reduction(const std::vector<Buffer>& buffers, const Reduce& reduce, const Expr& e);
  // A new buffer for each result: y_sum, or y_best and y_at.
  std::vector<Buffer> result_buffers(const Reduce& reduce);
  // The same reduction up to the result that is asked for.
  static bool same_reduction(const Reduce& a, const Reduce& b);

  // The declarations and nests of the stages made so far.
  std::vector<Stmt> take();

 private:
  Stmt loops(const std::vector<Buffer>& buffers, const std::vector<Expr>& indices,
             const Reduce& reduce, const std::vector<Expr>& conditions);
  Expr hoist_select(const Expr& e, const Select& choice);
  Expr hoist_reduction(const Expr& e, const Reduce& reduce);
  Axes used_axes(const Expr& e, const std::vector<Expr>& conditions) const;
  std::string stage_name(const std::string& result);

  struct Done {
    Expr reduce;
    std::vector<Expr> conditions;
    std::vector<Buffer> buffers;
    std::vector<Expr> indices;
  };

  std::string owner_;
  std::set<std::string>& taken_;
  Axes scope_;                    // enclosing indices, outermost first
  std::vector<Expr> conditions_;  // of the selects around, innermost last
  std::vector<Done> done_;
  std::vector<Stmt> stages_;
};

}  // namespace tenon::dsl
