#include <map>

#include "tenon/analysis/bounds.h"
#include "tenon/analysis/facts.h"
#include "tenon/analysis/prove.h"
#include "tenon/ir/names.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

class BoundsChecker {
 public:
  explicit BoundsChecker(const Program& program) : program_(program) {
    for (const Param& param : program->params) {
      if (param.buffer) shapes_[param.buffer] = param.shape;
    }
    for (const Table& table : program->tables) shapes_[table.buffer] = table.shape;
  }

  absl::StatusOr<Program> run() {
    const Stmt body = check(program_->body, facts_of(program_));
    if (!status_.ok()) return status_;
    return body.get() == program_->body.get() ? program_ : program_.with_body(body);
  }

 private:
  Stmt check(const Stmt& s, const Facts& facts) {
    if (!status_.ok()) return s;
    if (const For* loop = s.as<For>()) {
      return map_children(
          s, [&](const Expr& e) { return check(e, facts); },
          [&](const Stmt& body) { return check_body(*loop, body, facts); });
    }
    if (const If* guard = s.as<If>()) {
      const Facts inside = facts.given(guard->condition);
      return map_children(
          s, [&](const Expr& e) { return check(e, facts); },
          [&](const Stmt& body) { return check(body, inside); });
    }
    if (const Seq* block = s.as<Seq>()) return check_block(s, *block, facts);
    if (const Alloc* local = s.as<Alloc>()) shapes_[local->buffer] = local->shape;
    if (const Store* write = s.as<Store>()) {
      check_write(s, write->buffer, write->indices, write->mask, facts);
    }
    if (const Accumulate* update = s.as<Accumulate>()) {
      for (const Buffer& buffer : update->buffers) {
        check_write(s, buffer, update->indices, update->mask, facts);
      }
    }
    if (const Call* call = s.as<Call>()) {
      for (const CallRegion& part : regions_of(*call)) check_part(s, part, facts);
    }
    return map_children(
        s, [&](const Expr& e) { return check(e, facts); }, [](const Stmt& child) { return child; });
  }

  // What is wrong in a loop that never runs is not wrong.
  Stmt check_body(const For& loop, const Stmt& body, const Facts& facts) {
    if (!status_.ok()) return body;
    const Stmt checked = check(body, facts.inside(loop));
    if (status_.ok() || !proved(facts, binary(BinaryOp::kLe, loop.hi, loop.lo))) return checked;
    status_ = absl::OkStatus();
    return body;
  }

  Stmt check_block(const Stmt& s, const Seq& block, Facts facts) {
    std::vector<Stmt> stmts;
    bool changed = false;
    for (const Stmt& child : block.stmts) {
      stmts.push_back(check(child, facts));
      changed = changed || stmts.back().get() != child.get();
      if (const Bind* name = child.as<Bind>()) facts = facts.bound(*name);
    }
    return changed ? seq(std::move(stmts)) : s;
  }

  // Only the arm that is chosen is evaluated, so its condition holds there.
  Expr check(const Expr& e, const Facts& facts) {
    if (!status_.ok()) return e;
    if (const Select* choice = e.as<Select>(); choice && !choice->condition.type().is_vector()) {
      const Expr condition = check(choice->condition, facts);
      const Expr on_true = check(choice->on_true, facts.given(choice->condition));
      const Expr on_false =
          check(choice->on_false, facts.given(unary(UnaryOp::kNot, choice->condition)));
      if (condition.get() == choice->condition.get() && on_true.get() == choice->on_true.get() &&
          on_false.get() == choice->on_false.get()) {
        return e;
      }
      return make_select(condition, on_true, on_false);
    }
    const Expr walked = map_children(e, [&](const Expr& child) { return check(child, facts); });
    if (const Load* access = walked.as<Load>()) return check_load(walked, *access, facts);
    return walked;
  }

  static Expr inside(const Expr& index, const Expr& extent) {
    return binary(BinaryOp::kBitAnd, binary(BinaryOp::kLe, constant_int(i64, 0), index),
                  binary(BinaryOp::kLt, index, extent));
  }

  static bool is_check_of(const Expr& index, const Expr& extent) {
    const Binary* b = index.as<Binary>();
    return b && b->op == BinaryOp::kCheck && equal(b->b, extent);
  }

