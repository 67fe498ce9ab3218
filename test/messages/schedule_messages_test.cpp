// Every misuse of a schedule that has a golden file: the step is refused with that text, nothing is
// lost, the pair that it names is one, and the fact that it misses is what was missing.
#include <catch2/catch.hpp>
#include <cstdio>
#include <set>

#include "messages/message_case.h"
#include "support/check.h"
#include "support/golden.h"
#include "tenon/schedule/replay.h"

namespace tenon::test {
namespace {

const char* const kFamilies[] = {"loops",   "hardware",   "placement",
                                 "storage", "reductions", "facts"};

// The case's Program after all of its steps but the last one.
Schedule before_the_last(const MessageCase& c) {
  Schedule s(parsed(c.text), {}, place_of_cases());
  for (size_t k = 0; k + 1 < c.steps.size(); ++k) {
    const absl::Status status = replay(s, "1 " + c.steps[k], {}, {}, place_of_cases());
    INFO(status.message());
    REQUIRE(status.ok());
  }
  return s;
}

TEST_CASE("At least 160 kinds of misuse of a schedule are refused as their golden files say") {
  size_t count = 0, pairs = 0;
  for (const char* family : kFamilies) {
    for (const MessageCase& c : cases_in(family)) {
      INFO(c.name);
      Schedule s = before_the_last(c);
      const Program before = s.program();
      const size_t steps = s.trace().steps().size();
      const absl::Status replayed = replay(s, "1 " + c.steps.back(), {}, {}, place_of_cases());
      CHECK_FALSE(replayed.ok());
      // What is wrong with the line itself is no refusal of a step.
      const std::string message(s.status().ok() ? replayed.message() : s.status().message());
      check_golden(c.name, golden_text(c, message));
      CHECK(structurally_equal(s.program(), before));
      CHECK(s.program()->reassociated == before->reassociated);
      CHECK(s.trace().steps().size() == steps);
      CHECK(wrong_pair(before, message) == "");
      pairs += message.find("both touch") != std::string::npos ||
               message.find("both accumulate") != std::string::npos;
      ++count;
    }
  }
  std::printf("messages: %zu kinds of misuse, %zu with a pair of iterations\n", count, pairs);
  CHECK(count >= 160);
  CHECK(pairs >= 12);
}

TEST_CASE("The fact that a refusal misses, assumed, makes the step pass") {
  size_t facts = 0, others = 0;
  std::set<std::string> kinds;
  for (const char* family : kFamilies) {
    for (const MessageCase& c : cases_in(family)) {
      INFO(c.name);
      Schedule s = before_the_last(c);
      Schedule assumed = s;
      (void)replay(s, "1 " + c.steps.back(), {}, {}, place_of_cases());
      const std::optional<Diagnostic> d = diagnostic_of(s.status());
      if (!d || d->missing.empty()) continue;
      INFO(s.status().message());
      bool over_sizes = true;
      for (const std::string& fact : d->missing) {
        const absl::Status status =
            replay(assumed, "1 assume(" + fact + ")", {}, {}, place_of_cases());
        INFO(status.message());
        over_sizes = over_sizes && status.ok();
      }
      if (!over_sizes) {
        std::printf("no fact over sizes: %s: %s\n", c.name.c_str(), d->missing[0].c_str());
        ++others;
        continue;
      }
      const absl::Status passed = replay(assumed, "1 " + c.steps.back(), {}, {}, place_of_cases());
      INFO(passed.message());
      CHECK(passed.ok());
      ++facts;
      kinds.insert(c.steps.back().substr(0, c.steps.back().find('(')));
    }
  }
  std::printf("messages: %zu missing facts over sizes, of %zu steps; %zu about loops or data\n",
              facts, kinds.size(), others);
  CHECK(facts >= 4);
}

}  // namespace
}  // namespace tenon::test
