#include "analysis/positions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "analysis/text.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// The coefficients of some variables in a linear form.
using Coefficients = std::map<Var, int64_t>;

// Visits the integer expressions of a nest as linear forms: `on_form` gets each that mentions a
// variable of interest, and gives what takes its place. A comparison is one form, the difference of
// its sides. The accesses of the stage keep their indices.
class FormMap {
 public:
  using OnForm = std::function<Expr(const Affine& form, const Expr& whole)>;

  FormMap(const std::vector<Buffer>& stages, std::function<bool(const Var&)> matters,
          OnForm on_form)
      : stages_(stages), matters_(std::move(matters)), on_form_(std::move(on_form)) {}

  Stmt map(const Stmt& s) const {
    const auto on_expr = [this](const Expr& e) { return map(e); };
    if (const Store* x = s.as<Store>(); x && is_own(x->buffer)) {
      return store(x->buffer, x->indices, map(x->value), map(x->mask));
    }
    if (const Accumulate* x = s.as<Accumulate>(); x && is_own(x->buffer())) {
      std::vector<Expr> values = x->values;
      for (Expr& value : values) value = map(value);
      return accumulate(x->buffers, x->indices, x->by, std::move(values), map(x->mask));
    }
    return map_children(s, on_expr, [this](const Stmt& t) { return map(t); });
  }

  Expr map(const Expr& e) const {
    if (!e || !mentions(e)) return e;
    if (const Load* x = e.as<Load>(); x && is_own(x->buffer)) {
      return load(x->buffer, x->indices, map(x->mask));
    }
    const Binary* b = e.as<Binary>();
    if (b && is_comparison(b->op) && b->a.type() == i64) {
      return binary(b->op, on_form_(to_affine(b->a - b->b), e), constant_int(i64, 0));
    }
    return e.type() == i64 ? on_form_(to_affine(e), e) : map_inside(e);
  }

  Expr map_inside(const Expr& e) const {
    return map_children(e, [this](const Expr& child) { return map(child); });
  }

 private:
  bool is_own(const Buffer& b) const {
    return std::find(stages_.begin(), stages_.end(), b) != stages_.end();
  }
  bool mentions(const Expr& e) const {
    return any_in(e, [this](const Expr& x) {
      const VarRef* ref = x.as<VarRef>();
      return ref && matters_(ref->var);
    });
  }

  const std::vector<Buffer>& stages_;
  std::function<bool(const Var&)> matters_;
  OnForm on_form_;
};

Expr sum_of(const Coefficients& coefficients) {
  Expr sum = constant_int(i64, 0);
  for (const auto& [var, coefficient] : coefficients) {
    if (coefficient != 0) sum = sum + constant_int(i64, coefficient) * Expr(var);
  }
  return to_expr(to_affine(sum));
}

}  // namespace

// Takes the multiple of the position out of the form with which its pivot is gone, and returns that
// multiple. Nothing when the pivot does not go in whole.
static int64_t take_out(Coefficients& form, const Var& pivot, int64_t coefficient,
                        const Expr& position) {
  const auto found = form.find(pivot);
  if (found == form.end() || found->second % coefficient != 0) return 0;
  const int64_t times = found->second / coefficient;
  for (const Affine::Term& term : to_affine(position).terms) {
    form[term.atom.as<VarRef>()->var] -= times * term.coefficient;
  }
  return times;
}

Positions::Positions(const Stmt& nest, std::vector<Buffer> stages, std::vector<For> loops,
                     std::vector<Var> around, std::optional<std::vector<Expr>> shifts)
    : nest_(nest),
      stages_(std::move(stages)),
      loops_(std::move(loops)),
      around_(std::move(around)) {
  if (!shifts) {
    find_shifts();
    return;
  }
  shifts_ = *std::move(shifts);
  for (size_t d = 0; d < loops_.size(); ++d) {
    dimensions_.push_back({d, loops_[d].var, 1, Expr(loops_[d].var) + shifts_[d]});
  }
}

std::optional<size_t> Positions::dimension_of(const Var& loop) const {
  for (size_t d = 0; d < loops_.size(); ++d) {
    if (loops_[d].var == loop) return d;
  }
  return std::nullopt;
}

bool Positions::matters(const Var& var) const {
  return dimension_of(var) || std::find(around_.begin(), around_.end(), var) != around_.end();
}

// Every linear form of the nest, over loops of dimensions and loops around.
static std::vector<Coefficients> forms_of(const Stmt& nest, const std::vector<Buffer>& stages,
                                          const std::function<bool(const Var&)>& matters) {
  std::vector<Coefficients> forms;
  const FormMap* again = nullptr;
  const FormMap collect(stages, matters, [&](const Affine& form, const Expr& whole) {
    Coefficients linear;
    for (const Affine::Term& term : form.terms) {
      const VarRef* ref = term.atom.as<VarRef>();
      if (!ref) again->map_inside(term.atom);
      if (ref && matters(ref->var)) linear[ref->var] = term.coefficient;
    }
    if (!linear.empty()) forms.push_back(linear);
    return whole;
  });
  again = &collect;
  collect.map(nest);
  return forms;
}

