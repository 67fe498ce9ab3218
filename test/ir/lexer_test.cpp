#include "ir/lexer.h"

#include <catch2/catch.hpp>

namespace tenon {
namespace {

std::string texts(std::string_view source) {
  std::string result;
  for (const Token& token : tokens_of(source)) result += std::string(token.text) + "|";
  return result;
}

TEST_CASE("a text is cut at the longest tokens") {
  CHECK(texts("a+=b//c<<1->d") == "a|+=|b|//|c|<<|1|->|d||");
  CHECK(texts("x[i]<=3!=y==z*=w") == "x|[|i|]|<=|3|!=|y|==|z|*=|w||");
  CHECK(texts("for i in 0..n") == "for|i|in|0|..|n||");
  CHECK(texts("1..2") == "1|..|2||");
  CHECK(texts("1.5..2") == "1.5|..|2||");
  CHECK(texts("1.x") == "1|.|x||");
  CHECK(texts("") == "|");
}

TEST_CASE("numbers keep their exponent and their type") {
  CHECK(texts("1e-05f64") == "1e-05f64||");
  CHECK(texts("1e+20+3i32") == "1e+20|+|3i32||");
  CHECK(texts("2.0bf16*0x1fu8") == "2.0bf16|*|0x1fu8||");
  CHECK(texts("1e") == "1e||");
  CHECK(texts("1e-") == "1e|-||");
}

TEST_CASE("a number is digits and a suffix") {
  const NumberParts parts = split_number("1e-05f64");
  CHECK(parts.digits == "1e-05");
  CHECK(parts.suffix == "f64");
  CHECK(parts.is_float);
  CHECK(split_number("12i32").suffix == "i32");
  CHECK(!split_number("12i32").is_float);
  CHECK(split_number("1.5").suffix.empty());
  CHECK(split_number("1e").suffix == "e");
}

TEST_CASE("tokens know their line, their column and whether they start a line") {
  const std::vector<Token> tokens = tokens_of("a b # comment c\n\n  d\te\r\n");
  REQUIRE(tokens.size() == 5);
  CHECK(tokens[1].text == "b");
  CHECK(tokens[1].line == 1);
  CHECK(tokens[1].column == 3);
  CHECK(!tokens[1].first_on_line);
  CHECK(tokens[2].text == "d");
  CHECK(tokens[2].line == 3);
  CHECK(tokens[2].column == 3);
  CHECK(tokens[2].first_on_line);
  CHECK(!tokens[3].first_on_line);
  CHECK(tokens[4].kind == Token::kEnd);
  CHECK(tokens[4].line == 4);
}

TEST_CASE("kinds of tokens are told apart, and what is none is one character") {
  const std::vector<Token> tokens = tokens_of("name_1 12 { @\xff");
  REQUIRE(tokens.size() == 6);
  CHECK(tokens[0].kind == Token::kName);
  CHECK(tokens[1].kind == Token::kNumber);
  CHECK(tokens[2].kind == Token::kSymbol);
  CHECK(tokens[3].kind == Token::kUnknown);
  CHECK(tokens[4].kind == Token::kUnknown);
  CHECK(tokens[5].kind == Token::kEnd);
}

}  // namespace
}  // namespace tenon
