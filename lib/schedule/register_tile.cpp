// register_tile(linear, {i, j}, {12, 32}): a reduction in registers. For
//
//   linear[i, j] += x[i, r] * w[j, r]        out[i, j] = max(linear[i, j] + b[j], 0)
//
// it writes these steps:
//
//   split(i, 12); split(j, 32)
//   set_layout(w, [d0 // 32, d1, d0 % 32])   a weight is read by whole vectors
//   reorder(jo, io, ii, ji)
//   compute_at(linear, io)                   linear shrinks to one tile
//   fission(j, 1); fission(i, 1)             the reduction apart from its initialisation
//   reorder(r, i, j)                         and around the tile
//   vectorize the last loop of each of the three nests, unroll the others
//
// The tile then is 12 x 32 accumulators that live in registers. All of it are primitives: what is
// not legal is refused by the primitive that needs it.
#include <algorithm>

#include "schedule/common.h"
#include "schedule/derived.h"
#include "schedule/stages.h"
#include "tenon/analysis/access.h"
#include "tenon/analysis/find.h"
#include "tenon/base/counted.h"
#include "tenon/base/limits.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"
#include "tenon/schedule/primitives.h"

namespace tenon {
namespace {

using Place = Schedule::Place;

// Loops of at most so many iterations are unrolled.
constexpr int64_t kMaxUnrolled = 64;

// The loops that stand directly inside each other, from s on.
std::vector<For> perfect_loops(const Stmt& s) {
  std::vector<For> loops;
  for (const For* loop = s.as<For>(); loop; loop = loop->body.as<For>()) loops.push_back(*loop);
  return loops;
}

bool has_var(const std::vector<Loop>& loops, const Var& var) {
  return std::any_of(loops.begin(), loops.end(), [&](const Loop& l) { return l.var() == var; });
}

bool written_in(const Program& program, const Loop& loop, const Buffer& buffer) {
  const std::vector<Access> accesses =
      accesses_of(find_loop(program, loop.var())->loop.body, buffer);
  return std::any_of(accesses.begin(), accesses.end(),
                     [](const Access& a) { return a.kind != Access::Kind::kRead; });
}

absl::Status require_tile(const Program& program, const Buffer& stage,
                          const std::vector<Loop>& loops, const std::vector<int64_t>& factors) {
  if (loops.empty() || loops.size() != factors.size()) {
    return refuse("one factor per loop is needed, and at least one loop; there are " +
                  counted(loops.size(), "loop") + " and " + counted(factors.size(), "factor"));
  }
  if (!find_param(program, stage) && written_in(program, loops.front(), stage)) {
    return refuse("these are the loops that compute " + stage.name() +
                  "; the tile is made of the loops of the statement that reads it");
  }
  return absl::OkStatus();
}

// --- What is asked of the program.

// The dimension of the stage that the reads (or the writes) in s index by the loop; empty when
// there is none.
std::optional<size_t> dimension_of(const Var& loop, const Stmt& s, const Buffer& stage,
                                   bool reads) {
  for (const Access& a : accesses_of(s, stage)) {
    if ((a.kind == Access::Kind::kRead) != reads) continue;
    for (size_t d = 0; d < a.indices.size(); ++d) {
      if (uses(a.indices[d], loop)) return d;
    }
  }
  return {};
}

// The loads in values that are stored to the stage.
std::vector<Expr> loads_of_stage(const Program& program, const Buffer& stage) {
  std::vector<Expr> loads;
  const auto collect = [&](const Expr& e) {
    if (e.is<Load>()) loads.push_back(e);
  };
  walk(program->body, [&](const Stmt& s) {
    if (const Store* x = s.as<Store>(); x && x->buffer == stage) walk(x->value, collect);
    if (const Accumulate* x = s.as<Accumulate>(); x && x->writes(stage)) {
      for (const Expr& value : x->values) walk(value, collect);
    }
  });
  return loads;
}

size_t count_loads(const Program& program, const Buffer& buffer) {
  size_t count = 0;
  walk_exprs(program->body, [&](const Expr& e) {
    const Load* l = e.as<Load>();
    count += l && l->buffer == buffer;
  });
  return count;
}

// The one dimension of the load that the loop indexes, by itself; empty when it is not so simple.
std::optional<size_t> plain_dimension(const Load& l, const Var& loop) {
  std::optional<size_t> dimension;
  for (size_t d = 0; d < l.indices.size(); ++d) {
    if (!uses(l.indices[d], loop)) continue;
    if (dimension || !l.indices[d].is<VarRef>()) return {};
    dimension = d;
  }
  return dimension;
}

// A weight whose panels of `lanes` elements along one dimension are read as vectors.
struct Packable {
  Buffer weight;
  size_t dimension = 0;
};

std::vector<Packable> packable_weights(const Program& program, const Buffer& stage,
                                       const Var& vector_loop) {
  std::vector<Packable> found;
  for (const Expr& e : loads_of_stage(program, stage)) {
    const Load& l = *e.as<Load>();
    const Param* param = find_param(program, l.buffer);
    if (!param || param->role != Role::kWeight || param->packing) continue;
    const std::optional<size_t> dimension = plain_dimension(l, vector_loop);
    const size_t rank = l.indices.size();
    if (!dimension || rank < 2 || rank >= kMaxRank || count_loads(program, l.buffer) != 1) continue;
    found.push_back({l.buffer, *dimension});
  }
  return found;
}

// [d0 // lanes, d1, d0 % lanes] for dimension 0.
IndexMap panels(size_t dimension, int64_t lanes) {
  return [=](const Index& index) {
    const auto panel = static_cast<int>(dimension);
    return index[panel] / Expr(lanes) + index.without(panel) + index[panel] % Expr(lanes);
  };
}

// --- The steps. Each does nothing once the schedule is refused.

class Tiler {
 public:
  Tiler(Schedule& schedule, std::string stage, Place place)
      : s_(schedule), stage_(std::move(stage)), place_(place) {}

