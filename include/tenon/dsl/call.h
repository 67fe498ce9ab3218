// Calling the functions that users give: with one Expr per dimension, or with one Index for every
// rank, whichever they take.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/ir/index.h"

namespace tenon::dsl {

std::string arity_message(size_t dimensions);

// What a function returned, as one expression or as a list.
template <class Result, class Returned>
Result as_result(const Returned& returned) {
  if constexpr (!std::is_same_v<Result, std::vector<Expr>>) {
    return Result(returned);
  } else if constexpr (std::is_convertible_v<Returned, Expr>) {
    return {Expr(returned)};
  } else {
    return Result(returned.begin(), returned.end());
  }
}

template <class Result, class F, size_t... Is>
Result call_with(const F& f, const Index& i, std::index_sequence<Is...>) {
  return as_result<Result>(f(i[static_cast<int>(Is)]...));
}

template <size_t>
using ExprAt = Expr;
template <class F, class Sequence>
struct TakesExprs;
template <class F, size_t... Is>
struct TakesExprs<F, std::index_sequence<Is...>> {
  static constexpr bool value = std::is_invocable_v<const F&, ExprAt<Is>...>;
};

// Calls f with the indices. Returns Invalid when the number of its arguments is not the number of
// dimensions.
template <class Result, class F, size_t N = 0>
Result call(const F& f, const Index& i) {
  if constexpr (N <= 8) {
    if constexpr (TakesExprs<F, std::make_index_sequence<N>>::value) {
      if (i.size() == static_cast<int>(N)) {
        return call_with<Result>(f, i, std::make_index_sequence<N>());
      }
    }
    return call<Result, F, N + 1>(f, i);
  } else if constexpr (std::is_invocable_v<const F&, Index>) {
    return as_result<Result>(f(i));
  } else {
    return as_result<Result>(invalid(arity_message(static_cast<size_t>(i.size()))));
  }
}

}  // namespace tenon::dsl
