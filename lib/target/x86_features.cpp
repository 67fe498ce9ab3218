#include "target/x86_features.h"

namespace tenon {
namespace {

constexpr CpuidRegister kEax = CpuidRegister::kEax;
constexpr CpuidRegister kEbx = CpuidRegister::kEbx;
constexpr CpuidRegister kEcx = CpuidRegister::kEcx;
constexpr CpuidRegister kEdx = CpuidRegister::kEdx;
constexpr uint32_t kExtended = 0x80000001u;

// Levels as in the x86-64 psABI; implications as in LLVM. AMX is missing on purpose: Linux grants
// its state to a process only on request, which is the host program's decision.
constexpr Feature kFeatures[] = {
    {"sse", 1, 1, 0, kEdx, 25, kSseState, {}},
    {"sse2", 1, 1, 0, kEdx, 26, kSseState, {"sse"}},
    {"cx16", 2, 1, 0, kEcx, 13, kSseState, {}},
    {"sahf", 2, kExtended, 0, kEcx, 0, kSseState, {}},
    {"popcnt", 2, 1, 0, kEcx, 23, kSseState, {}},
    {"sse3", 2, 1, 0, kEcx, 0, kSseState, {"sse2"}},
    {"ssse3", 2, 1, 0, kEcx, 9, kSseState, {"sse3"}},
    {"sse4.1", 2, 1, 0, kEcx, 19, kSseState, {"ssse3"}},
    {"sse4.2", 2, 1, 0, kEcx, 20, kSseState, {"sse4.1"}},
    {"avx", 3, 1, 0, kEcx, 28, kAvxState, {"sse4.2"}},
    {"avx2", 3, 7, 0, kEbx, 5, kAvxState, {"avx"}},
    {"bmi", 3, 7, 0, kEbx, 3, kSseState, {}},
    {"bmi2", 3, 7, 0, kEbx, 8, kSseState, {}},
    {"f16c", 3, 1, 0, kEcx, 29, kAvxState, {"avx"}},
    {"fma", 3, 1, 0, kEcx, 12, kAvxState, {"avx"}},
    {"lzcnt", 3, kExtended, 0, kEcx, 5, kSseState, {}},
    {"movbe", 3, 1, 0, kEcx, 22, kSseState, {}},
    {"avx512f", 4, 7, 0, kEbx, 16, kAvx512State, {"avx2", "f16c", "fma"}},
    {"avx512bw", 4, 7, 0, kEbx, 30, kAvx512State, {"avx512f"}},
    {"avx512cd", 4, 7, 0, kEbx, 28, kAvx512State, {"avx512f"}},
    {"avx512dq", 4, 7, 0, kEbx, 17, kAvx512State, {"avx512f"}},
    {"avx512vl", 4, 7, 0, kEbx, 31, kAvx512State, {"avx512f"}},
    {"aes", 0, 1, 0, kEcx, 25, kSseState, {"sse2"}},
    {"pclmul", 0, 1, 0, kEcx, 1, kSseState, {"sse2"}},
    {"sha", 0, 7, 0, kEbx, 29, kSseState, {"sse2"}},
    {"gfni", 0, 7, 0, kEcx, 8, kSseState, {"sse2"}},
    {"vaes", 0, 7, 0, kEcx, 9, kAvxState, {"aes", "avx2"}},
    {"vpclmulqdq", 0, 7, 0, kEcx, 10, kAvxState, {"avx", "pclmul"}},
    {"avxvnni", 0, 7, 1, kEax, 4, kAvxState, {"avx2"}},
    {"avxifma", 0, 7, 1, kEax, 23, kAvxState, {"avx2"}},
    {"avxvnniint8", 0, 7, 1, kEdx, 4, kAvxState, {"avx2"}},
    {"avxneconvert", 0, 7, 1, kEdx, 5, kAvxState, {"avx2"}},
    {"avxvnniint16", 0, 7, 1, kEdx, 10, kAvxState, {"avx2"}},
    {"avx512ifma", 0, 7, 0, kEbx, 21, kAvx512State, {"avx512f"}},
    {"avx512vbmi", 0, 7, 0, kEcx, 1, kAvx512State, {"avx512bw"}},
    {"avx512vbmi2", 0, 7, 0, kEcx, 6, kAvx512State, {"avx512bw"}},
    {"avx512vnni", 0, 7, 0, kEcx, 11, kAvx512State, {"avx512f"}},
    {"avx512bitalg", 0, 7, 0, kEcx, 12, kAvx512State, {"avx512bw"}},
    {"avx512vpopcntdq", 0, 7, 0, kEcx, 14, kAvx512State, {"avx512f"}},
    {"avx512vp2intersect", 0, 7, 0, kEdx, 8, kAvx512State, {"avx512f"}},
    {"avx512bf16", 0, 7, 1, kEax, 5, kAvx512State, {"avx512bw"}},
    {"avx512fp16", 0, 7, 0, kEdx, 23, kAvx512State, {"avx512bw", "avx512dq", "avx512vl"}},
};
constexpr int kCount = static_cast<int>(sizeof(kFeatures) / sizeof(kFeatures[0]));
static_assert(kCount <= kMaxFeatures);

int index_of(std::string_view name) {
  for (int i = 0; i < kCount; ++i) {
    if (kFeatures[i].name == name) return i;
  }
  return -1;
}

FeatureSet implied_by(int feature) {
  FeatureSet set;
  for (std::string_view name : kFeatures[feature].implied) {
    if (!name.empty()) set.set(static_cast<size_t>(index_of(name)));
  }
  return set;
}

}  // namespace

absl::Span<const Feature> feature_table() { return kFeatures; }

std::optional<int> find_feature(std::string_view name) {
  const int i = index_of(name);
  return i < 0 ? std::nullopt : std::optional<int>(i);
}

FeatureSet features_of_level(int level) {
  FeatureSet set;
  for (int i = 0; i < kCount; ++i) {
    if (kFeatures[i].level != 0 && kFeatures[i].level <= level) set.set(static_cast<size_t>(i));
  }
  return set;
}

// What a row builds on stands above it, so one sweep is enough: upwards here, downwards below.
FeatureSet with_implied(FeatureSet set) {
  for (int i = kCount - 1; i >= 0; --i) {
    if (set.test(static_cast<size_t>(i))) set |= implied_by(i);
  }
  return set;
}

FeatureSet without_unsupported(FeatureSet set) {
  for (int i = 0; i < kCount; ++i) {
    const FeatureSet needed = implied_by(i);
    if ((set & needed) != needed) set.reset(static_cast<size_t>(i));
  }
  return set;
}

}  // namespace tenon
