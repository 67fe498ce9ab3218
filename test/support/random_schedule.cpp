#include "support/random_schedule.h"

#include <algorithm>
#include <optional>

#include "tenon/analysis/access.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/visit.h"

namespace tenon::test {
namespace {

// A store to one buffer that reads another: to[at] = f(from[read_at]).
struct Copy {
  std::string from, to;
  std::vector<Expr> at, read_at;
};

struct Pieces {
  std::vector<Loop> loops;
  std::vector<Loop> vector_candidates;  // innermost loops
  std::vector<Loop> sequences;          // loops around several statements
  std::vector<Loop> unit_loops;         // of one iteration
  // A loop and one around it that its bounds use; two serial loops in one sequence.
  std::vector<std::pair<Loop, Loop>> ragged, siblings;
  std::vector<std::string> locals;
  std::vector<std::string> matrices;  // locals of two dimensions
  std::vector<std::string> weights;
  std::vector<std::string> stages;  // locals and outputs
  // A buffer and a loop around an access of it.
  std::vector<std::pair<std::string, Loop>> accesses;
  // A local and a loop around a statement that reads it.
  std::vector<std::pair<std::string, Loop>> readers;
  std::vector<Loop> reductions;  // loops around accumulations whose target does not use them
  // A local and the loop whose body declares it.
  std::vector<std::pair<std::string, Loop>> expandable;
  std::vector<Copy> copies;  // into locals
  std::vector<Copy> stores;  // into outputs
};

void collect_readers(const Stmt& s, std::vector<Loop> around, Pieces& p) {
  if (const For* loop = s.as<For>()) around.emplace_back(loop->var);
  const auto reads = [&](const Expr& e) {
    walk(e, [&](const Expr& x) {
      const Load* l = x.as<Load>();
      if (!l || std::find(p.locals.begin(), p.locals.end(), l->buffer.name()) == p.locals.end()) {
        return;
      }
      for (const Loop& loop : around) p.readers.emplace_back(l->buffer.name(), loop);
    });
  };
  for_each_child(s, reads, [&](const Stmt& child) { collect_readers(child, around, p); });
}

void collect_accesses(const Stmt& body, Pieces& p) {
  for (const Access& a : accesses_of(body)) {
    for (const For& loop : a.loops) p.accesses.emplace_back(a.buffer.name(), loop.var);
  }
}

void collect_ragged(const Stmt& s, std::vector<Var> around, Pieces& p) {
  if (const For* loop = s.as<For>()) {
    for (const Var& outer : around) {
      if (uses(loop->lo, outer) || uses(loop->hi, outer)) p.ragged.emplace_back(loop->var, outer);
    }
    around.push_back(loop->var);
  }
  for_each_child(
      s, [](const Expr&) {}, [&](const Stmt& child) { collect_ragged(child, around, p); });
}

// Most often two over the same range.
void collect_siblings(const Seq& list, Pieces& p) {
  const For* last = nullptr;
  for (const Stmt& s : list.stmts) {
    const For* loop = s.as<For>();
    if (!loop || loop->kind != ForKind::kSerial) continue;
    const bool same = last && equal(last->lo, loop->lo) && equal(last->hi, loop->hi);
    for (int n = same ? 5 : 1; last && n > 0; --n) p.siblings.emplace_back(last->var, loop->var);
    last = loop;
  }
}

void collect_reductions(const Stmt& s, std::vector<Var> around, Pieces& p) {
  if (const For* loop = s.as<For>()) around.push_back(loop->var);
  if (const Accumulate* a = s.as<Accumulate>()) {
    for (const Var& var : around) {
      const bool used = std::any_of(a->indices.begin(), a->indices.end(),
                                    [&](const Expr& index) { return uses(index, var); });
      if (!used) p.reductions.emplace_back(var);
    }
  }
  for_each_child(
      s, [](const Expr&) {}, [&](const Stmt& child) { collect_reductions(child, around, p); });
}

bool is_local(const Pieces& p, const Buffer& buffer) {
  return std::find(p.locals.begin(), p.locals.end(), buffer.name()) != p.locals.end();
}

void collect_copies(const Stmt& body, Pieces& p) {
  walk(body, [&](const Stmt& s) {
    if (const For* loop = s.as<For>()) {
      for (const Stmt& part : statements_of(loop->body)) {
        const Alloc* local = part.as<Alloc>();
        if (local) p.expandable.emplace_back(local->buffer.name(), Loop(loop->var));
      }
    }
    const Store* to = s.as<Store>();
    if (!to) return;
    walk(to->value, [&](const Expr& e) {
      const Load* from = e.as<Load>();
      if (!from || !is_local(p, from->buffer) || !(from->buffer.type() == to->buffer.type()))
        return;
      (is_local(p, to->buffer) ? p.copies : p.stores)
          .push_back({from->buffer.name(), to->buffer.name(), to->indices, from->indices});
    });
  });
}

Pieces pieces_of(const Program& program) {
  Pieces p;
  walk(program->body, [&](const Stmt& s) {
    if (const For* loop = s.as<For>()) {
      p.loops.emplace_back(loop->var);
      bool innermost = true;
      walk(loop->body, [&](const Stmt& inner) { innermost = innermost && !inner.is<For>(); });
      if (innermost) p.vector_candidates.emplace_back(loop->var);
      if (loop->body.is<Seq>()) p.sequences.emplace_back(loop->var);
      if (is_constant(loop->lo, 0) && is_constant(loop->hi, 1))
        p.unit_loops.emplace_back(loop->var);
    }
    if (const Seq* list = s.as<Seq>()) collect_siblings(*list, p);
    if (const Alloc* local = s.as<Alloc>()) {
      p.locals.push_back(local->buffer.name());
      if (local->shape.size() == 2) p.matrices.push_back(local->buffer.name());
    }
  });
  collect_readers(program->body, {}, p);
  collect_accesses(program->body, p);
  collect_ragged(program->body, {}, p);
  collect_reductions(program->body, {}, p);
  collect_copies(program->body, p);
  p.stages = p.locals;
  for (const Param& param : program->params) {
    if (param.role == Role::kWeight) p.weights.push_back(param.name());
    if (is_written(param.role)) p.stages.push_back(param.name());
  }
  return p;
}

// An injective map: a permutation of the indices, then sometimes blocks of one of them.
IndexMap random_layout(Rng& rng) {
  const uint64_t seed = rng.bits();
  return [seed](const Index& i) {
    Rng own(seed);
    std::vector<Expr> map = i.exprs();
    for (size_t d = map.size(); d > 1; --d) {
      std::swap(map[d - 1], map[static_cast<size_t>(own.below(static_cast<int>(d)))]);
    }
    if (!map.empty() && map.size() < 8 && own.chance(60)) {
      const size_t d = static_cast<size_t>(own.below(static_cast<int>(map.size())));
      const Expr index = map[d];
      const Expr block = own.between(2, 8);
      map[d] = index / block;
      map.push_back(index % block);
    }
    return map;
  };
}

// The stage lives where the output is stored from it: what the element's indices differ by.
void random_store_in(Rng& rng, Schedule& s, const Pieces& p) {
  if (p.stores.empty()) return;
  const Copy& copy = rng.pick(p.stores);
  s.store_in(copy.from, copy.to, [&](const Index& d) {
    std::vector<Expr> map;
    for (size_t k = 0; k < copy.at.size(); ++k) {
      const bool pairs = copy.read_at.size() == copy.at.size();
      map.push_back(pairs ? d[static_cast<int>(k)] + (copy.at[k] - copy.read_at[k]) : copy.at[k]);
    }
    return map;
  });
}

constexpr int kFactors[] = {1, 2, 3, 4, 5, 8, 16, 32};

constexpr Tail kTails[] = {Tail::kGuard, Tail::kCut, Tail::kPerfect};

void random_relax(Rng& rng, Schedule& s, const Pieces& p) {
  const auto& [inner, outer] = rng.pick(p.ragged);
  if (rng.chance(50)) {
    s.relax(inner);
  } else {
    s.relax(inner, outer);
  }
}

// The steps that give iterations other numbers.
void random_renumbering(Rng& rng, Schedule& s, const Loop& around, const Loop& loop) {
  const auto by = [&] { return rng.between(-3, 3); };
  switch (rng.below(4)) {
    case 0: s.shift(loop, Expr(by())); break;
    case 1: s.reverse(loop); break;
    default: s.skew(loop, around, by());
  }
}

// A step for which few stages and loops fit together: several are asked about.
template <class Step>
void try_often(Schedule& s, const Step& step) {
  for (int attempts = 6; attempts > 0; --attempts) {
    Schedule attempt = s;
    step(attempt);
    const bool done =
        attempt.status().ok() && attempt.trace().steps().size() > s.trace().steps().size();
    if (!done && attempts > 1) continue;
    s = attempt;
    return;
  }
}

// The leaf of a loop without loops inside; null when there are several.
Stmt leaf_of(const Stmt& s) {
  if (const For* loop = s.as<For>()) return leaf_of(loop->body);
  if (const If* guard = s.as<If>()) return leaf_of(guard->body);
  return s.is<Store>() || s.is<Accumulate>() ? s : Stmt();
}

// An instruction that computes what the innermost loop does. A copy, and a sum of integers, are
// real ones: an assembly that does nothing, in a vector register. Others no target has. Null where
// the loop is no meaning.
Instruction instruction_of(const For& loop, const std::string& name) {
  const std::optional<int64_t> lo = as_int(loop.lo), hi = as_int(loop.hi);
  const Stmt leaf = leaf_of(loop.body);
  if (!leaf || !lo || !hi) return {};
  const Store* store_to = leaf.as<Store>();
  const Accumulate* sum = leaf.as<Accumulate>();
  if (sum && sum->by.functions()) return {};
  const Buffer& target = store_to ? store_to->buffer : sum->buffer();
  const Expr& value = store_to ? store_to->value : sum->value();
  const int64_t count = *hi - *lo;
  const Var i("i");
  ProgramData meaning;
  meaning.name = name;
  std::vector<InstructionOperand> operands;
  std::vector<Expr> loads, places;
  const Expr abstract = rewrite(value, [&](const Expr& e) {
    const Load* x = e.as<Load>();
    if (!x) return e;
    for (size_t k = 0; k < loads.size(); ++k) {
      if (equal(loads[k], e)) return places[k];
    }
    const Buffer operand("a" + std::to_string(loads.size()), x->buffer.type());
    const bool moves = uses(e, loop.var);
    meaning.params.push_back({Role::kInput, operand, {}, {}, {}, {}});
    if (moves) meaning.params.back().shape = {Expr(count)};
    operands.emplace_back(operand.name());
    loads.push_back(e);
    places.push_back(load(operand, moves ? std::vector<Expr>{i} : std::vector<Expr>{}));
    return places.back();
  });
  const Buffer out("out", target.type());
  meaning.params.push_back({Role::kOutput, out, {}, {Expr(count)}, {}, {}});
  const Stmt write =
      store_to ? store(out, {i}, abstract) : accumulate(out, {i}, sum->by.op(), abstract);
  meaning.body = make_for(i, 0, Expr(count), ForKind::kSerial, write);
  const Type type = target.type();
  const int64_t bits = count * type.bits();
  const bool copies = abstract.is<Load>() && !type.is_small_float() && (store_to || type.is_int());
  const bool from_vector = places.size() == 1 && !meaning.params.front().shape.empty();
  const bool is_real = copies && from_vector && (bits == 128 || bits == 256);
  if (!is_real) operands.emplace_back("out");
  const Instruction made({.name = name,
                          .needs = {is_real ? (bits == 128 ? "sse2" : "avx") : "none"},
                          .meaning = Program(std::move(meaning)),
                          .operands = operands,
                          .assembly = "# the same",
                          .constraints = "=x,0"});
  return made->status.ok() ? made : Instruction();
}

void random_tensorize(Rng& rng, Schedule& s, const Pieces& p) {
  const Loop loop = s.split(rng.pick(p.vector_candidates), 1 << rng.between(1, 5)).second;
  const std::optional<LoopSite> site = find_loop(s.program(), loop.var());
  if (!site) return;
  // An attempt that fails leaves its number of steps to the next one.
  const std::string name =
      "nest_" + std::to_string(s.trace().steps().size()) + "_" + std::to_string(rng.below(1 << 20));
  if (const Instruction made = instruction_of(site->loop, name)) s.tensorize(loop, made);
}

// A copy, which sometimes gets a layout of its own.
void random_stage(Rng& rng, Schedule& s, const Pieces& p) {
  if (p.accesses.empty()) return;
  const auto& [buffer, around] = rng.pick(p.accesses);
  const Staged copy = rng.chance(10) ? s.stage(buffer) : s.stage(buffer, around);
  if (rng.chance(30)) s.set_layout(copy.stage, random_layout(rng));
}

void random_alignment(Rng& rng, Schedule& s, const Pieces& p) {
  if (p.locals.empty()) return;
  const std::string& stage = rng.pick(p.matrices.empty() ? p.locals : p.matrices);
  const int64_t multiple = kFactors[rng.below(8)];
  s.align_storage(stage, 0, multiple, rng.below(static_cast<int>(multiple)));
}

// A stage and all that it is read with, at one loop.
void random_fuse_at(Rng& rng, Schedule& s, const Pieces& p) {
  if (p.readers.empty()) return;
  const auto& [stage, around] = rng.pick(p.readers);
  std::vector<std::string> stages = {stage};
  for (const std::string& other : p.locals) {
    if (other != stage && rng.chance(30)) stages.push_back(other);
  }
  s.fuse_at(stages, around);
}

// A stage that is declared in a loop, and that loop; one that is computed there now, if none was.
std::optional<std::pair<std::string, Loop>> inner_stage(Rng& rng, Schedule& s, const Pieces& p) {
  if (!p.expandable.empty() && rng.chance(60)) return rng.pick(p.expandable);
  if (p.readers.empty()) return std::nullopt;
  const auto& [stage, at] = rng.pick(p.readers);
  s.compute_at(stage, at);
  return std::pair(stage, at);
}

// A condition on a size, or on a scalar.
Expr random_condition(Rng& rng, const Program& program) {
  if (!program->sizes.empty()) {
    const Expr size = rng.pick(program->sizes);
    switch (rng.below(3)) {
      case 0: return size % rng.between(2, 8) == 0;
      case 1: return size < rng.between(1, 20);
      default: return Expr(rng.between(0, 9)) < size;
    }
  }
  for (const Param& param : program->params) {
    if (param.role != Role::kScalar || param.scalar.type().is_bool()) continue;
    return Expr(param.scalar) < constant_int(param.scalar.type(), rng.between(0, 3));
  }
  return {};
}

// A step that places a stage as a whole, or that brings a fact in.
void one_placement(Rng& rng, Schedule& s, const Pieces& p, const Sizes& values, int kind) {
  std::vector<Copy> pairs = p.copies;
  pairs.insert(pairs.end(), p.stores.begin(), p.stores.end());
  switch (kind) {
    case 0:
    case 1:
      if (const auto inner = inner_stage(rng, s, p)) {
        if (rng.chance(50)) {
          s.compute_root(inner->first);
        } else {
          s.hoist_alloc(inner->first, inner->second);
        }
      }
      break;
    case 2:
    case 3:
    case 4:
      if (!p.readers.empty()) {
        const auto& [stage, at] = rng.pick(p.readers);
        Schedule placed = s;
        placed.compute_at(stage, at);
        if (placed.status().ok()) s = placed;
        s.hoist_alloc(stage, at);
        s.slide(stage, at);
      }
      break;
    case 5:
    case 6:
    case 7:
      if (!pairs.empty()) s.reverse_inline(rng.pick(pairs).to);
      break;
    case 8:
      if (!pairs.empty()) {
        const Copy& copy = rng.pick(pairs);
        const std::vector<Loop> loops = s.all_loops(copy.from);
        if (!loops.empty()) s.reverse_compute_at(copy.to, rng.pick(loops));
      }
      break;
    case 9:
      if (!pairs.empty()) s.fuse_epilogue(rng.pick(pairs).to);
      break;
    default: {
      const Expr condition = random_condition(rng, s.program());
      if (!condition) break;
      if (rng.chance(50)) {
        VarMap known;
        for (const auto& [size, value] : values.values()) known[size] = constant_int(i64, value);
        if (is_constant(simplify(substitute(condition, known)), 1)) s.assume(condition);
      } else if (p.loops.size() < 16) {  // twice as many are made
        s.specialize(condition);
      }
    }
  }
}

void random_placement(Rng& rng, Schedule& s, const Pieces& p, const Sizes& values) {
  const int kind = rng.below(12);
  try_often(s, [&](Schedule& attempt) { one_placement(rng, attempt, p, values, kind); });
}

// About caches: it means nothing, and later steps have to cope with it.
void random_hint(Rng& rng, Schedule& s, const Pieces& p) {
  if (rng.chance(40)) return s.stream(rng.pick(p.stages));
  if (p.accesses.empty()) return;
  try_often(s, [&](Schedule& t) {
    const auto& [buffer, loop] = rng.pick(p.accesses);
    t.prefetch(buffer, loop, rng.between(1, 40));
  });
}

void random_step(Rng& rng, Schedule& s, const Sizes& values) {
  const Pieces p = pieces_of(s.program());
  if (p.loops.empty()) return;
  if (rng.chance(30)) return random_placement(rng, s, p, values);
  const Loop loop = rng.pick(p.loops);
  const Loop other = rng.pick(p.loops);
  const auto neighbours = [&] {  // a loop and one inside it, most of the time
    const size_t at = static_cast<size_t>(rng.below(static_cast<int>(p.loops.size())));
    return std::pair(p.loops[at], p.loops[std::min(at + 1, p.loops.size() - 1)]);
  };
  // Loops whose bounds use others are rare: most are asked about.
  if (!p.ragged.empty() && rng.chance(20)) return random_relax(rng, s, p);
  // Stages that are computed from each other element by element are rare, too.
  if (!p.copies.empty() && rng.chance(28)) {
    const Copy& copy = rng.pick(p.copies);
    s.store_over(copy.to, copy.from);
    return;
  }
  if (!p.vector_candidates.empty() && rng.chance(4)) {
    return try_often(s, [&](Schedule& t) { random_tensorize(rng, t, p); });
  }
  switch (rng.below(48)) {
    case 0: s.split(loop, kFactors[rng.below(8)]); break;
    case 1: s.split(loop, kFactors[rng.below(8)], kTails[rng.below(3)]); break;
    case 18: s.split(loop, {rng.chance(30) ? kInferred : 2, rng.between(1, 3)}); break;
    case 19:
    case 20: {
      const auto [outer, inner] = neighbours();
      random_renumbering(rng, s, outer, inner);
      break;
    }
    case 21:
      if (!p.unit_loops.empty() && rng.chance(70)) {
        s.squash(rng.pick(p.unit_loops));
      } else {
        const Loop unit = s.add_unit_loop(loop);
        if (rng.chance(30)) s.squash(unit);
      }
      break;
    case 22:
    case 23:
      if (!p.siblings.empty()) {
        const auto& [first, second] = rng.pick(p.siblings);
        s.merge(first, second);
      }
      break;
    case 2: {
      const auto [outer, inner] = neighbours();
      s.fuse(outer, inner);
      break;
    }
    case 3:
    case 4: {
      const auto [outer, inner] = neighbours();
      s.reorder({inner, outer});
      break;
    }
    case 5: {
      const auto [outer, inner] = neighbours();
      s.tile(outer, inner, kFactors[rng.below(7)], kFactors[rng.below(7)]);
      break;
    }
    case 6: s.cut(loop, Expr(rng.between(0, 9))); break;
    case 7:
      if (rng.chance(50)) {
        s.unroll(loop);
      } else {
        s.unroll(loop, kFactors[rng.below(5)]);
      }
      break;
    case 8: s.vectorize(rng.pick(p.vector_candidates)); break;
    case 9: {
      const auto [outer, inner] = s.split(rng.pick(p.vector_candidates), 1 << rng.between(1, 5));
      (void)outer;
      s.vectorize(inner);
      break;
    }
    case 10:
      if (rng.chance(70)) {
        s.parallelize(loop);
      } else {
        s.parallelize(loop, kFactors[rng.below(5)]);
      }
      break;
    case 11:
    case 17:
      s.fission(p.sequences.empty() ? loop : rng.pick(p.sequences), rng.between(1, 2));
      break;
    case 12:
    case 16:
    case 44:
      if (!p.readers.empty() && rng.chance(85)) {
        const auto& [stage, at] = rng.pick(p.readers);
        s.compute_at(stage, at);
      } else if (!p.locals.empty()) {
        s.compute_at(rng.pick(p.locals), other);
      }
      break;
    case 13:
    case 43:
      if (!p.locals.empty()) s.inline_into(rng.pick(p.locals));
      break;
    case 14: {
      std::vector<std::string> buffers = p.locals;
      buffers.insert(buffers.end(), p.weights.begin(), p.weights.end());
      if (!buffers.empty()) s.set_layout(rng.pick(buffers), random_layout(rng));
      break;
    }
    case 24:
    case 25:
      s.rfactor(p.reductions.empty() || rng.chance(20) ? loop : rng.pick(p.reductions));
      break;
    case 26:
      try_often(s, [&](Schedule& t) {
        t.decompose_init(p.sequences.empty() ? rng.pick(p.loops) : rng.pick(p.sequences));
      });
      break;
    case 27:
      if (!p.expandable.empty()) {
        const auto& [stage, around] = rng.pick(p.expandable);
        s.expand(stage, around);
      } else if (!p.readers.empty()) {
        const auto& [stage, around] = rng.pick(p.readers);
        s.compute_at(stage, around);
        s.expand(stage, around);
      }
      break;
    case 28:
      if (!p.reductions.empty() && rng.chance(65)) {
        s.pad_reduction(rng.pick(p.reductions), kFactors[rng.below(8)]);
        break;
      }
      s.pad(rng.pick(p.locals.empty() ? p.stages : p.locals), rng.below(2), kFactors[rng.below(8)]);
      break;
    case 29:
      if (!p.locals.empty() && rng.chance(40)) {
        s.set_scope(rng.pick(p.locals), rng.chance(80) ? Memory::kWorkspace : Memory::kAuto);
        break;
      }
      if (!p.matrices.empty()) s.reorder_storage(rng.pick(p.matrices), {1, 0});
      break;
    case 47: random_hint(rng, s, p); break;
    case 30:
      if (p.locals.size() > 1) {
        try_often(s, [&](Schedule& t) { t.store_over(rng.pick(p.locals), rng.pick(p.locals)); });
      }
      break;
    case 31:
    case 42: try_often(s, [&](Schedule& t) { random_store_in(rng, t, p); }); break;
    case 32:
    case 33: random_stage(rng, s, p); break;
    case 34:
    case 46: try_often(s, [&](Schedule& t) { random_alignment(rng, t, p); }); break;
    case 35:
      if (!p.locals.empty()) {
        try_often(s, [&](Schedule& t) {
          t.fold_storage(rng.pick(p.locals), rng.chance(70) ? 0 : rng.below(3), rng.between(1, 12));
        });
      }
      break;
    case 36:
    case 37:
      s.lanes(p.reductions.empty() ? loop : rng.pick(p.reductions), rng.between(1, 3),
              64 << rng.between(0, 3));
      break;
    case 38:
      if (rng.chance(50)) {
        s.parallel_chunks(loop, rng.between(1, 4));
      } else {
        s.decompose_init(p.sequences.empty() ? loop : rng.pick(p.sequences));
      }
      break;
    case 39:
    case 41: try_often(s, [&](Schedule& t) { random_fuse_at(rng, t, p); }); break;
    case 40:
      if (rng.chance(30) || p.matrices.empty()) {
        s.split_rows(p.sequences.empty() ? loop : rng.pick(p.sequences), rng.between(1, 4));
      } else {
        s.reorder_storage(rng.pick(p.matrices), {1, 0});
      }
      break;
    default: {
      const std::string stage = rng.pick(p.stages);
      const std::vector<Loop> loops = s.loops(rng.pick(p.stages));
      if (!loops.empty()) {
        std::vector<int64_t> factors;
        for (size_t d = 0; d < loops.size(); ++d) factors.push_back(kFactors[rng.between(1, 6)]);
        s.register_tile(stage, loops, factors);
      }
    }
  }
}

}  // namespace

bool try_random_step(Rng& rng, Schedule& schedule, absl::Status* refusal, const Sizes& values) {
  Schedule attempt = schedule;
  const size_t before = attempt.trace().steps().size();
  random_step(rng, attempt, values);
  if (!attempt.status().ok()) {
    if (refusal) *refusal = attempt.status();
    return false;
  }
  if (attempt.trace().steps().size() == before) return false;
  schedule = attempt;
  return true;
}

}  // namespace tenon::test
