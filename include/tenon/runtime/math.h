// The functions behind tenon_math: scalar mathematics that a kernel calls instead of emitting.
//
//   tenon_call call;
//   call.math = &tenon::default_math();
#pragma once

#include "tenon/runtime/abi.h"

namespace tenon {

// The functions of the C library. Lives for the whole process.
const tenon_math& default_math();

}  // namespace tenon
