// What a Program computed, for tests that rewrite Programs and compare.
#pragma once

#include <string_view>
#include <vector>

#include "tenon/interp/interp.h"
#include "tenon/ir/visit.h"

namespace tenon::test {

struct Outputs {
  std::vector<Array> arrays;
  bool ok = false;
};

// Bit for bit.
inline bool same(const Outputs& a, const Outputs& b) {
  for (size_t i = 0; i < a.arrays.size(); ++i) {
    if (!same_values(a.arrays[i], b.arrays[i])) return false;
  }
  return a.ok == b.ok;
}

// The last loop of this name; null when there is none.
inline Var find_var(const Program& p, std::string_view name) {
  Var found;
  walk(p->body, [&](const Stmt& s) {
    if (const For* loop = s.as<For>(); loop && loop->var.name() == name) found = loop->var;
  });
  return found;
}

}  // namespace tenon::test
