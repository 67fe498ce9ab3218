// Small programs that the tests of the Jit share.
#pragma once

#include <string>
#include <vector>

#include "tenon/tenon.h"

namespace tenon::test {

// y = factor * x, one dimension, size n.
struct Scale {
  Size n{"n"};
  Program program;
  explicit Scale(double factor = 2, const std::string& name = "scale");
};

// out = max(x w^T + b, 0): x [m, k], w [n, k], b [n], out [m, n].
struct LinearRelu {
  Size m{"m"}, n{"n"}, k{"k"};
  Program program;
  LinearRelu();
  // The weight in panels of 32, the sum in a register tile.
  void tile(Schedule& s) const;
  Schedule scheduled(int64_t rows, int64_t columns, int64_t depth) const;
};

struct LinearData {
  int64_t m, n, k;
  std::vector<float> x, w, b, out, expected;
  LinearData(int64_t m, int64_t n, int64_t k);
  View X() { return View(x.data(), {m, k}); }
  View W() { return View(w.data(), {n, k}); }
  View B() { return View(b.data(), {n}); }
  View Out() { return View(out.data(), {m, n}); }
  bool right() const { return out == expected; }  // small integers: every sum is exact
};

// out[i, j] = table[id[i], j]: table [10, d], id [n].
struct Embed {
  Size n{"n"}, d{"d"};
  Program program;
  Embed();
};

// y[i] = 2 * x[n - 1 - i] through a copy that does not fit the stack.
struct Reverse {
  Size n{"n"};
  Program program;
  Reverse();
};

// The kernel, when it was compiled; fails the test otherwise.
Kernel compiled(absl::StatusOr<Kernel> kernel);
Kernel compiled(Jit& jit, const Program& program, const Sizes& sizes = {},
                const CompileOptions& options = {});
// The call works and gives x times the factor.
void check_scale(const Kernel& kernel, int64_t n, float factor = 2);

std::string message(const absl::Status& status);

}  // namespace tenon::test
