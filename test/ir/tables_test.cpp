// Tables and inout parameters in the text form, in the structure of a Program, and in its rules.
#include <catch2/catch.hpp>
#include <cmath>

#include "support/check.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

using test::checked;
using test::parsed;

constexpr char kText[] = R"(program p
  size n
  input x: u8[n]
  inout state: f32[n, 2]
  output y: f32[n]
  table levels: f32[4] = (-1.0, -0.0, 0.25, inf)
  table offsets: i32[2, 2] = (-1i32, 0i32, 0i32, 1i32)
  table flags: bool[2] = (true, false)
  table one: bf16[] = (0.5bf16)
  table none: f64[0, 3] = ()
  require 1 <= n
{
  for i in 0..n {
    state[i, 0] = state[i, 1] + levels[2]
    y[i] = levels[check(cast<i64>(x[i]), 4)] + cast<f32>(offsets[i % 2, 1])
  }
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string error(const std::string& text) {
  const absl::StatusOr<Program> p = parse(text);
  REQUIRE_FALSE(p.ok());
  return std::string(p.status().message());
}

TEST_CASE("tables and inout parameters read back as they are printed") {
  const Program p = parsed(kText);
  CHECK(print(p) == kText);
  REQUIRE(p->params.size() == 3);
  CHECK(p->params[1].role == Role::kInOut);
  REQUIRE(p->tables.size() == 5);
  CHECK(p->tables[4].bits->empty());
  CHECK(structurally_equal(p, parsed(print(p))));
}

TEST_CASE("a long table takes several lines") {
  ProgramData data;
  data.name = "long";
  const Buffer y("y", f32), t("t", f32);
  std::vector<uint64_t> bits;
  for (int i = 0; i < 33; ++i) {
    const float value = i == 7 ? NAN : static_cast<float>(i);
    uint64_t b = 0;
    std::memcpy(&b, &value, sizeof(value));
    bits.push_back(i == 8 ? 0x7fc00001 : b);
  }
  data.params = {{.role = Role::kOutput, .buffer = y, .shape = {}}};
  data.tables = {{t, {Expr(33)}, std::make_shared<const std::vector<uint64_t>>(bits)}};
  data.body = store(y, {}, load(t, {Expr(32)}));
  const Program p = checked(Program(data));
  CHECK(print(p) == R"(program long
  output y: f32[]
  table t: f32[33] = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, nan, f32.bits(0x7fc00001), 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0,
    16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0,
    32.0)
{
  y[] = t[32]
}
)");
  CHECK(*parsed(print(p))->tables[0].bits == bits);
}

TEST_CASE("the values of a table, and the role of a parameter, are part of a program") {
  const Program p = parsed(kText);
  for (const auto& [from, to] : {std::pair("0.25, inf", "0.5, inf"),
                                 {"table flags", "table marks"},
                                 {"inout state", "output state"},
                                 {"f64[0, 3]", "f64[3, 0]"},
                                 {"-0.0", "0.0"}}) {
    INFO(from);
    const Program other = parsed(replaced(kText, from, to));
    CHECK_FALSE(structurally_equal(p, other));
    CHECK(structural_hash(p) != structural_hash(other));
  }
}

TEST_CASE("specialising keeps tables") {
  const Program p = parsed(kText);
  const Program special = checked(specialize(p, {{p->sizes[0], 4}}));
  REQUIRE(special->tables.size() == 5);
  CHECK(special->tables[0].bits == p->tables[0].bits);  // not even copied
  CHECK(print(special->params[1].shape[0]) == "4");
}

TEST_CASE("an element of a table by constant indices") {
  const Program p = parsed(kText);
  const Table& offsets = p->tables[1];
  CHECK(print(offsets.at({0, 0})) == "-1i32");
  CHECK(print(offsets.at({1, 1})) == "1i32");
  CHECK_FALSE(offsets.at({2, 0}).get());
  CHECK_FALSE(offsets.at({0, -1}).get());
  CHECK_FALSE(offsets.at({0}).get());
  CHECK_FALSE(offsets.at({0, Expr(p->sizes[0])}).get());
  CHECK_FALSE(p->tables[4].at({0, 0}).get());
}

