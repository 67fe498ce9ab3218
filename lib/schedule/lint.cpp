#include "tenon/schedule/lint.h"

#include <algorithm>
#include <ostream>
#include <unordered_map>

#include "schedule/common.h"
#include "tenon/analysis/affine.h"
#include "tenon/analysis/legality.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/names.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

bool uses(const std::vector<Expr>& indices, const Var& var) {
  return std::any_of(indices.begin(), indices.end(),
                     [&](const Expr& index) { return tenon::uses(index, var); });
}

std::optional<int64_t> constant_extent(const For& loop) {
  const std::optional<int64_t> lo = as_int(loop.lo), hi = as_int(loop.hi);
  return lo && hi ? std::optional(std::max<int64_t>(*hi - *lo, 0)) : std::nullopt;
}

bool has_loops(const Stmt& body) {
  return any_in(body, [&](const Stmt& s) {
    const For* loop = s.as<For>();
    return loop && loop->kind != ForKind::kUnroll;
  });
}

class Linter {
 public:
  Linter(const Program& program, const Target& target)
      : program_(program), target_(target), names_(program) {}

  std::vector<Hint> run() {
    visit(program_->body);
    return std::move(hints_);
  }

 private:
  void visit(const Stmt& s) {
    if (const For* loop = s.as<For>()) {
      loops_.push_back(*loop);
      visit(loop->body);
      loops_.pop_back();
    } else if (const Seq* sequence = s.as<Seq>()) {
      for (const Stmt& part : sequence->stmts) visit(part);
    } else if (const If* guard = s.as<If>()) {
      visit(guard->body);
    } else if (const Alloc* local = s.as<Alloc>()) {
      declared_in_[local->buffer.id()] = loops_.size();
    } else if (const Store* x = s.as<Store>()) {
      look_at(s, x->value.type(), x->buffer, x->indices, {x->value});
    } else if (const Accumulate* a = s.as<Accumulate>()) {
      look_at(s, a->value().type(), a->buffer(), a->indices, a->values);
      look_at_reduction(s, *a);
    }
  }

