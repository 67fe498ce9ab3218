#include "messages/message_case.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "analysis/evaluate.h"
#include "support/golden.h"
#include "tenon/analysis/access.h"
#include "tenon/ir/names.h"

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

// The lines of a golden file up to `steps` or `message`, and those between.
MessageCase read_case(const std::string& name) {
  MessageCase c{name, {}, {}};
  std::istringstream in(read_golden(name));
  bool in_steps = false;
  for (std::string line; std::getline(in, line) && line != "message";) {
    if (line == "steps") {
      in_steps = true;
    } else if (in_steps) {
      c.steps.push_back(line.substr(4));  // "  1 "
    } else {
      c.text += line + "\n";
    }
  }
  return c;
}

using Named = std::map<std::string, int64_t>;

// "i = 0, k = 1"
Named values_in(const std::string& text) {
  static const std::regex kValue("([A-Za-z_0-9]+) = (-?[0-9]+)");
  Named values;
  for (std::sregex_iterator m(text.begin(), text.end(), kValue), end; m != end; ++m) {
    values[(*m)[1]] = std::stoll((*m)[2]);
  }
  return values;
}

std::vector<int64_t> numbers_in(const std::string& text) {
  static const std::regex kNumber("-?[0-9]+");
  std::vector<int64_t> numbers;
  for (std::sregex_iterator m(text.begin(), text.end(), kNumber), end; m != end; ++m) {
    numbers.push_back(std::stoll(m->str()));
  }
  return numbers;
}

class PairSearch {
 public:
  PairSearch(const Program& program, Named sizes, std::string buffer, std::vector<int64_t> element)
      : names_(program), buffer_(std::move(buffer)), element_(std::move(element)) {
    for (const Var& size : program->sizes) {
      const auto given = sizes.find(names_.of(size));
      sizes_.emplace_back(size, given == sizes.end() ? 4 : given->second);
    }
    for (Access& a : accesses_of(program->body)) {
      if (names_.of(a.buffer) == buffer_) accesses_.push_back(std::move(a));
    }
  }

  // The kinds of access that touch the element in this iteration.
  std::vector<Access::Kind> touching(const Named& iteration) {
    std::vector<Access::Kind> kinds;
    for (const Access& a : accesses_) {
      Named left = iteration;
      for (const For& loop : a.loops) left.erase(names_.of(loop.var));
      Values values = sizes_;
      if (left.empty() && touches(a, iteration, 0, values)) kinds.push_back(a.kind);
    }
    return kinds;
  }

 private:
  bool touches(const Access& a, const Named& iteration, size_t depth, Values& values) {
    if (depth == a.loops.size()) return is_here(a, values);
    const For& loop = a.loops[depth];
    const std::optional<int64_t> lo = evaluate(loop.lo, values), hi = evaluate(loop.hi, values);
    const auto given = iteration.find(names_.of(loop.var));
    // A bound that is data: a few iterations.
    int64_t first = lo.value_or(0), end = std::min(hi.value_or(first + 4), first + 300);
    if (given != iteration.end()) {
      if (given->second < first || (hi && given->second >= *hi)) return false;
      first = given->second, end = first + 1;
    }
    for (int64_t i = first; i < end; ++i) {
      values.emplace_back(loop.var, i);
      const bool found = touches(a, iteration, depth + 1, values);
      values.pop_back();
      if (found) return true;
    }
    return false;
  }

  bool is_here(const Access& a, const Values& values) const {
    for (const Expr& guard : a.guards) {
      if (evaluate(guard, values) == 0) return false;
    }
    for (size_t d = 0; d < a.indices.size(); ++d) {
      const std::optional<int64_t> index = evaluate(a.indices[d], values);
      if (index && *index != element_[d]) return false;
    }
    return a.indices.size() == element_.size();
  }

  Names names_;
  std::string buffer_;
  std::vector<int64_t> element_;
  Values sizes_;
  std::vector<Access> accesses_;
};

}  // namespace

std::vector<MessageCase> cases_in(std::string_view family) {
  const std::string folder = "messages/" + std::string(family);
  std::vector<std::string> names;
  for (const auto& file :
       fs::directory_iterator(fs::path(TENON_SOURCE_DIR) / "test" / "golden" / folder)) {
    names.push_back(folder + "/" + file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  std::vector<MessageCase> cases;
  for (const std::string& name : names) cases.push_back(read_case(name));
  return cases;
}

std::string golden_text(const MessageCase& c, std::string_view message) {
  std::string text = c.text;
  if (!c.steps.empty()) text += "steps\n";
  for (size_t k = 0; k < c.steps.size(); ++k) {
    text += "  " + std::to_string(k + 1) + " " + c.steps[k] + "\n";
  }
  return text + "message\n" + std::string(message) + "\n";
}

std::string wrong_pair(const Program& program, const std::string& message) {
  static const std::regex kOrder(
      "iteration \\(([^)]*)\\).* must run before \\(([^)]*)\\).*: both touch "
      "([A-Za-z_0-9]+)\\[([^\\]]*)\\](, with (.*))?");
  static const std::regex kRace(
      "iterations \\(([^)]*)\\) and \\(([^)]*)\\) both accumulate into "
      "([A-Za-z_0-9]+)\\[([^\\]]*)\\](, with (.*))?");
  // Of the Program as the step would make it, which is not there to look at.
  for (const char* elsewhere : {"would not stay parallel", "of the first loop"}) {
    if (message.find(elsewhere) != std::string::npos) return "";
  }
  std::smatch m;
  if (!std::regex_search(message, m, kOrder) && !std::regex_search(message, m, kRace)) return "";
  PairSearch search(program, values_in(m[6]), m[3], numbers_in(m[4]));
  const std::vector<Access::Kind> first = search.touching(values_in(m[1])),
                                  second = search.touching(values_in(m[2]));
  if (first.empty()) return "nothing touches the element in the first iteration";
  if (second.empty()) return "nothing touches the element in the second iteration";
  const auto changes = [](Access::Kind kind) { return kind != Access::Kind::kRead; };
  if (std::none_of(first.begin(), first.end(), changes) &&
      std::none_of(second.begin(), second.end(), changes)) {
    return "both only read the element";
  }
  return "";
}

// What follows this line is numbered as kernel.cpp would be.
#line 42 "kernel.cpp"
Schedule::Place place_of_cases() { return Schedule::Place::current(); }

}  // namespace tenon::test
