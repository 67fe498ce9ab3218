#include "support/problem.h"

#include "tenon/ir/visit.h"

namespace tenon::test {

std::string problem_of(const Program& program) {
  if (!program) return "the Program is null";
  const absl::Status status = verify(program);
  if (!status.ok()) return "verify: " + std::string(status.message()) + "\n" + print(program);
  const absl::StatusOr<Program> read = parse(print(program), externs_of(program->body));
  if (!read.ok()) return "parse: " + std::string(read.status().message()) + "\n" + print(program);
  if (!structurally_equal(*read, program)) return "it reads back different: " + print(program);
  if (structural_hash(*read) != structural_hash(program)) {
    return "it reads back with another hash: " + print(program);
  }
  return "";
}

}  // namespace tenon::test
