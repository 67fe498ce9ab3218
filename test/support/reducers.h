// Reductions by functions that several tests use, as text for the head of a Program.
#pragma once

namespace tenon::test {

// The greatest value and where it stands first; -1 of nothing. `update` relies on rising j.
inline constexpr const char* kArgmax = R"(
  reducer argmax(best: f32, at: i64) = (-inf, -1)
    update (v: f32, j: i64) -> (select(best < v, v, best), select(best < v, j, at))
    combine (best2, at2) -> (max(best, best2), select(best < best2, at2, select(best2 < best, at, select(at2 < at, at2, at)))))";

// How many, their mean, and the sum of squares around it.
inline constexpr const char* kWelford = R"(
  reducer welford(n: f32, mean: f32, m2: f32) = (0.0, 0.0, 0.0)
    update (v: f32) -> (n + 1.0, mean + (v - mean) / (n + 1.0), m2 + (v - mean) * (v - (mean + (v - mean) / (n + 1.0))))
    combine (n2, mean2, m22) -> (n + n2, select(n + n2 == 0.0, 0.0, mean + (mean2 - mean) * (n2 / (n + n2))), m2 + m22 + select(n + n2 == 0.0, 0.0, (mean2 - mean) * (mean2 - mean) * (n * n2 / (n + n2)))))";

}  // namespace tenon::test
