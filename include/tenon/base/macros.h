// Two lines that every function with a Status needs. Private to Tenon's own sources.
//
//   TENON_RETURN_IF_ERROR(verify(program));
//   TENON_ASSIGN_OR_RETURN(Program lowered, lower(program, target));
#pragma once

#include <utility>

#include "tenon/base/status.h"

#define TENON_RETURN_IF_ERROR(expression)                               \
  do {                                                                  \
    if (absl::Status tenon_status = (expression); !tenon_status.ok()) { \
      return tenon_status;                                              \
    }                                                                   \
  } while (false)

#define TENON_CONCAT_INNER(a, b) a##b
#define TENON_CONCAT(a, b) TENON_CONCAT_INNER(a, b)
#define TENON_ASSIGN_OR_RETURN_AS(result, declaration, expression) \
  auto result = (expression);                                      \
  if (!result.ok()) return std::move(result).status();             \
  declaration = *std::move(result)
#define TENON_ASSIGN_OR_RETURN(declaration, expression) \
  TENON_ASSIGN_OR_RETURN_AS(TENON_CONCAT(tenon_result_, __LINE__), declaration, expression)
