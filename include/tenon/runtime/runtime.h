// All that a deployed program needs: buffers, the check of a call, threads and scratch memory.
// Links tenon::runtime alone, without a compiler.
//
//   tenon::ThreadPool pool(4);
//   tenon::View x(data, {128, 768});
//   absl::Status status = tenon::check_call(signature, {x}, {out}, &bound);
#pragma once

#include "tenon/runtime/abi.h"
#include "tenon/runtime/allocator.h"
#include "tenon/runtime/executor.h"
#include "tenon/runtime/math.h"
#include "tenon/runtime/signature.h"
#include "tenon/runtime/view.h"
#include "tenon/runtime/workspace.h"
