#include <algorithm>
#include <charconv>

#include "schedule/trace_text.h"
#include "tenon/base/macros.h"
#include "tenon/schedule/replay.h"

namespace tenon {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

absl::Status wrong(int number, const std::string& what) {
  return refuse("line " + std::to_string(number) + " of the trace: " + what);
}

// Where the bracket that opens at `begin` closes; npos when it does not.
size_t end_of_brackets(std::string_view text, size_t begin) {
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
    depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

// "   12 split(i, 4) -> io, ii   (kernel.cpp:42)"
absl::StatusOr<TraceLine> parse_line(std::string_view text, int number) {
  TraceLine line;
  line.number = number;
  std::string_view rest = trimmed(text);
  size_t digits = 0;
  while (digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits]))) ++digits;
  line.derived = digits == 0;
  rest = trimmed(rest.substr(digits));

  const size_t open = rest.find('(');
  const std::string_view name = rest.substr(0, std::min(open, rest.size()));
  if (open == std::string_view::npos || name.empty() ||
      !std::all_of(name.begin(), name.end(), is_word)) {
    return wrong(number, "a step is written name(arguments), and this is " + std::string(rest));
  }
  const size_t close = end_of_brackets(rest, open);
  if (close == std::string_view::npos) {
    return wrong(number, "the arguments of " + std::string(name) + " do not end");
  }
  line.name = name;
  line.arguments = parts_of(rest.substr(open + 1, close - open - 1));
  for (const std::string& argument : line.arguments) {
    if (argument.empty()) return wrong(number, "an argument of " + line.name + " is empty");
  }

  rest = trimmed(rest.substr(close + 1));
  const bool has_results = rest.substr(0, 2) == "->";
  if (has_results) rest = trimmed(rest.substr(2));
  const size_t place = rest.find('(');
  if (has_results) line.results = parts_of(trimmed(rest.substr(0, place)));
  const auto is_name = [](const std::string& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), is_word);
  };
  if (has_results &&
      (line.results.empty() || !std::all_of(line.results.begin(), line.results.end(), is_name))) {
    return wrong(number, "behind -> stand the names of what " + line.text() + " made");
  }
  if (!has_results && !rest.empty() && place != 0) {
    return wrong(number, "behind " + line.text() + " stands " + std::string(rest));
  }
  return line;
}

}  // namespace

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (c != ',' || depth > 0) continue;
    parts.emplace_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (parts.size() == 1 && parts[0].empty()) parts.clear();
  return parts;
}

std::optional<Factor> parse_factor(std::string_view text) {
  const size_t equals = text.find('=');
  const bool is_named = equals != std::string_view::npos;
  const std::string_view name = text.substr(0, is_named ? equals : 0);
  const std::string_view digits = is_named ? text.substr(equals + 1) : text;
  if (is_named && (name.empty() || !std::all_of(name.begin(), name.end(), is_word))) return {};
  int64_t value = kInferred;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  if (digits != "inferred" && (parsed.ec != std::errc() || parsed.ptr != end)) return {};
  return is_named ? Factor::named(std::string(name), value) : Factor(value);
}

std::string TraceLine::text() const {
  std::string joined;
  for (const std::string& argument : arguments) joined += (joined.empty() ? "" : ", ") + argument;
  return name + "(" + joined + ")";
}

absl::StatusOr<std::vector<TraceLine>> parse_trace(std::string_view text) {
  std::vector<TraceLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (trimmed(line).empty()) continue;
    TENON_ASSIGN_OR_RETURN(TraceLine parsed, parse_line(line, number));
    if (lines.empty() && parsed.derived) {
      return wrong(number, "it is indented like the primitive of a step, and no step stands above");
    }
    lines.push_back(std::move(parsed));
  }
  return lines;
}

}  // namespace tenon
