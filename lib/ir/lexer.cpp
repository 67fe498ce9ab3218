#include "ir/lexer.h"

#include <algorithm>

namespace tenon {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

char at(std::string_view text, size_t i) { return i < text.size() ? text[i] : '\0'; }

size_t skip(std::string_view text, size_t from, bool (*belongs)(char)) {
  while (from < text.size() && belongs(text[from])) ++from;
  return from;
}

// Where the digits of a number end. The two points of "0..n" are not part of it.
size_t digits_end(std::string_view text, bool& is_float) {
  is_float = false;
  if (text.substr(0, 2) == "0x") return skip(text, 2, is_hex_digit);
  size_t end = skip(text, 0, is_digit);
  if (at(text, end) == '.' && is_digit(at(text, end + 1))) {
    is_float = true;
    end = skip(text, end + 1, is_digit);
  }
  if (at(text, end) == 'e') {
    const size_t sign = at(text, end + 1) == '+' || at(text, end + 1) == '-' ? 1 : 0;
    if (is_digit(at(text, end + 1 + sign))) {
      is_float = true;
      end = skip(text, end + 1 + sign, is_digit);
    }
  }
  return end;
}

size_t number_end(std::string_view text) {
  bool is_float = false;
  return skip(text, digits_end(text, is_float), is_word);
}

size_t symbol_end(std::string_view text) {
  constexpr std::string_view kPairs[] = {"..", "->", "//", "<<", ">>",
                                         "<=", "==", "!=", "+=", "*="};
  constexpr std::string_view kSingles = "{}[]():,=+-*/%<>&|^~!.";
  const std::string_view pair = text.substr(0, 2);
  if (std::find(std::begin(kPairs), std::end(kPairs), pair) != std::end(kPairs)) return 2;
  return kSingles.find(text.front()) == std::string_view::npos ? 0 : 1;
}

// Length and kind of the token that starts the text.
std::pair<size_t, Token::Kind> next_token(std::string_view text) {
  if (is_digit(text.front())) return {number_end(text), Token::kNumber};
  if (is_word(text.front())) return {skip(text, 0, is_word), Token::kName};
  if (const size_t length = symbol_end(text)) return {length, Token::kSymbol};
  if (text.front() == '"') {
    const size_t end = text.find_first_of("\"\n", 1);
    if (at(text, end) == '"') return {end + 1, Token::kString};
  }
  return {1, Token::kUnknown};
}

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  int line = 1;
  size_t line_start = 0;
  bool first = true;
  size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      line_start = ++i;
      first = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else {
      const auto [length, kind] = next_token(text.substr(i));
      tokens.push_back(
          {kind, text.substr(i, length), line, static_cast<int>(i - line_start) + 1, first});
      first = false;
      i += length;
    }
  }
  tokens.push_back({Token::kEnd, {}, line, static_cast<int>(i - line_start) + 1, first});
  return tokens;
}

NumberParts split_number(std::string_view text) {
  NumberParts parts;
  const size_t end = digits_end(text, parts.is_float);
  parts.digits = text.substr(0, end);
  parts.suffix = text.substr(end);
  return parts;
}

}  // namespace tenon
