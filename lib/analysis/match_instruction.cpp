// Unification of a nest of loops with the meaning of an instruction.
//
// Obligation: running the nest once, without its guards, changes memory as loading the registers,
// computing the meaning and storing the output does. Statements and operators are equal, so it is
// enough that
//   - each parameter of the meaning is places of one buffer, at distances that are the same
//     throughout the nest: its accesses are solved for base and strides, and all have to agree;
//   - the output's places are distinct, and no input reads the buffer that the output is written
//     to, so that it does not matter whether inputs are read before or between the writes.
// What registers can load: the innermost dimension's elements are neighbours, or one element that
// all of the register repeats.
#include "tenon/analysis/match_instruction.h"

#include <algorithm>

#include "analysis/rules.h"
#include "analysis/text.h"
#include "tenon/analysis/find.h"
#include "tenon/analysis/simplify.h"
#include "tenon/ir/names.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

Affine number(int64_t value) {
  Affine a;
  a.constant = value;
  return a;
}

bool is_number(const Affine& a, int64_t value) { return equal(a, number(value)); }

// a * b, where one side is over sizes and loops.
Affine product(const Affine& a, const Affine& b) {
  if (b.is_constant()) return b.constant * a;
  return to_affine(to_expr(a) * to_expr(b));
}

// The place of an access in elements from the start of its buffer.
Affine address_of(const Program& program, const Buffer& buffer, const std::vector<Expr>& indices) {
  const Param* param = find_param(program, buffer);
  const std::vector<Expr> shape = *shape_of(program, buffer);
  Affine place = number(0), stride = number(1);
  for (size_t d = indices.size(); d-- > 0;) {
    if (param && !param->strides.empty()) stride = to_affine(param->strides[d]);
    place = place + product(to_affine(indices[d]), stride);
    if (d > 0) stride = product(stride, to_affine(shape[d]));
  }
  return place;
}

class Unifier {
 public:
  Unifier(const Program& program, const Instruction& instruction)
      : program_(program), instruction_(*instruction), meaning_(simplify(instruction->meaning)) {}

  absl::StatusOr<InstructionMatch> run(const For& nest) {
    const For* first = meaning_->body.as<For>();
    const bool same = first ? unify(*first, nest, /*is_root=*/true)
                            : fail("the meaning of " + instruction_.name + " has no loop");
    if (!same || !solve() || !check_overlap()) return refusal();
    return std::move(match_);
  }

 private:
  // --- Refusals. The first is kept.
  bool fail(const std::string& reason, const std::string& legal = "") {
    if (!reason_.empty()) return false;
    reason_ = reason;
    legal_ = legal;
    return false;
  }
  absl::Status refusal() const {
    return refuse(reason_, {}, legal_.empty() ? std::vector<std::string>() : std::vector{legal_});
  }
  std::string in_nest(const Expr& e) const { return text_of(e, program_); }
  std::string in_meaning(const Expr& e) const { return text_of(e, meaning_); }
  static std::string line_of(const Stmt& s, const Program& within) {
    Names names(within);
    return headline(s, names);
  }

  // --- Statements.

  struct LoopPair {
    Var meaning;
    For nest;
  };

  bool unify(const For& m, const For& x, bool is_root) {
    const std::string name = text_of(x.var, program_);
    const int64_t count = *as_int(m.hi);
    const std::string there = text_of(m.var, meaning_) + " in 0.." + std::to_string(count);
    if (!is_root && x.kind != ForKind::kSerial) {
      return fail("loop " + name + " is marked " + name_of(x.kind) + "; the loops of " +
                  instruction_.name + " are serial");
    }
    for (const LoopPair& outer : loops_) {
      if (!uses(x.lo, outer.nest.var) && !uses(x.hi, outer.nest.var)) continue;
      return fail("the bounds of loop " + name + " use " + text_of(outer.nest.var, program_) +
                  "; those of " + there + " in " + instruction_.name + " are constants");
    }
    const Affine extent = to_affine(x.hi) - to_affine(x.lo);
    if (!is_number(extent, count)) {
      const bool longer = !extent.is_constant() || extent.constant > count;
      return fail("loop " + name + " has " + in_nest(to_expr(extent)) + " iterations where " +
                      instruction_.name + " has " + std::to_string(count) + " (" + there + ")",
                  longer ? "split(" + name + ", " + std::to_string(count) + ") first" : "");
    }
    loops_.push_back({m.var, x});
    return unify(m.body, x.body);
  }

