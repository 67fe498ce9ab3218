#include "analysis/witness.h"

#include <algorithm>
#include <set>

#include "analysis/encode.h"
#include "analysis/evaluate.h"
#include "analysis/inspect.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

// Elements of inputs may have any value: each load becomes a variable, equal loads the same one.
class DataAsVariables {
 public:
  explicit DataAsVariables(const Facts& facts) : facts_(facts) {}

  Expr replace(const Expr& e) {
    return rewrite(e, [&](const Expr& x) {
      const Load* l = x.as<Load>();
      if (!l || x.type().is_float() || x.type().is_vector()) return x;
      if (!facts_.is_fixed(l->buffer)) written_ = true;
      for (const auto& [load, var] : loads_) {
        if (equal(load, x)) return Expr(var);
      }
      loads_.emplace_back(x, Var(l->buffer.name(), x.type()));
      return Expr(loads_.back().second);
    });
  }

  // What a buffer holds that the Program writes is not for us to choose.
  bool written() const { return written_; }

  // One element has one value.
  bool consistent(const Values& values) const {
    for (size_t i = 0; i < loads_.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (same_element(loads_[i].first, loads_[k].first, values) &&
            evaluate(loads_[i].second, values) != evaluate(loads_[k].second, values)) {
          return false;
        }
      }
    }
    return true;
  }

 private:
  static bool same_element(const Expr& a, const Expr& b, const Values& values) {
    const Load& x = *a.as<Load>();
    const Load& y = *b.as<Load>();
    if (!(x.buffer == y.buffer)) return false;
    for (size_t d = 0; d < x.indices.size(); ++d) {
      // The indices were replaced themselves, so that they have values.
      if (evaluate(x.indices[d], values) != evaluate(y.indices[d], values)) return false;
    }
    return true;
  }

  const Facts& facts_;
  std::vector<std::pair<Expr, Var>> loads_;
  bool written_ = false;
};

Facts map_facts(const Facts& facts, const ExprMap& f) {
  Facts result;
  for (const Var& size : facts.sizes()) result = result.with_size(size);
  for (const LoopRange& range : facts.loops()) {
    result = result.inside(LoopRange{range.var, f(range.lo), f(range.hi)});
  }
  for (const Expr& condition : facts.conditions()) result = result.given(f(condition));
  return result;
}

class WitnessSearch {
 public:
  WitnessSearch(const Facts& facts, const Case& all) : data_(facts) {
    facts_ = map_facts(facts, [&](const Expr& e) { return data_.replace(e); });
    for (const Literal& literal : all) {
      all_.push_back({data_.replace(literal.condition), literal.value});
    }
  }

  bool run(const std::vector<Case>& cases) {
    std::vector<Case> replaced = cases;
    for (Case& literals : replaced) {
      for (Literal& literal : literals) literal.condition = data_.replace(literal.condition);
    }
    if (data_.written()) return false;
    if (found_in(facts_, replaced, {})) return true;
    if (!has_product_) return false;
    // With numbers for the sizes, their products with loops become linear.
    static constexpr int64_t kSizes[] = {1, 2, 3, 4, 7, 8, 12, 33};
    for (const int64_t size : kSizes) {
      VarMap sizes;
      Values values;
      for (const Var& var : facts_.sizes()) {
        sizes.emplace(var, size);
        values.emplace_back(var, size);
      }
      if (sizes.empty()) return false;
      const auto at_size = [&](const Expr& e) { return substitute(e, sizes); };
      std::vector<Case> specialised = replaced;
      for (Case& literals : specialised) {
        for (Literal& literal : literals) literal.condition = at_size(literal.condition);
      }
      if (found_in(map_facts(facts_, at_size), specialised, values)) return true;
    }
    return false;
  }

 private:
  bool found_in(const Facts& facts, const std::vector<Case>& cases, const Values& sizes) {
    for (const Case& literals : cases) {
      Encoder encoder(facts);
      for (const Literal& literal : literals) {
        encoder.add_condition(literal.condition, literal.value, encoder.outer());
      }
      encoder.add_all_facts();
      has_product_ = has_product_ || !encoder.open().empty();
      for (const IntegerSystem& system : encoder.systems()) {
        const IntegerSystem::Solution solution = system.solve();
        if (solution.answer != Answer::kYes) continue;
        Values values = sizes;
        for (const auto& [var, row] : encoder.outer_values()) {
          const bool given =
              std::any_of(sizes.begin(), sizes.end(),
                          [&, v = var](const auto& size) { return size.first == v; });
          if (!given) values.emplace_back(var, value_of(row, solution.witness));
        }
        if (satisfies(std::move(values))) return true;
      }
    }
    return false;
  }

  bool satisfies(Values values) const {
    complete(values);
    for (const Var& size : facts_.sizes()) {
      if (evaluate(size, values).value_or(-1) < 0) return false;
    }
    for (const LoopRange& range : facts_.loops()) {
      const auto lo = evaluate(range.lo, values), hi = evaluate(range.hi, values);
      const auto value = evaluate(range.var, values);
      if (!lo || !hi || !value || *value < *lo || *value >= *hi) return false;
    }
    for (const Expr& condition : facts_.conditions()) {
      if (evaluate(condition, values) != 1) return false;
    }
    for (const Literal& literal : all_) {
      if (evaluate(literal.condition, values) != int64_t{literal.value}) return false;
    }
    return data_.consistent(values);
  }

  // Variables that no row mentions may be anything.
  void complete(Values& values) const {
    std::set<Var> missing;
    const auto collect = [&](const Expr& e) {
      for (const Var& var : free_vars(e)) missing.insert(var);
    };
    for (const LoopRange& range : facts_.loops()) collect(range.lo), collect(range.hi);
    for (const Expr& condition : facts_.conditions()) collect(condition);
    for (const Literal& literal : all_) collect(literal.condition);
    for (const auto& [var, value] : values) missing.erase(var);
    for (const Var& size : facts_.sizes()) missing.insert(size);
    for (const auto& [var, value] : Values(values)) missing.erase(var);
    for (const Var& var : missing) values.emplace_back(var, 0);
  }

  DataAsVariables data_;
  Facts facts_;
  Case all_;
  bool has_product_ = false;
};

}  // namespace

bool has_witness(const Facts& facts, const std::vector<Case>& cases, const Case& all) {
  // A claim about contents is for the call to check; contents may be chosen to satisfy the facts.
  const auto is_about_contents = [](const Literal& literal) { return has_load(literal.condition); };
  if (std::any_of(all.begin(), all.end(), is_about_contents)) return false;
  return WitnessSearch(facts, all).run(cases);
}

}  // namespace tenon
