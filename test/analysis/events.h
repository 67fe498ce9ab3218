// What a Program without data-dependent indices does to memory, event by event: the ground truth
// for questions about order.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/evaluate.h"
#include "tenon/analysis/access.h"
#include "tenon/base/match.h"
#include "tenon/ir/visit.h"

namespace tenon::test {

struct Event {
  Access::Kind kind;
  Reducer reducer;
  Type type;
  uint64_t buffer;
  int instance;  // how often the buffer had been declared
  std::vector<int64_t> element;
  const StmtNode* statement;
  const Stmt* top;  // the statement of the body that was asked about, see Tracer
  std::vector<std::pair<Var, int64_t>> loops;

  int64_t at(const Var& loop) const {
    for (const auto& [var, value] : loops) {
      if (var == loop) return value;
    }
    return -1;
  }
};

inline bool touch(const Event& a, const Event& b) {
  if (a.kind == Access::Kind::kRead && b.kind == Access::Kind::kRead) return false;
  return a.buffer == b.buffer && a.instance == b.instance && a.element == b.element;
}

inline bool both_accumulate(const Event& a, const Event& b) {
  return a.kind == Access::Kind::kAccumulate && b.kind == Access::Kind::kAccumulate &&
         a.reducer == b.reducer;
}

inline bool exact(const Event& e) {
  return e.type.is_int() || e.reducer == Reducer::kMax || e.reducer == Reducer::kMin;
}

// Whether a rearrangement keeps the meaning.
enum class Truth { kNo, kReassociating, kYes };

// What exchanging these two does.
inline Truth exchanged(const Event& a, const Event& b) {
  if (!touch(a, b)) return Truth::kYes;
  if (!both_accumulate(a, b)) return Truth::kNo;
  return exact(a) ? Truth::kYes : Truth::kReassociating;
}

// Over all pairs for which `swapped` holds; the first came first.
template <class Swapped>
Truth truth_of(const std::vector<Event>& events, const Swapped& swapped) {
  Truth truth = Truth::kYes;
  for (size_t i = 0; i < events.size(); ++i) {
    for (size_t j = i + 1; j < events.size(); ++j) {
      if (!swapped(events[i], events[j])) continue;
      truth = std::min(truth, exchanged(events[i], events[j]));
      if (truth == Truth::kNo) return truth;
    }
  }
  return truth;
}

// A parameter that random nests write.
inline Param output_of_16(const Buffer& buffer) {
  Param p;
  p.role = Role::kOutput;
  p.buffer = buffer;
  p.shape = {16};
  return p;
}

// Runs the loops and guards, and notes loads, stores and accumulates in the order in which they
// happen. `parts` are statements to be told apart in Event::top.
class Tracer {
 public:
  explicit Tracer(std::vector<const Stmt*> parts = {}) : parts_(std::move(parts)) {}

  std::vector<Event> run(const Stmt& s) {
    statement(s);
    return std::move(events_);
  }

 private:
  void statement(const Stmt& s) {
    const Stmt* outer_part = part_;
    const StmtNode* outer = statement_;
    for (const Stmt* part : parts_) {
      if (part->get() == s.get()) part_ = part;
    }
    statement_ = s.get();
    match(
        s.node().kind,
        [&](const Store& x) {
          reads(x.value);
          event(Access::Kind::kWrite, x.buffer, x.indices, {});
        },
        [&](const Accumulate& x) {
          reads(x.value());
          event(Access::Kind::kAccumulate, x.buffer(), x.indices, x.by.op());
        },
        [&](const For& x) {
          const int64_t lo = *evaluate(x.lo, loops_), hi = *evaluate(x.hi, loops_);
          for (int64_t i = lo; i < hi; ++i) {
            loops_.emplace_back(x.var, i);
            statement(x.body);
            loops_.pop_back();
          }
        },
        [&](const If& x) {
          if (*evaluate(x.condition, loops_)) statement(x.body);
        },
        [&](const Seq& x) {
          for (const Stmt& part : x.stmts) statement(part);
        },
        [&](const Alloc& x) { ++instances_[x.buffer.id()]; }, [&](const Bind&) {},
        [&](const Call& x) {
          for (const CallRegion& part : x.reads) touch_all(Access::Kind::kRead, part, {});
          for (const CallRegion& part : x.writes) touch_all(Access::Kind::kWrite, part, {});
        },
        [&](const Prefetch&) {});
    part_ = outer_part;
    statement_ = outer;
  }

  void reads(const Expr& e) {
    walk(e, [&](const Expr& x) {
      if (const Load* l = x.as<Load>()) event(Access::Kind::kRead, l->buffer, l->indices, {});
    });
  }

  // Every element of the part, behind the indices that are chosen.
  void touch_all(Access::Kind kind, const CallRegion& part, const std::vector<Expr>& indices) {
    if (indices.size() == part.ranges.size()) return event(kind, part.buffer, indices, {});
    const CallRegion::Range& range = part.ranges[indices.size()];
    const int64_t lo = *evaluate(range.lo, loops_);
    const int64_t hi = range.hi ? *evaluate(range.hi, loops_) : lo + 1;
    for (int64_t i = lo; i < hi; ++i) {
      std::vector<Expr> more = indices;
      more.emplace_back(i);
      touch_all(kind, part, more);
    }
  }

  void event(Access::Kind kind, const Buffer& buffer, const std::vector<Expr>& indices,
             Reducer reducer) {
    Event e{kind, reducer,    buffer.type(), buffer.id(), instances_[buffer.id()],
            {},   statement_, part_,         loops_};
    for (const Expr& index : indices) e.element.push_back(*evaluate(index, loops_));
    events_.push_back(std::move(e));
  }

  std::vector<const Stmt*> parts_;
  Values loops_;
  std::map<uint64_t, int> instances_;
  const StmtNode* statement_ = nullptr;
  const Stmt* part_ = nullptr;
  std::vector<Event> events_;
};

}  // namespace tenon::test
