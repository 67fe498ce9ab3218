// Limits that several layers share.
#pragma once

#include <cstdint>

namespace tenon {

inline constexpr int kMaxRank = 8;                        // of parameters, local buffers and views
inline constexpr int64_t kMaxStackBuffer = 16 << 10;      // bytes of a local buffer on the stack
inline constexpr int64_t kMostMemory = int64_t{1} << 47;  // no process has more bytes

}  // namespace tenon
