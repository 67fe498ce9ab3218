// A derived step while it is being made.
#pragma once

#include <string>

#include "tenon/schedule/schedule.h"

namespace tenon {

// From construction on, steps of the schedule are primitives of this one. When one of them is
// refused, the whole step is undone: a refused step changes nothing.
class Schedule::Derived {
 public:
  Derived(Schedule& schedule, const std::string& action, Place place) : schedule_(schedule) {
    if (!schedule.status_.ok() || !schedule.derived_.empty()) return;
    outermost_ = true;
    program_ = schedule.program_;
    steps_ = schedule.trace_.steps_.size();
    schedule.record(action, place, schedule.program_);
    schedule.derived_ = action;
  }
  Derived(const Derived&) = delete;
  Derived& operator=(const Derived&) = delete;

  // Ends the step. Is the schedule fine?
  bool finish() {
    if (outermost_) {
      outermost_ = false;
      schedule_.derived_.clear();
      if (!schedule_.status_.ok()) {
        schedule_.program_ = program_;
        schedule_.trace_.steps_.resize(steps_);
      }
    }
    return schedule_.status_.ok();
  }
  ~Derived() { finish(); }

 private:
  Schedule& schedule_;
  Program program_;
  size_t steps_ = 0;
  bool outermost_ = false;
};

// A fission of each of these loops, which stand directly inside each other, innermost first: the
// first `statements` of the innermost body become a nest of their own.
InitAndUpdate fission_nest(Schedule& schedule, const std::vector<Loop>& loops, int statements,
                           Schedule::Place place);

}  // namespace tenon
