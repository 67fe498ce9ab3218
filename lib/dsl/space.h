// The part of a box that a reduction runs over, as a Reduce holds it.
//
// A Reduce has no place for a condition: it stands among its values, behind those of the element,
// and so is substituted, compared and hashed with them.
#pragma once

#include <string>
#include <vector>

#include "tenon/dsl/domain.h"
#include "tenon/ir/reducer.h"

namespace tenon::dsl {

// Makes every extent an i64. Null when all is well; else what is wrong, as an Invalid that begins
// with the name of the reduction.
Expr settle_space(const std::string& name, Space& space);

// The values of an element in the types that the functions take. Null when all is well; else what
// is wrong.
Expr settle_element(const CustomReducer& functions, std::vector<Expr>& values);

Expr reduce_over(const Reduction& by, const Space& space, std::vector<Expr> values, int result = 0);

// The values of an element, and which elements count; null: all.
std::vector<Expr> element_of(const Reduce& reduce);
Expr condition_of(const Reduce& reduce);

}  // namespace tenon::dsl
