// Everything a user of Tenon needs.
//
//   #include "tenon/tenon.h"
//   namespace tn = tenon;
//
// Start with docs/tour.md. Code that only passes views and executors around includes
// tenon/runtime/runtime.h and links tenon::runtime instead.
#pragma once

#include "tenon/base/half.h"
#include "tenon/base/status.h"
#include "tenon/base/type.h"
#include "tenon/dsl/dsl.h"
#include "tenon/interp/interp.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/program.h"
#include "tenon/jit/jit.h"
#include "tenon/runtime/runtime.h"
#include "tenon/schedule/lint.h"
#include "tenon/schedule/replay.h"
#include "tenon/schedule/schedule.h"
#include "tenon/target/instructions.h"
#include "tenon/target/target.h"
