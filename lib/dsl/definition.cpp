#include "dsl/definition.h"

#include <utility>

#include "tenon/base/match.h"

namespace tenon {
namespace {

// Of any constness.
template <class R, class F>
void each_expr(R& recipe, const F& f) {
  match(
      recipe.how,
      [&]<class T>(T & how) requires std::is_same_v<std::remove_const_t<T>, Nest> {
        for (auto& value : how.values) f(value);
      },
      [&]<class T>(T & how) requires std::is_same_v<std::remove_const_t<T>, Concat> {
        for (auto& piece : how.pieces) f(piece.value);
      });
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
      });
  return ids;
}

const std::vector<Expr>& shape_of(const Recipe& recipe, size_t) {
  return match(recipe.how, [](const auto& how) -> const std::vector<Expr>& { return how.shape; });
}

}  // namespace tenon
