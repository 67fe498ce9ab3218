// Arithmetic on expressions, with the promotion rules of docs/semantics.md.
//
//   Expr y = max(x * w + b, 0.0f);
//   Expr z = select(i < n, x, cast(x.type(), 0));
//   Expr q = i / 4;            // integers: floor division; truncdiv(i, 4) truncates
//
// Mixed types promote (i32 + f16 gives f16, u8 + i8 gives i16); literals adapt to the other side.
// A wrong use (f32 & f32, u64 + i64) does not fail here: the result carries the message and
// building the Program reports it.
#pragma once

#include <concepts>

#include "tenon/ir/expr.h"

namespace tenon {

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);  // floats: IEEE division; integers: floor division
Expr operator%(const Expr& a, const Expr& b);  // integers: floor modulo, the sign of b
Expr operator-(const Expr& a);

Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);
Expr operator==(const Expr& a, const Expr& b);
Expr operator!=(const Expr& a, const Expr& b);

Expr operator&(const Expr& a, const Expr& b);
Expr operator|(const Expr& a, const Expr& b);
Expr operator^(const Expr& a, const Expr& b);
Expr operator~(const Expr& a);
Expr operator<<(const Expr& a, const Expr& b);
Expr operator>>(const Expr& a, const Expr& b);
// On bool, ~ & | are the logical operators. !, && and || promise laziness and mean something else
// in C++ ("is there an expression"), so on values they do not compile.
template <std::same_as<Expr> A, std::same_as<Expr> B>
void operator&&(const A&, const B&) = delete;  // write a & b
template <std::same_as<Expr> A, std::same_as<Expr> B>
void operator||(const A&, const B&) = delete;  // write a | b

Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr truncdiv(const Expr& a, const Expr& b);
Expr truncrem(const Expr& a, const Expr& b);  // the sign of a; of floats exact, the fmod of C
Expr ceildiv(const Expr& a, const Expr& b);   // floor((a + b - 1) / b), integers
Expr pow(const Expr& a, const Expr& b);

Expr select(const Expr& condition, const Expr& on_true, const Expr& on_false);
Expr cast(Type type, const Expr& a);
Expr saturating_cast(Type type, const Expr& a);
Expr bitcast(Type type, const Expr& a);

Expr abs(const Expr& a);
Expr floor(const Expr& a);
Expr ceil(const Expr& a);
Expr round(const Expr& a);  // half to even
Expr trunc(const Expr& a);
// The following take floats; an integer promotes to f32.
Expr sqrt(const Expr& a);
Expr rsqrt(const Expr& a);
Expr exp(const Expr& a);
Expr expm1(const Expr& a);  // exp(a) - 1, exact near 0
Expr log(const Expr& a);
Expr log1p(const Expr& a);  // log(1 + a), exact near 0
Expr sin(const Expr& a);
Expr cos(const Expr& a);
Expr tan(const Expr& a);
Expr asin(const Expr& a);
Expr acos(const Expr& a);
Expr atan(const Expr& a);
Expr sinh(const Expr& a);
Expr cosh(const Expr& a);
Expr tanh(const Expr& a);
Expr asinh(const Expr& a);
Expr acosh(const Expr& a);
Expr atanh(const Expr& a);
Expr erf(const Expr& a);
Expr sigmoid(const Expr& a);

// The type that two operands meet in; empty when one of them needs a cast by hand.
std::optional<Type> promote(Type a, Type b);

}  // namespace tenon