  bool unify(const Stmt& m, const Stmt& s) {
    if (const If* guard = s.as<If>()) {
      match_.guards.push_back(guard->condition);
      return unify(m, guard->body);
    }
    const std::vector<Stmt> meant = statements_of(m), given = statements_of(s);
    if (meant.size() != given.size()) {
      return fail(count_of(given.size()) + " where " + instruction_.name + " has " +
                  std::to_string(meant.size()));
    }
    if (meant.size() > 1) {
      for (size_t k = 0; k < meant.size(); ++k) {
        if (!unify_one(meant[k], given[k])) return false;
      }
      return true;
    }
    return meant.empty() || unify_one(meant[0], given[0]);
  }

  static std::string count_of(size_t n) {
    return n == 1 ? "there is 1 statement" : "there are " + std::to_string(n) + " statements";
  }

  bool unify_one(const Stmt& m, const Stmt& s) {
    if (s.is<If>()) return unify(m, s);
    const For* loop = m.as<For>();
    const For* other = s.as<For>();
    if (loop && other) {
      const size_t depth = loops_.size();
      if (!unify(*loop, *other, /*is_root=*/false)) return false;
      // Loops beside each other are different ones; their variables are distinct, so all may stay.
      return depth < loops_.size();
    }
    if (const Store* x = m.as<Store>()) {
      const Store* y = s.as<Store>();
      if (y && !y->mask) {
        return unify(x->buffer, x->indices, y->buffer, y->indices) && unify(x->value, y->value);
      }
    }
    if (const Accumulate* x = m.as<Accumulate>()) {
      const Accumulate* y = s.as<Accumulate>();
      if (y && !y->mask && !y->by.functions() && y->by.op() == x->by.op()) {
        return unify(x->buffer(), x->indices, y->buffer(), y->indices) &&
               unify(x->value(), y->value());
      }
    }
    return fail("the nest has `" + line_of(s, program_) + "` where " + instruction_.name +
                " has `" + line_of(m, meaning_) + "`");
  }

  // --- Expressions.

  bool differ(const Expr& m, const Expr& e) {
    return fail("the nest computes " + in_nest(e) + " (" + to_string(e.type()) + ") where " +
                instruction_.name + " computes " + in_meaning(m) + " (" + to_string(m.type()) +
                ")");
  }

  bool unify(const Expr& m, const Expr& e) {
    if (m.node().kind.index() != e.node().kind.index()) return differ(m, e);
    if (const Load* x = m.as<Load>()) {
      const Load* y = e.as<Load>();
      return y->mask ? differ(m, e) : unify(x->buffer, x->indices, y->buffer, y->indices);
    }
    if (m.type() != e.type()) return differ(m, e);
    if (const Binary* x = m.as<Binary>()) {
      const Binary* y = e.as<Binary>();
      if (x->op != y->op) return differ(m, e);
      if (!rules::is_commutative(x->op)) return unify(x->a, y->a) && unify(x->b, y->b);
      return unify_either(*x, *y);
    }
    if (const Unary* x = m.as<Unary>()) {
      const Unary* y = e.as<Unary>();
      return x->op == y->op ? unify(x->a, y->a) : differ(m, e);
    }
    if (const Cast* x = m.as<Cast>()) {
      const Cast* y = e.as<Cast>();
      return x->mode == y->mode ? unify(x->a, y->a) : differ(m, e);
    }
    if (const Select* x = m.as<Select>()) {
      const Select* y = e.as<Select>();
      return unify(x->condition, y->condition) && unify(x->on_true, y->on_true) &&
             unify(x->on_false, y->on_false);
    }
    return equal(m, e) || differ(m, e);
  }