  // The loops of an instruction are no loops any more.
  bool in_instruction() const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [](const For& l) { return l.kind == ForKind::kInstruction; });
  }

  void look_at(const Stmt& s, Type type, const Buffer& target, const std::vector<Expr>& indices,
               const std::vector<Expr>& values) {
    if (in_instruction()) return;
    statement_ = &s;
    const For* vector = vector_loop();
    if (!vector) return look_for_lanes(type);
    look_at_width(*vector, type);
    look_at_stride(*vector, target, indices);
    for (const Expr& value : values) {
      walk(value, [&](const Expr& e) {
        if (const Load* x = e.as<Load>()) look_at_stride(*vector, x->buffer, x->indices);
      });
    }
  }

  const For* vector_loop() const {
    for (size_t k = loops_.size(); k-- > 0;) {
      if (loops_[k].kind == ForKind::kVector) return &loops_[k];
    }
    return nullptr;
  }

  // The innermost loop, when its iterations could be lanes. Unrolled loops are steps of it; what
  // stands beside a loop inside of it is not where the time goes.
  void look_for_lanes(Type type) {
    const auto loop = std::find_if(loops_.rbegin(), loops_.rend(),
                                   [](const For& l) { return l.kind != ForKind::kUnroll; });
    if (loop == loops_.rend() || loop->kind != ForKind::kSerial || has_loops(loop->body)) return;
    const int lanes = target_.lanes(type);
    const std::optional<int64_t> extent = constant_extent(*loop);
    if (extent && *extent < lanes) return;
    const std::optional<LoopSite> site = find_loop(program_, loop->var);
    const Verdict verdict = may_run_in_any_order(*site);
    if (!verdict.ok()) return;
    const std::string count = std::to_string(lanes);
    const auto first = [&](const char* step) {
      return primitives::split_first(program_, loop->var, lanes, step);
    };
    add(Hint::Kind::kScalarLoop,
        names_.of(loop->var) + " takes one element at a time; a vector holds " + count + " of " +
            to_string(type),
        verdict.reassociates
            ? first("rfactor") + ", and vectorize it; or vectorize a loop that the target uses"
            : first("vectorize"));
  }

  void look_at_width(const For& vector, Type type) {
    const std::optional<int64_t> extent = constant_extent(vector);
    const int64_t lanes = target_.lanes(type);
    if (!extent || *extent % lanes == 0) return;
    add(Hint::Kind::kRaggedVector,
        names_.of(vector.var) + " has " + std::to_string(*extent) + " lanes of " + to_string(type) +
            "; a vector of the target holds " + std::to_string(lanes),
        "a multiple of " + std::to_string(lanes) + " fills them");
  }

  // Elements from one lane to the next: 0 or 1 is one access for all lanes.
  void look_at_stride(const For& vector, const Buffer& buffer, const std::vector<Expr>& indices) {
    const std::optional<std::vector<Expr>> shape = shape_of(program_, buffer);
    if (!shape || shape->size() != indices.size() || !uses(indices, vector.var)) return;
    Expr stride = 0, size = 1;
    for (size_t d = indices.size(); d-- > 0;) {
      const Affine index = to_affine(indices[d]);
      if (!index.is_linear_in(vector.var)) return scattered(vector, buffer);
      stride = stride + size * Expr(index.coefficient(vector.var));
      size = size * (*shape)[d];
    }
    stride = simplify(stride, facts_of(program_));
    if (is_constant(stride, 0) || is_constant(stride, 1)) return;
    add(Hint::Kind::kStridedVector,
        "the lanes of " + names_.of(vector.var) + " lie " + expr_text(stride, names_) +
            " elements apart in " + names_.of(buffer),
        "vectorize another loop, or give " + names_.of(buffer) +
            " a layout in which they are neighbours");
  }

  void scattered(const For& vector, const Buffer& buffer) {
    add(Hint::Kind::kStridedVector,
        "the lanes of " + names_.of(vector.var) + " lie anywhere in " + names_.of(buffer) +
            ": each is an access of its own",
        "vectorize a loop that its indices use only in sums");
  }

  void look_at_reduction(const Stmt& s, const Accumulate& a) {
    if (in_instruction()) return;
    statement_ = &s;
    // Each iteration of a loop around the target's declaration has a target of its own.
    const auto declared = declared_in_.find(a.buffer().id());
    const size_t first = declared == declared_in_.end() ? 0 : declared->second;
    size_t reduction = loops_.size();  // the innermost one that is no vector
    for (size_t k = loops_.size(); k-- > first && reduction == loops_.size();) {
      const bool sums = loops_[k].kind != ForKind::kVector && !uses(a.indices, loops_[k].var);
      if (sums) reduction = k;
    }
    if (reduction == loops_.size()) return;
    const std::string over = names_.of(loops_[reduction].var), target = names_.of(a.buffer());

    int64_t vectors = 1;
    bool is_constant = true;
    for (size_t k = reduction + 1; k < loops_.size(); ++k) {
      const For& loop = loops_[k];
      const std::string name = names_.of(loop.var);
      const std::optional<int64_t> extent = constant_extent(loop);
      const int64_t lanes = target_.lanes(a.value().type());
      if (!uses(a.indices, loop.var)) {  // a vector loop: others would be the innermost reduction
        add(Hint::Kind::kFoldInLoop,
            "the lanes of " + name + " are folded into one element in every iteration of " + over,
            "rfactor(" + name + ") before vectorize: partial sums in lanes, folded once");
        return;
      }
      if (loop.kind != ForKind::kVector && loop.kind != ForKind::kUnroll) {
        add(Hint::Kind::kReductionInMemory,
            "every iteration of " + over + " goes through " + target +
                " in memory again, by its loop " + name,
            "register_tile keeps the sums in registers; or put " + over + " inside of " + name);
        return;
      }
      is_constant = is_constant && extent;
      if (!extent) continue;
      vectors *= loop.kind == ForKind::kVector ? (*extent + lanes - 1) / lanes : *extent;
    }
    if (is_constant && vectors > target_.vector_registers()) {
      add(Hint::Kind::kTileTooLarge,
          "one iteration of " + over + " adds to " + std::to_string(vectors) + " vectors of " +
              target + "; the target has " + std::to_string(target_.vector_registers()) +
              " registers",
          "smaller factors: Target::matmul_tile gives those that fit");
    }
  }

  void add(Hint::Kind kind, std::string reason, std::string advice) {
    Hint hint{kind, primitives::headline_in(program_, *statement_), std::move(reason),
              std::move(advice)};
    const bool known = std::any_of(hints_.begin(), hints_.end(), [&](const Hint& other) {
      return other.kind == kind && other.statement == hint.statement;
    });
    if (!known) hints_.push_back(std::move(hint));
  }

  const Program& program_;
  const Target& target_;
  Names names_;
  std::vector<For> loops_;                            // around the statement, outermost first
  std::unordered_map<uint64_t, size_t> declared_in_;  // by local buffer: how many loops are around
  const Stmt* statement_ = nullptr;
  std::vector<Hint> hints_;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const Hint& hint) {
  return out << hint.statement << "\n  " << hint.reason << "\n  " << hint.advice << "\n";
}

std::vector<Hint> lint(const Program& program, const Target& target) {
  return Linter(program, target).run();
}

}  // namespace tenon
