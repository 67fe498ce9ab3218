// The same layer with Eigen, compiled for this processor, for comparison.
#pragma once

#include <cstdint>

// out[m, n] = max(x[m, k] w[n, k]^T + b[n], floor), row-major.
void eigen_linear(const float* x, const float* w, const float* b, float floor, float* out,
                  int64_t m, int64_t n, int64_t k);
