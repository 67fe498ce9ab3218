#include <catch2/catch.hpp>
#include <set>

#include "support/check.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {
namespace {

using test::checked;
using test::parsed;

constexpr char kText[] = R"(program scale
  reassociated
  size n
  size stride
  input x: f32[n] strides [stride]
  weight w: f32[8, 4] packs [30] by (i) -> (i // 4, i % 4)
  scalar a: f32
  output y: f32[n]
  require n % 4 == 0
{
  alloc t: f32[n] in shared at 64
  parallel for i in 0..n {
    let v = x[i] * a
    t[i] = v
  }
  for j in 0..n {
    if j < 3 {
      y[j] += t[j] + w[0, 1] where j == 1
    }
  }
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("programs are equal whatever their loops, names and local buffers are called") {
  const Program p = parsed(kText);
  std::string text = kText;
  for (const auto& [from, to] : {std::pair("for i in", "for row in"),
                                 {"x[i]", "x[row]"},
                                 {"t[i] = v", "tmp[row] = value"},
                                 {"let v", "let value"},
                                 {"alloc t", "alloc tmp"},
                                 {"t[j]", "tmp[j]"},
                                 {"(i) ->", "(e) ->"},
                                 {"i // 4, i % 4", "e // 4, e % 4"}}) {
    text = replaced(text, from, to);
  }
  const Program renamed = parsed(text);
  CHECK(structurally_equal(p, renamed));
  CHECK(structural_hash(p) == structural_hash(renamed));
  CHECK(print(p) != print(renamed));
}

TEST_CASE("a program is equal to itself with fresh identities") {
  const Program p = parsed(kText);
  CHECK(structurally_equal(p, p.with_body(with_fresh_names(p->body))));
}

TEST_CASE("any single change makes a program different") {
  const Program p = parsed(kText);
  const std::pair<const char*, const char*> changes[] = {
      {"program scale", "program scale2"},
      {"  reassociated\n", ""},
      {"size n\n  size stride", "size stride\n  size n"},
      {"x: f32[n]", "x: f32[n + 1]"},
      {"strides [stride]", "strides [1]"},
      {" strides [stride]", ""},
      {"weight w", "input w2: f32[]\n  weight w"},
      {"packs [30]", "packs [31]"},
      {"i // 4, i % 4", "i % 4, i // 4"},
      {" packs [30] by (i) -> (i // 4, i % 4)", ""},
      {"scalar a: f32", "scalar a: f32\n  scalar b: f32"},
      {"n % 4 == 0", "n % 8 == 0"},
      {"  require n % 4 == 0\n", ""},
      {"alloc t: f32[n]", "alloc t: f32[n + 1]"},
      {"in shared at 64", "in worker at 64"},
      {"at 64", "at 128"},
      {" at 64", ""},
      {"parallel for", "for"},
      {"for i in 0..n", "for i in 1..n"},
      {"x[i] * a", "x[i] + a"},
      {"x[i] * a", "a * x[i]"},
      {"x[i]", "x[i + 0]"},
      {"t[i] = v", "t[i] += v"},
      {"t[i] = v", "t[i] = v + 0.0"},
      {"j < 3", "j <= 3"},
      {"y[j] +=", "y[j] max="},
      {"y[j] +=", "y[j] ="},
      {" where j == 1", ""},
      {"where j == 1", "where j == 2"},
      {"t[j] + w", "t[n - j] + w"},
      {"w[0, 1]", "w[1, 0]"}};
  std::set<uint64_t> hashes = {structural_hash(p)};
  for (const auto& [from, to] : changes) {
    INFO(from << " becomes " << to);
    const Program changed = parsed(replaced(kText, from, to));
    CHECK(!structurally_equal(p, changed));
    hashes.insert(structural_hash(changed));
  }
  CHECK(hashes.size() == std::size(changes) + 1);
}

TEST_CASE("parameters and sizes match by name, position, role and type") {
  const auto program = [](const std::string& params) {
    return parsed("program p\nsize m, n\n" + params + "\n{\n}");
  };
  const Program p = program("input x: f32[m]\noutput y: f32[m]");
  CHECK(!structurally_equal(p, program("input z: f32[m]\noutput y: f32[m]")));
  CHECK(!structurally_equal(p, program("output y: f32[m]\ninput x: f32[m]")));
  CHECK(!structurally_equal(p, program("weight x: f32[m]\noutput y: f32[m]")));
  CHECK(!structurally_equal(p, program("input x: f16[m]\noutput y: f32[m]")));
  CHECK(!structurally_equal(p, program("input x: f32[n]\noutput y: f32[m]")));
}

TEST_CASE("which variable is meant matters, also where types and names agree") {
  const auto program = [](const std::string& index) {
    return parsed("program p\noutput y: f32[4, 4]\n{\nfor i in 0..4 {\nfor j in 0..4 {\ny[" +
                  index + "] = 1.0\n}\n}\n}");
  };
  CHECK(!structurally_equal(program("i, j"), program("j, i")));
  CHECK(!structurally_equal(program("i, j"), program("i, i")));
  CHECK(!structurally_equal(program("i, i"), program("j, j")));
}

TEST_CASE("a NaN constant is equal to itself, and the zeros differ") {
  const auto program = [](const std::string& value) {
    return parsed("program p\noutput y: f32[]\n{\ny[] = " + value + "\n}");
  };
  CHECK(structurally_equal(program("nan"), program("nan")));
  CHECK(!structurally_equal(program("nan"), program("f32.bits(0x7fc00001)")));
  CHECK(!structurally_equal(program("0.0"), program("-0.0")));
}

TEST_CASE("the structural hash is the same on every run") {
  // Cache files carry it: if it changes, their version has to change too.
  CHECK(structural_hash(parsed(kText)) == 0xe862953b9297f794u);
}

}  // namespace
}  // namespace tenon
