#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/ir/instruction.h"
#include "tenon/schedule/replay.h"
#include "tenon/target/instructions.h"

namespace tenon::test {
namespace {

const Instruction& dot() {
  static const Instruction one = instructions::find("vpmaddwd_u8i8_256");
  return one;
}

// c = x * w^T over bytes, with the reduction outside of a tile of 8 columns.
Program product(const std::string& m = "m", const std::string& n = "24",
                const std::string& k = "6") {
  const bool sizes = m == "m";
  return parsed("program product\n" + std::string(sizes ? "  size m\n" : "") + "  input x: u8[" +
                m + ", " + k + "]\n  weight w: i8[" + n + ", " + k + "]\n  output c: i32[" + m +
                ", " + n + "]\n{\n  for i in 0.." + m + " {\n    for j in 0.." + n +
                " {\n      c[i, j] = 0i32\n      for r in 0.." + k +
                " {\n        c[i, j] += cast<i32>(x[i, r]) * cast<i32>(w[j, r])\n      }\n    }\n  "
                "}\n}\n");
}

// The loops of the tile: over its columns, and over pairs of the reduction.
std::pair<Loop, Loop> tiled(Schedule& s) {
  const std::vector<Loop> loops = s.all_loops("c");
  const auto [jo, ji] = s.split(loops[1], 8);
  const InitAndUpdate parts = s.decompose_init(ji);
  const auto [ro, ri] = s.split(loops[2], 2);
  const Loop j = parts.update[0];
  s.reorder({ro, j, ri});
  s.set_layout("w", [](const Index& d) { return Index{d[0] / 8, d[1] / 2, d[0] % 8, d[1] % 2}; });
  return {j, ri};
}

// Of a nest over buffers that this header declares.
std::string refused(const std::string& header, const std::string& body,
                    const Instruction& instruction = dot()) {
  Schedule s(parsed("program p\n" + header + "{\n" + body + "\n}\n"));
  const Stmt nest = s.program()->body;
  s.tensorize(Loop(nest.as<For>()->var), instruction);
  if (s.status().ok()) return "";
  const std::string text = refusal_of(s);
  const size_t line = text.find("\n  ");
  return line == std::string::npos ? text : text.substr(line + 3);
}

constexpr char kBytes[] = "  input x: u8[8, 2]\n  input w: i8[8, 2]\n  output c: i32[8]\n";

}  // namespace

TEST_CASE("A tile of a matrix product over bytes becomes an instruction") {
  const Program p = product();
  Followed s(p, sizes_of(p, {{"m", 3}}));
  const auto [j, r] = tiled(s.schedule());
  s->tensorize(j, dot());
  s.check();
  CHECK(body_of(s->program()) == R"(  for i in 0..m {
    for jo in 0..3 {
      for ji in 0..8 {
        c[i, jo * 8 + ji] = 0i32
      }
      for ro in 0..3 {
        instruction vpmaddwd_u8i8_256 for ji_1 in 0..8 {
          for ri in 0..2 {
            c[i, jo * 8 + ji_1] += cast<i32>(x[i, ro * 2 + ri]) * cast<i32>(w[jo, ro, ji_1, ri])
          }
        }
      }
    }
  }
)");
  CHECK_FALSE(s->program()->reassociated);
  // The loops of an instruction are no loops that are slow.
  for (const Hint& hint : s->lint(*Target::parse("x86-64-v3"))) {
    INFO(hint);
    CHECK(hint.statement == "c[i, jo * 8 + ji] = 0i32");
  }
}

TEST_CASE("A guard of a tail does not matter to the step") {
  const Program p = product("3", "20", "5");
  Followed s(p, {});
  const auto [j, r] = tiled(s.schedule());
  s->tensorize(j, dot());
  s.check();
  CHECK(body_of(s->program()).find("instruction vpmaddwd_u8i8_256 for ji_1 in 0..8 {") !=
        std::string::npos);
}

TEST_CASE("An instruction that is not exact marks the program as reassociated") {
  const Program p = parsed(
      "program p\n  input a: bf16[16, 2]\n  input b: bf16[16, 2]\n  output c: f32[16]\n{\n"
      "  for i in 0..16 { for k in 0..2 { c[i] += cast<f32>(b[i, k]) * cast<f32>(a[i, k]) } "
      "}\n}\n");
  Schedule s(p);
  s.tensorize(s.all_loops("c")[0], instructions::find("vdpbf16ps_512"));
  REQUIRE(s.status().ok());
  CHECK(checked(s.program())->reassociated);
}

