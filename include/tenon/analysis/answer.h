// The three answers of every analysis: proved, refuted by a concrete witness, or not known.
#pragma once

#include <cstdint>

namespace tenon {

enum class Answer : uint8_t {
  kYes,      // proved for every iteration and every size
  kNo,       // a concrete counterexample exists
  kUnknown,  // neither; callers treat it as a refusal and name the missing fact
};

}  // namespace tenon
