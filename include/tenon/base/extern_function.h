/* The C interface of functions that a Program calls: a routine of a vendor library, say.
 *
 *   int32_t gemm(void* user, const tenon_array* arrays, int32_t count) {
 *     const tenon_array *y = &arrays[0], *x = &arrays[1], *w = &arrays[2];
 *     vendor_sgemm(x->data, x->strides[0], w->data, w->strides[0], y->data, y->strides[0], ...);
 *     return 0;
 *   }
 *
 * The arrays are those that the function writes, then those that it reads, in the order of the
 * call. It writes every element of the first and changes nothing else. A kernel may call it from
 * several threads at once, on parts that do not overlap: with a parallel loop around it, or from
 * two calls of the kernel. It keeps no pointer. 0 means success; any other number ends the kernel,
 * and the call of the kernel returns an error with the name and the number.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A part of a buffer. Row-major where it is a whole one; any strides where it is not. */
typedef struct tenon_array {
  void* data;
  const int64_t* shape;   /* extents; one that is empty is 0 */
  const int64_t* strides; /* in elements */
  int32_t rank;
  int32_t bits; /* of an element: 8, 16, 32 or 64 */
} tenon_array;

typedef int32_t (*tenon_extern)(void* user, const tenon_array* arrays, int32_t count);

#ifdef __cplusplus
}
#endif
