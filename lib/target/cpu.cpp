#include "target/x86_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tenon {
namespace {

class NativeCpu final : public CpuInfo {
 public:
#if defined(__x86_64__)
  CpuidLeaf cpuid(uint32_t leaf, uint32_t subleaf) const override {
    CpuidLeaf r;
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
    return r;
  }
  uint64_t xgetbv() const override {
    uint32_t low = 0, high = 0;
    // The compiler's builtin would need -mxsave for this whole file.
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t{high} << 32 | low;
  }
#else
  CpuidLeaf cpuid(uint32_t, uint32_t) const override { return {}; }
  uint64_t xgetbv() const override { return 0; }
#endif
};

constexpr uint32_t kExtendedBase = 0x80000000u;

// A processor answers a leaf that it does not have with those of another one.
bool has_leaf(const CpuInfo& info, uint32_t leaf) {
  const uint32_t base = leaf & kExtendedBase;
  const uint32_t highest = info.cpuid(base, 0).eax;
  return highest >= leaf && (highest & kExtendedBase) == base;
}

CpuidLeaf read(const CpuInfo& info, uint32_t leaf, uint32_t subleaf) {
  if (!has_leaf(info, leaf)) return {};
  // Leaf 7 says itself how many subleaves it has.
  if (leaf == 7 && subleaf > info.cpuid(7, 0).eax) return {};
  return info.cpuid(leaf, subleaf);
}

uint32_t value_of(const CpuidLeaf& leaf, CpuidRegister reg) {
  switch (reg) {
    case CpuidRegister::kEax: return leaf.eax;
    case CpuidRegister::kEbx: return leaf.ebx;
    case CpuidRegister::kEcx: return leaf.ecx;
    case CpuidRegister::kEdx: return leaf.edx;
  }
  return 0;
}

// XCR0, or 0 when the operating system does not use XSAVE: then XGETBV itself would trap.
uint64_t enabled_state(const CpuInfo& info) {
  constexpr uint32_t kOsxsave = 1u << 27;
  return (read(info, 1, 0).ecx & kOsxsave) != 0 ? info.xgetbv() : 0;
}

// Leaf 4 (Intel) and 0x8000001D (AMD) list the caches in one format, until one of type 0.
CacheSizes read_caches(const CpuInfo& info, uint32_t leaf) {
  constexpr uint32_t kNone = 0, kInstructions = 2;
  constexpr uint32_t kMostCaches = 16;  // against a hypervisor that never ends the list
  CacheSizes sizes;
  for (uint32_t i = 0; i < kMostCaches; ++i) {
    const CpuidLeaf r = read(info, leaf, i);
    const uint32_t type = r.eax & 0x1f;
    if (type == kNone) break;
    if (type == kInstructions) continue;
    const int64_t ways = (r.ebx >> 22) + 1;
    const int64_t partitions = ((r.ebx >> 12) & 0x3ff) + 1;
    const int64_t line = (r.ebx & 0xfff) + 1;
    const int64_t bytes = ways * partitions * line * (int64_t{r.ecx} + 1);
    const uint32_t level = (r.eax >> 5) & 7;
    if (level == 1) sizes.l1 = bytes;
    if (level == 2) sizes.l2 = bytes;
  }
  return sizes;
}

}  // namespace

FeatureSet detect_features(const CpuInfo& info) {
  const uint64_t enabled = enabled_state(info);
  FeatureSet set;
  size_t i = 0;
  for (const Feature& f : feature_table()) {
    const uint32_t bits = value_of(read(info, f.leaf, f.subleaf), f.reg);
    const bool present = (bits >> f.bit & 1) != 0;
    set.set(i++, present && (enabled & f.state) == f.state);
  }
  // This code runs, so the baseline is there, whatever a virtual machine says.
  return without_unsupported(set | features_of_level(1));
}

CacheSizes detect_caches(const CpuInfo& info) {
  const CacheSizes sizes = read_caches(info, 4);
  return sizes.l1 != 0 ? sizes : read_caches(info, 0x8000001du);
}

const CpuInfo& native_cpu() {
  static const NativeCpu cpu;
  return cpu;
}

}  // namespace tenon
