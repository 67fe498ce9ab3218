#include "tenon/target/target.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>

#include "target/x86_features.h"

namespace tenon {
namespace {

constexpr uint32_t kOsxsave = 1u << 27;
constexpr uint32_t kExtendedBase = 0x80000000u;

// A processor made of answers. By default it has every feature of the table.
class FakeCpu final : public CpuInfo {
 public:
  FakeCpu() {
    leaf(0).eax = 0x20;
    leaf(kExtendedBase).eax = 0x8000001fu;
    leaf(7).eax = 1;
    leaf(1).ecx = kOsxsave;
    for (const Feature& f : feature_table()) set(f, true);
  }
  CpuidLeaf& leaf(uint32_t leaf, uint32_t subleaf = 0) { return leaves_[{leaf, subleaf}]; }
  void set(const Feature& f, bool on) {
    uint32_t& word = reg(leaf(f.leaf, f.subleaf), f.reg);
    word = on ? word | 1u << f.bit : word & ~(1u << f.bit);
  }
  void set(std::string_view name, bool on) {
    set(feature_table()[static_cast<size_t>(*find_feature(name))], on);
  }
  void set_xcr0(uint64_t value) { xcr0_ = value; }

  CpuidLeaf cpuid(uint32_t leaf, uint32_t subleaf) const override {
    const auto found = leaves_.find({leaf, subleaf});
    return found == leaves_.end() ? CpuidLeaf{} : found->second;
  }
  uint64_t xgetbv() const override {
    REQUIRE((cpuid(1, 0).ecx & kOsxsave) != 0);  // otherwise the instruction traps
    return xcr0_;
  }

