// The promises of a reducer by functions, tried on small values (see reducer.h).
#pragma once

#include <string>
#include <vector>

#include "ir/tape.h"
#include "tenon/ir/reducer.h"

namespace tenon {

class ReducerTrial {
 public:
  // Of a well formed reducer.
  explicit ReducerTrial(const CustomReducer& reducer);

  // The first promise that does not hold, with the values that show it.
  absl::Status promises();
  bool updates_commute();

 private:
  using State = std::vector<uint64_t>;  // one value each, as bits
  struct Shown {                        // in a message
    const State& values;
    const std::vector<Var>& vars;
  };

  State update(const State& s, const State& element) { return run(update_, s, element); }
  State combine(const State& a, const State& b) { return run(combine_, a, b); }
  static State run(Tape& tape, State first, const State& second);

  uint32_t next(uint32_t below);
  State some_element();
  State some_state();

  bool close(const State& a, const State& b) const;
  absl::Status same(const State& a, const State& b, const std::string& promise,
                    const std::vector<Shown>& of) const;
  static std::string text(const Shown& shown);

  const CustomReducer& reducer_;
  Tape update_, combine_;
  State identity_;
  int rounds_;
  uint64_t seed_ = 1;
  int64_t last_ = 0;    // integer of an element
  bool rising_ = true;  // whether those rise
};

}  // namespace tenon
