#include "eigen_linear.h"

#include <Eigen/Core>

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void eigen_linear(const float* x, const float* w, const float* b, float floor, float* out,
                  int64_t m, int64_t n, int64_t k) {
  const Eigen::Map<const Matrix> X(x, m, k), W(w, n, k);
  const Eigen::Map<const Eigen::RowVectorXf> B(b, n);
  Eigen::Map<Matrix> Out(out, m, n);
  Out.noalias() = X * W.transpose();
  Out.array() = (Out.rowwise() + B).array().max(floor);
}
