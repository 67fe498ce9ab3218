#include "tenon/base/status.h"

#include <charconv>

namespace tenon {
namespace {

constexpr char kPayloadUrl[] = "tenon.diagnostic";

// The payload is a list of fields, each "<tag><length>:<bytes>", so that any byte may stand in a
// text and a reader needs no escaping rules.
void put(std::string& out, char tag, std::string_view text) {
  out += tag;
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

std::string encode(const Diagnostic& d) {
  std::string out;
  put(out, 's', std::to_string(d.step));
  put(out, 'a', d.action);
  put(out, 'f', d.file);
  put(out, 'l', std::to_string(d.line));
  put(out, 'r', d.reason);
  for (const std::string& fact : d.missing) put(out, 'm', fact);
  for (const std::string& choice : d.legal) put(out, 'o', choice);
  return out;
}

int to_int(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<Diagnostic> decode(std::string_view in) {
  Diagnostic d;
  while (!in.empty()) {
    const size_t colon = in.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const size_t size = static_cast<size_t>(to_int(in.substr(1, colon - 1)));
    if (colon + 1 + size > in.size()) return std::nullopt;
    const std::string_view text = in.substr(colon + 1, size);
    switch (in.front()) {
      case 's': d.step = to_int(text); break;
      case 'a': d.action = text; break;
      case 'f': d.file = text; break;
      case 'l': d.line = to_int(text); break;
      case 'r': d.reason = text; break;
      case 'm': d.missing.emplace_back(text); break;
      case 'o': d.legal.emplace_back(text); break;
      default: return std::nullopt;
    }
    in.remove_prefix(colon + 1 + size);
  }
  return d;
}

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += "; ";
    out += part;
  }
  return out;
}

// The user knows the file by its name; the folders before it differ between machines.
std::string_view base_name(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string print(const Diagnostic& d) {
  std::string text;
  if (d.step > 0) text += "schedule step " + std::to_string(d.step);
  if (!d.action.empty()) text += (text.empty() ? "" : ": ") + d.action + " refused";
  if (!d.file.empty()) {
    text += text.empty() ? "at " : " at ";
    text += base_name(d.file);
    text += ":" + std::to_string(d.line);
  }
  text += text.empty() ? d.reason : "\n  " + d.reason;
  if (!d.missing.empty()) text += "\n  missing fact: " + join(d.missing);
  if (!d.legal.empty()) text += "\n  legal here: " + join(d.legal);
  return text;
}

absl::Status make_status(const Diagnostic& diagnostic, absl::StatusCode code) {
  absl::Status status(code, print(diagnostic));
  // From a view: Clang looks for the constructor from std::string under another name than GCC gave
  // it in the distribution's Abseil.
  status.SetPayload(kPayloadUrl, absl::Cord(absl::string_view(encode(diagnostic))));
  return status;
}

absl::Status refuse(std::string reason, std::vector<std::string> missing,
                    std::vector<std::string> legal) {
  Diagnostic d;
  d.reason = std::move(reason);
  d.missing = std::move(missing);
  d.legal = std::move(legal);
  return make_status(d);
}

std::optional<Diagnostic> diagnostic_of(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return std::nullopt;
  return decode(std::string(*payload));
}

absl::Status with_context(const absl::Status& status, int step, std::string action,
                          std::source_location place) {
  if (status.ok()) return status;
  Diagnostic d = diagnostic_of(status).value_or(Diagnostic{});
  if (d.reason.empty()) d.reason = std::string(status.message());
  if (d.step == 0) d.step = step;
  if (d.action.empty()) d.action = std::move(action);
  if (d.file.empty() && place.line() != 0) {  // a default-made place is none
    d.file = place.file_name();
    d.line = static_cast<int>(place.line());
  }
  return make_status(d, status.code());
}

}  // namespace tenon
