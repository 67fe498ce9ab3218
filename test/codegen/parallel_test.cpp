// Parallel loops run as tasks, in shuffled chunks on shuffled workers with poisoned slices.
#include <catch2/catch.hpp>

#include "support/check.h"
#include "support/native.h"
#include "tenon/runtime/math.h"

using namespace tenon;
using test::native_difference;

namespace {

Array floats(int64_t n) {
  Array x(f32, {n});
  for (int64_t i = 0; i < n; ++i) {
    x.set_bits(i, constant_float(f32, 0.25 * static_cast<double>(i % 37) - 3).as<Const>()->bits);
  }
  return x;
}

}  // namespace

TEST_CASE("a task sees sizes, scalars, outer variables, locals and the workspace") {
  const Program program = test::parsed(R"(
program everything
  size m, n
  input x: f32[m * n]
  scalar a: f32
  scalar flag: bool
  output out: f32[m * n]
{
  alloc sums: f32[m] in shared at 64
  alloc small: f32[4] in stack
  for k in 0..4 { small[k] = cast<f32>(k) }
  let twice = a * 2.0
  let four = ramp(0, 1, 4) < broadcast(3, 4)
  for outer in 0..2 {
    parallel for i in 0..m {
      alloc row: f32[n] in worker at 0
      alloc acc: f32[4] in stack
      acc[ramp(0, 1, 4)] = select(four, broadcast(twice, 4), broadcast(1.0, 4))
      for j in 0..n { row[j] = x[i * n + j] * twice + small[outer] + acc[1] }
      sums[i] = -0.0
      for j in 0..n { sums[i] += row[j] }
      for j in 0..n { out[i * n + j] = select(flag, row[j], exp(row[j])) }
    }
    parallel for i in 1..m {
      for j in 0..n { out[i * n + j] += sums[i - 1] }
    }
  }
}
)");
  for (auto [m, n] : {std::pair(13, 7), std::pair(1, 1), std::pair(0, 3), std::pair(40, 16)}) {
    for (bool flag : {false, true}) {
      Array x = floats(m * n), out(f32, {m * n});
      CHECK(native_difference(program, {{program->sizes[0], m}, {program->sizes[1], n}},
                              {&x, Expr(0.5f), Expr(flag), &out}) == "");
    }
  }
}

TEST_CASE("a parallel loop inside a task runs on the same worker") {
  const Program program = test::parsed(R"(
program nested
  input x: f32[48]
  output out: f32[48]
{
  parallel for i in 0..6 {
    alloc t: f32[8] in worker at 0
    parallel for j in 0..8 { t[j] = x[i * 8 + j] + 1.0 }
    parallel for j in 0..8 { out[i * 8 + j] = t[7 - j] }
  }
}
)");
  Array x = floats(48), out(f32, {48});
  CHECK(native_difference(program, {}, {&x, &out}) == "");
}

TEST_CASE("a check inside a task is reported once") {
  const Program program = test::parsed(R"(
program bad
  input ids: i64[32]
  output out: i64[32]
{
  parallel for i in 0..32 { out[i] = check(ids[i], 10) }
}
)");
  for (const Target& target : test::native_targets()) {
    Array ids(i64, {32}), out(i64, {32});
    for (int64_t i = 0; i < 32; ++i) ids.set_bits(i, 50);
    CHECK(test::run_native(program, target, {}, {&ids, &out}).message() ==
          "index ids[i] is 50, outside of [0, 10)");
  }
}

TEST_CASE("an allocation of a worker outside of parallel loops is refused") {
  const Program program = test::parsed(R"(
program misplaced
  output out: f32[1]
{
  alloc t: f32[8] in worker at 0
  t[0] = 1.0
  out[0] = t[0]
}
)");
  const auto code = test::engine_for(test::native_targets()[0]).compile(program, {});
  CHECK(code.status().code() == absl::StatusCode::kInternal);
}

TEST_CASE("two real threads share a parallel loop") {
  const Program program = test::parsed(R"(
program threads
  input x: f32[4096]
  output out: f32[4096]
{
  parallel for i in 0..256 {
    alloc t: f32[16] in worker at 0
    for j in 0..16 { t[j] = x[i * 16 + j] * 3.0 }
    for j in 0..16 { out[i * 16 + j] = t[j] }
  }
}
)");
  const auto code = test::engine_for(test::native_targets().back()).compile(program, {});
  REQUIRE(code.ok());
  ThreadPool pool(2);
  const tenon_executor table = executor_table(pool);
  Array x = floats(4096), out(f32, {4096});
  void* buffers[] = {x.data(), out.data()};
  const WorkspaceLayout layout = workspace_layout(0, 64);
  std::vector<std::byte> memory(static_cast<size_t>(layout.total_bytes(2)) + 64);
  const auto base = (reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64;
  tenon_fault fault{-1, 0, 0};
  const tenon_call call{buffers, nullptr,         nullptr, reinterpret_cast<void*>(base),
                        &table,  &default_math(), &fault};
  for (int i = 0; i < 50; ++i) (*code)->entry()(&call);
  for (int64_t i = 0; i < 4096; ++i) REQUIRE(out.at<float>(i) == x.at<float>(i) * 3.0f);
}
