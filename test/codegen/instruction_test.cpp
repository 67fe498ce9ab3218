// Each instruction against its meaning: on this machine where it has it, as assembly where not.
#include <catch2/catch.hpp>
#include <map>

#include "support/check.h"
#include "support/native.h"
#include "support/rng.h"
#include "tenon/ir/visit.h"
#include "tenon/lower/lower.h"
#include "tenon/target/instructions.h"

namespace tenon::test {
namespace {

// The meaning as a kernel that is one instruction.
Program kernel_of(const Instruction& instruction) {
  const Program& meaning = instruction->meaning;
  const For& loop = *meaning->body.as<For>();
  return checked(
      meaning.with_body(make_for(loop.var, loop.lo, loop.hi, LoopKind(instruction), loop.body)));
}

bool is_marked(const Program& program) { return !instructions_of(program->body).empty(); }

// Every bit random, or the values where arithmetic wraps and saturates.
void fill(Rng& rng, bool extreme, Array& array) {
  const uint64_t ones = ~uint64_t{0} >> (64 - array.type().bits());
  const std::vector<uint64_t> ends = {0, 1, ones, ones >> 1, (ones >> 1) + 1};
  for (int64_t e = 0; e < array.elements(); ++e) {
    array.set_bits(e, extreme ? rng.pick(ends) : rng.bits() & ones);
  }
}

// What the meaning and the machine make of the same arguments, many times over. Empty when they
// agree.
std::string difference(const Program& kernel, const Program& lowered, const Target& target) {
  absl::StatusOr<std::unique_ptr<Code>> code = engine_for(target).compile(lowered, {});
  if (!code.ok()) return std::string(code.status().message());
  Rng rng(17);
  for (int round = 0; round < 400; ++round) {
    std::vector<Array> expected;
    for (const Param& param : kernel->params) {
      std::vector<int64_t> shape;
      for (const Expr& extent : param.shape) shape.push_back(*as_int(extent));
      expected.emplace_back(param.buffer.type(), shape);
      fill(rng, round % 2 == 0, expected.back());
    }
    std::vector<Array> computed = expected;
    std::vector<InterpArgument> one, other;
    for (size_t p = 0; p < expected.size(); ++p) {
      one.emplace_back(&expected[p]);
      other.emplace_back(&computed[p]);
    }
    if (absl::Status s = interpret(kernel, {}, one); !s.ok()) return std::string(s.message());
    if (absl::Status s = run_code(**code, lowered, {}, other); !s.ok()) {
      return std::string(s.message());
    }
    for (size_t p = 0; p < expected.size(); ++p) {
      const std::string found = first_difference(expected[p], computed[p]);
      if (!found.empty()) {
        return "round " + std::to_string(round) + ", " + kernel->params[p].name() + found;
      }
    }
  }
  return "";
}

std::string assembly_for(const Program& program, const Target& target) {
  const absl::StatusOr<Program> lowered = lower(program, target, {.verify = true});
  INFO(lowered.status());
  REQUIRE(lowered.ok());
  const auto code = engine_for(target).compile(*lowered, {.keep_text = true});
  INFO(code.status());
  REQUIRE(code.ok());
  return (*code)->assembly();
}

std::string error_of(InstructionData data) {
  const Instruction instruction(std::move(data));
  INFO(instruction->status);
  REQUIRE(instruction->status.ok());
  const Target v3 = *Target::parse("x86-64-v3");
  const absl::StatusOr<Program> lowered = lower(kernel_of(instruction), v3);
  REQUIRE(lowered.ok());
  return std::string(engine_for(v3).compile(*lowered, {}).status().message());
}

InstructionData negation() {
  return {.name = "negate",
          .meaning = parsed("program negate\n  input a: i32[4]\n  output out: i32[4]\n{\n"
                            "  for i in 0..4 { out[i] = 0i32 - a[i] }\n}\n"),
          .operands = {"a"},
          .assembly = "vpxor $0, $0, $0; vpsubd $1, $0, $0",
          .constraints = "=&x,x"};
}

}  // namespace

TEST_CASE("The machine computes what the meaning of an instruction says, bit for bit") {
  int run = 0;
  for (const Target& target : native_targets()) {
    for (const Instruction& one : instructions::x86()) {
      if (!has_instruction(target, one) || !one->exact) continue;
      INFO(one->name << " on " << target.to_string());
      const Program kernel = kernel_of(one);
      const absl::StatusOr<Program> lowered = lower(kernel, target, {.verify = true});
      REQUIRE(lowered.ok());
      REQUIRE(is_marked(*lowered));
      CHECK(difference(kernel, *lowered, target) == "");
      ++run;
    }
  }
  if (Target::host().has("avx2")) CHECK(run >= 7);
}

TEST_CASE("Every instruction is in the code of a target that has it") {
  for (const Instruction& one : instructions::x86()) {
    INFO(one->name);
    // With no more than it needs: LLVM makes vpdpwssd of vpmaddwd and an addition where it can.
    std::string features = "x86-64-v3";
    for (const std::string& feature : one->needs) features += "+" + feature;
    const Target target = *Target::parse(features);
    const std::string text = assembly_for(kernel_of(one), target);
    const size_t from = one->name.starts_with("vex_") ? 4 : 0;
    std::string mnemonic = one->name.substr(from, one->name.find('_', from) - from);
    if (mnemonic == "vfmaddph") mnemonic = "vfmadd";  // 132, 213 or 231, by its registers
    CHECK(text.find("\t" + mnemonic) != std::string::npos);
    CHECK(text.find(one->name.ends_with("512") ? "%zmm" : "%ymm") != std::string::npos);
    CHECK(text.find("\tj") == std::string::npos);  // no loop is left
  }
}

TEST_CASE("A target without the instruction runs the loops") {
  const Program kernel = kernel_of(instructions::find("vpdpbusd_512"));
  for (const Target& target : native_targets()) {
    if (target.has("avx512vnni")) continue;
    const absl::StatusOr<Program> lowered = lower(kernel, target, {.verify = true});
    REQUIRE(lowered.ok());
    CHECK_FALSE(is_marked(*lowered));
    CHECK(difference(kernel, *lowered, target) == "");
  }
}

TEST_CASE("Inline assembly of one's own is an instruction") {
  InstructionData data = negation();
  data.needs = {"avx"};
  const Instruction negate(data);
  REQUIRE(negate->status.ok());
  for (const Target& target : native_targets()) {
    if (!has_instruction(target, negate)) continue;
    const Program lowered = *lower(kernel_of(negate), target);
    REQUIRE(is_marked(lowered));
    CHECK(difference(kernel_of(negate), lowered, target) == "");
    CHECK(assembly_for(kernel_of(negate), target).find("vpsubd") != std::string::npos);
  }
}

TEST_CASE("An overloaded intrinsic is an instruction") {
  const Instruction saturated(
      {.name = "add_saturated",
       .meaning = parsed("program add\n  input a: u8[16]\n  input b: u8[16]\n  output out: u8[16]\n"
                         "{\n  for i in 0..16 { out[i] = saturate<u8>(cast<i16>(a[i]) + "
                         "cast<i16>(b[i])) }\n}\n"),
       .operands = {"a", "b"},
       .intrinsic = "llvm.uadd.sat.v16i8"});
  REQUIRE(saturated->status.ok());
  for (const Target& target : native_targets()) {
    const Program lowered = *lower(kernel_of(saturated), target);
    REQUIRE(is_marked(lowered));
    CHECK(difference(kernel_of(saturated), lowered, target) == "");
  }
}

TEST_CASE("Rows that lie apart and elements that repeat are loaded into one register") {
  // The rows of a are 5 apart, b is one pair for all lanes, the result goes to two places.
  const std::string text = R"(
program rows
  input a: i16[8, 5]
  input b: i16[2]
  output out: i32[3, 4]
{
  for i in 0..8 {
    for k in 0..2 {
      out[i // 4 * 2, i % 4] += cast<i32>(a[i, k + 1]) * cast<i32>(b[k])
    }
  }
})";
  const Instruction& madd = instructions::find("vpmaddwd_256");
  // The output's places are no sum of multiples, so the two halves are told apart first.
  const Program whole = parsed(text);
  const For& loop = *whole->body.as<For>();
  const Program marked = whole.with_body(make_for(loop.var, 0, 8, LoopKind(madd), loop.body));
  const Target v3 = *Target::parse("x86-64-v3");
  CHECK_FALSE(is_marked(*lower(marked, v3)));

  const Program p = parsed(R"(
program rows
  input a: i16[8, 5]
  input b: i16[2]
  output out: i32[12]
{
  for i in 0..8 {
    for k in 0..2 {
      out[i + 3] += cast<i32>(b[k]) * cast<i32>(a[i, k + 1])
    }
  }
})");
  const For& rows = *p->body.as<For>();
  const Program one = p.with_body(make_for(rows.var, 0, 8, LoopKind(madd), rows.body));
  for (const Target& target : native_targets()) {
    if (!has_instruction(target, madd)) continue;
    const absl::StatusOr<Program> lowered = lower(one, target, {.verify = true});
    REQUIRE(lowered.ok());
    REQUIRE(is_marked(*lowered));
    CHECK(difference(one, *lowered, target) == "");
  }
}

TEST_CASE("An emission that does not fit its registers is refused with the reason") {
  InstructionData data = negation();
  data.assembly = data.constraints = "";
  data.intrinsic = "llvm.x86.nothing";
  CHECK(error_of(data) == "instruction negate: LLVM has no intrinsic llvm.x86.nothing");
  data.intrinsic = "llvm.aarch64.neon.abs.v4i32";
  CHECK(error_of(data) ==
        "instruction negate: llvm.aarch64.neon.abs.v4i32 is one of another processor");
  data.intrinsic = "llvm.x86.avx2.psad.bw";
  CHECK(error_of(data) ==
        "instruction negate: llvm.x86.avx2.psad.bw takes 2 operands, and there are 1");
  data.operands = {"a", "a"};
  CHECK(error_of(data) ==
        "instruction negate: operand 0 of llvm.x86.avx2.psad.bw has 256 bits, and it has 128");
  data.operands = {"a"};
  data.intrinsic = "llvm.ctpop.v8i32";
  CHECK(error_of(data) ==
        "instruction negate: the intrinsic on these registers is llvm.ctpop.v4i32");
  data = negation();
  data.constraints = "=&x";
  CHECK(error_of(data).find("instruction negate: its constraints \"=&x\" do not fit: ") == 0);
  data = negation();
  data.assembly = "no such instruction";
  CHECK(error_of(data).find("LLVM: ") == 0);
}

}  // namespace tenon::test
