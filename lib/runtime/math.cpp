#include "tenon/runtime/math.h"

#include <cmath>

namespace tenon {
namespace {

// In the order of the declaration in abi.h.
constexpr tenon_math kMath = {
    ::expf, ::logf, ::tanhf, ::erff, ::sinf, ::cosf, ::powf,
    ::exp,  ::log,  ::tanh,  ::erf,  ::sin,  ::cos,  ::pow,
};

}  // namespace

const tenon_math& default_math() { return kMath; }

}  // namespace tenon
