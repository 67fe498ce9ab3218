#include "support/pair.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "support/extern_functions.h"
#include "tenon/base/macros.h"
#include "tenon/schedule/replay.h"

namespace tenon::test {
namespace {

// "size m = 5": the name and the value.
std::optional<std::pair<std::string, int64_t>> binding(const std::string& line) {
  std::istringstream words(line);
  std::string kind, name, is;
  int64_t value = 0;
  if (!(words >> kind >> name >> is >> value) || is != "=") return std::nullopt;
  return std::pair(name, value);
}

const Var* find_size(const Program& program, const std::string& name) {
  for (const Var& size : program->sizes) {
    if (size.name() == name) return &size;
  }
  return nullptr;
}

// Reads the lines between the Program and its steps.
absl::Status read_values(const std::vector<std::string>& lines, Pair& pair) {
  std::vector<std::pair<Var, int64_t>> all, constants;
  for (const std::string& line : lines) {
    const std::string kind = line.substr(0, line.find(' '));
    if (kind == "exact") {
      pair.c.exact = true;
    } else if (kind == "data") {
      const char* digits = line.data() + std::min<size_t>(line.size(), 5);
      const auto read = std::from_chars(digits, line.data() + line.size(), pair.data);
      if (read.ec != std::errc()) return refuse("`" + line + "`: expected data and a number");
    } else if (kind == "size" || kind == "constant") {
      const auto value = binding(line);
      const Var* size = value ? find_size(pair.c.program, value->first) : nullptr;
      if (!size) return refuse("`" + line + "`: expected a size of the program, = and a number");
      all.emplace_back(*size, value->second);
      if (kind == "constant") constants.emplace_back(*size, value->second);
    } else {
      return refuse("`" + line + "`: expected size, constant, exact, data or steps");
    }
  }
  pair.c.sizes = Sizes(all);
  pair.c.constants = Sizes(constants);
  return absl::OkStatus();
}

// The primitives of a step stand below it, indented.
void add_step(const std::string& text, bool is_derived, std::vector<std::string>& steps) {
  if (is_derived) {
    steps.back() += "\n      " + text;
  } else {
    steps.push_back(text);
  }
}

}  // namespace

std::string to_string(const Pair& pair) {
  std::ostringstream text;
  text << pair.c.program;
  for (const auto& [size, value] : pair.c.sizes.values()) {
    const bool is_constant = pair.c.constants.find(size).has_value();
    text << (is_constant ? "constant " : "size ") << size.name() << " = " << value << "\n";
  }
  if (pair.c.exact) text << "exact\n";
  text << "data " << pair.data << "\nsteps\n";
  for (size_t k = 0; k < pair.steps.size(); ++k) {
    text << "  " << k + 1 << " " << pair.steps[k] << "\n";
  }
  return text.str();
}

absl::StatusOr<Pair> parse_pair(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string program, trace;
  std::vector<std::string> values;
  enum { kProgram, kValues, kSteps } part = kProgram;
  for (std::string line; std::getline(lines, line);) {
    if (part == kProgram) {
      program += line + "\n";
      if (line == "}") part = kValues;
    } else if (part == kSteps) {
      trace += line + "\n";
    } else if (line == "steps") {
      part = kSteps;
    } else if (!line.empty() && line[0] != '#') {
      values.push_back(line);
    }
  }
  Pair pair;
  TENON_ASSIGN_OR_RETURN(pair.c.program, parse(program, extern_functions()));
  TENON_RETURN_IF_ERROR(read_values(values, pair));
  TENON_ASSIGN_OR_RETURN(const std::vector<TraceLine> steps, parse_trace(trace));
  for (const TraceLine& step : steps) {
    std::string results;
    for (const std::string& name : step.results) results += (results.empty() ? "" : ", ") + name;
    add_step(step.text() + (results.empty() ? "" : " -> " + results), step.derived, pair.steps);
  }
  return pair;
}

std::vector<std::string> steps_of(const Trace& trace) {
  std::vector<std::string> steps;
  for (const Step& step : trace.steps()) add_step(step.text, step.depth > 0, steps);
  return steps;
}

absl::StatusOr<Schedule> schedule_of(const Pair& pair, size_t count) {
  Schedule schedule(pair.c.program, pair.c.constants);
  TENON_RETURN_IF_ERROR(schedule.status());
  std::string trace;
  for (size_t k = 0; k < std::min(count, pair.steps.size()); ++k) {
    trace += std::to_string(k + 1) + " " + pair.steps[k] + "\n";
  }
  TENON_RETURN_IF_ERROR(replay(schedule, trace, {}, pair.instructions));
  return schedule;
}

}  // namespace tenon::test