  bool unify_either(const Binary& x, const Binary& y) {
    const std::map<uint64_t, std::vector<Place>> places = places_;
    if (unify(x.a, y.a) && unify(x.b, y.b)) return true;
    const std::string reason = std::exchange(reason_, std::string());
    const std::string legal = std::exchange(legal_, std::string());
    const auto failed = std::exchange(places_, places);
    if (unify(x.a, y.b) && unify(x.b, y.a)) return true;
    reason_ = reason, legal_ = legal, places_ = failed;
    return false;
  }

  // --- Accesses.

  // One access of a parameter: its indices in the meaning, and its place in the nest's buffer.
  struct Place {
    std::vector<Expr> indices;
    Buffer buffer;
    Affine base;                  // in the first iterations
    std::vector<Affine> strides;  // per index that is a loop; 0 for a constant
    std::string text;
  };

  bool unify(const Buffer& param, const std::vector<Expr>& meant, const Buffer& buffer,
             const std::vector<Expr>& indices) {
    const std::string text = element(buffer, indices, program_);
    const std::string there = element(param, meant, meaning_);
    if (param.type() != buffer.type()) {
      return fail(text + " is " + to_string(buffer.type()) + " where " + there + " of " +
                  instruction_.name + " is " + to_string(param.type()));
    }
    for (const Expr& index : indices) {
      if (touches_memory(index) || index.type().is_vector()) {
        return fail("the place of " + text + " is data; registers take sums of loops");
      }
    }
    Place place{meant, buffer, address_of(program_, buffer, indices), {}, text};
    place.strides.resize(meant.size(), number(0));
    const Affine address = place.base;
    VarMap first;
    for (const LoopPair& loop : loops_) first[loop.nest.var] = loop.nest.lo;
    const Expr all = to_expr(address);
    place.base = to_affine(substitute(all, first));
    Affine linear = place.base;
    for (const LoopPair& loop : loops_) {
      if (!address.uses(loop.nest.var)) continue;
      VarMap second = first;
      second[loop.nest.var] = loop.nest.lo + 1;
      const Affine stride = to_affine(substitute(all, second)) - place.base;
      linear = linear + product(stride, to_affine(Expr(loop.nest.var) - loop.nest.lo));
      const auto dim = std::find_if(meant.begin(), meant.end(), [&](const Expr& index) {
        const VarRef* ref = index.as<VarRef>();
        return ref && ref->var == loop.meaning;
      });
      if (dim != meant.end()) {
        place.strides[static_cast<size_t>(dim - meant.begin())] = stride;
      } else if (!is_number(stride, 0)) {
        return fail(text + " moves with loop " + text_of(loop.nest.var, program_) + " where " +
                    there + " of " + instruction_.name + " does not");
      }
    }
    if (!equal(linear, address)) {
      return fail("the place of " + text + " is no sum of multiples of the loops");
    }
    std::vector<Place>& others = places_[param.id()];
    if (!others.empty() && !(others.front().buffer == buffer)) {
      return fail(text + " stands where " + others.front().text + " does, as " + param.name() +
                  " of " + instruction_.name + "; one register is one buffer");
    }
    others.push_back(std::move(place));
    return true;
  }

  static std::optional<int64_t> constant_at(const Place& place, size_t d) {
    return as_int(place.indices[d]);
  }

  // The distance along a dimension: of an access that runs over it, or of two accesses that are
  // neighbours along it.
  static Affine stride_of(const std::vector<Place>& places, size_t d) {
    for (const Place& place : places) {
      if (!constant_at(place, d)) return place.strides[d];
    }
    for (const Place& a : places) {
      for (const Place& b : places) {
        bool neighbours = *constant_at(a, d) + 1 == *constant_at(b, d);
        for (size_t k = 0; k < a.indices.size(); ++k) {
          neighbours = neighbours && (k == d || constant_at(a, k) == constant_at(b, k));
        }
        if (neighbours) return b.base - a.base;
      }
    }
    return number(0);
  }