TEST_CASE("The trace of an instruction prints and runs again") {
  const Program p = product("3", "24", "6");
  Schedule s(p);
  const auto [j, r] = tiled(s);
  s.tensorize(j, dot());
  REQUIRE(s.status().ok());
  const std::string trace = s.trace().to_string();
  CHECK(trace.find(" tensorize(ji_1, vpmaddwd_u8i8_256)   (") != std::string::npos);
  Schedule again(p);
  REQUIRE(replay(again, trace).ok());
  CHECK(structurally_equal(again.program(), s.program()));

  Schedule unknown(p);
  CHECK(std::string(replay(unknown, "1 tensorize(i, mine)").message()) ==
        "line 1 of the trace, tensorize(i, mine): there is no instruction mine");
  // One of one's own is given along.
  InstructionData data = *dot();
  data.name = "mine";
  Schedule own(p);
  const auto [own_j, own_r] = tiled(own);
  own.tensorize(own_j, Instruction(data));
  REQUIRE(own.status().ok());
  Schedule copy(p);
  CHECK_FALSE(replay(copy, own.trace().to_string()).ok());
  Schedule right(p);
  REQUIRE(replay(right, own.trace().to_string(), {}, {Instruction(data)}).ok());
  CHECK(structurally_equal(right.program(), own.program()));
}

TEST_CASE("A nest that differs from the meaning is refused with what differs") {
  const std::string sum = "cast<i32>(x[j, r]) * cast<i32>(w[j, r])";
  CHECK(refused(kBytes, "for j in 0..8 { for r in 0..2 { c[j] += " + sum + " } }") == "");
  CHECK(refused(kBytes,
                "for j in 0..8 { for r in 0..2 { c[j] += cast<i32>(w[j, r]) * "
                "cast<i32>(x[j, r]) } }") == "");
  CHECK(refused(kBytes, "for j in 0..4 { for r in 0..2 { c[j] += " + sum + " } }") ==
        "loop j has 4 iterations where vpmaddwd_u8i8_256 has 8 (i in 0..8)");
  CHECK(refused("  input x: u8[8, 4]\n  input w: i8[8, 4]\n  output c: i32[8]\n",
                "for j in 0..8 { for r in 0..4 { c[j] += " + sum + " } }") ==
        "loop r has 4 iterations where vpmaddwd_u8i8_256 has 2 (k in 0..2)\n"
        "  legal here: split(r, 2) first");
  CHECK(refused(kBytes, "for j in 0..8 { c[j] = 0i32\n for r in 0..2 { c[j] += " + sum + " } }") ==
        "there are 2 statements where vpmaddwd_u8i8_256 has 1");
  CHECK(refused(kBytes, "for j in 0..8 { for r in 0..2 { c[j] max= " + sum + " } }") ==
        "the nest has `c[j] max= cast<i32>(x[j, r]) * cast<i32>(w[j, r])` where vpmaddwd_u8i8_256 "
        "has `out[i] += cast<i32>(a[i, k]) * cast<i32>(b[i, k])`");
  CHECK(refused(kBytes,
                "for j in 0..8 { for r in 0..2 { c[j] += cast<i32>(x[j, r]) + "
                "cast<i32>(w[j, r]) } }") ==
        "the nest computes cast<i32>(x[j, r]) + cast<i32>(w[j, r]) (i32) where vpmaddwd_u8i8_256 "
        "computes cast<i32>(a[i, k]) * cast<i32>(b[i, k]) (i32)");
  CHECK(refused("  input x: i8[8, 2]\n  input w: i8[8, 2]\n  output c: i32[8]\n",
                "for j in 0..8 { for r in 0..2 { c[j] += " + sum + " } }") ==
        "x[j, r] is i8 where a[i, k] of vpmaddwd_u8i8_256 is u8");
  CHECK(refused("  input x: u8[8, 2]\n  input w: i8[2, 8]\n  output c: i32[8]\n",
                "for j in 0..8 { for r in 0..2 { c[j] += cast<i32>(x[j, r]) * cast<i32>(w[r, j]) } "
                "}") ==
        "the elements of w[r, j] along r lie 8 apart; those of b of vpmaddwd_u8i8_256 are "
        "neighbours\n"
        "  legal here: set_layout or stage of w, so that this dimension is the last");
  CHECK(refused("  input x: u8[8, 2]\n  input w: i8[8, 2]\n  output c: i32[8, 2]\n",
                "for j in 0..8 { for r in 0..2 { c[j, r] += " + sum + " } }") ==
        "c[j, r] moves with loop r where out[i] of vpmaddwd_u8i8_256 does not");
  CHECK(refused("  input x: u8[8, 2]\n  input w: i8[8, 2]\n  output c: i32[1]\n",
                "for j in 0..8 { for r in 0..2 { c[0] += " + sum + " } }") ==
        "the elements of c[0] along j lie 0 apart; those of out of vpmaddwd_u8i8_256 are "
        "neighbours\n"
        "  legal here: set_layout or stage of c, so that this dimension is the last");
  CHECK(refused("  input x: u8[8, 2]\n  input w: i8[8, 2]\n  output c: i32[8]\n",
                "for j in 0..8 { for r in 0..2 { c[j] += cast<i32>(x[j * j % 8, r]) * "
                "cast<i32>(w[j, r]) } }") ==
        "the place of x[j * j % 8, r] is no sum of multiples of "
        "the loops");
  CHECK(refused(kBytes, "for j in 0..8 { for r in 0..2 { c[j] += " + sum + " } }", Instruction()) ==
        "the instruction is null");
}

