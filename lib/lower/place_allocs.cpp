// place_allocs: where each local buffer lives.
//
//   alloc t: f32[12, 32]      ->  alloc t: f32[12, 32] in stack
//   alloc p: f32[n, 32]       ->  alloc p: f32[n, 32] in shared at 4096
//
// Needs: kExplicitVectors (then it is known which indices are constants). Gives: kAllocsPlaced.
// * A shape that varies with loops becomes its hull, so that sizes and offsets depend on the
//   Program's sizes only.
// * Where a schedule asks for a place (set_scope), that one, or a refusal. Else:
// * Constant and small: the stack. A buffer whose indices are all constants becomes registers and
//   costs no stack; the others share a budget per task, since a host's threads may have small
//   stacks.
// * The rest: the workspace, in the shared part or, inside a parallel loop, in the worker's slice.
//   Buffers that are never alive at the same time share bytes. A buffer is alive from the first to
//   the last statement of its sequence that uses it.
#include <algorithm>

#include "lower/guards.h"
#include "lower/index_math.h"
#include "lower/passes.h"
#include "tenon/analysis/interval.h"
#include "tenon/analysis/prove.h"
#include "tenon/analysis/simplify.h"
#include "tenon/base/limits.h"
#include "tenon/base/macros.h"
#include "tenon/ir/operators.h"
#include "tenon/lower/lower.h"

namespace tenon {
namespace {

constexpr int64_t kMaxStackPerTask = 32 << 10;
constexpr int64_t kAlignment = WorkspaceNeed::kAlignment;

Expr number(int64_t value) { return constant_int(i64, value); }

Expr aligned(const Expr& bytes) {
  if (const std::optional<int64_t> n = as_int(bytes)) {
    return number((*n + kAlignment - 1) / kAlignment * kAlignment);
  }
  return index_mul(ceildiv(bytes, number(kAlignment)), number(kAlignment));
}

Expr bytes_of(const Buffer& buffer, const std::vector<Expr>& shape) {
  Expr bytes = number(buffer.type().bytes());
  for (const Expr& extent : shape) bytes = index_mul(extent, bytes);
  return aligned(bytes);
}

// The larger of two numbers of bytes, without a max where one is known to be the larger.
Expr larger(const Expr& a, const Expr& b, const Facts& facts) {
  if (!a) return b;
  const std::optional<int64_t> x = as_int(a), y = as_int(b);
  if (x && y) return *x >= *y ? a : b;
  if (equal(a, b) || proved(facts, b <= a)) return a;
  if (proved(facts, a <= b)) return b;
  return max(a, b);
}

struct Local {
  Buffer buffer;
  std::vector<Expr> shape;    // over sizes only
  Var task;                   // the parallel loop around; null: none
  int first = -1, last = -1;  // positions between which it is alive
  bool constant_indices = true;

  Memory memory = Memory::kAuto;  // what was asked for, then what it is
  Expr offset, end;               // of workspace memory, in bytes
};

// --- Which buffers there are, and when they are alive.

class Collector {
 public:
  explicit Collector(const Program& program) : facts_(facts_of(program)) {}

  void statement(const Stmt& s) {
    if (const Seq* many = s.as<Seq>()) return sequence(*many);
    if (const For* loop = s.as<For>()) return inside(*loop);
    for_each_child(
        s, [&](const Expr& e) { expression(e); }, [&](const Stmt& child) { statement(child); });
    if (const Store* x = s.as<Store>()) access(x->buffer, x->indices);
    if (const Accumulate* x = s.as<Accumulate>()) {
      for (const Buffer& buffer : x->buffers) access(buffer, x->indices);
    }
    if (const Call* x = s.as<Call>()) {
      for (const CallRegion& part : regions_of(*x)) given(part.buffer);
    }
    ++now_;
  }

  std::vector<Local>& locals() { return locals_; }
  const absl::Status& status() const { return status_; }

 private:
  void inside(const For& loop) {
    expression(loop.lo), expression(loop.hi);
    const Facts outer_facts = facts_;
    const Var outer_task = task_;
    facts_ = facts_.inside(loop);
    loops_.push_back({loop.var, loop.lo, loop.hi});
    if (loop.kind == ForKind::kParallel) task_ = loop.var;
    statement(loop.body);
    task_ = outer_task;
    loops_.pop_back();
    facts_ = outer_facts;
    ++now_;
  }