  // Gives an output that is accumulated in place a local copy, which becomes the stage. Its loops
  // are handed over to those that write it back.
  absl::Status stage_output(const Buffer& output, std::vector<Loop>& loops) {
    std::vector<size_t> dimensions;
    for (const Loop& loop : loops) {
      const std::optional<size_t> d = dimension_of(loop.var(), s_.program()->body, output, false);
      if (!d) {
        return refuse("loop " + name(loop.var()) + " is not a loop over a dimension of " + stage_);
      }
      dimensions.push_back(*d);
    }
    const Staged copy = s_.stage(stage_, place_);
    if (!s_.status().ok()) return absl::OkStatus();
    if (!copy.copy_in.empty()) {
      return refuse("not all of " + stage_ + " is known to be stored before it is used");
    }
    stage_ = copy.stage;
    for (size_t k = 0; k < loops.size(); ++k) loops[k] = copy.copy_out[dimensions[k]];
    return absl::OkStatus();
  }

  absl::Status run(const std::vector<Loop>& loops, const std::vector<int64_t>& factors) {
    TENON_ASSIGN_OR_RETURN(const Buffer stage, find_stage(s_.program(), stage_));
    const LoopSite consumer = *find_loop(s_.program(), loops.front().var());
    const std::optional<size_t> vector_dimension =
        dimension_of(loops.back().var(), consumer.loop.body, stage, true);
    if (!vector_dimension) {
      return refuse("no read of " + stage_ + " in loop " + name(loops.front().var()) +
                    " is indexed by the vector dimension, loop " + name(loops.back().var()));
    }
    split_loops(loops, factors);
    pack_weights(stage, *vector_dimension, factors.back());
    order_consumer();
    const std::vector<Loop> producer =
        s_.compute_at(stage_, outer_.size() == 1 ? outer_[0] : outer_[outer_.size() - 2], place_);
    if (!s_.status().ok()) return absl::OkStatus();
    TENON_RETURN_IF_ERROR(tile_producer(producer, *vector_dimension));
    finish_nest(inner_, inner_.back());
    return absl::OkStatus();
  }

  const std::vector<Loop>& outer() const { return outer_; }
  const std::vector<Loop>& inner() const { return inner_; }

 private:
  std::string name(const Var& var) const { return primitives::name_in(s_.program(), var); }

  void split_loops(const std::vector<Loop>& loops, const std::vector<int64_t>& factors) {
    for (size_t d = 0; d < loops.size(); ++d) {
      const auto [outer, inner] = s_.split(loops[d], factors[d], place_);
      outer_.push_back(outer);
      inner_.push_back(inner);
    }
  }

  void pack_weights(const Buffer& stage, size_t dimension, int64_t lanes) {
    const std::vector<Access> accesses = accesses_of(s_.program()->body, stage);
    const VarRef* loop = nullptr;
    for (const Access& a : accesses) {
      if (a.kind != Access::Kind::kRead) loop = a.indices[dimension].as<VarRef>();
    }
    if (!loop || !s_.status().ok()) return;
    for (const Packable& p : packable_weights(s_.program(), stage, loop->var)) {
      s_.set_layout(p.weight.name(), panels(p.dimension, lanes), place_);
    }
  }

  // The panels of the vector dimension outermost, so that a panel of the packed weight is used for
  // all rows; loops that are not tiled stay outside.
  void order_consumer() {
    if (!s_.status().ok()) return;
    std::vector<Loop> order = untiled_between();
    order.push_back(outer_.back());
    order.insert(order.end(), outer_.begin(), outer_.end() - 1);
    order.insert(order.end(), inner_.begin(), inner_.end());
    if (order.size() > 2) s_.reorder(order, place_);
  }

  std::vector<Loop> untiled_between() const {
    std::vector<Loop> untiled;
    std::optional<LoopSite> top;
    for (const Loop& loop : outer_) {
      std::optional<LoopSite> site = find_loop(s_.program(), loop.var());
      if (!top || site->outer.size() < top->outer.size()) top = std::move(site);
    }
    size_t missing = 2 * outer_.size();
    for (const For& loop : perfect_loops(top->statement)) {
      if (missing == 0) break;
      if (has_var(outer_, loop.var) || has_var(inner_, loop.var)) {
        --missing;
      } else {
        untiled.push_back(Loop(loop.var));
      }
    }
    return untiled;
  }

