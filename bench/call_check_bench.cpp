// What a call costs besides the kernel: the check of its arguments, making the arguments, scratch
// memory, and the start of a parallel loop. The kernel here does nothing.
#include <benchmark/benchmark.h>

#include <vector>

#include "tenon/runtime/runtime.h"

namespace {

using namespace tenon;

ParamSignature param(const char* name, ParamSignature::Role role, std::vector<SizeProgram> shape) {
  ParamSignature p;
  p.name = name;
  p.role = role;
  p.type = f32;
  p.shape = std::move(shape);
  return p;
}

// x [m, k], w [n, k] -> out [m, n], with all sizes constant or all of them run-time values.
Signature linear(bool symbolic) {
  auto size = [&](int index, const char* name, int64_t value) {
    return symbolic ? SizeProgram::size(index, name) : SizeProgram::constant(value);
  };
  const SizeProgram m = size(0, "m", 128), n = size(1, "n", 64), k = size(2, "k", 32);
  Signature s;
  s.kernel = "linear";
  if (symbolic) s.sizes = {"m", "n", "k"};
  s.size_slots = static_cast<int>(s.sizes.size());
  s.params = {param("x", ParamSignature::Role::kInput, {m, k}),
              param("w", ParamSignature::Role::kInput, {n, k}),
              param("out", ParamSignature::Role::kOutput, {m, n})};
  if (!finalize(s).ok()) std::abort();
  return s;
}

struct Buffers {
  std::vector<float> x = std::vector<float>(128 * 32), w = std::vector<float>(64 * 32),
                     out = std::vector<float>(128 * 64);
};

void kernel(const tenon_call* call) { benchmark::DoNotOptimize(call); }
// Called through a pointer that the compiler cannot see through, as a compiled kernel is.
tenon_kernel volatile the_kernel = kernel;

tenon_call record(const BoundCall& bound) {
  return {bound.buffers, bound.sizes, bound.scalars, nullptr, nullptr, &default_math(), nullptr};
}

void raw_pointer(benchmark::State& state) {
  BoundCall bound;
  for (auto _ : state) {
    const tenon_call call = record(bound);
    the_kernel(&call);
  }
}
BENCHMARK(raw_pointer);

// The arguments exist; the call is checked.
void checked(benchmark::State& state) {
  const Signature s = linear(state.range(0) != 0);
  Buffers b;
  const Argument inputs[] = {View(b.x.data(), {128, 32}), View(b.w.data(), {64, 32})};
  const View outputs[] = {View(b.out.data(), {128, 64})};
  for (auto _ : state) {
    BoundCall bound;
    if (!check_call(s, inputs, outputs, &bound).ok()) std::abort();
    const tenon_call call = record(bound);
    the_kernel(&call);
  }
}
BENCHMARK(checked)->ArgName("symbolic")->Arg(0)->Arg(1);

// As a user writes it: kernel({x, w}, {out}) with views made on the spot.
void views_and_checked(benchmark::State& state) {
  const Signature s = linear(state.range(0) != 0);
  Buffers b;
  for (auto _ : state) {
    BoundCall bound;
    if (!check_call(s, {View(b.x.data(), {128, 32}), View(b.w.data(), {64, 32})},
                    {View(b.out.data(), {128, 64})}, &bound)
             .ok()) {
      std::abort();
    }
    const tenon_call call = record(bound);
    the_kernel(&call);
  }
}
BENCHMARK(views_and_checked)->ArgName("symbolic")->Arg(0)->Arg(1);

void workspace(benchmark::State& state) {
  WorkspacePool pool;
  const WorkspaceLayout layout = workspace_layout(1 << 16, 1 << 14);
  for (auto _ : state) benchmark::DoNotOptimize(pool.take(layout, 4).data());
}
BENCHMARK(workspace);

void parallel_for(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    pool.parallel_for(
        1000, 1, [](void*, int64_t begin, int64_t, int32_t) { benchmark::DoNotOptimize(begin); },
        nullptr);
  }
}
BENCHMARK(parallel_for)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

void refused(benchmark::State& state) {
  const Signature s = linear(false);
  Buffers b;
  const Argument inputs[] = {View(b.x.data(), {127, 32}), View(b.w.data(), {64, 32})};
  const View outputs[] = {View(b.out.data(), {128, 64})};
  for (auto _ : state) {
    BoundCall bound;
    if (check_call(s, inputs, outputs, &bound).ok()) std::abort();
  }
}
BENCHMARK(refused);

}  // namespace

BENCHMARK_MAIN();
