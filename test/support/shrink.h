// Makes a failing pair small: fewer steps, a smaller Program, smaller sizes.
//
//   const auto still_fails = [&](const Pair& p) { return check_pair(p, options,
//   counts).has_value(); }; std::cout << to_string(shrink(failure->pair, still_fails));
//
// Every candidate is a pair that could have been drawn: the Program verifies, its outputs do not
// depend on elements that nothing wrote, no step is refused, and a call shows every size that it
// has to show.
#pragma once

#include <functional>

#include "support/pair.h"

namespace tenon::test {

// A pair from which no part can be taken without `fails` becoming false, or what is reached after
// that many candidates. The pair itself has to fail.
Pair shrink(Pair pair, const std::function<bool(const Pair&)>& fails, int max_candidates = 20'000);

}  // namespace tenon::test
