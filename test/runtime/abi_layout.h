/* The layout that compiled kernels rely on, for a C and for a C++ compiler. Whoever has to change a
 * line here has to change TENON_ABI_VERSION too. */
#include <stddef.h>

#include "tenon/runtime/abi.h"

#ifdef __cplusplus
#define LAYOUT_CHECK(condition) static_assert(condition, #condition)
#else
#define LAYOUT_CHECK(condition) _Static_assert(condition, #condition)
#endif

LAYOUT_CHECK(TENON_ABI_VERSION == 3);
LAYOUT_CHECK(offsetof(tenon_call, buffers) == 0);
LAYOUT_CHECK(offsetof(tenon_call, sizes) == 8);
LAYOUT_CHECK(offsetof(tenon_call, scalars) == 16);
LAYOUT_CHECK(offsetof(tenon_call, workspace) == 24);
LAYOUT_CHECK(offsetof(tenon_call, executor) == 32);
LAYOUT_CHECK(offsetof(tenon_call, math) == 40);
LAYOUT_CHECK(offsetof(tenon_call, fault) == 48);
LAYOUT_CHECK(offsetof(tenon_call, externs) == 56);
LAYOUT_CHECK(sizeof(tenon_call) == 64);
LAYOUT_CHECK(offsetof(tenon_extern_slot, function) == 0);
LAYOUT_CHECK(offsetof(tenon_extern_slot, user) == 8);
LAYOUT_CHECK(sizeof(tenon_extern_slot) == 16);
LAYOUT_CHECK(offsetof(tenon_array, data) == 0);
LAYOUT_CHECK(offsetof(tenon_array, shape) == 8);
LAYOUT_CHECK(offsetof(tenon_array, strides) == 16);
LAYOUT_CHECK(offsetof(tenon_array, rank) == 24);
LAYOUT_CHECK(offsetof(tenon_array, bits) == 28);
LAYOUT_CHECK(sizeof(tenon_array) == 32);
LAYOUT_CHECK(offsetof(tenon_executor, self) == 0);
LAYOUT_CHECK(offsetof(tenon_executor, parallel_for) == 8);
LAYOUT_CHECK(sizeof(tenon_executor) == 16);
LAYOUT_CHECK(offsetof(tenon_math, exp_f32) == 0);
LAYOUT_CHECK(offsetof(tenon_math, fmod_f32) == 18 * 8);
LAYOUT_CHECK(offsetof(tenon_math, exp_f64) == 19 * 8);
LAYOUT_CHECK(offsetof(tenon_math, fmod_f64) == 37 * 8);
LAYOUT_CHECK(sizeof(tenon_math) == 38 * 8);
LAYOUT_CHECK(offsetof(tenon_fault, site) == 0);
LAYOUT_CHECK(offsetof(tenon_fault, index) == 8);
LAYOUT_CHECK(offsetof(tenon_fault, bound) == 16);
LAYOUT_CHECK(sizeof(tenon_fault) == 24);
