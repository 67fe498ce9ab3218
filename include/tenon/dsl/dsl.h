// The whole expression language: sizes, tensors, operators, reductions, programs.
#pragma once

#include "tenon/dsl/border.h"
#include "tenon/dsl/build.h"
#include "tenon/dsl/domain.h"
#include "tenon/dsl/extern.h"
#include "tenon/dsl/pieces.h"
#include "tenon/dsl/quantized.h"
#include "tenon/dsl/reduce.h"
#include "tenon/dsl/scan.h"
#include "tenon/dsl/tensor.h"
#include "tenon/dsl/update.h"
#include "tenon/ir/float8.h"
#include "tenon/ir/functions.h"
#include "tenon/ir/index.h"
#include "tenon/ir/integers.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/size.h"
