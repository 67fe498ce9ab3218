#include "ir/grammar.h"

#include <algorithm>
#include <array>

namespace tenon {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 7> kWords = {"true", "false",    "inf",    "nan",
                                                      "cast", "saturate", "bitcast"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end() ||
         parse_type(word).has_value();
}

}  // namespace tenon