  bool solve() {
    for (const Param& param : meaning_->params) {
      const std::vector<Place>& places = places_.at(param.buffer.id());
      InstructionMatch::Register r{places.front().buffer, {}, {}};
      for (size_t d = 0; d < param.shape.size(); ++d) r.strides.push_back(stride_of(places, d));
      const auto origin = [&](const Place& place) {
        Affine base = place.base;
        for (size_t d = 0; d < param.shape.size(); ++d) {
          const std::optional<int64_t> c = constant_at(place, d);
          if (c) base = base - *c * r.strides[d];
        }
        return base;
      };
      r.base = origin(places.front());
      for (const Place& place : places) {
        bool agrees = equal(origin(place), r.base);
        for (size_t d = 0; d < param.shape.size(); ++d) {
          agrees = agrees && (constant_at(place, d) || equal(place.strides[d], r.strides[d]));
        }
        if (agrees) continue;
        return fail(place.text + " and " + places.front().text +
                    " do not lie like the elements of " + param.name() + " of " +
                    instruction_.name);
      }
      if (!check_layout(param, r, places.front())) return false;
      match_.registers.push_back(std::move(r));
    }
    return true;
  }

  bool check_layout(const Param& param, const InstructionMatch::Register& r, const Place& place) {
    const bool is_output = param.role == Role::kOutput;
    int64_t span = 1;  // elements up to here are distinct
    bool same = true, is_innermost = true;
    for (size_t d = param.shape.size(); d-- > 0;) {
      const int64_t extent = *as_int(param.shape[d]);
      if (extent == 1) continue;
      const Affine& stride = r.strides[d];
      same = same && is_number(stride, 0);
      if (is_innermost && !is_number(stride, 1) && (is_output || !is_number(stride, 0))) {
        return fail("the elements of " + place.text + " along " + dimension(place, d) + " lie " +
                        in_nest(to_expr(stride)) + " apart; those of " + param.name() + " of " +
                        instruction_.name + " are neighbours",
                    "set_layout or stage of " + place.buffer.name() +
                        ", so that this dimension is the last");
      }
      if (!is_innermost && is_number(r.strides.back(), 0) && !same) {
        return fail("one element of " + place.text + " repeats only along " +
                    dimension(place, param.shape.size() - 1) + "; a register repeats all of " +
                    param.name());
      }
      if (is_output && (!stride.is_constant() || stride.constant < span)) {
        return fail("the elements of " + place.text + " are not known to be distinct along " +
                    dimension(place, d));
      }
      span = is_output ? stride.constant * extent : span;
      is_innermost = false;
    }
    return true;
  }

  // The loop of the nest that runs over this dimension, or the dimension's number.
  std::string dimension(const Place& place, size_t d) const {
    const VarRef* ref = place.indices[d].as<VarRef>();
    for (const LoopPair& loop : loops_) {
      if (ref && loop.meaning == ref->var) return text_of(loop.nest.var, program_);
    }
    return "dimension " + std::to_string(d);
  }

  bool check_overlap() {
    const Buffer* out = nullptr;
    const std::vector<Param>& params = meaning_->params;
    for (size_t p = 0; p < params.size(); ++p) {
      if (params[p].role == Role::kOutput) out = &match_.registers[p].buffer;
    }
    for (size_t p = 0; p < params.size(); ++p) {
      if (params[p].role == Role::kOutput || !(match_.registers[p].buffer == *out)) continue;
      return fail("the nest reads " + text_of(*out, program_) + " as " + params[p].name() +
                  " and writes it; an instruction reads all of its inputs first");
    }
    return true;
  }

  const Program& program_;
  const InstructionData& instruction_;
  const Program meaning_;
  std::vector<LoopPair> loops_;
  std::map<uint64_t, std::vector<Place>> places_;  // by parameter of the meaning
  InstructionMatch match_;
  std::string reason_, legal_;
};

}  // namespace

absl::StatusOr<InstructionMatch> match_instruction(const Program& program, const For& nest,
                                                   const Instruction& instruction) {
  if (!instruction) return refuse("the instruction is null");
  if (!instruction->status.ok()) return instruction->status;
  return Unifier(program, instruction).run(nest);
}

}  // namespace tenon
