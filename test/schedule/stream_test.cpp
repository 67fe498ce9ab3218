#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/schedule/replay.h"

namespace tenon::test {
namespace {

TEST_CASE("A streamed output says so, and means the same") {
  const Program p = program_of("for i in 0..m { for j in 0..n { grid[i, j] = y[i, j] * 2.0 } }");
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 37}}));
  s->stream("grid");
  s.check();
  CHECK(print(s->program()).find("  output grid: f32[m, n] streamed\n") != std::string::npos);
  CHECK_FALSE(structurally_equal(s->program(), p));
  CHECK(structurally_equal(parsed(print(s->program())), s->program()));
  Schedule again(p);
  CHECK(replay(again, s->trace().to_string()).ok());
  CHECK(structurally_equal(again.program(), s->program()));
  // Steps keep it.
  s->vectorize(s->split(s->loops("grid")[1], 8).second);
  s.check();
  CHECK(print(s->program()).find("  output grid: f32[m, n] streamed\n") != std::string::npos);
}

std::string refused(const std::string& body, std::string_view name) {
  Schedule s(program_of(body, 1));
  s.stream(name);
  const std::string message = refusal_of(s);
  return message.substr(message.find("\n  ") + 3);
}

TEST_CASE("Outputs that are not only stored, and others") {
  const std::string staged =
      "alloc t: f32[n]\n for j in 0..n { t[j] = x[j] }\n for j in 0..n { out[j] = t[j] }";
  CHECK(refused(staged, "t") ==
        "t is local, and what a stage holds is read again; outputs are streamed");
  CHECK(refused(staged, "x") == "x is a parameter, not a stage; the stages are t, out, grid");
  CHECK(refused(staged, "u") == "there is no stage u; the stages are t, out, grid");
  CHECK(refused("for j in 0..n { out[j] = x[j] }\n for j in 0..n { grid[0, j] = out[j] }", "out") ==
        "out[j_1] is read again, and would come from memory each time\n"
        "  legal here: stage(out, ...), whose copy is stored once");
  CHECK(refused("for i in 0..m { for j in 0..n { out[j] += y[i, j] } }", "out") ==
        "out[j] is accumulated, and would come from memory each time\n"
        "  legal here: stage(out, ...), whose copy is stored once");
  Schedule twice(program_of(staged));
  twice.stream("out");
  twice.stream("out");
  CHECK(refusal_of(twice) == "schedule step 2: stream(out) refused\n  out is streamed already");
}

TEST_CASE("A sum whose copy is stored once is streamed") {
  const Program p = program_of(
      "for j in 0..n { out[j] = 0.0 }\n for i in 0..m { for j in 0..n { out[j] += y[i, j] } }");
  Followed s(p, sizes_of(p, {{"m", 5}, {"n", 37}}));
  s->stage("out");
  s.check();
  s->stream("out");
  s.check();
}

}  // namespace
}  // namespace tenon::test
