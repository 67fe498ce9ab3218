// The quick answer to "is this call right?" for calls as nearly all are: every view of the expected
// type and sizes, dense, aligned and apart from what is written. Most of a small kernel's call is
// this check, so it is one walk over the arguments that only says yes.
//
//   BoundCall bound;
//   if (!is_plain_call(signature, inputs, outputs, bound)) {
//     TENON_RETURN_IF_ERROR(check_call(signature, inputs, outputs, &bound));
//   }
#pragma once

#include "absl/types/span.h"
#include "tenon/runtime/signature.h"

namespace tenon {

// True: the call is right, and `bound` is as check_call would leave it. False: the call may be
// right; only the whole check can tell, and say what is wrong. `signature` has been finalized.
bool is_plain_call(const Signature& signature, absl::Span<const Argument> inputs,
                   absl::Span<const View> outputs, BoundCall& bound);

}  // namespace tenon