  Expr check_load(const Expr& e, const Load& access, const Facts& around) {
    if (e.type().is_vector()) {
      status_ = refuse_vector(text(e));
      return e;
    }
    const Facts facts = access.mask ? around.given(access.mask) : around;
    const std::vector<Expr>& shape = shapes_[access.buffer];
    std::vector<Expr> indices = access.indices;
    bool changed = false;
    for (size_t d = 0; d < indices.size(); ++d) {
      if (is_check_of(indices[d], shape[d])) continue;
      const Expr condition = inside(indices[d], shape[d]);
      if (proved(facts, condition)) continue;
      if (prove(facts, condition) == Answer::kNo) {
        status_ =
            refuse(text(e) + " leaves " + access.buffer.name() + ": " + index_text(indices, d) +
                       " is not always in [0, " + text(shape[d]) + ")",
                   {}, {"select(inside, " + text(e) + ", padding)"});
        return e;
      }
      indices[d] = binary(BinaryOp::kCheck, indices[d], shape[d]);
      changed = true;
    }
    return changed ? load(access.buffer, std::move(indices), access.mask) : e;
  }

  void check_write(const Stmt& s, const Buffer& buffer, const std::vector<Expr>& indices,
                   const Expr& mask, const Facts& around) {
    const Facts facts = mask && !mask.type().is_vector() ? around.given(mask) : around;
    const std::vector<Expr>& shape = shapes_[buffer];
    for (size_t d = 0; d < indices.size(); ++d) {
      if (indices[d].type().is_vector()) {
        status_ = refuse_vector(headline_of(s));
        return;
      }
      if (is_check_of(indices[d], shape[d])) continue;
      const Expr condition = inside(indices[d], shape[d]);
      if (proved(facts, condition)) continue;
      const bool leaves = prove(facts, condition) == Answer::kNo;
      status_ =
          refuse(headline_of(s) + (leaves ? " leaves " : " may leave ") + buffer.name() + ": " +
                     index_text(indices, d) +
                     (leaves ? " is not always in [0, " : " cannot be shown to be in [0, ") +
                     text(shape[d]) + ")",
                 leaves ? std::vector<std::string>{} : std::vector<std::string>{text(condition)});
      return;
    }
  }

  // A function touches all of its parts, so all of them have to be inside.
  void check_part(const Stmt& s, const CallRegion& part, const Facts& facts) {
    const std::vector<Expr>& shape = shapes_[part.buffer];
    for (size_t d = 0; d < part.ranges.size() && status_.ok(); ++d) {
      const auto& [lo, hi] = part.ranges[d];
      if (!hi) {
        if (is_check_of(lo, shape[d])) continue;
      } else if (proved(facts, binary(BinaryOp::kLe, hi, lo))) {
        continue;  // empty
      }
      const Expr condition =
          hi ? binary(BinaryOp::kBitAnd, binary(BinaryOp::kLe, constant_int(i64, 0), lo),
                      binary(BinaryOp::kLe, hi, shape[d]))
             : inside(lo, shape[d]);
      if (proved(facts, condition)) continue;
      const bool leaves = prove(facts, condition) == Answer::kNo;
      status_ =
          refuse(headline_of(s) + (leaves ? " leaves " : " may leave ") + part.buffer.name() +
                     ": " + (hi ? "the part " + text(lo) + ".." + text(hi) : "index " + text(lo)) +
                     " (dimension " + std::to_string(d) + ")" +
                     (leaves ? " is not always in [0, " : " cannot be shown to be in [0, ") +
                     text(shape[d]) + ")",
                 leaves ? std::vector<std::string>{} : std::vector<std::string>{text(condition)});
    }
  }

  // Nothing is proved about lanes one by one.
  static absl::Status refuse_vector(const std::string& access) {
    return refuse(access + " is an access by explicit vectors, which only lowering makes", {},
                  {"vector for"});
  }

  std::string headline_of(const Stmt& s) const {
    Names names(program_);
    return headline(s, names);
  }

  // "index i + 1 (dimension 0)"
  std::string index_text(const std::vector<Expr>& indices, size_t d) const {
    return "index " + text(indices[d]) + " (dimension " + std::to_string(d) + ")";
  }

  // As the program's own text shows it.
  std::string text(const auto& node) const { return print(node, program_); }

  Program program_;
  std::map<Buffer, std::vector<Expr>> shapes_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Program> with_checked_bounds(const Program& program) {
  return BoundsChecker(program).run();
}

}  // namespace tenon
