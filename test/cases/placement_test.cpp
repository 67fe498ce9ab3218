// Stages that are stored for all iterations, computed once, or computed behind what they read, and
// kernels of two forms: at every width, length and instruction-set level.
#include <catch2/catch.hpp>

#include "cases/everywhere.h"

namespace tenon {
namespace {

using test::CaseData;
using test::Everywhere;

// y[i] is the sum of three neighbours in t, and t = 3 x + 1.
struct Stencil {
  Size n{"n"};
  Everywhere everywhere() const {
    const Tensor x = input("x", i32, {n + 2});
    const Tensor t = compute("t", {n + 2}, [&](Expr i) { return x(i) * 3 + 1; });
    Everywhere e;
    e.program = program("stencil", {x},
                        {compute("y", {n}, [&](Expr i) { return t(i) + t(i + 1) + t(i + 2); })});
    e.length = n;
    e.data = [](int64_t length) {
      std::vector<int32_t> in, out;
      for (int64_t i = 0; i < length + 2; ++i) in.push_back(static_cast<int32_t>(i * i % 23));
      for (size_t i = 0; i + 2 < in.size(); ++i) {
        out.push_back(3 * (in[i] + in[i + 1] + in[i + 2]) + 3);
      }
      return CaseData{{Array::of<int32_t>({length + 2}, in)}, {Array::of<int32_t>({length}, out)}};
    };
    return e;
  }
};

TEST_CASE("A sliding window of blocks") {
  Everywhere e = Stencil().everywhere();
  e.schedule = [](Schedule& s, int64_t lanes, bool) {
    const auto [io, ii] = s.split(s.loops<1>("y")[0], lanes);
    const Loop l = s.compute_at<1>("t", io)[0];
    s.hoist_alloc("t", io);
    s.slide("t", io);
    s.vectorize(l);
    s.vectorize(ii);
  };
  e.run();
}

TEST_CASE("A consumer behind its producer, and a stage at the root again") {
  Everywhere e = Stencil().everywhere();
  e.schedule = [](Schedule& s, int64_t lanes, bool parallel) {
    if (parallel) {
      const auto [io, ii] = s.split(s.loops<1>("y")[0], lanes);
      s.compute_at("t", io);
      s.compute_root("t");
      s.vectorize(ii);
      s.parallelize(io);
      return;
    }
    const auto [io, ii] = s.split(s.loops<1>("t")[0], lanes);
    s.vectorize(s.reverse_compute_at("y", io)[0]);
    s.vectorize(ii);
  };
  e.run();
}

TEST_CASE("A fast path for lengths that divide") {
  const Stencil stencil;
  Everywhere e = stencil.everywhere();
  e.constant = false;
  e.schedule = [&](Schedule& s, int64_t lanes, bool parallel) {
    const auto [io, ii] = s.split(s.loops<1>("y")[0], lanes);
    const Loop l = s.compute_at<1>("t", io)[0];
    const FastPath fast = lanes > 1 ? s.specialize(Expr(stencil.n) % lanes == 0)
                                    : s.specialize(Expr(5) < Expr(stencil.n));
    s.vectorize(fast.of(ii));
    s.vectorize(fast.of(l));
    if (parallel) s.parallelize(fast.of(io));
  };
  e.run();
}

}  // namespace
}  // namespace tenon
