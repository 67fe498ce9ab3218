#include <ostream>

#include "tenon/schedule/schedule.h"

namespace tenon {
namespace {

std::string base_name(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string line_of(const Step& step, size_t width) {
  if (step.depth > 0) {
    return std::string(width + 1 + 4 * static_cast<size_t>(step.depth), ' ') + step.text;
  }
  const std::string number = std::to_string(step.number);
  return std::string(width - number.size(), ' ') + number + " " + step.text + "   (" +
         base_name(step.file) + ":" + std::to_string(step.line) + ")";
}

}  // namespace

const std::string* Step::consumed_name(const Var& var) const {
  for (const Consumed& loop : consumed) {
    if (loop.var == var) return &loop.name;
  }
  return nullptr;
}

std::string Trace::to_string() const {
  const size_t width = steps_.empty() ? 1 : std::to_string(steps_.back().number).size();
  std::string text;
  for (const Step& step : steps_) text += line_of(step, width) + "\n";
  return text;
}

std::ostream& operator<<(std::ostream& out, const Trace& trace) { return out << trace.to_string(); }

}  // namespace tenon
