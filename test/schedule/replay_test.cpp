#include "tenon/schedule/replay.h"

#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

// The same steps on the same Program lead to the same Program.
void check_replays(const Program& program, const Sizes& sizes, const Schedule& s) {
  REQUIRE(s.status().ok());
  Schedule again(program, sizes);
  const absl::Status status = replay(again, s.trace().to_string());
  INFO(s.trace() << status);
  REQUIRE(status.ok());
  CHECK(print(again.program()) == print(s.program()));
  CHECK(again.trace().steps().size() == s.trace().steps().size());
}

std::string error_of(const std::string& trace) {
  Schedule s(chain());
  const std::string message(replay(s, trace).message());
  const size_t reason = message.find("line 1 of the trace");
  return reason == std::string::npos ? message : message.substr(reason);
}

TEST_CASE("A trace runs again on the same program") {
  const Program p = linear_relu();
  const Sizes sizes = sizes_of(p, {{"m", 37}, {"n", 70}, {"k", 9}});
  Schedule s(p, sizes);
  const auto [i, j] = s.loops<2>("out");
  s.register_tile("linear", {i, j}, {4, 16});
  check_replays(p, sizes, s);
}

TEST_CASE("Steps of every kind run again") {
  const Program p = linear_relu();
  Schedule s(p);
  const auto [i, j] = s.loops<2>("out");
  const auto [ia, ib] = s.cut(i, p->sizes[0] / Expr(2));
  const auto [io, ii] = s.split(ia, 4, Tail::kCut);
  s.split(ib, std::vector<int64_t>{3, 2});
  s.shift(io, 2);
  s.add_unit_loop(ii);
  check_replays(p, {}, s);
}

TEST_CASE("Sums in partial results, a layout, parallel rows") {
  const Program p = linear_relu();
  Schedule s(p);
  s.set_layout("w", [](Index i) { return Index{i[0] / 8, i[1], i[0] % 8}; });
  const std::vector<Loop> loops = s.all_loops("linear");
  const auto [ro, ri] = s.split(loops[2], 8);
  const Partials partials = s.rfactor(ri);
  s.unroll(partials.init.front());
  s.vectorize(ri);
  s.parallelize(loops[0]);
  s.reverse(loops[1]);
  s.pad(partials.stage, 0, 16);
  check_replays(p, {}, s);
}

TEST_CASE("Stages that move, and facts, run again") {
  const Program p = linear_relu();
  Schedule s(p);
  const auto [i, j] = s.loops<2>("out");
  s.assume(Expr(4) < Expr(p->sizes[0]));
  const auto [jo, ji] = s.split(j, 8);
  s.compute_at("linear", jo);
  const FastPath fast = s.specialize(Expr(p->sizes[0]) % 8 == 0);
  s.hoist_alloc("linear", jo);
  s.compute_root(fast.of("linear"));
  s.vectorize(fast.of(ji));
  check_replays(p, {}, s);

  Schedule epilogue(p);
  epilogue.fuse_epilogue("out");
  check_replays(p, {}, epilogue);
  Schedule elementwise(chain());
  elementwise.reverse_inline("out");
  check_replays(chain(), {}, elementwise);
}

TEST_CASE("What a line made is what later lines mean, whatever it is called here") {
  const auto program = [](const char* name) {
    return parsed("program p\n  size n\n  input x: f32[n]\n  output y: f32[n]\n{ for " +
                  std::string(name) + " in 0..n { y[" + name + "] = x[" + name + "] } }");
  };
  Schedule s(program("i"));
  const auto [io, ii] = s.split(s.loops<1>("y")[0], 8);
  s.vectorize(ii);
  Schedule t(program("i"));
  // The loops of the split are called by other names in the text than in the program.
  REQUIRE(replay(t, "1 split(i, 8) -> a, b\n2 vectorize(b)\n3 parallelize(a)\n").ok());
  CHECK(t.trace().steps().size() == 3);
  CHECK(body_of(t.program()).find("parallel for io in") != std::string::npos);
}

TEST_CASE("A trace runs on another program with the same loops") {
  const Program p = chain();
  Schedule s(p, sizes_of(p, {{"n", 64}}));
  const auto [o, i] = s.split(s.loops<1>("out")[0], 8);
  s.compute_at("t", o);
  s.vectorize(i);
  REQUIRE(s.status().ok());
  for (const int64_t n : {1, 8, 100}) {
    Schedule t(p, sizes_of(p, {{"n", n}}));
    REQUIRE(replay(t, s.trace().to_string()).ok());
    check_same(p, t.program(), sizes_of(p, {{"n", n}}));
  }
}

TEST_CASE("A step that is refused is named by its line, and the steps before it stay") {
  Schedule s(chain());
  const absl::Status status = replay(s, "1 split(i, 4) -> io, ii\n\n2 vectorize(io)\n3 fuse(a, b)");
  CHECK_THAT(std::string(status.message()),
             Catch::Contains("line 3 of the trace, vectorize(io): ") &&
                 Catch::Contains("replay_test.cpp"));
  CHECK(s.trace().steps().size() == 1);
  CHECK_FALSE(s.status().ok());
}

