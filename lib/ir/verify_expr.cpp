#include <algorithm>

#include "ir/verifier.h"
#include "tenon/base/counted.h"
#include "tenon/base/match.h"
#include "tenon/ir/scalar_ops.h"
#include "tenon/ir/visit.h"

namespace tenon {

void ProgramVerifier::check_expr(const Expr& e) {
  if (!error_.empty()) return;
  if (!require(static_cast<bool>(e), [] { return "an expression is missing (null)"; })) return;
  if (const Invalid* wrong = e.as<Invalid>()) return fail(wrong->message);
  // Children first: a wrong operand explains more than the operator that stumbles over it.
  for_each_child(e, [this](const Expr& child) { check_expr(child); });
  if (error_.empty()) check_node(e);
}

void ProgramVerifier::check_node(const Expr& e) {
  match(
      e.node().kind,  //
      [&](const Const& x) { check_const(e, x); },
      [&](const VarRef& x) {
        require(vars_.count(x.var.id()) != 0, [&] {
          return "variable " + names().of(x.var) +
                 " is used where it is not declared; declare it by a loop or a let around this";
        });
      },
      [&](const Unary& x) { check_unary(e, x); }, [&](const Binary& x) { check_binary(e, x); },
      [&](const Select& x) { check_select(e, x); }, [&](const Cast& x) { check_cast(e, x); },
      [&](const Load& x) { check_load(e, x); }, [&](const Ramp& x) { check_ramp(e, x); },
      [&](const Broadcast& x) {
        require(!x.a.type().is_vector() && e.type().lanes > 1 && e.type().lanes <= kMaxLanes, [&] {
          return text(e) + " must spread one lane over 2 to " + std::to_string(kMaxLanes);
        });
      },
      [&](const Reduce&) {
        fail(text(e) +
             " is a reduction inside of an expression; a Program has a loop with an "
             "accumulation instead");
      },
      [&](const Invalid& x) { fail(x.message); });
}

void ProgramVerifier::check_const(const Expr& e, const Const& x) {
  const int bits = e.type().bits();
  require(!e.type().is_vector() && (bits == 64 || x.bits >> bits == 0), [&] {
    return "the constant " + text(e) + " must have one lane and no bits beyond its type " +
           to_string(e.type());
  });
}

void ProgramVerifier::check_unary(const Expr& e, const Unary& x) {
  require(accepts(x.op, x.a.type()) && e.type() == x.a.type(), [&] {
    return "operator " + std::string(name_of(x.op)) + " in " + text(e) + " is applied to " +
           to_string(x.a.type()) + "; it takes " + operands_of(x.op);
  });
}

void ProgramVerifier::check_binary(const Expr& e, const Binary& x) {
  const auto types = [&] {
    return "operator " + std::string(name_of(x.op)) + " in " + text(e) + " is applied to " +
           to_string(x.a.type()) + " and " + to_string(x.b.type());
  };
  if (!require(x.a.type() == x.b.type(),
               [&] { return types() + "; both sides must have the same type"; })) {
    return;
  }
  require(accepts(x.op, x.a.type()), [&] { return types() + "; it takes " + operands_of(x.op); });
}

void ProgramVerifier::check_select(const Expr& e, const Select& x) {
  const Type condition = x.condition.type();
  require(condition.is_bool() && (!condition.is_vector() || condition.lanes == e.type().lanes),
          [&] {
            return "the condition of " + text(e) + " has type " + to_string(condition) +
                   "; it must be bool, with one lane or those of the values";
          });
  require(x.on_true.type() == x.on_false.type(), [&] {
    return "the values of " + text(e) + " have types " + to_string(x.on_true.type()) + " and " +
           to_string(x.on_false.type()) + "; both must have the same type";
  });
}

void ProgramVerifier::check_cast(const Expr& e, const Cast& x) {
  require(e.type().lanes == x.a.type().lanes, [&] {
    return text(e) + " changes the number of lanes from " + std::to_string(x.a.type().lanes) +
           " to " + std::to_string(e.type().lanes) + "; a cast keeps it";
  });
  require(x.mode != CastMode::kBits || e.type().bits() == x.a.type().bits(), [&] {
    return text(e) + " reinterprets " + to_string(x.a.type()) + " as " + to_string(e.type()) +
           "; both must have the same size";
  });
}

void ProgramVerifier::check_ramp(const Expr& e, const Ramp& x) {
  require(x.base.type().is_int() && x.base.type() == x.stride.type() &&
              !x.base.type().is_vector() && e.type().lanes > 1 && e.type().lanes <= kMaxLanes,
          [&] {
            return "base and stride of " + text(e) +
                   " must be integers of one type with one lane, spread over 2 to " +
                   std::to_string(kMaxLanes);
          });
}

void ProgramVerifier::check_load(const Expr& e, const Load& x) {
  const int32_t lanes = check_access(x.buffer, x.indices);
  if (!error_.empty() || !x.mask) return;
  const Type mask = x.mask.type();
  require(mask.is_bool() && mask.lanes == e.type().lanes && (lanes == 1 || lanes == mask.lanes),
          [&] {
            return "the mask of " + text(e) + " has type " + to_string(mask) + "; it must be " +
                   to_string(boolean.with_lanes(lanes));
          });
}

int32_t ProgramVerifier::check_access(const Buffer& buffer, const std::vector<Expr>& indices) {
  if (!require(static_cast<bool>(buffer), [] { return "a buffer is missing (null)"; })) return 1;
  const auto declared = buffers_.find(buffer.id());
  if (!require(declared != buffers_.end(), [&] {
        return "buffer " + text(buffer) +
               " is used where it is not declared; make it a parameter or put an alloc before this";
      })) {
    return 1;
  }
  require(indices.size() == declared->second.shape->size(), [&] {
    return declaration(buffer) + " has " + counted(declared->second.shape->size(), "dimension") +
           " and is accessed with " + counted(indices.size(), "index", "indices") +
           "; give one index for each";
  });
  int32_t lanes = 1;
  for (const Expr& index : indices) {
    const Type type = index.type();
    require(type.element() == i64, [&] {
      return "the index " + text(index) + " of " + text(buffer) + " has type " + to_string(type) +
             "; indices are i64";
    });
    require(!type.is_vector() || lanes == 1 || type.lanes == lanes, [&] {
      return "the indices of " + text(buffer) + " have " + std::to_string(lanes) + " and " +
             std::to_string(type.lanes) + " lanes; all vectors among them need the same number";
    });
    lanes = std::max(lanes, type.lanes);
  }
  return lanes;
}

}  // namespace tenon
