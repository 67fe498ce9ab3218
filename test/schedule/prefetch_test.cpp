#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/schedule/replay.h"

namespace tenon::test {
namespace {

const char kRows[] = "for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] * x[j] } }";

TEST_CASE("A loop that prefetches says so, and means the same") {
  const Program p = program_of(kRows);
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 37}}));
  auto [i, j] = s->loops<2>("grid");
  s->prefetch("y", i, 2);
  s->prefetch("grid", i, 1);
  s->prefetch("x", j, 64);
  s.check();
  CHECK(body_of(s->program()) ==
        "  for i in 0..m prefetching y 2 ahead, grid 1 ahead {\n"
        "    for j in 0..n prefetching x 64 ahead {\n"
        "      grid[i, j] = y[i, j] * x[j]\n"
        "    }\n"
        "  }\n");
  CHECK_FALSE(structurally_equal(s->program(), p));
  CHECK(structurally_equal(parsed(print(s->program())), s->program()));
  Schedule again(p);
  CHECK(replay(again, s->trace().to_string()).ok());
  CHECK(structurally_equal(again.program(), s->program()));
}

TEST_CASE("A distance is a number of a trace that can be bound again") {
  const Program p = program_of(kRows);
  Schedule s(p), again(p);
  s.prefetch("y", s.loops("grid")[0], Factor::named("far", 2));
  CHECK(s.trace().to_string().find("prefetch(y, i, far=2)") != std::string::npos);
  REQUIRE(replay(again, s.trace().to_string(), {{"far", 7}}).ok());
  CHECK(print(again.program()).find("prefetching y 7 ahead") != std::string::npos);
}

TEST_CASE("Steps that keep a loop keep what it prefetches, others end it") {
  const Program p = program_of(kRows, 1, 8);
  const auto prefetching = [&](const std::function<void(Followed&, Loop, Loop)>& step) {
    Followed s(p, sizes_of(p, {{"m", 5}, {"n", 37}}));
    auto [i, j] = s->loops<2>("grid");
    s->prefetch("y", i, 2);
    step(s, i, j);
    s.check();
    const std::string text = body_of(s->program());
    int64_t found = 0;
    for (size_t at = 0; (at = text.find("prefetching y 2 ahead", at)) != std::string::npos; ++at) {
      ++found;
    }
    return found;
  };
  CHECK(prefetching([](Followed& s, Loop i, Loop j) { s->reorder({j, i}); }) == 1);
  CHECK(prefetching([](Followed& s, Loop, Loop j) { s->split(j, 8); }) == 1);
  CHECK(prefetching([](Followed& s, Loop i, Loop) { s->reverse(i); }) == 1);
  CHECK(prefetching([](Followed& s, Loop i, Loop) { s->shift(i, Expr(3)); }) == 1);
  CHECK(prefetching([](Followed& s, Loop i, Loop) { s->cut(i, Expr(2)); }) == 2);
  CHECK(prefetching([](Followed& s, Loop i, Loop) { s->split(i, 4); }) == 0);
  CHECK(prefetching([](Followed& s, Loop i, Loop j) { s->fuse(i, j); }) == 0);
  CHECK(prefetching([](Followed& s, Loop i, Loop) { s->parallelize(i); }) == 0);
  CHECK(prefetching([](Followed& s, Loop i, Loop) { s->unroll(i, 2); }) == 0);
}

TEST_CASE("What is copied or laid out anew is prefetched where it was") {
  const Program p = parsed(
      "program p\n  size m, n\n  input x: f32[m]\n  weight w: f32[m, n]\n  output out: f32[n]\n{\n"
      "  for k in 0..m {\n    for j in 0..n {\n      out[j] += x[k] * w[k, j]\n    }\n  }\n}\n");
  Followed s(p, sizes_of(p, {{"m", 7}, {"n", 21}}));
  const Loop k = s->all_loops("out")[0];
  s->prefetch("w", k, 3);
  s->set_layout("w", [](const Index& d) { return Index{d[1] / 16, d[0], d[1] % 16}; });
  s.check();
  CHECK(body_of(s->program()).find("prefetching w 3 ahead") != std::string::npos);
  s->stage("x", k);
  s.check();
  CHECK(body_of(s->program()).find("prefetching w 3 ahead") != std::string::npos);
}

std::string refused(const std::string& body, std::string_view param, size_t loop,
                    int64_t iterations) {
  Schedule s(program_of(body, 1, 8));
  s.prefetch(param, s.all_loops("grid")[loop], iterations);
  const std::string message = refusal_of(s);
  return message.substr(message.find("\n  ") + 3);
}

TEST_CASE("Prefetches of no use are refused") {
  CHECK(refused(kRows, "w", 0, 1) == "there is no buffer w; the buffers are x, y, out, grid");
  CHECK(refused(kRows, "out", 0, 1) == "loop i does not use out");
  CHECK(refused(kRows, "y", 0, 0) == "the distance must be 1 to 1048576 iterations, and is 0");
  CHECK(refused(kRows, "y", 0, kMaxAhead + 1) ==
        "the distance must be 1 to 1048576 iterations, and is 1048577");
  CHECK(refused(kRows, "x", 0, 1) ==
        "every iteration of loop i uses the same elements of x\n"
        "  legal here: prefetch at a loop that indexes x");
  const std::string staged =
      "for i in 0..m { alloc t: f32[n]\n for j in 0..n { t[j] = y[i, j] }\n"
      "for j in 0..n { grid[i, j] = t[j] } }";
  CHECK(refused(staged, "t", 0, 1) == "t is no parameter; only the caller's memory is prefetched");
  Schedule twice(program_of(kRows));
  const Loop i = twice.loops("grid")[0];
  twice.prefetch("y", i, 1);
  twice.prefetch("y", i, 2);
  CHECK(refusal_of(twice) ==
        "schedule step 2: prefetch(y, i, 2) refused\n  loop i prefetches y already");
  Schedule marked(program_of(kRows));
  marked.parallelize(marked.loops("grid")[0]);
  marked.prefetch("y", marked.loops("grid")[0], 1);
  CHECK(refusal_of(marked) ==
        "schedule step 2: prefetch(y, i, 1) refused\n"
        "  loop i is a parallel loop already; prefetch takes a serial one");
}

TEST_CASE("Elements that data choose are not known ahead") {
  Schedule s(
      parsed("program p\n  size m\n  input at: i64[m]\n  input x: f32[9]\n  output out: f32[m]\n{\n"
             "  for i in 0..m {\n    out[i] = x[check(at[i], 9)]\n  }\n}\n"));
  s.prefetch("x", s.loops("out")[0], 1);
  CHECK(refusal_of(s) ==
        "schedule step 1: prefetch(x, i, 1) refused\n"
        "  what loop i uses of x is data: check(at[i], 9)");
}

}  // namespace
}  // namespace tenon::test
