// The processor that code is made for.
//
//   Target t = Target::host();                       // what this machine and its OS allow
//   absl::StatusOr<Target> v3 = Target::parse("x86-64-v3");
//   t.lanes(f32);                                    // 16 with AVX-512
//
// A Target is a value: a set of instruction-set features, and the few numbers that schedules and
// lowering need. Code depends on the features, never on the name of a processor. The set is always
// closed: with a feature it holds what the feature builds on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/base/type.h"

namespace tenon {

// What the CPUID and XGETBV instructions say. A test passes its own.
struct CpuidLeaf {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
struct CpuInfo {
  virtual ~CpuInfo() = default;
  virtual CpuidLeaf cpuid(uint32_t leaf, uint32_t subleaf) const = 0;
  virtual uint64_t xgetbv() const = 0;  // XCR0; asked only when OSXSAVE is set
};

class Target {
 public:
  // x86-64-v2 with ordinary cache sizes.
  Target();
  // The best target that this processor has AND the operating system has enabled (XCR0). Asks the
  // processor once per process.
  static Target host();
  static Target host(const CpuInfo& info);
  // "host", "x86-64" (the baseline), "x86-64-v2", "x86-64-v3" or "x86-64-v4", each followed by any
  // number of "+feature" and "-feature", applied from left to right: + brings what the feature
  // builds on, - takes what builds on it. "x86-64-v3+avx513f" is refused with what is known.
  static absl::StatusOr<Target> parse(std::string_view text);

  // 1 to 4: the highest x86-64 level whose features are all present.
  int level() const { return level_; }
  // By LLVM's names: "avx2", "avx512f", "f16c", "fma". False for a name that nobody knows.
  bool has(std::string_view feature) const;
  const std::vector<std::string>& features() const { return features_; }  // sorted
  // The form that LLVM takes: "+avx2,+fma,...".
  std::string llvm_features() const;
  std::string triple() const;  // "x86_64-unknown-linux-gnu"
  // The level and what goes beyond it, "x86-64-v4+avx512vnni"; parse() gives an equal target back
  // (cache sizes are not part of the text).
  std::string to_string() const;

  // The widest vector that is worth using: 512 takes avx512f, vl, dq and bw together, 256 takes
  // avx2; else 128.
  int vector_bits() const { return vector_bits_; }
  int vector_registers() const { return vector_bits_ == 512 ? 32 : 16; }
  // Elements of `type` in one vector register (bool counts as 8 bits).
  int lanes(Type type) const;
  // The largest register tile of a matrix product with sums of this type: two vectors wide, and as
  // many rows as registers take beside two for columns of one operand, one for an element of the
  // other and one to spare:
  //   rows = (vector_registers() - 4) / 2     14 x 32 f32 with AVX-512, 6 x 16 with AVX2
  struct Tile {
    int64_t rows, columns;
  };
  Tile matmul_tile(Type type) const;
  // Data caches of one core, in bytes: for schedules, which choose sizes by them.
  int64_t l1_bytes() const { return l1_bytes_; }
  int64_t l2_bytes() const { return l2_bytes_; }

  // Same code: cache sizes do not count.
  friend bool operator==(const Target& a, const Target& b) { return a.features_ == b.features_; }

 private:
  explicit Target(std::vector<std::string> features);  // closed and sorted

  int level_ = 1;
  int vector_bits_ = 128;
  int64_t l1_bytes_ = 32 << 10;
  int64_t l2_bytes_ = 1 << 20;
  std::vector<std::string> features_;
};

// Can this machine run code made for the target?
bool runs_on_host(const Target& target);

}  // namespace tenon
