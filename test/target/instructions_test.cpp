#include "tenon/target/instructions.h"

#include <catch2/catch.hpp>
#include <set>

#include "support/check.h"

namespace tenon::test {

TEST_CASE("Every instruction that comes with Tenon is well formed and has a name of its own") {
  std::set<std::string> names;
  for (const std::vector<Instruction>* table : {&instructions::x86(), &instructions::arm()}) {
    CHECK_FALSE(table->empty());
    for (const Instruction& one : *table) {
      INFO(one->name << ": " << one->status.message());
      CHECK(one->status.ok());
      CHECK_FALSE(one->needs.empty());
      CHECK(names.insert(one->name).second);
      CHECK(instructions::find(one->name) == one);
      checked(one->meaning);
    }
  }
  CHECK_FALSE(instructions::find("vpdpbusd"));
}

TEST_CASE("The x86 table needs features that targets know") {
  const Target all = *Target::parse("x86-64-v4+avx512vnni+avxvnni+avx512bf16+avx512fp16");
  for (const Instruction& one : instructions::x86()) {
    INFO(one->name);
    CHECK(has_instruction(all, one));
    CHECK_FALSE(has_instruction(Target(), one));
  }
  for (const Instruction& one : instructions::arm()) CHECK_FALSE(has_instruction(all, one));
  const Target v3 = *Target::parse("x86-64-v3");
  CHECK(has_instruction(v3, instructions::find("vpmaddwd_256")));
  CHECK_FALSE(has_instruction(v3, instructions::find("vpmaddwd_512")));
  CHECK_FALSE(has_instruction(*Target::parse("x86-64-v4"), instructions::find("vpdpbusd_512")));
}

TEST_CASE("A meaning reads like the definition in the manual") {
  CHECK(print(instructions::find("vpmaddubsw_256")->meaning) == R"(program pairs
  input a: u8[16, 2]
  input b: i8[16, 2]
  output out: i16[16]
{
  for i in 0..16 {
    out[i] = saturate<i16>(cast<i32>(a[i, 0]) * cast<i32>(b[i, 0]) + cast<i32>(a[i, 1]) * cast<i32>(b[i, 1]))
  }
}
)");
  CHECK(print(instructions::find("vpdpbusd_512")->meaning) == R"(program dot
  input a: u8[16, 4]
  input b: i8[16, 4]
  output out: i32[16]
{
  for i in 0..16 {
    for k in 0..4 {
      out[i] += cast<i32>(a[i, k]) * cast<i32>(b[i, k])
    }
  }
}
)");
}

}  // namespace tenon::test
