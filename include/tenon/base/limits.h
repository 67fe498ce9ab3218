// Limits that several layers share.
#pragma once

namespace tenon {

inline constexpr int kMaxRank = 8;  // of parameters, local buffers and views

}  // namespace tenon
