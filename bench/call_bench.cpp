// What a call costs besides the kernel: the checked call on 64 elements against the raw function,
// and Jit::call when the kernel is in the cache.
//
//   call_bench [--check]
#include <cstdio>
#include <vector>

#include "linear_relu.h"
#include "side_by_side.h"
#include "tenon/tenon.h"

namespace tn = tenon;
using namespace tn::bench;

namespace {

// y = max(a x + b, 0) on 64 elements, in vectors; sizes read off the call or fixed.
struct Elementwise {
  tn::Size n{"n"};
  tn::Program program;

  Elementwise() {
    tn::Tensor x = tn::input("x", tn::f32, {n});
    tn::Tensor y = tn::compute("y", {n}, [&](tn::Expr i) { return tn::max(x(i) * 2.0f, 0.0f); });
    program = tn::program("elementwise", {x}, {y});
  }
  static void vectorize(tn::Schedule& s) {
    auto [i] = s.loops<1>("y");
    auto [outer, inner] = s.split(i, 16);
    s.vectorize(inner);
  }
};

// The raw function with its record made once, as a host would that checks nothing.
struct RawCall {
  void* buffers[2];
  int64_t sizes[1] = {64};
  tenon_fault fault{-1, 0, 0};
  tenon_call record{};
  tenon_kernel entry;

  RawCall(const tn::Kernel& kernel, float* x, float* y) : buffers{x, y}, entry(kernel.entry()) {
    record.buffers = buffers;
    record.sizes = sizes;
    record.math = &tn::default_math();
    record.fault = &fault;
  }
};

double nanoseconds(const std::vector<Timing>& timings, const char* name) {
  for (const Timing& t : timings) {
    if (t.name == name) return t.minimum * 1e9;
  }
  stop(name);
}

}  // namespace

int main(int argc, char** argv) {
  Report report(argc, argv);
  pin_to_one_core();
  tn::Jit jit;
  const Elementwise f;
  std::vector<float> x(64, 1), y(64);
  const tn::View X(x.data(), {64}), Y(y.data(), {64});

  tn::Schedule fixed(f.program, {{f.n, 64}}), symbolic(f.program);
  Elementwise::vectorize(fixed);
  Elementwise::vectorize(symbolic);
  const tn::Kernel kernel = value_of(jit.compile(fixed));
  const tn::Kernel any_length = value_of(jit.compile(symbolic));
  const tn::Function function =
      tn::function(f.program, [](tn::Schedule& s, const tn::Sizes&) { Elementwise::vectorize(s); });
  RawCall raw(kernel, x.data(), y.data());

  // A call with more to read: three sizes, four tensors, a packed weight.
  const LinearRelu linear;
  const tn::Function layer = tn::function(linear.program, [&](tn::Schedule& s, const tn::Sizes&) {
    auto [i, j] = s.loops<2>("out");
    s.register_tile("linear", {i, j}, {4, 16});
  });
  std::vector<float> lx(32, 1), lw(128, 1), lb(16), lout(64);
  const tn::Packed packed =
      value_of(value_of(jit.kernel(layer, {{linear.m, 4}, {linear.n, 16}, {linear.k, 8}}))
                   .pack("w", tn::View(lw.data(), {16, 8})));
  const tn::View LX(lx.data(), {4, 8}), LB(lb.data(), {16}), LOut(lout.data(), {4, 16});

  const std::vector<Timing> timings = time_side_by_side(
      {{"raw function", [&] { raw.entry(&raw.record); }},
       {"kernel({x}, {y})", [&] { require_ok(kernel({X}, {Y})); }},
       {"kernel, views made for the call",
        [&] { require_ok(kernel({tn::View(x.data(), {64})}, {tn::View(y.data(), {64})})); }},
       {"kernel, symbolic length", [&] { require_ok(any_length({X}, {Y})); }},
       {"jit.call", [&] { require_ok(jit.call(function, {X}, {Y})); }},
       {"jit.call, linear_relu packed",
        [&] {
          require_ok(jit.call(layer, {LX, packed, LB}, {LOut}));
        }}},
      {.count = 100, .seconds = 2e-4});
  std::printf("%-40s %10s %10s\n", "", "min ns", "median ns");
  for (const Timing& t : timings) {
    std::printf("%-40s %10.1f %10.1f\n", t.name.c_str(), t.minimum * 1e9, t.median * 1e9);
  }
  std::printf("\n");
  report.at_most("checked call over the raw function",
                 nanoseconds(timings, "kernel({x}, {y})") - nanoseconds(timings, "raw function"),
                 60, "ns");
  report.at_most("jit.call on a hit", nanoseconds(timings, "jit.call"), 300, "ns");
  return report.exit_code();
}
