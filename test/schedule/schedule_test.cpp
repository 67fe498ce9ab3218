#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"

namespace tenon::test {
namespace {

TEST_CASE("Loops of a stage are those of its last write, without reductions") {
  const Program p = linear_relu();
  Schedule s(p);
  CHECK(s.loops("linear").size() == 2);
  CHECK(s.all_loops("linear").size() == 3);
  CHECK(s.loops("out").size() == 2);
  CHECK(s.status().ok());
}

TEST_CASE("Loops of one iteration are loops of a stage too") {
  const Program p = linear_relu();
  Schedule s(p, sizes_of(p, {{"m", 1}, {"n", 1}, {"k", 1}}));
  CHECK(s.loops("linear").size() == 2);
  CHECK(s.all_loops("linear").size() == 3);
  CHECK(s.loops("out").size() == 2);
}

TEST_CASE("A wrong number of loops is refused and gives live handles") {
  const Program p = linear_relu();
  Schedule s(p);
  const auto [i, j, r] = s.loops<3>("linear");
  CHECK(refusal_of(s) ==
        "schedule step 1: loops(linear) refused\n"
        "  linear has 2 loops (i, j), and 3 were asked for");
  CHECK(r.var());
  s.vectorize(r);
}

TEST_CASE("The first refusal stays, and later steps do nothing") {
  const Program p = chain();
  Schedule s(p);
  const auto [io, ii] = s.split(s.loops<1>("out")[0], 0);
  const std::string first(s.status().message());
  s.vectorize(ii);
  s.unroll(io);
  s.fission(io, 4);
  s.compute_at<1>("t", io);
  s.cut(ii, 4);
  s.tile(io, ii, 2, 2);
  s.fuse(io, ii);
  s.reorder({io, ii});
  s.inline_into("t");
  s.set_layout("t", [](Index i) { return i; });
  s.register_tile("t", {io}, {2});
  s.loops<2>("nothing");
  CHECK(s.status().message() == first);
  CHECK(s.trace().steps().empty());
  CHECK(structurally_equal(s.program(), Schedule(p).program()));
}

TEST_CASE("A refusal names the step, the user's file and line") {
  const Program p = chain();
  Schedule s(p);
  const auto [io, ii] = s.split(s.loops<1>("out")[0], 4);
  (void)ii;
  s.split(io, -1);
  const int line = __LINE__ - 1;
  CHECK(s.status().message() ==
        "schedule step 2: split(io, -1) refused at schedule_test.cpp:" + std::to_string(line) +
            "\n  the factor of a split must be at least 1 and at most 2147483648, and it is -1");
  const std::optional<Diagnostic> d = diagnostic_of(s.status());
  REQUIRE(d);
  CHECK(d->step == 2);
  CHECK(d->action == "split(io, -1)");
  CHECK(d->line == line);
}

TEST_CASE("A stale handle is explained by the step that used it up") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.split(j, 4);
  s.reorder({i, j});
  CHECK(refusal_of(s) ==
        "schedule step 2: reorder(i, j) refused\n"
        "  loop j no longer exists: step 1 split it into jo, ji");
  Schedule fused(p);
  fused.fuse(i, j);
  fused.unroll(i);
  CHECK(refusal_of(fused) ==
        "schedule step 2: unroll(i) refused\n"
        "  loop i no longer exists: step 1 fused it into ij");
}

TEST_CASE("Handles that never were loops of the Program are refused") {
  const Program p = chain();
  Schedule s(p), empty(p);
  s.unroll(Loop(Var("q")));
  CHECK(refusal_of(s) ==
        "schedule step 1: unroll(q) refused\n"
        "  loop q is not a loop of this schedule's Program");
  empty.unroll(Loop());
  CHECK(refusal_of(empty) == "schedule step 1: unroll(?) refused\n  the loop handle is empty");
}

TEST_CASE("Copying a schedule branches it") {
  const Program p = chain();
  Schedule a(p);
  const auto [io, ii] = a.split(a.loops<1>("out")[0], 4);
  Schedule b = a;
  a.vectorize(ii);
  b.unroll(ii);
  CHECK(a.status().ok());
  CHECK(b.status().ok());
  CHECK(body_of(a.program()).find("vector") != std::string::npos);
  CHECK(body_of(b.program()).find("unroll") != std::string::npos);
  CHECK(a.trace().steps()[1].text == "vectorize(ii)");
  CHECK(b.trace().steps()[1].text == "unroll(ii)");
}

TEST_CASE("The trace shows steps with their places, and the primitives of derived steps") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] } }");
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 7}}));
  const auto [i, j] = s->loops<2>("grid");
  const auto [io, jo, ii, ji] = s->tile(i, j, 2, 4);
  const int line = __LINE__ - 1;
  s.check();
  s->vectorize(ji);
  s->parallelize(io);
  const std::string at = "   (schedule_test.cpp:";
  CHECK(s->trace().to_string() == "1 tile(i, j, 2, 4)" + at + std::to_string(line) +
                                      ")\n"
                                      "      split(i, 2) -> io, ii\n"
                                      "      split(j, 4) -> jo, ji\n"
                                      "      reorder(io, jo, ii, ji)\n"
                                      "2 vectorize(ji)" +
                                      at + std::to_string(line + 3) +
                                      ")\n"
                                      "3 parallelize(io)" +
                                      at + std::to_string(line + 4) + ")\n");
  (void)jo;
  (void)ii;
}

