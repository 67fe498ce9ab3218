// Constant ranges of expressions: what interval.h offers, with the distinction that Span makes.
#pragma once

#include "analysis/span.h"
#include "tenon/analysis/facts.h"

namespace tenon {

// Every value that e (any integer type or bool; lanes are taken together) has under the facts.
Span span_of(const Expr& e, const Facts& facts);

// The range of the value of an operator from the ranges of its operands. Empty spans are operands'
// own business: the caller gives sound ones.
Span span_of(UnaryOp op, Type type, const Span& a);
Span span_of(BinaryOp op, Type type, const Span& a, const Span& b);
Span span_of_cast(CastMode mode, Type from, Type to, const Span& a);

}  // namespace tenon