TEST_CASE("a table in a text has constants of its type") {
  CHECK(error(replaced(kText, "(-1.0, -0.0", "(-1, -0.0")) ==
        "line 6, column 26: a value of table 'levels' is no constant of type f32");
  CHECK(error(replaced(kText, "(-1.0, -0.0", "(1.0 + 2.0, -0.0")) ==
        "line 6, column 26: a value of table 'levels' is no constant of type f32");
  CHECK(error(replaced(kText, "(true, false)", "true")) ==
        "line 8, column 26: found 'true', expected '('");
}

TEST_CASE("a table has as many values as its shape says, and a shape of constants") {
  CHECK(error(replaced(kText, "-0.0, 0.25", "0.25")) ==
        "table levels: has 3 values for 4 elements");
  CHECK(error(replaced(kText, "levels: f32[4]", "levels: f32[n]")) ==
        "table levels: its extents are constants of at least 0");
  CHECK(error(replaced(kText, "none: f64[0, 3]", "none: f64[0, -3]")) ==
        "table none: its extents are constants of at least 0");
  CHECK(error(replaced(kText, "none: f64[0, 3]", "none: f64[70000]")) ==
        "table none: has 70000 elements; at most 65536 are part of a program: pass it as a weight");
  CHECK(error(replaced(kText, "none: f64[0, 3]", "none: f64[4294967296, 4294967296]")) ==
        "table none: has 9223372036854775807 elements; at most 65536 are part of a program: pass "
        "it as a weight");
  CHECK(error(replaced(kText, "none: f64[0, 3]", "none: f64[0, 1, 1, 1, 1, 1, 1, 1, 1]")) ==
        "table none: has 9 dimensions; at most 8 are supported");
}

std::string error_with(const std::function<void(Table&)>& change) {
  ProgramData data = *parsed(kText);
  change(data.tables[0]);
  return std::string(verify(Program(data)).message());
}

std::shared_ptr<const std::vector<uint64_t>> values(std::vector<uint64_t> bits) {
  return std::make_shared<const std::vector<uint64_t>>(std::move(bits));
}

TEST_CASE("a table that no text can say is refused as well") {
  CHECK(error_with([](Table& t) { t.bits = nullptr; }) ==
        "a table needs a buffer and values (one is null)");
  CHECK(error_with([](Table& t) { t.buffer = Buffer(); }) ==
        "a table needs a buffer and values (one is null)");
  CHECK(error_with([](Table& t) {
          t.bits = values({0, 0, 0, uint64_t{1} << 32});
        }) == "table levels: a value has bits outside of f32");
  CHECK(error_with([](Table& t) { t.shape = {Expr()}; }) ==
        "table levels: its extents are constants of at least 0");
  CHECK(error_with([](Table& t) { t.buffer = Buffer("x", f32); }) ==
        "the name x stands for two sizes, parameters or tables; each needs its own");
  CHECK(error_with([](Table& t) { t.buffer = Buffer("a.b", f32); }) ==
        "table name \"a.b\" must be made of letters, digits and underscores and not start with a "
        "digit");
  ProgramData data = *parsed(kText);
  data.tables[2].bits = values({2, 0});
  CHECK(std::string(verify(Program(data)).message()) ==
        "table flags: a value has bits outside of bool");
}

TEST_CASE("a table is not written, and an inout is") {
  CHECK(error(replaced(kText, "y[i] = levels", "levels[0] = levels")) ==
        "in `levels[0] = levels[check(cast<i64>(x[i]), 4)] + cast<f32>(offsets[i % 2, 1])`: levels "
        "is a table and cannot be written; write an output, an inout or a local buffer");
}

TEST_CASE("the words table and inout name other things elsewhere") {
  const Program p = parsed(
      "program table\n  input inout: f32[2]\n  output table: f32[2]\n{\n"
      "  table[0] = inout[1]\n}\n");
  CHECK(structurally_equal(p, parsed(print(p))));
}

}  // namespace
}  // namespace tenon