  // Brings the producer into the form: initialise the tile; for r { update the tile }.
  absl::Status tile_producer(const std::vector<Loop>& loops, size_t vector_dimension) {
    if (loops.empty()) return absl::OkStatus();
    const Var vector_var = loop_of_dimension(loops, vector_dimension);
    const std::vector<For> nest = perfect_loops(find_loop(s_.program(), loops[0].var())->statement);
    const std::vector<Stmt> parts = statements_of(nest.back().body);
    if (nest.size() != loops.size() || parts.size() > 2) {
      return refuse("the nest of " + stage_ +
                    " is not an initialisation and one reduction inside of its loops");
    }
    InitAndUpdate tile{loops, {}};
    if (parts.size() == 2) tile = fission_nest(s_, loops, 1, place_);
    if (!s_.status().ok()) return absl::OkStatus();
    const auto vector_at =
        static_cast<size_t>(std::find_if(loops.begin(), loops.end(),
                                         [&](const Loop& l) { return l.var() == vector_var; }) -
                            loops.begin());
    order_tile(tile.init, vector_at);
    if (!tile.update.empty()) order_tile(tile.update, vector_at);
    return absl::OkStatus();
  }

  // The producer's loop over the dimension: what its first write is indexed by.
  Var loop_of_dimension(const std::vector<Loop>& loops, size_t dimension) const {
    const Buffer stage = *find_stage(s_.program(), stage_);
    const LoopSite site = *find_loop(s_.program(), loops[0].var());
    for (const Access& a : accesses_of(site.statement, stage)) {
      if (a.kind == Access::Kind::kRead) continue;
      if (const VarRef* index = a.indices[dimension].as<VarRef>()) return index->var;
    }
    return loops.back().var();
  }

  // Reduction loops outside, the vector loop innermost; then vector and unrolled loops. A reduction
  // over a triangle runs to the end of the tile's last row.
  void order_tile(const std::vector<Loop>& tile, size_t vector_at) {
    if (!s_.status().ok()) return;
    std::vector<Loop> order;
    for (const For& loop : perfect_loops(find_loop(s_.program(), tile[0].var())->statement)) {
      if (has_var(tile, loop.var)) continue;
      order.push_back(Loop(loop.var));
      for (const Loop& over : tile) {
        const bool varies = uses(loop.lo, over.var()) || uses(loop.hi, over.var());
        if (varies) s_.relax(Loop(loop.var), over, place_);
      }
    }
    for (size_t d = 0; d < tile.size(); ++d) {
      if (d != vector_at) order.push_back(tile[d]);
    }
    order.push_back(tile[vector_at]);
    if (order.size() > tile.size() || vector_at + 1 != tile.size()) s_.reorder(order, place_);
    finish_nest(tile, tile[vector_at]);
  }

  void finish_nest(const std::vector<Loop>& loops, const Loop& vector_loop) {
    s_.vectorize(vector_loop, place_);
    for (const Loop& loop : loops) {
      if (!s_.status().ok()) return;
      if (loop.var() == vector_loop.var()) continue;
      const LoopSite site = *find_loop(s_.program(), loop.var());
      const std::optional<int64_t> extent = primitives::constant_extent(site.loop, site.facts);
      if (extent && *extent <= kMaxUnrolled) s_.unroll(loop, place_);
    }
  }

  Schedule& s_;
  std::string stage_;
  const Place place_;
  std::vector<Loop> outer_, inner_;
};

}  // namespace

RegisterTile Schedule::register_tile(std::string_view stage, const std::vector<Loop>& loops,
                                     const Factors& factors, Place place) {
  const std::string action = "register_tile(" + std::string(stage) + ", {" + names_of(loops) +
                             "}, " + factors.text() + ")";
  RegisterTile tile;
  tile.outer_ = tile.inner_ = std::vector<Loop>(loops.size(), Loop(Var("none")));
  if (!status_.ok()) return tile;
  const absl::StatusOr<Buffer> buffer = find_stage(program_, stage);
  absl::Status ready = buffer.status();
  if (ready.ok()) ready = require_loops(loops);
  if (ready.ok()) ready = require_tile(program_, *buffer, loops, factors.values());
  if (!ready.ok()) {
    refuse_step(ready, action, place);
    return tile;
  }

  Derived derived(*this, action, place);
  Tiler tiler(*this, std::string(stage), place);
  std::vector<Loop> consumer = loops;
  absl::Status refusal;
  if (written_in(program_, loops.front(), *buffer)) {
    refusal = tiler.stage_output(*buffer, consumer);
  }
  if (status_.ok() && refusal.ok()) refusal = tiler.run(consumer, factors.values());
  if (status_.ok() && !refusal.ok()) refuse_step(refusal, action, place);
  if (!derived.finish()) return tile;
  tile.outer_ = tiler.outer();
  tile.inner_ = tiler.inner();
  return tile;
}

}  // namespace tenon
