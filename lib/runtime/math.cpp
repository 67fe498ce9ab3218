#include "tenon/runtime/math.h"

#include <cmath>

namespace tenon {
namespace {

// In the order of the declaration in abi.h.
constexpr tenon_math kMath = {
    ::expf,  ::expm1f, ::logf,  ::log1pf, ::sinf,   ::cosf,   ::tanf, ::asinf, ::acosf, ::atanf,
    ::sinhf, ::coshf,  ::tanhf, ::asinhf, ::acoshf, ::atanhf, ::erff, ::powf,  ::fmodf, ::exp,
    ::expm1, ::log,    ::log1p, ::sin,    ::cos,    ::tan,    ::asin, ::acos,  ::atan,  ::sinh,
    ::cosh,  ::tanh,   ::asinh, ::acosh,  ::atanh,  ::erf,    ::pow,  ::fmod,
};

}  // namespace

const tenon_math& default_math() { return kMath; }

}  // namespace tenon
