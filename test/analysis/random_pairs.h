// Random questions about pairs of accesses.
#pragma once

#include <string>
#include <vector>

#include "analysis/random_expr.h"
#include "tenon/analysis/dependence.h"
#include "tenon/ir/program.h"

namespace tenon::test {

struct Pair {
  Access a, b;
  std::vector<Ordering> directions;
};

class PairGenerator {
 public:
  // With a size, loops run to it and, unless everything is to be affine, indices multiply by it.
  PairGenerator(Random& random, Var size, bool is_affine = false)
      : random_(random), size_(std::move(size)), is_affine_(is_affine) {}

  Pair pair() {
    static const char* const kNames[] = {"i", "j", "k"};
    Pair p;
    std::vector<For> common;
    std::vector<Var> vars;
    const int64_t depth = random_.in(1, 3);
    for (int64_t i = 0; i < depth; ++i) {
      common.push_back(loop(kNames[i], vars));
      vars.push_back(common.back().var);
    }
    rank_ = static_cast<size_t>(random_.in(1, 2));
    as_layout_ = random_.chance(60);
    p.a = access(common);
    p.b = random_.chance(60) ? p.a : access(common);
    p.directions = directions(common.size());
    return p;
  }

 private:
  For loop(const char* name, const std::vector<Var>& around) {
    For l = random_.loop(name, around);
    if (!size_ || random_.chance(40)) return l;
    const Expr n = size_;
    l.lo = 0;
    l.hi = random_.of(std::vector<Expr>{n, n, n, n + 1, n * 2, n / 2, (n + 2) / 3, n - 1});
    return l;
  }

  Access access(const std::vector<For>& common) {
    Access a;
    a.kind = Access::Kind::kWrite;
    a.buffer = buffer_;
    a.loops = common;
    std::vector<Var> vars;
    for (const For& l : common) vars.push_back(l.var);
    if (random_.chance(25)) {
      a.loops.push_back(loop("p", vars));
      vars.push_back(a.loops.back().var);
    }
    for (size_t d = 0; d < rank_; ++d) a.indices.push_back(index(vars));
    if (size_ && random_.chance(20)) vars.push_back(size_);
    while (random_.chance(35)) a.guards.push_back(random_.condition(vars));
    return a;
  }

  Expr index(const std::vector<Var>& vars) {
    const Expr e = as_layout_ ? random_.layout_index(vars) : random_.index(vars);
    if (!size_ || random_.chance(50)) return e;
    const Expr n = size_, i = random_.of(vars), j = random_.of(vars);
    if (is_affine_) return random_.of(std::vector<Expr>{n - 1 - i, n + i, e + n, e - n / 2, i - n});
    return random_.of(
        std::vector<Expr>{i * n + j, i * n + j, n - 1 - i, n + i, e + n, i * (n + 1) + j});
  }

  std::vector<Ordering> directions(size_t common) {
    std::vector<Ordering> d;
    const size_t carried = static_cast<size_t>(random_.in(0, static_cast<int64_t>(common) - 1));
    for (size_t i = 0; i < carried; ++i) {
      d.push_back(random_.chance(85) ? Ordering::kEqual : Ordering::kAny);
    }
    d.push_back(random_.chance(85) ? Ordering::kGreater : Ordering::kAny);
    if (random_.chance(30)) d.push_back(Ordering::kLess);
    if (d.size() > common) d.pop_back();
    return d;
  }

  Random& random_;
  const Var size_;
  const bool is_affine_;
  const Buffer buffer_ = Buffer("a", f32);
  size_t rank_ = 1;
  bool as_layout_ = false;
};

inline std::string text_of(const Access& a) {
  std::string text = print(load(a.buffer, a.indices));
  for (const For& l : a.loops) {
    text += " for " + l.var.name() + " in " + print(l.lo) + ".." + print(l.hi);
  }
  for (const Expr& guard : a.guards) text += " if " + print(guard);
  return text;
}

inline std::string text_of(const Pair& p) {
  std::string text = text_of(p.a) + "\n" + text_of(p.b) + "\n";
  for (Ordering d : p.directions) text += "<=>*"[static_cast<int>(d)];
  return text;
}

}  // namespace tenon::test
