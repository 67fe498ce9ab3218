// For libFuzzer: arbitrary text as a Program or as a trace. Nothing may crash or hang, and what is
// accepted must read back as it prints. Preset "fuzz" builds it; a folder of texts helps it to
// start:
//
//   build/release/test/tenon_fuzz --draw drawn
//   build/fuzz/test/fuzz_text -max_len=3000 corpus drawn test/golden
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "support/problem.h"
#include "tenon/analysis/simplify.h"
#include "tenon/schedule/replay.h"

namespace {

void require(const std::string& problem, std::string_view text) {
  if (problem.empty()) return;
  std::cerr << problem << "\nin\n" << text << "\n";
  std::abort();
}

void read_program(std::string_view text) {
  const absl::StatusOr<tenon::Program> program = tenon::parse(text);
  if (!program.ok()) return;
  require(tenon::test::problem_of(*program), text);
  require(tenon::test::problem_of(tenon::simplify(*program)), text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_program(text);
  (void)tenon::parse_trace(text);
  return 0;
}
