// Pseudo-random legal schedules, lowered and compared with the interpreter, which checks bounds.
#include <catch2/catch.hpp>

#include "lower/corpus.h"
#include "lower/lowering.h"
#include "support/check.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

using namespace tenon;
using namespace tenon::test;

namespace {

const Sample kPrograms[] = {
    {"a matrix product with bias and relu", R"(
program p
  input x: f32[7, 5]
  weight w: f32[9, 5]
  input b: f32[9]
  output out: f32[7, 9]
{
  alloc linear: f32[7, 9]
  for i in 0..7 { for j in 0..9 {
    linear[i, j] = -0.0
    for r in 0..5 { linear[i, j] += x[i, r] * w[j, r] }
  } }
  for i in 0..7 { for j in 0..9 { out[i, j] = max(linear[i, j] + b[j], 0.0) } }
})"},
    {"a padded convolution", R"(
program p
  input x: f32[6, 7, 2]
  input w: f32[3, 3, 2, 5]
  output y: f32[6, 7, 5]
{
  alloc xp: f32[8, 9, 2]
  for a in 0..8 { for b in 0..9 { for c in 0..2 {
    xp[a, b, c] = select((1 <= a) & (a < 7) & (1 <= b) & (b < 8), x[a - 1, b - 1, c], 0.0)
  } } }
  for h in 0..6 { for v in 0..7 { for o in 0..5 {
    y[h, v, o] = -0.0
    for kh in 0..3 { for kw in 0..3 { for c in 0..2 {
      y[h, v, o] += xp[h + kh, v + kw, c] * w[kh, kw, c, o]
    } } }
  } } }
})"},
    {"rows scaled by their maximum and sum", R"(
program p
  size m
  input x: f32[m, 11]
  output y: f32[m, 11]
{
  alloc top: f32[m]
  alloc s: f32[m]
  for i in 0..m {
    top[i] = -inf
    for j in 0..11 { top[i] max= x[i, j] }
  }
  for i in 0..m {
    s[i] = -0.0
    for j in 0..11 { s[i] += x[i, j] - top[i] }
  }
  for i in 0..m { for j in 0..11 { y[i, j] = (x[i, j] - top[i]) / s[i] } }
})"},
    {"a transposed copy of bytes with a window", R"(
program p
  input x: u8[10, 9]
  output y: u8[9, 8]
{
  alloc t: u8[10, 9]
  for i in 0..10 { for j in 0..9 { t[i, j] = x[i, j] * 3u8 + 1u8 } }
  for i in 0..9 { for j in 0..8 { y[i, j] = t[j, i] + t[j + 1, i] + t[j + 2, i] } }
})"},
};

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  size_t below(size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((state_ >> 33) % n);
  }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  uint64_t state_;
};

std::vector<For> loops_of(const Program& p) {
  std::vector<For> loops;
  walk(p->body, [&](const Stmt& s) {
    if (const For* f = s.as<For>()) loops.push_back(*f);
  });
  return loops;
}

std::vector<Buffer> stages_of(const Program& p) {
  std::vector<Buffer> stages;
  walk(p->body, [&](const Stmt& s) {
    if (const Alloc* a = s.as<Alloc>()) stages.push_back(a->buffer);
  });
  return stages;
}

// A split with a vector or unrolled loop inside, where these are legal: the steps that guards and
// masks come from.
Program split_into_lanes(const Program& p, const Var& loop, Random& random) {
  namespace prim = tenon::primitives;
  const auto outer = prim::split(p, loop, random.of<int64_t>({4, 8, 16, 24, 32}));
  if (!outer.ok()) return p;
  Program result = prim::vectorize(outer->program, outer->second).value_or(outer->program);
  if (random.below(2) == 0) return result;
  const auto rows = prim::split(result, outer->first, random.of<int64_t>({2, 3}));
  if (!rows.ok()) return result;
  return prim::unroll(rows->program, rows->second).value_or(rows->program);
}

// One random step; the same Program when it is not legal.
Program step(const Program& p, Random& random) {
  namespace prim = tenon::primitives;
  const std::vector<For> loops = loops_of(p);
  const For& loop = random.of(loops);
  const std::vector<Buffer> stages = stages_of(p);
  const auto or_same = [&](const auto& result) { return result.ok() ? result->program : p; };
  switch (random.below(12)) {
    case 0:
    case 1: return or_same(prim::split(p, loop.var, random.of<int64_t>({2, 3, 4, 5, 8, 16})));
    case 2: {
      if (!loop.body.is<For>()) return p;
      return prim::reorder(p, {loop.body.as<For>()->var, loop.var}).value_or(p);
    }
    case 3: {
      if (!loop.body.is<For>()) return p;
      return or_same(prim::fuse(p, loop.var, loop.body.as<For>()->var));
    }
    case 4: return or_same(prim::fission(p, loop.var, 1));
    case 5: return or_same(prim::cut(p, loop.var, Expr(static_cast<int64_t>(random.below(6)))));
    case 6: return stages.empty() ? p : or_same(prim::compute_at(p, random.of(stages), loop.var));
    case 7: {
      const std::optional<int64_t> lo = as_int(loop.lo), hi = as_int(loop.hi);
      if (!lo || !hi || *hi - *lo > 5) return p;
      return prim::unroll(p, loop.var).value_or(p);
    }
    case 8: return prim::vectorize(p, loop.var).value_or(p);
    case 9: return prim::parallelize(p, loop.var).value_or(p);
    default: return split_into_lanes(p, loop.var, random);
  }
}

// Iterations of the innermost statements, guards aside.
double work_of(const Stmt& s) {
  double work = s.is<Store>() || s.is<Accumulate>() ? 1 : 0;
  for_each_child(
      s, [](const Expr&) {}, [&](const Stmt& child) { work += work_of(child); });
  const For* loop = s.as<For>();
  if (!loop) return work;
  const std::optional<int64_t> lo = as_int(loop->lo), hi = as_int(loop->hi);
  return work * (lo && hi ? static_cast<double>(std::max<int64_t>(0, *hi - *lo)) : 9.0);
}

void check_random_schedules(uint64_t first, uint64_t last) {
  for (const Sample& sample : kPrograms) {
    for (uint64_t seed = first; seed < last; ++seed) {
      Random random(seed);
      Program p = instance(sample.text, 1, 1);
      const size_t steps = 4 + random.below(14);
      for (size_t i = 0; i < steps; ++i) {
        const Program next = step(p, random);
        if (work_of(next->body) < 20000) p = next;
      }
      INFO(sample.name << ", seed " << seed);
      SizeValues sizes;
      if (!p->sizes.empty()) sizes["m"] = 1 + static_cast<int64_t>(random.below(9));
      check_lowering(p, sizes);
    }
  }
}

}  // namespace

TEST_CASE("Random legal schedules keep their meaning when they are lowered") {
  check_random_schedules(0, 60);
}

TEST_CASE("Many random legal schedules keep their meaning", "[.long]") {
  check_random_schedules(1000, 4000);
}
