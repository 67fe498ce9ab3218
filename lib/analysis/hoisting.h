// What several steps ask that compute a stage, or a part of it, earlier than before.
#pragma once

#include <vector>

#include "analysis/stage_nest.h"
#include "tenon/analysis/cover.h"
#include "tenon/analysis/find.h"
#include "tenon/base/status.h"

namespace tenon {

// A nest in the loop could stand in front of it: it uses no name that is bound, and reads no buffer
// that is declared, in the loop and outside of the nest.
absl::Status uses_nothing_declared_in(const LoopSite& loop, const Stmt& nest, const Stage& stage);

// No write in the loop, the nest aside, touches an element that the nest has read (`before` false),
// or that it reads later (true), in the order of the loop's execution.
absl::Status inputs_keep(const LoopSite& loop, const Stmt& nest, const Stage& stage, bool before);

// The number as the extent of a buffer: at least 0.
Expr as_extent(const Expr& extent, const Facts& facts);

}  // namespace tenon