TEST_CASE("What an instruction reads is not what it writes") {
  const Instruction& one = instructions::find("vpmulhrsw_256");
  const auto body = [](const std::string& from, const std::string& other) {
    return "for j in 0..16 { c[j] = cast<i16>((cast<i32>(" + from + ") * cast<i32>(" + other +
           ") + 16384i32) >> 15i32) }";
  };
  const std::string header = "  input x: i16[16]\n  output c: i16[17]\n";
  CHECK(refused(header, body("x[j]", "x[j]"), one) == "");
  CHECK(refused(header, body("x[j]", "c[j + 1]"), one) ==
        "the nest reads c as b and writes it; an instruction reads all of its inputs first");
}

TEST_CASE("The accesses of one register lie like its elements") {
  const Instruction& one = instructions::find("vpmaddubsw_256");
  const auto body = [](const std::string& a0, const std::string& a1) {
    return "for j in 0..16 { c[j] = saturate<i16>(cast<i32>(" + a0 +
           ") * cast<i32>(w[j, 0]) + cast<i32>(" + a1 + ") * cast<i32>(w[j, 1])) }";
  };
  const std::string header =
      "  input x: u8[40]\n  input y: u8[40]\n  input w: i8[16, 2]\n  output c: i16[16]\n";
  CHECK(refused(header, body("x[j * 2 + 3]", "x[j * 2 + 4]"), one) == "");
  CHECK(refused(header, body("x[3]", "x[4]"), one) == "");
  CHECK(refused(header, body("x[j * 2]", "y[j * 2 + 1]"), one) ==
        "y[j * 2 + 1] stands where x[j * 2] does, as a of vpmaddubsw_256; one register is one "
        "buffer");
  CHECK(refused(header, body("x[j * 2]", "x[j + 1]"), one) ==
        "x[j + 1] and x[j * 2] do not lie like the elements of a of vpmaddubsw_256");
  CHECK(refused(header, body("x[j]", "x[j + 20]"), one).find(" lie 20 apart; those of a") !=
        std::string::npos);
}

TEST_CASE("Marked loops and instructions do not mix") {
  const Program p = product("3", "24", "6");
  Schedule s(p);
  const auto [j, r] = tiled(s);
  Schedule twice = s;
  twice.tensorize(j, dot());
  twice.vectorize(j);
  CHECK(refusal_of(twice).find("loop ji_1 is an instruction loop already; vectorize takes a serial "
                               "one") != std::string::npos);
  Schedule inner = s;
  inner.unroll(r);
  inner.tensorize(j, dot());
  CHECK(refusal_of(inner).find("loop ri is marked unroll; the loops of vpmaddwd_u8i8_256 are "
                               "serial") != std::string::npos);
  Schedule around = s;
  around.tensorize(j, dot());
  around.vectorize(around.all_loops("c")[0]);
  CHECK_FALSE(around.status().ok());
}

}  // namespace tenon::test
