#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/schedule/replay.h"

namespace tenon::test {
namespace {

const char kStage[] =
    "for i in 0..m { alloc t: f32[8]\n for j in 0..8 { t[j] = y[i, j] }\n"
    "for j in 0..8 { grid[i, j] = t[7 - j] } }";

TEST_CASE("A stage lives where it is told to, and goes back") {
  const Program p = program_of(kStage, 0, 8);
  for (const Memory memory : {Memory::kRegisters, Memory::kStack, Memory::kWorkspace}) {
    Followed s(p, sizes_of(p, {{"m", 3}, {"n", 8}}));
    s->set_scope("t", memory);
    s.check();
    CHECK(body_of(s->program()).find(std::string("alloc t: f32[8] in ") + name_of(memory) + "\n") !=
          std::string::npos);
    // Another program with another key, that reads back.
    CHECK_FALSE(structurally_equal(s->program(), p));
    CHECK(structurally_equal(parsed(print(s->program())), s->program()));
    Schedule again(p);
    CHECK(replay(again, s->trace().to_string()).ok());
    CHECK(structurally_equal(again.program(), s->program()));
    // Steps that declare it again keep it.
    const auto check_kept = [&](const std::string& shape) {
      CAPTURE(print(s->program()));
      CHECK(body_of(s->program()).find("alloc t: f32" + shape + " in " + name_of(memory)) !=
            std::string::npos);
    };
    s->split(s->all_loops("t")[1], 3);
    s->expand("t", s->all_loops("t")[0]);
    s.check();
    check_kept("[m, 8]");
  }
  Followed s(p, sizes_of(p, {{"m", 3}, {"n", 8}}));
  s->set_scope("t", Memory::kStack);
  s->set_scope("t", Memory::kAuto);
  s.check();
  CHECK(structurally_equal(s->program(), p));
  CHECK(s->trace().to_string().find("set_scope(t, auto)") != std::string::npos);
}

TEST_CASE("A stage that is computed elsewhere lives where it did") {
  const Program p = program_of(
      "alloc t: f32[n]\n for j in 0..n { t[j] = x[j] * 2.0 }\n for k in 0..n { out[k] = t[k] }", 0,
      1);
  const auto check_kept = [](Followed& s) {
    s.check();
    CAPTURE(print(s->program()));
    CHECK(body_of(s->program()).find("] in workspace") != std::string::npos);
  };
  Followed s(p, sizes_of(p, {{"m", 1}, {"n", 11}}));
  s->set_scope("t", Memory::kWorkspace);
  const Loop outer = s->split(s->loops("out")[0], 4).first;
  s->compute_at("t", outer);
  check_kept(s);
  s->hoist_alloc("t", outer);
  check_kept(s);

  const Program rows = program_of(
      "for i in 0..m { alloc t: f32[n]\n for j in 0..n { t[j] = x[j] * 2.0 }\n"
      "for j in 0..n { grid[i, j] = t[j] } }");
  Followed root(rows, sizes_of(rows, {{"m", 3}, {"n", 8}}));
  root->set_scope("t", Memory::kWorkspace);
  root->compute_root("t");
  check_kept(root);
}

std::string refused(const Program& p, std::string_view stage, Memory memory) {
  Schedule s(p);
  s.set_scope(stage, memory);
  const std::string message = refusal_of(s);
  return message.substr(message.find("\n  ") + 3);
}

TEST_CASE("Places that do not hold the stage") {
  const Program p = program_of(kStage, 0, 8);
  CHECK(refused(p, "grid", Memory::kStack) ==
        "grid is a parameter: its memory belongs to the caller");
  CHECK(refused(p, "u", Memory::kStack) == "there is no stage u; the stages are t, out, grid");
  CHECK(refused(p, "t", Memory::kWorker) ==
        "lowering chooses the part of the workspace; worker cannot be asked for\n"
        "  legal here: set_scope(t, workspace)");
  const Program sized = program_of(
      "alloc t: f32[n]\n for j in 0..n { t[j] = x[j] }\n for j in 0..n { out[j] = t[j] }");
  CHECK(refused(sized, "t", Memory::kStack) ==
        "the stack holds a constant number of elements, and an extent of t is n\n"
        "  legal here: split the loops that it runs over, and compute it at the outer one");
  const Program large = program_of(
      "alloc t: f32[4097]\n for j in 0..n { t[0] = x[j] }\n for j in 0..n { out[j] = t[0] }");
  CHECK(refused(large, "t", Memory::kRegisters) ==
        "t takes 16388 bytes, and registers hold 16384 of one stage");
  Schedule s(p);
  CHECK(replay(s, "1 set_scope(t, heap)").message() ==
        "line 1 of the trace, set_scope(t, heap): there is no memory heap; it is registers, stack, "
        "workspace or auto");
}

}  // namespace
}  // namespace tenon::test
