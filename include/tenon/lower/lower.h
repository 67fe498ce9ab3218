// Lowering: from a scheduled Program to one that code generation can fold over, by a table of
// passes. The table in lib/lower/lower.cpp is the page to read first.
//
//   TENON_ASSIGN_OR_RETURN(Program lowered, lower(program, target));
//   WorkspaceNeed need = workspace_need(lowered);
//
// A pass is a free function Program -> Program; it names the form that it needs and the form that
// it gives, and the driver verifies the promised form after each pass when asked (always in tests).
//
// The lowered form, which is all that code generation has to know:
//
// * Loops are serial or parallel; parallel loops do not nest. Bounds and conditions are scalars. A
//   serial loop may be marked with an instruction that the target has: then the nest is its
//   meaning, and call_of() gives the registers.
// * One index per access, an i64 in elements from the start of the buffer; parameters and Allocs
//   have rank 1. Scalar parts of an index are sums whose terms stand outer loops first and the
//   constant last, so that accesses of one loop body share prefixes of their sums.
// * A vector access has a vector index: ramp(base, 1, lanes) is one vector in memory, ramp(base, s,
//   lanes) a strided one, anything else a gather or scatter. A load with a scalar index is a
//   scalar, and a Broadcast says where it meets vectors.
// * A mask is a bool vector, most often ramp(0, 1, lanes) < broadcast(n): the first n lanes. Loads
//   of parameters, stores and accumulates into parameters may have one; accesses to locals have one
//   only where the lanes that are off would leave the local. A masked access with a scalar index
//   touches memory if any lane is on.
// * An Accumulate has one buffer, one value and an operator. With a scalar index and a vector value
//   it is a fold: halves onto halves, then once with the target. Lanes that are off are selects
//   with the identity, not masks.
// * A Select may have a scalar condition and vector arms; it is then a branch wherever an arm loads
//   or checks. With a vector condition both arms may be computed for all lanes: loads and checks in
//   them are safe where the lane is not chosen.
// * check(i, n) may have vector operands; each lane is checked, and all of them may be evaluated.
// * A Bind may name a vector; its variable has the vector type.
// * An Alloc is kStack with a constant size, or lies at its offset in the shared part (kShared) or
//   in the slice of the worker that runs the enclosing parallel loop (kWorker).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "absl/types/span.h"
#include "tenon/base/status.h"
#include "tenon/base/stride_class.h"
#include "tenon/ir/program.h"
#include "tenon/target/target.h"

namespace tenon {

// Properties that a Program has after some pass and keeps from then on (bits of a set).
enum class Form : uint32_t {
  kScheduled = 0,        // what a Schedule gives
  kVectorsCut = 1,       // vector loops have constant power-of-two extents; without a fold, at most
                         // the lanes of a register
  kNoUnroll = 2,         // no unroll loops
  kExplicitVectors = 4,  // no vector loops: ramps, masks and folds instead
  kAllocsPlaced = 8,     // every Alloc has a memory class and an offset where it needs one
  kFlat = 16,            // one index per access: elements from the start of the buffer
  kStridesBound = 32,    // strides of parameters are sizes or 1
  kOperators = 64,       // reductions by operators only, none by functions
  kWholeInstructions =
      128,  // a loop marked with an instruction is a call of it (instruction_call.h)
};
constexpr uint32_t operator|(Form a, Form b) {
  return static_cast<uint32_t>(a) | static_cast<uint32_t>(b);
}

struct Pass {
  std::string_view name;  // "partition_loops"
  uint32_t needs;         // set of Form
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
// hidden size variables ("x_s0" is the stride of dimension 0 of x) and fills Param::strides. The
// innermost stride of kInnerUnit is the constant 1. First step of compiling, before lower().
Program bind_strides(const Program& program, absl::Span<const StrideClass> classes);

absl::StatusOr<Program> lower(const Program& program, const Target& target,
                              const LowerOptions& options = {});

// Bytes that a call of the lowered Program needs, as expressions over its sizes. Both are multiples
// of the alignment. The workspace of a call is the shared part and behind it one slice per worker.
struct WorkspaceNeed {
  Expr shared_bytes;
  Expr bytes_per_worker;
  static constexpr int64_t kAlignment = 64;
};
WorkspaceNeed workspace_need(const Program& lowered);

}  // namespace tenon
