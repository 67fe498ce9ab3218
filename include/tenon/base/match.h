// A switch over the alternatives of a std::variant; the compiler checks that none is forgotten.
//
//   match(e.node().kind,
//         [&](const Const& c) { ... },
//         [&](const Binary& b) { ... },
//         [&](const auto&) { ... });     // all others
#pragma once

#include <utility>
#include <variant>

namespace tenon {

template <class... F>
struct Cases : F... {
  using F::operator()...;
};

template <class Variant, class... F>
decltype(auto) match(Variant&& variant, F&&... cases) {
  return std::visit(Cases<std::decay_t<F>...>{std::forward<F>(cases)...},
                    std::forward<Variant>(variant));
}

}  // namespace tenon
