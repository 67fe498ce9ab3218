// Programs, and their meaning before and after a step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/interp/interp.h"
#include "tenon/schedule/schedule.h"

namespace tenon::test {

// out = max(x * w^T + b, 0), with sizes m, n, k.
Program linear_relu();
// out[i] = x[i] * 2 + 1 through a stage t, with size n.
Program chain();
// The loop nest `body` over f32 x[n], y[m, n] and outputs out[n], grid[m, n], with m and n at least
// these.
Program program_of(std::string_view body, int64_t least_m = 0, int64_t least_n = 0);

// Values for the Program's sizes by name: sizes_of(p, {{"m", 7}}).
Sizes sizes_of(const Program& program, const std::vector<std::pair<std::string, int64_t>>& values);

// What the Program computes from fixed pseudo-random arguments. Weights are packed as it asks.
std::vector<Array> outputs_of(const Program& program, const Sizes& sizes);
// CHECKs that both compute the same bits.
void check_same(const Program& before, const Program& after, const Sizes& sizes);

// A schedule whose every step is looked at: accepted, well formed, and of the same meaning.
class Followed {
 public:
  // `sizes` are given to the interpreter; `special` of them to the schedule.
  Followed(Program program, Sizes sizes, Sizes special = {});

  Schedule* operator->() { return &schedule_; }
  Schedule& schedule() { return schedule_; }
  // REQUIREs all of that for the schedule as it is now.
  void check();

 private:
  Program before_;
  Sizes sizes_;
  Schedule schedule_;
};

// The message of the schedule's refusal without the place: "schedule step 1: split(i, 0) refused".
std::string refusal_of(const Schedule& schedule);

// The text of the body alone, without the braces around it.
std::string body_of(const Program& program);

}  // namespace tenon::test
