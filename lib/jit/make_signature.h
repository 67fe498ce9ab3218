// What a call of a kernel must look like, in the form that the runtime checks.
#pragma once

#include "tenon/ir/program.h"
#include "tenon/runtime/signature.h"

namespace tenon {

// `scheduled` says what the user passes; `bound` is the same Program with the strides of non-dense
// parameters as further sizes (bind_strides); `checks` are the texts of the code's check sites.
absl::StatusOr<Signature> make_signature(const Program& scheduled, const Program& bound,
                                         std::vector<std::string> checks);

// An integer or bool expression over these sizes, ready to be evaluated without IR.
absl::StatusOr<SizeProgram> make_size_program(const Expr& e, const std::vector<Var>& sizes);

}  // namespace tenon
