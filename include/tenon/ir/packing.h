// The Program that brings a weight into the stored form that a schedule chose for it.
//
//   weight w: f32[24, 768, 32] packs [768, 768] by (i, j) -> (i // 32, j, i % 32)
//   Program p = packing_program(*find_param(scheduled, "w"), scheduled->requirements);
//   // input w, output packed
#pragma once

#include "tenon/ir/program.h"

namespace tenon {

// `param` has a packing. The Program reads the logical form and writes every element of the stored
// one; elements that hold no weight are zero. The layout may rely on what the Program requires: it
// keeps those of the requirements that are over sizes of the weight.
Program packing_program(const Param& param, const std::vector<Expr>& requirements = {});

// Equal for weights whose stored forms are interchangeable: same type, logical shape and map.
// Needs no names, so a weight packed by one kernel serves every kernel with the same layout.
uint64_t layout_hash(const Param& param);

}  // namespace tenon
