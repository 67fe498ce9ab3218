// A message and the smallest text that provokes it, as a golden file: a Program, the steps of a
// schedule of which the last one is refused, and the whole message.
//
//   for (const MessageCase& c : cases_in("loops")) ...      // test/golden/messages/loops/*.txt
//
// A text case has no steps: it is a text that does not read, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/schedule/schedule.h"

namespace tenon::test {

struct MessageCase {
  std::string name;                // "messages/loops/split_factor"
  std::string text;                // the Program
  std::vector<std::string> steps;  // "split(i, 0)"
};

std::vector<MessageCase> cases_in(std::string_view family);

// What the golden file holds.
std::string golden_text(const MessageCase& c, std::string_view message);

// The place that all of these messages name: kernel.cpp:42.
Schedule::Place place_of_cases();

// The pair of iterations that a refusal names, looked for in the Program: do statements in these
// iterations touch the element that it names, and is one of them no read? The answer is empty when
// they do, and what is wrong otherwise. Texts that name no pair are fine.
std::string wrong_pair(const Program& program, const std::string& message);

}  // namespace tenon::test
