// Golden texts: what a test expects a long text to be stands in test/golden/<name>.txt.
//
//   check_golden("schedule/split", print(program));
//
// With TENON_UPDATE_GOLDEN=1 in the environment of the test program, the files are written instead
// of compared; `git diff` then shows what changed.
#pragma once

#include <string>
#include <string_view>

namespace tenon::test {

// A Catch2 check: the text is that of the golden file, byte for byte. The message shows the first
// line that differs and how to update.
void check_golden(std::string_view name, std::string_view text);

// The text of test/golden/<name>.txt; empty when the file does not exist.
std::string read_golden(std::string_view name);

}  // namespace tenon::test