void Positions::find_shifts() {
  const std::vector<Coefficients> forms =
      forms_of(nest_, stages_, [this](const Var& var) { return matters(var); });
  std::vector<std::optional<Expr>> found(loops_.size());
  std::vector<bool> is_used(loops_.size(), false);
  // A form with one dimension whose shift is not known gives it: the loops around in it, per unit
  // of the dimension.
  for (bool again = true; again;) {
    again = false;
    for (const Coefficients& form : forms) {
      Coefficients rest = form;
      std::vector<size_t> open;
      for (const auto& [var, coefficient] : form) {
        const auto d = dimension_of(var);
        if (!d) continue;
        is_used[*d] = true;
        if (!found[*d]) open.push_back(*d);
        if (found[*d]) take_out(rest, var, 1, Expr(var) + *found[*d]);
      }
      if (open.size() != 1) continue;
      const Var& loop = loops_[open[0]].var;
      const int64_t unit = form.at(loop);
      rest.erase(loop);
      const auto is_whole = [&](const auto& term) { return term.second % unit == 0; };
      if (!std::all_of(rest.begin(), rest.end(), is_whole)) continue;
      for (auto& term : rest) term.second /= unit;
      found[open[0]] = sum_of(rest);
      again = true;
    }
  }
  for (size_t d = 0; d < loops_.size(); ++d) {
    const bool has_one = is_constant(loops_[d].lo, 0) && is_constant(loops_[d].hi, 1);
    if (!found[d] && (is_used[d] || !has_one)) found[d] = constant_int(i64, 0);
    if (found[d]) dimensions_.push_back({d, loops_[d].var, 1, Expr(loops_[d].var) + *found[d]});
  }
  // What is left of a form is the position in a dimension of one element.
  for (size_t d = 0, next = 0; d < loops_.size(); ++d) {
    if (found[d]) continue;
    found[d] = constant_int(i64, 0);
    for (; next < forms.size(); ++next) {
      Coefficients rest = forms[next];
      for (const Dimension& known : dimensions_) {
        take_out(rest, known.pivot, known.coefficient, known.position);
      }
      std::erase_if(rest, [](const auto& term) { return term.second == 0; });
      if (rest.empty()) continue;
      int64_t divisor = 0;
      for (const auto& term : rest) divisor = std::gcd(divisor, term.second);
      if (rest.begin()->second < 0) divisor = -divisor;
      for (auto& term : rest) term.second /= divisor;
      found[d] = sum_of(rest);
      dimensions_.push_back({d, rest.begin()->first, rest.begin()->second, *found[d]});
      break;
    }
  }
  for (const auto& shift : found) shifts_.push_back(*shift);
}

absl::StatusOr<Stmt> Positions::nest(const Program& within) const {
  absl::Status status;
  const auto refuse_use = [&](const Expr& e, const Var& left) {
    if (!status.ok()) return;
    status = refuse("the nest of " + text_of(stages_.front(), within) + " uses " +
                    text_of(e, within) + ", which differs between iterations of loop " +
                    text_of(dimension_of(left) ? around_.front() : left, within) +
                    " for the same element");
  };
  const FormMap* again = nullptr;
  const FormMap rewriting(
      stages_, [this](const Var& var) { return matters(var); },
      [&](const Affine& form, const Expr& whole) {
        Coefficients linear;
        Expr result = constant_int(i64, form.constant);
        for (const Affine::Term& term : form.terms) {
          const VarRef* ref = term.atom.as<VarRef>();
          if (ref && matters(ref->var)) {
            linear[ref->var] = term.coefficient;
          } else {
            result = result + Expr(term.coefficient) * again->map_inside(term.atom);
          }
        }
        for (const Dimension& known : dimensions_) {
          const int64_t times = take_out(linear, known.pivot, known.coefficient, known.position);
          if (times != 0) result = result + Expr(times) * Expr(loops_[known.dim].var);
        }
        for (const auto& [var, coefficient] : linear) {
          if (coefficient != 0) refuse_use(whole, var);
        }
        return result;
      });
  again = &rewriting;
  Stmt moved = rewriting.map(nest_);
  // A bound stands in front of its loop, where the positions of loops inside mean nothing.
  walk(moved, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    for (size_t d = 0; loop && d < loops_.size(); ++d) {
      if (!has_loop(loop->body, loops_[d].var)) continue;
      for (const Expr& bound : {loop->lo, loop->hi}) {
        if (uses(bound, loops_[d].var)) refuse_use(simplify(bound, Facts()), loops_[d].var);
      }
    }
  });
  if (!status.ok()) return status;
  return moved;
}

}  // namespace tenon
