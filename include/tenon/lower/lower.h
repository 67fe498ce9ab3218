// Lowering: from a scheduled Program to one that code generation can fold over, by a table of
// passes. The table in lib/lower/lower.cpp is the page to read first.
//
//   TENON_ASSIGN_OR_RETURN(Program lowered, lower(program, target));
//   Workspace w = *workspace_of(lowered);
//
// A pass is a free function Program -> Program; it names the form that it needs and the form that
// it gives, and the driver verifies the promised form after each pass when asked (always in tests).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tenon/base/status.h"
#include "tenon/base/stride_class.h"
#include "tenon/ir/program.h"
#include "tenon/target/target.h"

namespace tenon {

// Properties that a Program has after some pass and keeps from then on (bits of a set).
enum class Form : uint32_t {
  kScheduled = 0,        // what a Schedule gives
  kVectorsCut = 1,       // no vector loop without a fold is wider than a register
  kNoUnroll = 2,         // no unroll loops
  kExplicitVectors = 4,  // no vector loops: ramps, masks and folds instead
  kAllocsPlaced = 8,     // every Alloc has a memory class and an offset where it needs one
  kFlat = 16,            // one index per access: elements from the start of the buffer
  kStridesBound = 32,    // strides of non-dense parameters are size variables
};

struct Pass {
  std::string name;  // "partition_loops"
  uint32_t needs;    // set of Form
  uint32_t gives;
  absl::StatusOr<Program> (*run)(const Program& program, const Target& target);
};
absl::Span<const Pass> passes();

// Is the Program in this form? The error names the statement that is not.
absl::Status verify_form(const Program& program, uint32_t forms);

struct LowerOptions {
  bool verify = false;  // verify() and verify_form() after every pass
  // Called after every pass, for printing and for tests.
  std::function<void(const Pass&, const Program&)> observer;
};

// Declares run-time strides for parameters (one class per parameter; scalars kDense): appends
// hidden size variables ("x_s0") and fills Param::strides. First step of compiling.
Program bind_strides(const Program& program, absl::Span<const StrideClass> classes);

absl::StatusOr<Program> lower(const Program& program, const Target& target,
                              const LowerOptions& options = {});

// Bytes that a call of the lowered Program needs, as expressions over its sizes.
struct WorkspaceNeed {
  Expr shared_bytes;
  Expr bytes_per_worker;
  static constexpr int64_t kAlignment = 64;
};
WorkspaceNeed workspace_need(const Program& lowered);

}  // namespace tenon