 private:
  static uint32_t& reg(CpuidLeaf& leaf, CpuidRegister r) {
    switch (r) {
      case CpuidRegister::kEax: return leaf.eax;
      case CpuidRegister::kEbx: return leaf.ebx;
      case CpuidRegister::kEcx: return leaf.ecx;
      default: return leaf.edx;
    }
  }
  std::map<std::pair<uint32_t, uint32_t>, CpuidLeaf> leaves_;
  uint64_t xcr0_ = 0xe7;
};

std::string message(std::string_view text) {
  const absl::StatusOr<Target> target = Target::parse(text);
  REQUIRE_FALSE(target.ok());
  return std::string(target.status().message());
}

Target parsed(std::string_view text) {
  const absl::StatusOr<Target> target = Target::parse(text);
  INFO(text << ": " << target.status());
  REQUIRE(target.ok());
  return *target;
}

}  // namespace

TEST_CASE("the levels hold what the x86-64 psABI says") {
  CHECK(parsed("x86-64").llvm_features() == "+sse,+sse2");
  CHECK(parsed("x86-64-v2").llvm_features() ==
        "+cx16,+popcnt,+sahf,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3");
  CHECK(parsed("x86-64-v3").llvm_features() ==
        "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sahf,+sse,+sse2,+sse3,"
        "+sse4.1,+sse4.2,+ssse3");
  CHECK(parsed("x86-64-v4").llvm_features() ==
        "+avx,+avx2,+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl,+bmi,+bmi2,+cx16,+f16c,+fma,"
        "+lzcnt,+movbe,+popcnt,+sahf,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3");
  for (int level = 1; level <= 4; ++level) {
    CHECK(parsed(level == 1 ? "x86-64" : "x86-64-v" + std::to_string(level)).level() == level);
  }
}

TEST_CASE("a target has vectors, registers and lanes of its level") {
  const Target v2 = parsed("x86-64-v2"), v3 = parsed("x86-64-v3"), v4 = parsed("x86-64-v4");
  CHECK(v2.vector_bits() == 128);
  CHECK(v3.vector_bits() == 256);
  CHECK(v4.vector_bits() == 512);
  CHECK(v3.vector_registers() == 16);
  CHECK(v4.vector_registers() == 32);
  CHECK(v4.lanes(f32) == 16);
  CHECK(v4.lanes(f64) == 8);
  CHECK(v4.lanes(bf16) == 32);
  CHECK(v4.lanes(i8) == 64);
  CHECK(v4.lanes(boolean) == 64);
  CHECK(v3.lanes(f32) == 8);
  CHECK(v2.lanes(i64) == 2);
  CHECK(v4.lanes(f32.with_lanes(4)) == 16);
  CHECK(v2.triple() == "x86_64-unknown-linux-gnu");
  CHECK(Target() == v2);
}

TEST_CASE("512-bit vectors take avx512f, vl, dq and bw together") {
  for (std::string_view part : {"avx512f", "avx512vl", "avx512dq", "avx512bw"}) {
    const Target target = parsed("x86-64-v4-" + std::string(part));
    INFO(target.to_string());
    CHECK(target.vector_bits() == 256);
    CHECK(target.level() == 3);
  }
  CHECK(parsed("x86-64-v4-avx512cd").vector_bits() == 512);
  CHECK(parsed("x86-64-v3+avx512f").vector_bits() == 256);
  CHECK(parsed("x86-64-v2+avx").vector_bits() == 128);
}

TEST_CASE("a feature brings what it builds on and takes along what builds on it") {
  CHECK(parsed("x86-64-v2+fma").to_string() == "x86-64-v2+avx+fma");
  CHECK(parsed("x86-64+avx512fp16-avx512bw").to_string() ==
        "x86-64+avx+avx2+avx512dq+avx512f+avx512vl+f16c+fma+sse3+sse4.1+sse4.2+ssse3");
  CHECK(parsed("x86-64-v4+avx512vnni+avxvnni-avx512f").to_string() == "x86-64-v3+avxvnni");
  CHECK(parsed("x86-64-v3-avx").to_string() == "x86-64-v2+bmi+bmi2+lzcnt+movbe");
  CHECK(parsed("x86-64-v3-fma+fma").to_string() == "x86-64-v3");
  CHECK(parsed("x86-64-v3+fma-fma").to_string() == "x86-64-v2+avx+avx2+bmi+bmi2+f16c+lzcnt+movbe");
  CHECK(parsed("x86-64-v2+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+bmi+bmi2+lzcnt+movbe")
            .to_string() == "x86-64-v4");
}

TEST_CASE("every row of the feature table is consistent") {
  for (const Feature& f : feature_table()) {
    INFO(f.name);
    const std::string name(f.name);
    const Target with = parsed("x86-64+" + name);
    CHECK(with.has(f.name));
    // An implied feature needs no more state than the one that builds on it.
    for (std::string_view implied : f.implied) {
      if (implied.empty()) continue;
      CHECK(with.has(implied));
      const Feature& base = feature_table()[static_cast<size_t>(*find_feature(implied))];
      CHECK((base.state & ~f.state) == 0);
      CHECK(*find_feature(implied) < *find_feature(f.name));
    }
    if (f.level == 1) continue;
    const Target without = parsed("x86-64-v4+avx512fp16+avx512bf16-" + name);
    CHECK_FALSE(without.has(f.name));
    for (const Feature& other : feature_table()) {
      const auto* end = other.implied + kMaxImplied;
      if (std::find(other.implied, end, f.name) != end) CHECK_FALSE(without.has(other.name));
    }
  }
}

TEST_CASE("the text of a target reads back as the same target") {
  for (std::string_view base : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    for (const Feature& f : feature_table()) {
      for (char sign : {'+', '-'}) {
        if (sign == '-' && f.level == 1) continue;
        const Target target = parsed(std::string(base) + sign + std::string(f.name));
        const Target again = parsed(target.to_string());
        INFO(target.to_string());
        CHECK(again == target);
        CHECK(again.to_string() == target.to_string());
        CHECK(again.vector_bits() == target.vector_bits());
        CHECK(again.level() == target.level());
      }
    }
  }
  CHECK(parsed(Target::host().to_string()) == Target::host());
  CHECK(parsed("host") == Target::host());
  CHECK(parsed("host").l2_bytes() == Target::host().l2_bytes());
}

TEST_CASE("a wrong text is refused with what is known") {
  CHECK(message("skylake") ==
        "target \"skylake\" does not begin with the name of a processor\n"
        "  legal here: host; x86-64; x86-64-v2; x86-64-v3; x86-64-v4");
  CHECK(message("") ==
        "target \"\" does not begin with the name of a processor\n"
        "  legal here: host; x86-64; x86-64-v2; x86-64-v3; x86-64-v4");
  CHECK(message("x86-64-v5") ==
        "target \"x86-64-v5\" does not begin with the name of a processor\n"
        "  legal here: host; x86-64; x86-64-v2; x86-64-v3; x86-64-v4");
  CHECK(message("x86-64-v33+avx2").starts_with("target \"x86-64-v33+avx2\" does not begin"));
  CHECK(message("x86-64-v3+avx513f") ==
        "target \"x86-64-v3+avx513f\": no feature is called \"avx513f\"\n"
        "  legal here: aes; avx; avx2; avx512bf16; avx512bitalg; avx512bw; avx512cd; avx512dq; "
        "avx512f; avx512fp16; avx512ifma; avx512vbmi; avx512vbmi2; avx512vl; avx512vnni; "
        "avx512vp2intersect; avx512vpopcntdq; avxifma; avxneconvert; avxvnni; avxvnniint16; "
        "avxvnniint8; bmi; bmi2; cx16; f16c; fma; gfni; lzcnt; movbe; pclmul; popcnt; sahf; sha; "
        "sse; sse2; sse3; sse4.1; sse4.2; ssse3; vaes; vpclmulqdq");
  CHECK(message("x86-64-sse2") == "target \"x86-64-sse2\": every x86-64 processor has sse2");
}

TEST_CASE("a processor with everything gives every feature") {
  const Target target = Target::host(FakeCpu());
  CHECK(target.features().size() == feature_table().size());
  CHECK(target.level() == 4);
}

TEST_CASE("each bit of CPUID decides its feature and what builds on it") {
  for (const Feature& f : feature_table()) {
    if (f.level == 1) continue;
    INFO(f.name);
    FakeCpu cpu;
    cpu.set(f, false);
    const Target target = Target::host(cpu);
    const FeatureSet all((uint64_t{1} << feature_table().size()) - 1);
    FeatureSet expected = all;
    expected.reset(static_cast<size_t>(*find_feature(f.name)));
    expected = without_unsupported(expected);
    CHECK(target.features().size() == expected.count());
    CHECK_FALSE(target.has(f.name));
  }
}

TEST_CASE("features whose register state the system does not save are not used") {
  // The state that XCR0 enables: 0x1 x87, 0x2 SSE, 0x4 AVX, 0xe0 AVX-512.
  const struct {
    uint64_t xcr0;
    int level;
    int vector_bits;
  } rows[] = {
      {0xe7, 4, 512}, {0x07, 3, 256},    {0x06, 3, 256},    {0x03, 2, 128}, {0x05, 2, 128},
      {0x01, 2, 128}, {0x00, 2, 128},    {0x27, 3, 256},    {0x67, 3, 256}, {0xc7, 3, 256},
      {0xe3, 2, 128}, {0x602e7, 4, 512}, {0x60207, 3, 256},
  };
  for (const auto& row : rows) {
    FakeCpu cpu;
    cpu.set_xcr0(row.xcr0);
    const Target target = Target::host(cpu);
    INFO(row.xcr0 << ": " << target.to_string());
    CHECK(target.level() == row.level);
    CHECK(target.vector_bits() == row.vector_bits);
    for (const Feature& f : feature_table()) {
      CHECK(target.has(f.name) == ((row.xcr0 & f.state) == f.state));
    }
  }
}

TEST_CASE("without OSXSAVE there is no AVX and XGETBV is not asked") {
  FakeCpu cpu;
  cpu.leaf(1).ecx &= ~kOsxsave;
  const Target target = Target::host(cpu);
  CHECK(target.level() == 2);
  CHECK_FALSE(target.has("avx"));
  CHECK(target.has("bmi2"));
}

TEST_CASE("leaves that a processor does not have are not read") {
  FakeCpu cpu;
  cpu.leaf(7).eax = 0;  // no subleaf 1
  CHECK_FALSE(Target::host(cpu).has("avxvnni"));
  CHECK(Target::host(cpu).has("avx512vnni"));
  cpu.leaf(0).eax = 6;
  CHECK_FALSE(Target::host(cpu).has("avx2"));
  CHECK(Target::host(cpu).has("avx"));
  cpu.leaf(kExtendedBase).eax = kExtendedBase;
  CHECK_FALSE(Target::host(cpu).has("lzcnt"));
  cpu.leaf(kExtendedBase).eax = 0;  // a processor without extended leaves
  CHECK_FALSE(Target::host(cpu).has("sahf"));
  cpu.leaf(0).eax = 0;
  CHECK(Target::host(cpu).to_string() == "x86-64");
}

namespace {

// One entry of leaf 4 or 0x8000001D.
CpuidLeaf cache(uint32_t type, uint32_t level, uint32_t ways, uint32_t line, uint32_t sets) {
  return {type | level << 5, (ways - 1) << 22 | (line - 1), sets - 1, 0};
}

}  // namespace

TEST_CASE("cache sizes come from leaf 4, and from 0x8000001D where that is empty") {
  for (uint32_t leaf : {4u, 0x8000001du}) {
    FakeCpu cpu;
    cpu.leaf(leaf, 0) = cache(1, 1, 12, 64, 64);
    cpu.leaf(leaf, 1) = cache(2, 1, 8, 64, 64);
    cpu.leaf(leaf, 2) = cache(3, 2, 16, 64, 2048);
    cpu.leaf(leaf, 3) = cache(3, 3, 16, 64, 65536);
    const Target target = Target::host(cpu);
    CHECK(target.l1_bytes() == 48 << 10);
    CHECK(target.l2_bytes() == 2 << 20);
  }
  CHECK(Target::host(FakeCpu()).l1_bytes() == 32 << 10);  // nothing said: the default
  CHECK(Target::host(FakeCpu()).l2_bytes() == 1 << 20);
}

TEST_CASE("a list of caches without an end is cut") {
  struct Endless final : CpuInfo {
    CpuidLeaf cpuid(uint32_t leaf, uint32_t) const override {
      if (leaf == 0) return {4, 0, 0, 0};
      return leaf == 4 ? cache(3, 2, 16, 64, 1024) : CpuidLeaf{};
    }
    uint64_t xgetbv() const override { return 0; }
  };
  CHECK(Target::host(Endless()).l2_bytes() == 1 << 20);
}

TEST_CASE("the host runs its own code and the baseline") {
  const Target host = Target::host();
  CHECK(runs_on_host(host));
  CHECK(runs_on_host(parsed("x86-64")));
  CHECK(host.l1_bytes() >= 8 << 10);
  CHECK(host.l2_bytes() > host.l1_bytes());
  for (const Feature& f : feature_table()) {
    if (host.has(f.name)) continue;
    CHECK_FALSE(runs_on_host(parsed("host+" + std::string(f.name))));
  }
}

TEST_CASE("an unknown feature is not there") {
  CHECK_FALSE(Target::host().has("avx513f"));
  CHECK_FALSE(Target::host().has(""));
  CHECK_FALSE(find_feature("").has_value());
}

}  // namespace tenon
