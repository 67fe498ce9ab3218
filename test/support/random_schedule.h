// Random schedule steps: legal or refused, never chosen to be legal.
//
//   for (int step = 0; step < 8; ++step) if (try_random_step(rng, schedule)) ++accepted;
#pragma once

#include "support/rng.h"
#include "tenon/schedule/schedule.h"

namespace tenon::test {

// Asks for one random step. When it is refused, the schedule stays as it was and the answer is
// false; `refusal` then says why. Facts about sizes are assumed where they hold for `values`.
bool try_random_step(Rng& rng, Schedule& schedule, absl::Status* refusal = nullptr,
                     const Sizes& values = {});

}  // namespace tenon::test
