#include "tenon/ir/fold.h"

#include "tenon/base/match.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon {
namespace {

// The bits of an integer or bool constant, also through a Broadcast.
std::optional<uint64_t> int_bits(const Expr& e) {
  if (e.type().is_float()) return std::nullopt;
  if (const Broadcast* b = e.as<Broadcast>()) return int_bits(b->a);
  const Const* c = e.as<Const>();
  return c ? std::optional(c->bits) : std::nullopt;
}

// The promise of check(i, n).
bool is_kept(uint64_t i, uint64_t n) {
  const int64_t limit = int_of_bits(i64, n);
  return limit > 0 && i < static_cast<uint64_t>(limit);
}

Expr fold_binary(const Expr& e, const Binary& x) {
  const std::optional<uint64_t> a = int_bits(x.a);
  const std::optional<uint64_t> b = int_bits(x.b);
  if (!a || !b || !accepts(x.op, x.a.type())) return e;
  if (x.op == BinaryOp::kCheck && !is_kept(*a, *b)) return e;
  return constant_bits(e.type(), apply_binary(x.op, x.a.type(), *a, *b));
}

Expr fold_select(const Expr& e, const Select& x) {
  const std::optional<uint64_t> chosen = int_bits(x.condition);
  if (!chosen) return e;
  return *chosen ? x.on_true : x.on_false;
}

}  // namespace

Expr fold(const Expr& e) {
  return match(
      e.node().kind,
      [&](const Unary& x) {
        const std::optional<uint64_t> a = int_bits(x.a);
        if (!a || !accepts(x.op, x.a.type())) return e;
        return constant_bits(e.type(), apply_unary(x.op, x.a.type(), *a));
      },
      [&](const Binary& x) { return fold_binary(e, x); },
      [&](const Select& x) { return fold_select(e, x); },
      [&](const Cast& x) {
        const std::optional<uint64_t> a = int_bits(x.a);
        return a ? constant_bits(e.type(), apply_cast(x.mode, x.a.type(), e.type(), *a)) : e;
      },
      [&](const auto&) { return e; });
}

Expr fold_constants(const Expr& e) { return rewrite(e, fold); }
Stmt fold_constants(const Stmt& s) { return rewrite(s, fold); }

}  // namespace tenon
