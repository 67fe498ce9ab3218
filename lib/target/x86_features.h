// The instruction-set features of x86-64 as one table, and sets of them.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/types/span.h"
#include "tenon/target/target.h"

namespace tenon {

enum class CpuidRegister : uint8_t { kEax, kEbx, kEcx, kEdx };

// Bits of XCR0: which registers the operating system saves and restores. Without them the
// instructions trap, whatever CPUID says.
inline constexpr uint64_t kSseState = 0;               // every 64-bit system
inline constexpr uint64_t kAvxState = 0x06;            // xmm, ymm
inline constexpr uint64_t kAvx512State = 0x06 | 0xe0;  // and mask registers, zmm

inline constexpr int kMaxImplied = 4;

struct Feature {
  std::string_view name;  // LLVM's
  int level;              // the x86-64 level that brings it; 0: none does
  uint32_t leaf;
  uint32_t subleaf;
  CpuidRegister reg;
  int bit;
  uint64_t state;  // needed bits of XCR0
  // What it builds on: these stand earlier in the table. Unused places are empty.
  std::string_view implied[kMaxImplied];
};

inline constexpr int kMaxFeatures = 64;
using FeatureSet = std::bitset<kMaxFeatures>;  // bit i: row i of the table

absl::Span<const Feature> feature_table();
std::optional<int> find_feature(std::string_view name);

FeatureSet features_of_level(int level);
// The set and all that its members build on.
FeatureSet with_implied(FeatureSet set);
// Without the members that lack something they build on.
FeatureSet without_unsupported(FeatureSet set);

FeatureSet detect_features(const CpuInfo& info);

struct CacheSizes {
  int64_t l1 = 0, l2 = 0;  // bytes; 0: unknown
};
CacheSizes detect_caches(const CpuInfo& info);

// The processor that this code runs on. On another architecture it has nothing.
const CpuInfo& native_cpu();

}  // namespace tenon