TEST_CASE("What does not mean anything is refused") {
  CHECK(error_of("1 split(k, 4)") ==
        "line 1 of the trace, split(k, 4): there is no loop k; the loops are i, i_1");
  CHECK(error_of("1 split(i, four)") ==
        "line 1 of the trace, split(i, four): `four` is not a number");
  CHECK(error_of("1 split(i)") == "line 1 of the trace, split(i): it has 1 argument");
  CHECK(error_of("1 split(i, 4, soft)") ==
        "line 1 of the trace, split(i, 4, soft): there is no tail soft; it is cut or perfect");
  CHECK(error_of("1 melt(i)") == "line 1 of the trace, melt(i): there is no step melt");
  CHECK_THAT(error_of("1 cut(i, m + 1)"),
             Catch::Contains("in `m + 1`: ") && Catch::Contains("'m' is not declared"));
  CHECK_THAT(error_of("1 set_layout(t, d0)"), Catch::Contains("`d0` is not a list; write [d0]"));
  CHECK_THAT(error_of("1 compute_at(u, i)"), Catch::Contains("there is no stage u"));
  CHECK(error_of("1 reorder(i, i_1") == "line 1 of the trace: the arguments of reorder do not end");
  CHECK(error_of("1 i") == "line 1 of the trace: a step is written name(arguments), and this is i");
  CHECK(error_of("1 unroll(i) now") == "line 1 of the trace: behind unroll(i) stands now");
  CHECK(error_of("    unroll(i)") ==
        "line 1 of the trace: it is indented like the primitive of a step, and no step stands "
        "above");
}

TEST_CASE("A schedule that was refused replays nothing, and an empty text does nothing") {
  Schedule s(chain());
  CHECK(replay(s, "\n \n").ok());
  CHECK(s.trace().steps().empty());
  s.split(Loop(), 4);
  CHECK(replay(s, "1 split(i, 4)") == s.status());
}

// --- Named factors.

// A tile with named factors, one of them used twice.
Schedule tiled(int64_t rows) {
  const Program p = linear_relu();
  Schedule s(p, sizes_of(p, {{"m", 24}, {"n", 40}, {"k", 12}}));
  const auto [i, j] = s.loops<2>("out");
  const std::vector<Loop> split = s.split(i, {kInferred, Factor::named("rows", rows)});
  const auto [jo, ji] = s.split(j, Factor::named("columns", 8), Tail::kCut);
  s.unroll(split[1], Factor::named("rows", rows));
  s.vectorize(ji);
  REQUIRE(s.status().ok());
  return s;
}

TEST_CASE("a factor with a name shows it in the trace") {
  const std::string text = tiled(6).trace().to_string();
  INFO(text);
  CHECK(text.find("split(i_1, {inferred, rows=6})") != std::string::npos);
  CHECK(text.find("split(j_1, columns=8, cut)") != std::string::npos);
  const absl::StatusOr<FactorValues> factors = factors_of(text);
  REQUIRE(factors.ok());
  CHECK(*factors == FactorValues{{"columns", 8}, {"rows", 6}});
}

TEST_CASE("replay gives named factors other values, and they keep their names") {
  const std::string text = tiled(6).trace().to_string();
  const Program p = linear_relu();
  Schedule s(p, sizes_of(p, {{"m", 24}, {"n", 40}, {"k", 12}}));
  const absl::Status status = replay(s, text, {{"rows", 4}});
  INFO(status);
  REQUIRE(status.ok());
  CHECK(print(s.program()) == print(tiled(4).program()));
  CHECK(*factors_of(s.trace().to_string()) == FactorValues{{"columns", 8}, {"rows", 4}});
  // Without values the text's own.
  Schedule same(p, sizes_of(p, {{"m", 24}, {"n", 40}, {"k", 12}}));
  REQUIRE(replay(same, text).ok());
  CHECK(print(same.program()) == print(tiled(6).program()));
}

TEST_CASE("names of factors that the trace does not have, or has twice, are refused") {
  Schedule s(chain());
  const std::string trace = "1 split(i, rows=4) -> io, ii\n2 split(ii, inner=2) -> a, b\n";
  CHECK(replay(s, trace, {{"row", 8}}).message() ==
        "the trace has no factor named row; it has inner, rows");
  CHECK(replay(s, "1 unroll(i)", {{"row", 8}}).message() ==
        "the trace has no factor named row; it has none");
  CHECK(s.trace().steps().empty());
  CHECK(factors_of("1 split(i, rows=4) -> io, ii\n2 split(ii, rows=2)\n").status().message() ==
        "line 2 of the trace, split(ii, rows=2): the factor rows is 4 before that; one name is "
        "one number");
  CHECK(error_of("1 split(i, rows=four)") ==
        "line 1 of the trace, split(i, rows=four): `rows=four` is not a number");
  // A value that no step takes is the step's to refuse.
  const absl::Status refused = replay(s, trace, {{"rows", 0}});
  CHECK_THAT(std::string(refused.message()),
             Catch::Contains("line 1 of the trace, split(i, rows=4)") &&
                 Catch::Contains("split(i, rows=0) refused"));
}

TEST_CASE("the name of a factor becomes an identifier") {
  CHECK(Factor::named("rows of x", 3).text() == "rows_of_x=3");
  CHECK(Factor::named("2nd", 3).text() == "_2nd=3");
  CHECK(Factor::named("", 3).text() == "_=3");
  CHECK(Factor(7).text() == "7");
  CHECK(Factors({kInferred, Factor::named("n", 4)}).text() == "{inferred, n=4}");
}

}  // namespace
}  // namespace tenon::test