  // A statement of the sequence is one moment for the buffers that the sequence declares: a loop
  // runs many times.
  void sequence(const Seq& s) {
    std::vector<int> begins;
    std::vector<size_t> declared;
    for (const Stmt& part : s.stmts) {
      begins.push_back(now_);
      if (const Alloc* a = part.as<Alloc>()) declared.push_back(declare(*a));
      if (const Bind* b = part.as<Bind>()) names_.emplace(b->var, substitute(b->value, names_));
      statement(part);
    }
    begins.push_back(now_);
    for (size_t i : declared) {
      Local& local = locals_[i];
      if (local.first < 0) continue;
      const auto after_first = std::upper_bound(begins.begin(), begins.end(), local.first);
      const auto after_last = std::upper_bound(begins.begin(), begins.end(), local.last);
      local.first = *(after_first - 1);
      local.last = *after_last - 1;
    }
  }

  size_t declare(const Alloc& a) {
    Local local{a.buffer, {}, task_};
    local.memory = a.memory;
    for (const Expr& extent : a.shape) local.shape.push_back(hull(a.buffer, extent));
    if (is_too_large(local)) {
      status_ = refuse("buffer " + a.buffer.name() + " takes more than 2^47 bytes");
    }
    index_of_.emplace(a.buffer, locals_.size());
    locals_.push_back(std::move(local));
    return locals_.size() - 1;
  }

  // No process has so much memory; sums of smaller sizes do not overflow.
  static bool is_too_large(const Local& local) {
    double bytes = local.buffer.type().bytes();
    for (const Expr& extent : local.shape) {
      bytes *= static_cast<double>(as_int(extent).value_or(1));
    }
    return bytes > 0x1p47;
  }

  // The largest extent over the loops around, not less than 0.
  Expr hull(const Buffer& buffer, const Expr& extent) {
    if (const std::optional<int64_t> n = as_int(extent)) return *n < 0 ? number(0) : extent;
    Expr widest = substitute(extent, names_);
    const std::optional<SymbolicInterval> bounds = bounds_over(widest, loops_, facts_);
    if (bounds) widest = simplify(bounds->hi, facts_);
    if (!bounds || touches_memory(widest)) {
      status_ = refuse("the extent " + print(extent) + " of " + buffer.name() +
                       " has no bound over the sizes of the program");
    }
    if (!proved(facts_, number(0) <= widest)) widest = max(widest, number(0));
    return widest;
  }

  void expression(const Expr& e) {
    for_each_child(e, [&](const Expr& child) { expression(child); });
    if (const Load* l = e.as<Load>()) access(l->buffer, l->indices);
  }

  void access(const Buffer& buffer, const std::vector<Expr>& indices) {
    const auto found = index_of_.find(buffer);
    if (found == index_of_.end()) return;
    Local& local = locals_[found->second];
    if (local.first < 0) local.first = now_;
    local.last = now_;
    for (const Expr& index : indices) {
      local.constant_indices = local.constant_indices && is_constant_index(index);
    }
  }

  // To a function, which takes an address: no registers.
  void given(const Buffer& buffer) {
    access(buffer, {});
    const auto found = index_of_.find(buffer);
    if (found != index_of_.end()) locals_[found->second].constant_indices = false;
  }

  static bool is_constant_index(const Expr& e) {
    const Ramp* r = e.as<Ramp>();
    return r ? r->base.is<Const>() && r->stride.is<Const>() : is_constant(e);
  }

