// insert_prefetches: the cache lines that a later iteration uses.
//
//   for k in 0..n prefetching w 4 ahead {       for k in 0..n {
//     vector for j in 0..32 {                     prefetch w[k + 4, 0]
//       t[j] += x[k] * w[k, j]               ->   prefetch w[k + 4, 16]
//     }                                           prefetch w[k + 4, 31]
//   }                                             t[0..32] += ...
//
// Needs: kExplicitVectors. One request per line of what an iteration uses, and one for the last
// element, since where lines begin is not known before the call. What cannot be bounded, or is
// data, is not asked for: a request means nothing, and its indices must not read memory that the
// loop itself does not read.
#include <algorithm>

#include "lower/passes.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/region.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

constexpr int64_t kLineBytes = 64;
// Requests that are written out; more of them are a loop.
constexpr int64_t kMaxCopies = 16;

struct Box {
  std::vector<Expr> lo, extent;
};

class Requests {
 public:
  Requests(const Program& program, const For& loop, const Facts& facts)
      : program_(program), loop_(loop), facts_(facts.inside(loop)) {}

  std::vector<Stmt> run() {
    for (const Ahead& ahead : loop_.kind.prefetches()) request(ahead);
    return std::move(done_);
  }

 private:
  void request(const Ahead& ahead) {
    const VarMap later = {{loop_.var, Expr(loop_.var) + Expr(ahead.iterations)}};
    for (Box& box : boxes(ahead.buffer)) {
      bool is_known = true;
      for (std::vector<Expr>* bounds : {&box.lo, &box.extent}) {
        for (Expr& e : *bounds) {
          is_known = is_known && !touches_memory(e);
          e = simplify(substitute(e, later), facts_);
        }
      }
      if (is_known) add_lines(ahead.buffer, box, {}, 1, done_);
    }
  }

  // One box around everything, or one for each access where these do not compare.
  std::vector<Box> boxes(const Buffer& buffer) const {
    if (const auto all = region_of(loop_.body, buffer, Which::kAll, facts_); all.ok()) {
      return {{all->lo, all->extent}};
    }
    std::vector<Box> result;
    for (const Access& a : accesses_of(loop_.body, buffer)) {
      if (const std::optional<Box> box = box_of(a)) result.push_back(*box);
    }
    return result;
  }

  std::optional<Box> box_of(const Access& a) const {
    const std::vector<LoopRange> inner = ranges_of(a.loops);
    Box box;
    for (const Expr& index : a.indices) {
      const std::optional<SymbolicInterval> bounds = bounds_over(index, inner, facts_);
      if (!bounds) return std::nullopt;
      box.lo.push_back(bounds->lo);
      box.extent.push_back(bounds->hi - bounds->lo + 1);
    }
    return box;
  }

  // Elements between two requests in the last dimension.
  int64_t step_of(const Buffer& buffer) const {
    const std::vector<Expr>& strides = find_param(program_, buffer)->strides;
    const bool is_dense = strides.empty() || is_constant(strides.back(), 1);
    return is_dense ? std::max<int64_t>(1, kLineBytes / buffer.type().bytes()) : 1;
  }

  void add_lines(const Buffer& buffer, const Box& box, const std::vector<Expr>& indices,
                 int64_t copies, std::vector<Stmt>& out) const {
    const size_t d = indices.size();
    if (d == box.lo.size()) return out.push_back(prefetch(buffer, indices));
    const int64_t step = d + 1 == box.lo.size() ? step_of(buffer) : 1;
    const Expr last = box.extent[d] - 1;
    const Expr count = step == 1
                           ? box.extent[d]
                           : simplify((box.extent[d] + Expr(step - 2)) / Expr(step) + 1, facts_);
    const auto at = [&](const Expr& i, std::vector<Stmt>& to) {
      std::vector<Expr> longer = indices;
      longer.push_back(simplify(box.lo[d] + min(i * Expr(step), last), facts_));
      add_lines(buffer, box, longer, copies * as_int(count).value_or(1), to);
    };
    const std::optional<int64_t> constant = as_int(count);
    if (constant && *constant <= kMaxCopies / copies) {
      for (int64_t i = 0; i < *constant; ++i) at(Expr(i), out);
      return;
    }
    const Var line("line");
    std::vector<Stmt> body;
    at(Expr(line), body);
    out.push_back(make_for(line, 0, count, ForKind::kSerial, seq(std::move(body))));
  }

  const Program& program_;
  const For& loop_;
  const Facts facts_;
  std::vector<Stmt> done_;
};

Stmt with_requests(const Stmt& s, const Facts& facts, const Program& program) {
  const For* loop = s.as<For>();
  if (!loop) {
    return map_children(s, [&](const Stmt& t) { return with_requests(t, facts, program); });
  }
  if (loop->kind == ForKind::kInstruction) return s;
  std::vector<Stmt> body = Requests(program, *loop, facts).run();
  body.push_back(with_requests(loop->body, facts.inside(*loop), program));
  const LoopKind kind = loop->kind.prefetches().empty() ? loop->kind : LoopKind(ForKind::kSerial);
  return make_for(loop->var, loop->lo, loop->hi, kind, seq(std::move(body)));
}

}  // namespace

absl::StatusOr<Program> insert_prefetches(const Program& program, const Target&) {
  const bool is_asked = any_in(program->body, [](const Stmt& s) {
    const For* loop = s.as<For>();
    return loop && !loop->kind.prefetches().empty();
  });
  if (!is_asked) return program;
  return program.with_body(with_requests(program->body, facts_of(program), program));
}

}  // namespace tenon
