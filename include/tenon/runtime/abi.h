/* The C interface between compiled kernels and the program that calls them.
 *
 * A kernel is one position-independent function that touches nothing but its tenon_call record:
 * buffers, sizes, scalars, workspace, and two tables of functions. The same code serves the JIT,
 * and could be stored: nothing in it depends on where it lies or who calls.
 *
 * Changing anything here changes TENON_ABI_VERSION, by which stored code will be refused.
 */
#pragma once

#include <stdint.h>

#include "tenon/base/extern_function.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_ABI_VERSION 3

/* One chunk of a parallel loop: iterations [begin, end) on this worker. */
typedef void (*tenon_task)(void* context, int64_t begin, int64_t end, int32_t worker);

/* Runs task over [0, count). Contract: worker < max_workers, one task at a time per worker number,
 * everything finished on return. */
typedef struct tenon_executor {
  void* self;
  void (*parallel_for)(void* self, int64_t count, int64_t grain, tenon_task task, void* context);
} tenon_executor;

/* Scalar mathematics that is not emitted inline. */
typedef struct tenon_math {
  float (*exp_f32)(float);
  float (*expm1_f32)(float);
  float (*log_f32)(float);
  float (*log1p_f32)(float);
  float (*sin_f32)(float);
  float (*cos_f32)(float);
  float (*tan_f32)(float);
  float (*asin_f32)(float);
  float (*acos_f32)(float);
  float (*atan_f32)(float);
  float (*sinh_f32)(float);
  float (*cosh_f32)(float);
  float (*tanh_f32)(float);
  float (*asinh_f32)(float);
  float (*acosh_f32)(float);
  float (*atanh_f32)(float);
  float (*erf_f32)(float);
  float (*pow_f32)(float, float);
  float (*fmod_f32)(float, float);
  double (*exp_f64)(double);
  double (*expm1_f64)(double);
  double (*log_f64)(double);
  double (*log1p_f64)(double);
  double (*sin_f64)(double);
  double (*cos_f64)(double);
  double (*tan_f64)(double);
  double (*asin_f64)(double);
  double (*acos_f64)(double);
  double (*atan_f64)(double);
  double (*sinh_f64)(double);
  double (*cosh_f64)(double);
  double (*tanh_f64)(double);
  double (*asinh_f64)(double);
  double (*acosh_f64)(double);
  double (*atanh_f64)(double);
  double (*erf_f64)(double);
  double (*pow_f64)(double, double);
  double (*fmod_f64)(double, double);
} tenon_math;

/* Filled by the first check(...) that fails; site is -1 while all is well. Set with an atomic
 * compare-exchange on `site`, so that parallel chunks do not mix their reports. */
typedef struct tenon_fault {
  int64_t site;  /* index into the kernel's table of checks */
  int64_t index; /* the value that was out of range, or what an extern function returned */
  int64_t bound; /* it had to be in [0, bound) */
} tenon_fault;

/* An extern function that the kernel calls. */
typedef struct tenon_extern_slot {
  tenon_extern function;
  void* user;
} tenon_extern_slot;

typedef struct tenon_call {
  void* const* buffers;    /* one pointer per buffer parameter, in parameter order */
  const int64_t* sizes;    /* size variables, then the strides of non-dense parameters */
  const uint64_t* scalars; /* one 8-byte slot per scalar parameter, value in the low bytes */
  void* workspace;         /* shared part, then max_workers slices; 64-byte aligned */
  const tenon_executor* executor;
  const tenon_math* math;
  tenon_fault* fault;
  const tenon_extern_slot* externs; /* in the order of the kernel's list; null without any */
} tenon_call;

typedef void (*tenon_kernel)(const tenon_call* call);

#ifdef __cplusplus
}
#endif
