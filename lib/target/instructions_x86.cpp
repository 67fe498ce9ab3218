// Instructions of x86-64 whose meaning the vectoriser does not find by itself.
#include "target/meanings.h"
#include "tenon/target/instructions.h"

namespace tenon::instructions {
namespace {

// What differs between the widths of one instruction.
struct Width {
  std::string bits;                // "256"
  int bytes;                       // of a register
  std::vector<std::string> needs;  // for instructions on bytes and words
  std::string family;              // of their intrinsics
};

// Sums of two products of i16, or of bytes that are widened to i16 first. Exact: two products of
// bytes fit an i32 with room to spare, and the one pair of i16 that does not wraps, as i32 does.
void add_pairs(const Width& w, const std::string& suffix, std::vector<Instruction>& table) {
  const int lanes = w.bytes / 4;
  const std::string intrinsic = "llvm.x86." + w.family + suffix;
  table.push_back(Instruction({.name = "vpmaddwd_" + w.bits,
                               .needs = w.needs,
                               .meaning = dot(lanes, 2, i32, i16, i16),
                               .operands = {"a", "b"},
                               .intrinsic = intrinsic}));
  const std::pair<const char*, std::pair<Type, Type>> kBytes[] = {
      {"vpmaddwd_i8_", {i8, i8}}, {"vpmaddwd_u8_", {u8, u8}}, {"vpmaddwd_u8i8_", {u8, i8}}};
  for (const auto& [name, types] : kBytes) {
    table.push_back(Instruction({.name = name + w.bits,
                                 .needs = w.needs,
                                 .meaning = dot(lanes, 2, i32, types.first, types.second),
                                 .operands = {{"a", i16}, {"b", i16}},
                                 .intrinsic = intrinsic}));
  }
}

// The sum of two products of an unsigned and a signed byte, saturated to i16.
Program saturated_pairs(int lanes) {
  const std::string n = std::to_string(lanes);
  const auto term = [](const std::string& k) {
    return "cast<i32>(a[i, " + k + "]) * cast<i32>(b[i, " + k + "])";
  };
  return meaning_of("program pairs\n  input a: u8[" + n + ", 2]\n  input b: i8[" + n +
                    ", 2]\n  output out: i16[" + n + "]\n{\n  for i in 0.." + n +
                    " {\n    out[i] = saturate<i16>(" + term("0") + " + " + term("1") +
                    ")\n  }\n}\n");
}

// Adds up |a - b| of eight bytes.
Program distances(int lanes) {
  const std::string n = std::to_string(lanes);
  return meaning_of("program distances\n  input a: u8[" + n + ", 8]\n  input b: u8[" + n +
                    ", 8]\n  output out: u64[" + n + "]\n{\n  for i in 0.." + n +
                    " {\n    for k in 0..8 {\n      out[i] += cast<u64>(abs(cast<i16>(a[i, k]) - "
                    "cast<i16>(b[i, k])))\n    }\n  }\n}\n");
}

// The product of two fractions of 15 bits, rounded half up; -1 * -1 wraps to -1.
Program rounded_products(int lanes) {
  const std::string n = std::to_string(lanes);
  return meaning_of("program products\n  input a: i16[" + n + "]\n  input b: i16[" + n +
                    "]\n  output out: i16[" + n + "]\n{\n  for i in 0.." + n +
                    " {\n    out[i] = cast<i16>((cast<i32>(a[i]) * cast<i32>(b[i]) + 16384i32) >> "
                    "15i32)\n  }\n}\n");
}

void add_integers(const Width& w, bool wide, std::vector<Instruction>& table) {
  add_pairs(w, wide ? ".pmaddw.d.512" : ".pmadd.wd", table);
  table.push_back(Instruction(
      {.name = "vpmaddubsw_" + w.bits,
       .needs = w.needs,
       .meaning = saturated_pairs(w.bytes / 2),
       .operands = {"a", "b"},
       .intrinsic = "llvm.x86." + w.family + (wide ? ".pmaddubs.w.512" : ".pmadd.ub.sw")}));
  table.push_back(
      Instruction({.name = "vpsadbw_" + w.bits,
                   .needs = w.needs,
                   .meaning = distances(w.bytes / 8),
                   .operands = {"a", "b"},
                   .intrinsic = "llvm.x86." + w.family + (wide ? ".psad.bw.512" : ".psad.bw")}));
  table.push_back(Instruction(
      {.name = "vpmulhrsw_" + w.bits,
       .needs = w.needs,
       .meaning = rounded_products(w.bytes / 2),
       .operands = {"a", "b"},
       .intrinsic = "llvm.x86." + w.family + (wide ? ".pmul.hr.sw.512" : ".pmul.hr.sw")}));
}

// Dot products of four bytes and of two words that are added to an i32 in one instruction; sums
// wrap.
void add_vnni(const std::string& bits, int lanes, const std::vector<std::string>& needs,
              const std::string& prefix, std::vector<Instruction>& table) {
  table.push_back(Instruction({.name = prefix + "vpdpbusd_" + bits,
                               .needs = needs,
                               .meaning = dot(lanes, 4, i32, u8, i8),
                               .operands = {"out", "a", "b"},
                               .intrinsic = "llvm.x86.avx512.vpdpbusd." + bits}));
  table.push_back(Instruction({.name = prefix + "vpdpwssd_" + bits,
                               .needs = needs,
                               .meaning = dot(lanes, 2, i32, i16, i16),
                               .operands = {"out", "a", "b"},
                               .intrinsic = "llvm.x86.avx512.vpdpwssd." + bits}));
}

// Not exact: products and sums of bf16 pairs take subnormal numbers for zeros and are rounded in
// another order, and a fused product of f16 is rounded once instead of twice.
void add_floats(std::vector<Instruction>& table) {
  table.push_back(Instruction({.name = "vdpbf16ps_512",
                               .needs = {"avx512bf16"},
                               .meaning = dot(16, 2, f32, bf16, bf16),
                               .operands = {"out", "a", "b"},
                               .intrinsic = "llvm.x86.avx512bf16.dpbf16ps.512",
                               .exact = false}));
  // The constant: round to nearest as the processor is set to.
  table.push_back(Instruction(
      {.name = "vfmaddph_512",
       .needs = {"avx512fp16"},
       .meaning = meaning_of("program fma\n  input a: f16[32]\n  input b: f16[32]\n  output out: "
                             "f16[32]\n{\n  for i in 0..32 {\n    out[i] += a[i] * b[i]\n  }\n}\n"),
       .operands = {"a", "b", "out", 4},
       .intrinsic = "llvm.x86.avx512fp16.vfmadd.ph.512",
       .exact = false}));
}

std::vector<Instruction> make() {
  std::vector<Instruction> table;
  add_integers({"256", 32, {"avx2"}, "avx2"}, /*wide=*/false, table);
  add_integers({"512", 64, {"avx512bw"}, "avx512"}, /*wide=*/true, table);
  add_vnni("512", 16, {"avx512vnni"}, "", table);
  add_vnni("256", 8, {"avx512vnni", "avx512vl"}, "", table);
  add_vnni("256", 8, {"avxvnni"}, "vex_", table);
  add_floats(table);
  return table;
}

}  // namespace

const std::vector<Instruction>& x86() {
  static const std::vector<Instruction> table = make();
  return table;
}

}  // namespace tenon::instructions
