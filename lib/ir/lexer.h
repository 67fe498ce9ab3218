// Program text cut into tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

struct Token {
  enum Kind {
    kName,
    kNumber,  // digits with an optional type at the end: "12", "1.5", "1e-05f64", "0x7f"
    kSymbol,
    kString,   // in quotation marks, on one line
    kUnknown,  // a character that belongs to no token
    kEnd,
  };
  Kind kind;
  std::string_view text;
  int line;    // from 1
  int column;  // in bytes, from 1
  bool first_on_line;
};

// The last token is always kEnd. A # starts a comment that ends with the line.
std::vector<Token> tokens_of(std::string_view text);

// The parts of a number: "1.5f64" is "1.5" and "f64".
struct NumberParts {
  std::string_view digits;
  std::string_view suffix;
  bool is_float;  // has a point or an exponent
};
NumberParts split_number(std::string_view text);

}  // namespace tenon
