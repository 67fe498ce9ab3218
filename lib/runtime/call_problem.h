// What is wrong with a call, as the check finds it: small, so that finding costs nothing. The words
// are made afterwards.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "tenon/runtime/signature.h"

namespace tenon {

struct CallProblem {
  enum class Kind : uint8_t {
    kNone,
    kNotReady,        // finalize was not called
    kCount,           // too many or too few arguments
    kNotAView,        // a scalar where memory is expected
    kNotAScalar,      // memory where a scalar is expected
    kScalarValue,     // not a value of the parameter's type
    kNotPacked,       // a plain view where a packed weight is expected
    kOtherLayout,     // packed for something else
    kUnexpectedPack,  // packed where a plain view is expected
    kType,
    kInvalidView,
    kRank,
    kSize,          // dimension `dim`
    kNegativeSize,  // dimension `dim`, of the view or as it is expected
    kTooLarge,      // the bytes of the view do not fit an address
    kStrides,
    kNull,
    kAlignment,
    kOverlap,  // with parameter `other`
    kOverlapsItself,
    kOverlapsWorkspace,
    kRequirement,  // number `other`
  };
  Kind kind = Kind::kNone;
  int16_t param = 0;
  int16_t dim = 0;
  int16_t other = 0;
};

// Whether two views, whose outer bounds meet, may still be told apart: see call_overlap.cpp. Both
// are valid, not empty, and their bounds have been computed without overflow.
bool may_share_memory(const View& a, const View& b);
// Whether two elements of a view may lie at one address.
bool may_overlap_itself(const View& view);

// The problem in words. `bound` holds the sizes that were known when the problem was found: all of
// them for kSize, kNegativeSize and everything after.
absl::Status describe(const Signature& signature, const CallProblem& problem,
                      absl::Span<const Argument> inputs, absl::Span<const View> outputs,
                      const BoundCall& bound);

}  // namespace tenon
