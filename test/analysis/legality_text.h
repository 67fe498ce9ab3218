// Questions to the legality predicates as text, and their answers.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "support/check.h"
#include "tenon/analysis/legality.h"
#include "tenon/analysis/legality_placement.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon::test {

inline Program program_of(const std::string& text) { return test::parsed("program q " + text); }

inline Var loop_named(const Program& p, std::string_view name) {
  Var found;
  walk(p->body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    if (loop && loop->var.name() == name) found = loop->var;
  });
  REQUIRE(found);
  return found;
}

inline LoopSite site_of(const Program& p, std::string_view name) {
  return *find_loop(p, loop_named(p, name));
}

// "yes", "yes, reassociating", or the refusal.
inline std::string text_of(const Verdict& v) {
  if (v.ok()) return v.reassociates ? "yes, reassociating" : "yes";
  const auto d = diagnostic_of(v.status);
  REQUIRE(d);
  std::string text = d->reason;
  for (const std::string& fact : d->missing) text += " | missing " + fact;
  for (const std::string& step : d->legal) text += " | legal " + step;
  return text;
}

template <class T>
std::string text_of(const absl::StatusOr<T>& result) {
  return text_of(Verdict{result.status()});
}

// The parts of a program around the nest of a stage t of one dimension.
inline std::string around_t(const std::string& nest, const std::string& between = "",
                            const std::string& reader = "y[i] = t[i]") {
  return "size n output x: f32[n] output y: f32[n] output z: f32[n] {\nalloc t: f32[n]\n" + nest +
         "\n" + between + "\nfor i in 0..n {\nfor o in 0..1 { " + reader + " } } }";
}

constexpr char kMatmul[] = R"(
  size m, n, k input x: f32[m, k] input w: f32[k, n] output c: f32[m, n] {
    for i in 0..m {
      for j in 0..n {
        c[i, j] = 0.0
        for r in 0..k { c[i, j] += x[i, r] * w[r, j] }
      }
    }
  })";

constexpr char kShift[] = R"(
  size n output a: f32[n + 1] {
    for i in 0..n { a[i] = a[i + 1] }
  })";

}  // namespace tenon::test
