// may_fold_storage against its definition, on random small programs: all iterations are run. Where
// it says yes, every use of an element finds that the last one that was written in its place is
// that element.
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

#include "analysis/events.h"
#include "analysis/random_expr.h"
#include "support/check.h"
#include "tenon/analysis/legality_storage.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

using test::Event;
using test::output_of_16;
using test::Random;
using test::Tracer;

constexpr int64_t kExtent = 24;

// t over 24 elements, written and read around a window that moves with the loop i.
struct Sample {
  Program program;
  Buffer t;
};

class Generator {
 public:
  explicit Generator(Random& random) : random_(random), falls_(random.chance(30)) {}

  Sample sample() {
    const Var i("i");
    std::vector<Stmt> body, all = {alloc(t_, {kExtent})};
    for (int64_t n = random_.in(1, 3); n > 0; --n) body.push_back(part(i));
    if (random_.chance(30)) {
      const Var a("a");
      const Expr start = falls_ ? Expr(14) - Expr(a) : Expr(a);
      all.push_back(make_for(a, 0, random_.in(1, 3), ForKind::kSerial, store(t_, {start}, 1.0f)));
    }
    all.push_back(make_for(i, 0, random_.in(2, 8), ForKind::kSerial, seq(std::move(body))));
    if (random_.chance(15)) all.push_back(store(out_, {0}, load(t_, {random_.in(0, 9)})));
    ProgramData data;
    data.name = "q";
    data.params = {output_of_16(out_)};
    data.body = seq(std::move(all));
    return {Program(std::move(data)), t_};
  }

 private:
  Stmt part(const Var& i) {
    if (random_.chance(75)) return leaf(i, 0);
    const Var r("r");
    return make_for(r, 0, random_.in(1, 3), ForKind::kSerial, leaf(i, Expr(r)));
  }

  Expr index(const Var& i, const Expr& r) {
    const Expr steps = random_.chance(10) ? Expr(i) * 2 : Expr(i);
    const Expr near = r + Expr(random_.in(0, 4));
    return falls_ ? Expr(16) - steps + near : steps + near;
  }

  Stmt leaf(const Var& i, const Expr& r) {
    const Expr value = load(t_, {index(i, r)});
    Stmt s;
    switch (random_.in(0, 5)) {
      case 0: s = store(out_, {Expr(i)}, value); break;
      case 1: s = accumulate(t_, {index(i, r)}, Reducer::kSum, 1.0f); break;
      case 2: s = store(t_, {index(i, r)}, value); break;
      default: s = store(t_, {index(i, r)}, 1.0f);
    }
    return random_.chance(15) ? make_if(Expr(i) < Expr(random_.in(1, 5)), s) : s;
  }

  Random& random_;
  const Buffer t_{"t", f32}, out_{"out", f32};
  const bool falls_;
};

// An element that was written is what its place holds whenever it is used.
bool keeps_elements(const std::vector<Event>& events, const Buffer& t, int64_t factor) {
  std::map<int64_t, int64_t> held;  // by place
  std::set<int64_t> written;
  for (const Event& e : events) {
    if (e.buffer != t.id()) continue;
    const int64_t element = e.element[0], place = element % factor;
    const bool uses_it = e.kind != Access::Kind::kWrite;
    if (uses_it && written.count(element) != 0 && held[place] != element) return false;
    if (e.kind == Access::Kind::kRead) continue;
    held[place] = element;
    written.insert(element);
  }
  return true;
}

TEST_CASE("may_fold_storage never gives a place to two elements that live") {
  Random random(31);
  int legal = 0, allowed = 0, illegal = 0;
  for (int n = 0; n < 6000; ++n) {
    const Sample s = Generator(random).sample();
    if (n < 200) test::checked(s.program);
    const int64_t factor = random.in(1, 8);
    const bool truth = keeps_elements(Tracer().run(s.program->body), s.t, factor);
    ++(truth ? legal : illegal);
    const absl::Status status = may_fold_storage(s.program, s.t, 0, factor);
    INFO(print(s.program) << "by " << factor << "\n" << status.message());
    if (status.ok() && !truth) FAIL("allowed what loses an element");
    allowed += status.ok();
  }
  std::printf("fold_storage legal %d, allowed %.1f %%; illegal %d, all refused\n", legal,
              100.0 * allowed / legal, illegal);
  CHECK(allowed > legal / 2);
  CHECK(illegal > 500);
}

}  // namespace
}  // namespace tenon
