// Steps around an inout: its contents before the call are live, and so are those that nothing
// writes.
#include <catch2/catch.hpp>

#include "schedule/run.h"
#include "support/check.h"
#include "tenon/dsl/dsl.h"

namespace tenon::test {
namespace {

const Size n("n"), k("k");

// w[i] = w[i] - g[i] * 0.5
Program optimiser() {
  const Tensor g = input("g", f32, {n}), w = inout("w", f32, {n});
  return checked(program("p", {g}, {compute(w, [&](Expr i) { return w(i) - g(i) * 0.5f; })}));
}

// state[i] = state[n - 1 - i], through a copy.
Program reversed() {
  const Tensor state = inout("state", f32, {n});
  return checked(program("p", {}, {compute(state, [&](Expr i) { return state(n - 1 - i); })}));
}

// old[i] = state[i + shift] * 2, and then state[i] = x[i].
Program old_then_new(int shift) {
  const std::string at = shift < 0 ? "i + 2" : "i", from = shift == 0 ? "i" : "i + 2";
  return parsed(
      "program p\n  size n\n  input x: f32[n + 2]\n  output old: f32[n + 2]\n"
      "  inout state: f32[n + 2]\n{\n  for i in 0..n { old[" +
      at + "] = state[" + (shift < 0 ? "i" : from) + "] * 2.0 }\n  for j in 0..n { state[" +
      (shift < 0 ? "j + 2" : "j") + "] = x[j] }\n}\n");
}

std::string reason(const Schedule& schedule) {
  const std::string text = refusal_of(schedule);
  return text.substr(text.find('\n') + 3);
}

TEST_CASE("A step in place is split, made vectors and parallel") {
  for (const int64_t length : {0, 1, 8, 21}) {
    Followed s(optimiser(), sizes_of(optimiser(), {{"n", length}}));
    const auto [outer, inner] = s->split(s->loops<1>("w")[0], 8);
    s.check();
    s->vectorize(inner);
    s.check();
    s->parallelize(outer);
    s.check();
  }
}

TEST_CASE("A local part of an inout is filled first, and what is not written goes back as it was") {
  Followed s(optimiser(), sizes_of(optimiser(), {{"n", 21}}));
  const auto [outer, inner] = s->split(s->loops<1>("w")[0], 8);
  const Staged part = s->stage("w", outer);
  s.check();
  CHECK(part.copy_in.size() == 1);
  CHECK(part.copy_out.size() == 1);
  // Stores to some elements only: the others come from the inout.
  const Program some = parsed(R"(
program p
  inout state: f32[16]
{
  for i in 0..4 {
    for j in 0..2 { state[i * 4 + j] = 1.0 }
    state[i * 4 + 3] = 2.0
  }
})");
  Followed t(some, {});
  const Staged block = t->stage("state", t->loops("state")[0]);
  t.check();
  CHECK(block.copy_in.size() == 1);
  CHECK(body_of(t->program()) == R"(  for i in 0..4 {
    alloc state_local: f32[4]
    for j in 0..4 {
      state_local[j] = state[i * 4 + j]
    }
    for j_1 in 0..2 {
      state_local[j_1] = 1.0
    }
    state_local[3] = 2.0
    for j_2 in 0..4 {
      state[i * 4 + j_2] = state_local[j_2]
    }
  }
)");
}

TEST_CASE("Sums that go on from what was there") {
  const Program p = parsed(R"(
program p
  size n, k
  input x: i32[n, k]
  inout total: i32[n]
  require 1 <= n
{
  for i in 0..n {
    for r in 0..k { total[i] += x[i, r] }
  }
})");
  const Sizes sizes = sizes_of(p, {{"n", 5}, {"k", 12}}), special = sizes_of(p, {{"k", 12}});
  Followed s(p, sizes);
  const std::vector<Loop> loops = s->all_loops("total");
  s->reorder({loops[1], loops[0]});
  s.check();
  // Partial sums start from nothing, and what was there is added once.
  Followed f(p, sizes, special);
  const auto [ro, ri] = f->split(f->all_loops("total")[1], 4);
  f->rfactor(ri);
  f.check();
  Followed local(p, sizes, special);
  const Staged part = local->stage("total", local->all_loops("total")[0]);
  local.check();
  CHECK(part.copy_in.size() == 1);
  Schedule t(p);
  t.register_tile("total", {t.all_loops("total")[0]}, {4});
  CHECK(reason(t) == "not all of total is known to be stored before it is used");
}

TEST_CASE("No stage lives in an inout, and no stage takes its memory over") {
  const Program p = reversed();
  Schedule s(p);
  s.store_in("state_before", "state", [](const Index& i) { return i; });
  CHECK(reason(s) == "state is an inout, whose memory is not free before it is stored");
  Schedule t(p);
  t.store_over("state_before", "state");
  CHECK(reason(t) == "state is a parameter of the program, not a local buffer");
  Schedule u(p);
  u.set_layout("state", [](const Index& i) { return i; });
  CHECK(reason(u) ==
        "state is an inout: its layout belongs to the caller; only weights and local buffers have "
        "a layout to choose");
}

TEST_CASE("The copy of the old contents stays in front of the stores") {
  const Program p = reversed();
  Schedule s(p);
  s.inline_into("state_before");
  CHECK(reason(s) ==
        "the value of state_before reads state, which may be written between the store and a "
        "reader of state_before");
  Schedule t(p);
  t.compute_at("state_before", t.loops<1>("state")[0]);
  CHECK(reason(t) ==
        "the nest of state_before reads state, which is written again before the new place");
  Schedule u(p);
  u.reverse_inline("state");
  CHECK(reason(u) ==
        "the value of state reads state_before[n - i_1 - 1], not the element that its loops stand "
        "at");
  Schedule v(p);
  v.reverse_compute_at("state", v.loops<1>("state_before")[0]);
  CHECK(reason(v) == "state is used before its nest");
  Schedule w(p);
  w.merge(w.loops<1>("state_before")[0], w.loops<1>("state")[0]);
  CHECK(reason(w) ==
        "iteration (i = 1) of the first loop must run before (i = 0) of the second: both touch "
        "state_before[1], with n = 2");
}

TEST_CASE("A stage that reads the old contents is inlined when they are still there") {
  // t is a stage of its own, and the store needs it only for its element.
  const Program p = parsed(R"(
program p
  size n
  inout state: f32[n]
  output y: f32[n]
{
  alloc t: f32[n]
  for i in 0..n { t[i] = state[i] * 2.0 }
  for j in 0..n { y[j] = t[j] + 1.0 }
  for l in 0..n { state[l] = 0.0 }
})");
  Followed s(p, sizes_of(p, {{"n", 5}}));
  s->inline_into("t");
  s.check();
  Followed a(p, sizes_of(p, {{"n", 5}}));
  a->compute_at("t", a->loops<1>("y")[0]);
  a.check();
  // Behind the stores it is too late.
  const Program late = parsed(R"(
program p
  size n
  inout state: f32[n]
  output y: f32[n]
{
  alloc t: f32[n]
  for i in 0..n { t[i] = state[i] * 2.0 }
  for l in 0..n { state[l] = 0.0 }
  for j in 0..n { y[j] = t[j] + 1.0 }
})");
  Schedule i(late);
  i.inline_into("t");
  CHECK(reason(i) ==
        "the value of t reads state, which may be written between the store and a reader of t");
  Schedule c(late);
  c.compute_at("t", c.loops<1>("y")[0]);
  CHECK(reason(c) == "the nest of t reads state, which is written again before the new place");
  Schedule r(late);
  r.reverse_compute_at("y", r.loops<1>("t")[0]);
  CHECK(r.status().ok());
  check_same(late, r.program(), sizes_of(late, {{"n", 5}}));
}

TEST_CASE("Loops merge only while the old contents are read in time") {
  for (const int shift : {0, 1}) {
    const Program p = old_then_new(shift);
    Followed s(p, sizes_of(p, {{"n", 6}}));
    s->merge(s->loops<1>("old")[0], s->loops<1>("state")[0]);
    s.check();
  }
  Schedule s(old_then_new(-1));
  s.merge(s.loops<1>("old")[0], s.loops<1>("state")[0]);
  CHECK(reason(s) ==
        "iteration (i = 2) of the first loop must run before (i = 0) of the second: both touch "
        "state[2], with n = 3");
}

TEST_CASE("A consumer in place goes to its producer only if nothing reads the old contents later") {
  const std::string head =
      "program p\n  size n\n  input x: f32[n]\n  inout state: f32[n]\n"
      "  output y: f32[n]\n{\n  alloc t: f32[n]\n"
      "  for i in 0..n { t[i] = x[i] * 2.0 }\n";
  const std::string reader = "  for r in 0..n { y[r] = state[r] }\n";
  const std::string writer = "  for j in 0..n { state[j] = state[j] + t[j] }\n";
  const Program before = parsed(head + writer + reader + "}\n");
  Followed s(before, sizes_of(before, {{"n", 5}}));
  s->reverse_compute_at("state", s->loops<1>("t")[0]);
  s.check();
  const Program p = parsed(head + reader + writer + "}\n");
  Schedule t(p);
  t.reverse_compute_at("state", t.loops<1>("t")[0]);
  CHECK(reason(t) == "`for r in 0..n` stands in front of the nest of state: both touch state[0]");
  Schedule u(p);
  u.reverse_inline("state");
  CHECK(reason(u) == "state is also used between the nests of t and state");
}

TEST_CASE("Iterations that read what others write are not parallel") {
  const Program p = parsed(R"(
program p
  size n
  inout state: f32[n + 1]
  require 2 <= n
{
  for i in 0..n { state[i] = state[i + 1] * 0.5 }
})");
  Schedule s(p);
  s.parallelize(s.loops<1>("state")[0]);
  CHECK(reason(s) == "iteration (i = 0) must run before (i = 1): both touch state[1], with n = 2");
  Schedule t(p);
  t.reverse(t.loops<1>("state")[0]);
  CHECK(reason(t) == "iteration (i = 0) must run before (i = 1): both touch state[1], with n = 2");
  Followed u(p, sizes_of(p, {{"n", 9}}));
  u->split(u->loops<1>("state")[0], 4);
  u.check();
}

}  // namespace
}  // namespace tenon::test