TEST_CASE("A tile that is refused leaves nothing behind") {
  const Program p =
      program_of("for i in 1..m { for j in 0..n - 1 { grid[i, j] = grid[i - 1, j + 1] + 1.0 } }");
  Schedule s(p);
  const auto [i, j] = s.loops<2>("grid");
  s.tile(i, j, 2, 2);
  CHECK(diagnostic_of(s.status())->action == "tile(i, j, 2, 2)");
  CHECK(s.trace().steps().empty());
  CHECK(structurally_equal(s.program(), Schedule(p).program()));
}

TEST_CASE("Sizes are given first, and what is wrong with them is the schedule's status") {
  const Program p = chain();
  const Schedule good(p, sizes_of(p, {{"n", 12}}));
  CHECK(good.status().ok());
  CHECK(good.program()->sizes.empty());

  const Schedule negative(p, sizes_of(p, {{"n", -3}}));
  CHECK(diagnostic_of(negative.status())->action == "Schedule(chain)");
  CHECK_FALSE(negative.status().ok());
  const Schedule unknown(p, Sizes{{Var("q"), 3}});
  CHECK_FALSE(unknown.status().ok());
  const Schedule null{Program()};
  CHECK(refusal_of(null) == "Schedule(empty) refused\n  the Program is null");
  CHECK(print(null.program()) != "");
}

TEST_CASE("A Program that was lowered is not scheduled again") {
  const auto refused = [](const char* text) {
    const Schedule s(parsed(text));
    return std::string(s.status().message());
  };
  CHECK_THAT(refused(R"(
    program p
      input x: f32[10, 50] strides [100, 1]
      output y: f32[10, 50]
    { for i in 0..10 { for j in 0..50 { y[i, j] = x[i, j] } } })"),
             Catch::Contains("parameter x has strides; a Program to schedule has none\n"
                             "  legal here: CompileOptions::strides"));
  CHECK_THAT(refused(R"(
    program p
      output y: f32[4]
    {
      alloc t: f32[4] in shared at 0
      for i in 0..4 { t[i] = 1.0 }
      for j in 0..4 { y[j] = t[j] }
    })"),
             Catch::Contains("buffer t has a place in the workspace"));
}

TEST_CASE("A text that unrolls more than a step may is not scheduled") {
  const Schedule s(parsed(R"(
    program p
      output y: f32[64, 64]
    { unroll for i in 0..64 { unroll for j in 0..64 { y[i, j] = 1.0 } } })"));
  CHECK_THAT(std::string(s.status().message()),
             Catch::Contains("its unrolled loops make 4096 copies of a statement, and the limit is "
                             "1024"));
}

TEST_CASE("A schedule that was moved from stays what it was") {
  Schedule s(chain());
  const Schedule moved = std::move(s);
  CHECK(s.status().ok());
  CHECK(s.loops("out").size() == 1);
  CHECK(structurally_equal(s.program(), moved.program()));
  CHECK(print(Schedule(Program()).program()) != "");
}

}  // namespace
}  // namespace tenon::test