  Facts facts_;
  std::vector<LoopRange> loops_;
  VarMap names_;
  Var task_;
  int now_ = 0;
  std::vector<Local> locals_;
  std::map<Buffer, size_t> index_of_;
  absl::Status status_;
};

// --- Where they go.

// `used` are the bytes of stack that the task has already.
bool on_stack(const Local& local, int64_t& used) {
  if (local.memory == Memory::kWorkspace) return false;
  // A buffer without elements may have extents that are no constants.
  if (!std::all_of(local.shape.begin(), local.shape.end(), as_int)) return false;
  const std::optional<int64_t> bytes = as_int(bytes_of(local.buffer, local.shape));
  if (!bytes || *bytes > kMaxStackBuffer) return false;
  if (local.constant_indices) return true;
  if (used + *bytes > kMaxStackPerTask) return false;
  used += *bytes;
  return true;
}

// Why it is not where the schedule wants it; `fits` is what on_stack says.
absl::Status is_as_asked(const Local& local, bool fits) {
  const bool registers = local.memory == Memory::kRegisters;
  if (!registers && local.memory != Memory::kStack) return absl::OkStatus();
  const std::string start = "buffer " + local.buffer.name() + " is to live " +
                            (registers ? "in registers" : "on the stack") + ", and ";
  if (!fits) {
    return refuse(start + "it has no constant size, or one above " +
                  std::to_string(kMaxStackBuffer >> 10) + " KiB, or with the others of its task " +
                  "more than " + std::to_string(kMaxStackPerTask >> 10) + " KiB");
  }
  if (registers && !local.constant_indices) {
    return refuse(start + "an index of it is no constant once loops are unrolled", {},
                  {"unroll or vectorize every loop that indexes it"});
  }
  return absl::OkStatus();
}

bool conflict(const Local& a, const Local& b) {
  if (a.memory != b.memory || !a.offset) return false;
  return a.first <= b.last && b.first <= a.last;
}

// The lowest offset at which `bytes` fit between constant spans.
int64_t first_fit(std::vector<std::pair<int64_t, int64_t>> spans, int64_t bytes) {
  std::sort(spans.begin(), spans.end());
  int64_t offset = 0;
  for (const auto& [begin, end] : spans) {
    if (offset + bytes <= begin) break;
    offset = std::max(offset, end);
  }
  return offset;
}

// An offset that no buffer uses that is alive at the same time: between constants the lowest one
// that fits, else above all of them.
void give_offset(Local& local, const std::vector<Local>& placed, const Facts& facts) {
  const Expr bytes = bytes_of(local.buffer, local.shape);
  std::vector<std::pair<int64_t, int64_t>> spans;
  bool constant = as_int(bytes).has_value();
  Expr above = number(0);
  for (const Local& other : placed) {
    if (!conflict(other, local)) continue;
    const std::optional<int64_t> begin = as_int(other.offset), end = as_int(other.end);
    constant = constant && begin && end;
    if (constant) spans.emplace_back(*begin, *end);
    above = larger(above, other.end, facts);
  }
  local.offset = constant ? number(first_fit(std::move(spans), *as_int(bytes))) : above;
  local.end = simplify(index_add(local.offset, bytes), facts);
}

absl::Status place(std::vector<Local>& locals, const Facts& facts) {
  std::map<Var, int64_t> used;  // bytes of stack, by task
  int64_t used_outside = 0;
  for (Local& local : locals) {
    if (local.first < 0) continue;
    int64_t& stack = local.task ? used[local.task] : used_outside;
    const bool fits = on_stack(local, stack);
    TENON_RETURN_IF_ERROR(is_as_asked(local, fits));
    if (fits) {
      local.memory = Memory::kStack;
    } else {
      local.memory = local.task ? Memory::kWorker : Memory::kShared;
      give_offset(local, locals, facts);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Program> place_allocs(const Program& program, const Target&) {
  Collector collector(program);
  collector.statement(program->body);
  TENON_RETURN_IF_ERROR(collector.status());
  TENON_RETURN_IF_ERROR(place(collector.locals(), facts_of(program)));
  std::map<Buffer, const Local*> found;
  for (const Local& local : collector.locals()) found.emplace(local.buffer, &local);
  return program.with_body(rewrite_stmts(program->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    if (!a) return s;
    const auto it = found.find(a->buffer);
    // Alone in its block, or never touched: nobody uses it.
    if (it == found.end() || it->second->first < 0) return seq({});
    const Local& local = *it->second;
    return alloc(a->buffer, local.shape, local.memory, local.offset);
  }));
}

WorkspaceNeed workspace_need(const Program& lowered) {
  const Facts facts = facts_of(lowered);
  WorkspaceNeed need{number(0), number(0)};
  walk(lowered->body, [&](const Stmt& s) {
    const Alloc* a = s.as<Alloc>();
    if (!a || !a->offset) return;
    Expr& top = a->memory == Memory::kShared ? need.shared_bytes : need.bytes_per_worker;
    top = larger(top, simplify(index_add(a->offset, bytes_of(a->buffer, a->shape)), facts), facts);
  });
  return need;
}

}  // namespace tenon
