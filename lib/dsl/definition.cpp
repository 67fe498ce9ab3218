#include "dsl/definition.h"

#include <type_traits>
#include <utility>

#include "tenon/base/match.h"

namespace tenon {
namespace {

// Expressions that may be null are left out when they are. Of any constness.
template <class R, class F>
void each_expr(R& recipe, const F& f) {
  const auto known = [&](auto& e) {
    if (e.get()) f(e);
  };
  std::visit(
      [&](auto& how) {
        using How = std::remove_cvref_t<decltype(how)>;
        if constexpr (std::is_same_v<How, Nest>) {
          for (auto& value : how.values) f(value);
        } else if constexpr (std::is_same_v<How, Concat>) {
          for (auto& piece : how.pieces) f(piece.value);
        } else if constexpr (std::is_same_v<How, Update>) {
          for (auto& init : how.inits) f(init);
          for (auto& scatter : how.scatters) {
            for (auto& axis : scatter.axes) f(axis.extent);
            for (auto& index : scatter.indices) f(index);
            for (auto& value : scatter.values) f(value);
            known(scatter.condition);
          }
        } else if constexpr (std::is_same_v<How, Literal>) {
          known(how.wrong);
        } else if constexpr (std::is_same_v<How, Extern>) {
          for (auto& axis : how.axes) f(axis.extent);
          for (auto* parts : {&how.writes, &how.reads}) {
            for (auto& ranges : *parts) {
              for (auto& range : ranges) f(range.lo), known(range.hi);
            }
          }
          for (auto& input : how.inputs) f(input);
        } else {
          f(how.steps), known(how.where);
          for (auto& state : how.states) known(state.init), f(state.next);
        }
      },
      recipe.how);
}

}  // namespace

// The last tensor of a chain holds all those before it, each through the one behind it. Destroyed
// as they hang, they would nest as deep as the chain is long; so the outermost takes them over and
// lets go of one after the other.
Recipe::~Recipe() {
  thread_local std::vector<Expr>* waiting = nullptr;
  std::vector<Expr> all;
  std::vector<Expr>& taken = waiting ? *waiting : all;
  each_expr(*this, [&](Expr& e) { taken.push_back(std::move(e)); });
  if (waiting) return;
  waiting = &all;
  while (!all.empty()) {
    const Expr next = std::move(all.back());
    all.pop_back();
  }
  waiting = nullptr;
}

void for_each_expr(const Recipe& recipe, const std::function<void(const Expr&)>& f) {
  each_expr(recipe, f);
}

std::vector<uint64_t> bound_in(const Recipe& recipe) {
  std::vector<uint64_t> ids;
  const auto add = [&](const std::vector<Var>& vars) {
    for (const Var& var : vars) ids.push_back(var.id());
  };
  match(
      recipe.how, [&](const Nest& how) { add(how.vars); },
      [&](const Concat& how) {
        for (const Concat::Piece& piece : how.pieces) add(piece.vars);
      },
      [&](const Update& how) {
        add(how.vars);
        for (const Update::Scatter& scatter : how.scatters) {
          for (const ReduceAxis& axis : scatter.axes) ids.push_back(axis.var.id());
        }
      },
      [](const Literal&) {},
      [&](const Extern& how) {
        for (const ReduceAxis& axis : how.axes) ids.push_back(axis.var.id());
      },
      [&](const Scan& how) {
        add(how.outer_vars);
        ids.push_back(how.step.id());
        for (const Scan::State& state : how.states) {
          add(state.vars);
          if (state.buffer) ids.push_back(state.buffer.id());
        }
      });
  return ids;
}

std::vector<Expr> shape_of(const Recipe& recipe, size_t result) {
  const Scan* scan = std::get_if<Scan>(&recipe.how);
  if (!scan) {
    return match(
        recipe.how, [](const Scan&) { return std::vector<Expr>(); },
        [&](const Extern& how) { return how.results[result].shape; },
        [](const auto& how) { return how.shape; });
  }
  std::vector<Expr> shape = scan->outer;
  if (result % 3 != Scan::kLast) shape.push_back(scan->steps);
  const std::vector<Expr>& own = scan->states[result / 3].shape;
  shape.insert(shape.end(), own.begin(), own.end());
  return shape;
}

}  // namespace tenon
